"""Metadata filter → SQL over the flattened metadata (table ``attributes``).

``{"lang": "en"}`` is short for ``{"lang": {"$eq": "en"}}``; several keys, and several operators of a key, must all
hold. Nested metadata is reached by dotted keys; the columns of the node itself by ``$id``, ``$name`` and ``$type``.
A list matches ``$eq``, ``$in`` and ``$contains`` by any of its elements; ``$contains`` on a string is a substring,
``$icontains`` the same without regard to case. ``$empty`` is a key that is missing, null, ``""`` or ``[]``.
``$ne``, ``$nin`` and ``$not`` are the exact complements, so they also keep nodes that lack the key. Numbers and
strings are never compared with each other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourfold.arguments import shown
from fourfold.errors import FilterError

SCALAR, ELEMENT, NULL, CONTAINER = range(4)
"""The kinds of rows in the table ``attributes``; the value of a CONTAINER is 1 for an empty list, else 0."""

Filter = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Clause:
    """A set of nodes: one SELECT of ``num`` with its parameters, or an operator over other sets."""

    sql: str
    parameters: tuple[Any, ...] = ()
    parts: tuple[Clause, ...] = ()


MOST_CONDITIONS = 2_000
"""Keys and operators in one filter: each is a search of its own."""

MOST_VALUES = 100_000
"""Values in all lists of one filter."""

LONGEST_FILTER = 10_000_000
"""Characters of all strings in one filter."""

_MAX_DEPTH = 40
_MAX_LEVELS = 2 * _MAX_DEPTH + 4  # of mappings and lists: $and is a list in a mapping
_MAX_TERMS = 200  # SQLite takes 500 terms in one compound SELECT
_MAX_PARAMETERS = 32_000  # SQLite takes 32,766 in one statement
_COLUMNS = {"$id": "id", "$name": "name", "$type": "type"}
_INT64 = 2**63
_LARGEST = 10**308


def attributes(metadata: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, int]]:
    """Flatten metadata into (dotted key, SQL value, kind) rows."""
    for key, value in metadata.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield path, 0, CONTAINER
            yield from attributes(value, f"{path}.")
        elif isinstance(value, (list, tuple)):
            yield path, int(not value), CONTAINER
            for element in value:
                if _is_scalar(element):
                    yield path, _sql_value(element), ELEMENT
        elif value is None:
            yield path, 0, NULL
        elif _is_scalar(value):
            yield path, _sql_value(value), SCALAR


def parse(condition: Filter) -> Clause:
    """Return what a filter means: equal for filters that select the same in the same way.

    Raises:
        FilterError: an unknown operator, an operand of the wrong kind, or too many of them.

    """
    _require_small(condition)
    return _all_of(condition, 0)


def render(clause: Clause) -> tuple[str, list[Any]]:
    """Return a SELECT of the ``num`` of every node that meets a filter, and its parameters.

    Raises:
        FilterError: too many values that are compared one by one.

    """
    tables: list[str] = []
    parameters: list[Any] = []
    final = _render(clause, tables, parameters)
    if len(parameters) > _MAX_PARAMETERS:
        raise FilterError(
            f"The filter compares with {len(parameters):,} values one by one, {_MAX_PARAMETERS:,} at most are taken; "
            "in lists, all but fractions are compared at once."
        )
    return (f"WITH {', '.join(tables)} " if tables else "") + final, parameters


def to_sql(condition: Filter) -> tuple[str, list[Any]]:
    """Return ``render(parse(condition))``."""
    return render(parse(condition))


def _require_small(condition: object) -> None:
    """Refuse what takes too long to read, before it is read."""
    conditions = values = characters = 0
    for part in _parts(condition):
        if isinstance(part, str):
            characters += len(part)
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


def _render(clause: Clause, tables: list[str], parameters: list[Any]) -> str:
    """Return the SELECT of a clause; what it is combined of goes before it into ``tables``.

    Common table expressions stand side by side: nested subqueries of any depth would overflow SQLite's parser.
    """
    if not clause.parts:
        parameters += clause.parameters
        return clause.sql
    parts = clause.parts
    while len(parts) > _MAX_TERMS:
        groups = (parts[start : start + _MAX_TERMS] for start in range(0, len(parts), _MAX_TERMS))
        parts = tuple(Clause(clause.sql, parts=tuple(group)) for group in groups)
    names = []
    for part in parts:
        select = _render(part, tables, parameters)
        names.append(f"c{len(tables)}")
        tables.append(f"{names[-1]} (num) AS ({select})")
    before = "SELECT num FROM nodes EXCEPT " if clause.sql == "EXCEPT" else ""
    return before + f" {clause.sql} ".join(f"SELECT num FROM {name}" for name in names)


def _all_of(condition: object, depth: int) -> Clause:
    if not isinstance(condition, Mapping):
        raise FilterError(f"A filter is a mapping of metadata keys to conditions, not {shown(condition)}.")
    if depth > _MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
    clauses = []
    for key, operand in condition.items():
        if key in ("$and", "$or"):
            if isinstance(operand, (str, bytes, Mapping)) or not isinstance(operand, Sequence) or not operand:
                raise FilterError(f"{key} takes a list of at least one filter, not {shown(operand)}.")
            parts = [_all_of(part, depth + 1) for part in operand]
            clauses.append(_combine(parts, "INTERSECT" if key == "$and" else "UNION"))
        elif key == "$not":
            clauses.append(_complement(_all_of(operand, depth + 1)))
        elif not isinstance(key, str):
            raise FilterError(f"A metadata key is a string, not {shown(key)}.")
        elif key.startswith("$") and key not in _COLUMNS:
            known = ", ".join(("$and", "$or", "$not", *_COLUMNS))
            raise FilterError(f"The filter operator {shown(key)} is unknown here; known are {known}.")
        else:
            clauses += _conditions(key, operand, depth)
    if not clauses:
        return Clause("SELECT num FROM nodes")
    return _combine(clauses, "INTERSECT")


def _conditions(key: str, operand: object, depth: int) -> list[Clause]:
    """Return the clauses for one key: a bare value, or a mapping of operators."""
    if depth > _MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
    _require_unicode(key)
    if not isinstance(operand, Mapping):
        return [_equal(key, operand)]
    if not operand:
        raise FilterError(f"The condition on {shown(key)} is empty; give a value or an operator such as $eq.")
    clauses = []
    bounds = {operator: value for operator, value in operand.items() if operator in _COMPARISONS}
    if len(bounds) > 1:  # a range is one scan of the key; each bound alone may hold most nodes
        tests = [_bound(operator, key, value) for operator, value in bounds.items()]
        clauses.append(_select(key, " AND ".join(t for t, _ in tests), [value for _, value in tests], (SCALAR,)))
        operand = {operator: value for operator, value in operand.items() if operator not in bounds}
    for operator, value in operand.items():
        if operator == "$not":
            inner = _combine(_conditions(key, value, depth + 1), "INTERSECT")
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


def _equal(key: str, value: object) -> Clause:
    if value is None:
        present = _select(key, "1", [], (SCALAR, ELEMENT, CONTAINER))
        return _complement(present)
    _require_scalar("$eq", key, value)
    return _select(key, "value = ?", [_sql_value(value)], (SCALAR, ELEMENT))


def _in(key: str, values: object) -> Clause:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, (Sequence, set, frozenset)):
        raise FilterError(f"$in and $nin on {shown(key)} take a list of values, not {shown(values)}.")
    for value in values:
        if value is not None:
            _require_scalar("$in", key, value)
    operands = [_sql_value(value) for value in values if value is not None]
    # JSON as SQLite reads it ends a string at NUL, knows no infinity, and may miss a float by its last bit
    exact = [isinstance(v, float) or (isinstance(v, str) and "\x00" in v) for v in operands]
    listed = [v for v, single in zip(operands, exact, strict=True) if not single]
    found = _select(
        key, "value IN (SELECT value FROM json_each(?))", [json.dumps(listed, ensure_ascii=False)], (SCALAR, ELEMENT)
    )
    others = [v for v, single in zip(operands, exact, strict=True) if single]
    if others:
        one_by_one = _select(key, f"value IN ({', '.join('?' * len(others))})", others, (SCALAR, ELEMENT))
        found = _combine([found, one_by_one] if listed else [one_by_one], "UNION")
    return _combine([found, _equal(key, None)], "UNION") if None in values else found


_COMPARISONS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def _bound(operator: str, key: str, value: object) -> tuple[str, Any]:
    """Return the test of one comparison, and its parameter."""
    if not isinstance(value, (int, float, str)) or isinstance(value, float) and math.isnan(value):
        raise FilterError(f"{operator} on {shown(key)} takes a number or a string, not {shown(value)}.")
    _require_unicode(value)
    types = "'text'" if isinstance(value, str) else "'integer', 'real'"
    return f"value {_COMPARISONS[operator]} ? AND typeof(value) IN ({types})", _sql_value(value)


def _compare(operator: str) -> Callable[[str, object], Clause]:
    def clause(key: str, value: object) -> Clause:
        test, parameter = _bound(operator, key, value)
        return _select(key, test, [parameter], (SCALAR,))

    return clause


def _contains(key: str, value: object) -> Clause:
    _require_scalar("$contains", key, value)
    element = _select(key, "value = ?", [_sql_value(value)], (ELEMENT,))
    if not isinstance(value, str):
        return element
    substring = _select(key, "typeof(value) = 'text' AND instr(value, ?) > 0", [value], (SCALAR,))
    return _combine([element, substring], "UNION")


def _contains_any_case(key: str, value: object) -> Clause:
    if not isinstance(value, str):
        raise FilterError(f"$icontains on {shown(key)} takes a string, not {shown(value)}.")
    # lower_case is the function the store registers: SQLite's own lower() knows ASCII only
    test = "typeof(value) = 'text' AND instr(lower_case(value), lower_case(?)) > 0"
    substring = _select(key, test, [value], (SCALAR,))
    element = _select(key, "typeof(value) = 'text' AND lower_case(value) = lower_case(?)", [value], (ELEMENT,))
    return _combine([element, substring], "UNION")


def _empty(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$empty on {shown(key)} takes true or false, not {shown(value)}.")
    blank = _select(key, "value = ''", [], (SCALAR,))
    no_elements = _select(key, "value = 1", [], (CONTAINER,))
    empty = _combine([_equal(key, None), blank, no_elements], "UNION")
    return empty if value else _complement(empty)


def _exists(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$exists on {shown(key)} takes true or false, not {shown(value)}.")
    present = _select(key, "1", [], (SCALAR, ELEMENT, NULL, CONTAINER))
    return present if value else _complement(present)


_OPERATORS: dict[str, Callable[[str, object], Clause]] = {
    "$eq": _equal,
    "$ne": lambda key, value: _complement(_equal(key, value)),
    "$in": _in,
    "$nin": lambda key, value: _complement(_in(key, value)),
    **{operator: _compare(operator) for operator in _COMPARISONS},
    "$contains": _contains,
    "$icontains": _contains_any_case,
    "$empty": _empty,
    "$exists": _exists,
}


def _select(key: str, test: str, parameters: list[Any], kinds: Sequence[int]) -> Clause:
    if key in _COLUMNS:
        return Clause(f"SELECT num FROM (SELECT num, {_COLUMNS[key]} AS value FROM nodes) WHERE {test}", (*parameters,))
    wanted = ", ".join(map(str, kinds))
    sql = f"SELECT node AS num FROM attributes WHERE key = ? AND {test} AND kind IN ({wanted})"
    return Clause(sql, (key, *parameters))


def _combine(clauses: Sequence[Clause], operator: str) -> Clause:
    """Return the union or intersection; of complements, the complement of the other: they may hold most nodes."""
    negated = [clause.parts[0] for clause in clauses if clause.sql == "EXCEPT"]
    if len(negated) > 1:
        together = Clause("UNION" if operator == "INTERSECT" else "INTERSECT", parts=tuple(negated))
        clauses = [*(clause for clause in clauses if clause.sql != "EXCEPT"), _complement(together)]
    return clauses[0] if len(clauses) == 1 else Clause(operator, parts=tuple(clauses))


def _complement(clause: Clause) -> Clause:
    return clause.parts[0] if clause.sql == "EXCEPT" else Clause("EXCEPT", parts=(clause,))


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, bool, int)) or isinstance(value, float) and not math.isnan(value)


def _require_scalar(operator: str, key: str, value: object) -> None:
    if not _is_scalar(value):
        raise FilterError(f"{operator} on {shown(key)} takes a string, a number or a boolean, not {shown(value)}.")
    _require_unicode(value)


def _require_unicode(value: object) -> None:
    try:
        if isinstance(value, str):
            value.encode()
    except UnicodeEncodeError as error:
        raise FilterError(
            f"The filter holds a lone surrogate in {shown(value)}, which no stored text can match."
        ) from error


def _sql_value(value: Any) -> Any:
    """Return what SQLite can store and compare: integers beyond 64 bits become floats, the largest infinite."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        return float(value) if abs(value) < _LARGEST else math.inf if value > 0 else -math.inf
    return value
