"""Which ends of paths can be the answer, by what they are called or who they are: "when" dates, an "aunt" women."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.kinds import Kinds
from fourfold.language import sexes
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.lexicon import is_amount, is_date
from fourfold.language.name_matching import is_owned
from fourfold.language.syntax import Sentence
from fourfold.signals.paths import Answer

WHO = frozenset({"who", "whom"})
_PERSONS = frozenset(
    "person people human man woman user employee customer member author artist actor player politician"
    " character".split()
)
_ACTING = _PERSONS | frozenset(
    "agent group team organization organisation company firm club agency institution department band party".split()
)
"""Types of nodes that "who" asks for."""


_LIES = "located location situated"
"""What labels call where something lies."""

_MOST = 8
"""Of so many of the best ends the paths are looked at."""


def where_done(sentence: Sentence, kinds: Kinds, answer: Answer, shorter: Answer) -> bool:
    """Tell whether what words but "where" lead to is where something is done, and "where" only where that lies.

    "Where did X play college ball" asks for the college, not for its town. ``answer`` is what all words lead to,
    ``shorter`` what they do but "where".
    """
    if not sentence.where_done() or is_owned(kinds.query.typed):
        return False
    ways = [answer.path(end)[1] for end in answer.best()[:_MOST].tolist()]
    relations, best = kinds.relations, shorter.best()
    lies = relations.numbers[relations.labels.similarity(_LIES)[0] >= SAME_FAMILY]
    return all(len(way) > 1 and way[-1].type in lies and way[-2].node in best for way in ways)


def by_name(sentence: Sentence) -> Callable[[Sequence[str]], bool] | None:
    """Return what tells whether something called so, in words in lower case, can be the answer; None: whatever it is.

    "When" asks for a date, "who" and "where" for none, "how many" for a number; and nothing is called by words of the
    question: what the river through Paris is (a river) is not asked.
    """
    when = sentence.asks_when()
    dated, amount = when or sentence.asks_no_date(), sentence.asks_amount()
    said = sentence.said() if sentence.joins() else frozenset()
    if not (dated or amount or said):
        return None

    def can_be(name: Sequence[str]) -> bool:
        counted = not amount or is_amount(name, counted=amount == "many")
        return counted and not (dated and is_date(name) != when) and not (name and said.issuperset(name))

    return can_be


def acts(kind: str) -> bool:
    """Tell whether things of a type can do something."""
    return not _ACTING.isdisjoint(kind.lower().split())


def is_person(kind: str) -> bool:
    """Tell whether things of a type are people."""
    return not _PERSONS.isdisjoint(kind.lower().split())


def of_whom(sentence: Sentence, kinds: Kinds, answer: Answer, best: NDArray[np.bool_]) -> Answer:
    """Put first, of the best ends, who is of the sex asked for, and for "who" what can act by its type: a group.

    ``best`` (n_ends,) tells which these are.
    """
    answer = _past_what_is_said(sentence, kinds, _of_sex(sentence, kinds, answer, best), best)
    if sentence.at(0) not in WHO or not best.any():
        return answer
    of_it = best.copy()
    of_it[best] = [*map(acts, kinds.query.types_of(answer.nodes[best]))]
    return answer.first(of_it) if of_it.any() and not of_it[best].all() else answer


def _past_what_is_said(sentence: Sentence, kinds: Kinds, answer: Answer, best: NDArray[np.bool_]) -> Answer:
    """Put first, of the best ends, those behind nodes of a type that the question says: "the committees X is on"."""
    if best.sum() < 2 or not (places := sentence.between()):
        return answer
    ways = [answer.passed(end) for end in answer.nodes[best][:, None]]
    passed = ordered.distinct(np.concatenate(ways))
    typed = ordered.distinct(np.concatenate([passed[kinds.typed([one], passed, head=True)] for one in places]))
    of_it = best.copy()
    of_it[best] = [ordered.contains(typed, way).any() for way in ways]
    return answer.first(of_it) if of_it.any() and not of_it[best].all() else answer


def _of_sex(sentence: Sentence, kinds: Kinds, answer: Answer, best: NDArray[np.bool_]) -> Answer:
    """Put first who is of the sex asked for, as far as the graph tells: aunts before uncles."""
    sex = sexes.asked_for(sentence)
    if not sex or len(answer.nodes) < 2:
        return answer
    told = np.full(len(answer.nodes), -sex, np.int8)
    told[best] = kinds.sexes(answer.nodes[best])
    of_it = best & (told == sex if (told == sex).any() else told != -sex)
    return answer.first(of_it) if of_it.any() and (told != sex)[best].any() else answer
