"""What the words of a question say of the metadata of nodes: "broken devices", "on night shift", "with 9 credits".

A value is said by its own words, a number or a letter beside the word of its key, yes and no by the key's word, a date
by its year. "Not" before one of them means what has another value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeGuard

from fourfold.language.amounts import Measured
from fourfold.language.lexicon import MEASURES, SAY_NOTHING
from fourfold.language.name_matching import Words
from fourfold.language.placed import PREPOSITIONS, word_at

Value = str | int | float | bool | tuple[str, ...]
Row = Mapping[str, Value]
"""The metadata of a node: what is a single value, or a list of words."""

LONGEST = 4
"""Words that a value has at most which a question says."""

_LONGEST_VALUE = 60
"""Letters that a value has at most which is looked at."""

_MOST_VALUES = 64
"""Values that a list has at most which is looked at."""

_ALIKE = 5
"""So many letters at the beginning make of two stems one word: deliver and delivery."""

_SHORTEST = 2
"""Shorter values are said only beside the word of their key: "zone C"."""

_YES, _NO = frozenset({"yes", "true", "y"}), frozenset({"no", "false", "n"})
_SHORT_NOT = frozenset("aren isn weren wasn don doesn didn hasn haven".split())
"""What is left of "aren't" before its "t"."""
NOT = frozenset({"not", "no", "non", "without", "never"}) | _SHORT_NOT
"""What stands before what is denied."""

_BEFORE_IT = frozenset("t yet currently longer really a any the being".split())
"""What may stand between."""

_BESIDE = frozenset("all every there still currently turned switched show set may can".split())
_SILENT = SAY_NOTHING | MEASURES | _SHORT_NOT | _BESIDE
"""Words that say of no value."""

_FIGURE = re.compile(r"\D{0,4}\d")
_YEARS = range(1000, 2101)


@dataclass(frozen=True, slots=True)
class Said:
    """What words say of one key: which of the rows have it so, and at which places the words stand."""

    key: str
    rows: frozenset[int]
    places: frozenset[int]


class Properties:
    """The metadata of nodes, in rows, as a question speaks of it: ``words`` with their terms."""

    def __init__(self, words: Words, rows: Sequence[Row], terms: Callable[[str], list[str]]) -> None:
        self._plain = [word.lower() for word, _ in words]
        self._terms, self.rows = terms, rows
        self._said = [own or (word.lower(),) for word, own in words]
        self._content = [bool(own) for _, own in words]
        self.keys = {key: frozenset(terms(key)) for key in dict.fromkeys(key for row in rows for key in row)}

    def holds(self, word: str) -> bool:
        """Tell whether a key has a word."""
        own = self._terms(word)
        return any(not key.isdisjoint(own) for key in self.keys.values())

    def called(self, places: Collection[int]) -> dict[str, frozenset[int]]:
        """Return the keys that words at some places call, each with these places."""
        found = {
            key: frozenset(place for place in places if self._content[place] and self._calls(place, own))
            for key, own in self.keys.items()
        }
        return {key: where for key, where in found.items() if where}

    def _calls(self, place: int, key: frozenset[str]) -> bool:
        said = self._said[place]
        return any(own == one or _alike(own, one) for own in key for one in said)

    def left(self, places: Collection[int]) -> list[int]:
        """Return which words at some places say more than that something is asked for."""
        silent = _SILENT | NOT
        return [p for p in places if self._content[p] and self._plain[p] not in silent and not ends_not(self._plain, p)]

    def said(self, places: Collection[int]) -> list[Said]:
        """Return all that words at some places say, none of them twice; of words for several keys all that have them.

        Longer values come before shorter ones, and what a word says as a value before what it does as a key.
        """
        free, found = set(places), []
        for one in (*self._values(places), *self._beside_keys(places), *self._flags(places), *self._years(places)):
            own = [place for place in one.places if self._content[place]] or sorted(one.places)
            if free.issuperset(own):
                found.append(self._denied(one))
                free.difference_update(own)
        return found

    def _denied(self, one: Said) -> Said:
        """Return what has another value of the key where words deny this one."""
        at = min(one.places) - 1
        while word_at(self._plain, at) in _BEFORE_IT:
            at -= 1
        if word_at(self._plain, at) not in NOT:
            return one
        others = (number for number, row in enumerate(self.rows) if one.key in row and number not in one.rows)
        return Said(one.key, frozenset(others), one.places | set(range(at, min(one.places))))

    def _values(self, places: Collection[int]) -> Iterator[Said]:
        """Give the values that are said in their own words."""
        having: dict[tuple[str, ...], dict[str, set[int]]] = {}
        for number, row in enumerate(self.rows):
            for key, value in row.items():
                for spoken in filter(None, map(self._spoken, _words_of(value))):
                    having.setdefault(spoken, {}).setdefault(key, set()).add(number)
        last, calling = len(self._plain) - 1, self.called(places)
        for size in range(LONGEST, 0, -1):
            for place in sorted(places):
                own = range(place, place + size)
                if not set(own).issubset(places):
                    continue
                keys = having.get(tuple(term for at in own for term in self._said[at]), {})
                empty = not any(self._content[at] for at in own)  # "which lights are on"
                if not keys or (empty and own[-1] != last):
                    continue
                asked = [key for key in keys if key in calling] or list(keys)
                rows = frozenset().union(*(keys[key] for key in asked))
                yield Said(asked[0], rows, frozenset(own))

    def _spoken(self, value: str) -> tuple[str, ...]:
        """Return the terms of a value that its words say; none of a longer text, a figure, or a single letter."""
        words = re.findall(r"[^\W_]+", value.lower())
        if not 0 < len(words) <= LONGEST or len(value) < _SHORTEST or value[0].isdigit() or value.lower() in _YES | _NO:
            return ()
        return tuple(term for word in words for term in self._terms(word) or [word])

    def _beside_keys(self, places: Collection[int]) -> Iterator[Said]:
        """Give the numbers and letters beside the words of their keys: "9 credits", "zone C"."""
        for key, where in self.called(places).items():
            for at in where:
                for place in self._next_to(at, places):
                    own = self._plain[place]
                    rows = [n for n, row in enumerate(self.rows) if key in row and _is_figure(row[key], own)]
                    if rows:
                        yield Said(key, frozenset(rows), frozenset({place, at}))

    def _next_to(self, at: int, places: Collection[int]) -> list[int]:
        """Return the places of the words before and behind one, past stop words."""
        before = [*takewhile(lambda p: not self._content[p], range(at - 1, -1, -1))]
        behind = [*takewhile(lambda p: not self._content[p], range(at + 1, len(self._plain)))]
        near = (at - len(before) - 1, at + len(behind) + 1)
        return [place for place in near if place in places]

    def _flags(self, places: Collection[int]) -> Iterator[Said]:
        """Give the keys that are so or not: "which lines are electrified"."""
        for key, where in self.called(places).items():
            told = {number: _flag(row[key]) for number, row in enumerate(self.rows) if key in row}
            if told and None not in told.values():
                yield Said(key, frozenset(number for number, yes in told.items() if yes), where)

    def _years(self, places: Collection[int]) -> Iterator[Said]:
        """Give the years that dates lie in: "submitted in 2024"; of several dates that which a word calls."""
        called, dated = self.called(places), self.dated()
        keys = [key for key in dated if key in called] or (dated if len(dated) == 1 else [])
        for place in places:
            year = self._plain[place]
            if keys and year.isdecimal() and int(year) in _YEARS and word_at(self._plain, place - 1) in PREPOSITIONS:
                rows = [n for n, row in enumerate(self.rows) if str(row.get(keys[0], "")).startswith(year)]
                yield Said(keys[0], frozenset(rows), frozenset({place}) | called.get(keys[0], frozenset()))

    def amount(self, asked: Measured, places: Collection[int]) -> tuple[str, frozenset[int]]:
        """Return the key that tells an amount, and where the words stand that call it; "" where none does.

        One that words at some places call comes before those that are called as ``asked.by`` has it, in its order; of
        time an age, or the only date, tells where none is.
        """
        figured = {key: own for key, own in self.keys.items() if self._is_figured(key)}
        called = {key: where for key, where in self.called(places).items() if key in figured}
        if called:
            key = max(called, key=lambda one: (len(called[one]), -len(figured[one])))
            return key, called[key]
        names = [word for each in asked.by for word in each.split()] + ["age"] * asked.of_time
        for name in names:
            term = self._terms(name)
            having = [key for key, own in figured.items() if not own.isdisjoint(term)]
            if having:
                return min(having, key=lambda one: len(figured[one])), frozenset()
        dated = self.dated() if asked.of_time else []
        return (dated[0] if len(dated) == 1 else ""), frozenset()

    def _is_figured(self, key: str) -> bool:
        """Tell whether the values of a key are numbers, or begin with one."""
        values = [row[key] for row in self.rows if key in row]
        return all(not isinstance(value, bool) and _FIGURE.match(str(value)) for value in values)

    def dated(self) -> list[str]:
        """Return the keys whose values are all dates or years."""
        return [key for key in self.keys if all(_is_dated(row[key]) for row in self.rows if key in row)]


def ends_not(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is the "t" of "aren't"."""
    return words[place] == "t" and word_at(words, place - 1) in _SHORT_NOT


