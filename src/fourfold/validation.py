"""What can be stored: every check answers with the thing itself, or with a sentence that names the fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sized
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourfold import arguments
from fourfold.arguments import shown
from fourfold.errors import InvalidValueError
from fourfold.frozen import bare
from fourfold.types import Edge, Node

LARGEST_COORDINATE = 1e15
"""Beyond it the length of a vector may overflow float32."""

LONGEST_VECTOR = 1_000_000
"""Most coordinates of a vector."""

LONGEST_TYPE = 1_000
"""Characters of an edge type: its words are compared with those of questions."""

LARGEST_WEIGHT = 1e30
"""Beyond it a sum of weights may overflow."""

_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
"""``json.dumps`` would make an encoder for every node."""


def check_node(node: Node) -> Node:
    """Return a node that can be stored, or say in an InvalidValueError why it cannot."""
    if not isinstance(node, Node):
        raise InvalidValueError(f"A node must be a fourfold.Node, not {type(node).__name__}.")
    identity = bare(node.id)
    if not isinstance(identity, str) or not identity:
        raise InvalidValueError(f"A node has the id {shown(identity)}; it must be a string that is not empty.")
    if "\x00" in identity:
        raise InvalidValueError(f"A node has the id {shown(identity)}; it must not hold a NUL character.")
    words = []
    for field in ("id", "name", "type", "text"):
        value = getattr(node, field)
        if type(value) is not str or not value.isascii():  # names the node only where it must
            value = arguments.text(value, f"The {field} of node {shown(identity)}")
        words.append(value)
    metadata = arguments.json_mapping(node.metadata, f"The metadata of node {shown(identity)}")
    own, name, kind, text = words
    if not name and not text and node.vector is None and any(map(str.isalnum, own)):
        name = own  # a graph's nodes are often nothing but their ids, which are what people call them
    return Node(own, name, kind, text, metadata, node.vector)


def check_edge(edge: Edge) -> Edge:
    """Return an edge that can be stored, or say in an InvalidValueError why it cannot."""
    edge = name_edge(edge)
    for value in (edge.source, edge.target, edge.type):
        if not value.isascii():
            arguments.text(value, f"The edge {_named(edge)}")
    if len(edge.type) > LONGEST_TYPE:
        raise InvalidValueError(
            f"An edge has a type of {len(edge.type):,} characters, at most {LONGEST_TYPE:,} can be: {shown(edge.type)}"
        )
    if type(edge.weight) is float and 0 <= edge.weight <= LARGEST_WEIGHT:
        return edge
    what = f"The weight of the edge {_named(edge)}"
    return replace(edge, weight=arguments.finite_number(edge.weight, what, least=0, most=LARGEST_WEIGHT))


def name_edge(edge: Edge) -> Edge:
    """Return an edge that names its ends and its type by strings, or raise InvalidValueError."""
    if not isinstance(edge, Edge):
        raise InvalidValueError(f"An edge must be a fourfold.Edge, not {type(edge).__name__}.")
    if not all(isinstance(value, str) for value in (edge.source, edge.target, edge.type)):
        raise InvalidValueError(f"Source, target and type of an edge must be strings: {_named(edge)}.")
    if type(edge.source) is type(edge.target) is type(edge.type) is str:
        return edge
    return replace(edge, **{name: bare(getattr(edge, name)) for name in ("source", "target", "type")})


def _named(edge: Edge) -> str:
    return f"{shown(edge.source)} → {shown(edge.target)} of type {shown(edge.type)}"


def check_vector(given: object, what: str) -> NDArray[np.float32]:
    """Return a vector as float32, (dimensions,), or say in an InvalidValueError what is wrong with ``what``."""
    try:
        if isinstance(given, Sized) and len(given) > LONGEST_VECTOR:
            raise ValueError(f"it holds more than {LONGEST_VECTOR:,}")
        array = np.asarray(given)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{shown(given)} holds {array.dtype}")
        with np.errstate(over="ignore"):
            vector = array.astype(np.float32)
    except Exception as error:  # of whatever it is made of
        raise InvalidValueError(f"{what} is no list of numbers: {arguments.said(error)}.") from error
    if vector.ndim != 1 or not len(vector):
        raise InvalidValueError(f"{what} has shape {vector.shape}; it must be one row of numbers.")
    if not np.isfinite(vector).all():
        raise InvalidValueError(f"{what} holds NaN or infinite numbers.")
    if np.abs(vector).max() > LARGEST_COORDINATE:
        raise InvalidValueError(f"{what} holds numbers beyond {LARGEST_COORDINATE:g}; its length overflows.")
    return vector


def content_hash(node: Node) -> str:
    """Return a hash of name, type, text and metadata, as in ``Retriever.manifest``."""
    content = _written([node.name, node.type, node.text, dict(node.metadata)])
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
