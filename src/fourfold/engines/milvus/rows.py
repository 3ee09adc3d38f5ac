"""Nodes as rows of the collection ``nodes``: texts as they are, and digests of everything that filters look up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fourfold.engines.base import Row
from fourfold.engines.milvus.json_text import mapping
from fourfold.engines.milvus.link import digest
from fourfold.engines.milvus.schema import LONGEST, MOST_FACTS
from fourfold.errors import InvalidValueError
from fourfold.filters import COLUMNS, ELEMENT, SCALAR, Scalar, attributes
from fourfold.frozen import freeze
from fourfold.types import Node

NODE = ("num", "id", "name", "type", "text", "metadata")
"""The fields that a node is made of."""
LOTS = 1 << 20
"""Every node draws one of so many lots, by its id; those with small ones are a sample of all."""


def node_of(row: Mapping[str, Any]) -> Node:
    """Return the node of a row."""
    return Node(row["id"], row["name"], row["type"], row["text"], freeze(mapping(row["metadata"])))


def node_row(row: Row) -> dict[str, Any]:
    """Return what a node itself brings to its row; InvalidValueError where Milvus keeps no text so long."""
    node = row.node
    metadata = json.dumps(dict(node.metadata), ensure_ascii=False, allow_nan=False)
    texts = {"id": node.id, "name": node.name, "type": node.type, "text": node.text, "metadata": metadata}
    for name, text in texts.items():
        keepable(text, f"The {name} of node {node.id[:60]!r}")
    facts = sorted(set(_facts(node)))
    if len(facts) > MOST_FACTS:
        raise InvalidValueError(
            f"The metadata of node {node.id[:60]!r} has {len(facts):,} keys and values to filter by; Milvus keeps "
            f"{MOST_FACTS:,} at most. Put what nobody filters by into one text."
        )
    key = digest(node.id)
    return {"key": key, "lot": int(key[:8], 16) % LOTS, "hash": row.hash, **texts, "facts": facts}


def keepable(text: str, what: str) -> str:
    """Return a text, or refuse one that is too long."""
    if len(text) > LONGEST // 4 and (size := len(text.encode("utf-8", "surrogatepass"))) > LONGEST:
        raise InvalidValueError(
            f"{what} has {size:,} bytes; Milvus keeps {LONGEST:,} at most. Split the node, or use another engine."
        )
    return text


def flattened(node: Node) -> Iterator[tuple[str, Scalar, int]]:
    """Return (key, value, kind) of everything that filters ask for: metadata, and the node's own columns."""
    for column, name in COLUMNS.items():
        yield column, getattr(node, name), SCALAR
    for key, value, kind in attributes(node.metadata):
        if key not in COLUMNS:
            yield key, value, kind


def presence(key: str, kind: int) -> str:
    """Return the digest that says: there is an attribute of this key and kind."""
    return digest("key", key, str(kind))


def equality(key: str, kind: int, value: Scalar) -> str:
    """Return the digest that says: there is one with this value; numbers that are equal have the same."""
    if isinstance(value, str):
        return digest("text", key, str(kind), value)
    whole = isinstance(value, int) or value.is_integer()
    return digest("number", key, str(kind), str(int(value)) if whole else repr(value))


def folded(key: str, kind: int, value: str) -> str:
    """Return the digest that says: there is a string that is this one in lower case."""
    return digest("folded", key, str(kind), value.lower())


def _facts(node: Node) -> Iterator[str]:
    for key, value, kind in flattened(node):
        if key not in COLUMNS:
            yield presence(key, kind)
        yield equality(key, kind, value)
        if kind == ELEMENT and isinstance(value, str):
            yield folded(key, kind, value)
