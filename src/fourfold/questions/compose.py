"""``compose_for``: an ordered plan for a goal of several parts.

The goal is split as ``fourfold.planning`` splits every request ("and", "then", "after", numbers); each part takes its
best node. Steps stand in the goal's order unless "requires" or "feeds into" between them says otherwise. Whatever a
step requires, however indirectly, and is no step is a missing prerequisite; "conflicts with" between steps is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from fourfold.index.base import Nodes
from fourfold.planning import Served, in_order, permitted, planned, settled
from fourfold.questions import locate
from fourfold.questions.graph import Graph, StepsTaken
from fourfold.questions.results import Answer, mermaid, title
from fourfold.questions.view import View, lacking
from fourfold.questions.vocabulary import Vocabulary
from fourfold.ragged import distinct
from fourfold.types import Edge, Node

ROLES = ("feeds_into", "requires", "conflicts_with")

MISSING = 50
"""At most that many missing prerequisites are listed, the nearest first."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan: the part of the goal it serves, its node, and how well it matches, in [0, 1]."""

    part: str
    node: Node
    score: float


@dataclass(frozen=True, slots=True)
class Missing:
    """A node that a step requires and the plan does not have; ``edge`` is the requirement nearest to the plan."""

    node: Node
    required_by: Node
    edge: Edge


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two steps that exclude each other, and the edge that says so."""

    one: Node
    other: Node
    edge: Edge


@dataclass(frozen=True, kw_only=True)
class PlanAnswer(Answer):
    """An ordered plan: its steps, the edges between them, what is missing, what conflicts, and parts nothing serves."""

    goal: str
    steps: tuple[Step, ...]
    edges: tuple[Edge, ...] = ()
    missing: tuple[Missing, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unmatched: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield the steps in order."""
        for place, step in enumerate(self.steps, 1):
            yield step.node, step.score, f"step {place}, for {step.part!r}"

    def headline(self) -> str:
        """Return the plan in one line."""
        if not self.steps:
            return f"No node serves any part of {self.goal!r}."
        return " → ".join(title(step.node) for step in self.steps)

    def mermaid(self) -> str:
        """Draw the plan: its edges, and between steps without any an arrow in the plan's order; steps are marked."""
        nodes = [step.node for step in self.steps]
        linked = {frozenset((edge.source, edge.target)) for edge in self.edges}
        order = [Edge(one.id, two.id, "") for one, two in pairwise(nodes) if frozenset((one.id, two.id)) not in linked]
        edges = dict.fromkeys([*self.edges, *order, *(m.edge for m in self.missing), *(c.edge for c in self.conflicts)])
        marked = frozenset(node.id for node in nodes)
        return mermaid([*nodes, *(missing.node for missing in self.missing)], list(edges), marked=marked)

    def told(self, question: str = "") -> str:
        """Return the answer as text, with passages of its nodes."""
        lines = [self.headline()]
        lines += [
            f"{place:3}. {title(step.node)}  (for {step.part!r}, {step.score:.3f})"
            for place, step in enumerate(self.steps, 1)
        ]
        lines += [f"Missing: {title(m.node)}, required by {title(m.required_by)}" for m in self.missing]
        lines += [f"Conflict: {title(c.one)} and {title(c.other)} ({c.edge.type})" for c in self.conflicts]
        lines += [f"Nothing found for {part!r}" for part in self.unmatched]
        return "\n".join([*lines, *self._texts(question), *self._footnotes()])


def steps_between(graph: Graph, vocabulary: Vocabulary, steps: Nodes, role: str) -> StepsTaken:
    """Return the edges of a role between steps, each from the node that feeds, requires or conflicts."""
    walk = _walk(graph, vocabulary, steps, role)
    return walk.of(np.isin(walk.targets, steps) & (walk.sources != walk.targets))


