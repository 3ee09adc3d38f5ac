"""The words of a question as they are read for what they ask: as one says them, and without what says nothing.

"Who produced Tide (film)" asks for no film, "whats" is "what", and a "part of the world" is a continent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import accumulate, chain

from fourfold.language.lexicon import PHRASES, QUESTION, WHICH
from fourfold.language.name_matching import Named, Reading, Word, Words, content_beside, lowered, places_of
from fourfold.language.placed import ARTICLES
from fourfold.language.syntax import BE, CO

_WITH, _OF = "with", frozenset({"of", "from"})

_WHAT = {"in": "inside"}
_WHERE = {
    "what": _WHAT,
    "who": {**_WHAT, "on": "inside", **dict.fromkeys(("under", "below"), "subordinate"), "above": "superior"},
}
"""Behind a word that asks, prepositions that ask before a name, and what they say: they stand in no label's words."""
_IS = "is"
_THERE = BE | {"there"}

_ASK = QUESTION | {"and", "or", "how"}
"""Words that ask for more: brackets that hold one say not which is meant."""


def read_aloud(
    text: str,
    words: Words,
    named: Sequence[Named],
    terms: Callable[[str], Sequence[str]],
    says: Callable[[tuple[str, ...]], bool],
) -> Reading:
    """Return the words of a question that are read, and what it names by places among these.

    ``says`` tells whether a label has a phrase as it is.
    """
    said: list[Words] = [[_parted(word)] for word in words]
    for place in _qualifiers(text, words, named) if "(" in text else ():
        said[place] = []
    typed = lowered(words)
    for phrase, word in PHRASES.items():
        start = next((at for at in range(len(typed)) if tuple(typed[at : at + len(phrase)]) == phrase), len(typed))
        end = start + len(phrase)
        if start == len(typed) or (phrase[-1] in _OF and end < len(typed)):
            continue  # "what is made of X" asks for no material
        others = [one for one in named if one.end <= start or one.start >= end]
        whole = any(one.start <= start and one.end >= end for one in named)
        meant = not whole or (start > 0 and typed[start - 1] in WHICH)  # else a node Part of the World is
        if others and meant and not any(says(same) for same, other in PHRASES.items() if other == word):
            said[start:end] = [[(word, tuple(terms(word)))], *[[]] * (len(phrase) - 1)]
            named = others  # a node Centre is not meant beside them
    place, word = _preposition(typed, named, says)
    if word:
        said[place] = [(word, tuple(terms(word)))]
        if place == 1:  # "what's" is read as "what"
            said[0] = [*said[0], (_IS, ())]
    return _read(named, said)


def _preposition(
    typed: Sequence[str], named: Sequence[Named], says: Callable[[tuple[str, ...]], bool]
) -> tuple[int, str]:
    """Return where a preposition asks, as nothing else is said ("what is in X"), and what it says; "": none does.

    The last word of a name says it where a label has that behind the preposition: on_menu, for "what is on the X menu".
    """
    if len(named) != 1 or named[0].end != len(typed):
        return -1, ""
    place = named[0].start - 1
    place -= place > 0 and typed[place] in ARTICLES
    asking = _WHERE.get(typed[0].removesuffix("s"))
    if asking is None or place < 1 or not _THERE.issuperset(typed[1:place]):
        return place, ""
    return place, typed[-1] if says((typed[place], typed[-1])) else asking.get(typed[place], "")


def without(words: Words, named: Sequence[Named], places: Collection[int]) -> Reading:
    """Return the words of a question but for those at some places, and what it names by the others."""
    if not places:
        return words, list(named)
    said = [[] if place in places else [word] for place, word in enumerate(words)]
    kept = [one for one in named if set(one.places).isdisjoint(places)]
    return _read(kept, said)


def without_co(words: Words, named: Sequence[Named]) -> Reading | None:
    """Return the same without "co", where it may say nothing: "the co-founders of X", not "who co-founded Y with X"."""
    names, typed = places_of(named), lowered(words)
    said = [[] if typed[place] == CO and place not in names else [word] for place, word in enumerate(words)]
    if [] not in said or _WITH in typed:
        return None
    return _read(named, said)


def _read(named: Sequence[Named], said: Sequence[Words]) -> Reading:
    """Return all words that are read, each word as it is said, and what is named by places among these."""
    before = [0, *accumulate(map(len, said))]
    return [*chain.from_iterable(said)], [replace(one, start=before[one.start], end=before[one.end]) for one in named]


def _parted(word: Word) -> Word:
    """Return "what" of "whats"; another word as it is."""
    typed = word[0].lower()
    return (typed[:-1], ()) if typed.endswith("s") and typed[:-1] in QUESTION else word


def _qualifiers(text: str, words: Words, named: Sequence[Named]) -> set[int]:
    """Return the places of the words in brackets behind a name that only say which is meant: not "(where was he born)".

    Where nothing stands beside names and brackets, what is in them is what is asked: "Tide (director)".
    """
    spans, at = [], 0
    for word, _ in words:
        begin = max(text.find(word, at), at)
        at = begin + len(word)
        spans.append((begin, at))
    behind = [text[end:begin] for (_, end), (begin, _) in zip(spans, [*spans[1:], (len(text), at)], strict=True)]
    names = places_of(named)
    found: set[int] = set()
    for start in {one.end for one in named}:
        end = next((place + 1 for place in range(start, len(words)) if ")" in behind[place]), start)
        inside = range(start, end)
        opened = end > start and behind[start - 1].strip() == "("
        if opened and names.isdisjoint(inside) and all(words[one][0].lower() not in _ASK for one in inside):
            found.update(inside)
    return found if content_beside(words, names | found) else set()
