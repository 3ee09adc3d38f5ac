"""What the words of a question ask for, and what they settle among themselves: which of several asks for a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.language.asked import SAME_FAMILY
from fourfold.language.deeds import TOGETHER
from fourfold.language.lexicon import PLACED
from fourfold.language.syntax import CO, SAME, Sentence
from fourfold.ragged import distinct
from fourfold.types import FloatArray

_SATISFIED = 0.9
"""A step that a word such as "where" asks for so much, by another word, is the step it asks for."""

_EITHER = 0.85
"""What a type is asked for by what is asked for, beside those of the verb: "what language does X speak" (official)."""

_SURE_ENOUGH = 0.8
"""So far a verb must be trusted to be the step alone where what is asked for is far from every edge type."""

_AND = "and"

_OR = "or"
"""Stands between two words for one thing: "her husband or wife"."""

_WHOSE = "whose"
"""Turns the word after it round where it opens a question: "whose child is X" asks for the other end of the edge."""

_WHERE = "where"

_COULD_LEAD = 0.7
"""So far a word must be trusted to be the step that another word leads back along."""

_COULD_SAY = 0.2
"""Trust in a word that may say what another does."""

_COULD = 0.1
"""So much a word must ask for a type to mean it where a word such as "when" asks for it, too."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What each word of a question asks for.

    Args:
        asked: (n_words, n_types) float64 in [0, 1], how much each word asks for each edge type.
        slots: (n_words, n_types) int64, which word of the type's label it stands for; a label's word counts once.
        trust: (n_words,) float64 in [0, 1], whether the word asks for any.
        mirrors: (n_words,) bool, whether it leads back along the step before.
        turned: (n_words, n_types) bool, whether it asks for where the edges of a type begin.
        kind: (n_words,) bool, whether it says what the answer is: the end of an edge, not where one begins.

    """

    asked: FloatArray
    slots: NDArray[np.int64]
    trust: FloatArray
    mirrors: NDArray[np.bool_]
    turned: NDArray[np.bool_]
    kind: NDArray[np.bool_]

    @classmethod
    def none(cls, n_words: int, n_types: int) -> Meaning:
        """Return what words mean that ask for nothing."""
        asked, slots = np.zeros((n_words, n_types)), np.zeros((n_words, n_types), np.int64)
        mirrors, kind = np.zeros((2, n_words), bool)
        return cls(asked, slots, np.zeros(n_words), mirrors, np.zeros((n_words, n_types), bool), kind)

    def of(self, places: Sequence[int]) -> Meaning:
        """Return the meaning of some words, in that order, without those that ask for nothing."""
        kept = [place for place in places if self.trust[place] > 0]
        return Meaning(*(array[kept] for array in self.arrays))

    def without_kinds(self) -> Meaning:
        """Return the meaning without the words that only say what the answer is."""
        return replace(self, trust=np.where(self.kind & (self.trust < SAME_FAMILY), 0.0, self.trust))

    def without(self, places: Sequence[int]) -> Meaning:
        """Return the meaning without some words."""
        trust = self.trust.copy()
        trust[places] = 0.0
        return replace(self, trust=trust)

    def drop(self, places: int | Sequence[int] | NDArray[np.intp]) -> None:
        """Let words ask for nothing."""
        self.trust[places], self.asked[places] = 0.0, 0.0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All of them, in their order."""
        return self.asked, self.slots, self.trust, self.mirrors, self.turned, self.kind


def settle(
    meaning: Meaning, sentence: Sentence, families: Sequence[frozenset[str]], to_places: NDArray[np.bool_]
) -> None:
    """Let each step of a question be asked for once, by the word that is surest of it.

    ``meaning``, what each word asks for by itself, is changed. ``families`` has of each word what its terms have in
    common with others; ``to_places`` (n_types,) which edges say where something was done.
    """
    _tell_once(meaning, sentence, families)
    _join_sorts(meaning, sentence)
    _measure(meaning, sentence)
    _ask_once(meaning, sentence)
    _lead_back_once(meaning, sentence)
    _satisfy(meaning, sentence, to_places)
    _place_once(meaning, sentence)
    _join_alternatives(meaning, sentence)
    _turn_round(meaning, sentence)
    _put_mirrors_behind(meaning, sentence)


