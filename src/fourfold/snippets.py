"""The passage of a text that a question is about: what to show of a long text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

_PIECE = re.compile(r"\S{1,40}")  # a word; of what has no spaces, a stretch
_SENTENCE_END = re.compile(r"[.!?。！？]\s*|\n+")
_LONGEST_READ = 100_000
_LOOK_BACK = 80


def snippet(text: str, question: str, terms: Callable[[str], Sequence[str]], *, length: int = 300) -> str:
    """Return the passage of a text that holds most of a question's words, on one line.

    Of passages with equally many different words the one that names them more often is taken, then the first; without
    any of the words, the beginning. Where a sentence begins shortly before, so does the passage.

    It has at most ``length`` characters, with "…" where the text goes on; of longer texts the first 100,000 are read.
    """
    text = text[:_LONGEST_READ]
    if len(text) <= length:
        return " ".join(text.split())
    wanted = frozenset(terms(question))
    found = [(piece.start(), piece.end(), piece.group()) for piece in _PIECE.finditer(text)]
    held = {word: wanted.intersection(terms(word)) for word in {word for _, _, word in found}}
    hits = [(start, end, held[word]) for start, end, word in found if held[word]]
    start = _begin(text, _densest(hits, length - 2 - _LOOK_BACK)) if hits else 0
    end = min(start + length - 2, len(text))
    if end < len(text):  # between two words, if there are any
        end = next((at for _, at, _ in reversed(found) if start < at <= end), end)
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _densest(hits: Sequence[tuple[int, int, frozenset[str]]], length: int) -> int:
    """Return where the best window of that many characters begins: at one of the hits."""
    best, best_start = (0, 0), hits[0][0]
    inside: Counter[str] = Counter()
    last = 0
    for start, _, own in hits:
        while last < len(hits) and hits[last][1] <= start + max(length, 1):
            inside.update(hits[last][2])
            last += 1
        worth = (len(inside), inside.total())
        if worth > best:
            best, best_start = worth, start
        inside.subtract(own & inside.keys())
        inside = +inside
    return best_start


def _begin(text: str, start: int) -> int:
    """Return where the sentence begins, if that is near, else the place itself."""
    near = max(start - _LOOK_BACK, 0)
    ends = [found.end() for found in _SENTENCE_END.finditer(text, near, start)]
    if ends:
        return ends[-1]
    return 0 if near == 0 else start
