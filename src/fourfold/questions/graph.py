"""One generation of a graph as the questions see it: breadth-first steps, degrees and words, computed when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fourfold.index import Index
from fourfold.index.adjacency import Links, Steps
from fourfold.types import Edge, FloatArray

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Walk:
    """Single steps from a frontier, in both directions at once; all arrays are parallel.

    ``sources`` and ``targets`` are positions of nodes in the order walked; ``along`` says whether the step follows
    the arrow.
    """

    sources: Positions
    targets: Positions
    types: NDArray[np.int32]
    weights: NDArray[np.float32]
    along: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_] | Positions) -> Walk:
        """Return some of the steps."""
        return Walk(
            self.sources[chosen], self.targets[chosen], self.types[chosen], self.weights[chosen], self.along[chosen]
        )

    def __len__(self) -> int:
        return len(self.targets)


class Graph:
    """The typed multigraph of one index, and what is derived from it at most once."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.adjacency = index.adjacency
        self.size = len(index)

    # -- steps --------------------------------------------------------------------------------------------------

    def walk(self, frontier: Positions, *, along: object = True, against: object = True) -> Walk:
        """Return every step from the frontier.

        Args:
            frontier: positions of nodes.
            along: True for every edge along its arrow, False for none, or the numbers of the edge types to follow.
            against: the same for steps against the arrow.

        """
        parts = [
            _chosen(frontier, links.expand(frontier), types)
            for links, types in ((self.adjacency.out, along), (self.adjacency.into, against))
            if types is not False
        ]
        if not parts:
            nothing = np.empty(0, np.int64)
            return Walk(nothing, nothing, nothing.astype(np.int32), nothing.astype(np.float32), nothing.astype(bool))
        return Walk(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @cached_property
    def undirected(self) -> Links:
        """The distinct neighbours of each node in either direction, without itself."""
        pairs = self.adjacency.simple()
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        both = np.unique(np.concatenate((pairs[:, 0] * self.size + pairs[:, 1], pairs[:, 1] * self.size + pairs[:, 0])))
        ends, others = np.divmod(both, max(self.size, 1))
        starts = np.searchsorted(ends, np.arange(self.size + 1))
        untyped = np.broadcast_to(np.int32(0), others.shape)
        return Links(starts, others.astype(np.int32), untyped, np.broadcast_to(np.float32(1), others.shape), True)

    def neighbours(self, nodes: Positions) -> tuple[Positions, Positions]:
        """Return (place in ``nodes``, neighbour) for every distinct undirected neighbour of each node."""
        steps = self.undirected.expand(nodes)
        return steps.origin, steps.targets.astype(np.int64)

    def between(self, a: int, b: int) -> Walk:
        """Return every edge between two nodes, seen from ``a``: along the arrow first, then by weight and type."""
        steps = self.walk(np.array([a]))
        steps = steps.where(steps.targets == b)
        return steps.where(np.lexsort((self.type_rank[steps.types], -steps.weights, ~steps.along)))

    def edge(self, walk: Walk, place: int) -> Edge:
        """Return one step of a walk as the edge it is."""
        ids = self.index.ids
        ends = (ids[int(walk.sources[place])], ids[int(walk.targets[place])])
        source, target = ends if walk.along[place] else ends[::-1]
        return Edge(source, target, self.adjacency.type_names[walk.types[place]], float(walk.weights[place]))

    # -- numbers about nodes ------------------------------------------------------------------------------------

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """(n_nodes,) number of distinct undirected neighbours."""
        return np.diff(self.undirected.starts)

    def centrality(self, nodes: Positions) -> FloatArray:
        """Return degree / (n − 1) of each node, as networkx's ``degree_centrality`` of the simple graph; 1 if alone."""
        if self.size <= 1:
            return np.ones(len(nodes))
        result: FloatArray = self.degree[nodes] / (self.size - 1)
        return result

    @cached_property
    def variety(self) -> NDArray[np.int64]:
        """(n_nodes,) number of distinct edge types at each node, either direction."""
        n_types = max(len(self.adjacency.type_names), 1)
        ends = np.concatenate((self.adjacency.sources, self.adjacency.targets)).astype(np.int64)
        keys = np.unique(ends * n_types + np.concatenate((self.adjacency.types, self.adjacency.types)))
        return np.bincount(keys // n_types, minlength=self.size)

    @cached_property
    def id_rank(self) -> NDArray[np.int64]:
        """(n_nodes,) place of each node's id among all ids in order: what ties are broken by."""
        rank = np.empty(self.size, np.int64)
        rank[sorted(range(self.size), key=self.index.ids.__getitem__)] = np.arange(self.size)
        return rank

    @cached_property
    def type_rank(self) -> NDArray[np.int64]:
        """(n_types,) place of each edge type's name among all names in order."""
        names = self.adjacency.type_names
        rank = np.empty(len(names), np.int64)
        rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return rank

    def best(self, nodes: Positions, scores: FloatArray, count: int | None = None) -> Positions:
        """Return places in ``nodes`` by falling score, ties by id."""
        places = np.lexsort((self.id_rank[nodes], -scores))
        return places if count is None else places[:count]

    # -- words --------------------------------------------------------------------------------------------------

    def rarity(self, terms: Sequence[str]) -> FloatArray:
        """Return the inverse document frequency of each term, ``ln(1 + N / (1 + df))``."""
        holders = [self._holders(term) for term in terms]
        result: FloatArray = np.log1p(self.size / (1.0 + np.array(holders, np.float64)))
        return result

    def _holders(self, term: str) -> int:
        found = self.index.postings.of(self.index.vocabulary.get(term, -1))
        return int(found.stop - found.start)


def first_of_each(values: Positions) -> Positions:
    """Return the place of the first occurrence of each value, for values sorted in groups."""
    return np.nonzero(np.r_[True, values[1:] != values[:-1]])[0] if len(values) else np.empty(0, np.int64)


def _chosen(frontier: Positions, steps: Steps, types: object) -> tuple[NDArray[np.generic], ...]:
    sources = frontier[steps.origin]
    targets = steps.targets.astype(np.int64)
    along = np.full(len(targets), steps.forward)
    if types is True:
        return sources, targets, steps.types, steps.weights, along
    keep = np.isin(steps.types, np.asarray(types, np.int64))
    return sources[keep], targets[keep], steps.types[keep], steps.weights[keep], along[keep]
