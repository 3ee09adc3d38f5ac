"""Frames of questions are read piece by piece, each from where the piece before it ends.

One pattern of all that a frame can be would be as good; but no one could measure that it stays quick on every text.
"""

from __future__ import annotations

import re

BEGIN = re.compile(r"^|[.;!?(]")
"""Where a sentence may begin; what follows may be space."""

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
