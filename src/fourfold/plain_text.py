"""Text from a graph as a person or a model may be shown it: nothing in it steers a terminal or hides from the eye."""

from __future__ import annotations

import json
import re
import unicodedata

_KEPT = frozenset("\n\t\u200c\u200d")  # the joiners belong to how Persian, Hindi and emoji are written
_CUT_SHORT = "…"
_JOINER = "\u200d"
_JOINED = frozenset(map(chr, (0x200C, 0x200D, *range(0x1160, 0x1200), *range(0x1F3FB, 0x1F400))))
"""What is drawn with the character before it, besides marks: joiners, vowels of Korean, colours of skin."""
_HALF_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_SEEN = re.compile(  # of what `_shown` leaves, all but blanks, fillers, joiners and selectors
    "[^\\s\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def plain_text(text: str, limit: int | None = None) -> str:
    """Return the text without control and format characters, at most ``limit`` characters long.

    Control characters (escape sequences begin with one), line separators, private and unassigned characters become
    spaces; format characters (direction marks, tags, soft hyphens) go without one, as words continue across them.
    """
    if limit is None or len(text) <= limit:
        return text if text.isprintable() else "".join(map(_shown, text))
    return beginning(plain_text(beginning(text, limit)), limit - 1) + _CUT_SHORT


def beginning(text: str, limit: int) -> str:
    """Return the first ``limit`` characters; fewer where the last of them belong to what follows.

    A letter keeps its accents, an emoji what is joined to it, a flag its other half. Where that would leave nothing,
    there are ``limit``.
    """
    end = limit
    while 0 < end < len(text) and _belong_together(text, end):
        end -= 1
    return text[: end or limit]


def display_name(name: str, identity: str) -> str:
    """Return what a node is called: its name, or its id where nothing of the name can be seen."""
    return name if _SEEN.search(plain_text(name)) else identity


def counted(number: int, noun: str) -> str:
    """Return how many there are, such as ``1 node`` and ``2,000 nodes``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def plain_json(written: str) -> str:
    """Return JSON that decodes to the same, with what ``plain_text`` would not show escaped.

    An id that holds such a character stays one that the node can be asked for by.
    """
    return "\n".join(line if line.isprintable() else "".join(map(_escaped, line)) for line in written.split("\n"))


def _escaped(character: str) -> str:
    return character if _shown(character) == character else json.dumps(character)[1:-1]


def _shown(character: str) -> str:
    if character.isprintable() or character in _KEPT:
        return character
    return "" if unicodedata.category(character) == "Cf" else " "


def _belong_together(text: str, place: int) -> bool:
    """Tell whether the characters before and at a place are seen as one."""
    if text[place] in _HALF_FLAGS:
        return (place - len(text[:place].rstrip(_HALF_FLAGS))) % 2 == 1
    after = text[place]
    return text[place - 1] == _JOINER or after in _JOINED or unicodedata.category(after).startswith("M")
