"""Raw scores → [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.types import FloatArray


def by_maximum(raw: FloatArray) -> FloatArray:
    """Divide by the largest; all zeros stay zeros."""
    top = raw.max(initial=0.0)
    return raw / top if top > 0 else np.zeros_like(raw)


def min_max(raw: FloatArray) -> FloatArray:
    """Return (raw − min) / (max − min); one value, or all equal, become 1."""
    low, high = raw.min(initial=np.inf), raw.max(initial=-np.inf)
    return (raw - low) / (high - low) if high > low else np.ones_like(raw)


def keep_best(raw: FloatArray, count: int, mask: NDArray[np.bool_] | None) -> FloatArray:
    """Return the scores with all but the ``count`` best positive ones of the masked-in nodes set to 0."""
    allowed = raw if mask is None else np.where(mask, raw, 0.0)
    kept = np.zeros_like(raw)
    best = top_positions(allowed, count)
    kept[best] = raw[best]
    return kept


def standard_scores(raw: FloatArray, *, background: int, population: int | None = None) -> FloatArray:
    """Return how many standard deviations each score stands above the mean; negatives become 0.

    Args:
        raw: (n,) scores.
        background: imaginary nodes of score 0 that also count, so that one node alone has a score.
        population: how many of the n nodes count; the others have a raw score of 0.

    """
    size = (len(raw) if population is None else population) + background
    mean = raw.sum(dtype=np.float64) / size
    scores = raw - raw.dtype.type(mean)
    # around the mean, not E[x²] − mean²: that difference drowns in float32 where all scores are close together
    variance = (float(np.dot(scores, scores)) + (size - len(raw)) * mean * mean) / size
    if not variance > 0:
        return np.zeros_like(raw)
    scores *= raw.dtype.type(1.0 / np.sqrt(variance))
    return np.maximum(scores, 0.0, out=scores)


def top_positions(scores: FloatArray, count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` largest positive scores and of all that tie with the last; unordered."""
    n = len(scores)
    if count <= 0 or n == 0:
        return np.empty(0, np.int64)
    if n > count:
        threshold = scores[np.argpartition(scores, n - count)[n - count]]
        return np.nonzero((scores >= threshold) & (scores > 0))[0] if threshold > 0 else np.nonzero(scores > 0)[0]
    return np.nonzero(scores > 0)[0]
