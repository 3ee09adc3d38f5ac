"""The graph around some nodes as the questions see it: steps, degrees and words, at the cost of what is asked.

Nodes are known by number (see ``engines.base``); what is looked up of one is remembered for the generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Nodes, Steps
from fourfold.index.snapshot import Snapshot
from fourfold.ragged import distinct, firsts
from fourfold.types import Edge, FloatArray


class GoneError(Exception):
    """A node was deleted while a question about it was answered: the answer is to be made anew."""


class StepsTaken(Steps):
    """Single steps from a frontier, in both directions at once: ``origin`` is the from-node itself."""

    @property
    def sources(self) -> Nodes:
        """The from-nodes."""
        return self.origin


class Reached:
    """The nodes that a search has come to, with what it knows of each: columns by node.

    The columns are given by name with what a node has that was not reached; its type is the column's.
    """

    def __init__(self, **columns: float) -> None:
        self._missing = columns
        self.nodes: Nodes = np.empty(0, np.int64)
        """(n_reached,) ascending."""
        self._values = {name: np.empty(0, np.asarray(missing).dtype) for name, missing in columns.items()}

    def add(self, nodes: Nodes, **values: object) -> None:
        """Add nodes that are not among those reached, each once, with one value or (len(nodes),) for each column."""
        order = np.argsort(together := np.concatenate((self.nodes, nodes)), kind="stable")
        self.nodes = together[order]
        for name, known in self._values.items():
            added = np.broadcast_to(np.asarray(values[name], known.dtype), len(nodes))
            self._values[name] = np.concatenate((known, added))[order]

    def has(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of these nodes were reached."""
        return ordered.contains(self.nodes, nodes)

    def at(self, name: str, nodes: Nodes) -> NDArray[Any]:
        """Return a column's values of these nodes."""
        if not len(self.nodes):
            return np.full(len(nodes), self._missing[name])
        place, here = ordered.places(self.nodes, nodes)
        return np.where(here, self._values[name][place], self._missing[name])

    def of(self, name: str, node: int) -> float:
        """Return a column's value of one node."""
        value: float = self.at(name, np.array([node]))[0].item()
        return value


class Tree(Reached):
    """Nodes each of which was reached from another: the column ``parent`` has it, −1 where the search began."""

    def __init__(self, **columns: float) -> None:
        super().__init__(parent=-1, **columns)
        self.levels: list[StepsTaken] = []
        """The steps by which nodes were reached, level by level, by rising target."""

    def grow(self, steps: StepsTaken, **values: object) -> None:
        """Add what steps lead to as the next level, with one value or (len(steps),) for each column."""
        self.add(steps.targets, parent=steps.sources, **values)
        self.levels.append(steps)

    def way_to(self, node: int) -> list[int]:
        """Return the nodes from where the search began to a node."""
        path = [node]
        while (parent := int(self.of("parent", path[-1]))) >= 0:
            path.append(parent)
        return path[::-1]

    def edges_to(self, nodes: Sequence[int], graph: Graph) -> dict[int, Edge]:
        """Return the edge by which each of some nodes, and each node on the way to them, was reached."""
        wanted = distinct(np.array(nodes, np.int64))
        edges: dict[int, Edge] = {}
        for steps in reversed(self.levels):  # the last level first: it names what is needed of the one before
            here = np.nonzero(np.isin(steps.targets, wanted))[0]
            edges |= {int(steps.targets[place]): graph.edge(steps, place) for place in here.tolist()}
            wanted = distinct(np.concatenate((wanted, steps.sources[here])))
        return edges


