"""What is asked for, beside what leads there: of "which film is directed by X" the film is the end of the one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fourfold.config import Paths
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.lexicon import PLACED
from fourfold.language.meaning import Meaning
from fourfold.language.syntax import Sentence
from fourfold.relations.label_grammar import Types
from fourfold.relations.labels import Labels
from fourfold.relations.thesaurus import exactly

_SORTS = "kind sort type form class category style genre"
"""What labels call the kind of something."""

_PRICE, _ORDER = "price cost", frozenset({"first", "last"})
_EARNED = "gross grossed revenue earnings income profit turnover"

_COULD_BE = 0.5
"""So much of what a word asks for most it must ask for a type to mean it where its edges end at what is asked for."""

_MOST_STEPS = 2
"""Beside more words that ask for an edge it is not plain which of them ends there."""


def sort_of(labels: Labels, sentence: Sentence, place: int) -> Asked | None:
    """Return what labels call the kind of something: form_of_government, for "what kind of government is X".

    Those that hold the word for it anywhere are meant, too: music/genre/artists, for "what kind of music". None where
    no label holds both, or the word is none such as "kind".
    """
    what = sentence.whose_sort(place)
    if what < 0:
        return None
    similarity, slots, _ = labels.similarity(_SORTS)
    of_it = (similarity >= SAME_FAMILY) & labels.words.name(labels.terms(sentence.words[what]))
    similarity = np.where(of_it, similarity, 0.0)
    return Asked(similarity, slots, float(similarity.max()), kind=True) if of_it.any() else None


def end_there(
    meaning: Meaning, sentence: Sentence, calls: Callable[[int], tuple[Types, Types]], settings: Paths
) -> None:
    """Let what is asked for be the end of the one step that another word asks for: "which film is directed by X".

    Of the types that the word for the step could mean, those that begin or end at what is asked for come first.

    ``meaning`` is changed. ``calls`` tells which edges end at what the word at a place calls, and which begin there.
    """
    sure = sentence.free() & (meaning.trust >= settings.synonym) & ~meaning.mirrors
    asking: Sequence[int] = np.nonzero(sure)[0].tolist()
    for place in np.nonzero(meaning.trust > 0)[0].tolist() if len(asking) <= _MOST_STEPS else ():
        steps = [other for other in asking if other != place and sentence.words[other] not in PLACED]
        asked_for = sentence.opens(place) and sentence.is_content(place + 1) <= sentence.is_subject(place)
        if len(steps) != 1 or not asked_for or sentence.whose_sort(place) >= 0:
            continue
        (step,) = steps
        ends, begins = calls(place)
        could = (meaning.asked[step] >= _COULD_BE * meaning.trust[step]) & (ends | begins)
        if could.any():
            meaning.asked[step] = np.where(could, meaning.trust[step], _COULD_BE * meaning.asked[step])
            meaning.turned[step] = np.where(could, begins & ~ends, meaning.turned[step])
            meaning.drop(place)


def price(meaning: Meaning, sentence: Sentence, settings: Paths) -> None:
    """Let what only says what is asked for be worth no step beside a sure one, of which the price of a step is a share.

    ``meaning`` is changed.
    """
    surest = float(meaning.trust[sentence.free()].max(initial=0.0))
    if surest < settings.synonym:
        return
    for place in np.nonzero(meaning.kind & (meaning.trust > 0))[0].tolist():
        if meaning.trust[place] <= settings.kind and sentence.opens(place):
            meaning.trust[place] *= surest
            meaning.asked[place] *= surest


def at_once(labels: Labels, sentence: Sentence, place: int) -> Asked | None:
    """Return what a word asks for whatever it is near to: a price, of "how much is X", or the kind of something."""
    if sentence.asks_price(place):
        return exactly(labels, _PRICE)
    if sentence.asks_earnings(place):
        return exactly(labels, _EARNED)
    return kinds_of(labels, sentence, place) or sort_of(labels, sentence, place)


def kinds_of(labels: Labels, sentence: Sentence, place: int) -> Asked | None:
    """Return what says of others that they are of a kind that is named: is_a, for "what are the types of X".

    None where no edges say that, or ``type`` does, which what is named may have itself.
    """
    if not sentence.asks_for_kinds(place) or not labels.are_kinds.any():
        return None
    similarity = np.where(labels.are_kinds, 1.0, 0.0)
    return Asked(similarity, np.zeros(len(similarity), np.int64), 1.0, turned=True, directed=True)


def is_told_by_order(labels: Labels, sentence: Sentence, place: int, settings: Paths) -> bool:
    """Tell whether "first" or "last" before a word says when: "when did X first play" asks for a debut, not a game."""
    order, enough = sentence.at(place - 1), (settings.low + settings.high) / 2.0
    when = order in _ORDER and sentence.asks_when() and labels.similarity(order)[2] > enough
    return when and labels.similarity(sentence.words[place])[2] < SAME_FAMILY
