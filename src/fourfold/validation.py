"""What can be stored: every check answers with the thing itself, or with a sentence that names the fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import InvalidValueError
from fourfold.types import Edge, Node

LARGEST_COORDINATE = 1e15
"""Beyond it the length of a vector may overflow float32."""

LARGEST_WEIGHT = 1e30
"""Beyond it a sum of weights may overflow."""


def check_node(node: Node) -> Node:
    """Return a node that can be stored, or say in an InvalidValueError why it cannot."""
    if not isinstance(node, Node):
        raise InvalidValueError(f"A node must be a fourfold.Node, not {type(node).__name__}.")
    if not isinstance(node.id, str) or not node.id:
        raise InvalidValueError(f"A node has the id {node.id!r}; it must be a string that is not empty.")
    if "\x00" in node.id:
        raise InvalidValueError(f"A node has the id {node.id!r}; it must not hold a NUL character.")
    for name in ("id", "name", "type", "text"):
        value = getattr(node, name)
        if not isinstance(value, str):
            raise InvalidValueError(f"The {name} of node {node.id!r} is {value!r}; it must be a string.")
        if not value.isascii():
            _require_unicode(value, f"The {name} of node {node.id!r}")
    if not isinstance(node.metadata, Mapping):
        raise InvalidValueError(f"The metadata of node {node.id!r} is {node.metadata!r}; it must be a mapping.")
    try:
        json.dumps(dict(node.metadata), allow_nan=False, ensure_ascii=False, sort_keys=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValueError(f"The metadata of node {node.id!r} is not made of JSON values: {error}.") from error
    return node


def _require_unicode(value: str, what: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"{what} holds a lone surrogate: {error.reason}.") from error


def check_edge(edge: Edge) -> Edge:
    """Return an edge that can be stored, or say in an InvalidValueError why it cannot."""
    if not isinstance(edge, Edge):
        raise InvalidValueError(f"An edge must be a fourfold.Edge, not {type(edge).__name__}.")
    if not all(isinstance(value, str) for value in (edge.source, edge.target, edge.type)):
        raise InvalidValueError(f"Source, target and type of an edge must be strings: {edge!r}.")
    for value in (edge.source, edge.target, edge.type):
        if not value.isascii():
            _require_unicode(value, f"The edge {edge.source!r} → {edge.target!r} of type {edge.type!r}")
    weight = edge.weight
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight <= LARGEST_WEIGHT:
        raise InvalidValueError(
            f"The edge {edge.source!r} → {edge.target!r} has the weight {weight!r}; it must be a number from 0 to "
            f"{LARGEST_WEIGHT:g}."
        )
    return edge


def check_vector(given: object, what: str) -> NDArray[np.float32]:
    """Return a vector as float32, (dimensions,), or say in an InvalidValueError what is wrong with ``what``."""
    try:
        with np.errstate(over="ignore"):
            vector = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(f"{what} is no list of numbers: {error}.") from error
    if vector.ndim != 1 or not len(vector):
        raise InvalidValueError(f"{what} has shape {vector.shape}; it must be one row of numbers.")
    if not np.isfinite(vector).all():
        raise InvalidValueError(f"{what} holds NaN or infinite numbers.")
    if np.abs(vector).max() > LARGEST_COORDINATE:
        raise InvalidValueError(f"{what} holds numbers beyond {LARGEST_COORDINATE:g}; its length overflows.")
    return vector


def content_hash(node: Node) -> str:
    """Return a hash of name, type, text and metadata, as in ``Retriever.manifest``."""
    content = json.dumps([node.name, node.type, node.text, dict(node.metadata)], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
