"""What has to do with all that is named, by whatever edge: "people involved in X and Y", "who should I ask about X"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourfold.facts.in_part import named_in_part
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.facts.sensible import WHO, acts, is_person
from fourfold.index.base import Nodes
from fourfold.language import name_matching
from fourfold.signals import paths
from fourfold.signals.paths import Answer

_TIED = frozenset("connected involved associated related linked tied".split())
_TO = frozenset({"to", "in", "with"})
_FOR_ADVICE = frozenset("ask talk speak contact consult know knows".split())
_WHO_ASKS = frozenset("should can could do does would must to with i we you".split())
_PEOPLE = frozenset("people person persons anyone anybody everyone everybody somebody someone".split())

_SURE = 0.7
"""How sure what stands beside all that is named is to be meant."""


def anyhow(question: Question) -> Answer | None:
    """Return what stands beside all that a question names and is of the kind asked for; None where it asks otherwise.

    A word of an edge type asks for that edge: "who is involved in X", of *involved_in*.
    """
    words, tied = question.query.words, _tied(question.plain)
    if not tied or any(question.relations.holds(question.plain[place]) for place in tied if words[place][1]):
        return None
    named = [one for one in question.all_named if one.start not in tied and question.edges.degree(one.nodes).any()]
    named = name_matching.with_apart(named, named_in_part(question))
    if not named:
        return None
    taken = name_matching.places_of(named).union(tied)
    kind = name_matching.content_beside(words, taken)
    of_people = not kind and question.plain[0] in WHO
    of_people |= bool(kind) and all(question.plain[place] in _PEOPLE for place in kind)
    if not of_people and (not kind or kind[-1] > named[0].start):
        return None

    def of_it(nodes: Nodes) -> NDArray[np.bool_]:
        if of_people:
            return np.array([*map(acts, question.query.types_of(nodes))], bool)
        return Kinds.of(question).typed(kind, nodes, head=True)

    answer = paths.beside(question.walker, named, of_it)
    if answer is not None and of_people:
        answer = answer.first(np.array([*map(is_person, question.query.types_of(answer.nodes))], bool))
    return answer and replace(answer, sure=_SURE)


def _tied(plain: Sequence[str]) -> list[int]:
    """Return the places of the words that say that things have to do with each other."""
    about = plain.index("about") if "about" in plain and plain[0] in WHO else 0
    asked = set(plain[1:about])
    if about and asked & _FOR_ADVICE and asked <= _FOR_ADVICE | _WHO_ASKS:  # "who should I ask about X"
        return [*range(1, about + 1)]
    if "to do with" in " ".join(plain):
        place = next(place for place in range(len(plain)) if [*plain[place : place + 3]] == ["to", "do", "with"])
        return [*range(max(place - 1, 0), place + 3)]
    pairs = enumerate(zip(plain, plain[1:], strict=False))
    return next(([place, place + 1] for place, (word, to) in pairs if word in _TIED and to in _TO), [])
