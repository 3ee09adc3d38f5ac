"""Where a question asks for nodes of a type, and its words lead to others: what is of the type beside the way there.

"Which suppliers are there for Beverages" names a category that has products, and these have suppliers: no word says so,
but "suppliers" is what the nodes behind the products are. Nearest to what the words lead to comes first, then what
stands within two steps of all that is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.question import MOST_OF_ANY_TYPE, Question
from fourfold.index.base import Nodes, Steps
from fourfold.language.name_matching import Named, nodes_of
from fourfold.signals.common_ends import single_steps
from fourfold.signals.paths import OF_ANOTHER_KIND, Answer
from fourfold.signals.walks import Step

Telling = Callable[[Nodes], NDArray[np.bool_]]
"""Nodes → which are of the type or kind asked for."""

_MOST_ENDS, _FAN = 200, 200
"""Behind so many ends at most, and so many edges of each, is looked."""

_EVERYWHERE = 0.8
"""Of what the edges of one type lead to behind ends, so large a share at least must be of the kind asked for."""


def behind(question: Question, answer: Answer, of_it: Telling, called: NDArray[np.int64]) -> Answer | None:
    """Return what is of the kind one step behind the best ends, by edges that lead to hardly anything else; or None.

    Edges of the types that the kind is called by, the numbers ``called``, lead there before others.
    """
    best = answer.best()
    if len(best) > _MOST_ENDS or question.has_very_many(best):
        return None
    found = question.edges.expand(best, weights="none", cap=_FAN, allowed=question.query.allowed)
    steps = _to_others(found, answer)
    if not len(steps):
        return None
    of_kind = of_it(steps.targets)
    ways, way = np.unique(2 * steps.types + steps.along, return_inverse=True)
    share = np.bincount(way, of_kind, len(ways)) / np.bincount(way, minlength=len(ways))
    of_kind &= share[way] >= _EVERYWHERE
    own = of_kind & steps.along & np.isin(steps.types, called)
    steps = steps.of(own if own.any() else of_kind)
    return answer.extended(best, steps, np.ones(len(steps)), OF_ANOTHER_KIND) if len(steps) else None


def _to_others(steps: Steps, answer: Answer) -> Steps:
    """Return the steps to nodes that are neither named nor reached by words."""
    known = ordered.contains(answer.named, steps.targets) | ordered.contains(answer.nodes, steps.targets)
    return steps.of(~known)


def beside_the_way(question: Question, answer: Answer, is_type: Telling) -> Answer | None:
    """Return what is of the type one step from the best ends of paths, else from what they pass; None: nothing."""
    best = answer.best()
    if not 0 < len(best) <= _MOST_ENDS:
        return None
    passed = ordered.common(ordered.without(answer.passed(best), best), answer.nodes)
    for begin in (best, passed):
        if not len(begin) or question.has_very_many(begin, MOST_OF_ANY_TYPE):
            continue
        steps = _to_others(question.edges.expand(begin, weights="none", allowed=question.query.allowed), answer)
        steps = steps.of(is_type(steps.targets))
        if len(steps):
            return answer.extended(begin, steps, np.ones(len(steps)), OF_ANOTHER_KIND)
    return None


def around(question: Question, named: Sequence[Named], is_type: Telling, *, either: bool) -> Answer | None:
    """Return what is of the type within two steps of all that is named, or of any of it; None where nothing is.

    With ``either`` one of what is named is enough.
    """
    own, steps = nodes_of(named), single_steps(question.walker, named)
    found: dict[int, dict[int, tuple[int, Step] | None]] = {one.start: {} for one in named}
    for one, walk in steps:
        found[one.start].update(_near(question, own, ordered.without(walk.nodes, own), is_type))
    parts = [set(ends) for ends in found.values()]
    meant = set.union(*parts) if either else set.intersection(*parts)
    ends = np.array(sorted(meant), np.int64)
    if not len(ends):
        return None
    behind = {end: last for part in found.values() for end, last in part.items() if last is not None}
    direct = {end for part in found.values() for end, last in part.items() if last is None}
    behind = {end: last for end, last in behind.items() if end not in direct}
    return Answer(ends, np.ones(len(ends)), 0.0, own, (), tuple(steps), behind)


def _near(question: Question, own: Nodes, first: Nodes, is_type: Telling) -> dict[int, tuple[int, Step] | None]:
    """Return what is of the type among nodes; else behind them, each with the node before it and the step."""
    direct = first[is_type(first)]
    if len(direct) or not len(first) or question.has_very_many(first, MOST_OF_ANY_TYPE):
        return dict.fromkeys(direct.tolist())
    steps = question.edges.expand(first, weights="none", allowed=question.query.allowed)
    steps = steps.of(is_type(steps.targets) & ~ordered.contains(own, steps.targets))
    columns = (steps.targets, first[steps.origin], steps.types, steps.along)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {target: (before, Step(target, kind, along)) for target, before, kind, along in rows}
