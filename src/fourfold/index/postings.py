"""Postings: for every term, the nodes that hold it and what the term is worth in each of them (BM25).

Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), in the variant of the method:
``idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl))`` with ``idf = ln((N − df + 0.5)/(df + 0.5) + 1)``.
The worth is computed once per generation, so a query only adds slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fourfold.config import TextField
from fourfold.index.changes import FIELDS


@dataclass(frozen=True, slots=True)
class Postings:
    """Terms × nodes in column order: the entries of term t are ``starts[t]:starts[t+1]``.

    ``nodes`` (int32) are positions in the index, ascending within a term; ``worth`` (float32) is the weighted BM25
    of the term in the node.
    """

    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    worth: NDArray[np.float32]

    def of(self, term: int) -> slice:
        """Return the entries of a term; an unknown number has none."""
        if not 0 <= term < len(self.starts) - 1:
            return slice(0, 0)
        return slice(int(self.starts[term]), int(self.starts[term + 1]))


def build_postings(
    tokens: NDArray[np.void],
    token_counts: NDArray[np.int64],
    fields: Sequence[TextField],
    *,
    k1: float,
    b: float,
) -> Postings:
    """Weigh every term of every node.

    Args:
        tokens: concatenated records of dtype ``store.TOKEN``, node by node.
        token_counts: (n_nodes,) records per node.
        fields: which columns are read together, and how much each reading counts.
        k1: saturation of the term frequency.
        b: strength of the length normalisation.

    """
    n_nodes = len(token_counts)
    n_terms = int(tokens["term"].max()) + 1 if len(tokens) else 0
    total: sparse.csr_matrix | None = None
    for reading in fields:
        weighed = _bm25(tokens, token_counts, reading.columns, (n_nodes, n_terms), k1, b)
        weighed.data *= np.float32(reading.weight)
        total = weighed if total is None else total + weighed
    if total is None or n_nodes == 0 or n_terms == 0:
        return Postings(np.zeros(n_terms + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
    columns = total.tocsc()
    return Postings(columns.indptr.astype(np.int64), columns.indices.astype(np.int32, copy=False), columns.data)


def _bm25(
    tokens: NDArray[np.void],
    token_counts: NDArray[np.int64],
    columns: Sequence[str],
    shape: tuple[int, int],
    k1: float,
    b: float,
) -> sparse.csr_matrix:
    """Return (n_nodes, n_terms) BM25 worths over the named columns read as one text."""
    numbers = [FIELDS.index(column) for column in columns]
    starts = np.concatenate(([0], np.cumsum(token_counts)))
    if len(numbers) < len(FIELDS):
        chosen = np.isin(tokens["field"], numbers)
        starts = np.concatenate(([0], np.cumsum(chosen)))[starts]
        tokens = tokens[chosen]
    matrix = sparse.csr_matrix(
        (tokens["count"].astype(np.float32), tokens["term"].astype(np.int32), starts.astype(np.int64)), shape=shape
    )
    matrix.sum_duplicates()
    lengths = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    average = lengths.mean() if len(lengths) else 0.0
    frequency = np.bincount(matrix.indices, minlength=shape[1]).astype(np.float64)
    idf = np.log((shape[0] - frequency + 0.5) / (frequency + 0.5) + 1.0)
    norm = k1 * (1.0 - b + b * lengths / average) if average else np.full(shape[0], k1)
    tf = matrix.data
    per_node = np.repeat(norm.astype(np.float32), np.diff(matrix.indptr))
    matrix.data = idf.astype(np.float32)[matrix.indices] * tf * np.float32(k1 + 1.0) / (tf + per_node)
    return matrix
