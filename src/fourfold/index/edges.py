"""Typed edges in segments: who leads where, along which type, in both directions.

One question touches the edges of a few nodes only; ``expand`` gathers them without a loop over nodes or edges. A node
is known by its store number, so replacing a node leaves its edges as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Allowed, Nodes, Steps, weighed, worth_of
from fourfold.index.files import Stored
from fourfold.index.id_order import IdOrder
from fourfold.index.places import Marked, Places
from fourfold.lazy import lazy
from fourfold.ragged import firsts, spans
from fourfold.types import FloatArray

_PLAIN = ("nums", "sources", "targets", "types", "weights")
_GROUPS = ("keys", "starts", "order")
_REMEMBERED_NODES, _REMEMBERED_EDGES = 2, 1 << 16
"""Of the sets of nodes asked for last, the seeds and what they reach: where they have no more edges than that."""


@dataclass(frozen=True)
class EdgeSegment(Marked):
    """Some edges, grouped by both ends. Immutable; edges that are gone are marked in ``dead``.

    ``nums`` (int64, ascending: the edges' store numbers), ``sources``, ``targets`` (int64, nodes), ``types`` (int32)
    and ``weights`` (float32) are parallel, (n,). ``keys`` are the distinct nodes, ascending; the edges of ``keys[i]``
    are ``order[starts[i]:starts[i + 1]]``: a row where the node is the source, ``~row`` where it is the target.
    """

    nums: Stored
    sources: Stored
    targets: Stored
    types: Stored
    weights: Stored
    keys: Stored
    starts: Stored
    order: Stored
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
        ends = np.concatenate((sources, targets))
        order = np.argsort(ends, kind="stable")
        ends = ends[order]
        first = firsts(ends).nonzero()[0]
        rows = np.where(order < len(nums), order, ~(order - len(nums)))
        return cls(
            nums,
            sources,
            targets,
            types[by_num],
            weights[by_num],
            ends[first],
            np.append(first, len(ends)),
            rows.astype(np.int32 if len(nums) < 2**31 else np.int64),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to be stored; only of a segment without dead edges."""
        return {name: getattr(self, name)[:] for name in (*_PLAIN, *_GROUPS)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Stored]) -> EdgeSegment:
        """Return the segment whose ``arrays`` these are."""
        return cls(**{name: arrays[name] for name in (*_PLAIN, *_GROUPS)})  # type: ignore[arg-type]

    def without(self, nums: NDArray[np.int64]) -> Self:
        """Return the segment without the edges of these store numbers."""
        left = super().without(nums)
        counts, dead = vars(self).get("_of_type"), left.dead
        if counts is not None and left is not self and dead is not None:  # of millions of edges they are counted once
            gone = (dead if self.dead is None else dead & ~self.dead).nonzero()[0]
            vars(left)["_of_type"] = counts - np.bincount(self.types[gone], minlength=len(counts))
        return left

    @cached_property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the types of its edges; known for all generations that have the segment."""
        return frozenset(self._of_type.nonzero()[0].tolist())

    @cached_property
    def _of_type(self) -> NDArray[np.int64]:
        """How many of its edges are of each type."""
        return np.bincount(self.types[:] if self.dead is None else self.types[:][~self.dead])

    @cached_property
    def _places(self) -> Places:
        return Places(self.keys)

    def around(self, nodes: Nodes) -> _Around:
        """Return where the edges at some nodes lie, of either direction."""
        group = self._places.of(nodes)
        known = (group >= 0).nonzero()[0]
        if len(known) < len(nodes):
            group = group[known]
        begin = self.starts.take(group)
        return _Around(self, len(nodes), known, begin, self.starts.take(group + 1) - begin)


class _Around:
    """The edges at some nodes in one segment.

    Args:
        segment: their edges.
        size: how many nodes were asked for.
        known: places, among these, of the nodes that have edges here.
        begin: (len(known),) where the edges of each begin in ``segment.order``.
        counts: (len(known),) how many there are, dead ones included.

    """

    def __init__(
        self,
        segment: EdgeSegment,
        size: int,
        known: NDArray[np.intp],
        begin: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        self.segment = segment
        self._size, self._known, self._begin, self._counts = size, known, begin, counts

    def __len__(self) -> int:
        return int(self._counts.sum())

    @lazy
    def steps(self) -> Steps:
        """The steps along every live edge, with the edges' own weights."""
        segment = self.segment
        origin = self._known.repeat(self._counts)
        order = segment.order.take(spans(self._begin, self._counts))
        if segment.dead is not None:
            alive = ~segment.dead[np.maximum(order, ~order)]
            origin, order = origin[alive], order[alive]
        rows, along = np.maximum(order, ~order), order >= 0  # one of the two is below 0
        targets = np.where(along, segment.targets.take(rows), segment.sources.take(rows))
        return Steps(origin, targets, segment.types.take(rows), segment.weights.take(rows), along)

    @lazy
    def degree(self) -> NDArray[np.int64]:
        """The number of live edges at each node, both directions."""
        if self.segment.dead is not None:
            return np.bincount(self.steps.origin, minlength=self._size)
        found = np.zeros(self._size, np.int64)
        found[self._known] = self._counts
        return found


def merge(segments: Sequence[EdgeSegment]) -> EdgeSegment:
    """Return one segment of all edges that are there."""
    rows = [segment.live() for segment in segments]
    columns = (
        np.concatenate([getattr(segment, name)[own] for segment, own in zip(segments, rows, strict=True)])
        for name in _PLAIN
    )
    return EdgeSegment.build(*columns)


