"""``impact_analysis``: what a change touches, breadth first, with its risk.

``risk(v) = 1/depth(v) · weight(e) · centrality(v)``: ``e`` is the heaviest edge by which the breadth-first search
first reaches v (ties: the smaller id it comes from, then the smaller type), ``weight`` is ``Edge.weight`` and
``centrality`` is degree / (n − 1) over distinct undirected neighbours. The critical path is the branch of that
breadth-first tree with the largest sum of risks; of equal ones the shortest, then the one with the smallest last id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fourfold.edge_types import ROLES
from fourfold.index.base import Nodes
from fourfold.questions.graph import Graph, Tree, first_of_each
from fourfold.questions.results import Answer, mermaid, title
from fourfold.questions.view import View, lacking
from fourfold.questions.vocabulary import TypeMatch, Vocabulary
from fourfold.ragged import distinct
from fourfold.types import Edge, Node

Direction = Literal["dependents", "downstream", "upstream", "both", "dependencies"]

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
"""``downstream`` follows the arrows, ``upstream`` goes against them, ``both`` does either; ``dependents`` follows
meaning: against "A requires B", along "A feeds into B" and "A enables B" (``edge_types.ROLES``); ``dependencies`` goes
the other way: to what the node depends on."""

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
        nodes = {node.id: node for node in (self.node, *self.critical_nodes, *(one.node for one in self.touched))}
        of_name = Counter(map(title, nodes.values()))
        called = {id_: name for id_, node in nodes.items() if of_name[name := title(node)] == 1}
        for touched in self.touched:
            came = _walked(touched.via, touched.node, called)
            yield touched.node, touched.risk, f"depth {touched.depth}, {came}"

    def headline(self) -> str:
        """Return how much is touched, or how much the node depends on."""
        needs = self.direction == "dependencies"
        if not self.total:
            within = f"({self.direction}, {self.max_depth} steps)"
            if needs:
                return f"{title(self.node)} depends on nothing that the graph tells of {within}."
            return f"Nothing is touched by a change to {title(self.node)} {within}."
        counts = ", ".join(f"{count} at depth {depth}" for depth, count in enumerate(self.levels, 1))
        path = " → ".join(title(node) for node in self.critical_nodes)
        nodes = "1 node" if self.total == 1 else f"{self.total} nodes"
        told = f"{title(self.node)} depends on" if needs else f"A change to {title(self.node)} touches"
        return f"{told} {nodes} ({counts}); critical path: {path}."

    def mermaid(self) -> str:
        """Draw the nodes listed with the edges that reach them; the critical path is marked."""
        edges = dict.fromkeys([*(touched.via for touched in self.touched), *self.critical_path])
        nodes = [self.node, *self.critical_nodes[1:], *(touched.node for touched in self.touched)]
        return mermaid(nodes, list(edges), marked=frozenset(node.id for node in self.critical_nodes))


def _walked(edge: Edge, node: Node, called: Mapping[str, str]) -> str:
    other, arrow = (edge.source, "along") if edge.target == node.id else (edge.target, "against")
    return f"from {called.get(other, other)} {arrow} {edge.type or 'an edge'}"


def spread(graph: Graph, start: int, max_depth: int, *, along: object, against: object) -> Tree:
    """Search breadth first from one node; ``along`` and ``against`` are those of ``Graph.walk``.

    Of the columns ``risk`` is a node's own, ``total_risk`` the sum of the risks on the way to it.
    """
    found = Tree(depth=-1, risk=0.0, total_risk=0.0)
    frontier = np.array([start], np.int64)
    found.add(frontier, parent=-1, depth=0, risk=0.0, total_risk=0.0)
    for depth in range(1, max_depth + 1):
        steps = graph.walk(frontier, along=along, against=against)
        steps = steps.of(~found.has(steps.targets))
        if not len(steps):
            break
        order = np.lexsort(
            (~steps.along, graph.type_rank[steps.types], graph.id_rank(steps.sources), -steps.weights, steps.targets)
        )
        steps = steps.of(order)
        steps = steps.of(first_of_each(steps.targets))
        frontier = steps.targets
        risk = steps.weights.astype(np.float64) * graph.centrality(frontier) / depth
        found.grow(steps, depth=depth, risk=risk, total_risk=found.at("total_risk", steps.sources) + risk)
    return found


def critical_path(graph: Graph, found: Tree) -> list[int]:
    """Return the branch with the largest sum of risks, from the start on; empty without any."""
    if not found.levels:
        return []
    nodes = np.concatenate([level.targets for level in found.levels])
    for name, sign in (("total_risk", 1), ("depth", -1)):  # the ids of those left alone are looked up
        values = sign * found.at(name, nodes)
        nodes = nodes[values == values.max()]
    return found.way_to(int(nodes[graph.id_rank(nodes).argmin()]))


def dependents(vocabulary: Vocabulary) -> tuple[tuple[TypeMatch, ...], Nodes, Nodes]:
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


def steps_to(view: View, node: str | Node, other: str | Node) -> int | None:
    """Return how many steps the effects of a change to one node take to another, however many; None if none get there.

    A node's own effects take 0.
    """
    _, along, against = dependents(view.vocabulary)
    found = spread(view.graph, view.number(node), view.graph.size, along=along, against=against)
    depth = int(found.of("depth", view.number(other)))
    return depth if depth >= 0 else None


def _other_types(graph: Graph, node: int, followed: tuple[TypeMatch, ...]) -> list[str]:
    """Return the types of a node's edges that are not among those followed."""
    types = distinct(graph.walk(np.array([node], np.int64), along=True, against=True).types)
    return sorted({graph.type_names[number] for number in types.tolist()} - {match.type for match in followed} - {""})


