"""What words say of amounts: which of several is meant ("the highest mountain"), or how much it is ("above 20").

By what labels call the amount: of "the highest" its height, of "more than 20 million people" their population. Words
that say only this ask for no edge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf

from fourfold.language.lexicon import DO
from fourfold.language.placed import ARTICLES, PREPOSITIONS, place_before, word_at

Said = tuple[tuple[str, ...], bool]
"""What labels call an amount, each as likely as those before it at most; whether the greatest is meant."""

BEGUN = ("birth birthday born founded established inception built opened created started release released", "date year")
"""What labels call when something began."""

_SIZE = ("area size", "population", "length")
_HEIGHT, _LENGTH, _PRICE = (
    ("height elevation altitude",),
    ("length duration runtime running time",),
    ("price cost budget",),
)
_RATING = ("rating rated score grade",)
_MONEY = ("gross grossed revenue earnings income profit",)
_WORTH = ("worth value valuation capitalization fortune",)

_SUPERLATIVES: dict[str, Said] = {
    **dict.fromkeys(("highest", "tallest"), (_HEIGHT, True)),
    **dict.fromkeys(("largest", "biggest"), (_SIZE, True)),
    **dict.fromkeys(("newest", "latest", "youngest"), (BEGUN, True)),
    **dict.fromkeys(("oldest", "earliest"), (BEGUN, False)),
    **dict.fromkeys(("best", "greatest"), (_RATING, True)),
    "worst": (_RATING, False),
    "lowest": (_HEIGHT, False),
    "smallest": (_SIZE, False),
    "longest": (_LENGTH, True),
    "shortest": ((*_LENGTH, *_HEIGHT), False),
    "deepest": (("depth",), True),
    "heaviest": (("weight mass",), True),
    "lightest": (("weight mass",), False),
    "fastest": (("speed",), True),
    "slowest": (("speed",), False),
    "cheapest": (_PRICE, False),
    "strongest": (("strength power alcohol",), True),
    "weakest": (("strength power alcohol",), False),
    "richest": (("wealth fortune income",), True),
    "poorest": (("wealth fortune income",), False),
    "maximum": ((), True),
    "minimum": ((), False),
}
_MOST: dict[str, Said] = {
    "expensive": (_PRICE, True),
    "populous": (("population",), True),
    "recent": (BEGUN, True),
    "successful": (_MONEY, True),
    "valuable": (_WORTH, True),
}
"""Adjectives behind "most"; behind "least" the least of it is meant."""

_IRREGULAR = {
    "better": "best",
    "worse": "worst",
    "more": "most",
    "less": "least",
    "later": "latest",
    "first": "earliest",
}
_NOUNS = {
    **dict.fromkeys(("people", "inhabitants", "residents"), ("population inhabitants",)),
    "money": _MONEY,
    **dict.fromkeys(("dollars", "euros", "pounds"), (*_MONEY, *_PRICE)),
}
"""What labels call the amount of what a noun says; of others the noun itself."""

_VERBS = {"worth": _WORTH, **dict.fromkeys(("earn", "earns", "earned", "made", "makes", "grossed"), _MONEY)}
"""Likewise of what stands before "more", without a noun behind it: "which is worth more, X or Y", "which cost more"."""

_LEAST = frozenset({"fewest", "least"})
MANY = {"most": True, **dict.fromkeys(_LEAST, False)}
"""Words for the greatest and the least number of what stands behind them."""
_HAVING = frozenset({"has", "have", "had", "with", "having", "of"})
EARNING = frozenset({"made", "make", "makes", "earned", "earn", "grossed", "took", "got"})
_SEQUENCE = frozenset({"first", "last"})
_PICKING = frozenset({"most", *_LEAST, *_SEQUENCE, *_SUPERLATIVES})

_ABOVE = frozenset("over above exceeding exceeds after since".split())
_BELOW = frozenset("under below before until".split())
_OF_TIME = frozenset({"after", "since", "before", "until"})
_WITH_IT = frozenset({"since", "until"})
_OF_AGE = re.compile(r"age(_|$)|aged", re.IGNORECASE)
"""What a key is called that tells how old something is."""
_AGE = {"older": "age aged", "younger": "age aged"}
_LESS_THAN = frozenset("less fewer smaller lower shorter worse younger cheaper".split())
_THAN = _LESS_THAN | frozenset("more greater larger bigger higher longer taller better older".split())
_PLAIN = frozenset("more less fewer greater higher lower".split())
"""Comparatives that say nothing of what is compared: "a population of more than", but "longer than"."""

_SCALE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "m": 1e6, "bn": 1e9}
_YEARS = range(1000, 2101)
_GROUP, _ROW = 3, 2
"""Digits that stand together in "1 000 000"; words before a bound that say at most of what it is one."""

_BE = frozenset("is are was were be".split())


@dataclass(frozen=True, slots=True)
class Measured:
    """What amount is asked for.

    Args:
        by: what labels call it, the likeliest first.
        largest: whether the greatest of several is meant, or the least; None: all within bounds are.
        above: what it exceeds, or reaches where ``inclusive``.
        below: what it stays under, likewise.
        inclusive: whether the bound itself is within.
        places: of the words that say no more than this.
        by_day: whether the bounds are days, by year · 10,000 + month · 100 + day, not years.

    """

    by: tuple[str, ...]
    largest: bool | None = None
    above: float = -inf
    below: float = inf
    inclusive: bool = False
    places: frozenset[int] = frozenset()
    by_day: bool = False

    @property
    def of_time(self) -> bool:
        """Whether a date is asked for."""
        return self.by == BEGUN

    def of_key(self, key: str) -> Measured:
        """Return the same by a key: of ages the oldest has the greatest, of what tells when it began the least."""
        turned = self.of_time and self.largest is not None and _OF_AGE.match(key) is not None
        return replace(self, by=("age",), largest=not self.largest) if turned else self


def asked_for(words: Sequence[str], names: Collection[int], holds: Callable[[str], bool]) -> Measured | None:
    """Return which amount a question asks for outside of names; None where it asks for none.

    ``words`` are in lower case; ``holds`` tells whether an edge type's label has a word.
    """
    free = [word if place not in names else "" for place, word in enumerate(words)]
    every = (_bounded(words, free, place, holds) or _superlative(free, place, holds) for place in range(len(free)))
    return next((one for one in every if one is not None), None)


def compared(words: Sequence[str], names: Collection[int]) -> Measured | None:
    """Return by which amount a question compares what it names: "which is bigger, X or Y"; None where by none."""
    free = [word if place not in names else "" for place, word in enumerate(words)]
    for place, word in enumerate(free):
        most, next_word = _as_superlative(word), word_at(free, place + 1)
        if most in _LEAST | {"most"} and next_word:
            if next_word in _MOST:
                by, largest = _MOST[next_word]
                return Measured(by, largest == (most == "most"))
            return Measured(_NOUNS.get(next_word, (next_word,)), most == "most")
        if most in _LEAST | {"most"} and (verb := word_at(free, place - 1)) and verb not in _BE | DO:
            return Measured(_VERBS.get(verb, (verb,)), most == "most")
        if most in _SUPERLATIVES and most not in {"best", "worst"}:
            return Measured(*_SUPERLATIVES[most])
    return None


def picking(words: Sequence[str]) -> set[int]:
    """Return where words stand that say which of several is meant, and nothing of what is asked for."""
    picks = {place for place, word in enumerate(words) if word in _PICKING}
    return picks | {place + 1 for place in picks if words[place] in MANY and word_at(words, place + 1) in _MOST}


def is_one(word: str) -> bool:
    """Tell whether a word says which of several is meant, and asks for no edge."""
    return word in _SUPERLATIVES


def _as_superlative(word: str) -> str:
    """Return the superlative of a comparative: bigger, biggest; "" of another word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return f"{word[:-1]}st" if word.endswith("er") else ""


