"""Nodes on their way into a graph: which of them say anything new, and what is stored of those, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import Backend, Row
from fourfold.errors import StoreError
from fourfold.index.changes import FIELDS
from fourfold.signals.late import distinct_pieces, wordpiece_text
from fourfold.tokenizer import Tokenizer
from fourfold.types import Node
from fourfold.validation import content_hash

Vectors = list[NDArray[np.float32] | None]
Prepared = tuple[list[Row], list[str], list[int]]
"""What ``Writer.put_nodes`` takes."""

_COMPARED = 2048


def prepared(nodes: Sequence[Node], made: Iterable[Vectors], tokenizer: Tokenizer) -> tuple[list[Prepared], set[int]]:
    """Return what is stored of nodes, batch by batch as their vectors are made, and the dimensions of these."""
    batches: list[Prepared] = []
    dimensions: set[int] = set()
    done = 0
    for vectors in made:
        part = nodes[done : done + len(vectors)]
        done += len(vectors)
        pieces = distinct_pieces([wordpiece_text(node) for node in part])
        rows = [
            Row(node, content_hash(node), vector, own) for node, vector, own in zip(part, vectors, pieces, strict=True)
        ]
        batches.append((rows, *tokenizer.batch([getattr(node, field) for node in part for field in FIELDS])))
        dimensions |= {len(vector) for vector in vectors if vector is not None}
    return batches, dimensions


def lacking(batches: Iterable[Prepared]) -> bool:
    """Whether some nodes have no vector, as beside vectors of unknown origin."""
    return any(row.vector is None for rows, *_ in batches for row in rows)


def unchanged(backend: Backend, nodes: Sequence[Node], dimensions: int) -> set[str]:
    """Return the ids of the nodes that are stored just as they are given, with a vector where none is given.

    Contents and vectors are compared themselves, not the hashes stored with them: damaged ones are written anew. What
    is derived of nodes (terms, full text) is not looked at.
    """
    found = set[str]()
    for start in range(0, len(nodes), _COMPARED):
        given = {node.id: node for node in nodes[start : start + _COMPARED] if node.vector is None}
        try:
            found.update(_same(backend, given, dimensions))
        except StoreError:  # damaged, too; and where nothing can be read at all, writing says so
            continue
    return found


def _same(backend: Backend, given: dict[str, Node], dimensions: int) -> Iterator[str]:
    stored = backend.nodes_by_id(list(given))
    same = [identity for identity, node in stored.items() if content_hash(node) == content_hash(given[identity])]
    for identity, vector in backend.vectors_of(same).items():
        if len(vector) == dimensions and np.isfinite(vector).all():
            yield identity
