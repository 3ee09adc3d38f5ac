"""Where a question describes something instead of naming it: "the memo about mould", "when receipts were delayed"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fourfold.language.lexicon import DO, QUESTION, RELATIVE
from fourfold.language.name_matching import Words
from fourfold.language.placed import ARTICLES, PREPOSITIONS

_JOIN = PREPOSITIONS | RELATIVE | frozenset("over about when regarding concerning saying".split())
_CLAUSE = frozenset("when after because while that".split())


@dataclass(frozen=True, slots=True)
class Description:
    """The words ``start … end − 1`` of a question; at ``head`` stands what sort of thing they describe, -1: nowhere."""

    start: int
    end: int
    head: int = -1


def descriptions(words: Words) -> Iterator[Description]:
    """Give what words of a question may describe something, each to its end; those that say of what sort first.

    What asks for nothing but what it describes is no question: "memos about mould".
    """
    typed, end = [word.lower() for word, _ in words], len(words)
    if not QUESTION.intersection(typed[:1]):
        return
    content = [bool(terms) for _, terms in words]
    for place in range(1, end - 1):
        if typed[place - 1] in ARTICLES and content[place]:
            head = next(at for at in range(place, end) if at + 1 == end or not content[at + 1])
            done = place > 1 and typed[place - 2] in DO and head + 2 < end - 1  # "which prize did the book on X win"
            if head + 2 < end and typed[head + 1] in _JOIN and any(content[head + 2 : end - done]):
                yield Description(place, end - done, head)
    for place in range(2, end - 1):
        if typed[place] in _CLAUSE and any(content[place + 1 :]):
            yield Description(place + 1, end)
    for place in range(1, end - 1):
        if typed[place - 1] in ARTICLES and content[place] and content[place + 1]:
            head = next(at for at in range(place, end) if at + 1 == end or not content[at + 1])
            yield Description(place, head + 1, head)  # "the council tax motion"
