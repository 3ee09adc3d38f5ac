"""What a question excepts: cocktails with gin "but no" lemon juice, films by X "without" Y, parts "other than oil"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fourfold import ordered
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import NO_NODES, Nodes
from fourfold.language.name_matching import places_of
from fourfold.signals.paths import Answer

_EXCEPT = frozenset("no not without except excluding nor besides".split())
_SAID = frozenset("without except excluding besides".split())
"""What is said behind them is excepted though it is no name; a text may say that something is not paid."""
_PAIRS = frozenset({("other", "than"), ("apart", "from")})
FREE = "free"
"""What stands behind what is excepted: "gluten free"."""

_JOINED = frozenset({"but", "and"})


@dataclass(frozen=True, slots=True)
class Excepted:
    """What a question excepts: what stands beside ``nodes``, and what says the words at the places ``said``.

    ``places`` are those of all words that say so.
    """

    places: frozenset[int] = frozenset()
    nodes: Nodes = field(default_factory=lambda: NO_NODES)
    said: Sequence[int] = ()


def excepted(question: Question) -> Excepted:
    """Return what a question excepts, behind what else it names: by a name, else by words to its end."""
    typed, words, names = question.plain, question.query.words, places_of(question.all_named)
    for one in question.all_named if len(question.all_named) > 1 else ():
        if typed[one.end : one.end + 1] == [FREE]:
            return Excepted(frozenset(range(one.start, one.end + 1)), one.nodes)
    for one in question.all_named[1:]:
        begin = _begin(typed, one.start, _EXCEPT)
        if begin < one.start:
            begin -= begin > 0 and typed[begin - 1] in _JOINED
            return Excepted(frozenset(range(begin, one.end)), one.nodes)
    for place in range(min(names, default=len(typed)) + 1, len(typed)):
        begin = _begin(typed, place + 1, _SAID)
        own = [at for at in range(place + 1, len(typed)) if words[at][1]] if begin <= place else []
        if own and names.isdisjoint(own):
            return Excepted(frozenset(range(begin, len(typed))), said=own)
    return Excepted()


def _begin(typed: Sequence[str], place: int, single: frozenset[str]) -> int:
    """Return where the word, or the two, begin that except what stands at a place; that place where there are none."""
    if tuple(typed[max(place - 2, 0) : place]) in _PAIRS:
        return place - 2
    return place - (place > 0 and typed[place - 1] in single)


def put_last(question: Question, answer: Answer, exception: Excepted) -> Answer:
    """Return the answer with what is excepted behind all else."""
    if not len(answer.nodes):
        return answer
    if exception.said:
        return answer.first(~Kinds.of(question).said(exception.said, answer.nodes))
    nodes = exception.nodes
    if not len(nodes) or question.has_very_many(nodes):
        return answer
    beside = question.neighbours(nodes)
    return answer.first(~ordered.contains(beside, answer.nodes) & ~ordered.contains(nodes, answer.nodes))
