"""Typed edges in segments: who leads where, along which type, in both directions.

One question touches the edges of a few nodes only; ``expand`` gathers them without a loop over nodes or edges. A node
is known by its store number, so replacing a node leaves its edges as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes, Steps, weighed
from fourfold.index.files import Stored
from fourfold.types import FloatArray

_ENDS = ("sources", "targets")
_REMEMBERED_HUBS = 4096


@dataclass(frozen=True)
class EdgeSegment:
    """Some edges, grouped by either end. Immutable; edges that are gone are marked in ``dead``.

    ``nums`` (int64, ascending: the edges' store numbers), ``sources``, ``targets`` (int64, nodes), ``types`` (int32)
    and ``weights`` (float32) are parallel, (n,). For each end, ``keys`` are the distinct nodes there, ascending; the
    edges of ``keys[i]`` are the rows ``order[starts[i]:starts[i + 1]]``.
    """

    nums: Stored
    sources: Stored
    targets: Stored
    types: Stored
    weights: Stored
    groups: Mapping[str, tuple[Stored, Stored, Stored]]
    dead: NDArray[np.bool_] | None = None

    @classmethod
    def build(
        cls,
        nums: NDArray[np.int64],
        sources: Nodes,
        targets: Nodes,
        types: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> EdgeSegment:
        """Group edges given in any order."""
        by_num = np.argsort(nums, kind="stable")
        nums, sources, targets = nums[by_num], sources[by_num], targets[by_num]
        groups = {}
        for name, ends in zip(_ENDS, (sources, targets), strict=True):
            order = np.argsort(ends, kind="stable")
            keys, first = np.unique(ends[order], return_index=True)
            groups[name] = (
                keys,
                np.append(first, len(ends)),
                order.astype(np.int32 if len(ends) < 2**31 else np.int64),
            )
        return cls(nums, sources, targets, types[by_num], weights[by_num], groups)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to be stored; only of a segment without dead edges."""
        plain = {name: getattr(self, name)[:] for name in ("nums", "sources", "targets", "types", "weights")}
        parts = ("keys", "starts", "order")
        grouped = {
            f"{end}.{part}": array[:]
            for end, group in self.groups.items()
            for part, array in zip(parts, group, strict=True)
        }
        return {**plain, **grouped}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Stored]) -> EdgeSegment:
        """Return the segment whose ``arrays`` these are."""
        groups = {end: tuple(arrays[f"{end}.{part}"] for part in ("keys", "starts", "order")) for end in _ENDS}
        plain = {name: arrays[name] for name in ("nums", "sources", "targets", "types", "weights")}
        return cls(**plain, groups=groups)  # type: ignore[arg-type]

    def __len__(self) -> int:
        """Return the number of edges, deleted ones included."""
        return len(self.nums)

    @property
    def size(self) -> int:
        """The number of edges that are there."""
        return len(self.nums) - (0 if self.dead is None else int(self.dead.sum()))

    def without(self, nums: NDArray[np.int64]) -> EdgeSegment:
        """Return the segment without the edges of these store numbers."""
        if not len(nums) or not len(self.nums):
            return self
        own = self.nums[:]
        place = np.minimum(np.searchsorted(own, nums), len(own) - 1)
        place = place[own[place] == nums]
        if not len(place):
            return self
        dead = np.zeros(len(own), bool) if self.dead is None else self.dead.copy()
        dead[place] = True
        return replace(self, dead=dead)

    def live(self) -> NDArray[np.int64]:
        """Return the rows of the edges that are there."""
        return np.arange(len(self.nums)) if self.dead is None else np.nonzero(~self.dead)[0]

    def rows_at(self, nodes: Nodes, end: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (place in ``nodes``, row) of every live edge that has one of these nodes at an end."""
        keys, starts, order = self.groups[end]
        known = keys[:]
        if not len(known) or not len(nodes):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        group = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
        here = np.nonzero(known[group] == nodes)[0]
        group = group[here]
        begin = starts[group]
        count = starts[group + 1] - begin
        origin = np.repeat(here, count)
        before = np.cumsum(count) - count
        rows = order[np.arange(int(count.sum())) + np.repeat(begin - before, count)].astype(np.int64)
        if self.dead is not None:
            alive = ~self.dead[rows]
            origin, rows = origin[alive], rows[alive]
        return origin, rows


def merge(segments: Sequence[EdgeSegment]) -> EdgeSegment:
    """Return one segment of all edges that are there."""
    rows = [segment.live() for segment in segments]
    columns = (
        np.concatenate([getattr(segment, name)[own] for segment, own in zip(segments, rows, strict=True)])
        for name in ("nums", "sources", "targets", "types", "weights")
    )
    return EdgeSegment.build(*columns)


class Edges:
    """All edges of one generation (an ``EdgePart``).

    Args:
        segments: their edges.
        type_names: every edge type ever used; the place is the type's number.
        ids: nodes → their ids, by which equally strong edges of a hub are told apart.

    """

    def __init__(
        self, segments: Sequence[EdgeSegment], type_names: Sequence[str], ids: Callable[[Nodes], Sequence[str]]
    ) -> None:
        self.segments = tuple(segment for segment in segments if segment.size)
        self.type_names = tuple(type_names)
        self._ids = ids
        self._hubs: dict[tuple[int, bool, bytes, str, int], NDArray[np.bool_]] = {}

    @cached_property
    def _size(self) -> int:
        return sum(segment.size for segment in self.segments)

    def __len__(self) -> int:
        return self._size

    @cached_property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the edge types that have an edge."""
        found = (np.unique(segment.types[:][segment.live()]).tolist() for segment in self.segments)
        return frozenset(number for numbers in found for number in numbers)

    def expand(
        self,
        nodes: Nodes,
        *,
        forward: bool,
        worth: FloatArray | None = None,
        weights: str = "raw",
        cap: int | None = None,
    ) -> Steps:
        """Return the steps from these nodes in one direction; see ``EdgePart.expand``."""
        end, other = _ENDS if forward else _ENDS[::-1]
        found: list[tuple[NDArray[Any], ...]] = []
        for segment in self.segments:
            origin, rows = segment.rows_at(nodes, end)
            if len(rows):
                factors = weighed(segment.weights[rows], weights)
                found.append((origin, getattr(segment, other)[rows], segment.types[rows], factors))
        if not found:
            none = np.empty(0, np.int64)
            return Steps(none, none, none.astype(np.int32), none.astype(np.float32), forward)
        origin, targets, types, factors = (
            found[0] if len(found) == 1 else tuple(map(np.concatenate, zip(*found, strict=True)))
        )
        if worth is not None and not worth.all():
            used = worth[types] > 0
            origin, targets, types, factors = origin[used], targets[used], types[used], factors[used]
        if cap is not None and len(origin) > cap:
            steps = Steps(origin, targets, types, factors, forward)
            kept = self._strongest(nodes, steps, worth, weights, cap)
            if kept is not None:
                origin, targets, types, factors = origin[kept], targets[kept], types[kept], factors[kept]
        return Steps(origin, targets, types, factors, forward)

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions, (len(nodes),)."""
        degree = np.zeros(len(nodes), np.int64)
        for segment in self.segments:
            for end in _ENDS:
                if segment.dead is None:
                    keys, starts, _ = segment.groups[end]
                    known = keys[:]
                    group = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
                    degree += np.where(known[group] == nodes, starts[group + 1] - starts[group], 0)
                else:
                    origin, _ = segment.rows_at(nodes, end)
                    degree += np.bincount(origin, minlength=len(nodes))
        return degree

    def _strongest(
        self, nodes: Nodes, steps: Steps, worth: FloatArray | None, weights: str, cap: int
    ) -> NDArray[np.bool_] | None:
        """Return which steps stay when each node keeps its ``cap`` best; None where all do. Ties go to smaller ids."""
        origin = steps.origin
        hubs = np.nonzero(np.bincount(origin, minlength=len(nodes)) > cap)[0]
        if not len(hubs):
            return None
        kept = np.ones(len(origin), bool)
        for hub in hubs.tolist():
            own = np.nonzero(origin == hub)[0]
            key = (int(nodes[hub]), steps.forward, b"" if worth is None else worth.tobytes(), weights, cap)
            mask = self._hubs.get(key)
            if mask is None:
                value = steps.weights[own].astype(np.float64)
                if worth is not None:
                    value *= worth[steps.types[own]]
                least = np.partition(value, len(value) - cap)[len(value) - cap]
                mask = value > least
                tied = np.nonzero(value == least)[0]
                room = cap - int(mask.sum())
                if len(tied) > room:
                    ids = self._ids(steps.targets[own[tied]])
                    names = [self.type_names[number] for number in steps.types[own[tied]].tolist()]
                    first = sorted(range(len(tied)), key=lambda place: (ids[place], names[place]))  # noqa: B023
                    tied = tied[first[:room]]
                mask[tied] = True
                if len(self._hubs) >= _REMEMBERED_HUBS:
                    self._hubs.clear()
                self._hubs[key] = mask
            kept[own] = mask
        return kept

    def pairs(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs of nodes, (n_pairs, 2), sorted."""
        columns = []
        for segment in self.segments:
            rows = segment.live()
            columns.append(np.stack((segment.sources[:][rows], segment.targets[:][rows]), axis=1))
        return np.unique(np.concatenate(columns), axis=0) if columns else np.empty((0, 2), np.int64)
