"""Where things stand in arrays by node: numbers looked up, and rows that are gone."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Nodes

Array = Any
"""A numpy array, or one that lies in a file: indexed along the first axis only, which gives a numpy array."""


class Marked:
    """A frozen dataclass of rows by store number, ``nums``, that ascend; what is gone is marked in ``dead``, by row."""

    nums: Any
    dead: NDArray[np.bool_] | None

    def __len__(self) -> int:
        """Return the number of rows, those of what is gone included."""
        return len(self.nums)

    @property
    def size(self) -> int:
        """The number of those that are there."""
        return len(self) - (0 if self.dead is None else int(np.count_nonzero(self.dead)))

    def live(self) -> NDArray[np.int64]:
        """Return the rows of those that are there."""
        return np.arange(len(self)) if self.dead is None else np.nonzero(~self.dead)[0]

    def without(self, nums: NDArray[np.int64]) -> Self:
        """Return the same without what has these numbers."""
        rows, here = ordered.places(self.nums[:], nums)
        rows = rows[here] if self.dead is None else rows[here][~self.dead[rows[here]]]
        if not len(rows):
            return self
        dead = np.zeros(len(self), bool) if self.dead is None else self.dead.copy()
        dead[rows] = True
        return dataclasses.replace(self, dead=dead)  # type: ignore[type-var]


class Places:
    """Where numbers stand in an ascending array of distinct ones."""

    def __init__(self, nums: Array) -> None:
        self._size = n = len(nums)
        self._first = int(nums[:1][0]) if n else 0
        # Without gaps, as after loading in bulk, nothing is looked up.
        self._nums = nums if n and int(nums[n - 1 : n][0]) - self._first >= n else None

    def of(self, wanted: Nodes) -> NDArray[np.int64]:
        """Return where each wanted number stands, (len(wanted),); -1 for those not there."""
        if self._nums is None:
            place: NDArray[np.int64] = np.subtract(wanted, self._first, dtype=np.int64)
            beyond = (place.view(np.uint64) >= self._size).nonzero()[0]  # as is what lies before the first
        else:
            place, here = ordered.places(self._nums[:], wanted)
            beyond = (~here).nonzero()[0]
        if len(beyond):
            place[beyond] = -1
        return place

    def living(self, wanted: Nodes, live: Array) -> NDArray[np.int64]:
        """Return the distinct places, ascending, of the wanted numbers that are there and ``live``, (n,) bool."""
        place = ordered.distinct(self.of(wanted))
        place = place[place >= 0]
        alive: NDArray[np.bool_] = live[:][place]
        return place[alive]
