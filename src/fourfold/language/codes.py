"""Codes that names begin with, and that questions call them by: PEP 8, of "PEP 8 – Style Guide"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from fourfold.index.base import Nodes
from fourfold.index.names import LONGEST
from fourfold.language.name_matching import Named, Words, by_place, lowered, places_of

_NUMBER = re.compile(r"#([0-9]{1,12})(?![0-9])")
"""A number as issues and tickets have it."""


def named(
    words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]], types: Sequence[str], *, alone: bool = False
) -> list[Named]:
    """Return the nodes that a question calls by the code that their names begin with: "PEP 8 – Style Guide", PEP 8.

    A code goes to the last of the first figures in a row, and has letters, too. One that several nodes of a type begin
    with names none of them; of several types it names them all, an incident and the page on it. Nor does a word that is
    no code name any: the letters are capitals, unlike those of "season 2" or "2nd".
    Figures before them count only alone and behind a word: "comet 67P", not "films in 3D" or "directed 3D films". Of
    two codes that overlap the longest counts, then the leftmost.

    ``written`` has the words of the names of ``nodes``, as they are written. Where the question names nothing else
    (``alone``), capitals of the name are enough: "who wrote pep 8".
    """
    typed = lowered(words)
    telling = any(word != word.upper() for word, _ in words)  # in a question all in capitals these tell nothing
    codes = [tuple(word.lower() for word in _code_of(name)) for name in written]
    kinds = [*zip(codes, types, strict=True)]
    found: dict[tuple[int, int], Named] = {}
    for node, name, kind in zip(nodes, written, kinds, strict=True):
        code = kind[0]
        begin = _begin_of(code, typed) if code and kinds.count(kind) == 1 else -1
        end = begin + len(code)
        if begin < 0 or has_figures("".join(typed[end:][:1])):  # no Python 3 in "Python 3.1"
            continue
        figures_first = code[0][0].isdigit()
        as_code = telling and not figures_first and "".join(word for word, _ in words[begin:end]).isupper()
        in_name = alone and "".join(name[: len(code)]).isupper()
        if as_code or (in_name and (not figures_first or _is_called(words, begin, end))):
            one = found.setdefault((begin, end), Named(np.empty(0, np.int64), begin, end, " ".join(name).lower()))
            found[begin, end] = replace(one, nodes=np.append(one.nodes, node))
    apart: list[Named] = []
    for one in sorted(found.values(), key=lambda one: (one.start - one.end, one.start)):
        if places_of(apart).isdisjoint(one.places):
            apart.append(one)
    return by_place(apart)


def numbered(typed: str, words: Words, nodes: Nodes, names: Sequence[str]) -> list[Named]:
    """Return the nodes that a question calls by the number that their names begin with: "#801", of "#801 Slow start".

    ``names`` are those of ``nodes``, ``typed`` is the question.
    """
    found = []
    for number in dict.fromkeys(_NUMBER.findall(typed)):
        place = next((place for place, (word, _) in enumerate(words) if word == number), -1)
        called = [_NUMBER.match(name.lstrip()) for name in names]
        own = [at for at, one in enumerate(called) if one is not None and one[1] == number]
        if place >= 0 and own:
            found.append(Named(nodes[own], place, place + 1, names[own[0]].lower()))
    return found


def in_series(
    words: Words, found: Sequence[Named], nodes: Nodes, written: Sequence[tuple[str, ...]]
) -> Iterator[Named]:
    """Give what of a series a question names by its number: "Kitchen Ledger 14", of "Kitchen Ledger 14: Beans".

    ``found`` are the names without a number, ``written`` has the words of the names of ``nodes``.
    """
    typed = lowered(words)
    for one in found:
        called = tuple(typed[one.start : one.end + 1])
        if one.end < len(typed) and typed[one.end].isdecimal():
            own = [at for at, name in enumerate(written) if tuple(map(str.lower, name[: len(called)])) == called]
            if own:
                yield Named(nodes[own], one.start, one.end + 1, " ".join(written[own[0]]).lower())


def behind(name: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a name behind the code that it begins with, where they are enough to tell it; else none."""
    rest = tuple(name[len(_code_of(name)) :])
    return rest if len(name) > len(rest) > 1 else ()


def has_figures(text: str) -> bool:
    """Tell whether a word or a text has figures in it."""
    return any(letter.isdigit() for letter in text)


def _code_of(name: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the code that a name begins with and goes on behind; none where it does not."""
    figures = [*map(has_figures, name[: LONGEST + 1])]
    if True not in figures:
        return ()
    first = figures.index(True)
    end = first + len([*takewhile(bool, figures[first:])])
    code = tuple(name[:end])
    return code if end < len(name) and any(letter.isalpha() for letter in "".join(code)) else ()


def _is_called(words: Words, begin: int, end: int) -> bool:
    """Tell whether a word of its own stands right before others, and none right behind them: "comet 67P"."""
    before, behind = words[max(begin - 1, 0) : begin], words[end : end + 1]
    return any(terms for _, terms in before) and not any(terms for _, terms in behind)


def _begin_of(part: Sequence[str], typed: Sequence[str]) -> int:
    """Return where words stand in a row in the question; -1 where they do not."""
    places = range(len(typed) - len(part) + 1)
    return next((place for place in places if tuple(typed[place : place + len(part)]) == part), -1)
