"""PageRank of the directed simple graph of distinct (source, target) pairs, over nodes that have an edge.

Source: Page, Brin, Motwani & Winograd (1998), iterated as in networkx: uniform start, dangling mass spread evenly,
stop when the L1 change is below N · tolerance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered

DAMPING = 0.85
_ATTEMPTS = ((100, 1e-6), (200, 1e-4))


def pagerank(pairs: NDArray[np.int64], n_nodes: int) -> NDArray[np.float64]:
    """Return the PageRank of every node, (n_nodes,) float64 summing to 1; 0 for nodes without an edge.

    The (source, target) ``pairs``, (n_pairs, 2), are distinct.
    """
    scores = np.zeros(n_nodes)
    if not len(pairs):
        return scores
    members, flat = ordered.numbered(pairs.reshape(-1))
    n = len(members)
    ends = flat.reshape(pairs.shape)
    out_degree = np.bincount(ends[:, 0], minlength=n)
    share = 1.0 / out_degree[ends[:, 0]]
    dangling = out_degree == 0
    for iterations, tolerance in _ATTEMPTS:
        rank, converged = _iterate(ends, share, dangling, iterations, tolerance)
        if converged:
            break
    scores[members] = rank
    return scores


def _iterate(
    ends: NDArray[np.int64],
    share: NDArray[np.float64],
    dangling: NDArray[np.bool_],
    iterations: int,
    tolerance: float,
) -> tuple[NDArray[np.float64], bool]:
    n = len(dangling)
    rank = np.full(n, 1.0 / n)
    for _ in range(iterations):
        last = rank
        passed = np.bincount(ends[:, 1], share * last[ends[:, 0]], n)
        rank = DAMPING * (passed + last[dangling].sum() / n) + (1.0 - DAMPING) / n
        if np.abs(rank - last).sum() < n * tolerance:
            return rank, True
    return rank, False