def _superlative(free: Sequence[str], place: int, holds: Callable[[str], bool]) -> Measured | None:
    """Return what a superlative at a place asks for: "the longest", "the most people", "the highest budget"."""
    word, noun = free[place], word_at(free, place + 1)
    if word not in _PICKING:  # as of nearly all words
        return None
    before = place_before(free, place)
    verb = _verb_at(free, before)
    said = frozenset({place, place + 1, *verb})
    if word in {"most", *_LEAST}:
        if noun in _MOST:
            by, largest = _MOST[noun]
            return Measured(by, largest == (word == "most"), places=said - set(verb))
        does = word_at(free, before)
        if place == len(free) - 1 and (does in _VERBS or (does not in _BE | DO | {""} and holds(does))):
            return Measured(_VERBS.get(does, (does,)), word == "most", places=frozenset(range(before, place + 1)))
        known = noun in _NOUNS or (bool(noun) and holds(noun))
        if not known or not (verb or word_at(free, before) in _HAVING):
            return None
        return Measured(_NOUNS.get(noun, (noun,)), word == "most", places=said)
    if word in _SEQUENCE and _opens(free, place) and noun:
        return Measured(BEGUN, word == "last")
    if word not in _SUPERLATIVES:  # "first" elsewhere
        return None
    by, largest = _SUPERLATIVES[word]
    if noun.endswith(("ed", "ing")):
        return Measured((noun, *_NOUNS.get(noun, ())), largest, places=frozenset({place, place + 1}))
    if (noun in _NOUNS or (noun and holds(noun))) and (verb or word_at(free, before) in _HAVING - {"of"}):
        return Measured((*_NOUNS.get(noun, (noun,)), *by), largest, places=said)
    return Measured(by, largest)