class Edges:
    """All edges of one generation (an ``EdgePart``).

    ``ids`` tell equally strong edges of a hub apart; ``before`` are those of an older generation, which has read them:
    most writes leave a hub as it is, or add an edge to it.
    """

    def __init__(
        self,
        segments: Sequence[EdgeSegment],
        type_names: Sequence[str],
        ids: Callable[[Nodes], Sequence[str]],
        before: Edges | None = None,
    ) -> None:
        self.segments = tuple(segment for segment in segments if segment.size)
        self.type_names = tuple(type_names)
        self._ids = ids
        self._asked_last: tuple[tuple[Nodes, list[_Around]], ...] = ()
        self._orders: dict[int, IdOrder] = {} if before is None else before._orders
        """Of each hub that was asked for, the order of the ids at the other ends of its edges."""

    def same_as(self, other: object) -> bool:
        """Whether nothing was written to any edge between the two: they have the same segments and types."""
        if not isinstance(other, Edges) or self.type_names != other.type_names:
            return False
        return len(self.segments) == len(other.segments) and all(map(operator.is_, self.segments, other.segments))

    @cached_property
    def _size(self) -> int:
        return sum(segment.size for segment in self.segments)

    def __len__(self) -> int:
        return self._size

    @cached_property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the edge types that have an edge."""
        return frozenset[int]().union(*(segment.types_in_use for segment in self.segments))

    def expand(
        self,
        nodes: Nodes,
        *,
        forward: bool | None = None,
        worth: FloatArray | None = None,
        weights: str = "raw",
        cap: int | None = None,
        allowed: Allowed | None = None,
    ) -> Steps:
        """Return the steps from these nodes; see ``EdgePart.expand``."""
        found = [_steps(around, forward, worth, weights) for around in self._around(nodes)]
        steps = found[0] if len(found) == 1 else Steps.joined(found)
        kept = None if allowed is None else allowed.contains(steps.targets)
        if cap is not None and len(steps) > cap:
            kept = self._strongest(nodes, steps, worth, weights, cap, kept)
        return steps if kept is None else steps.of(kept)

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions, (len(nodes),)."""
        found = [around.degree for around in self._around(nodes)]
        return found[0] if len(found) == 1 else sum(found, np.zeros(len(nodes), np.int64))

    def _around(self, nodes: Nodes) -> list[_Around]:
        """Return the edges at some nodes by segment; remembered: walks ask for the same nodes again and again.

        The second hops of two walks begin at the same nodes, too, where both follow all types.
        """
        for known, found in self._asked_last:
            if known is nodes or (len(known) == len(nodes) and not np.count_nonzero(known != nodes)):
                return found
        found = [segment.around(nodes) for segment in self.segments]
        if sum(map(len, found)) <= _REMEMBERED_EDGES:
            self._asked_last = (nodes, found), *self._asked_last[: _REMEMBERED_NODES - 1]
        return found

    def _strongest(
        self,
        nodes: Nodes,
        steps: Steps,
        worth: FloatArray | None,
        weights: str,
        cap: int,
        passing: NDArray[np.bool_] | None,
    ) -> NDArray[np.bool_] | None:
        """Return which steps stay when each node keeps its ``cap`` best of each direction; None where all do.

        Ties go to smaller ids. Steps that are not ``passing`` a filter are not counted.
        """
        ways = 2 * steps.origin + steps.along
        counted = ways if passing is None else ways[passing]
        hubs = (np.bincount(counted) > cap).nonzero()[0]
        if not len(hubs):
            return passing
        kept = np.ones(len(ways), bool) if passing is None else passing.copy()
        for hub in hubs.tolist():
            own = ((ways == hub) & kept).nonzero()[0]
            node = int(nodes[hub // 2])
            tied = partial(self._told_apart, node, steps, own)
            kept[own] = ordered.largest(_values(steps, own, worth), cap, tied)
        return kept

    def _told_apart(self, hub: int, steps: Steps, own: NDArray[np.intp], tied: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return what tells equally good steps of a hub apart: the id of the other end, then the name of the type."""
        if (order := self._orders.get(hub)) is None:
            order = self._orders.setdefault(hub, IdOrder(self._ids))
        rows = own[tied]
        return order.ranks(steps.targets[rows]) * len(self.type_names) + self._type_ranks[steps.types[rows]]

    @cached_property
    def _type_ranks(self) -> NDArray[np.int64]:
        """The place of each type's name in the order of names, by number."""
        names = self.type_names
        ranks = np.empty(len(names), np.int64)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return ranks

    def pairs(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs of nodes, (n_pairs, 2), sorted."""
        if not self.segments:
            return np.empty((0, 2), np.int64)
        rows = [segment.live() for segment in self.segments]
        sources, targets = (
            np.concatenate([getattr(segment, end)[:][own] for segment, own in zip(self.segments, rows, strict=True)])
            for end in ("sources", "targets")
        )
        return np.stack(ordered.distinct_pairs(sources, targets), axis=1)


def _steps(around: _Around, forward: bool | None, worth: FloatArray | None, weights: str) -> Steps:
    """Return the steps along the edges of one segment that are worth something."""
    steps = around.steps
    used = None if forward is None else steps.along == forward
    if worth is not None and np.count_nonzero(worth) < worth.size:
        worthy = worth_of(worth, steps.types, steps.along) > 0
        used = worthy if used is None else used & worthy
    if used is not None:
        steps = steps.of(used.nonzero()[0])
    if weights == "raw":
        return steps
    return Steps(steps.origin, steps.targets, steps.types, weighed(steps.weights, weights), steps.along)


def _values(steps: Steps, own: NDArray[np.intp], worth: FloatArray | None) -> FloatArray:
    """Return by what steps are compared, (len(own),)."""
    values = steps.weights[own].astype(np.float64)
    if worth is not None:
        values *= worth_of(worth, steps.types[own], steps.along[own])
    return values
