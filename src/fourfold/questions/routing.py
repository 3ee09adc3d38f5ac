"""``ask`` and ``intent_search``: which method answers which intent, and what happens when it does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fourfold.filters import parse
from fourfold.plain_text import display_name
from fourfold.questions import capability, compose, explore, facts, goals, impact, locate, lookup, paths, similar
from fourfold.questions.effects import Effect, effect_of
from fourfold.questions.facts import SearchAnswer
from fourfold.questions.graph import Reached
from fourfold.questions.intents import READ, Classification, QuestionIntent
from fourfold.questions.locate import CONFIDENT, Subject
from fourfold.questions.results import Answer, title
from fourfold.questions.rules import RULES, classify_intent
from fourfold.questions.view import View
from fourfold.types import Edge, Hit, Node, SearchResult

DEBUG_ROLES = ("has_limitation", "has_workaround", "causes", "fixes")
EDGES_SHOWN = 20
"""At most that many edges of a node are shown."""

_EXPANDED, _HOPS_SHOWN = 3, 10
_BACKWARD = 0.7
_PHRASE_WORDS = 4
_PREAMBLE = re.compile(
    r"^\s*(?:(?:please|find|locate|search|look|looking|need|want|recommend|suggest|advise|which|what|who|is|are|there|do|we|i|i'm"
    r"|have|got|can|could|should|would|you|me|us|a|an|any|some|the|best|good|ideal|right|tools?|functions?|commands?|utility"
    r"|service|library|something|anything|use|be|on|in|here|for|to|that)\s+)*(?:for|to|that|which|who)\s+",
    re.IGNORECASE,
)
"""Words before a goal that ask for it and say nothing of it."""


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
        about = ", ".join(f"{display_name(s.node.name, s.node.id)} ({s.confidence:.2f})" for s in self.subjects)
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
    for given in (node, to):
        if given is not None:
            view.number(given)
    fact = facts.instead_of(view, query, classification.intent, k) if node is None and to is None else None
    if fact is None:
        method, why, subjects, found = _own_method(view, classification, query, node, to, k)
    else:
        method, why, subjects, found = "search", f"read as {classification.intent}.", (), None
    if found is None:
        found = facts.searched(view, query, k) if fact is None else fact
        method = "search"
        if found.facts:
            sure, subjects = facts.told_of(view, found)
            why = f"{why} {sure}"
    else:
        ids = view.graph.ids([view.number(end) for end in (node, to) if end is not None])
        about = [subject.node for subject in subjects]
        if isinstance(found, capability.CapabilityAnswer) and found.subject is not None:
            about.append(found.subject)
        found = replace(found, notes=(*found.notes, *_namesakes(view, query, about, ids)))
    return AskAnswer(
        question=query,
        classification=classification,
        method=method,
        why=why,
        subjects=subjects,
        answer=found,
        notes=found.notes,
        truncated=found.truncated,
        edge_types=found.edge_types,
    )


def intent_search(view: View, query: str, limit: int, filters: Mapping[str, Any] | None) -> IntentSearchAnswer:
    """Classify, search, run the intent's method, expand; the arguments are those of ``Questions.intent_search``."""
    classification = classify_intent(query)
    condition = None if filters is None else lookup.number_filter(filters) or None
    result = view.retriever.search(query, k=limit, filter=condition)
    method, why, _, found = _own_method(view, classification, query, None, None, limit)
    numbers = view.numbers(result.ids)
    hits = [(numbers[hit.node.id], hit) for hit in result if hit.node.id in numbers]
    ranked = []
    cut = False
    for place, hit in hits:
        walk = view.graph.walk(np.array([place], np.int64))
        order = np.lexsort((view.graph.id_rank(walk.targets), -walk.weights))[:EDGES_SHOWN]
        cut = cut or len(walk) > EDGES_SHOWN
        ranked.append(Ranked(hit, tuple(dict.fromkeys(view.graph.edge(walk, int(place)) for place in order))))
    notes = [] if found is not None else [why]
    if cut:
        notes.append(f"At most {EDGES_SHOWN} edges of a node are shown, the heaviest.")
    return IntentSearchAnswer(
        query=query,
        classification=classification,
        search=result,
        ranked=tuple(ranked),
        expanded=_one_hop(view, hits, condition),
        method=method if found is not None else "search",
        answer=found,
        notes=(*notes, *result.notes, *(found.notes if found is not None else ())),
        truncated=cut,
        edge_types=found.edge_types if found is not None else (),
    )


