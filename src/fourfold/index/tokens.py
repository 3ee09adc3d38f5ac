"""The token part: the distinct wordpieces of each node, for late interaction, and how many nodes hold each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes
from fourfold.index.places import Array, Places
from fourfold.ragged import bounds, spans

_AT_ONCE = 1 << 14
"""So many nodes are merged at once: a place for each piece of a million takes gigabytes."""
_FEW_PIECES = 1 << 16


@dataclass(frozen=True, eq=False)
class TokenSegment:
    """The wordpieces of n nodes, immutable; made by ``build`` or ``merge``.

    Args:
        nums: (n,) int64 store numbers, ascending.
        live: (n,) bool, False where a node was deleted or replaced.
        starts: (n + 1,) int64; node i has ``pieces[starts[i]:starts[i + 1]]``.
        pieces: wordpieces, distinct and ascending within a node; uint16 where the numbers fit, else int32.
        counts: (largest piece + 1,) int32, how many live nodes hold each piece.

    """

    nums: Array
    live: Array
    starts: Array
    pieces: Array
    counts: Array

    def __len__(self) -> int:
        """Return the number of nodes, deleted ones included."""
        return len(self.nums)

    @property
    def size(self) -> int:
        """The number of nodes that are there."""
        return int(np.count_nonzero(self.live[:]))

    @classmethod
    def build(cls, nums: Nodes, starts: NDArray[np.int64], pieces: NDArray[np.integer[Any]]) -> Self:
        """Return a segment of nodes whose pieces are distinct and ascending already."""
        counts = np.bincount(pieces).astype(np.int32)
        return cls(
            np.asarray(nums, np.int64),
            np.ones(len(nums), bool),
            np.asarray(starts, np.int64),
            np.asarray(pieces).astype(_narrow(counts)),
            counts,
        )

    @classmethod
    def merge(cls, segments: Sequence[Self]) -> Self:
        """Return one segment with the live nodes of several (at least one); their nodes must differ."""
        kept = [np.flatnonzero(segment.live[:]) for segment in segments]
        nums = np.concatenate([segment.nums[:][rows] for segment, rows in zip(segments, kept, strict=True)])
        lengths = np.concatenate([np.diff(s.starts[:])[rows] for s, rows in zip(segments, kept, strict=True)])
        order = np.argsort(nums)
        starts = bounds(lengths[order])
        begin = np.empty(len(order), np.int64)
        begin[order] = starts[:-1]
        counts = np.zeros(max(len(segment.counts) for segment in segments), np.int32)
        for segment in segments:
            counts[: len(segment.counts)] += segment.counts[:]
        counts = np.trim_zeros(counts, "b")
        pieces = np.empty(int(starts[-1]), _narrow(counts))
        done = 0
        for segment, rows in zip(segments, kept, strict=True):
            for first in range(0, len(rows), _AT_ONCE):
                own, found = segment.of(rows[first : first + _AT_ONCE])
                pieces[spans(begin[done : done + len(own) - 1], np.diff(own))] = found
                done += len(own) - 1
        return cls(nums[order], np.ones(len(nums), bool), starts, pieces, counts)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Self:
        """Return the segment whose ``arrays()`` these are; they may lie in files."""
        return cls(**{field.name: arrays[field.name] for field in dataclasses.fields(cls)})

    def arrays(self) -> dict[str, Array]:
        """Return everything the segment consists of; ``without`` replaces ``live`` and ``counts`` only."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def without(self, nums: Nodes) -> Self:
        """Return the segment with these nodes deleted; numbers that it does not have are left out."""
        rows = self.places.living(nums, self.live)
        if not len(rows):
            return self
        live = self.live[:].copy()
        live[rows] = False
        counts = self.counts[:] - np.bincount(self.of(rows)[1], minlength=len(self.counts)).astype(np.int32)
        return dataclasses.replace(self, live=live, counts=counts)

    @cached_property
    def places(self) -> Places:
        """Where store numbers stand in ``nums``."""
        return Places(self.nums)

    def of(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return (starts, pieces) of the nodes at some places."""
        begins = self.starts.take(rows)
        counts = self.starts.take(rows + 1) - begins
        return bounds(counts), self.pieces.take(spans(begins, counts))


def _narrow(counts: NDArray[np.int32]) -> type[np.integer[Any]]:
    """Return what holds each piece."""
    return np.uint16 if len(counts) <= _FEW_PIECES else np.int32


class Tokens:
    """The wordpieces of one generation; see ``index.base.TokenPart``.

    The nodes of the segments must differ.
    """

    def __init__(self, segments: Sequence[TokenSegment]) -> None:
        self._segments = [(segment, None if segment.size == len(segment) else segment.live[:]) for segment in segments]
        self._counts = np.zeros(max((len(segment.counts) for segment in segments), default=0), np.int64)
        self.size = 0
        """How many nodes live, those without any piece included."""
        for segment in segments:
            self._counts[: len(segment.counts)] += segment.counts[:]
            self.size += segment.size

    def of(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return (starts, pieces): node i has ``pieces[starts[i]:starts[i + 1]]``, distinct and ascending.

        None for a node that is not there.
        """
        counts = np.zeros(len(nodes), np.int64)
        found = []
        for segment, live in self._segments:
            places = segment.places.of(nodes)
            known = (places >= 0).nonzero()[0]
            if live is not None:
                known = known[live[places[known]]]
            if len(known) == len(nodes):
                return segment.of(places)
            starts, pieces = segment.of(places[known])
            counts[known] = np.diff(starts)
            found.append((known, pieces))
        ends = bounds(counts)
        all_pieces = np.empty(ends[-1], np.int32)
        for known, pieces in found:
            all_pieces[spans(ends[known], counts[known])] = pieces
        return ends, all_pieces

    def frequency(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many live nodes each wordpiece occurs, (len(pieces),); 0 for unknown ones."""
        found = np.zeros(len(pieces), np.int64)
        known = (pieces >= 0) & (pieces < len(self._counts))
        found[known] = self._counts[pieces[known]]
        return found
