"""What a question excepts: cocktails with gin "but no" lemon juice, films by X "without" Y."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourfold import ordered
from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.language.name_matching import Named
from fourfold.signals.paths import Answer

_EXCEPT = frozenset("no not without except excluding nor".split())
_JOINED = frozenset({"but", "and"})


def excepted(words: Sequence[str], named: Sequence[Named]) -> tuple[Named, frozenset[int]] | None:
    """Return the name that is excepted behind another, and the places of the words that say so; None where none is."""
    for one in named[1:]:
        if one.start and words[one.start - 1] in _EXCEPT:
            first = one.start - 1 - (one.start > 1 and words[one.start - 2] in _JOINED)
            return one, frozenset(range(first, one.end))
    return None


def put_last(question: Question, answer: Answer, nodes: Nodes) -> Answer:
    """Return the answer with what stands beside some nodes behind all else."""
    if not len(answer.nodes) or question.has_very_many(nodes):
        return answer
    beside = np.sort(question.edges.expand(nodes, weights="none").targets.astype(np.int64))
    others = ~ordered.contains(beside, answer.nodes) & ~ordered.contains(nodes, answer.nodes)
    return answer.first(others)