def _tell_once(meaning: Meaning, sentence: Sentence, families: Sequence[frozenset[str]]) -> None:
    """Let what kind of answer is asked for be no step beside one of the same family: "which players play for X"."""
    sure = np.nonzero(sentence.free() & (meaning.trust >= SAME_FAMILY))[0].tolist()
    for place in sure:
        if sentence.opens(place) and any(families[place] & families[later] for later in sure if later > place):
            meaning.drop(place)


def _join_sorts(meaning: Meaning, sentence: Sentence) -> None:
    """Make one word of "kind of" and the word behind it: the kind of music is a genre, or what ``music`` leads to."""
    for place in np.nonzero(meaning.trust > 0)[0].tolist():
        sort = sentence.sort_of(place)
        if sort >= 0 and meaning.trust[sort] > 0 and meaning.trust[place] >= SAME_FAMILY:
            meaning.asked[place] = np.maximum(meaning.asked[place], meaning.asked[sort])
            meaning.kind[place] = True
            meaning.drop(sort)


def _measure(meaning: Meaning, sentence: Sentence) -> None:
    """Let "number" ask for no step in "the number of employees" where ``employees`` is one, and none is of both."""
    for place, measured in sentence.measures():
        of_both = np.minimum(meaning.asked[place], meaning.asked[measured]) >= _COULD_LEAD
        if not of_both.any():
            meaning.drop(place)


def _ask_once(meaning: Meaning, sentence: Sentence) -> None:
    """Let what is asked for and what the named node does be one step: "what team does X play for".

    The verb is the step where an edge type has it for its own; else what is asked for is, the rather by types that the
    verb could mean, too.
    """
    asked_for, verb = sentence.asked_for_by_verb()
    if verb < 0 or meaning.trust[verb] <= 0:
        return
    kept, dropped = _one_of(meaning, sentence, asked_for, verb)
    if not dropped:
        return
    said = meaning.asked[dropped].max(axis=0) >= _COULD
    known = [place for place in asked_for if sentence.is_in_label(place) and meaning.trust[place] > 0]
    either = np.max([meaning.asked[place] / meaning.trust[place] for place in known] or [said * 0.0], axis=0)
    meaning.asked[kept] *= np.where(said, 1.0, _SATISFIED)
    if kept == verb:
        sort = sentence.sort_of(asked_for[0])
        if sort >= 0 and (np.minimum(either, meaning.asked[verb]) > _COULD).any():
            dropped = [*dropped, sort]  # "what kind of language does X speak"
        more = _EITHER * either > meaning.asked[verb]
        meaning.turned[verb] = np.where(more, meaning.turned[known].any(axis=0), meaning.turned[verb])
        meaning.asked[verb] = np.maximum(meaning.asked[verb], _EITHER * either)
    meaning.drop(dropped)


def _one_of(meaning: Meaning, sentence: Sentence, asked_for: Sequence[int], verb: int) -> tuple[int, list[int]]:
    """Return which place of what is asked for, and of its verb, is the one step, and which are none then.

    None at all where they ask for different things, or for nothing.
    """
    sure = [place for place in asked_for if meaning.trust[place] >= SAME_FAMILY]
    sort = sentence.sort_of(asked_for[0])
    if sort >= 0 and not sentence.opens(asked_for[0]):
        one = meaning.trust[verb] < SAME_FAMILY and _asked_by_sort(meaning, sort, asked_for[0])
        return sort, [*asked_for, verb] if one else []
    if meaning.trust[verb] >= SAME_FAMILY or (not sure and meaning.trust[verb] >= _SURE_ENOUGH):
        return verb, sure or list(asked_for)  # "which movies did X play in": far from every edge type
    return (sure[-1], [verb]) if sure else (verb, [])


def _asked_by_sort(meaning: Meaning, sort: int, place: int) -> bool:
    """Tell whether "kind of" asks for what the word behind it is nearest to: "what kind of music does X play"."""
    nearest = meaning.asked[place].argmax()
    return bool(meaning.asked[place, nearest] > 0 and meaning.asked[sort, nearest] >= _SATISFIED * meaning.trust[sort])


