"""What depends on all edges at once: PageRank and communities, computed when first asked for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.errors import StoreError
from fourfold.index import communities as detection
from fourfold.index.base import Nodes, NodeValues
from fourfold.index.files import DamagedFileError
from fourfold.index.pagerank import pagerank
from fourfold.lazy import lazy
from fourfold.threads import begun

logger = logging.getLogger(__name__)

_PATIENCE = 1.0
"""Seconds before the background work begins, so that it does not slow the first answers of a new generation."""

_INLINE_EDGES = 50_000
"""Up to here communities are found when asked for; beyond, off the query path."""

FETCHED_EDGES = 20_000
"""The same of edges that a server sends first."""


@dataclass(frozen=True)
class Communities:
    """The community of each node that has an edge: ``nodes`` ascending, ``labels`` (int32) parallel."""

    nodes: Nodes
    labels: NDArray[np.int32]

    @lazy
    def count(self) -> int:
        """How many communities there are."""
        return int(self.labels.max(initial=-1)) + 1

    def of(self, nodes: Nodes) -> NDArray[np.int32]:
        """Return the number of each node's community, -1 for none."""
        found = np.full(len(nodes), detection.NONE, np.int32)
        place, here = ordered.places(self.nodes, nodes)
        found[here] = self.labels[place[here]]
        return found


NO_COMMUNITIES = Communities(np.empty(0, np.int64), np.empty(0, np.int32))


class EdgePairs(Protocol):
    """What is asked of all edges at once."""

    def __len__(self) -> int:
        """Return the number of edges."""

    def pairs(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs of nodes, (n_pairs, 2), sorted."""


class Structure:
    """PageRank and communities of one generation's edges.

    Args:
        edges: the edges.
        ids: nodes → their ids, by which ties are broken.
        by_id: what tells the order of many nodes' ids beside questions: nodes → the same in that order, without those
            that are gone; None sorts what ``ids`` returns.
        before: the structure of an older generation, whose communities serve until these are found; where it is still
            finding them, these are begun after: of a large graph under many writes each generation's would run at once.
        inline: up to so many edges communities are found when asked for; beyond, off the query path.

    """

    def __init__(
        self,
        edges: EdgePairs,
        ids: Callable[[Nodes], Sequence[str]],
        before: Structure | None = None,
        *,
        by_id: Callable[[Nodes], Nodes] | None = None,
        inline: int = _INLINE_EDGES,
    ) -> None:
        self._edges = edges
        self._ids = ids
        self._by_id = by_id or self._sorted
        self._inline = inline
        self._lock = threading.RLock()
        self._pagerank: NodeValues | None = None
        self._greedy: Communities | None = None
        self._propagated: Communities | None = None
        self._stale = NO_COMMUNITIES if before is None else before._last_known()
        self._older = None if before is None else before._at_work()
        self._thread: threading.Timer | None = None
        self._damage: DamagedFileError | None = None
        """What the background work met: raised to who asks next, who can have the graph read anew."""

    @property
    def busy(self) -> bool:
        """Whether communities are being found in the background at this moment."""
        return self._thread is not None and self._thread.is_alive()

    def over(self, edges: EdgePairs) -> Structure:
        """Return the same over the very edges that lie elsewhere now; where they lay is let go."""
        self._edges = edges
        return self

    def pagerank(self) -> NodeValues:
        """Return the PageRank of every node that has an edge."""
        with self._lock:
            if self._pagerank is None:
                members, pairs = self._compact()
                self._pagerank = NodeValues(members, pagerank(pairs, len(members)))
            return self._pagerank

    def communities(self, *, exact: bool) -> Communities:
        """Return the communities.

        ``exact``: greedy modularity, at once. Otherwise label propagation: at once for small graphs, else found in
        the background, the last known communities serving meanwhile.
        """
        with self._lock:
            if exact:
                if self._greedy is None:
                    members, pairs = self._compact()
                    self._greedy = Communities(members, detection.greedy_modularity(pairs, self._ids(members)))
                return self._greedy
            if self._propagated is None and len(self._edges) <= self._inline:
                self._propagated = self._propagate(self._sorted)
            if self._propagated is not None:
                return self._propagated
            if self._damage is not None:
                raise self._damage
            if self._thread is None and self._at_work() is None:
                self._thread = begun(threading.Timer(_PATIENCE, self._propagate_beside), "fourfold-communities")
            return self._stale

    def leave(self) -> None:
        """Begin nothing any more: the graph is closed."""
        if (at_work := self._at_work()) is not None and at_work._thread is not None:
            at_work._thread.cancel()

    def _propagate_beside(self) -> None:
        try:
            self._propagated = self._propagate(self._by_id)
        except StoreError as error:  # closed meanwhile: nobody asks for them any more
            logger.debug("The communities were not found: %s", error)
        except DamagedFileError as error:
            self._damage = error

    def _propagate(self, by_id: Callable[[Nodes], Nodes]) -> Communities:
        members, pairs = self._compact()
        present = by_id(members)
        gone = ordered.without(members, np.sort(present))
        rank = np.empty(len(members), np.int64)
        rank[members.searchsorted(np.concatenate((gone, present)))] = np.arange(len(members))
        return Communities(members, detection.label_propagation(rank[pairs], len(members))[rank])

    def _sorted(self, nodes: Nodes) -> Nodes:
        ids = self._ids(nodes)
        return nodes[sorted(range(len(nodes)), key=ids.__getitem__)]

    def _last_known(self) -> Communities:
        return self._stale if self._propagated is None else self._propagated

    def _at_work(self) -> Structure | None:
        """Return what is finding communities in the background at this moment: this, or that of an older generation."""
        if self.busy:
            return self
        if self._older is not None and not self._older.busy:
            self._stale, self._older = self._older._last_known(), None
        return self._older

    def _compact(self) -> tuple[Nodes, NDArray[np.int64]]:
        """Return the nodes that have an edge, ascending, and the distinct pairs of their places."""
        pairs = self._edges.pairs()
        members, flat = ordered.numbered(pairs.reshape(-1))
        return members, flat.reshape(pairs.shape)