def _namesakes(view: View, query: str, about: Sequence[Node], given: Sequence[str]) -> Iterator[str]:
    """Yield which of several nodes of one name was taken, where the question does not say by its id."""
    said = {*given, *locate.spelled(query)}
    for node in about:
        if display_name(node.name, node.id) != node.name or node.id in said:
            continue
        others = [other.id for other in view.named(node.name) if other.id != node.id]
        if others:
            yield (
                f"{len(others) + 1} nodes are named {node.name!r}: {node.id!r} was taken, not "
                f"{', '.join(map(repr, others))}; node= with an id says which is meant."
            )


_ONE_SIDE = "The two were not compared, for which a search has both sides; these are the nodes most like"

Outcome = tuple[str, str, tuple[Subject, ...], Answer | None]


def _own_method(  # noqa: C901 - one branch per intent, in the order of the table in docs/questions.md
    view: View,
    classification: Classification,
    query: str,
    node: str | Node | None,
    to: str | Node | None,
    k: int,
) -> Outcome:
    """Return (method, why, subjects, answer); the answer is None where search serves better."""
    intent = classification.intent
    if to is not None and intent is not QuestionIntent.COMPARE:
        intent = QuestionIntent.TRACE
    read = f"read as {intent}." if intent is not None else "no question intent was recognised."
    match intent:
        case QuestionIntent.CHECK_CAPABILITY:
            answer: Answer = capability.answer(view, query, node)
            if not answer.edge_types:
                return "search", f"{read} {answer.notes[0]}", (), None
            return "can_it", read, (), answer
        case QuestionIntent.COMPOSE_WORKFLOW:
            plan = compose.answer(view, query, k)
            return (
                ("compose_for", read, (), plan)
                if plan.steps
                else ("search", f"{read} No part of it was found.", (), None)
            )
        case QuestionIntent.FIND_TOOL | QuestionIntent.RECOMMEND | QuestionIntent.OPTIMIZE:
            if not view.vocabulary.roles(goals.ROLES):
                return "search", f"{read} The graph has no edges that mean {', '.join(goals.ROLES)}.", (), None
            serving = goals.answer(view, _PREAMBLE.sub("", query) or query, k, 2)
            if not serving.known:
                return "search", f"{read} The graph seems to know nothing of {serving.goal!r}.", (), None
            return "want_to", read, (), serving
        case QuestionIntent.DEBUG:
            return _debug(view, query, node, k, read)
        case QuestionIntent.TRACE:
            return _trace(view, query, node, to, read)
        case QuestionIntent.IMPACT | QuestionIntent.EXPLORE | QuestionIntent.LEARN | QuestionIntent.COMPARE:
            effect = effect_of(query) if intent is QuestionIntent.IMPACT else Effect()
            subjects = _subjects(view, effect.about or query, node, intent)
            if not subjects or subjects[0].confidence < CONFIDENT:
                return "search", f"{read} No node that it names was found.", subjects, None
            about = subjects[0].node
            if intent is QuestionIntent.IMPACT:
                touched = impact.answer(view, about, "dependencies" if effect.forwards else "dependents", 3, 100)
                if not touched.edge_types:
                    return "search", f"{read} {touched.notes[0]}", subjects, None
                touched = replace(touched, notes=(*touched.notes, *_said_of(view, effect, about)))
                return "impact_analysis", read, subjects, touched
            if intent is QuestionIntent.COMPARE:
                alike = similar.answer(view, about, k)
                if to is not None or locate.ways_to_part(query):
                    alike = replace(alike, notes=(*alike.notes, f"{_ONE_SIDE} {display_name(about.name, about.id)!r}."))
                return "similar_to", read, subjects, alike
            depth = 2 if intent is QuestionIntent.EXPLORE else 1
            return "explore_smart", read, subjects, explore.answer(view, about, depth, 50)
        case _:
            return "search", read, (), None


