"""Who did what the graph has as a thing of its own: "who reviewed X", where reviews of X were written by somebody."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.covering import A_TEXT, sizes_of
from fourfold.facts.described import described
from fourfold.facts.question import Question
from fourfold.facts.sensible import acts
from fourfold.index.base import NO_NODES, Nodes
from fourfold.signals import paths
from fourfold.signals.paths import OF_ANOTHER_KIND, Answer

_WHO = frozenset({"who", "whom", "whose"})
_DONE = frozenset("written authored created made posted filed submitted reported drafted recorded taken".split())
_DOERS = frozenset("author writer creator reporter submitter".split())
_MOST_ENDS = 50

_SURE = 0.5
"""How sure who wrote a text is to be meant where no word asks for it: "who noted that the pads were worn"."""


def who_did(question: Question, answer: Answer) -> Answer:
    """Return an answer to "who" with those first who did its best ends, where these are texts that somebody wrote."""
    ends = answer.best()
    if not _WHO.intersection(question.plain[:1]) or not 0 < len(ends) <= _MOST_ENDS:
        return answer
    if (sizes_of(question, ends) < A_TEXT).any() or any(map(acts, question.query.types_of(ends))):
        return answer
    steps = question.steps(ends, _of_doers(question), forward=True)
    steps = steps.of(~ordered.contains(answer.nodes, steps.targets) & ~ordered.contains(answer.named, steps.targets))
    if len(np.unique(steps.origin)) < len(ends):
        return answer
    return answer.extended(ends, steps, np.ones(len(steps)), OF_ANOTHER_KIND)


def of_described(question: Question) -> Answer | None:
    """Return who wrote what a question with "who" describes, else who stands beside it; None where nobody does."""
    if not _WHO.intersection(question.plain[:1]):
        return None
    for one in described(question):
        if len(found := _beside(question, one.nodes)):
            answer = paths.beside(question.walker, [one], partial(ordered.contains, found))
            return answer and replace(answer, sure=_SURE)
    return None


def _beside(question: Question, text: Nodes) -> Nodes:
    """Return who wrote a text, else what can act by its type and stands beside it; ascending."""
    steps = question.steps(text, _of_doers(question), forward=True)
    if len(steps):
        return ordered.distinct(steps.targets)
    if question.has_very_many(text):
        return NO_NODES
    near = question.neighbours(text)
    return near[[*map(acts, question.query.types_of(near))]] if len(near) else near


def _of_doers(question: Question) -> NDArray[np.bool_]:
    """Tell which edge types lead from what was made to who made it, (n_types,): "written by", "by", "author"."""
    return np.array([_is_of_doers(one.own) for one in question.relations.labels.words.labels], bool)


def _is_of_doers(label: list[str]) -> bool:
    """Tell the same of one label."""
    return label[-1:] == ["by"] and _DONE.issuperset(label[:-1]) or (len(label) == 1 and label[0] in _DOERS)
