"""Words for those who share something with what is named, read as what they share: teammates have the same team.

So are "who plays for the same team as X", "who else works at X's company" and "who studied with X", which say by a verb
what is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from fourfold.language.deeds import TOGETHER
from fourfold.language.lexicon import RELATIVE
from fourfold.language.name_matching import Named, Reading, Words, lowered, places_of, replaced
from fourfold.language.placed import PREPOSITIONS
from fourfold.language.syntax import CO, SAME

_WORK = "employer work company employee staff affiliation"
_SCHOOL = "class school educated attend study student university"
_HOME = "residence live address"
_SHARED: Mapping[str, str] = MappingProxyType(
    {
        "teammate": "team club play player squad member",
        **dict.fromkeys(("colleague", "workmate"), _WORK),
        **dict.fromkeys(("classmate", "schoolmate"), _SCHOOL),
        "bandmate": "band group member",
        **dict.fromkeys(("roommate", "flatmate", "housemate"), f"room flat house {_HOME}"),
        **dict.fromkeys(("shipmate", "crewmate"), "crew ship vessel"),
        **dict.fromkeys(("compatriot", "countryman", "countrymen"), "nationality citizenship citizen country"),
        **dict.fromkeys(("competitor", "rival"), "industry market sector"),
        **dict.fromkeys(("neighbour", "neighbor"), "street live residence address"),
        **dict.fromkeys(("sistercompany", "sistercompanies"), "owner parent"),
    }
)
"""What calls those who share something with somebody, and what labels call what they share, the likeliest first."""

_SOLID = frozenset("worker star author founder writer owner producer director editor creator".split())
_GO, _SCHOOLS, _STUDY = frozenset({"go", "goes", "went"}), frozenset({"school", "college", "university"}), "study"
_FELLOW, _ALONGSIDE = "fellow", "alongside"
_OTHERS = frozenset({"other", "others", "another", "else"})
_WITH, _AS, _ELSE, _THE, _OF, _WHERE, _WHOEVER = "with", "as", "else", "the", "of", "where", "whoever"
_BORN, _BIRTHPLACE = "born", "birthplace"
_OF_IT = frozenset({"from", "of", "by"})
"""Prepositions of what something has, not of where it is done: "players from the same country as X"."""
_DONE = frozenset(
    "work works worked working play plays played playing live lives lived living study studies studied studying"
    " serve serves served serving train trains trained training sing sings sang act acts acted acting"
    " perform performs performed performing".split()
)
"""What people do somewhere, and so with others."""

_WHERE_DONE = frozenset(
    "team club place company firm employer organisation organization institution school college university city town"
    " village country state building house office department band group party unit".split()
)
"""What calls where something is done, and is no step of its own behind it: "born in the same place as X"."""


def called(words: Words) -> bool:
    """Tell whether a question has a word for those who share something, which hardly any edge type is near."""
    return any(_mates([word.lower()]) for word, _ in words)


def with_co_apart(
    words: Words,
    named: Sequence[Named],
    terms: Callable[[str], Sequence[str]],
    says: Callable[[tuple[str, ...]], bool],
) -> Reading:
    """Return the words of a question with a "co" that is written with its word as one of its own: coworkers.

    "Fellow members" are co-members, and "alongside X" is together with it, where no label ``says`` so itself.
    """
    names, found = places_of(named), (words, list(named))
    for place in reversed(range(len(words))):
        word, behind = words[place][0].lower(), words[place + 1 : place + 2]
        end = word.removeprefix(CO)
        if place in names:
            continue
        if end != word and end.removesuffix("s") in _SOLID:
            found = replaced(*found, place, place + 1, [(CO, ()), (end, tuple(terms(end)))])
        elif word == _FELLOW and place + 1 not in names and any(own for _, own in behind):
            found = replaced(*found, place, place + 1, [(CO, ())])
        elif word == _ALONGSIDE and not says((_ALONGSIDE,)):
            found = replaced(*found, place, place + 1, [(TOGETHER, ()), (_WITH, ())])
    return found


class Sharing:
    """How a question for those who share something may be read: "who is the same team of X".

    ``holds`` tells whether an edge type may be meant by a word, ``says`` whether a label has a phrase as it is.
    """

    def __init__(
        self,
        words: Words,
        named: Sequence[Named],
        holds: Callable[[str], bool],
        says: Callable[[tuple[str, ...]], bool],
        terms: Callable[[str], Sequence[str]],
    ) -> None:
        self._words, self._named, self._holds, self._says, self._terms = words, named, holds, says, terms
        self._typed = lowered(words)
        names = places_of(named)
        self._free = [place for place in range(len(words)) if place not in names]

    def readings(self) -> Iterator[Reading]:
        """Yield all of them, the likeliest first."""
        yield from self._of_mates()
        yield from self._done_with()
        yield from self._the_same()
        yield from self._others()

    def _sharing(self, start: int, end: int, shared: str) -> Reading:
        said = [(SAME, ()), (shared, tuple(self._terms(shared)))]
        return replaced(self._words, self._named, start, end, said)

    def _of_mates(self) -> Iterator[Reading]:
        """Yield what they share whom one word calls: "teammates of X", "X's team mates"."""
        typed = self._typed
        for place in self._free:
            end = next((end for end in (place + 2, place + 1) if _mates(typed[place:end])), place)
            if end > place and not self._holds("".join(typed[place:end])):
                steps = _mates(typed[place:end]).split()
                yield from (self._sharing(place, end, step) for step in steps if self._holds(step))

    def _done_with(self) -> Iterator[Reading]:
        """Yield what is done with somebody at one place: "who works with X", "who went to school with X"."""
        typed = self._typed
        for place in self._free:
            to, school, last = [*typed[place + 1 : place + 4], "", "", ""][:3]
            if typed[place] in _GO and (to, last) == ("to", _WITH) and school in _SCHOOLS and self._holds(_STUDY):
                yield self._sharing(place, place + 4, _STUDY)
            elif (
                typed[place] in _DONE
                and to == _WITH
                and not self._says_with(typed[place])
                and self._holds(typed[place])
            ):
                yield self._sharing(place, place + 2, typed[place])

    def _says_with(self, verb: str) -> bool:
        return any(self._says((form, _WITH)) for form in _DONE if form[:4] == verb[:4])

    def _the_same(self) -> Iterator[Reading]:
        """Yield what a verb says to be shared: "plays for the same team as X"; or a noun: "plays the same position"."""
        typed, starts = self._typed, {one.start for one in self._named}
        for place in self._free:
            if typed[place] != SAME or typed[place + 2 : place + 3] != [_AS] or place + 3 not in starts:
                continue
            before = place - 1 - (typed[place - 1 : place] == [_THE])
            verb, noun = before - (before > 0 and typed[before] in PREPOSITIONS), typed[place + 1]
            done = verb >= 0 and typed[before] not in _OF_IT and self._holds(typed[verb])
            if verb < before and not done and typed[before] != _WITH and self._holds(noun):
                yield self._of_name(next(one for one in self._named if one.start == place + 3), noun)
            elif done:
                if self._says((noun,)):
                    yield replaced(self._words, self._named, verb, place + 2, self._words[place : place + 2])
                for shared in (_BIRTHPLACE, _BORN) if typed[verb] == _BORN and noun in _WHERE_DONE else (typed[verb],):
                    yield self._sharing(verb, place + 2, shared)

    def _of_name(self, one: Named, shared: str) -> Reading:
        """Return what has the same as somebody, and nothing else of the question."""
        frame = [("what", ()), (SAME, ()), (shared, tuple(self._terms(shared))), (_AS, ())]
        name = self._words[one.start : one.end]
        return [*frame, *name], [replace(one, start=len(frame), end=len(frame) + len(name))]

    def _others(self) -> Iterator[Reading]:
        """Yield what others share with it: "other films by the director of X", "who else works at X's company"."""
        if not _OTHERS.isdisjoint(self._typed[place] for place in self._free):
            for one in self._named:
                said = (*self._done_where(one), *_said_of(one, self._typed))
                yield from (self._of_name(one, shared) for shared in said if self._holds(shared))

    def _done_where(self, one: Named) -> list[str]:
        """Return what else is done where somebody does it: works, of "who else works at X's company"."""
        where, before = self._typed[one.end : one.end + 1], self._typed[: one.start]
        if _WHERE_DONE.isdisjoint(where) or _ELSE not in before:
            return []
        return before[before.index(_ELSE) + 1 :][::-1]


def _said_of(one: Named, typed: Sequence[str]) -> list[str]:
    """Return the words for what somebody has: "X's director", "the director of X", "who directed X"."""
    found = list(typed[one.end : one.end + 1])
    before = one.start - 1 - (typed[one.start - 1 : one.start] == [_THE])
    if before > 0 and (
        typed[before] in (_OF, _WHERE) or typed[before - 1] in RELATIVE or typed[before - 1] == _WHOEVER
    ):
        found.append(typed[before - (typed[before] in (_OF, _WHERE))])
    return found


def _mates(words: Sequence[str]) -> str:
    """Return what they share whom a word calls, or two that are one: teammates, "team mates"; "": no such word."""
    word = "".join(words)
    return _SHARED.get(word, "") or _SHARED.get(word.removesuffix("s"), "")
