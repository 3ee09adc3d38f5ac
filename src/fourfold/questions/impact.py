"""``impact_analysis``: what a change touches, breadth first, with its risk.

``risk(v) = 1/depth(v) · weight(e) · centrality(v)``: ``e`` is the heaviest edge by which the breadth-first search
first reaches v (ties: the smaller id it comes from, then the smaller type), ``weight`` is ``Edge.weight`` and
``centrality`` is degree / (n − 1) over distinct undirected neighbours. The critical path is the branch of that
breadth-first tree with the largest sum of risks; of equal ones the shortest, then the one with the smallest last id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import ROLES
from fourfold.questions.graph import Graph, Positions, first_of_each
from fourfold.questions.results import Answer, mermaid, title
from fourfold.questions.view import View, lacking
from fourfold.questions.vocabulary import TypeMatch, Vocabulary
from fourfold.types import Edge, FloatArray, Node

Direction = Literal["dependents", "downstream", "upstream", "both"]

DIRECTIONS: tuple[Direction, ...] = ("dependents", "downstream", "upstream", "both")
"""``downstream`` follows the arrows, ``upstream`` goes against them, ``both`` does either; ``dependents`` follows
meaning: against "A requires B", along "A feeds into B" and "A enables B" (``vocabulary.ROLES``)."""

DEPENDENT_ROLES = {name: "along" if role.flow > 0 else "against" for name, role in ROLES.items() if role.flow}
"""How an effect travels along an edge of each role."""


@dataclass(frozen=True, slots=True)
class Impact:
    """A node that the change touches: how far away, how risky, and by which edge it is reached."""

    node: Node
    depth: int
    risk: float
    via: Edge


@dataclass(frozen=True, kw_only=True)
class ImpactAnswer(Answer):
    """What a change to ``node`` touches, by falling risk, ties by id.

    ``total`` counts every node touched, ``levels`` those of each depth from 1 on; ``touched`` lists the riskiest.
    ``critical_path`` holds the edges from the node on.
    """

    node: Node
    direction: Direction
    max_depth: int
    total: int
    levels: tuple[int, ...]
    touched: tuple[Impact, ...]
    critical_path: tuple[Edge, ...] = ()
    critical_nodes: tuple[Node, ...] = ()

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node touched with its risk."""
        for touched in self.touched:
            yield touched.node, touched.risk, f"depth {touched.depth}, {_walked(touched.via, touched.node)}"

    def headline(self) -> str:
        """Return how much is touched."""
        if not self.total:
            return f"Nothing is touched by a change to {title(self.node)} ({self.direction}, {self.max_depth} steps)."
        counts = ", ".join(f"{count} at depth {depth}" for depth, count in enumerate(self.levels, 1))
        path = " → ".join(title(node) for node in self.critical_nodes)
        nodes = "1 node" if self.total == 1 else f"{self.total} nodes"
        return f"A change to {title(self.node)} touches {nodes} ({counts}); critical path: {path}."

    def mermaid(self) -> str:
        """Draw the nodes listed with the edges that reach them; the critical path is marked."""
        edges = dict.fromkeys([*(touched.via for touched in self.touched), *self.critical_path])
        nodes = [self.node, *self.critical_nodes[1:], *(touched.node for touched in self.touched)]
        return mermaid(nodes, list(edges), marked=frozenset(node.id for node in self.critical_nodes))


def _walked(edge: Edge, node: Node) -> str:
    other, arrow = (edge.source, "along") if edge.target == node.id else (edge.target, "against")
    return f"from {other} {arrow} {edge.type or 'an edge'}"


@dataclass
class Spread:
    """What the breadth-first search found: arrays over all nodes, ``depth`` is −1 where it did not come."""

    depth: NDArray[np.int32]
    parent: Positions
    type: NDArray[np.int32]
    weight: NDArray[np.float32]
    along: NDArray[np.bool_]
    risk: FloatArray
    total_risk: FloatArray
    reached: list[Positions] = field(default_factory=list)


