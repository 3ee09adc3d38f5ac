"""Typed edges in segments: who leads where, along which type, in both directions.

One question touches the edges of a few nodes only; ``expand`` gathers them without a loop over nodes or edges. A node
is known by its store number, so replacing a node leaves its edges as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Allowed, Nodes, Steps, weighed, worth_of
from fourfold.index.edge_segment import Around, EdgeSegment, rows_of
from fourfold.index.id_order import IdOrder
from fourfold.types import FloatArray

_HUB, _REMEMBERED_HUBS = 4, 1024
"""Of nodes that have so many times as many edges as a question keeps, those are remembered that any can keep."""

_REMEMBERED_NODES, _REMEMBERED_EDGES = 2, 1 << 16
"""Of the sets of nodes asked for last, the seeds and what they reach: where they have no more edges than that."""


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
        self._asked_last: tuple[tuple[Nodes, list[Around]], ...] = ()
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
        arounds = self._around(nodes)
        if cap is None or allowed is not None:
            all_steps = [around.steps for around in arounds]
        else:
            best = partial(self._best_of_hub, cap, weights)
            all_steps = [around.cut(_HUB * cap, best) for around in arounds]
        found = [_worthy(steps, forward, worth, weights) for steps in all_steps]
        steps = found[0] if len(found) == 1 else Steps.joined(found)
        kept = None if allowed is None else allowed.contains(steps.targets)
        if cap is not None and len(steps) > cap:
            kept = self._strongest(nodes, steps, worth, cap, kept)
        return steps if kept is None else steps.of(kept)

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions, (len(nodes),)."""
        found = [around.degree for around in self._around(nodes)]
        return found[0] if len(found) == 1 else sum(found, np.zeros(len(nodes), np.int64))

    def _around(self, nodes: Nodes) -> list[Around]:
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

    def _best_of_hub(self, cap: int, weights: str, segment: EdgeSegment, hub: int) -> NDArray[np.int64]:
        """Return the best edges of a node, places in ``segment.order``: ``cap`` of each type and direction.

        Whatever a question takes types for, the best of all are among these.
        """
        key = hub, cap, weights
        if (found := segment.cut.get(key)) is None:
            around = segment.around(np.array([hub]))
            places = around.places
            if segment.dead is not None:
                places = places[~segment.dead[rows_of(segment.order.take(places))]]
            steps = _worthy(around.steps, None, None, weights)
            ways, kept = 2 * steps.types + steps.along, np.zeros(len(steps), bool)
            for way in ordered.distinct(ways.astype(np.int64)).tolist():
                own = (ways == way).nonzero()[0]
                tied = partial(self._told_apart, hub, steps, own)
                kept[own] = ordered.largest(_values(steps, own, None), cap, tied)
            if len(segment.cut) >= _REMEMBERED_HUBS:
                segment.cut.clear()
            segment.cut[key] = found = places[kept]
        return found

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


def _worthy(steps: Steps, forward: bool | None, worth: FloatArray | None, weights: str) -> Steps:
    """Return the steps that are worth something, weighed."""
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
