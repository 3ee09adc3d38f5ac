"""``ask`` and ``intent_search``: which method answers which intent, and what happens when it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fourfold.filters import parse
from fourfold.questions import capability, facts, locate, lookup
from fourfold.questions.facts import SearchAnswer
from fourfold.questions.graph import Reached
from fourfold.questions.intents import Classification
from fourfold.questions.locate import Subject
from fourfold.questions.methods import Asked, Outcome, own_method
from fourfold.questions.results import Answer, title
from fourfold.questions.rules import classify_intent
from fourfold.questions.view import View
from fourfold.types import Edge, Hit, Node, SearchResult

EDGES_SHOWN = 20
"""At most that many edges of a node are shown."""

_EXPANDED, _HOPS_SHOWN = 3, 10
_BACKWARD = 0.7


@dataclass(frozen=True, kw_only=True)
class AskAnswer(Answer):
    """The answer of the method that fits: which one, why, and which nodes the question was taken to be about."""

    question: str
    classification: Classification
    method: str
    why: str
    subjects: tuple[Subject, ...]
    answer: Answer

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield the rows of the method's answer."""
        yield from self.answer.rows()

    def headline(self) -> str:
        """Return the headline of the method's answer."""
        return self.answer.headline()

    def as_dict(self) -> dict[str, Any]:
        """Return the whole answer in plain JSON types."""
        return {**super().as_dict(), "answer": self.answer.as_dict()}

    def told(self, question: str = "") -> str:
        """Return which method answered, why, and its answer as text; what edges lead to stands before all that."""
        about = ", ".join(f"{title(s.node)} ({s.confidence:.2f})" for s in self.subjects)
        head = f"{self.method}: {self.why}" + (f" About {about}." if about else "")
        told = self.answer.told(question or self.question)
        if isinstance(self.answer, SearchAnswer) and self.answer.facts:
            first, _, rest = told.partition("\n")
            return f"{first}\n{head}\n{rest}"
        return f"{head}\n{told}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its edges, the heaviest first (at most ``EDGES_SHOWN``)."""

    hit: Hit
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Expanded:
    """A node one hop from one of the best hits, and the edge that leads there."""

    node: Node
    score: float
    via: Edge


