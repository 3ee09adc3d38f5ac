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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


_MAX_DEPTH = 40
_MAX_TERMS = 200  # SQLite takes 500 terms in one compound SELECT
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


def to_sql(condition: Filter) -> tuple[str, list[Any]]:
    """Return a SELECT of the ``num`` of every node that meets the filter, and its parameters.

    Raises:
        FilterError: an unknown operator, or an operand of the wrong kind.

    """
    tables: list[str] = []
    parameters: list[Any] = []
    final = _render(_all_of(condition, 0), tables, parameters)
    return (f"WITH {', '.join(tables)} " if tables else "") + final, parameters


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


def canonical(condition: Filter) -> str:
    """Return one string for equal filters: the key under which answers are cached."""
    try:
        return json.dumps(condition, sort_keys=True, default=_listed)
    except (TypeError, ValueError) as error:
        raise FilterError(f"The filter {condition!r} is not made of JSON values: {error}.") from error
    except RecursionError as error:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.") from error


def _listed(value: object) -> list[Any]:
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(value, key=repr)
    if isinstance(value, Mapping):
        return [list(pair) for pair in value.items()]
    raise TypeError(f"{value!r} is no JSON value")


def _all_of(condition: object, depth: int) -> Clause:
    if not isinstance(condition, Mapping):
        raise FilterError(f"A filter is a mapping of metadata keys to conditions, not {condition!r}.")
    if depth > _MAX_DEPTH:
        raise FilterError(f"The filter is nested more than {_MAX_DEPTH} deep.")
    clauses = []
    for key, operand in condition.items():
        if key in ("$and", "$or"):
            if isinstance(operand, (str, bytes, Mapping)) or not isinstance(operand, Sequence) or not operand:
                raise FilterError(f"{key} takes a list of at least one filter, not {operand!r}.")
            parts = [_all_of(part, depth + 1) for part in operand]
            clauses.append(_combine(parts, "INTERSECT" if key == "$and" else "UNION"))
        elif key == "$not":
            clauses.append(_complement(_all_of(operand, depth + 1)))
        elif not isinstance(key, str):
            raise FilterError(f"A metadata key is a string, not {key!r}.")
        elif key.startswith("$") and key not in _COLUMNS:
            known = ", ".join(("$and", "$or", "$not", *_COLUMNS))
            raise FilterError(f"The filter operator {key!r} is unknown here; known are {known}.")
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
        raise FilterError(f"The condition on {key!r} is empty; give a value or an operator such as $eq.")
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
                f"The filter operator {operator!r} on {key!r} is unknown; known are {known}. "
                f"Nested metadata is reached by a dotted key such as {f'{key}.…'!r}; "
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
        raise FilterError(f"$in and $nin on {key!r} take a list of values, not {values!r}.")
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
    rest = [_select(key, "value = ?", [value], (SCALAR, ELEMENT)) for value in others]
    if rest:
        found = _combine([found, *rest], "UNION")
    return _combine([found, _equal(key, None)], "UNION") if None in values else found


_COMPARISONS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def _bound(operator: str, key: str, value: object) -> tuple[str, Any]:
    """Return the test of one comparison, and its parameter."""
    if not isinstance(value, (int, float, str)) or isinstance(value, float) and math.isnan(value):
        raise FilterError(f"{operator} on {key!r} takes a number or a string, not {value!r}.")
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
        raise FilterError(f"$icontains on {key!r} takes a string, not {value!r}.")
    # lower_case is the function the store registers: SQLite's own lower() knows ASCII only
    test = "typeof(value) = 'text' AND instr(lower_case(value), lower_case(?)) > 0"
    substring = _select(key, test, [value], (SCALAR,))
    element = _select(key, "typeof(value) = 'text' AND lower_case(value) = lower_case(?)", [value], (ELEMENT,))
    return _combine([element, substring], "UNION")


def _empty(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$empty on {key!r} takes true or false, not {value!r}.")
    blank = _select(key, "value = ''", [], (SCALAR,))
    no_elements = _select(key, "value = 1", [], (CONTAINER,))
    empty = _combine([_equal(key, None), blank, no_elements], "UNION")
    return empty if value else _complement(empty)


def _exists(key: str, value: object) -> Clause:
    if not isinstance(value, bool):
        raise FilterError(f"$exists on {key!r} takes true or false, not {value!r}.")
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
    return clauses[0] if len(clauses) == 1 else Clause(operator, parts=tuple(clauses))


def _complement(clause: Clause) -> Clause:
    return clause.parts[0] if clause.sql == "EXCEPT" else Clause("EXCEPT", parts=(clause,))


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, bool, int)) or isinstance(value, float) and not math.isnan(value)


def _require_scalar(operator: str, key: str, value: object) -> None:
    if not _is_scalar(value):
        raise FilterError(f"{operator} on {key!r} takes a string, a number or a boolean, not {value!r}.")
    _require_unicode(value)


def _require_unicode(value: object) -> None:
    try:
        if isinstance(value, str):
            value.encode()
    except UnicodeEncodeError as error:
        raise FilterError(f"The filter holds a lone surrogate in {value!r}, which no stored text can match.") from error


def _sql_value(value: Any) -> Any:
    """Return what SQLite can store and compare: integers beyond 64 bits become floats, the largest infinite."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        return float(value) if abs(value) < _LARGEST else math.inf if value > 0 else -math.inf
    return value
