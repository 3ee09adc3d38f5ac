"""Edges in one segment: grouped by both ends, so that those at some nodes are gathered without a look at others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes, Steps
from fourfold.index.files import Stored
from fourfold.index.places import Marked, Places
from fourfold.lazy import lazy
from fourfold.ragged import firsts, spans

_PLAIN = ("nums", "sources", "targets", "types", "weights")
_GROUPS = ("keys", "starts", "order")


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
        if left is self or left.dead is None:
            return left
        gone = left.dead if self.dead is None else left.dead & ~self.dead
        if (counts := vars(self).get("_of_type")) is not None:  # of millions of edges they are counted once
            vars(left)["_of_type"] = counts - np.bincount(self.types[gone.nonzero()[0]], minlength=len(counts))
        for key, places in dict(self.cut).items():  # the best of a hub stay that where none of them is gone
            if not gone[rows_of(self.order.take(places))].any():
                left.cut[key] = places
        return left

    @cached_property
    def gone_at(self) -> Nodes:
        """The nodes at both ends of the edges that are gone, as often as they are, ascending."""
        rows = np.empty(0, np.int64) if self.dead is None else self.dead.nonzero()[0]
        return np.sort(np.concatenate((self.sources[rows], self.targets[rows])))

    @cached_property
    def cut(self) -> dict[tuple[int, int, str], NDArray[np.int64]]:
        """Of the edges of a hub those that any question can keep, as places in ``order``, ascending.

        By the hub, how many a question keeps of each direction, and how it weighs them.
        """
        return {}

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

    def around(self, nodes: Nodes) -> Around:
        """Return where the edges at some nodes lie, of either direction."""
        group = self._places.of(nodes)
        known = (group >= 0).nonzero()[0]
        if len(known) < len(nodes):
            group = group[known]
        begin = self.starts.take(group)
        return Around(self, nodes, known, begin, self.starts.take(group + 1) - begin)


class Around:
    """The edges at some nodes in one segment.

    Args:
        segment: their edges.
        nodes: those that were asked for.
        known: places, among these, of the nodes that have edges here.
        begin: (len(known),) where the edges of each begin in ``segment.order``.
        counts: (len(known),) how many there are, dead ones included.

    """

    def __init__(
        self,
        segment: EdgeSegment,
        nodes: Nodes,
        known: NDArray[np.intp],
        begin: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        self.segment = segment
        self._nodes, self._known, self._begin, self._counts = nodes, known, begin, counts

    def __len__(self) -> int:
        return int(self._counts.sum())

    @lazy
    def places(self) -> NDArray[np.int64]:
        """Where all edges stand in ``segment.order``, dead ones included."""
        return spans(self._begin, self._counts)

    @lazy
    def steps(self) -> Steps:
        """The steps along every live edge, with the edges' own weights."""
        return self._along(self._known.repeat(self._counts), self.places)

    def cut(self, most: int, best: Callable[[EdgeSegment, int], NDArray[np.int64]]) -> Steps:
        """Return the same with the ``best`` alone of each node that has more than so many edges."""
        hubs = (self._counts > most).nonzero()[0]
        if not len(hubs):
            return self.steps
        counts, parts, done = self._counts.copy(), list[NDArray[np.int64]](), 0
        for hub in hubs.tolist():
            kept = best(self.segment, int(self._nodes[self._known[hub]]))
            parts += [spans(self._begin[done:hub], self._counts[done:hub]), kept]
            counts[hub], done = len(kept), hub + 1
        parts.append(spans(self._begin[done:], self._counts[done:]))
        return self._along(self._known.repeat(counts), np.concatenate(parts))

    def _along(self, origin: NDArray[np.intp], places: NDArray[np.int64]) -> Steps:
        segment = self.segment
        order = segment.order.take(places)
        if segment.dead is not None:
            alive = ~segment.dead[rows_of(order)]
            origin, order = origin[alive], order[alive]
        rows, along = rows_of(order), order >= 0
        targets = np.where(along, segment.targets.take(rows), segment.sources.take(rows))
        return Steps(origin, targets, segment.types.take(rows), segment.weights.take(rows), along)

    @lazy
    def degree(self) -> NDArray[np.int64]:
        """The number of live edges at each node, both directions."""
        found = np.zeros(len(self._nodes), np.int64)
        found[self._known] = self._counts
        if self.segment.dead is not None:
            first, last = (self.segment.gone_at.searchsorted(self._nodes, side) for side in ("left", "right"))
            found -= last - first
        return found


def rows_of(order: NDArray[Any]) -> NDArray[Any]:
    """Return the rows of some places of ``EdgeSegment.order``: of a row and its complement one is below 0."""
    rows: NDArray[Any] = np.maximum(order, ~order)
    return rows


def merge(segments: Sequence[EdgeSegment]) -> EdgeSegment:
    """Return one segment of all edges that are there."""
    rows = [segment.live() for segment in segments]
    columns = (
        np.concatenate([getattr(segment, name)[own] for segment, own in zip(segments, rows, strict=True)])
        for name in _PLAIN
    )
    return EdgeSegment.build(*columns)
