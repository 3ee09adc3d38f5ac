"""The highest, the oldest, the cheapest of what the words of a question lead to, by the amounts that stand beside each.

Exact as far as the graph tells: all ends that are as good as the best are looked at, and amounts of several units are
not compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.facts.answers import AS_GOOD, OF_ANOTHER_KIND
from fourfold.index.base import EdgePart
from fourfold.language import superlatives
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.syntax import Sentence
from fourfold.query import Query
from fourfold.relations.asked_types import Relations
from fourfold.signals.paths import Answer
from fourfold.types import FloatArray

_MOST = 500
"""Of more ends, or of edges at them, none is picked."""

_AMOUNT = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)|([^\d\s-]{0,8}\s{0,2}-?\d[\d,]*(?:\.\d+)?)(\D*)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def put_first(edges: EdgePart, sentence: Sentence, relations: Relations, query: Query, answer: Answer) -> Answer:
    """Return the answer with the end first that a superlative of the question means; as it is where it has none."""
    asked = superlatives.asked_for(sentence.words, sentence.names)
    if asked is None or len(answer.nodes) < 2:
        return answer
    best = np.flatnonzero(answer.values >= answer.values.max() - AS_GOOD)
    if not 1 < len(best) <= _MOST:
        return answer
    amounts = _amounts(query.called_of(answer.nodes[best]))
    if np.isnan(amounts).any() and asked.by:
        amounts = _beside(edges, relations, query, answer, best, asked.by)
    if np.isnan(amounts).all():
        return answer
    most = np.nanmax(amounts) if asked.largest else np.nanmin(amounts)
    of_it = np.zeros(len(answer.nodes), bool)
    of_it[best[amounts == most]] = True
    return answer.first(of_it, OF_ANOTHER_KIND)


def _beside(
    edges: EdgePart, relations: Relations, query: Query, answer: Answer, best: NDArray[np.intp], by: str
) -> FloatArray:
    """Return the amount that stands beside each of the best ends by edges so called, (n_best,); NaN where none does."""
    nodes, found = answer.nodes[best], np.full(len(best), np.nan)
    types = relations.numbers[relations.labels.similarity(by)[0] >= SAME_FAMILY]
    if not len(types) or edges.degree(nodes).sum() > _MOST:
        return found
    worth = np.bincount(types, minlength=len(edges.type_names)).astype(np.float64)
    steps = edges.expand(nodes, forward=True, worth=worth, weights="none")
    if len(np.unique(steps.types)) == 1:  # an area is not compared with a population
        found[steps.origin] = _amounts(query.called_of(steps.targets.astype(np.int64)))
    return found


def _amounts(names: Sequence[str]) -> FloatArray:
    """Return the amounts that names are, (n_names,); NaN for others, and for all where their units differ."""
    read = [_AMOUNT.fullmatch(name.strip()) for name in names]
    units = {one[5].strip() for one in read if one and one[4]}
    if len(units) > 1:
        return np.full(len(names), np.nan)
    return np.array([np.nan if one is None else _amount(one) for one in read])


def _amount(read: re.Match[str]) -> float:
    if read[1]:
        return float(f"{read[1]}{read[2]:0>2}{read[3]:0>2}")
    number = re.sub(r"^[^\d-]*", "", _THOUSANDS.sub("", read[4])).replace(",", ".")
    return float(number) if number.count(".") < 2 else np.nan  # 1,2,3 is no number
