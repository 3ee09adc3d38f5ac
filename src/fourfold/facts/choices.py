"""Which of what a question gives to choose from is so: "is X male or female", "is X good or evil"."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from fourfold import ordered
from fourfold.facts.answers import About
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.meaning import Meaning
from fourfold.language.name_matching import nodes_of
from fourfold.signals.paths import Answer

Read = tuple[About, Answer, Meaning]
"""A question, its answer, and what its words mean."""


def called_so(about: About) -> Read | None:
    """Return what beside the named node is called by one of two words, "is X good or evil"; None where nothing is."""
    places = about.sentence.choice()
    found = about.beside_named(partial(about.kinds.named, places)) if places else None
    return None if found is None else _sure(about, found)


def verified(about: About, meaning: Meaning) -> Read | None:
    """Return which of the alternatives stands beside what else is named; None where the question gives none.

    Of several the one comes first that edges lead to which a word asks for: "does X bat left or right". Of "is X the
    capital of Y" both X and Y tell the answer.
    """
    starts = about.sentence.alternatives()
    others = [one for one in about.named if one.start not in starts]
    if not starts or not others:
        return None
    either = nodes_of(one for one in about.named if one.start in starts)
    found = replace(about, named=others).beside_named(lambda nodes: ordered.contains(either, nodes))
    if found is None or len(found.nodes) == 1:
        return None if found is None else _sure(about, found)
    asked = meaning.asked[about.sentence.free()] >= SAME_FAMILY
    told = about.steps(nodes_of(others), np.logical_or.reduce(asked), forward=True).targets
    return _sure(about, found.first(np.isin(found.nodes, told)))


def _sure(about: About, found: Answer) -> Read:
    """Return the same with an answer that is sure, as no word is followed to it."""
    return about, replace(found, sure=1.0), Meaning.none(len(about.query.words), len(about.relations))
