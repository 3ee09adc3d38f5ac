"""``keyword_match`` and ``dimension_filter``: nodes by their words and by their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from fourfold.arguments import finite_number, shown
from fourfold.errors import FilterError, InvalidValueError
from fourfold.frozen import FrozenDict, freeze
from fourfold.questions.results import Answer
from fourfold.questions.view import View
from fourfold.ragged import distinct
from fourfold.types import Node


@dataclass(frozen=True, slots=True)
class Match:
    """A node that contains terms: how many of them, the share of all terms asked for, and the terms by place."""

    node: Node
    count: int
    score: float
    terms: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class KeywordAnswer(Answer):
    """The nodes that contain the terms, most terms first, ties by id; ``total`` counts all of them."""

    query: str
    terms: tuple[str, ...]
    matches: tuple[Match, ...]
    total: int

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node with the terms it contains."""
        for match in self.matches:
            yield (
                match.node,
                match.score,
                "; ".join(f"{place}: {', '.join(found)}" for place, found in match.terms.items()),
            )

    def headline(self) -> str:
        """Return how many nodes contain any of the terms."""
        return (
            f"{self.total} node{'s contain' if self.total != 1 else ' contains'} {', '.join(self.terms) or 'no term'}:"
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """A node with the numbers that the filters asked about."""

    node: Node
    values: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class FilterAnswer(Answer):
    """The nodes whose numbers meet every filter, by id; ``total`` counts all of them."""

    filters: Mapping[str, Any]
    measured: tuple[Measured, ...]
    total: int

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node with its numbers; the score is 1."""
        for found in self.measured:
            yield found.node, 1.0, ", ".join(f"{key} {value}" for key, value in found.values.items())

    def headline(self) -> str:
        """Return how many nodes meet the filters."""
        return f"{self.total} node{'s meet' if self.total != 1 else ' meets'} {dict(self.filters)}:"


def number_filter(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata filter for ``{"key": number}`` or ``{"key": {"min": …, "max": …, "exact": …}}``.

    Raises:
        FilterError: no mapping, an unknown word, an operand that is no finite number, or min above max.

    """
    if not isinstance(filters, Mapping):
        raise FilterError(
            f"The filters are {shown(filters)}; they must map a metadata key to a number or to min, max, exact."
        )
    condition: dict[str, Any] = {}
    for key, given in filters.items():
        if not isinstance(key, str) or key.startswith("$"):
            raise FilterError(f"The filter is on {shown(key)}; it must be a metadata key.")
        bounds = given if isinstance(given, Mapping) else {"exact": given}
        _check_bounds(key, bounds)
        condition[key] = {_BOUNDS[word]: number for word, number in bounds.items()}
    return condition


def _check_bounds(key: str, bounds: Mapping[str, Any]) -> None:
    if not bounds:
        raise FilterError(f"The filter on {shown(key)} is empty; give min, max or exact.")
    unknown = [word for word in bounds if word not in _BOUNDS]
    if unknown:
        raise FilterError(f"The filter on {shown(key)} has {shown(unknown[0])}; known are min, max and exact.")
    for word, number in bounds.items():
        try:
            finite_number(number, f"The {word} of {shown(key)}")
        except InvalidValueError as error:
            raise FilterError(str(error)) from None
    if "min" in bounds and "max" in bounds and bounds["min"] > bounds["max"]:
        raise FilterError(
            f"The min of {key!r} is {bounds['min']!r}, above its max {bounds['max']!r}; nothing can be both."
        )


def value_at(metadata: Mapping[str, Any], key: str) -> Any:
    """Return the value under a dotted key, or None."""
    value: Any = metadata
    rest = key
    while isinstance(value, Mapping):
        if rest in value:
            return value[rest]
        head, dot, rest = rest.partition(".")
        if not dot:
            return None
        value = value.get(head)
    return None


_BOUNDS = {"min": "$gte", "max": "$lte", "exact": "$eq"}


def keyword_answer(view: View, query: str, limit: int) -> KeywordAnswer:
    """Return the nodes that contain the query's terms."""
    terms = list(dict.fromkeys(view.terms(query)))
    held = view.holders(terms)
    each = [distinct(np.concatenate(places)) for places in zip(*held.values(), strict=True)]
    found, counts = np.unique(np.concatenate([np.empty(0, np.int64), *each]), return_counts=True)
    best = view.graph.best(found, counts.astype(np.float64), limit).tolist()
    nodes = view.nodes(found[best])
    told: dict[int, dict[str, tuple[str, ...]]] = {node: {} for node in nodes}
    for place, holders in held.items():
        having = np.stack([np.isin(list(told), own) for own in holders], axis=1) if told else ()
        for node, which in zip(told, having, strict=True):
            if own := tuple(compress(terms, which)):
                told[node][place] = own
    return KeywordAnswer(
        query=query,
        terms=tuple(terms),
        matches=tuple(
            Match(nodes[node], count, count / len(terms), FrozenDict(told[node]))
            for node, count in zip(found[best].tolist(), counts[best].tolist(), strict=True)
        ),
        total=len(found),
        truncated=len(found) > limit,
    )


def filter_answer(view: View, filters: Mapping[str, Any], limit: int) -> FilterAnswer:
    """Return the nodes whose numbers meet the filters."""
    ids = view.retriever.matching(number_filter(filters))
    listed = view.retriever.get(ids[:limit])
    unheard = [] if ids else [key for key in filters if not view.retriever.matching({key: {"$exists": True}})]
    return FilterAnswer(
        filters=freeze(filters),
        measured=tuple(
            Measured(node, freeze({key: value_at(node.metadata, key) for key in filters})) for node in listed
        ),
        total=len(ids),
        truncated=len(ids) > limit,
        notes=tuple(f"No node has {shown(key)} in its metadata." for key in unheard),
    )
