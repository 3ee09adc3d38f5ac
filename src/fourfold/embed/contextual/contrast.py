"""InfoNCE: every query shall find its own node among those of the batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.embed.contextual.composition import Floats


def info_nce(
    queries: Floats,
    nodes: Floats,
    own: NDArray[np.int64],
    ignored: NDArray[np.bool_],
    weights: Floats,
    temperature: float,
) -> tuple[float, Floats, Floats]:
    """Return the weighted loss ``−log softmax(queries · nodes / temperature)[own]`` and its gradients by both.

    Args:
        queries: unit vectors, (n, dimensions).
        nodes: unit vectors, (m, dimensions).
        own: for each query the node it shall find, (n,).
        ignored: nodes that are no negatives of a query, for they answer it as well, (n, m).
        weights: what each query counts, (n,).
        temperature: the smaller, the more the nearest wrong nodes count.

    """
    rows = np.arange(len(queries))
    scores = queries @ nodes.T / temperature
    hidden = ignored.copy()
    hidden[rows, own] = False
    scores[hidden] = -np.inf
    scores -= scores.max(axis=1, keepdims=True)
    shares = np.exp(scores)
    totals = shares.sum(axis=1, keepdims=True)
    loss = float(weights @ (np.log(totals[:, 0]) - scores[rows, own]))
    by_score = shares / totals
    by_score[rows, own] -= 1
    by_score *= weights[:, None] / temperature
    return loss, by_score @ nodes, by_score.T @ queries
