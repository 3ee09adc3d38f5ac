"""What a question excepts: cocktails with gin "but no" lemon juice, films by X "without" Y, parts "other than oil"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourfold import ordered
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.language.name_matching import Named, places_of
from fourfold.signals.paths import Answer

_EXCEPT = frozenset("no not without except excluding nor besides".split())
_SAID = frozenset("without except excluding besides".split())
"""What is said behind them is excepted though it is no name; a text may say that something is not paid."""
_JOINED = frozenset({"but", "and"})
_PAIRS = frozenset({("other", "than"), ("apart", "from")})


def excepted(words: Sequence[str], named: Sequence[Named]) -> tuple[Named, frozenset[int]] | None:
    """Return the name that is excepted behind another, and the places of the words that say so; None where none is."""
    for one in named[1:]:
        pair = tuple(words[max(one.start - 2, 0) : one.start]) in _PAIRS
        if one.start and (pair or words[one.start - 1] in _EXCEPT):
            first = one.start - 1 - pair
            first -= first > 0 and words[first - 1] in _JOINED
            return one, frozenset(range(first, one.end))
    return None


def said(question: Question, named: Sequence[Named]) -> tuple[list[int], frozenset[int]]:
    """Return the places of the words that are excepted and name nothing, and of all that says so: "other than oil"."""
    typed, words, names = question.plain, question.query.words, places_of(named)
    for place in range(1, len(typed)):
        pair = tuple(typed[place - 1 : place + 1]) in _PAIRS
        if not names or min(names) > place or not (pair or typed[place] in _SAID):
            continue
        own = [at for at in range(place + 1, len(typed)) if words[at][1]]
        if own and names.isdisjoint(own):
            return own, frozenset(range(place - pair, len(typed)))
    return [], frozenset()


def put_last(question: Question, answer: Answer, nodes: Nodes) -> Answer:
    """Return the answer with what stands beside some nodes behind all else."""
    if not len(answer.nodes) or question.has_very_many(nodes):
        return answer
    beside = np.sort(question.edges.expand(nodes, weights="none").targets.astype(np.int64))
    others = ~ordered.contains(beside, answer.nodes) & ~ordered.contains(nodes, answer.nodes)
    return answer.first(others)


def say_last(question: Question, answer: Answer, places: Sequence[int]) -> Answer:
    """Return the answer with what says words of the question behind all else."""
    kinds = Kinds(question.scores, question.query, question.relations, question.settings)
    return answer.first(~kinds.said(places, answer.nodes)) if len(answer.nodes) else answer
