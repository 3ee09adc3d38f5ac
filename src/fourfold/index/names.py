"""The names of nodes, to be found word for word in a question: by hashes, in segments.

A name's key is the sum of the hashes of its terms, so that it is made from a node's tokens in any order and compared
with every span of a question by one look-up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Keys, Nodes
from fourfold.index.files import Stored
from fourfold.index.places import Marked
from fourfold.ragged import spans

LONGEST = 12
"""Names of more terms are not looked for in questions."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def name_keys(terms: NDArray[np.int64], counts: NDArray[np.int64], starts: NDArray[np.int64]) -> Keys:
    """Return the key of each name, (n_names,); 0 where there is none.

    Args:
        terms: the numbers of the terms of all names, one name after the other.
        counts: (len(terms),) how often each stands in its name.
        starts: (n_names + 1,) name i has ``terms[starts[i]:starts[i + 1]]``.

    """
    weighed = np.cumsum(hashes(terms) * counts.astype(np.uint64), dtype=np.uint64)
    sums = np.concatenate((np.zeros(1, np.uint64), weighed))
    keys: Keys = sums[starts[1:]] - sums[starts[:-1]]
    return keys


def hashes(terms: NDArray[np.int64]) -> Keys:
    """Return well-mixed 64-bit numbers, (len(terms),) (Steele, Lea & Flood, "SplitMix", 2014)."""
    mixed: Keys = (terms.astype(np.uint64) + np.uint64(2)) * _ODD
    mixed ^= mixed >> np.uint64(30)
    mixed *= _MIX
    mixed ^= mixed >> np.uint64(31)
    return mixed


@dataclass(frozen=True)
class NameSegment(Marked):
    """The names of n nodes, immutable.

    ``nums`` (int64) ascend; ``keys`` (uint64) are those of their names in ascending order, 0 is no name, and ``order``
    (int64) tells the place in ``nums`` of each; ``dead`` (by place) marks what is gone.
    """

    nums: Stored
    keys: Stored
    order: Stored
    dead: NDArray[np.bool_] | None = None

    @classmethod
    def build(cls, nums: Nodes, keys: Keys) -> NameSegment:
        """Return the segment of nodes whose numbers ascend."""
        order = np.argsort(keys, kind="stable")
        return cls(nums, keys[order], order)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to be stored; only of a segment without deleted nodes."""
        return {"nums": self.nums[:], "keys": self.keys[:], "order": self.order[:]}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Stored]) -> NameSegment:
        """Return the segment whose ``arrays`` these are."""
        return cls(arrays["nums"], arrays["keys"], arrays["order"])

    @classmethod
    def merge(cls, segments: Sequence[NameSegment]) -> NameSegment:
        """Return one segment of all nodes that are there."""
        nums = np.concatenate([segment.nums[segment.live()] for segment in segments])
        keys = np.concatenate([segment.by_num()[segment.live()] for segment in segments])
        order = np.argsort(nums, kind="stable")
        return cls.build(nums[order], keys[order])

    def by_num(self) -> Keys:
        """Return the key of each of ``nums``."""
        keys = np.empty(len(self), np.uint64)
        keys[self.order[:]] = self.keys[:]
        return keys

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (place in ``keys``, node) of every node whose name has one of these keys."""
        own = self.keys[:]
        begin = own.searchsorted(keys)
        origin = ((own.take(begin, mode="clip") == keys) & (keys > 0)).nonzero()[0]  # most spans are no name
        begin = begin[origin]
        counts = own.searchsorted(keys[origin], side="right") - begin
        origin, rows = origin.repeat(counts), self.order.take(spans(begin, counts))
        if self.dead is not None:
            alive = ~self.dead[rows]
            origin, rows = origin[alive], rows[alive]
        return origin, self.nums[rows]


class Names:
    """The names of one generation (a ``NamePart``)."""

    def __init__(self, segments: Sequence[NameSegment]) -> None:
        self.segments = tuple(segment for segment in segments if segment.size)

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes), see ``NamePart``."""
        found = [segment.holders(keys) for segment in self.segments]
        if len(found) == 1:  # of one segment they stand in order already
            origin, nodes = found[0]
        else:
            origin = np.concatenate([np.empty(0, np.int64), *(origin for origin, _ in found)])
            nodes = np.concatenate([np.empty(0, np.int64), *(nodes for _, nodes in found)])
            order = np.lexsort((nodes, origin))
            origin, nodes = origin[order], nodes[order]
        return np.searchsorted(origin, np.arange(len(keys) + 1)), nodes
