"""Where things stand in arrays by node: numbers looked up, and slices of many nodes at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes

Array = Any
"""A numpy array, or one that lies in a file: indexed along the first axis only, which gives a numpy array."""


def places_of(nums: Array, wanted: Nodes) -> NDArray[np.int64]:
    """Return where each wanted number stands in ``nums`` (ascending), (len(wanted),); -1 for those not there."""
    n = len(nums)
    if not n or not len(wanted):
        return np.full(len(wanted), -1, np.int64)
    first = int(nums[:1][0])
    if int(nums[n - 1 : n][0]) - first == n - 1:  # no gaps, as after loading in bulk
        place = wanted - first
        return np.where((place >= 0) & (place < n), place, -1)
    own = nums[:]
    place = np.minimum(np.searchsorted(own, wanted), n - 1)
    found: NDArray[np.int64] = np.where(own[place] == wanted, place, -1)
    return found


def spans(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``starts[i], starts[i] + 1, …`` (``counts[i]`` of them) for every i, one after the other."""
    ends: NDArray[np.int64] = counts.cumsum()
    places: NDArray[np.int64] = (starts - (ends - counts)).repeat(counts)
    places += np.arange(len(places))
    return places


def bounds(counts: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return where parts of these lengths begin, laid one after the other, and where the last ends."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
