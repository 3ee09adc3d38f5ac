"""Which of the methods answers a question of which intent, and where search serves better."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from types import MappingProxyType
from typing import TypeVar

from fourfold.questions import capability, compose, explore, goals, impact, locate, paths, similar
from fourfold.questions.effects import Effect, effect_of
from fourfold.questions.intents import READ, QuestionIntent
from fourfold.questions.locate import CONFIDENT, Subject
from fourfold.questions.results import Answer, title
from fourfold.questions.rules import RULES
from fourfold.questions.view import View
from fourfold.types import Node

_A = TypeVar("_A", bound=Answer)

DEBUG_ROLES = ("has_limitation", "has_workaround", "causes", "fixes")
_SUBJECTS = 3
_NOT_FOUND = "No node that it names was found."
_ONE_SIDE = "The two were not compared, for which a search has both sides; these are the nodes most like"
_PHRASE_WORDS = 4
_PREAMBLE = re.compile(
    r"^\s*(?:(?:please|find|locate|search|look|looking|need|want|recommend|suggest|advise|which|what|who|is|are|there|do|we|i|i'm"
    r"|have|got|can|could|should|would|you|me|us|a|an|any|some|the|best|good|ideal|right|tools?|functions?|commands?|utility"
    r"|service|library|something|anything|use|be|on|in|here|for|to|that)\s+)*(?:for|to|that|which|who)\s+",
    re.IGNORECASE,
)
"""Words before a goal that ask for it and say nothing of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a method is asked it: with its intent, the length of lists, and the nodes that are given."""

    query: str
    intent: QuestionIntent | None
    k: int
    node: str | Node | None = None
    to: str | Node | None = None

    @property
    def read(self) -> str:
        """What the question was taken for, a sentence."""
        return f"read as {self.intent}." if self.intent is not None else "read as a plain question."

    def searched(self, reason: str, subjects: tuple[Subject, ...] = ()) -> Outcome:
        """Return that search serves better, and for what reason."""
        return Outcome("search", f"{self.read} {reason}", subjects)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method answers and why it was asked; no answer where search serves better."""

    method: str
    why: str
    subjects: tuple[Subject, ...] = ()
    answer: Answer | None = None


def own_method(view: View, asked: Asked) -> Outcome:
    """Return what the intent's own method answers."""
    if asked.to is not None and asked.intent is not QuestionIntent.COMPARE:
        asked = replace(asked, intent=QuestionIntent.TRACE)
    method = None if asked.intent is None else _METHODS.get(asked.intent)
    return Outcome("search", asked.read) if method is None else method(view, asked)


def _can(view: View, asked: Asked) -> Outcome:
    """Say whether it can, where the graph tells what cannot be done: without that everything would be possible."""
    answer = capability.answer(view, asked.query, asked.node)
    if not view.vocabulary.roles(capability.RECORDED):
        return asked.searched(answer.notes[0])
    return Outcome("can_it", asked.read, (), answer)


def _plan(view: View, asked: Asked) -> Outcome:
    """Plan the parts of a goal."""
    plan = compose.answer(view, asked.query, asked.k)
    return Outcome("compose_for", asked.read, (), plan) if plan.steps else asked.searched("No part of it was found.")


def _serve(view: View, asked: Asked) -> Outcome:
    """Look for what serves a goal."""
    if not view.vocabulary.roles(goals.ROLES):
        return asked.searched(f"The graph has no edges that mean {', '.join(goals.ROLES)}.")
    serving = goals.answer(view, _PREAMBLE.sub("", asked.query) or asked.query, asked.k, 2)
    if not serving.known:
        return asked.searched(f"The graph seems to know nothing of {serving.goal!r}.")
    return Outcome("want_to", asked.read, (), serving)


def _impact(view: View, asked: Asked) -> Outcome:
    """Look for what a change to a node touches, or for what the node depends on."""
    effect = effect_of(asked.query)
    subjects = _subjects(view, asked, effect.about or asked.query)
    if not _is_found(subjects):
        return asked.searched(_NOT_FOUND, subjects)
    direction: impact.Direction = "dependencies" if effect.forwards else "dependents"
    meant = subjects if asked.node is not None else _namesakes(view, asked.query, subjects[0])
    touched = _first((impact.answer(view, one.node, direction, 3, 100) for one in meant), lambda one: one.total > 0)
    subjects = (Subject(touched.node, subjects[0].confidence),)
    if not touched.edge_types:
        return asked.searched(touched.notes[0], subjects)
    back: impact.Direction = "dependents" if effect.forwards else "dependencies"
    if not touched.total and not impact.answer(view, touched.node, back, 1, 1).total:
        return asked.searched("No edge tells what depends on it, or on what it depends.", subjects)
    touched = replace(touched, notes=(*touched.notes, *_said_of(view, effect, touched.node)))
    return Outcome("impact_analysis", asked.read, subjects, touched)


def _compare(view: View, asked: Asked) -> Outcome:
    """Look for what is most like a node."""
    subjects = _subjects(view, asked, asked.query)
    if not _is_found(subjects):
        return asked.searched(_NOT_FOUND, subjects)
    about = subjects[0].node
    alike = similar.answer(view, about, asked.k)
    if asked.to is not None or locate.ways_to_part(asked.query):
        alike = replace(alike, notes=(*alike.notes, f"{_ONE_SIDE} {title(about)!r}."))
    return Outcome("similar_to", asked.read, subjects, alike)


