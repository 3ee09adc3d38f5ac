"""``explore_smart`` and ``edge_type_boost``: what lies around a node, ranked.

A level of the tree is ranked by ``0.6 · degree centrality + 0.4 · edge types at the node / edge types in the graph``;
a hub has more than twice the mean degree of its level. Degrees count distinct undirected neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.arguments import many, strings
from fourfold.index.base import Nodes
from fourfold.questions.graph import Graph, first_of_each
from fourfold.questions.results import Answer, arrow, mermaid, passage, title
from fourfold.questions.view import View
from fourfold.ragged import distinct
from fourfold.types import Edge, FloatArray, Node

CENTRALITY, VARIETY, HUB = 0.6, 0.4, 2.0
OUT, IN = 0.5, 0.3


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: its score on its level, the node above it, the edge between them, and whether it is a hub."""

    node: Node
    depth: int
    score: float
    degree: int
    hub: bool
    parent: str
    via: Edge


@dataclass(frozen=True, kw_only=True)
class ExploreAnswer(Answer):
    """A tree around ``node``: ``levels[d-1]`` holds the nodes d steps away, best first, ties by id.

    ``totals`` counts the nodes found on each level; a level lists, and the next one starts from, the best of them.
    """

    node: Node
    levels: tuple[tuple[Branch, ...], ...]
    totals: tuple[int, ...]

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node level by level."""
        for level in self.levels:
            for branch in level:
                hub = ", hub" if branch.hub else ""
                yield branch.node, branch.score, f"depth {branch.depth}, {branch.degree} neighbours{hub}"

    def headline(self) -> str:
        """Return how much lies around the node."""
        if not self.levels:
            return f"Nothing is connected to {title(self.node)}."
        counts = ", ".join(f"{total} at depth {depth}" for depth, total in enumerate(self.totals, 1))
        return f"Around {title(self.node)}: {counts}."

    def mermaid(self) -> str:
        """Draw the tree; hubs are marked."""
        branches = [branch for level in self.levels for branch in level]
        hubs = frozenset(branch.node.id for branch in branches if branch.hub)
        return mermaid([self.node, *(b.node for b in branches)], [b.via for b in branches], marked=hubs)

    def told(self, question: str = "") -> str:
        """Return the answer as text, with passages of its nodes."""
        below: dict[str, list[Branch]] = {}
        for level in self.levels:
            for branch in level:
                below.setdefault(branch.parent, []).append(branch)
        lines = [self.headline(), *filter(None, (title(self.node), passage(self.node, question)))]
        pending = [(branch, 1) for branch in reversed(below.get(self.node.id, []))]
        while pending:
            branch, depth = pending.pop()
            drawn = arrow(branch.via.type, along=branch.via.target == branch.node.id)
            hub = "  (hub)" if branch.hub else ""
            lines.append(f"{'  ' * depth}{drawn} {title(branch.node)}  {branch.score:.3f}{hub}")
            pending += [(child, depth + 1) for child in reversed(below.get(branch.node.id, []))]
        return "\n".join([*lines, *self._texts(question), *self._footnotes()])


@dataclass(frozen=True)
class Level:
    """One level of the tree as arrays; ``nodes`` (best first) are cut to the width, ``total`` is before the cut."""

    nodes: Nodes
    parents: Nodes
    scores: FloatArray
    degrees: NDArray[np.int64]
    hubs: NDArray[np.bool_]
    total: int


def tree(graph: Graph, start: int, depth: int, width: int) -> list[Level]:
    """Return the levels of the tree, breadth first in both directions.

    The node above is the best-ranked neighbour on the level before; only listed nodes are expanded.
    """
    n_types = max(len(graph.edges.types_in_use), 1)
    frontier = seen = np.array([start], np.int64)
    levels: list[Level] = []
    for _ in range(depth):
        origin, targets = graph.neighbours(frontier)
        fresh = ~ordered.contains(seen, targets)
        origin, targets = origin[fresh], targets[fresh]
        if not len(targets):
            break
        order = np.lexsort((origin, targets))  # the frontier is ranked, so the first origin is the best
        origin, targets = origin[order], targets[order]
        first = first_of_each(targets)
        nodes, parents = targets[first], frontier[origin[first]]
        seen = ordered.union((seen, nodes))
        degrees = graph.degree(nodes)
        scores = CENTRALITY * graph.central(degrees) + VARIETY * graph.variety(nodes) / n_types
        hubs = degrees > HUB * degrees.mean()
        kept = graph.best(nodes, scores, width)
        levels.append(Level(nodes[kept], parents[kept], scores[kept], degrees[kept], hubs[kept], len(nodes)))
        frontier = nodes[kept]
    return levels


@dataclass(frozen=True, slots=True)
class Boosted:
    """A neighbour of the seeds: its score, and how many chosen edges lead to it (``out``) and from it (``into``)."""

    node: Node
    score: float
    out: int
    into: int


@dataclass(frozen=True, kw_only=True)
class BoostAnswer(Answer):
    """Neighbours of the seeds through the chosen edge types, best first, ties by id; ``total`` counts all of them."""

    seeds: tuple[Node, ...]
    boosted: tuple[Boosted, ...]
    total: int

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each neighbour with its score."""
        for found in self.boosted:
            yield found.node, found.score, f"edges: {found.out} to it, {found.into} from it"

    def headline(self) -> str:
        """Return how many neighbours there are."""
        types = ", ".join(dict.fromkeys(match.type for match in self.edge_types)) or "no edge type of the graph"
        count = "1 neighbour" if self.total == 1 else f"{self.total} neighbours"
        return f"{count} of {', '.join(map(title, self.seeds)) or 'no seed'} through {types}:"


