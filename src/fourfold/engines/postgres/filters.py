"""A filter as SQL over the table ``attributes``; every value is a parameter."""

from __future__ import annotations

import math
from typing import Any

from fourfold.filters import COLUMNS, Clause, Group, Range, Scalar, Test

_NO_FRACTIONS = 2**53
"""From here on every float is a whole number, and the shortest text that means it may be another one."""
_FOLDED = " COLLATE FOLDED"
_BEGINNING = 100
"""Characters of a string that its index knows."""


FOLDING = ("pg_unicode_fast", "und-x-icu", "pg_c_utf8")
"""Collations whose ``lower`` knows more than ASCII, the best first; a server has some of them."""


def compiled(clause: Clause, folding: str | None) -> tuple[str, list[Any]]:
    """Return a condition on the row ``n`` of nodes, and its parameters; ``folding`` is one of ``FOLDING``, or none."""
    parameters: list[Any] = []
    condition = _condition(clause, parameters)
    return condition.replace(_FOLDED, f' COLLATE "{folding}"' if folding in FOLDING else ""), parameters


def _condition(clause: Clause, parameters: list[Any]) -> str:
    """Return a condition on the row ``n`` of nodes; its parameters are added in the order of their places."""
    if isinstance(clause, Group):
        if clause.operator == "not":
            return f"NOT ({_condition(clause.parts[0], parameters)})"
        joined = f" {clause.operator.upper()} ".join(f"({_condition(part, parameters)})" for part in clause.parts)
        return joined or "true"
    if clause.key in COLUMNS:
        own = COLUMNS[clause.key]
        if isinstance(clause, Range):
            return _bounds(clause, f'n.{own} COLLATE "C"', None, parameters)
        return _tested(clause, f"n.{own}", None, parameters)
    key = _writable(clause.key)
    parameters += [key, key]
    kinds = (0,) if isinstance(clause, Range) else clause.kinds
    listed = ", ".join(str(int(kind)) for kind in kinds)
    test = (
        _bounds(clause, "a.string", "a.number", parameters)
        if isinstance(clause, Range)
        else _tested(clause, "a.string", "a.number", parameters)
    )
    # EXISTS, not IN: where many rows match, under NOT or OR, the server would compare with each of them for every node
    return (
        "EXISTS (SELECT FROM attributes a WHERE a.node = n.num AND md5(a.key) = md5(%s::text) AND a.key = %s::text "
        f"AND a.kind IN ({listed}) AND {test})"
    )


def _tested(clause: Test, string: str, number: str | None, parameters: list[Any]) -> str:
    """Return a test of a value that is a string, or a number where ``number`` names a column."""
    if clause.test == "any":
        return "true"
    if clause.test in ("equal", "in"):
        return _among(clause.operands, string, number, parameters)
    text = str(clause.operands[0])
    parameters.append(_writable(text))
    if clause.test == "holds":
        return f"strpos({string}, %s::text) > 0"
    if clause.test == "holds_folded":
        return f"strpos(lower({string}{_FOLDED}), lower(%s::text{_FOLDED})) > 0"
    return f"lower({string}{_FOLDED}) = lower(%s::text{_FOLDED})"


def _among(operands: tuple[Scalar, ...], string: str, number: str | None, parameters: list[Any]) -> str:
    strings = [_writable(value) for value in operands if isinstance(value, str)]
    figures = [figure(value) for value in operands if not isinstance(value, str)]
    tests = []
    if strings:
        if number is not None:
            tests.append(f"(left({string}, {_BEGINNING}) = ANY(%s::text[]) AND {string} = ANY(%s::text[]))")
            parameters += [[value[:_BEGINNING] for value in strings], strings]
        else:
            tests.append(f"{string} = ANY(%s::text[])")
            parameters.append(strings)
    if figures and number is not None:
        tests.append(f"{number} = ANY(%s::text[]::numeric[])")
        parameters.append(figures)
    return f"({' OR '.join(tests)})" if tests else "false"


def _bounds(clause: Range, string: str, number: str | None, parameters: list[Any]) -> str:
    tests = []
    for comparison, operand in clause.bounds:
        if comparison not in ("<", "<=", ">", ">="):
            raise AssertionError(comparison)
        if isinstance(operand, str):
            tests.append(f"{string} {comparison} %s::text")
            parameters.append(_writable(operand))
        elif number is None:
            tests.append("false")
        else:
            tests.append(f"{number} {comparison} %s::text::numeric")
            parameters.append(figure(operand))
    return " AND ".join(tests)


def figure(value: float) -> str:
    """Return a number as ``numeric`` takes it; ``repr`` rounds what is beyond all fractions."""
    return repr(int(value)) if _NO_FRACTIONS <= abs(value) < math.inf else repr(value)


def _writable(text: str) -> str:
    """Return a string that can be sent; one that holds NUL equals no stored string, and neither does this."""
    return text.replace("\x00", "\x01\x02\x01")
