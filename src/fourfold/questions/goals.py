"""``want_to``: nodes that serve a goal, each with the path by which it does.

The goal's words find the first nodes. From each the search goes along "enables", against "requires" and along
"optimizes"; against "enables" and "optimizes", which is how graphs of tools and capabilities say the same, counts 0.7.
A step keeps 0.7 of the score, times the edge's weight where that is below 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fourfold.index.base import Nodes
from fourfold.questions.graph import Graph, Tree, first_of_each
from fourfold.questions.results import Answer, arrow, mermaid, title
from fourfold.questions.view import View, lacking
from fourfold.questions.vocabulary import Vocabulary
from fourfold.types import Edge, FloatArray, Node

ROLES = ("enables", "requires", "optimizes")
STEP, CONTRARY = 0.7, 0.7
STARTS = 5
"""How many nodes the goal's words find at most."""
STRONG = 0.5
"""A node is found by the goal's words if it has at least this share of the best one's score."""

_DENIED = re.compile(r"\b(?:not|no|never|without|except|cannot|(?:do|does|is|are|ca|wo)n['’]t)\b", re.IGNORECASE)
"""Words by which a goal says what is not wanted; a search does not understand them."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A node that serves the goal: its score, and the nodes and edges from the node the goal's words found to it."""

    node: Node
    score: float
    path: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, kw_only=True)
class GoalAnswer(Answer):
    """The nodes that serve a goal, best first, ties by id; ``total`` counts all that were found.

    ``known`` is False where the graph seems to know nothing of the goal: the nodes are then only the nearest.
    """

    goal: str
    serving: tuple[Serving, ...]
    total: int
    known: bool = True

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node with the path to it."""
        for found in self.serving:
            if not found.edges:
                yield found.node, found.score, "matches the goal"
                continue
            steps = [title(found.path[0])]
            for node, edge in zip(found.path[1:], found.edges, strict=True):
                steps.append(f"{arrow(edge.type, along=edge.target == node.id)} {title(node)}")
            yield found.node, found.score, " ".join(steps)

    def headline(self) -> str:
        """Return how many nodes serve the goal."""
        return f"{self.total} node{'s' if self.total != 1 else ''} found for the goal {self.goal!r}:"

    def mermaid(self) -> str:
        """Draw the paths; the nodes that the goal's words found are marked."""
        nodes = [node for found in self.serving for node in found.path]
        edges = dict.fromkeys(edge for found in self.serving for edge in found.edges)
        return mermaid(nodes, list(edges), marked=frozenset(found.path[0].id for found in self.serving))


def reach(graph: Graph, vocabulary: Vocabulary, starts: Nodes, scores: FloatArray, depth: int) -> Tree:
    """Spread from the first nodes along the roles' edges; a node is reached by its best step on its nearest level."""
    factor = _factors(vocabulary)
    found = Tree(score=0.0)
    found.add(starts, score=scores, parent=-1)
    frontier = starts
    for _ in range(depth):
        steps = graph.walk(frontier, along=np.nonzero(factor[0])[0], against=np.nonzero(factor[1])[0])
        steps = steps.of(~found.has(steps.targets))
        if not len(steps):
            break
        gain = found.at("score", steps.sources) * STEP * np.minimum(steps.weights, 1.0)
        gain *= np.where(steps.along, factor[0][steps.types], factor[1][steps.types])
        order = np.lexsort((graph.type_rank[steps.types], graph.id_rank(steps.sources), -gain, steps.targets))
        first = order[first_of_each(steps.targets[order])]
        steps = steps.of(first)
        found.grow(steps, score=gain[first])
        frontier = steps.targets
    return found


def _factors(vocabulary: Vocabulary) -> tuple[FloatArray, FloatArray]:
    """Return the factor of a step by edge type, along the arrow and against it, each (n_types,)."""
    factors = np.zeros((2, len(vocabulary.names)))
    for role, forward, backward in (
        ("enables", 1.0, CONTRARY),
        ("optimizes", 1.0, CONTRARY),
        ("requires", 0.0, 1.0),
    ):
        along, backwards = vocabulary.numbers(vocabulary.role(role))
        for numbers, pair in ((along, (forward, backward)), (backwards, (backward, forward))):
            for side in (0, 1):
                factors[side][numbers] = np.maximum(factors[side][numbers], pair[side])
    return factors[0], factors[1]


def answer(view: View, goal: str, k: int, max_depth: int) -> GoalAnswer:
    """Return the nodes that serve a goal; the arguments are those of ``Questions.want_to``."""
    intent = "goal_based" if any(spec.name == "goal_based" for spec in view.retriever.config.intents.specs) else None
    result = view.search(goal, min(STARTS, k), intent=intent)
    starts, scores = view.known(result)
    strong = scores >= STRONG * scores.max(initial=0.0)
    starts, scores = starts[strong], scores[strong]
    found = reach(view.graph, view.vocabulary, starts, scores, min(max_depth, view.graph.size))
    reached = found.nodes
    scored = np.asarray(found.at("score", reached), np.float64)
    reached, scored = reached[scored > 0], scored[scored > 0]
    best = reached[view.graph.best(reached, scored, k)].tolist()
    edges = found.edges_to(best, view.graph)
    ways = {place: found.way_to(place) for place in best}
    nodes = view.nodes([place for path in ways.values() for place in path])
    followed = view.vocabulary.roles(ROLES)
    notes = [] if followed else [lacking(ROLES, "only the matches of the goal's words are listed")]
    if not result.known:
        told = f"(confidence {result.confidence:.2f})"
        notes.append(f"The graph seems to know nothing of {goal!r} {told}; what is listed is only nearest to it.")
    if denied := _DENIED.search(goal):
        notes.append(f"What stands after {denied[0]!r} is looked for like the rest, not left out.")
    return GoalAnswer(
        goal=goal,
        serving=tuple(
            Serving(
                nodes[place],
                found.of("score", place),
                tuple(nodes[p] for p in path),
                tuple(edges[p] for p in path[1:]),
            )
            for place, path in ways.items()
        ),
        total=len(reached),
        edge_types=followed,
        truncated=len(reached) > k,
        known=result.known,
        notes=tuple(notes),
    )
