"""What an engine that keeps rows tells the index of them: what became of the graph since a generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

TOKEN = np.dtype([("term", "<i4"), ("field", "u1"), ("count", "<u2")])
"""One record of a node's terms: term number, field (0 name, 1 type, 2 text), occurrences."""

PIECE = np.dtype("<u2")
"""The number of a wordpiece of the bundled model's tokenizer."""

FIELDS = ("name", "type", "text")
"""The searchable columns of a node, in the order of the token records' field numbers."""


def counted_terms(
    terms: NDArray[np.int64], lengths: Sequence[int] | NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the records (dtype ``TOKEN``) of n nodes by node, field and term, and where those of each begin, (n + 1,).

    ``terms`` are those of all nodes in a row, field by field as in ``FIELDS``; ``lengths``, (3 · n,), says how many
    each field of each node has.
    """
    field_of = np.repeat(np.arange(len(lengths), dtype=np.int64), np.asarray(lengths, np.int64))
    width = np.int64(terms.max(initial=0)) + 1
    keys, counts = np.unique(field_of * width + terms, return_counts=True)
    place, term = np.divmod(keys, width)
    records = np.empty(len(keys), TOKEN)
    records["term"] = term
    records["field"] = place % len(FIELDS)
    records["count"] = np.minimum(counts, np.iinfo(np.uint16).max)
    return records, np.searchsorted(place, np.arange(0, len(lengths) + 1, len(FIELDS)))


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of the graph after a generation: rows to take in and numbers to forget.

    ``since`` is the generation, -1 where these are all rows that there are; ``token`` is the mark of the write that
    made ``generation``; ``embedder`` names what made the vectors, None if they were all brought by callers;
    ``own_share`` is the share of a node's own text in its vector, the rest is its neighbours';
    ``token_counts`` (int64) says how many of the concatenated ``tokens`` (dtype ``TOKEN``) belong to each node;
    ``piece_counts`` (int64) how many of the concatenated ``pieces`` (int32), -1 where they are not stored yet;
    ``vectors`` is (n_with_vector, dimensions) float32 for the nodes at ``with_vector`` (positions in ``nums``);
    the edge arrays are parallel, with ends and types as numbers.
    """

    since: int
    generation: int
    token: str
    embedder: str | None
    own_share: float
    nums: NDArray[np.int64]
    tokens: NDArray[Any]
    token_counts: NDArray[np.int64]
    pieces: NDArray[np.int32]
    piece_counts: NDArray[np.int64]
    vectors: NDArray[np.float32]
    with_vector: NDArray[np.int64]
    edge_nums: NDArray[np.int64]
    edge_sources: NDArray[np.int64]
    edge_targets: NDArray[np.int64]
    edge_types: NDArray[np.int32]
    edge_weights: NDArray[np.float32]
    deleted_nodes: NDArray[np.int64]
    deleted_edges: NDArray[np.int64]

    @property
    def texts(self) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
        """The nodes, their records of terms, and how many each node has."""
        return self.nums, self.tokens, self.token_counts
