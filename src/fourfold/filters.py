"""Metadata filters: what callers write → a tree over the flattened metadata, which each engine compiles.

``{"lang": "en"}`` is short for ``{"lang": {"$eq": "en"}}``; several keys, and several operators of a key, must all
hold. Nested metadata is reached by dotted keys; the columns of the node itself by ``$id``, ``$name`` and ``$type``.
A list matches ``$eq``, ``$in`` and ``$contains`` by any of its elements; ``$contains`` on a string is a substring,
``$icontains`` the same without regard to case. ``$empty`` is a key that is missing, null, ``""`` or ``[]``.
``$ne``, ``$nin`` and ``$not`` are the exact complements, so they also keep nodes that lack the key. Numbers and
strings are never compared with each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fourfold.arguments import shown
from fourfold.errors import FilterError
from fourfold.frozen import bare

SCALAR, ELEMENT, NULL, CONTAINER = range(4)
"""The kinds of ``attributes``; the value of a CONTAINER is 1 for an empty list, else 0."""

Filter = Mapping[str, Any]

Scalar = str | int | float
"""A value as ``attributes`` have it: booleans are 0 and 1."""


@dataclass(frozen=True, slots=True)
class Test:
    """The nodes with an attribute of this key, of one of these kinds, whose value passes a test.

    Args:
        key: a dotted key; ``$id``, ``$name`` and ``$type`` are the columns of the node itself, which are strings.
        test: ``"any"`` is passed by every value; ``"equal"`` by the operand; ``"in"`` by any of the operands;
            ``"holds"`` by strings that contain the operand, ``"holds_folded"`` the same in lower case,
            ``"equal_folded"`` by strings equal to it in lower case.
        operands: see ``test``. Numbers and strings are never equal to each other.
        kinds: of the attributes that count.

    """

    key: str
    test: str
    operands: tuple[Scalar, ...] = ()
    kinds: tuple[int, ...] = (SCALAR,)


@dataclass(frozen=True, slots=True)
class Range:
    """The nodes with one SCALAR attribute of this key that passes all of these comparisons.

    Args:
        key: see ``Test``.
        bounds: pairs of ``">"``, ``">="``, ``"<"`` or ``"<="`` and an operand: passed by numbers where that is a
            number, by strings (in the order of their code points) where it is one.

    """

    key: str
    bounds: tuple[tuple[str, Scalar], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The nodes of all parts (``"and"``), of any (``"or"``), or not of the one part (``"not"``).

    ``Group("and", ())`` is every node. No part of an "and" or an "or" is a second "not": of several, the one of their
    union or intersection stands there, for a complement may hold most nodes.
    """

    operator: Literal["and", "or", "not"]
    parts: tuple[Clause, ...]


Clause = Test | Range | Group
"""A set of nodes. Equal for filters that select the same in the same way."""

EVERY_NODE = Group("and", ())


MOST_CONDITIONS = 2_000
"""Keys and operators in one filter: each is a search of its own."""

MOST_VALUES = 100_000
"""Values in all lists of one filter."""

LONGEST_FILTER = 10_000_000
"""Characters of all strings in one filter."""

_MAX_DEPTH = 40
_MAX_LEVELS = 2 * _MAX_DEPTH + 4  # of mappings and lists: $and is a list in a mapping
COLUMNS = {"$id": "id", "$name": "name", "$type": "type"}
"""What a filter calls the columns of a node."""

_NO_LISTS = (str, bytes, bytearray, memoryview, Mapping)
"""Sequences that nobody gives for a list of conditions or of values."""

_INT64 = 2**63
_LARGEST = 10**308


def attributes(metadata: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, int]]:
    """Flatten metadata into (dotted key, value, kind)."""
    for key, value in metadata.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield path, 0, CONTAINER
            yield from attributes(value, f"{path}.")
        elif isinstance(value, (list, tuple)):
            yield path, int(not value), CONTAINER
            for element in value:
                if _is_scalar(element):
                    yield path, _stored(element), ELEMENT
        elif value is None:
            yield path, 0, NULL
        elif _is_scalar(value):
            yield path, _stored(value), SCALAR


def parse(condition: Filter) -> Clause:
    """Return what a filter means: equal for filters that select the same in the same way.

    Raises:
        FilterError: an unknown operator, an operand of the wrong kind, or too many of them.

    """
    _require_small(condition)
    return _all_of(condition, 0)


def any_of(key: str, values: Iterable[str]) -> Iterator[Filter]:
    """Return the filters that together select what ``{key: {"$in": values}}`` would, were it not bounded."""
    part: list[str] = []
    characters = around = len(key) + len("$in")
    for value in values:
        if part and (len(part) == MOST_VALUES or characters + len(value) > LONGEST_FILTER):
            yield {key: {"$in": part}}
            part, characters = [], around
        part.append(value)
        characters += len(value)
    if part:
        yield {key: {"$in": part}}