def _lead_back_once(meaning: Meaning, sentence: Sentence) -> None:
    """Let a step that is led back along be asked for once: "the director of X is also the director of which films".

    The last before the name asks for it; two words in a row, "release year", are one.
    """
    if not meaning.mirrors.any() or not sentence.names:
        return
    asking = np.nonzero(sentence.free() & (meaning.trust > _COULD_LEAD) & ~meaning.mirrors)[0]
    types = meaning.asked[asking].argmax(axis=1)
    for kind in distinct(types).tolist():
        places = asking[types == kind]
        kept = max(places[places < max(sentence.names)], default=places[0])
        again = places[np.abs(places - kept) > 1]
        meaning.drop(again)


def _satisfy(meaning: Meaning, sentence: Sentence, to_places: NDArray[np.bool_]) -> None:
    """Let a word such as "where" ask for no step of its own where another word asks for one that it could mean.

    Of the types that the other word could mean, those that both ask for come first: "when was X published" asks for the
    date of publication, not for the publisher. In "where did X study" what ``studied_at`` leads to is the place.
    """
    nearest, free = meaning.asked.argmax(axis=1), sentence.free()
    for place in np.nonzero(meaning.kind & (meaning.trust > 0))[0].tolist():
        wanted, where = meaning.asked[place] >= _SATISFIED * meaning.trust[place], sentence.words[place] == _WHERE
        steps = free & (meaning.trust >= meaning.trust[place]) & ~meaning.kind
        same = np.nonzero(steps & wanted[nearest])[0]
        if len(same):
            meaning.asked[same[0]] *= np.where(wanted, 1.0, _SATISFIED)
            if sentence.words[same[0]] in PLACED:
                either = meaning.asked[place] / meaning.trust[place]
                meaning.asked[same[0]] = np.maximum(meaning.asked[same[0]], _SATISFIED * either)
        elif not (
            _tells_where(meaning, sentence, place, steps, to_places[nearest])
            or _narrowed(meaning, sentence.event(place), steps, wanted | (where & to_places))
        ):
            continue
        meaning.drop(place)


def _place_once(meaning: Meaning, sentence: Sentence) -> None:
    """Let a word such as "located" be no step behind what is asked for: "which continent is X located on"."""
    sure = np.nonzero(meaning.kind & (meaning.trust >= SAME_FAMILY))[0].tolist()
    asked_for = next((place for place in sure if sentence.opens(place)), -1)
    for place in np.nonzero(meaning.trust > 0)[0].tolist():
        if sentence.words[place] in PLACED and asked_for >= 0 and sentence.stands_at():
            meaning.asked[asked_for] = np.maximum(meaning.asked[asked_for], _EITHER * meaning.asked[place])
            meaning.drop(place)


def _tells_where(
    meaning: Meaning, sentence: Sentence, place: int, steps: NDArray[np.bool_], to_places: NDArray[np.bool_]
) -> bool:
    """Tell whether what happened leads to the place that a word asks for itself."""
    event = sentence.event(place) if sentence.words[place] == _WHERE else -1
    return event >= 0 and bool(steps[event] and to_places[event]) and meaning.trust[event] >= _SURE_ENOUGH


