"""Comparisons: what a question sets side by side, and an answer that neither side fills alone.

"json vs pickle" names two things. Both stand first, and what follows takes turns: of each side as many, best first. The
scores stay those of the answer, dealt out anew in the new order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.language.name_matching import Words

_AGAINST = frozenset({"vs", "versus"})
_JOINING = frozenset({"and", "or", "with", "to", "from", "than"})
_ASKING = frozenset(
    """between compare compared comparing comparison contrast differ differs difference differences different
    distinguish choose pick prefer better faster slower which should use using instead rather""".split()
)
_BETWEEN = frozenset({"and", "or"})
_BEHIND = frozenset("differ differs difference differences compare compared".split())
"""Words that ask for a difference though they stand behind both things: "how do json and pickle differ"."""

_NO_THING = frozenset({"difference", "differences", "similarity", "similarities", "contrast"})
_LONGEST = 4
NEITHER, FIRST, SECOND = 0, 1, 2


def compared(words: Words) -> tuple[list[str], list[str]] | None:
    """Return the terms of the two things that a question compares, or None.

    They stand on both sides of "vs", or of "and", "or", "with" … after a word that asks for a difference, or before it:
    "json or pickle: which is better"; each side reaches as far as its words say something, at most four of them.
    """
    plain = [word.lower().rstrip(".") for word, _ in words]
    for join in _joins(words, plain):
        if not _NO_THING.isdisjoint(plain[join + 1 : join + 2]):  # "similarities and differences"
            continue
        if plain[join] in _BETWEEN and not _ASKING.isdisjoint(plain[max(join - 1, 0) : join]):  # "compare and choose"
            continue
        left = _reach(words, plain, range(join - 1, max(join - 1 - _LONGEST, -1), -1))[::-1]
        right = _right_of(words, plain, join)
        one, other = ([term for place in side for term in words[place][1]] for side in (left, right))
        if one and other and set(one) != set(other):
            return one, other
    return None


def _joins(words: Words, plain: Sequence[str]) -> list[int]:
    """Return the places of the words that may part two things, the likeliest first."""
    if against := [place for place, word in enumerate(plain) if word in _AGAINST]:
        return against
    asks = next((place for place, word in enumerate(plain) if word in _ASKING), len(plain))
    behind = [place for place, word in enumerate(plain) if place > asks and word in _JOINING]
    if asks == len(plain):
        return behind
    alternatives = [place for place in range(asks) if plain[place] == "or"]
    at_once = [place for place in alternatives if max(_right_of(words, plain, place), default=-1) + 1 == asks]
    before = [place for place in range(asks) if plain[place] in _BETWEEN] if plain[asks] in _BEHIND else alternatives
    return [*at_once, *behind, *before]


def _right_of(words: Words, plain: Sequence[str], join: int) -> list[int]:
    return _reach(words, plain, range(join + 1, min(join + 1 + _LONGEST, len(words))))


def _reach(words: Words, plain: Sequence[str], places: range) -> list[int]:
    """Return the places of the words that belong to a side, going away from the join."""
    found: list[int] = []
    for place in places:
        if words[place][1] and plain[place] not in _ASKING:
            found.append(place)
        elif found:
            break
    return found


def taking_turns(sides: NDArray[np.int8], heads: Sequence[int], count: int) -> list[int]:
    """Return the places of ``count`` nodes in an order that neither side fills.

    ``sides`` (n,) are those of nodes, best first; ``heads`` are the places of what the two sides are called, which come
    first.
    """
    order = list(heads)
    waiting = {side: [int(p) for p in np.flatnonzero(sides == side) if p not in heads] for side in (0, 1, 2)}
    shown = {FIRST: 1, SECOND: 1}
    while len(order) < count and any(waiting.values()):
        ready = [
            side
            for side, left in waiting.items()
            if left and (side == NEITHER or shown[side] <= shown[3 - side] or not waiting[3 - side])
        ]
        side = min(ready, key=lambda one: waiting[one][0])
        order.append(waiting[side].pop(0))
        if side != NEITHER:
            shown[side] += 1
    return order[:count]
