"""Questions in scripts without word boundaries, parted where names and words of edge types stand in them.

"刘备的父亲是谁" is one run of characters. Beside a node 刘备 and edges of 父亲 it is read as 刘备, 的, 父亲, 是谁;
what is neither asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fourfold.language.name_matching import Named, NamesOf, Words
from fourfold.word_breaks import UNSPACED

_RUN = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")


def runs_together(word: str) -> bool:
    """Tell whether a word has characters of a script without word boundaries."""
    return not word.isascii() and re.search(f"[{UNSPACED}]", word) is not None


def parted(
    words: Words,
    named: Sequence[Named],
    names_of: NamesOf,
    labels: Callable[[str], Sequence[str]],
    terms: Callable[[str], Sequence[str]],
) -> tuple[Words, list[Named]]:
    """Return the words of a question, and what it names by places among these.

    ``labels`` returns the words of edge types that stand in a run of characters.
    """
    if not any(runs_together(word) for word, _ in words):
        return words, list(named)
    called = [sorted(set(names_of(one.nodes)), key=len, reverse=True) for one in named]
    parts, starts = [], [0]
    for place, (word, own) in enumerate(words):
        here = [names for one, names in zip(named, called, strict=True) if one.start <= place < one.end]
        known = [part for names in here for name in names for part in name]
        pieces = _pieces(word, known, labels) if runs_together(word) else [(word, True)]
        parts += [(piece, own if piece == word else tuple(terms(piece)) if says else ()) for piece, says in pieces]
        starts.append(len(parts))
    typed = [word.lower() for word, _ in parts]

    def moved(one: Named, names: Sequence[tuple[str, ...]]) -> Named:
        start, end = starts[one.start], starts[one.end]
        ends = ((at, at + len(name), name) for name in names for at in range(start, end))
        start, end = next(((at, to) for at, to, name in ends if tuple(typed[at:to]) == name), (start, end))
        return replace(one, start=start, end=end)

    return parts, [moved(one, names) for one, names in zip(named, called, strict=True)]


def _pieces(word: str, known: Sequence[str], labels: Callable[[str], Sequence[str]]) -> list[tuple[str, bool]]:
    """Return the pieces of a word, each with whether it says anything: names and labels do, and other scripts."""
    found = []
    for part, is_name in _split(word, known):
        for run in [part] if is_name else _RUN.findall(part):
            if is_name or not runs_together(run):
                found.append((run, True))
            else:
                found += _split(run, labels(run))
    return found


def _split(text: str, parts: Sequence[str]) -> list[tuple[str, bool]]:
    """Return a text in pieces, and which of them are one of some parts; the leftmost counts, then the longest."""
    longest, lower = sorted(set(parts), key=len, reverse=True), text.lower()
    pieces, begin, at = [], 0, 0
    while at < len(text):
        part = next((one for one in longest if lower.startswith(one, at)), "")
        if part:
            pieces += [(text[begin:at], False), (text[at : at + len(part)], True)]
            begin = at + len(part)
        at += max(len(part), 1)
    return [(piece, is_part) for piece, is_part in (*pieces, (text[begin:], False)) if piece]
