"""Which nodes stand for all: those at even distances in the order of the ids, which no order of writing changes."""

from __future__ import annotations

import numpy as np


def spread(size: int, count: int) -> list[int]:
    """Return how far each of ``count`` places stands behind the one before, evenly spread over ``size``; ≥ 1 each."""
    places = np.linspace(0, size - 1, min(count, size)).astype(np.int64)
    ahead: list[int] = np.diff(places, prepend=-1).tolist()
    return ahead