def _require_small(condition: object) -> None:
    """Refuse what takes too long to read, before it is read."""
    conditions = values = characters = 0
    for part in _parts(condition):
        if isinstance(part, str):
            characters += len(bare(part))
        elif isinstance(part, Mapping):
            conditions += len(part)
        else:
            values += len(part)
        if conditions > MOST_CONDITIONS:
            raise FilterError(
                f"The filter has more than {MOST_CONDITIONS:,} conditions; list values with $in or $nin, or mark the "
                "nodes with a metadata key of their own."
            )
        if values > MOST_VALUES:
            raise FilterError(f"The lists of the filter hold more than {MOST_VALUES:,} values.")
        if characters > LONGEST_FILTER:
            raise FilterError(f"The strings of the filter have more than {LONGEST_FILTER:,} characters.")


def _parts(condition: object) -> Iterator[Collection[Any]]:
    """Yield every mapping, list and string of a filter, each before what it holds is looked at."""
    left: list[tuple[Any, int]] = [(condition, 0)]
    while left:
        part, level = left.pop()
        if level > _MAX_LEVELS:
            raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
        if isinstance(part, (str, bytes)):
            yield part
        elif isinstance(part, Mapping):
            yield part
            left += [(each, level + 1) for pair in part.items() for each in pair]
        elif isinstance(part, (Sequence, set, frozenset)):
            yield part
            left += [(each, level + 1) for each in part if not isinstance(each, (int, float))]


def _all_of(condition: object, depth: int) -> Clause:
    if not isinstance(condition, Mapping):
        raise FilterError(f"A filter is a mapping of metadata keys to conditions, not {shown(condition)}.")
    if depth > _MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
    clauses = []
    for key, operand in ((bare(key), operand) for key, operand in condition.items()):
        if key in ("$and", "$or"):
            if isinstance(operand, _NO_LISTS) or not isinstance(operand, Sequence) or not operand:
                raise FilterError(f"{key} takes a list of at least one filter, not {shown(operand)}.")
            parts = [_all_of(part, depth + 1) for part in operand]
            clauses.append(_combine(parts, "and" if key == "$and" else "or"))
        elif key == "$not":
            clauses.append(_complement(_all_of(operand, depth + 1)))
        elif not isinstance(key, str):
            raise FilterError(f"A metadata key is a string, not {shown(key)}.")
        elif key.startswith("$") and key not in COLUMNS:
            known = ", ".join(("$and", "$or", "$not", *COLUMNS))
            raise FilterError(f"The filter operator {shown(key)} is unknown here; known are {known}.")
        else:
            clauses += _conditions(key, operand, depth)
    if not clauses:
        return EVERY_NODE
    return _combine(clauses, "and")


def _conditions(key: str, operand: object, depth: int) -> list[Clause]:
    """Return the clauses for one key: a bare value, or a mapping of operators."""
    if depth > _MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
    _require_unicode(key)
    if not isinstance(operand, Mapping):
        return [_equal(key, operand)]
    if not operand:
        raise FilterError(f"The condition on {shown(key)} is empty; give a value or an operator such as $eq.")
    clauses: list[Clause] = []
    operand = {bare(operator): bare(value) for operator, value in operand.items()}
    bounds = {operator: value for operator, value in operand.items() if operator in _COMPARISONS}
    if len(bounds) > 1:  # a range is one scan of the key; each bound alone may hold most nodes
        clauses.append(Range(key, tuple(_bound(operator, key, value) for operator, value in bounds.items())))
        operand = {operator: value for operator, value in operand.items() if operator not in bounds}
    for operator, value in operand.items():
        if operator == "$not":
            inner = _combine(_conditions(key, value, depth + 1), "and")
            clauses.append(_complement(inner))
            continue
        make = _OPERATORS.get(operator) if isinstance(operator, str) else None
        if make is None:
            known = ", ".join((*_OPERATORS, "$not"))
            raise FilterError(
                f"The filter operator {shown(operator)} on {shown(key)} is unknown; known are {known}. "
                f"Nested metadata is reached by a dotted key such as {shown(f'{key}.…')}; "
                "$and and $or stand outside the key."
            )
        clauses.append(make(key, value))
    return clauses


def _equal(key: str, value: object, operator: str = "$eq") -> Clause:
    if value is None:
        return _complement(Test(key, "any", (), (SCALAR, ELEMENT, CONTAINER)))
    _require_scalar(operator, key, value)
    return Test(key, "equal", (_stored(value),), (SCALAR, ELEMENT))


