"""A text with the words of a question marked in it, whoever draws the marks: a page, a notebook, a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from fourfold.plain_text import plain_text

_WORD = re.compile(r"\w+")


class Piece(NamedTuple):
    """A stretch of text, and whether it is one of the question's words."""

    text: str
    marked: bool = False


def marked(text: str, wanted: Collection[str], terms: Callable[[str], Sequence[str]]) -> list[Piece]:
    """Return the text in pieces; a whole word is marked where one of its terms is wanted, as it stands there.

    Args:
        text: of any length.
        wanted: the terms of the question.
        terms: text → terms, the tokenizer of the index.

    """
    pieces: list[Piece] = []
    done = 0
    for word in _WORD.finditer(text):
        for start, end in _stretches(word.group(), wanted, terms):
            first, last = word.start() + start, word.start() + end
            if first > done:
                pieces.append(Piece(text[done:first]))
            pieces.append(Piece(text[first:last], True))
            done = last
    return [*pieces, Piece(text[done:])] if done < len(text) else pieces


def cut(text: str, limit: int) -> str:
    """Return the text made plain, on one line; where it is longer than the limit, its beginning and a sentence."""
    shown = " ".join(plain_text(text[: limit + 1]).split())
    if len(text) <= limit:
        return shown
    return f"{shown[:limit].rstrip()}… (the first {limit} of {len(text):,} characters)"


def _stretches(word: str, wanted: Collection[str], terms: Callable[[str], Sequence[str]]) -> Sequence[tuple[int, int]]:
    """Return where a word is wanted: as a whole; in writing without spaces, the parts that are."""
    found = [term for term in terms(word) if term in wanted]
    if not found:
        return ()
    places = [] if word.isascii() else sorted(_places(word.lower(), found))
    if not places:
        return ((0, len(word)),)
    joined = [places[0]]
    for start, end in places[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _places(word: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Return where two-letter parts stand in a long word; nothing where a part is a stem of it."""
    if any(len(part) > 2 or part.isascii() for part in parts):
        return []
    return [(at, at + len(part)) for part in parts for at in range(len(word)) if word.startswith(part, at)]
