"""A filter's tree → one SELECT over the table ``attributes``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fourfold.errors import FilterError
from fourfold.filters import COLUMNS, SCALAR, Clause, Group, Range, Scalar, Test

_MAX_TERMS = 200  # SQLite takes 500 terms in one compound SELECT
_MAX_PARAMETERS = 32_000  # SQLite takes 32,766 in one statement
_TESTS = {
    "any": "1",
    "equal": "value = ?",
    "holds": "typeof(value) = 'text' AND instr(value, ?) > 0",
    # lower_case is the function the store registers: SQLite's own lower() knows ASCII only
    "holds_folded": "typeof(value) = 'text' AND instr(lower_case(value), lower_case(?)) > 0",
    "equal_folded": "typeof(value) = 'text' AND lower_case(value) = lower_case(?)",
}
_COMPARISONS = frozenset((">", ">=", "<", "<="))


def to_sql(clause: Clause) -> tuple[str, list[Any]]:
    """Return a SELECT of the ``num`` of every node that meets a filter, and its parameters.

    Raises:
        FilterError: too many values that are compared one by one.

    """
    statement = _Statement()
    final = statement.select(clause)
    if len(statement.parameters) > _MAX_PARAMETERS:
        raise FilterError(
            f"The filter compares with {len(statement.parameters):,} values one by one, {_MAX_PARAMETERS:,} at most "
            "are taken; in lists, all but fractions are compared at once."
        )
    return (f"WITH {', '.join(statement.tables)} " if statement.tables else "") + final, statement.parameters


class _Statement:
    """One statement in the making.

    Common table expressions stand side by side: nested subqueries of any depth would overflow SQLite's parser.
    """

    def __init__(self) -> None:
        self.tables: list[str] = []
        self.parameters: list[Any] = []

    def select(self, clause: Clause) -> str:
        """Return the SELECT of a clause; what it is combined of goes before it into ``tables``."""
        match clause:
            case Test(key, "equal" | "in", operands, kinds) if key in COLUMNS and any(map(_is_number, operands)):
                # SQLite would turn the numbers into strings, as the columns are
                strings = tuple(operand for operand in operands if not _is_number(operand))
                return self.select(Test(key, "in", strings, kinds))
            case Test(key, "in", operands, kinds):
                return self._any_of(key, operands, kinds)
            case Test(key, test, operands, kinds):
                return self._attributes(key, _TESTS[test], operands, kinds)
            case Range(key, bounds):
                tests = " AND ".join(_comparison(*bound) for bound in bounds)
                return self._attributes(key, tests, [operand for _, operand in bounds], (SCALAR,))
            case Group(_, ()):
                return "SELECT num FROM nodes"
            case Group("not", (inner,)):
                return "SELECT num FROM nodes EXCEPT " + self._of(self._table(self.select(inner)))
            case Group(operator, parts):
                return self._combined(operator, parts)

    def _combined(self, operator: str, parts: tuple[Clause, ...]) -> str:
        while len(parts) > _MAX_TERMS:
            groups = (parts[start : start + _MAX_TERMS] for start in range(0, len(parts), _MAX_TERMS))
            parts = tuple(Group("and" if operator == "and" else "or", group) for group in groups)
        names = [self._table(self.select(part)) for part in parts]
        return (" INTERSECT " if operator == "and" else " UNION ").join(map(self._of, names))

    def _any_of(self, key: str, operands: Sequence[Scalar], kinds: Sequence[int]) -> str:
        # JSON as SQLite reads it ends a string at NUL, knows no infinity, and may miss a float by its last bit
        exact = [isinstance(v, float) or (isinstance(v, str) and "\x00" in v) for v in operands]
        listed = [v for v, single in zip(operands, exact, strict=True) if not single]
        others = [v for v, single in zip(operands, exact, strict=True) if single]
        tests: list[tuple[str, list[Any]]] = []
        if listed or not others:
            tests.append(("value IN (SELECT value FROM json_each(?))", [json.dumps(listed, ensure_ascii=False)]))
        if others:
            tests.append((f"value IN ({', '.join('?' * len(others))})", others))
        selects = [self._attributes(key, test, parameters, kinds) for test, parameters in tests]
        return selects[0] if len(selects) == 1 else " UNION ".join(self._of(self._table(s)) for s in selects)

    def _attributes(self, key: str, test: str, parameters: Sequence[Any], kinds: Sequence[int]) -> str:
        if key in COLUMNS:
            self.parameters += parameters
            return f"SELECT num FROM (SELECT num, {COLUMNS[key]} AS value FROM nodes) WHERE {test}"
        self.parameters += (key, *parameters)
        wanted = ", ".join(map(str, kinds))
        return f"SELECT node AS num FROM attributes WHERE key = ? AND {test} AND kind IN ({wanted})"

    def _table(self, select: str) -> str:
        name = f"c{len(self.tables)}"
        self.tables.append(f"{name} (num) AS ({select})")
        return name

    def _of(self, name: str) -> str:
        return f"SELECT num FROM {name}"


def _is_number(operand: Scalar) -> bool:
    return not isinstance(operand, str)


def _comparison(operator: str, operand: Scalar) -> str:
    """Return one comparison; the operator is one of four, the operand a parameter."""
    assert operator in _COMPARISONS
    types = "'text'" if isinstance(operand, str) else "'integer', 'real'"
    return f"value {operator} ? AND typeof(value) IN ({types})"
