"""``similar_to``: nodes that stand in the graph as a node does.

``similarity(u, v) = 0.70 · Jaccard(N(u), N(v)) + 0.20 · [type(u) = type(v)] + 0.10 · Jaccard(words(u), words(v))``:
N are the distinct neighbours in either direction without the node itself, words the terms of the name. Similar in
structure means sharing a neighbour, so nodes that share none are not candidates; an empty type equals no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fourfold.index.base import Nodes
from fourfold.ordered import least_of_largest
from fourfold.questions.graph import Graph
from fourfold.questions.results import Answer, title
from fourfold.questions.view import View
from fourfold.types import FloatArray, Node

STRUCTURE, TYPE, NAME = 0.70, 0.20, 0.10

COMPARED = 2000
"""At most that many candidates have their type and name compared: those with the largest Jaccard, ties by id."""


@dataclass(frozen=True, slots=True)
class Similar:
    """One similar node with the parts of its score; ``shared`` counts the common neighbours."""

    node: Node
    score: float
    structure: float
    same_type: bool
    name_overlap: float
    shared: int


@dataclass(frozen=True, kw_only=True)
class SimilarAnswer(Answer):
    """The nodes most similar to ``node``, best first, ties by id; ``total`` counts all that share a neighbour."""

    node: Node
    similar: tuple[Similar, ...]
    total: int

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each similar node with its similarity."""
        for found in self.similar:
            parts = [f"{found.shared} shared neighbour{'s' if found.shared != 1 else ''} ({found.structure:.2f})"]
            parts += ["same type"] if found.same_type else []
            parts += [f"name {found.name_overlap:.2f}"] if found.name_overlap else []
            yield found.node, found.score, ", ".join(parts)

    def headline(self) -> str:
        """Return how many there are."""
        if not self.similar:
            return f"No node shares a neighbour with {title(self.node)}."
        return f"Similar to {title(self.node)} ({self.total} share a neighbour with it):"


def candidates(graph: Graph, node: int) -> tuple[Nodes, FloatArray, Nodes]:
    """Return every node that shares a neighbour with ``node``, the Jaccard coefficient and the number shared."""
    own = graph.neighbours(np.array([node], np.int64))[1]
    found, common = np.unique(graph.neighbours(own)[1], return_counts=True)
    found, common = found[found != node], common[found != node]
    return found, common / (len(own) + graph.degree(found) - common), common


def promising(graph: Graph, found: Nodes, jaccard: FloatArray, k: int) -> tuple[Nodes, bool]:
    """Return places of the candidates that can be among the k best, and whether ``COMPARED`` cut them.

    Type and name add at most 0.30, so what lies further than that below the k-th best Jaccard is out.
    """
    if len(found) <= k:
        return np.arange(len(found)), False
    near = np.nonzero(STRUCTURE * jaccard + TYPE + NAME >= STRUCTURE * least_of_largest(jaccard, k) - 1e-12)[0]
    if len(near) <= COMPARED:
        return near, False
    return near[graph.best(found[near], jaccard[near], COMPARED)], True


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard coefficient of two sets of words; 0 if both are empty."""
    return len(one & other) / len(one | other) if one or other else 0.0


def answer(view: View, node: str | Node, k: int) -> SimilarAnswer:
    """Return the k most similar nodes."""
    graph = view.graph
    here = view.number(node)
    found, jaccard, shared = candidates(graph, here)
    places, cut = promising(graph, found, jaccard, k)
    nodes = view.nodes([here, *found[places].tolist()])
    own = nodes[here]
    words = frozenset(view.terms(own.name))
    rows = []
    for place in places.tolist():
        other = nodes[int(found[place])]
        same = bool(own.type) and own.type == other.type
        names = overlap(words, frozenset(view.terms(other.name)))
        score = STRUCTURE * float(jaccard[place]) + TYPE * same + NAME * names
        rows.append(Similar(other, score, float(jaccard[place]), same, names, int(shared[place])))
    rows.sort(key=lambda row: (-row.score, row.node.id))
    notes = (
        (f"{len(found)} nodes share a neighbour; type and name were compared for the {COMPARED} that share most.",)
        if cut
        else ()
    )
    return SimilarAnswer(node=own, similar=tuple(rows[:k]), total=len(found), truncated=cut, notes=notes)
