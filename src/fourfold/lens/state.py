"""What the address bar holds: a question with its options, read from an address and written into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from fourfold import InvalidValueError, Weights
from fourfold.arguments import one_of, shown
from fourfold.filters import COLUMNS
from fourfold.plain_text import plain_text
from fourfold.query import MODES
from fourfold.types import COMPONENTS

MOST_HITS = 100
"""Hits that one page shows at most."""

MOST_CONDITIONS = 20
"""Rows of the filter that are read."""

OPERATORS = {
    "is": "is",
    "not": "is not",
    "has": "contains",
    "min": "is at least",
    "max": "is at most",
    "any": "is there",
    "none": "is missing",
}
"""What a row of the filter can say, and how it reads."""

_BOUNDS = {"min": "$gte", "max": "$lte"}


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the filter: a metadata key, one of ``OPERATORS``, and a value as it was typed."""

    key: str
    operator: str
    value: str = ""

    def in_words(self) -> str:
        """Return the row as a person reads it."""
        value = "" if self.operator in ("any", "none") else self.value
        return f"{self.key} {OPERATORS[self.operator]} {value}".strip()

    def as_filter(self, kind: str) -> dict[str, Any]:
        """Return the row as ``Retriever.search`` takes it.

        Args:
            kind: what the values of the key are in this graph: ``"number"``, ``"boolean"``, ``"text"`` or
                ``"mixed"``. Bounds go by it; what a value is equal to is found whatever it is.

        """
        if self.operator in ("any", "none"):
            return {self.key: {"$exists": self.operator == "any"}}
        if self.operator == "has":
            return {self.key: {"$icontains": self.value}}
        if self.operator in _BOUNDS:
            return {self.key: {_BOUNDS[self.operator]: _typed(self.value, kind)}}
        values = [self.value] if self.key in COLUMNS else _meant(self.value)
        return {self.key: {"$nin" if self.operator == "not" else "$in": values}}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its options, as it stands in an address.

    ``weights`` are those set by hand, None where the intent chooses them; ``pinned`` names the sliders that stay where
    they are while another moves.
    """

    question: str = ""
    k: int = 10
    mode: str = "hybrid"
    intent: str | None = None
    weights: Weights | None = None
    pinned: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    group_by: str | None = None

    @classmethod
    def of(cls, given: QueryParams | Mapping[str, str]) -> Asked:
        """Read an address; InvalidValueError where it names a value that cannot be meant."""
        params = given if isinstance(given, QueryParams) else QueryParams(given)
        question = params.get("q", "")  # as it is: judgements are kept under it, and templates show it plain
        pinned = params.get("pin", "").split(",")
        return cls(
            question=question if plain_text(question).strip() else "",
            k=_count(params.get("k") or "10"),
            mode=one_of(params.get("mode") or "hybrid", "mode", MODES),
            intent=params.get("intent") or None,
            weights=_weights(params.get("weights", "")),
            pinned=tuple(name for name in COMPONENTS if name in pinned),
            conditions=_conditions(params.getlist("fk"), params.getlist("fo"), params.getlist("fv")),
            group_by=params.get("group_by") or None,
        )

    @property
    def touched(self) -> bool:
        """Whether the ranking may differ from the one that the question has by itself."""
        return self.weights is not None or self.intent is not None or self.mode != "hybrid"

    def untouched(self) -> Asked:
        """Return the same question as it is ranked by itself: what a change of rank is measured against."""
        return replace(self, weights=None, intent=None, mode="hybrid", pinned=())

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parts of the address; what is as usual is left out."""
        found = [("q", self.question)] if self.question else []
        found += [("k", str(self.k))] if self.k != 10 else []
        found += [("mode", self.mode)] if self.mode != "hybrid" else []
        found += [("intent", self.intent)] if self.intent else []
        if self.weights is not None:
            found.append(("weights", ",".join(f"{value:.4g}" for value in self.weights.as_tuple())))
        found += [("pin", ",".join(self.pinned))] if self.pinned else []
        for row in self.conditions:
            found += [("fk", row.key), ("fo", row.operator), ("fv", row.value)]
        return found + ([("group_by", self.group_by)] if self.group_by else [])

    def address(self, path: str, *more: tuple[str, str], **changes: Any) -> str:
        """Return an address of this state, some of it changed, with further parts behind."""
        pairs = [*(replace(self, **changes) if changes else self).pairs(), *more]
        return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9 or not 1 <= int(text) <= MOST_HITS:
        raise InvalidValueError(f"k is {shown(text)}; it must be a whole number from 1 to {MOST_HITS}.")
    return int(text)


def _weights(text: str) -> Weights | None:
    """Read four numbers with commas between them, in the order of ``COMPONENTS``."""
    if not text:
        return None
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != len(COMPONENTS):
        raise InvalidValueError(
            f"weights is {shown(text)}; it must be four numbers with commas between them: {', '.join(COMPONENTS)}."
        )
    return Weights(*values)


def _conditions(keys: Sequence[str], operators: Sequence[str], values: Sequence[str]) -> tuple[Condition, ...]:
    rows = []
    for place, key in enumerate(keys[:MOST_CONDITIONS]):
        if not key:
            continue
        operator = operators[place] if place < len(operators) else "is"
        one_of(operator, "The filter's operator", tuple(OPERATORS))
        rows.append(Condition(key, operator, values[place] if place < len(values) else ""))
    return tuple(rows)


def _typed(text: str, kind: str) -> Any:
    """Return what was typed as the graph has it; what is no number stays text, and matches none."""
    return text if kind == "text" else _meant(text)[-1]


def _meant(text: str) -> list[Any]:
    """Return what was typed as text and, where it can be read so, as the boolean or the number that it may mean."""
    if text.lower() in ("true", "false"):
        return [text, text.lower() == "true"]
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        return [text, number] if number == number else [text]  # NaN is equal to nothing
    return [text]