@dataclass(frozen=True, kw_only=True)
class IntentSearchAnswer(Answer):
    """Ranked nodes with their edges, what the intent's own method says, and the neighbours of the best three.

    ``method`` names the method that answered; ``answer`` is None where none of the twelve fits.
    """

    query: str
    classification: Classification
    search: SearchResult
    ranked: tuple[Ranked, ...]
    expanded: tuple[Expanded, ...]
    method: str
    answer: Answer | None = None

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield the ranked nodes."""
        for found in self.ranked:
            yield found.hit.node, found.hit.score, found.hit.why

    def headline(self) -> str:
        """Return the intent and what the method says."""
        said = f"; {self.method}: {self.answer.headline()}" if self.answer is not None else ""
        return f"{self.classification}{said}"

    def as_dict(self) -> dict[str, Any]:
        """Return the whole answer in plain JSON types."""
        return {**super().as_dict(), "answer": None if self.answer is None else self.answer.as_dict()}


def ask(view: View, query: str, node: str | Node | None, to: str | Node | None, k: int) -> AskAnswer:
    """Run the method that fits; the arguments are those of ``Questions.ask``."""
    classification = classify_intent(query)
    asked = Asked(query, classification.intent, k, node, to)
    given = view.graph.ids([view.number(end) for end in (node, to) if end is not None])
    fact = None if given else facts.instead_of(view, query, classification.intent, k)
    done = own_method(view, asked) if fact is None else Outcome("search", asked.read)
    method, why, subjects = done.method, done.why, done.subjects
    if done.answer is None:
        answer: Answer = (found := facts.searched(view, query, k) if fact is None else fact)
        if found.facts:
            sure, subjects = facts.told_of(view, found)
            why = f"{why} {sure}"
    else:
        about = [subject.node for subject in subjects]
        if isinstance(done.answer, capability.CapabilityAnswer) and done.answer.subject is not None:
            about.append(done.answer.subject)
        answer = replace(done.answer, notes=(*done.answer.notes, *_namesakes(view, query, about, given)))
    return AskAnswer(
        question=query,
        classification=classification,
        method=method,
        why=why,
        subjects=subjects,
        answer=answer,
        notes=answer.notes,
        truncated=answer.truncated,
        edge_types=answer.edge_types,
    )


def intent_search(view: View, query: str, limit: int, filters: Mapping[str, Any] | None) -> IntentSearchAnswer:
    """Classify, search, run the intent's method, expand; the arguments are those of ``Questions.intent_search``."""
    classification = classify_intent(query)
    condition = None if filters is None else lookup.number_filter(filters) or None
    result = view.retriever.search(query, k=limit, filter=condition)
    done = own_method(view, Asked(query, classification.intent, limit))
    found = done.answer
    hits = view.numbered(result)
    ranked = []
    cut = False
    for place, hit in hits:
        walk = view.graph.walk(np.array([place], np.int64))
        order = np.lexsort((view.graph.id_rank(walk.targets), -walk.weights))[:EDGES_SHOWN]
        cut = cut or len(walk) > EDGES_SHOWN
        ranked.append(Ranked(hit, tuple(dict.fromkeys(view.graph.edge(walk, int(place)) for place in order))))
    notes = [] if found is not None else [done.why]
    if cut:
        notes.append(f"At most {EDGES_SHOWN} edges of a node are shown, the heaviest.")
    return IntentSearchAnswer(
        query=query,
        classification=classification,
        search=result,
        ranked=tuple(ranked),
        expanded=_one_hop(view, hits, condition),
        method=done.method,
        answer=found,
        notes=(*notes, *result.notes, *(found.notes if found is not None else ())),
        truncated=cut,
        edge_types=found.edge_types if found is not None else (),
    )


def _namesakes(view: View, query: str, about: Sequence[Node], given: Sequence[str]) -> Iterator[str]:
    """Yield which of several nodes of one name was taken, where the question does not say by its id."""
    said = {*given, *locate.spelled(query)}
    for node in about:
        if title(node) != node.name or node.id in said:
            continue
        others = [other.id for other in view.named(node.name) if other.id != node.id]
        if others:
            yield (
                f"{len(others) + 1} nodes are named {node.name!r}: {node.id!r} was taken, not "
                f"{', '.join(map(repr, others))}; node= with an id says which is meant."
            )


def _one_hop(view: View, hits: list[tuple[int, Hit]], condition: Mapping[str, Any] | None) -> tuple[Expanded, ...]:
    """Return neighbours of the best three: score of the hit · type weight · edge weight, · 0.7 backwards."""
    best = hits[:_EXPANDED]
    if not best:
        return ()
    graph, config = view.graph, view.retriever.config
    starts = np.array([place for place, _ in best], np.int64)
    scores = Reached(score=0.0)
    scores.add(starts, score=[hit.score for _, hit in best])
    walk = graph.walk(starts)
    walk = walk.of(~np.isin(walk.targets, [place for place, _ in hits]))
    if condition is not None:
        allowed = view.retriever.backend.allowed(parse(condition))
        walk = walk.of(allowed.contains(walk.targets))
    by_type = config.graph.weights_of(graph.type_names)
    gain = (
        scores.at("score", walk.sources)
        * by_type[walk.types]
        * np.minimum(walk.weights, 1.0)
        * np.where(walk.along, 1.0, _BACKWARD)
    )
    order = np.lexsort((graph.id_rank(walk.targets), -gain))
    _, first = np.unique(walk.targets[order], return_index=True)
    shown = order[np.sort(first)][:_HOPS_SHOWN].tolist()
    nodes = view.nodes(walk.targets[shown].tolist())
    return tuple(Expanded(nodes[int(walk.targets[p])], float(gain[p]), graph.edge(walk, p)) for p in shown)
