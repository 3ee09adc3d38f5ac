"""A filter's tree → the numbers of the nodes that meet it: one SELECT for each condition, whose sets are combined here.

SQLite's INTERSECT, UNION and EXCEPT put every number into a B-tree of their own: arrays take a twentieth of the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from fourfold import ordered
from fourfold.encodings import encodable
from fourfold.filters import COLUMNS, SCALAR, Clause, Group, Range, Scalar, Test
from fourfold.index.base import Nodes

_MOST_PARAMETERS = 30_000  # SQLite takes 32,766 in one statement
_LOOKED_UP = 20
"""Where so many times fewer nodes than there are remain, the other conditions are looked up for these one by one."""
_FEW = 10_000
"""Up to so many nodes that hold the words of a name or a type are looked up instead of reading the rows of all."""
_MOST_WORDED, _LONG = 100, 500
_WORD = re.compile("[A-Za-z0-9]")
# lower_case is the function the store registers: SQLite's own lower() knows ASCII only, but is several times as fast
_FOLDED = "CASE WHEN length(value) = length(CAST(value AS BLOB)) THEN lower(value) ELSE lower_case(value) END"
_TESTS = {
    "any": "1",
    "equal": "value = ?",
    "holds": "typeof(value) = 'text' AND instr(value, ?) > 0",
    "holds_folded": f"typeof(value) = 'text' AND instr({_FOLDED}, ?) > 0",
    "equal_folded": f"typeof(value) = 'text' AND {_FOLDED} = ?",
}
_COMPARISONS = frozenset((">", ">=", "<", "<="))


@dataclass(frozen=True, slots=True)
class Rows:
    """What answers for the rows of all nodes.

    ``select``: a statement that selects ``num``, and its parameters → the numbers, in any order; ``types``: every type
    that a node has, and perhaps others.
    """

    select: Callable[[str, Sequence[Any]], Nodes]
    types: Callable[[], Set[str]]


def meeting(clause: Clause, rows: Rows, among: Nodes | None = None) -> Nodes:
    """Return the nodes that meet a filter, ascending, of all or of some."""
    match clause:
        case Test() | Range():
            if among is None and isinstance(clause, Test):
                among = _worded(clause, rows)
            return ordered.union([rows.select(*statement) for statement in _statements(clause, among)])
        case Group("not", (inner,)):
            return ordered.without(_every(rows, among), meeting(inner, rows, among))
        case Group("or", parts):
            return ordered.union([meeting(part, rows, among) for part in parts])
        case Group(_, ()):
            return _every(rows, among)
        case Group(_, parts):
            return _meeting_all(parts, rows, among)


def _meeting_all(parts: Sequence[Clause], rows: Rows, among: Nodes | None) -> Nodes:
    first, *others = sorted(parts, key=_may_be_broad)
    found = meeting(first, rows, among)
    (last,) = rows.select("SELECT coalesce(max(num), 0) AS num FROM nodes", ())
    for part in others:
        if len(found) * _conditions(part) * _LOOKED_UP < last:
            found = meeting(part, rows, found)
        else:
            found = ordered.common(found, meeting(part, rows, among))
    return found


def _every(rows: Rows, among: Nodes | None) -> Nodes:
    return ordered.distinct(rows.select("SELECT num FROM nodes", ())) if among is None else among


def _may_be_broad(clause: Clause) -> bool:
    """Whether a clause may hold for most nodes, or is found by reading all of them."""
    return not isinstance(clause, Test) or clause.test not in ("equal", "in") or clause.key in ("$name", "$type")


def _conditions(clause: Clause) -> int:
    return sum(map(_conditions, clause.parts)) if isinstance(clause, Group) else 1


def _statements(clause: Test | Range, among: Nodes | None) -> Iterator[tuple[str, list[Any]]]:
    """Yield a SELECT of ``num``, and its parameters, for what meets one condition; several for very many fractions."""
    source, given = _source(clause.key, (SCALAR,) if isinstance(clause, Range) else clause.kinds, among)
    for test, operands in _tests(clause):
        yield f"SELECT num FROM ({source}) WHERE {test}", [*given, *operands]


def _worded(clause: Test, rows: Rows) -> Nodes | None:
    """Return few nodes among which are all that have a name or a type, by its words; None where all are to be read.

    No index has names and types but the full text; a text without a letter or a digit of ASCII may have no words in it.
    """
    texts = [operand for operand in clause.operands if isinstance(operand, str)]
    if clause.key not in ("$name", "$type") or clause.test not in ("equal", "in") or len(texts) > _MOST_WORDED:
        return None
    if not all(_WORD.search(text) and len(text) < _LONG and "\x00" not in text and encodable(text) for text in texts):
        return None
    if not texts:
        return ordered.union([])
    wanted = " OR ".join('{} : "{}"'.format(COLUMNS[clause.key], text.replace('"', '""')) for text in texts)
    found = rows.select("SELECT rowid AS num FROM fts WHERE fts MATCH ? LIMIT ?", (wanted, _FEW + 1))
    if not len(found) and (clause.key == "$name" or not rows.types().isdisjoint(texts)):
        return None  # the full text may be damaged: that there is none only the rows say surely
    return ordered.distinct(found) if len(found) <= _FEW else None


def _source(key: str, kinds: Sequence[int], among: Nodes | None) -> tuple[str, list[Any]]:
    """Return a SELECT of ``num`` and ``value`` of a key, and its parameters."""
    given = [] if among is None else [json.dumps(among.tolist())]
    listed = "IN (SELECT value FROM json_each(?))"
    if key in COLUMNS:
        return f"SELECT num, {COLUMNS[key]} AS value FROM nodes" + f" WHERE num {listed}" * len(given), given
    wanted = f"key = ? AND kind IN ({', '.join(map(str, kinds))})"
    if among is None:
        return f"SELECT node AS num, value FROM attributes WHERE {wanted}", [key]
    # +value, for which no index is asked: it would be, for each of the nodes, once for each value of a list
    by_node = "attributes INDEXED BY attributes_by_node"
    return f"SELECT node AS num, +value AS value FROM {by_node} WHERE node {listed} AND {wanted}", [*given, key]


def _tests(clause: Test | Range) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield tests of ``value`` of which a node passes one, and their parameters."""
    if isinstance(clause, Range):
        yield " AND ".join(_comparison(*bound) for bound in clause.bounds), [operand for _, operand in clause.bounds]
        return
    operands = clause.operands
    if clause.key in COLUMNS and clause.test in ("equal", "in"):
        # SQLite would turn numbers into strings, as the columns are
        yield from _any_of([operand for operand in operands if isinstance(operand, str)])
    elif clause.test == "in":
        yield from _any_of(operands)
    elif clause.test.endswith("folded"):
        yield _TESTS[clause.test], [str(operand).lower() for operand in operands]
    else:
        yield _TESTS[clause.test], operands


def _any_of(operands: Sequence[Scalar]) -> Iterator[tuple[str, Sequence[Any]]]:
    # JSON as SQLite reads it ends a string at NUL, knows no infinity, and may miss a float by its last bit
    exact = [isinstance(v, float) or (isinstance(v, str) and "\x00" in v) for v in operands]
    listed = [v for v, single in zip(operands, exact, strict=True) if not single]
    others = [v for v, single in zip(operands, exact, strict=True) if single]
    if listed:
        yield "value IN (SELECT value FROM json_each(?))", [json.dumps(listed, ensure_ascii=False)]
    for start in range(0, len(others), _MOST_PARAMETERS):
        some = others[start : start + _MOST_PARAMETERS]
        yield f"value IN ({', '.join('?' * len(some))})", some


def _comparison(operator: str, operand: Scalar) -> str:
    """Return one comparison; the operator is one of four, the operand a parameter."""
    assert operator in _COMPARISONS
    types = "'text'" if isinstance(operand, str) else "'integer', 'real'"
    return f"value {operator} ? AND typeof(value) IN ({types})"
