"""Of several ends of paths those that have to do with all that is named: "recipes with X by cooks from Y"."""

from __future__ import annotations

import numpy as np

from fourfold import ordered
from fourfold.index.base import EdgePart
from fourfold.signals.paths import Answer

_MOST_ENDS, _MOST_EDGES = 200, 20_000
"""Of more ends, or of ends with more edges, none is looked at."""


def nearest(edges: EdgePart, answer: Answer) -> Answer:
    """Return an answer with those of its best ends first that are within a step or two of most names, by any edges.

    Where words lead from one of them to several things, what else is named tells which are meant.
    """
    ends = answer.best()
    if len(answer.steps) < 2 or not 1 < len(ends) <= _MOST_ENDS or edges.degree(ends).sum() > _MOST_EDGES:
        return answer
    beside = edges.expand(ends, weights="none")
    near = np.zeros(len(ends), np.int64)
    for name, one in answer.steps:
        own = ordered.distinct(np.concatenate((name.nodes, ordered.without(one.nodes, answer.named))))
        near[np.unique(beside.origin[ordered.contains(own, beside.targets.astype(np.int64))])] += 1
        near[ordered.contains(one.nodes, ends)] += 1
    most = ends[near == near.max()]
    return answer if len(most) == len(ends) else answer.first(ordered.contains(most, answer.nodes))
