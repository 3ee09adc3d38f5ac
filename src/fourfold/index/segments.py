"""Immutable segments with tombstones: a write adds a small one and marks what it replaces; merging makes fewer of them.

As in Lucene. Only the sum of a part's segments is ever asked, so how they are cut changes no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

MERGED_AT_ONCE = 4096
"""Rows up to which segments are merged by the write itself; larger ones wait for the compaction in the background."""


class Segment(Protocol):
    """Some rows of a part."""

    def __len__(self) -> int:
        """Return the number of rows, deleted ones included."""

    @property
    def size(self) -> int:
        """The number of live rows."""

    def without(self, nums: NDArray[np.int64]) -> Self:
        """Return the segment without the rows of these store numbers."""


S = TypeVar("S", bound=Segment)


def grown(segments: Sequence[S], gone: NDArray[np.int64], added: S, merge: Callable[[Sequence[S]], S]) -> tuple[S, ...]:
    """Return the segments after a write: ``gone`` marked, ``added`` appended, small ones merged into one another.

    Each merge at least doubles a segment, so a row is moved a logarithmic number of times.
    """
    kept = [segment.without(gone) for segment in segments] if len(gone) else list(segments)
    kept = [segment for segment in kept if segment.size]
    if len(added):
        kept.append(added)
    while len(kept) > 1 and kept[-2].size <= 2 * len(kept[-1]) and kept[-2].size + len(kept[-1]) <= MERGED_AT_ONCE:
        kept[-2:] = [merge(kept[-2:])]
    return tuple(kept)
