"""Which of several is asked for: "the highest mountain in X" by what labels call its height, the greatest of these."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

_BEGUN = "birth born founded established inception built opened created start released release"
_SIZE = "area size population"
_BY_WORD = {
    **dict.fromkeys(("highest", "tallest"), ("height elevation altitude", True)),
    **dict.fromkeys(("largest", "biggest"), (_SIZE, True)),
    **dict.fromkeys(("newest", "latest", "youngest"), (_BEGUN, True)),
    **dict.fromkeys(("oldest", "earliest"), (_BEGUN, False)),
    "lowest": ("height elevation altitude", False),
    "smallest": (_SIZE, False),
    "longest": ("length", True),
    "shortest": ("length height", False),
    "deepest": ("depth", True),
    "heaviest": ("weight mass", True),
    "lightest": ("weight mass", False),
    "fastest": ("speed", True),
    "slowest": ("speed", False),
    "cheapest": ("price cost", False),
    **dict.fromkeys(("maximum", "greatest"), ("", True)),
    "minimum": ("", False),
}
_BY_PHRASE: dict[tuple[str, ...], tuple[str, bool]] = {
    ("most", "expensive"): ("price cost", True),
    ("most", "populous"): ("population", True),
}


@dataclass(frozen=True, slots=True)
class Superlative:
    """What decides which is meant: ``by``, what labels call it, and whether its ``largest`` amount does."""

    by: str
    largest: bool


def asked_for(words: Sequence[str], names: Collection[int]) -> Superlative | None:
    """Return by what the first superlative of a question, outside of names, tells which is meant; None: it has none."""
    for place, word in enumerate(words):
        found = _BY_PHRASE.get(tuple(words[place : place + 2])) or _BY_WORD.get(word)
        if found and place not in names:
            return Superlative(*found)
    return None


def is_one(word: str) -> bool:
    """Tell whether a word says which of several is meant, and asks for no edge."""
    return word in _BY_WORD
