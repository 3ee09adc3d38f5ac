"""By which steps walks came to nodes: the strongest for evidence, and for confidence what those are worth that gave.

All walks in one pass: each has its own row of places, one for each node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import NO_NODES, Nodes, NodeValues
from fourfold.ragged import firsts
from fourfold.signals.graph import Hop, Proximity
from fourfold.types import FloatArray

Step = tuple[int, int, int, bool]
"""Source, target, type and whether the arrow was followed, as the store numbers them."""

Way = tuple[float, tuple[Step, ...]]
"""What the last of some steps carried, and the steps."""


class Ways:
    """The steps of walks that end at some nodes.

    Their first hops begin at the seeds, all further ones where the first one led. The nodes are distinct, in any order.
    """

    def __init__(self, walks: Sequence[Proximity], nodes: Nodes) -> None:
        self._rows, self._count = len(walks), len(nodes)
        first = [(row, hop) for row, walk in enumerate(walks) for hop in walk.hops[:1]]
        hops = first + [(row, hop) for row, walk in enumerate(walks) for hop in walk.hops[1:]]
        self._early = sum([len(hop.targets) for _, hop in first])
        """So many steps, of all laid one after the other, are of first hops."""
        self._steps = _joined([hop for _, hop in hops])
        rows = np.array([row for row, _ in hops], np.int64)
        self._row = rows.repeat([len(hop.targets) for _, hop in hops])
        order = nodes.argsort()
        place, here = ordered.places(nodes[order], self._steps.targets)
        self._last = here.nonzero()[0]
        """(m,) the steps that end at one of the nodes, ascending …"""
        self._place = order[place[self._last]] + len(nodes) * self._row[self._last]
        """… and (m,) where: ``row * n`` and the place of the node."""

    def worth(self, values: NodeValues) -> FloatArray:
        """Return the mean value of the seeds from which each walk came to each node, by what each gave.

        (n_walks, n); 0 where a walk did not come.
        """
        size = self._rows * self._count
        if not len(self._last):
            return np.zeros((self._rows, self._count))
        own = values.at(self._steps.sources[: self._early])
        first = self._last[: self._last.searchsorted(self._early)]
        worth = own[first]
        if len(further := self._last[len(first) :]):  # these go on from where the first hop led
            gains = self._steps.gains[: self._early]
            reached, place = ordered.numbered(self._in_rows(self._steps.targets)[: self._early])
            between = NodeValues(reached, np.bincount(place, gains * own) / np.bincount(place, gains))
            worth = np.concatenate((worth, between.at(self._in_rows(self._steps.sources)[further])))
        gains = self._steps.gains[self._last]
        given = np.bincount(self._place, gains, size)
        carried = np.bincount(self._place, gains * worth, size)
        mean: FloatArray = np.divide(carried, given, out=np.zeros(size), where=given > 0)
        return mean.reshape(self._rows, self._count)

    def strongest(self, count: int) -> tuple[list[list[Way]], list[float]]:
        """Return, for each walk and node, the ways that carried most, the largest first, and the sum of all others.

        Before a step of a further hop goes the best way to where it begins.
        """
        size = self._rows * self._count
        found: list[list[Way]] = [[] for _ in range(size)]
        if not len(self._last):
            return found, [0.0] * size
        gains = self._steps.gains[self._last]
        order = np.lexsort((-gains, self._place))  # of equal ones the earlier step
        place, gains = self._place[order], gains[order]
        shown = np.arange(len(place)) - place.searchsorted(place) < count
        paths = self._paths(self._last[order[shown]])
        for at, gain, path in zip(place[shown].tolist(), gains[shown].tolist(), paths, strict=True):
            found[at].append((gain, path))
        return found, np.bincount(place[~shown], gains[~shown], size).tolist()

    def _paths(self, steps: NDArray[np.intp]) -> list[tuple[Step, ...]]:
        """Return the paths that end with some steps."""
        last, begins, far = self._told(steps), self._in_rows(self._steps.sources)[steps], steps >= self._early
        if not far.any():
            return [(step,) for step in last]
        before = dict(zip(begins[far].tolist(), self._told(self._best_ways(begins[far])), strict=True))
        return [
            (before[begin], step) if further else (step,)
            for step, begin, further in zip(last, begins.tolist(), far.tolist(), strict=True)
        ]

    def _best_ways(self, ends: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the steps of the first hops that gave most to where further ones begin."""
        targets = self._in_rows(self._steps.targets)[: self._early]
        steps = ordered.contains(np.sort(ends), targets).nonzero()[0]
        targets = targets[steps]
        order = np.lexsort((self._steps.sources[steps], -self._steps.gains[steps], targets))
        best = order[firsts(targets[order])]
        return steps[best[targets[best].searchsorted(ends)]]

    def _in_rows(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return one number for each end of all steps and the walk it belongs to."""
        return nodes * self._rows + self._row

    def _told(self, steps: NDArray[np.intp]) -> list[Step]:
        hop = self._steps.rows(steps)
        columns = (hop.sources, hop.targets, hop.types, hop.along)
        return list(zip(*[column.tolist() for column in columns], strict=True))


def _joined(hops: Sequence[Hop]) -> Hop:
    """Return the steps of hops, laid one after the other."""
    if not hops:
        return Hop(NO_NODES, NO_NODES, np.empty(0, np.int32), np.empty(0, bool), np.empty(0))
    return Hop(
        np.concatenate([hop.sources for hop in hops]),
        np.concatenate([hop.targets for hop in hops]),
        np.concatenate([hop.types for hop in hops]),
        np.concatenate([hop.along for hop in hops]),
        np.concatenate([hop.gains for hop in hops]),
    )
