"""Text vector and neighbours → node vector: ``η · text + (1 − η) · mean of the neighbours``, at length one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.embed.contextual.composition import Floats, through_length
from fourfold.lazy import load


def fuse(texts: Floats, means: Floats, linked: NDArray[np.bool_], own_share: float) -> Fused:
    """Return node vectors, (n, dimensions), of length one; a node without neighbours keeps its text's.

    Args:
        texts: the nodes' text vectors, (n, dimensions).
        means: the weighted mean of each node's neighbours, (n, dimensions).
        linked: which nodes have neighbours, (n,).
        own_share: η, from 0 to 1.

    """
    sums = np.where(linked[:, None], own_share * texts + (1 - own_share) * means, texts)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return Fused(linked, own_share, sums / lengths, lengths)


@dataclass(frozen=True)
class Fused:
    """Nodes fused with their neighbours, and what the gradient needs of the way there."""

    linked: NDArray[np.bool_]
    own_share: float
    vectors: Floats
    lengths: Floats

    def gradients(self, upstream: Floats) -> tuple[Floats, Floats]:
        """Return the loss's gradients by texts and by means, given those by the vectors, (n, dimensions)."""
        by_sum = through_length(upstream, self.vectors, self.lengths)
        shares = np.where(self.linked, self.own_share, 1)[:, None].astype(upstream.dtype)
        return shares * by_sum, (1 - shares) * by_sum


class Neighbours:
    """Who is joined to whom, and how strongly.

    ``edges`` (n_edges, 2) are read in both directions; ``weights`` (n_edges,) say how strong each is.
    """

    def __init__(self, edges: NDArray[np.int64], weights: Floats, n_nodes: int) -> None:
        sparse = load("scipy.sparse", "Training an embedder")
        ends = np.concatenate((edges, edges[:, ::-1]))
        matrix = sparse.csr_matrix((np.concatenate((weights, weights)), (ends[:, 0], ends[:, 1])), (n_nodes, n_nodes))
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        self.matrix = matrix
        self._reached = np.concatenate(([0.0], np.cumsum(matrix.data)))

    def sample(self, nodes: NDArray[np.int64], count: int, chance: np.random.Generator) -> NDArray[np.int64]:
        """Draw neighbours with replacement, by weight, (len(nodes), count); -1 where a node has none."""
        start, end = self._reached[self.matrix.indptr[nodes]], self._reached[self.matrix.indptr[nodes + 1]]
        aim = start[:, None] + chance.random((len(nodes), count)) * (end - start)[:, None]
        place = np.searchsorted(self._reached, aim, side="right") - 1
        last = self.matrix.indptr[nodes + 1][:, None] - 1
        place = np.clip(place, self.matrix.indptr[nodes][:, None], np.maximum(last, 0))  # rounding may overstep
        linked = np.broadcast_to((end > start)[:, None], place.shape)
        drawn = np.full(place.shape, -1, np.int64)
        drawn[linked] = self.matrix.indices[place[linked]]
        return drawn

    def joined(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of two lists of nodes are neighbours, (len(left), len(right))."""
        part = self.matrix[left]
        place = np.full(self.matrix.shape[0], -1, np.int64)
        unique, first = np.unique(right, return_inverse=True)
        place[unique] = np.arange(len(unique))
        kept = place[part.indices] >= 0
        rows = np.repeat(np.arange(len(left)), np.diff(part.indptr))[kept]
        dense = np.zeros((len(left), len(unique)), bool)
        dense[rows, place[part.indices[kept]]] = True
        return dense[:, first]