def spread(graph: Graph, start: int, max_depth: int, *, along: object, against: object) -> Spread:
    """Search breadth first from one node; ``along`` and ``against`` are those of ``Graph.walk``."""
    n = graph.size
    found = Spread(
        np.full(n, -1, np.int32),
        np.full(n, -1, np.int64),
        np.zeros(n, np.int32),
        np.zeros(n, np.float32),
        np.zeros(n, bool),
        np.zeros(n),
        np.zeros(n),
    )
    found.depth[start] = 0
    frontier = np.array([start], np.int64)
    for depth in range(1, max_depth + 1):
        steps = graph.walk(frontier, along=along, against=against)
        steps = steps.where(found.depth[steps.targets] < 0)
        if not len(steps):
            break
        order = np.lexsort(
            (~steps.along, graph.type_rank[steps.types], graph.id_rank[steps.sources], -steps.weights, steps.targets)
        )
        steps = steps.where(order)
        steps = steps.where(first_of_each(steps.targets))
        frontier = steps.targets
        found.depth[frontier] = depth
        found.parent[frontier] = steps.sources
        found.type[frontier], found.weight[frontier], found.along[frontier] = steps.types, steps.weights, steps.along
        found.risk[frontier] = steps.weights.astype(np.float64) * graph.centrality(frontier) / depth
        found.total_risk[frontier] = found.total_risk[steps.sources] + found.risk[frontier]
        found.reached.append(frontier)
    return found


def critical_path(graph: Graph, found: Spread) -> list[int]:
    """Return the positions of the branch with the largest sum of risks, from the start on; empty without any."""
    if not found.reached:
        return []
    nodes = np.concatenate(found.reached)
    last = int(nodes[np.lexsort((graph.id_rank[nodes], found.depth[nodes], -found.total_risk[nodes]))[0]])
    path = [last]
    while found.depth[path[-1]] > 0:
        path.append(int(found.parent[path[-1]]))
    return path[::-1]


def edge_into(graph: Graph, found: Spread, position: int) -> Edge:
    """Return the edge by which a node was reached."""
    ids = graph.index.ids
    ends = (ids[int(found.parent[position])], ids[position])
    source, target = ends if found.along[position] else ends[::-1]
    return Edge(source, target, graph.adjacency.type_names[found.type[position]], float(found.weight[position]))


def dependents(vocabulary: Vocabulary) -> tuple[tuple[TypeMatch, ...], Positions, Positions]:
    """Return the edge types along which effects travel, and the numbers of those walked along and against the arrow."""
    sides: dict[str, list[int]] = {"along": [], "against": []}
    followed: dict[str, TypeMatch] = {}
    for role, way in DEPENDENT_ROLES.items():
        for match in vocabulary.role(role):
            if match.type in followed:
                continue
            followed[match.type] = match
            contrary = "against" if way == "along" else "along"
            sides[contrary if match.inverse else way].append(vocabulary.names.index(match.type))
    along, against = (np.array(sides[side], np.int64) for side in ("along", "against"))
    return tuple(followed.values()), along, against


def answer(view: View, node: str | Node, direction: Direction, max_depth: int, limit: int) -> ImpactAnswer:
    """Return what a change touches; the arguments are those of ``Questions.impact_analysis``."""
    graph = view.graph
    here = view.position(node)
    along: object = direction in ("downstream", "both")
    against: object = direction in ("upstream", "both")
    notes: list[str] = []
    followed: tuple[TypeMatch, ...] = ()
    if direction == "dependents":
        followed, along, against = dependents(view.vocabulary)
        if not followed:
            notes.append(
                f"{lacking(tuple(DEPENDENT_ROLES), 'dependents cannot be told')} "
                "Ask for direction downstream, upstream or both."
            )
    found = spread(graph, here, min(max_depth, graph.size), along=along, against=against)
    touched = np.concatenate([np.empty(0, np.int64), *found.reached])
    best = touched[graph.best(touched, found.risk[touched], limit)].tolist()
    path = critical_path(graph, found)
    nodes = view.nodes([here, *best, *path])
    if len(touched) > limit:
        notes.append(f"{len(touched)} nodes are touched; the {limit} with the highest risk are listed.")
    return ImpactAnswer(
        node=nodes[here],
        direction=direction,
        max_depth=max_depth,
        total=len(touched),
        levels=tuple(len(level) for level in found.reached),
        touched=tuple(
            Impact(nodes[p], int(found.depth[p]), float(found.risk[p]), edge_into(graph, found, p)) for p in best
        ),
        critical_path=tuple(edge_into(graph, found, p) for p in path[1:]),
        critical_nodes=tuple(nodes[p] for p in path),
        edge_types=followed,
        truncated=len(touched) > limit,
        notes=tuple(notes),
    )
