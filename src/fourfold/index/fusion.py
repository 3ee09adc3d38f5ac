"""Node vectors that know their neighbours: ``η · text + (1 − η) · mean of the neighbours``, at length one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fourfold.embed.contextual.fusion import fuse
from fourfold.index.adjacency import Adjacency
from fourfold.types import FloatArray


def fused(
    matrix: NDArray[np.float32], adjacency: Adjacency, type_weights: FloatArray, own_share: float
) -> NDArray[np.float32]:
    """Return the unit vectors mixed with those of their neighbours in both directions; the same array for η = 1.

    Args:
        matrix: unit vectors of the nodes' texts, (n_nodes, dimensions); zero rows where there is no vector.
        adjacency: the edges; those of a node to itself and to nodes without a vector do not count.
        type_weights: the weight of an edge by its type, (n_types,), multiplied by its own.
        own_share: η, from 0 to 1.

    """
    if own_share >= 1 or not len(adjacency) or not matrix.size:
        return matrix
    n = adjacency.n_nodes
    weights = (type_weights[adjacency.types] * adjacency.weights).astype(np.float32)
    weights[adjacency.sources == adjacency.targets] = 0
    has_vector = matrix.any(axis=1)
    links = sparse.csr_matrix((weights, (adjacency.sources, adjacency.targets)), shape=(n, n))
    links = (links + links.T) @ sparse.diags(has_vector.astype(np.float32))
    totals = np.asarray(links.sum(axis=1)).ravel()
    mixed = np.nonzero(has_vector & (totals > 0))[0]
    vectors = matrix.copy()
    means = (links[mixed] @ matrix) / totals[mixed, None]
    vectors[mixed] = fuse(matrix[mixed], means, np.ones(len(mixed), bool), own_share).vectors
    return vectors