def boost(graph: Graph, seeds: Nodes, forward: Nodes, inverse: Nodes) -> tuple[Nodes, FloatArray, Nodes, Nodes]:
    """Return the neighbours, their scores in (0, 1], and the numbers of edges to and from each.

    Every edge counts: +0.5 for one from a seed to the node, +0.3 for one from the node to a seed; divided by the
    largest sum. Self loops do not count. Edges of the types ``inverse`` are read with their ends swapped.
    """
    counts = []
    for along, against in ((forward, inverse), (inverse, forward)):
        steps = graph.walk(seeds, along=along, against=against)
        steps = steps.of(steps.sources != steps.targets)
        counts.append(steps.targets)
    found, place = ordered.numbered(np.concatenate(counts))
    out, into = (
        np.bincount(places, minlength=len(found)) for places in (place[: len(counts[0])], place[len(counts[0]) :])
    )
    total = OUT * out + IN * into
    return found, total / total.max(initial=1e-300), out, into


def answer(view: View, node: str | Node, depth: int, width: int) -> ExploreAnswer:
    """Return the tree around a node; the arguments are those of ``Questions.explore_smart``."""
    graph = view.graph
    here = view.number(node)
    levels = tree(graph, here, min(depth, graph.size), width)
    nodes = view.nodes([here, *(p for level in levels for p in level.nodes.tolist())])
    listed = []
    for place, level in enumerate(levels, 1):
        branches = []
        columns = (level.nodes, level.parents, level.scores, level.degrees, level.hubs)
        for p, parent, score, degree, hub in zip(*(column.tolist() for column in columns), strict=True):
            via = graph.edge(graph.between(parent, p), 0)
            branches.append(Branch(nodes[p], place, score, degree, hub, nodes[parent].id, via))
        listed.append(tuple(branches))
    cut = any(level.total > len(level.nodes) for level in levels)
    notes = (f"A level lists, and the next one starts from, its {width} best nodes.",) if cut else ()
    totals = tuple(level.total for level in levels)
    return ExploreAnswer(node=nodes[here], levels=tuple(listed), totals=totals, truncated=cut, notes=notes)


def boost_answer(view: View, seeds: Iterable[str | Node], types: Iterable[str], limit: int) -> BoostAnswer:
    """Return the boosted neighbours; the arguments are those of ``Questions.edge_type_boost``."""
    graph = view.graph
    given = [seeds] if isinstance(seeds, (str, Node)) else many(seeds, "seeds", "nodes")
    starts = distinct(np.array([view.number(seed) for seed in given], np.int64))
    wanted = list(dict.fromkeys(strings(types, "types")))
    by_type = {name: view.vocabulary.chosen(name) for name in wanted}
    followed = tuple({match.type: match for found in by_type.values() for match in found}.values())
    found, scores, out, into = boost(graph, starts, *view.vocabulary.numbers(followed))
    best = graph.best(found, scores, limit).tolist()
    nodes = view.nodes([*starts.tolist(), *found[best].tolist()])
    notes = [
        f"The graph has no edge type {name!r}, nor one that means the same." for name in wanted if not by_type[name]
    ]
    if len(found) > limit:
        notes.append(f"{len(found)} neighbours were found; the {limit} best are listed.")
    return BoostAnswer(
        seeds=tuple(nodes[s] for s in starts.tolist()),
        boosted=tuple(Boosted(nodes[int(found[p])], float(scores[p]), int(out[p]), int(into[p])) for p in best),
        total=len(found),
        edge_types=followed,
        truncated=len(found) > limit,
        notes=tuple(notes),
    )
