"""How the ids of nodes follow one another, where it tells equally good ones apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import NO_NODES, Nodes

_FEW = 32
"""Where new nodes are at most one in so many, their places are searched among those known; else all ids are read."""


class IdOrder:
    """The order of the ids of the nodes it was asked of: each id is read once, for a number stays its node's.

    ``ids`` tell those of nodes; "" of what is gone. Safe to use from threads.
    """

    def __init__(self, ids: Callable[[Nodes], Sequence[str]]) -> None:
        self._ids = ids
        self._known: tuple[Nodes, NDArray[np.int64]] = NO_NODES, np.empty(0, np.int64)
        """Nodes, ascending, and the rank of each."""

    def ranks(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return numbers that ascend as the ids of these nodes do, (len(nodes),)."""
        known, ranks = self._known
        place, here = ordered.places(known, nodes)
        if not here.all():
            by_id = self._with(known[ranks.argsort()], ordered.distinct(nodes[~here]), ordered.distinct(nodes))
            order = by_id.argsort()
            self._known = known, ranks = by_id[order], order
            place = known.searchsorted(nodes)
        return ranks[place]

    def _with(self, by_id: Nodes, new: Nodes, asked: Nodes) -> Nodes:
        """Return nodes in the order of their ids, with new ones among them; what is gone only where it is ``asked``."""
        if len(new) * _FEW <= len(by_id) and (found := self._inserted(by_id, new)) is not None:
            return found
        nodes = np.concatenate((by_id, new))
        ids, is_asked = self._ids(nodes), ordered.contains(asked, nodes)
        kept = [place for place, name in enumerate(ids) if name or is_asked[place]]
        return nodes[sorted(kept, key=ids.__getitem__)]

    def _inserted(self, by_id: Nodes, new: Nodes) -> Nodes | None:
        """Return the same by a binary search of all new ones at once; None where one of those it meets is gone."""
        names = self._ids(new)
        order = sorted(range(len(new)), key=names.__getitem__)
        low, high = np.zeros(len(new), np.int64), np.full(len(new), len(by_id))
        while len(open_ := (low < high).nonzero()[0]):
            middle = (low + high)[open_] // 2
            met = self._ids(by_id[middle])
            if "" in met:
                return None
            before = np.array([name < names[order[place]] for name, place in zip(met, open_.tolist(), strict=True)])
            low[open_], high[open_] = np.where(before, middle + 1, low[open_]), np.where(before, high[open_], middle)
        return np.insert(by_id, low, new[order])