def _alike(one: str, other: str) -> bool:
    """Tell whether two stems begin alike, and one of them is hardly longer."""
    return min(len(one), len(other)) >= _ALIKE and (one.startswith(other) or other.startswith(one))


def _is_figure(value: Value, said: str) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return value.lower() == said and (len(value) < _SHORTEST or value[0].isdigit())
    return said.isdecimal() and float(said) == value


def _flag(value: Value) -> bool | None:
    """Return whether a value says yes; None of another."""
    if isinstance(value, bool):
        return value
    said = str(value).lower()
    return True if said in _YES else False if said in _NO else None


def _is_dated(value: Value) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\d{4}-\d\d?(-\d\d?.*)?", value) is not None
    return not isinstance(value, (bool, float)) and value in _YEARS


def _words_of(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def values_of(metadata: Mapping[str, object]) -> dict[str, Value]:
    """Return what of a node's metadata is a single value, or a list of strings, where they are not long."""
    found: dict[str, Value] = {}
    for key, value in metadata.items():
        if isinstance(value, (bool, int, float)) or _is_short(value):
            found[key] = value
        elif isinstance(value, list) and 0 < len(value) <= _MOST_VALUES:
            found[key] = tuple(one for one in value if _is_short(one))
    return found


def in_words(key: str, row: Row) -> str:
    """Return what a row has under a key: "state broken"."""
    value = row.get(key, "")
    return f"{key} {', '.join(value) if isinstance(value, tuple) else value}"


def _is_short(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= _LONGEST_VALUE