def answer(view: View, node: str | Node, direction: Direction, max_depth: int, limit: int) -> ImpactAnswer:
    """Return what a change touches; the arguments are those of ``Questions.impact_analysis``."""
    graph = view.graph
    here = view.number(node)
    along: object = direction in ("downstream", "both")
    against: object = direction in ("upstream", "both")
    notes: list[str] = []
    followed: tuple[TypeMatch, ...] = ()
    if direction in ("dependents", "dependencies"):
        followed, along, against = dependents(view.vocabulary)
        if direction == "dependencies":
            along, against = against, along
        if not followed:
            notes.append(
                f"{lacking(tuple(DEPENDENT_ROLES), f'{direction} cannot be told')} "
                "Ask for direction downstream, upstream or both."
            )
    found = spread(graph, here, min(max_depth, graph.size), along=along, against=against)
    if followed and not found.levels and (passed := _other_types(graph, here, followed)):
        notes.append(
            f"Along {', '.join(passed)} effects are not known to travel; direction downstream, upstream or both "
            "follows them."
        )
    touched = np.concatenate([np.empty(0, np.int64), *(level.targets for level in found.levels)])
    best = touched[graph.best(touched, found.at("risk", touched).astype(np.float64), limit)].tolist()
    path = critical_path(graph, found)
    nodes, edges = view.nodes([here, *best, *path]), found.edges_to([*best, *path], graph)
    if len(touched) > limit:
        notes.append(f"{len(touched)} nodes are touched; the {limit} with the highest risk are listed.")
    return ImpactAnswer(
        node=nodes[here],
        direction=direction,
        max_depth=max_depth,
        total=len(touched),
        levels=tuple(len(level) for level in found.levels),
        touched=tuple(Impact(nodes[p], int(found.of("depth", p)), found.of("risk", p), edges[p]) for p in best),
        critical_path=tuple(edges[p] for p in path[1:]),
        critical_nodes=tuple(nodes[p] for p in path),
        edge_types=followed,
        truncated=len(touched) > limit,
        notes=tuple(notes),
    )