def _narrowed(meaning: Meaning, event: int, steps: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> bool:
    """Let what happened mean no types but the wanted; False where nothing did, or it could mean none of them."""
    if event < 0 or not steps[event]:
        return False
    could = np.where(wanted, meaning.asked[event], 0.0)
    if could.max() < _COULD:
        return False
    meaning.asked[event] = could * meaning.trust[event] / could.max()
    return True


def _put_mirrors_behind(meaning: Meaning, sentence: Sentence) -> None:
    """Let each step be led back along once, by a word that is read after it: words are read outwards from the name.

    Of "share the same" one word is enough; "together" stands behind its step, "co" and "same" before it.
    """
    steps = sentence.free() & (meaning.trust > 0) & ~meaning.kind
    last_of_name = max(sentence.names, default=-1)
    for place in np.nonzero(meaning.mirrors)[0].tolist():
        steps[place] = False
        if meaning.mirrors[place + 1 : place + 3].any():
            meaning.mirrors[place], meaning.trust[place] = False, 0.0
        elif sentence.words[place] == TOGETHER:
            before = np.nonzero(steps[:place])[0][-1:]
            _change_places(meaning, place, before[before < last_of_name])
        elif sentence.words[place] in (CO, SAME) and 0 <= last_of_name < place:
            _change_places(meaning, place, place + 1 + np.nonzero(steps[place + 1 :])[0][:1])


def _change_places(meaning: Meaning, place: int, other: NDArray[np.intp]) -> None:
    """Let two words change places, if there is another."""
    for array in meaning.arrays if len(other) else ():
        array[[other[0], place]] = array[[place, other[0]]]


def _join_alternatives(meaning: Meaning, sentence: Sentence) -> None:
    """Make one word of two with "or" between them: either asks for the step, not each for one of its own.

    So are two with "and" that ask for the same: "mum and dad".
    """
    asked, trust = meaning.asked, meaning.trust
    for place in range(1, len(sentence.words) - 1):
        first, second = place - 1, place + 1
        alike = sentence.words[place] == _AND and np.array_equal(asked[first], asked[second])
        if (alike or sentence.words[place] == _OR) and trust[first] > 0 and trust[second] > 0:
            asked[second] = np.maximum(asked[first], asked[second])
            trust[second], trust[first], asked[first] = max(trust[first], trust[second]), 0.0, 0.0


def _turn_round(meaning: Meaning, sentence: Sentence) -> None:
    """Turn the word after "whose" at the beginning of a question, where that word asks for an edge type."""
    if len(sentence.words) > 1 and sentence.words[0] == _WHOSE and meaning.trust[1] > 0:
        meaning.turned[1] ^= True
        meaning.drop(0)


def say_all(meaning: Meaning, free: NDArray[np.bool_], plain: NDArray[np.int64], wider: NDArray[np.int64]) -> None:
    """Let a label that has all words of another and more come behind it unless one of these is said.

    "The head coach of X" is none by ``previous_head_coach`` where edges of ``head_coach`` are. ``meaning`` is changed;
    ``plain`` and ``wider`` are the types of both labels, (n_pairs,).
    """
    if not len(plain):  # as in most graphs
        return
    asked, others = meaning.asked[free][:, plain], meaning.asked[free][:, wider]
    says, others_say = asked >= _COULD_LEAD, others >= _COULD_LEAD
    more = (others_say & ~says).any(axis=0)
    alike = (others_say & says & (others >= asked)).any(axis=0)
    meaning.asked[:, wider[alike & ~more]] *= _SATISFIED


def apart(meaning: Meaning, sentence: Sentence) -> list[tuple[Meaning, range]]:
    """Return two parts that must both hold, each with its meaning and places: "next to X and in the same zone".

    One of them leads back along a step, or says what does the other: "which films by X depict Y". None where the
    question has no such parts.
    """
    steps = sentence.free() & (meaning.trust > _COULD_SAY) & ~meaning.mirrors
    for place in [place for place in range(1, len(sentence.words)) if place not in sentence.names]:
        parts = range(place), range(place, len(sentence.words))
        leads_back = meaning.mirrors[:place].any() != meaning.mirrors[place:].any()
        apart = leads_back if sentence.words[place] == _AND else sentence.ends_subject(place) and steps[place]
        if apart and steps[:place].any() and steps[place:].any():
            return [(meaning.without(list(other)), own) for own, other in (parts, parts[::-1])]
    return []


def said_again(
    meaning: Meaning, free: NDArray[np.bool_], loose: Sequence[int], left_out: Sequence[NDArray[np.bool_]]
) -> list[int]:
    """Return which words the thesaurus joins to what another word asks for by its own name.

    Where a step is led back along, both ends tell it: in "who appeared in the same films" the films are enough. So does
    a word say again what stands in what another asks for: "plays" in "plays at position X", beside ``plays_position``.

    Of the words, (n_words,), those that are ``free`` belong to no name; ``loose`` are the places of those that the
    thesaurus joins to something, and ``left_out`` from which labels each of these was left out, as most have it,
    (n_types,).
    """
    enough = _COULD_SAY if meaning.mirrors.any() else SAME_FAMILY
    own = free & (meaning.trust >= enough) & ~meaning.mirrors
    own[loose] = False
    said = (meaning.asked[own] >= enough).any(axis=0)
    return [
        place
        for place, out in zip(loose, left_out, strict=True)
        if (meaning.asked[place, said] >= meaning.trust[place]).any() or (said & out).any()
    ]
