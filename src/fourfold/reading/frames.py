"""Frames of questions are read piece by piece, each from where the piece before it ends.

One pattern of all that a frame can be would be as good; but no one could measure that it stays quick on every text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

_BEGIN = re.compile(r"^|[.;!?(]")
"""Where a sentence may begin; what follows may be space."""

_LETTERS = re.compile("[a-z]+")
_SPACE = re.compile(r"\s*")


def words(pattern: str, *, before: str = r"(?!\S)") -> re.Pattern[str]:
    """Return a pattern of whole words in any case, that stand ``before`` something: by default space, or the end."""
    return re.compile(rf"(?:{pattern}){before}", re.IGNORECASE)


def after(piece: re.Pattern[str], text: str, begin: int) -> int | None:
    """Return where a piece ends that comes next; None where something else does."""
    space = _SPACE.match(text, begin)
    found = piece.match(text, space.end() if space else begin)
    return found.end() if found else None


def past(piece: re.Pattern[str], text: str, begin: int) -> int:
    """Return the place behind as many of a piece as stand in a row."""
    while (end := after(piece, text, begin)) is not None:
        begin = end
    return begin


def may_hold(text: str, telling: Set[str]) -> bool:
    """Tell whether a text holds any of some words of small letters a to z, without one of which no frame is."""
    return not telling.isdisjoint(_LETTERS.findall(text.lower()))


def left_of(text: str, end_of_frame: Callable[[str, int], int | None]) -> str:
    """Return a text without the frames that begin where its sentences do.

    ``end_of_frame`` returns where the frame ends that begins at a place in a text; None where none does.
    """
    kept, done = [], 0
    for begin in _BEGIN.finditer(text):
        if begin.end() >= done and (end := end_of_frame(text, begin.end())) is not None:
            kept += [text[done : begin.end()], " " * (not text[end : end + 1].isspace())]
            done = end
    return "".join((*kept, text[done:])).strip()


def says_something(text: str) -> bool:
    """Tell whether a text holds a letter or a digit."""
    return re.search(r"\w", text) is not None
