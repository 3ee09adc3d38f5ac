"""Titles named in texts: normal forms, and a matcher of all titles at once.

A title and a text are compared word by word in lower case, whatever stands between the words; the parentheses of
``Mercury (planet)`` are dropped and kept as its qualifier. Scripts without word boundaries count each character as a
word. Where titles overlap, the leftmost and then the longest one counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from fourfold.lazy import load
from fourfold.tokenizer import ENGLISH_STOP_WORDS
from fourfold.word_breaks import UNSPACED

_WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PARENTHESES = re.compile(r"[(\[（]([^()\[\]（）]*)[)\]）]")

_LONGEST = 300
"""Most letters and digits of a title that texts are searched for."""


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared."""
    return [word.lower() for word in _WORD.findall(text if text.isascii() else unicodedata.normalize("NFC", text))]


def normal_title(title: str) -> str:
    """Return a title as links compare it: all its words, qualifiers included."""
    return " ".join(words_of(title))


def title_key(title: str, *, min_length: int = 3) -> tuple[str, str]:
    """Return the words by which texts name a title, and its qualifier; ``("", …)`` if no text should.

    "Mercury (planet)" gives ``("mercury", "planet")``. ``min_length`` is the fewest letters and digits; 2 for scripts
    without word boundaries.
    """
    plain = _PARENTHESES.sub(" ", title)
    words = words_of(plain) or words_of(title)
    qualifier = " ".join(word for part in _PARENTHESES.findall(title) for word in words_of(part))
    length = sum(map(len, words))
    shortest = 2 if words and all(map(_UNSPACED.match, words)) else min_length
    if not shortest <= length <= _LONGEST or all(word in ENGLISH_STOP_WORDS or word.isdigit() for word in words):
        return "", qualifier
    return " ".join(words), qualifier


def head(key: str) -> str:
    """Return the first two words of a title's key, or its only word."""
    return " ".join(key.split(" ", 2)[:2])


def heads(texts: Iterable[str]) -> set[str]:
    """Return every head that a title named in one of these texts can have."""
    found: set[str] = set()
    for text in texts:
        words = words_of(text)
        found.update(words)
        found.update(f"{first} {second}" for first, second in pairwise(words))
    return found


def is_unspaced(key: str) -> bool:
    """Whether full-text search, which splits at word boundaries, may miss this title."""
    return _UNSPACED.search(key) is not None


def unspaced(key: str) -> list[str]:
    """Return the characters of a title's key that are of scripts without word boundaries, each once."""
    return list(dict.fromkeys(_UNSPACED.findall(key)))


class Matcher:
    """Finds the titles that a text names, all at once, in time linear in the text.

    Titles are given as (number, key).

    Raises:
        MissingExtraError: ``ahocorasick-rs`` is not installed.

    """

    def __init__(self, keys: Sequence[tuple[int, str]]) -> None:
        self._numbers = [number for number, _ in keys]
        self._automaton: Any = None
        if keys:
            library = load("ahocorasick_rs", "Linking documents by their titles", extra="ingest")
            # Every word stands between spaces of its own, so that matches begin and end with words and neighbouring
            # titles do not share a space.
            patterns = [f" {key.replace(' ', '  ')} " for _, key in keys]
            self._automaton = library.AhoCorasick(patterns, matchkind=library.MatchKind.LeftmostLongest)

    def titles_in(self, text: str) -> set[int]:
        """Return the numbers of the titles that the text names."""
        if self._automaton is None:
            return set()
        haystack = f" {'  '.join(words_of(text))} "
        numbers = self._numbers
        return {numbers[pattern] for pattern, _, _ in self._automaton.find_matches_as_indexes(haystack)}
