"""Raw scores → [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.types import FloatArray

_BLOCK = 128


def by_maximum(raw: FloatArray) -> FloatArray:
    """Divide by the largest; all zeros stay zeros."""
    top = raw.max(initial=0.0)
    return raw / top if top > 0 else np.zeros_like(raw)


def min_max(raw: FloatArray) -> FloatArray:
    """Return (raw − min) / (max − min); one value, or all equal, become 1."""
    low, high = raw.min(initial=np.inf), raw.max(initial=-np.inf)
    return (raw - low) / (high - low) if high > low else np.ones_like(raw)


def standard_scores(raw: FloatArray, *, background: int, population: int | None = None) -> FloatArray:
    """Return how many standard deviations each score stands above the mean; negatives become 0.

    Args:
        raw: (n,) scores.
        background: imaginary nodes of score 0 that also count, so that one node alone has a score.
        population: how many of the n nodes count; the others have a raw score of 0.

    """
    size = (len(raw) if population is None else population) + background
    mean = float(raw.sum()) / size
    scores = raw - raw.dtype.type(mean)
    # around the mean, not E[x²] − mean²: that difference drowns in float32 where all scores are close together
    variance = (float(np.dot(scores, scores)) + (size - len(raw)) * mean * mean) / size
    if not variance > 0:
        return np.zeros_like(raw)
    scores *= raw.dtype.type(1.0 / np.sqrt(variance))
    return np.maximum(scores, 0.0, out=scores)


def top_positions(scores: FloatArray, count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` largest positive scores and of all that tie with the last; ascending.

    The ``count`` best block maxima bound the ``count`` best scores from below, so only what reaches that bound has to
    be ranked: much less than a partition of all.
    """
    if count <= 0:
        return np.empty(0, np.int64)
    blocks = len(scores) // _BLOCK
    if blocks < 2 * count:
        found = np.nonzero(scores > 0)[0]
    else:
        maxima = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        bound = max(np.partition(maxima, blocks - count)[blocks - count], np.finfo(scores.dtype).tiny)
        found = np.nonzero(scores >= bound)[0]
    if len(found) <= count:
        return found
    values = scores[found]
    best: NDArray[np.int64] = found[values >= np.partition(values, len(found) - count)[len(found) - count]]
    return best
