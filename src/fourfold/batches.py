"""Nodes on their way into a graph: which of them say anything new, and what is stored of those, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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


def known(
    backend: Backend, nodes: Sequence[Node], dimensions: int, text_of: Callable[[Node], str]
) -> tuple[set[str], dict[str, NDArray[np.float32]]]:
    """Return what is stored already of nodes that bring no vector.

    Contents and vectors are compared themselves, not the hashes stored with them: damaged ones are written anew. What
    is derived of nodes (terms, full text) is not looked at.

    Returns:
        The ids of those that are stored just as they are given, with a vector; and of the others, by id, the vectors of
        those of which the embedder would read (``text_of``) what it has read.

    """
    same: set[str] = set()
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(nodes), _COMPARED):
        given = {node.id: node for node in nodes[start : start + _COMPARED] if node.vector is None}
        try:
            stored = backend.nodes_by_id(list(given))
            read = [identity for identity, node in stored.items() if text_of(node) == text_of(given[identity])]
            for identity, vector in backend.vectors_of(read).items():
                if len(vector) != dimensions or not np.isfinite(vector).all():
                    continue
                if content_hash(stored[identity]) == content_hash(given[identity]):
                    same.add(identity)
                else:
                    vectors[identity] = vector
        except StoreError:  # damaged, too; and where nothing can be read at all, writing says so
            continue
    return same, vectors
