"""The highest, the oldest, those above 20 million, the larger of two: by the amounts that stand beside each.

Exact as far as the graph tells: all ends that are as good as the best are looked at, and amounts of several units are
not compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import NO_NODES, Nodes, Steps
from fourfold.language.amounts import Measured, is_one
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.lexicon import is_date
from fourfold.language.name_matching import Named, nodes_of, places_of
from fourfold.language.properties import Properties, in_words
from fourfold.language.syntax import Sentence
from fourfold.ragged import distinct
from fourfold.signals.paths import OF_ANOTHER_KIND, Answer
from fourfold.signals.walks import Step
from fourfold.types import FloatArray

_MOST = 2_000
"""Of more ends, or amounts beside them, none is picked."""

_AMOUNT = re.compile(r"([^\d\s-]{0,8}\s{0,2}(?:(?<![^\W\d_])-)?\d[\d,]*(?:\.\d+)?)(\D*)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ISO = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)")
_MONTHS = {month: place for place, month in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_YEAR = 10_000
"""Dates are told as year · 10,000 + month · 100 + day."""


def put_first(question: Question, answer: Answer, asked: Measured) -> Answer | None:
    """Return the answer with the ends first that have the amount asked for; None where the graph does not tell."""
    best = np.flatnonzero(answer.as_good)
    if not 1 < len(best) <= _MOST:
        return None
    amounts = None if asked.places else _amounts(question.query.called_of(answer.nodes[best]), of_time=asked.of_time)
    if amounts is None or np.isnan(amounts).any():
        found = _beside(question, answer.nodes[best], asked)
        amounts = None if found is None else found.values
    if amounts is None:
        amounts, _, asked = _by_metadata(question, question.all_named, answer.nodes[best], asked)
    if np.isnan(amounts).all():
        return None
    of_it = np.zeros(len(answer.nodes), bool)
    of_it[best[are_meant(amounts, asked)]] = True
    return answer.first(of_it) if of_it.any() else None


def of_type(kinds: Kinds, sentence: Sentence, answer: Answer) -> Answer:
    """Return the answer with the best ends first that are of the type of which one is meant: "the oldest senator"."""
    called = [place for place in sentence.heads() if not is_one(sentence.words[place])]
    best = answer.best()
    if not called or not 1 < len(best) <= _MOST:
        return answer
    of_it = np.zeros(len(answer.nodes), bool)
    of_it[ordered.contains(best, answer.nodes)] = kinds.typed(called, best, head=True)
    return answer.first(of_it)


def of_two(question: Question, named: Sequence[Named], asked: Measured) -> Answer | None:
    """Return which of two that a question names has more, or less, of something; None where the graph does not tell."""
    nodes = nodes_of(named)
    found = _beside(question, nodes, asked)
    if found is None:
        return _of_two_by_metadata(question, named, asked)
    if any(np.isnan(found.values[ordered.contains(one.nodes, nodes)]).all() for one in named):
        return None
    meant = are_meant(found.values, asked)
    if meant.sum() != 1:
        return None
    told = found.at >= 0
    answer = _by_amount(nodes[told], found.at[told], found.kind)
    return replace(answer, values=np.where(meant[told], 1.0, OF_ANOTHER_KIND), named=nodes)


def _of_two_by_metadata(question: Question, named: Sequence[Named], asked: Measured) -> Answer | None:
    """Return the same by the metadata of the two."""
    nodes = nodes_of(named)
    values, told, asked = _by_metadata(question, named, nodes, asked)
    if len(nodes) != len(named) or np.isnan(values).any() or (of_it := are_meant(values, asked)).sum() != 1:
        return None
    said = dict(zip(nodes.tolist(), told, strict=True))
    return Answer(nodes, np.where(of_it, 1.0, OF_ANOTHER_KIND), 1.0, nodes, (), told=said)


def _by_metadata(
    question: Question, named: Sequence[Named], nodes: Nodes, asked: Measured
) -> tuple[FloatArray, list[str], Measured]:
    """Return the amount that the metadata of each node tells, (n_nodes,), NaN: none; in words; what is asked."""
    rows = question.query.rows_of(nodes)
    properties = Properties(question.query.words, rows, question.relations.labels.terms)
    free = set(range(len(question.plain))) - places_of(named)
    values, told, asked, _ = by_properties(properties, asked, free)
    return values, told, asked


def by_properties(
    properties: Properties, asked: Measured, places: Collection[int]
) -> tuple[FloatArray, list[str], Measured, frozenset[int]]:
    """Return the amount that each row tells, (n_rows,), NaN: none; in words; what is asked; which words call its key.

    Words that call the key are looked for at some places.
    """
    key, where = properties.amount(asked, places)
    asked = asked.of_key(key)
    values = [row.get(key) if key else None for row in properties.rows]
    told = [place for place, value in enumerate(values) if value is not None and not isinstance(value, bool)]
    amounts = np.full(len(values), np.nan)
    amounts[told] = _amounts([str(values[place]) for place in told], of_time=asked.of_time)
    return amounts, [in_words(key, row) for row in properties.rows], asked, where


def of_all(kinds: Kinds, sentence: Sentence, asked: Measured) -> Answer | None:
    """Return what of all nodes of the type asked for has the amount: "cities with more than a million people".

    None where the question calls no type of nodes, or one of too many.
    """
    called = [place for place in sentence.heads() or sentence.kinds() if place not in asked.places]
    called = [place for place in called if not is_one(sentence.words[place])]
    if not called:
        return None
    nodes = kinds.holding_words(_MOST)
    if not len(nodes) or not (of_it := kinds.typed(called, nodes, head=True)).any():
        return None
    found = _beside(kinds, nodes[of_it], asked)
    if found is None or not (meant := are_meant(found.values, asked)).any():
        return None
    return _by_amount(nodes[of_it][meant], found.at[meant], found.kind)


def _by_amount(nodes: Nodes, at: NDArray[np.int64], kind: int) -> Answer:
    """Return nodes as the answer, each reached from the amount that stands beside it."""
    whence = zip(nodes.tolist(), at.tolist(), strict=True)
    behind = {node: (amount, Step(node, kind, False)) for node, amount in whence}
    return Answer(nodes, np.ones(len(nodes)), 1.0, NO_NODES, (), behind=behind)


def are_meant(amounts: FloatArray, asked: Measured) -> NDArray[np.bool_]:
    """Tell which amounts are those asked for, (n_amounts,); NaN is none."""
    if asked.largest is not None:
        most: NDArray[np.bool_] = amounts == (np.nanmax(amounts) if asked.largest else np.nanmin(amounts))
        return most
    told = np.floor(amounts / _YEAR) if asked.of_time and not asked.by_day else amounts
    within: NDArray[np.bool_] = (told > asked.above) & (told < asked.below)
    if asked.inclusive:
        within |= (told == asked.above) | (told == asked.below)
    return within


@dataclass(frozen=True, slots=True)
class _Told:
    """The amount of each node, ``values`` (n_nodes,), NaN: none; ``at`` (n_nodes,) where it stands, along ``kind``."""

    values: FloatArray
    at: NDArray[np.int64]
    kind: int


def _beside(question: Question, nodes: Nodes, asked: Measured) -> _Told | None:
    """Return the amount that stands beside each node by edges so called.

    None where none stands beside any, or those of several edge types do: an area is not compared with a population.
    """
    for by in asked.by:
        steps = question.steps(nodes, question.relations.labels.similarity(by)[0] >= SAME_FAMILY, forward=True)
        told = []
        for kind in distinct(steps.types).tolist():
            own = steps.of(steps.types == kind)
            if len(own) > _MOST:
                return None
            amounts = _amounts(question.query.called_of(own.targets), of_time=asked.of_time)
            if not np.isnan(amounts).any():
                told.append((own, amounts, kind))
        if len(told) == 1:
            return _by_node(len(nodes), *told[0], least=asked.largest is False or asked.below < np.inf)
    return None


def _by_node(count: int, steps: Steps, amounts: FloatArray, kind: int, *, least: bool) -> _Told:
    """Return the amount of each of so many nodes, of several the one that rather has them meant."""
    values, at = np.full(count, np.nan), np.full(count, -1, np.int64)
    order = np.argsort(-amounts if least else amounts, kind="stable")
    values[steps.origin[order]], at[steps.origin[order]] = amounts[order], steps.targets[order]
    return _Told(values, at, kind)


def _amounts(names: Sequence[str], *, of_time: bool) -> FloatArray:
    """Return the amounts that names are, (n_names,); NaN for others, and for all where their units differ.

    Dates are told as ``_YEAR`` has it; with ``of_time`` a number is a year.
    """
    words = [re.findall(r"[^\W\d_]+|\d+", name.lower()) for name in names]
    if all(is_date(own) for own in words) and (of_time or not all(_AMOUNT.fullmatch(name.strip()) for name in names)):
        return np.array([*map(_date, names, words)], np.float64)
    read = [_AMOUNT.fullmatch(name.strip()) for name in names]
    units = {one[2].strip() for one in read if one}
    if len(units) > 1:
        return np.full(len(names), np.nan)
    return np.array([np.nan if one is None else _amount(one) for one in read])


def _date(name: str, words: Sequence[str]) -> float:
    """Return a date as a number, by its parts: 1988-03-01, 19 Aug 1946, in 1821."""
    if (iso := _ISO.fullmatch(name.strip())) is not None:
        return float(iso[1]) * _YEAR + float(iso[2]) * 100 + float(iso[3])
    year = next((float(word) for word in words if word.isdigit() and len(word) == 4), np.nan)
    month = next((_MONTHS[word[:3]] for word in words if word[:3] in _MONTHS), 0)
    day = next((int(word) for word in words if word.isdigit() and len(word) < 3), 0)
    return year * _YEAR + month * 100 + day


def _amount(read: re.Match[str]) -> float:
    number = re.sub(r"^[^\d-]*", "", _THOUSANDS.sub("", read[1])).replace(",", ".")
    return float(number) if number.count(".") < 2 else np.nan  # 1,2,3 is no number