def requirements(graph: Graph, vocabulary: Vocabulary, steps: Nodes) -> tuple[list[tuple[int, StepsTaken]], bool]:
    """Return what the steps require and lack, nearest first, each with the one step to it; and if it was cut."""
    seen = steps
    frontier = steps
    missing: list[tuple[int, StepsTaken]] = []
    while len(frontier) and len(missing) <= MISSING:
        walk = _walk(graph, vocabulary, frontier, "requires")
        walk = walk.of(~np.isin(walk.targets, seen))
        walk = walk.of(np.lexsort((graph.id_rank(walk.sources), graph.id_rank(walk.targets))))
        _, first = np.unique(walk.targets, return_index=True)
        walk = walk.of(np.sort(first))
        missing += [
            (int(target), walk.of(np.array([place]))) for place, target in enumerate(walk.targets[: MISSING + 1])
        ]
        frontier = walk.targets
        seen = distinct(np.concatenate((seen, frontier)))
    return missing[:MISSING], len(missing) > MISSING


def _walk(graph: Graph, vocabulary: Vocabulary, nodes: Nodes, role: str) -> StepsTaken:
    along, against = vocabulary.numbers(vocabulary.role(role))
    return graph.walk(nodes, along=along, against=against)


def answer(view: View, goal: str, max_tools: int) -> PlanAnswer:
    """Return the plan; the arguments are those of ``Questions.compose_for``."""
    graph = view.graph
    parts, left_out = planned(goal, max_tools)
    came = settled(parts, partial(_served, view, max_tools + 2), least=0.0, joined=0.0)
    chosen = {place: (part, worth) for part, (place, worth) in came.steps}
    given = list(chosen)
    at = np.array(given, np.int64)
    feeds, needs, clashes = (steps_between(graph, view.vocabulary, at, role) for role in ROLES)
    before = [
        *zip(feeds.sources.tolist(), feeds.targets.tolist(), strict=True),
        *zip(needs.targets.tolist(), needs.sources.tolist(), strict=True),
    ]
    ordered = in_order(given, before, pairwise(given), guess=given.index, place=given.index)
    missing, cut = requirements(graph, view.vocabulary, at)
    nodes = view.nodes([*given, *(m for m, _ in missing), *(int(w.sources[0]) for _, w in missing)])
    known = view.vocabulary.roles(ROLES)
    notes = [] if known else [lacking(ROLES, "the plan stands in the goal's order, unchecked")]
    if ordered.cycles:
        notes.append("The steps require one another in a circle; they stand in the goal's order.")
    notes += [*permitted(goal).notes, *left_out]
    if cut:
        notes.append(f"More than {MISSING} prerequisites are missing; the nearest are listed.")
    notes += [
        f"{title(nodes[p])!r} was found by meaning only: it shares no word with {part!r}."
        for p, (part, score) in chosen.items()
        if not score
    ]
    return PlanAnswer(
        goal=goal,
        steps=tuple(Step(chosen[p][0], nodes[p], chosen[p][1]) for p in ordered.steps),
        edges=tuple(dict.fromkeys(graph.edge(walk, place) for walk in (feeds, needs) for place in range(len(walk)))),
        missing=tuple(Missing(nodes[m], nodes[int(walk.sources[0])], graph.edge(walk, 0)) for m, walk in missing),
        conflicts=_conflicts(graph, clashes, nodes),
        unmatched=came.missing,
        edge_types=known,
        truncated=cut or bool(left_out),
        notes=tuple(notes),
    )


def _served(view: View, k: int, part: str, others: Sequence[tuple[int, float]]) -> Served[tuple[int, float]] | None:
    """Return the best of k hits for a part of the goal that serves no other part, as (node, how well it matches)."""
    taken = {place for place, _ in others}
    for place, hit in view.numbered(view.search(part, k)):
        if place not in taken:
            worth = locate.coverage(view.graph, part, [hit.node], view.terms)
            sure = locate.rate(view.graph, part, [hit.node], view.terms)[0].confidence
            return Served((place, worth), worth, sure >= locate.CONFIDENT)
    return None


def _conflicts(graph: Graph, clashes: StepsTaken, nodes: Mapping[int, Node]) -> tuple[Conflict, ...]:
    """Return each pair of steps that exclude each other once, with the first edge that says so."""
    found: dict[frozenset[int], Conflict] = {}
    for place, (one, other) in enumerate(zip(clashes.sources.tolist(), clashes.targets.tolist(), strict=True)):
        found.setdefault(frozenset((one, other)), Conflict(nodes[one], nodes[other], graph.edge(clashes, place)))
    return tuple(found.values())
