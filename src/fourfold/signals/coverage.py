"""C: the best re-ordered so that what of the question is not yet covered comes next.

Answers of several parts want passages that complete each other. Greedy, as maximal marginal relevance is (Carbonell &
Goldstein, 1998), but rewarding what a node adds instead of punishing what it repeats:

    next = argmax total(d) · (1 + weight · Σ_t w_t max(0, c_t(d) − covered_t))
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.index.inner_products import row_by_row
from fourfold.types import FloatArray


def reordered(
    totals: FloatArray, covered: NDArray[np.float32], weights: NDArray[np.float32], weight: float
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the order in which the best are told, and what each was worth when it was chosen.

    ``totals`` (n,) are scores, best first; ``covered`` (n, n_asked) is how each covers the question's wordpieces, which
    have ``weights``; ``weight`` says how much covering something new counts.

    Returns:
        order: (n,) places in ``totals``.
        factors: (n,) the factor of each place in ``totals``, at least 1.

    """
    n = len(totals)
    order, factors = np.empty(n, np.int64), np.ones(n)
    told: FloatArray = np.zeros(covered.shape[1], np.float32)
    left, most = totals.copy(), covered.max(axis=0)
    for step in range(n):  # over the few hits of one answer: each choice depends on those before
        # As it is written above: what is told only grows, so gains only fall, to the last bit, and scores descend.
        gain = 1.0 + weight * row_by_row(np.maximum(covered - told, 0.0), weights)
        best = int((left * gain).argmax())
        order[step], factors[best], left[best] = best, gain[best], -np.inf
        told = np.maximum(told, covered[best])
        if not np.count_nonzero(told < most):  # nothing is left to tell: the others follow as they were
            order[step + 1 :] = (-left).argsort(kind="stable")[: n - step - 1]
            break
    return order, factors
