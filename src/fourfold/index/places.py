"""Where things stand in arrays by node: numbers looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index import ordered
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
        place[(place < 0) | (place >= n)] = -1
        return place
    place, here = ordered.places(nums[:], wanted)
    place[~here] = -1
    return place