def _explore(view: View, asked: Asked) -> Outcome:
    """Look at what lies around a node."""
    subjects = _subjects(view, asked, asked.query)
    if not _is_found(subjects):
        return asked.searched(_NOT_FOUND, subjects)
    learns = asked.intent is QuestionIntent.LEARN
    around = explore.answer(view, subjects[0].node, 1 if learns else 2, 50)
    if learns and not around.levels:  # "what is X" asks what it says itself
        return asked.searched("Nothing is connected to it.", subjects)
    return Outcome("explore_smart", asked.read, subjects, around)


def _namesakes(view: View, question: str, subject: Subject) -> Iterator[Subject]:
    """Yield a node that is found, then those of the same name, any of which a question that writes no id may mean."""
    yield subject
    if subject.node.id not in locate.spelled(question):
        others = view.named(subject.node.name)
        yield from (replace(subject, node=other) for other in others if other.id != subject.node.id)


def _first(answers: Iterator[_A], fits: Callable[[_A], bool]) -> _A:
    """Return the first answer that fits, or else the first: nothing depends on the page of a service's name."""
    first = next(answers)
    return next(filter(fits, chain((first,), answers)), first)


def _is_found(subjects: Sequence[Subject]) -> bool:
    return bool(subjects) and subjects[0].confidence >= CONFIDENT


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


def _debug(view: View, asked: Asked) -> Outcome:
    """Look from the nodes the question finds along limitations, workarounds, causes and fixes."""
    if not any(view.vocabulary.role(role) for role in DEBUG_ROLES):
        return asked.searched(f"The graph has no edges that mean {', '.join(DEBUG_ROLES)}.")
    seeds = [asked.node] if asked.node is not None else [hit.node for hit in view.search(asked.query, _SUBJECTS)]
    boosted = explore.boost_answer(view, seeds, DEBUG_ROLES, asked.k)
    if not boosted.total:
        return asked.searched("Nothing is known of limitations, workarounds, causes or fixes nearby.")
    return Outcome("edge_type_boost", asked.read, (), boosted)


def _trace(view: View, asked: Asked) -> Outcome:
    """Find the path between the two nodes that are given or that the question names."""
    ends = _ends(view, asked.query)
    found: list[Subject] = []
    for given, words in zip((asked.node, asked.to), ends or (asked.query, asked.query), strict=True):
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
        return asked.searched("Two nodes that it names were not found.", subjects)
    meant = [
        [one] if end is not None else _namesakes(view, asked.query, one)
        for one, end in zip(subjects, (asked.node, asked.to), strict=True)
    ]
    ways = (paths.answer(view, one.node, other.node, 5, directed=False) for one, other in product(*meant))
    path = _first(ways, lambda way: way.found)
    along = paths.answer(view, path.source, path.target, 5, directed=True)
    if path.found and along.length == path.length:  # as short, and not over somebody who has to do with both
        path = along
    ends_of_path = zip((path.source, path.target), subjects, strict=True)
    return Outcome("trace_path", asked.read, tuple(Subject(node, one.confidence) for node, one in ends_of_path), path)


def _ends(view: View, query: str) -> tuple[str, str] | None:
    """Return the two things a question speaks of; where names hold the word that parts them, as the names have it."""
    ways = locate.ways_to_part(query)
    if len(ways) < 2:
        return next(iter(ways), None)

    def written(ends: tuple[str, str]) -> int:
        best = [subjects[0] for words in ends if (subjects := view.subjects(words))]
        return sum(len(title(subject.node)) for subject in best if subject.confidence == 1.0)

    return max(ways, key=written)


def _subjects(view: View, asked: Asked, about: str) -> tuple[Subject, ...]:
    """Return the node that is given, or those that words may be about, without the words that ask."""
    if asked.node is not None:
        return (Subject(view.node(asked.node), 1.0),)
    if asked.intent is QuestionIntent.COMPARE and (ends := _ends(view, about)):
        words = ends[0]
    else:
        words = _without_phrases(about, asked.intent)
    found = view.subjects(words) or view.subjects(about)
    return tuple(found[:1] if _is_found(found) else found[:_SUBJECTS])


def _without_phrases(query: str, intent: QuestionIntent | None) -> str:
    """Return a question without the phrases by which it asks; long ones may hold what it asks about, and stay."""
    lowered = query[:READ].lower()
    if len(lowered) != len(query[:READ]):
        return query
    kept = list(query)
    for start, end in next(rule for rule in RULES if rule.intent is intent).words_in(lowered):
        if len(re.findall(r"\w+", lowered[start:end])) <= _PHRASE_WORDS:
            kept[start:end] = " " * (end - start)
    return " ".join("".join(kept).split())


_METHODS: Mapping[QuestionIntent, Callable[[View, Asked], Outcome]] = MappingProxyType(
    {
        QuestionIntent.CHECK_CAPABILITY: _can,
        QuestionIntent.COMPOSE_WORKFLOW: _plan,
        QuestionIntent.FIND_TOOL: _serve,
        QuestionIntent.RECOMMEND: _serve,
        QuestionIntent.OPTIMIZE: _serve,
        QuestionIntent.DEBUG: _debug,
        QuestionIntent.TRACE: _trace,
        QuestionIntent.IMPACT: _impact,
        QuestionIntent.COMPARE: _compare,
        QuestionIntent.EXPLORE: _explore,
        QuestionIntent.LEARN: _explore,
    }
)
"""The method of each intent, as in docs/questions.md; search answers the others."""
