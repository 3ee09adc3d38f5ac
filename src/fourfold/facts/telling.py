"""Why, how and what happened: a text beside what is named tells it, of people and things that say little themselves.

"Why did Lorena Santos give up teaching" is answered by the passage in which she does. Edges lead there, too, but what
they lead to otherwise tells no story, unless the edge itself gives a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts import edge_only, subjects
from fourfold.facts.covering import A_TEXT, A_THING, LONGER, Covering, sizes_of
from fourfold.facts.in_part import named_in_part
from fourfold.facts.question import MOST_OF_ANY_TYPE, Question
from fourfold.index.base import Nodes
from fourfold.language import name_matching
from fourfold.language.codes import has_figures
from fourfold.language.first_person import is_who_asks
from fourfold.language.lexicon import is_amount, is_date
from fourfold.language.name_matching import Named, nodes_of
from fourfold.language.stories import (
    asks_for_cause,
    asks_for_deed,
    asks_what_happened,
    asks_why,
    may_ask_for_story,
    tells_reason,
)
from fourfold.language.syntax import DATES, Sentence
from fourfold.signals import paths
from fourfold.signals.paths import Answer

_SURE = 0.7
"""How sure a text beside what is named is to tell."""

_SURE_OF_EDGES = 0.4
"""What words lead to as surely answers a question of how or what."""

_ASKING = frozenset("when how what which".split())
_MUCH = 0.5
"""What is named covers so much of the rest of a question at least where it tells that itself."""

_MEASURED = frozenset("much long high tall deep wide big large old far often heavy fast".split())
"""How much of something there is: of "how many" edges may tell by those they lead to."""

_FOR_FIGURES = _MEASURED | DATES | {"when"}
"""One of these stands in a question for an amount or a date."""


def asked_for_story(question: Question, found: Answer | None) -> list[Named]:
    """Return what a question names that asks for a story; nothing where it asks for none.

    ``found`` is what the words of the question lead to: a reason or a date may be told by an edge.
    """
    if len(question.relations) == 1 or not may_ask_for_story(question.plain):
        return []
    named = next(subjects.ways(question), []) or named_in_part(question)
    if not named or all(is_who_asks(question.query.words, one) for one in named):
        return []  # all texts are about the user of whose memory they are
    return named if _is_for_a_text(question, named, found) else []


def telling(question: Question, named: Sequence[Named]) -> Answer | None:
    """Return the texts beside what is named, longer ones and of other types; None where there are none.

    Those that tell by text and embedding what the question asks come first.
    """
    own = nodes_of(named)
    if question.has_very_many(own, MOST_OF_ANY_TYPE):
        return None
    longest, types = sizes_of(question, own).max(initial=0), set(question.query.types_of(own))

    def are_texts(nodes: Nodes) -> NDArray[np.bool_]:
        sizes = sizes_of(question, nodes)
        others = np.array([kind not in types for kind in question.query.types_of(nodes)], bool)
        told: NDArray[np.bool_] = (sizes >= A_TEXT) & (sizes > LONGER * longest) & others
        return told

    answer = paths.beside(question.walker, named, are_texts)
    if answer is None or edge_only.is_silent(question, named, answer.nodes, by_names=True):
        return None
    if not asks_why(question.plain) and _covers_more(question, named, answer.nodes):
        return None
    worth = question.scores.own_worth(answer.nodes)
    return replace(answer, values=worth / worth.max(), sure=_SURE) if worth.max() > 0 else None


def tells_itself(question: Question, named: Sequence[Named]) -> bool:
    """Tell whether something that a question names says enough of itself to tell why."""
    return asks_why(question.plain) and bool((sizes_of(question, nodes_of(named)) >= A_THING).any())


def said_itself(question: Question, found: Answer | None) -> bool:
    """Tell whether the text of what a question names has a figure where an amount or a date is asked for, as no edge.

    "How much is the rent of the flat", of a flat whose text says "rent 310 euro", beside *rents_out*.
    """
    plain = question.plain
    may_ask = not _ASKING.isdisjoint(plain[:1]) and not _FOR_FIGURES.isdisjoint(plain)
    if not may_ask or len(named := next(subjects.ways(question), [])) != 1:  # before names are read again
        return False
    sentence, own = Sentence(question.query.words, named), named[0].nodes
    when = sentence.asks_when()
    if not (when or sentence.asks_amount() in _MEASURED) or len(own) != 1:
        return False
    ends = [] if found is None else question.query.names_of(found.best())
    if any(is_date(name) if when else is_amount(name, counted=False) for name in ends):
        return False
    return has_figures(question.query.texts_of(own)[0])


def _is_for_a_text(question: Question, named: Sequence[Named], found: Answer | None) -> bool:
    """Tell whether a question asks what a text tells, and neither an edge nor, of dates, what is named itself."""
    names, plain = name_matching.places_of(named), question.plain
    if asks_why(plain):
        return found is None or not _gives_reason(question, found)
    if asks_what_happened(plain, names) or asks_for_deed(question.query.words, names):
        said = name_matching.content_beside(question.query.words, names)
        return _unsure(found) and not any(question.relations.holds(question.query.words[place][0]) for place in said)
    if asks_for_cause(plain):
        return _unsure(found)
    if plain[:1] == ["when"] and Sentence(question.query.words, named).asks_when():
        dated = found is not None and any(map(is_date, question.query.names_of(found.best())))
        return not dated and not any(map(has_figures, question.query.texts_of(nodes_of(named))))
    return False


def _unsure(found: Answer | None) -> bool:
    """Tell whether words do not lead to an answer as surely as they would to what edges tell."""
    return found is None or min(found.sure, found.explained) < _SURE_OF_EDGES


def _gives_reason(question: Question, found: Answer) -> bool:
    """Tell whether the edges that lead to the best ends of an answer give reasons."""
    names = question.edges.type_names
    types = {step.type for end in found.best().tolist() for step in found.path(end)[1]}
    return any(tells_reason(question.relations.labels.terms(names[number])) for number in types)


def _covers_more(question: Question, named: Sequence[Named], texts: Nodes) -> bool:
    """Tell whether what is named covers the rest of a question as well as any text beside it: it tells that itself."""
    covering, taken = Covering.of(question), name_matching.places_of(named)
    left = name_matching.content_beside(question.query.words, taken)
    if covering is None or not left:
        return False
    told = covering.share(left)[0]
    own = told[ordered.contains(nodes_of(named), covering.nodes)].max(initial=0.0)
    return bool(own >= _MUCH and own >= told[ordered.contains(texts, covering.nodes)].max(initial=0.0))