class Graph:
    """The typed multigraph of one generation."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.edges = snapshot.edges
        self.type_names = tuple(snapshot.edges.type_names)
        self.size = snapshot.size
        self._ids: dict[int, str] = {}
        self.type_rank = np.argsort(np.argsort(np.array(self.type_names), kind="stable"), kind="stable")
        """(n_types,) place of each edge type's name among all names in order."""

    # -- names --------------------------------------------------------------------------------------------------

    def ids(self, nodes: Sequence[int]) -> list[str]:
        """Return the ids of nodes.

        Raises:
            GoneError: one was deleted meanwhile.

        """
        if unknown := sorted(set(nodes).difference(self._ids)):
            found = self._snapshot.ids(np.array(unknown, np.int64))
            if "" in found:
                raise GoneError
            self._ids.update(zip(unknown, found, strict=True))
        return [self._ids[node] for node in nodes]

    def id_rank(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the place of each node's id among the ids of all of them in order: what ties are broken by."""
        each, place = ordered.numbered(nodes)
        ids = self.ids(each.tolist())
        rank = np.empty(len(ids), np.int64)
        rank[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return rank[place]

    def best(self, nodes: Nodes, scores: FloatArray, count: int | None = None) -> NDArray[np.int64]:
        """Return places in ``nodes`` by falling score, ties by id."""
        places = np.arange(len(nodes))
        if count is not None and 0 < count < len(nodes):
            least = ordered.least_of_largest(scores, count)
            places = np.nonzero(scores >= least)[0]  # with all that tie with the last
        places = places[np.lexsort((self.id_rank(nodes[places]), -scores[places]))]
        return places if count is None else places[:count]

    # -- steps --------------------------------------------------------------------------------------------------

    def walk(self, frontier: Nodes, *, along: object = True, against: object = True) -> StepsTaken:
        """Return every step from the frontier.

        Args:
            frontier: nodes.
            along: True for every edge along its arrow, False for none, or the numbers of the edge types to follow.
            against: the same for steps against the arrow.

        """
        parts = []
        for types, forward in ((along, True), (against, False)):
            if types is False:
                continue
            worth = None
            if types is not True:
                worth = np.zeros(len(self.type_names))
                worth[np.asarray(types, np.int64)] = 1.0
            steps = self.edges.expand(frontier, forward=forward, worth=worth)
            parts.append(replace(steps, origin=frontier[steps.origin]))
        return StepsTaken.joined(parts)

    def neighbours(self, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
        """Return (place in ``nodes``, neighbour) for every distinct neighbour of each node in either direction.

        No node is its own. Both ascend, the neighbours within each place.
        """
        both = [self.edges.expand(nodes, forward=forward) for forward in (True, False)]
        origin = np.concatenate([steps.origin for steps in both])
        targets = np.concatenate([steps.targets for steps in both])
        others = nodes[origin] != targets
        return ordered.distinct_pairs(origin[others], targets[others])

    def between(self, a: int, b: int) -> StepsTaken:
        """Return every edge between two nodes, seen from ``a``: along the arrow first, then by weight and type."""
        from_a, from_b = self.edges.degree(np.array([a, b])).tolist()
        if from_a <= from_b:
            steps = self.walk(np.array([a]))
            steps = steps.of(steps.targets == b)
        else:  # a hub is not looked through for one of its neighbours
            back = self.walk(np.array([b]))
            back = back.of(back.targets == a)
            steps = StepsTaken(back.targets, back.sources, back.types, back.weights, ~back.along)
        return steps.of(np.lexsort((self.type_rank[steps.types], -steps.weights, ~steps.along)))

    def edge(self, walk: StepsTaken, place: int) -> Edge:
        """Return one step of a walk as the edge it is."""
        ends = self.ids([int(walk.sources[place]), int(walk.targets[place])])
        source, target = ends if walk.along[place] else ends[::-1]
        return Edge(source, target, self.type_names[walk.types[place]], float(walk.weights[place]))

    # -- numbers about nodes ------------------------------------------------------------------------------------

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of distinct undirected neighbours of each node."""
        return np.bincount(self.neighbours(nodes)[0], minlength=len(nodes))

    def centrality(self, nodes: Nodes) -> FloatArray:
        """Return degree / (n − 1) of each node, as networkx's ``degree_centrality`` of the simple graph; 1 if alone."""
        return self.central(self.degree(nodes))

    def central(self, degrees: NDArray[np.int64]) -> FloatArray:
        """Return what ``centrality`` is at nodes of these degrees."""
        return degrees / (self.size - 1) if self.size > 1 else np.ones(len(degrees))

    def variety(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of distinct edge types at each node, either direction."""
        n_types = max(len(self.type_names), 1)
        both = [self.edges.expand(nodes, forward=forward) for forward in (True, False)]
        keys = ordered.union([steps.origin * n_types + steps.types for steps in both])
        return np.bincount(keys // n_types, minlength=len(nodes))

    # -- words --------------------------------------------------------------------------------------------------

    def rarity(self, terms: Sequence[str]) -> FloatArray:
        """Return the inverse document frequency of each term, ``ln(1 + N / (1 + df))``."""
        numbers = self._snapshot.term_numbers(terms)
        known = [term for term in terms if term in numbers]
        found = self._snapshot.text.df(np.array([numbers[term] for term in known], np.int64))
        holders = dict(zip(known, found.tolist(), strict=True))
        result: FloatArray = np.log1p(
            self.size / (1.0 + np.array([holders.get(term, 0) for term in terms], np.float64))
        )
        return result


def first_of_each(values: Nodes) -> NDArray[np.int64]:
    """Return the place of the first occurrence of each value, for values sorted in groups."""
    return firsts(values).nonzero()[0]