def _opens(free: Sequence[str], place: int) -> bool:
    """Tell whether "first" or "last" says which of several: "what was X's first film"."""
    return free[0] in {"what", "which"} and place > 1 and (free[place - 1] in {"", "the", "s"})


def _bounded(words: Sequence[str], free: Sequence[str], place: int, holds: Callable[[str], bool]) -> Measured | None:
    """Return the bound that stands at a place: "over 3 million", "more than 10 people", "before 1995"."""
    word = free[place]
    than = word in _THAN and word_at(free, place + 1) == "than"
    reaches = word == "at" and word_at(free, place + 1) in {"least", "most"}
    if not (than or reaches or word in _ABOVE | _BELOW):
        return None
    start = place + 1 + (than or reaches)
    if word in _OF_TIME and (day := _day(words, start)) is not None:
        return _by_day(word, place, *day)
    amount, end = _number(words, start)
    if amount is None or (word in _OF_TIME and (amount not in _YEARS or end > start + 1)):
        return None
    unit = [end] if word_at(free, end) in _NOUNS or (bool(word_at(free, end)) and holds(free[end])) else []
    said, measure = ([], []) if than and word not in _PLAIN else _measure_before(free, place, holds)
    by = [*measure, *(one for at in unit for one in _NOUNS.get(free[at], (free[at],)))]
    if word in _OF_TIME:
        by, said, unit = list(BEGUN), [], []
    elif word in _AGE:
        by = [_AGE[word]]
    elif than and not by:
        by = list(_SUPERLATIVES.get(_as_superlative(word), ((), True))[0])
    if not by:
        return None
    least = word in _LESS_THAN | _BELOW or free[start - 1] == "most"
    above, below = (-inf, amount) if least else (amount, inf)
    said = [*said, *_having(free, min([place, *said]))]
    places = frozenset({*range(place, end), *unit, *said})
    return Measured(tuple(by), above=above, below=below, inclusive=reaches or word in _WITH_IT, places=places)


def _day(words: Sequence[str], start: int) -> tuple[float, float, int] | None:
    """Return the first and last day of a date such as 2023-07 or 2023-07-19, and where it ends; None: there is none."""
    parts = list(takewhile(str.isdecimal, words[start : start + 3]))
    if len(parts) < _ROW or int(parts[0]) not in _YEARS or not all(0 < len(one) <= _ROW for one in parts[1:]):
        return None
    first = sum(int(one) * scale for one, scale in zip(parts, (10_000, 100, 1), strict=False))
    return float(first), float(first + 99 * (len(parts) == _ROW)), start + len(parts)


def _by_day(word: str, place: int, first: float, last: float, end: int) -> Measured:
    """Return the bound that a date is behind "after", "since", "before" or "until"."""
    above = -inf if word in _BELOW else first if word in _WITH_IT else last
    below = inf if word in _ABOVE else last if word in _WITH_IT else first
    inclusive = word in _WITH_IT
    places = frozenset(range(place, end))
    return Measured(BEGUN, above=above, below=below, inclusive=inclusive, places=places, by_day=True)


def _measure_before(free: Sequence[str], place: int, holds: Callable[[str], bool]) -> tuple[list[int], list[str]]:
    """Return the places of the words that say of what a bound is one, and what labels call it: "a population above"."""
    before = place - 1
    while before > 0 and (free[before] in _BE | ARTICLES | {"of"}):
        before -= 1
    if free[before] in EARNING:
        return [before], list(_MONEY)
    none = PREPOSITIONS | DO | {""}
    run = list(takewhile(lambda at: free[at] not in none and holds(free[at]), range(before, -1, -1)))[:_ROW]
    return run, [free[at] for at in run]


def _having(free: Sequence[str], place: int) -> list[int]:
    """Return the places of "with a" or the like before the words that say what a bound is one of; none elsewhere."""
    before = place_before(free, place)
    return list(range(before, place)) if before > 0 and free[before] in {"with", "having"} else []


def _verb_at(free: Sequence[str], place: int) -> list[int]:
    """Return a place where a verb says that something has an amount: "made the most money"."""
    return [place] if word_at(free, place) in EARNING else []


def _number(words: Sequence[str], start: int) -> tuple[float | None, int]:
    """Return the number that begins at a place, None: none does, and where it ends; 7 5 is 7.5, 1 000 a thousand."""
    article = word_at(words, start) in {"a", "an", "one"} and word_at(words, start + 1) in _SCALE
    digits = list(takewhile(str.isdecimal, words[start:]))
    if not digits and not article:
        return None, start
    end = start + (len(digits) or 1)
    whole = all(len(one) == _GROUP for one in digits[1:])
    number = float("".join(digits) if whole else f"{digits[0]}.{''.join(digits[1:])}") if digits else 1.0
    while word_at(words, end) in _SCALE:
        number, end = number * _SCALE[words[end]], end + 1
    return number, end
