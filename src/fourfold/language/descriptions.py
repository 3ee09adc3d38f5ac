"""Where a question describes something instead of naming it: "the memo about mould", "when receipts were delayed"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fourfold.language.lexicon import DO, QUESTION, RELATIVE, WHICH
from fourfold.language.name_matching import Words, lowered
from fourfold.language.placed import ARTICLES, PREPOSITIONS

_JOIN = PREPOSITIONS | RELATIVE | frozenset("over about when regarding concerning saying".split())
_CLAUSE = frozenset("when after because while that".split())

_ASKS_KIND = WHICH | {"whose"}


@dataclass(frozen=True, slots=True)
class Description:
    """The words ``start … end − 1`` of a question.

    At ``head`` stands what sort of thing they describe, at ``asked`` what is asked for right before them; -1: nowhere.
    """

    start: int
    end: int
    head: int = -1
    asked: int = -1


def descriptions(words: Words) -> Iterator[Description]:
    """Give what words of a question may describe something, those that say of what sort first.

    What asks for nothing but what it describes is no question: "memos about mould".
    """
    typed = lowered(words)
    content = [bool(terms) for _, terms in words]
    if QUESTION.intersection(typed[:1]) or WHICH.intersection(typed[1:2]):
        yield from _with_more(typed, content)
        yield from _clauses(typed, content)
        yield from _compounds(typed, content)
        yield from _beside_what_is_asked(typed, content)


def _with_more(typed: Sequence[str], content: Sequence[bool]) -> Iterator[Description]:
    """Give "the memo about mould", to the end of the question: of "did the book on X win" without its verb."""
    end = len(typed)
    for place in _behind_articles(typed, content):
        head = _head(content, place)
        done = place > 1 and typed[place - 2] in DO and head + 2 < end - 1
        if head + 2 < end and typed[head + 1] in _JOIN and any(content[head + 2 : end - done]):
            yield Description(place, end - done, head)


def _clauses(typed: Sequence[str], content: Sequence[bool]) -> Iterator[Description]:
    """Give "receipts were delayed", of "which runbook was used when receipts were delayed"."""
    for place in range(2, len(typed) - 1):
        if typed[place] in _CLAUSE and any(content[place + 1 :]):
            yield Description(place + 1, len(typed))


def _compounds(typed: Sequence[str], content: Sequence[bool]) -> Iterator[Description]:
    """Give "the council tax motion"."""
    for place in _behind_articles(typed, content):
        if content[place + 1]:
            head = _head(content, place)
            yield Description(place, head + 1, head)


def _beside_what_is_asked(typed: Sequence[str], content: Sequence[bool]) -> Iterator[Description]:
    """Give what stands behind the kind of thing asked for: "at which site was the pump set wrongly"."""
    asks = next((place for place, word in enumerate(typed[:2]) if word in _ASKS_KIND), -1)
    if asks >= 0 and content[asks + 1 : asks + 2] == [True]:
        head = _head(content, asks + 1)
        if any(content[head + 2 :]):
            yield Description(head + 1, len(typed), asked=head)


def _behind_articles(typed: Sequence[str], content: Sequence[bool]) -> list[int]:
    """Return the places behind articles, but for the last of the question."""
    return [place for place in range(1, len(typed) - 1) if typed[place - 1] in ARTICLES and content[place]]


def _head(content: Sequence[bool], place: int) -> int:
    """Return the last of the words that say something, in a row from a place on."""
    return next(at for at in range(place, len(content)) if at + 1 == len(content) or not content[at + 1])