def _in(key: str, values: object, operator: str = "$in") -> Clause:
    if isinstance(values, _NO_LISTS) or not isinstance(values, (Sequence, set, frozenset)):
        raise FilterError(f"{operator} on {shown(key)} takes a list of values, not {shown(values)}.")
    for value in values:
        if value is not None:
            _require_scalar(operator, key, value)
    found = Test(key, "in", tuple(_stored(value) for value in values if value is not None), (SCALAR, ELEMENT))
    return _combine([found, _equal(key, None)], "or") if any(value is None for value in values) else found


_COMPARISONS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def _bound(operator: str, key: str, value: object) -> tuple[str, Scalar]:
    """Return one comparison and its operand."""
    if not isinstance(value, (int, float, str)) or isinstance(value, float) and math.isnan(value):
        raise FilterError(f"{operator} on {shown(key)} takes a number or a string, not {shown(value)}.")
    _require_unicode(value)
    return _COMPARISONS[operator], _stored(value)


def _compare(operator: str) -> Callable[[str, object], Clause]:
    return lambda key, value: Range(key, (_bound(operator, key, value),))


def _contains(key: str, value: object) -> Clause:
    _require_scalar("$contains", key, value)
    element = Test(key, "equal", (_stored(value),), (ELEMENT,))
    if not isinstance(value, str):
        return element
    return _combine([element, Test(key, "holds", (value,))], "or")


def _contains_any_case(key: str, value: object) -> Clause:
    if not isinstance(value, str):
        raise FilterError(f"$icontains on {shown(key)} takes a string, not {shown(value)}.")
    _require_unicode(value)
    element = Test(key, "equal_folded", (value,), (ELEMENT,))
    return _combine([Test(key, "holds_folded", (value,)), element], "or")


def _empty(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$empty on {shown(key)} takes true or false, not {shown(value)}.")
    no_elements = Test(key, "equal", (1,), (CONTAINER,))
    empty = _combine([_equal(key, None), Test(key, "equal", ("",)), no_elements], "or")
    return empty if value else _complement(empty)


def _exists(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$exists on {shown(key)} takes true or false, not {shown(value)}.")
    present = Test(key, "any", (), (SCALAR, ELEMENT, NULL, CONTAINER))
    return present if value else _complement(present)


_OPERATORS: dict[str, Callable[[str, object], Clause]] = {
    "$eq": _equal,
    "$ne": lambda key, value: _complement(_equal(key, value, "$ne")),
    "$in": _in,
    "$nin": lambda key, value: _complement(_in(key, value, "$nin")),
    **{operator: _compare(operator) for operator in _COMPARISONS},
    "$contains": _contains,
    "$icontains": _contains_any_case,
    "$empty": _empty,
    "$exists": _exists,
}


def _combine(clauses: Sequence[Clause], operator: Literal["and", "or"]) -> Clause:
    """Return the union or intersection; of complements, the complement of the other: they may hold most nodes."""
    if operator == "and":
        clauses = [clause for clause in clauses if clause != EVERY_NODE] or [EVERY_NODE]
    negated = [inner for clause in clauses if (inner := _complemented(clause)) is not None]
    if len(negated) > 1:
        together = Group("or" if operator == "and" else "and", tuple(negated))
        clauses = [*(clause for clause in clauses if _complemented(clause) is None), _complement(together)]
    return clauses[0] if len(clauses) == 1 else Group(operator, tuple(clauses))


def _complemented(clause: Clause) -> Clause | None:
    """Return what a complement is the complement of; None of any other clause."""
    return clause.parts[0] if isinstance(clause, Group) and clause.operator == "not" else None


def _complement(clause: Clause) -> Clause:
    return _complemented(clause) or Group("not", (clause,))


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, bool, int)) or isinstance(value, float) and not math.isnan(value)


def _require_scalar(operator: str, key: str, value: object) -> None:
    if not _is_scalar(value):
        several = operator in ("$eq", "$ne") and isinstance(value, (list, tuple, set, frozenset))
        way = "; $in and $nin take several values" if several else ""
        raise FilterError(f"{operator} on {shown(key)} takes a string, a number or a boolean, not {shown(value)}{way}.")
    _require_unicode(value)


def _require_unicode(value: object) -> None:
    try:
        if isinstance(value, str):
            str.encode(value)
    except UnicodeEncodeError as error:
        raise FilterError(
            f"The filter holds a lone surrogate in {shown(value)}, which no stored text can match."
        ) from error


def _stored(value: Any) -> Any:
    """Return a value as attributes have it: booleans as 0 and 1, integers beyond 64 bits as floats."""
    value = bare(value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        return float(value) if abs(value) < _LARGEST else math.inf if value > 0 else -math.inf
    return value
