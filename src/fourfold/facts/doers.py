"""Who did what the graph has as a thing of its own: "who reviewed X", where reviews of X were written by somebody."""

from __future__ import annotations

import numpy as np

from fourfold import ordered
from fourfold.facts.answers import AS_GOOD, OF_ANOTHER_KIND
from fourfold.facts.covering import A_TEXT
from fourfold.facts.sensible import acts
from fourfold.query import Query
from fourfold.relations.asked_types import Relations
from fourfold.scores import Scores
from fourfold.signals.paths import Answer

_WHO = frozenset({"who", "whom", "whose"})
_DONE = frozenset("written authored created made posted filed submitted reported drafted recorded taken".split())
_DOERS = frozenset("author writer creator reporter submitter".split())
_MOST_ENDS = 50


def who_did(scores: Scores, query: Query, relations: Relations, answer: Answer) -> Answer:
    """Return an answer to "who" with those first who did its best ends, where these are texts that somebody wrote."""
    ends = answer.best(AS_GOOD)
    if query.words[0][0].lower() not in _WHO or not 0 < len(ends) <= _MOST_ENDS:
        return answer
    starts, _ = scores.snapshot.tokens.of(ends)
    if (starts[1:] - starts[:-1] < A_TEXT).any() or any(map(acts, query.types_of(ends))):
        return answer
    edges = scores.snapshot.edges
    by = [_is_of_doers(one.own) for one in relations.labels.words.labels]
    worth = np.bincount(relations.numbers[by], minlength=len(edges.type_names)).astype(np.float64)
    steps = edges.expand(ends, forward=True, worth=worth, weights="none", allowed=query.allowed)
    steps = steps.of(~ordered.contains(answer.nodes, steps.targets) & ~ordered.contains(answer.named, steps.targets))
    if len(np.unique(steps.origin)) < len(ends):
        return answer
    return answer.extended(ends, steps, np.ones(len(steps)), OF_ANOTHER_KIND)


def _is_of_doers(label: list[str]) -> bool:
    """Tell whether an edge type leads from what was made to who made it: "written by", "by", "author"."""
    return label[-1:] == ["by"] and _DONE.issuperset(label[:-1]) or (len(label) == 1 and label[0] in _DOERS)
