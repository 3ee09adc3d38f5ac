"""Of several ends of paths those that have to do with all that is named: "recipes with X by cooks from Y"."""

from __future__ import annotations

import numpy as np

from fourfold import ordered
from fourfold.facts.question import MOST_OF_ANY_TYPE, Question
from fourfold.signals.paths import Answer

_MOST_ENDS = 200
"""Of more ends none is looked at."""


def nearest(question: Question, answer: Answer) -> Answer:
    """Return an answer with those of its best ends first that are within a step or two of most names, by any edges.

    Where words lead from one of them to several things, what else is named tells which are meant.
    """
    ends = answer.best()
    if len(answer.steps) < 2 or not 1 < len(ends) <= _MOST_ENDS or question.has_very_many(ends, MOST_OF_ANY_TYPE):
        return answer
    beside = question.edges.expand(ends, weights="none")
    near = np.zeros(len(ends), np.int64)
    for name, one in answer.steps:
        own = ordered.distinct(np.concatenate((name.nodes, ordered.without(one.nodes, answer.named))))
        near[np.unique(beside.origin[ordered.contains(own, beside.targets)])] += 1
        near[ordered.contains(one.nodes, ends)] += 1
    most = ends[near == near.max()]
    return answer if len(most) == len(ends) else answer.first(ordered.contains(most, answer.nodes))