def _said_of(view: View, effect: Effect, about: Node) -> Iterator[str]:
    """Yield whether the node that a question asks of is touched, or that the question denies what the answer lists."""
    others = view.subjects(effect.other) if effect.other else []
    if others and others[0].confidence >= CONFIDENT and others[0].node.id != about.id:
        other = others[0].node
        near = impact.steps_to(view, about, other)
        change = f"touched by a change to {title(about)!r}"
        if near is None:
            yield f"No: as far as the graph tells, {title(other)!r} is not {change}."
        else:
            yield f"Yes: {title(other)!r} is {change}, {near} step{'s' if near != 1 else ''} away."
    elif effect.denied:
        yield "The question asks for those of which this is not so; the ones listed are those of which it is."


def _debug(view: View, query: str, node: str | Node | None, k: int, read: str) -> Outcome:
    """Look from the nodes the question finds along limitations, workarounds, causes and fixes."""
    if not any(view.vocabulary.role(role) for role in DEBUG_ROLES):
        return "search", f"{read} The graph has no edges that mean {', '.join(DEBUG_ROLES)}.", (), None
    seeds = [node] if node is not None else [hit.node for hit in view.search(query, _EXPANDED)]
    boosted = explore.boost_answer(view, seeds, DEBUG_ROLES, k)
    if not boosted.total:
        return "search", f"{read} Nothing is known of limitations, workarounds, causes or fixes nearby.", (), None
    return "edge_type_boost", read, (), boosted


def _trace(view: View, query: str, node: str | Node | None, to: str | Node | None, read: str) -> Outcome:
    """Find the path between the two nodes that are given or that the question names."""
    ends = _ends(view, query)
    found: list[Subject] = []
    for given, words in zip((node, to), ends or (query, query), strict=True):
        if given is not None:
            found.append(Subject(view.node(given), 1.0))
            continue
        if found and ends is None:  # the name of the one says nothing of the other, which may be called alike
            words = locate.without(words, found[0].node)
        taken = {subject.node.id for subject in found}
        candidates = [subject for subject in view.subjects(words) if subject.node.id not in taken]
        found += candidates[:1]
    subjects = tuple(found)
    if len(subjects) < 2 or min(subject.confidence for subject in subjects) < CONFIDENT:
        return "search", f"{read} Two nodes that it names were not found.", subjects, None
    return "trace_path", read, subjects, paths.answer(view, subjects[0].node, subjects[1].node, 5, directed=False)


def _ends(view: View, query: str) -> tuple[str, str] | None:
    """Return the two things a question speaks of; where names hold the word that parts them, as the names have it."""
    ways = locate.ways_to_part(query)
    if len(ways) < 2:
        return next(iter(ways), None)

    def written(ends: tuple[str, str]) -> int:
        best = [subjects[0] for words in ends if (subjects := view.subjects(words))]
        return sum(len(title(subject.node)) for subject in best if subject.confidence == 1.0)

    return max(ways, key=written)


def _subjects(view: View, query: str, node: str | Node | None, intent: QuestionIntent) -> tuple[Subject, ...]:
    """Return the node that is given, or those the question may be about, without the words that ask."""
    if node is not None:
        return (Subject(view.node(node), 1.0),)
    if intent is QuestionIntent.COMPARE and (ends := _ends(view, query)):
        words = ends[0]
    else:
        words = _without_phrases(query, intent)
    found = view.subjects(words) or view.subjects(query)
    return tuple(found[:1] if found and found[0].confidence >= CONFIDENT else found[:_EXPANDED])


def _without_phrases(query: str, intent: QuestionIntent) -> str:
    """Return a question without the phrases by which it asks; long ones may hold what it asks about, and stay."""
    lowered = query[:READ].lower()
    if len(lowered) != len(query[:READ]):
        return query
    kept = list(query)
    for start, end in next(rule for rule in RULES if rule.intent is intent).words_in(lowered):
        if len(re.findall(r"\w+", lowered[start:end])) <= _PHRASE_WORDS:
            kept[start:end] = " " * (end - start)
    return " ".join("".join(kept).split())


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
    walk = walk.where(~np.isin(walk.targets, [place for place, _ in hits]))
    if condition is not None:
        allowed = view.retriever.backend.allowed(parse(condition))
        walk = walk.where(allowed.contains(walk.targets))
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
