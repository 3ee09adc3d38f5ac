"""Text from a graph as a person or a model may be shown it: nothing in it steers a terminal or hides from the eye."""

from __future__ import annotations

import json
import unicodedata

_KEPT = frozenset("\n\t\u200c\u200d")  # the joiners belong to how Persian, Hindi and emoji are written
_CUT_SHORT = "…"


def plain_text(text: str, limit: int | None = None) -> str:
    """Return the text without control and format characters, at most ``limit`` characters long.

    Control characters (escape sequences begin with one), line separators, private and unassigned characters become
    spaces; format characters (direction marks, tags, soft hyphens) go without one, as words continue across them.
    """
    if limit is not None:
        text = text[: limit + 1]
    if not text.isprintable():
        text = "".join(map(_shown, text))
    if limit is None or len(text) <= limit:
        return text
    return text[: limit - 1] + _CUT_SHORT


def called(name: str, identity: str) -> str:
    """Return what a node is called: its name, or its id where nothing of the name can be seen."""
    return name if plain_text(name).strip() else identity


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
