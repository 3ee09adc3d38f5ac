"""Who did what the graph has as a thing of its own: "who reviewed X", where reviews of X were written by somebody."""

from __future__ import annotations

import numpy as np

from fourfold import ordered
from fourfold.facts.covering import A_TEXT
from fourfold.facts.question import Question
from fourfold.facts.sensible import acts
from fourfold.signals.paths import OF_ANOTHER_KIND, Answer

_WHO = frozenset({"who", "whom", "whose"})
_DONE = frozenset("written authored created made posted filed submitted reported drafted recorded taken".split())
_DOERS = frozenset("author writer creator reporter submitter".split())
_MOST_ENDS = 50


def who_did(question: Question, answer: Answer) -> Answer:
    """Return an answer to "who" with those first who did its best ends, where these are texts that somebody wrote."""
    ends = answer.best()
    if not _WHO.intersection(question.plain[:1]) or not 0 < len(ends) <= _MOST_ENDS:
        return answer
    starts, _ = question.scores.snapshot.tokens.of(ends)
    if (starts[1:] - starts[:-1] < A_TEXT).any() or any(map(acts, question.query.types_of(ends))):
        return answer
    by = np.array([_is_of_doers(one.own) for one in question.relations.labels.words.labels], bool)
    steps = question.steps(ends, by, forward=True)
    steps = steps.of(~ordered.contains(answer.nodes, steps.targets) & ~ordered.contains(answer.named, steps.targets))
    if len(np.unique(steps.origin)) < len(ends):
        return answer
    return answer.extended(ends, steps, np.ones(len(steps)), OF_ANOTHER_KIND)


def _is_of_doers(label: list[str]) -> bool:
    """Tell whether an edge type leads from what was made to who made it: "written by", "by", "author"."""
    return label[-1:] == ["by"] and _DONE.issuperset(label[:-1]) or (len(label) == 1 and label[0] in _DOERS)
