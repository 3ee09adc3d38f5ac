"""``trace_path``: the shortest path between two nodes, by bidirectional breadth-first search.

Of several shortest paths the one whose node ids come first in order is given; a hop names every edge between its two
nodes, those along the walk first, then by falling weight and by type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fourfold.index.base import Nodes
from fourfold.plain_text import plain_text
from fourfold.questions.graph import Graph, Reached
from fourfold.questions.results import Answer, arrow, mermaid, title
from fourfold.questions.view import View
from fourfold.ragged import distinct
from fourfold.types import Edge, Node


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path: from node, to node, and every edge between them."""

    source: Node
    target: Node
    edges: tuple[Edge, ...]

    @property
    def along(self) -> bool:
        """Whether the first edge is walked along its arrow."""
        return self.edges[0].source == self.source.id

    @property
    def type(self) -> str:
        """The type of the first edge."""
        return self.edges[0].type

    @property
    def types(self) -> str:
        """The types of all edges in one line."""
        return " | ".join(dict.fromkeys(edge.type or "edge" for edge in self.edges))

    def __str__(self) -> str:
        return plain_text(f"{arrow(self.types, along=self.along)} {title(self.target)}")


@dataclass(frozen=True, kw_only=True)
class PathAnswer(Answer):
    """The shortest path from ``source`` to ``target``, or the reason why there is none.

    ``length`` is the number of hops, None without a path. ``connected`` is False where the search went through all
    that either node reaches, and None where ``max_depth`` ended it first.
    """

    source: Node
    target: Node
    max_depth: int
    hops: tuple[Hop, ...] = ()
    length: int | None = None
    connected: bool | None = True

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.length is not None

    @property
    def path(self) -> tuple[Node, ...]:
        """The nodes of the path from source to target; empty without one."""
        return (self.source, *(hop.target for hop in self.hops)) if self.found else ()

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node of the path; the score is 1."""
        for place, node in enumerate(self.path):
            yield node, 1.0, str(self.hops[place - 1]) if place else "start"

    def headline(self) -> str:
        """Return the path in one line."""
        ends = f"{title(self.source)} and {title(self.target)}"
        if self.found:
            return " ".join([title(self.source), *map(str, self.hops)])
        if self.connected is False:
            return f"{ends} are not connected."
        return f"There is no path between {ends} of at most {self.max_depth} steps."

    def mermaid(self) -> str:
        """Draw the path."""
        marked = frozenset({self.source.id, self.target.id})
        return mermaid(self.path, [edge for hop in self.hops for edge in hop.edges], marked=marked)

    def told(self, question: str = "") -> str:
        """Return the answer as text, with passages of its nodes."""
        return "\n".join([self.headline(), *self._texts(question), *self._footnotes()])


def shortest_path(
    graph: Graph, start: int, end: int, max_depth: int, *, directed: bool
) -> tuple[list[int] | None, bool]:
    """Return the nodes on the path, or None; and whether the search was ended by ``max_depth``."""
    if start == end:
        return [start], False
    sides = (_Side(graph, start, directed, outward=True), _Side(graph, end, directed, outward=False))
    while sides[0].level + sides[1].level < max_depth:
        near, far = sorted(sides, key=lambda side: len(side.frontier))
        met = near.grow(far)
        if len(met):
            return _path(sides, met, graph), False
        if not len(near.frontier):
            return None, False
    return None, True


class _Side:
    """The half of a bidirectional search that spreads from one end."""

    def __init__(self, graph: Graph, start: int, directed: bool, *, outward: bool) -> None:
        self._graph, self._directed, self._outward = graph, directed, outward
        self.reached = Reached(depth=-1)
        self.level = 0
        self.frontier: Nodes = np.array([start], np.int64)
        self.reached.add(self.frontier, depth=0)

    def grow(self, other: _Side) -> Nodes:
        """Go one level further; return the nodes at which this side now meets the other."""
        reached = self.next_to(self.frontier, outward=self._outward)
        self.frontier = distinct(reached[~self.reached.has(reached)])
        self.level += 1
        self.reached.add(self.frontier, depth=self.level)
        return self.frontier[other.reached.has(self.frontier)]

    def at_depth(self, nodes: Nodes, depth: int) -> Nodes:
        """Return those of these nodes that lie so many steps from the end."""
        near: Nodes = nodes[self.reached.at("depth", nodes) == depth]
        return near

    def next_to(self, nodes: Nodes, *, outward: bool) -> Nodes:
        """Return what lies one step from these nodes, repeated as often as there are steps."""
        if not self._directed:
            return self._graph.neighbours(nodes)[1]
        return self._graph.edges.expand(nodes, forward=outward).targets


def _path(sides: tuple[_Side, _Side], met: Nodes, graph: Graph) -> list[int]:
    """Return the shortest path whose ids come first: all shortest paths level by level, then the first id of each."""
    ahead, behind = sides
    levels = [met]
    for depth in range(ahead.level - 1, -1, -1):  # back to the start
        before = distinct(ahead.next_to(levels[0], outward=False))
        levels.insert(0, ahead.at_depth(before, depth))
    for depth in range(behind.level - 1, -1, -1):  # on to the end
        after = distinct(behind.next_to(levels[-1], outward=True))
        levels.append(behind.at_depth(after, depth))
    path = [int(levels[0][0])]
    for level in levels[1:]:
        here = np.intersect1d(level, ahead.next_to(np.array(path[-1:]), outward=True))
        path.append(int(here[np.argmin(graph.id_rank(here))]))
    return path


def answer(view: View, a: str | Node, b: str | Node, max_depth: int, *, directed: bool) -> PathAnswer:
    """Return the shortest path; the arguments are those of ``Questions.trace_path``."""
    graph = view.graph
    start, end = view.number(a), view.number(b)
    path, ended = shortest_path(graph, start, end, max_depth, directed=directed)
    nodes = view.nodes(path or [start, end])
    hops = []
    for one, two in pairwise(path or ()):
        between = graph.between(one, two)
        if directed:
            between = between.of(between.along)
        edges = tuple(graph.edge(between, place) for place in range(len(between)))
        hops.append(Hop(nodes[one], nodes[two], edges))
    return PathAnswer(
        source=nodes[start],
        target=nodes[end],
        max_depth=max_depth,
        hops=tuple(hops),
        length=None if path is None else len(path) - 1,
        connected=True if path is not None else None if ended else False,
    )
