"""A filter's tree → expressions over the digests in ``facts``, and comparisons here where Milvus has none.

What asks for keys and values (``$eq``, ``$in``, ``$exists``, ``$empty`` and their complements, in any combination) is
one expression. Ranges and substrings are not: the nodes that have the key come as rows and are compared here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus import rows
from fourfold.engines.milvus.json_text import mapping
from fourfold.engines.milvus.link import Link
from fourfold.filters import COLUMNS, SCALAR, Clause, Group, Range, Scalar, Test, attributes
from fourfold.index.base import Nodes

_LISTED = 10_000
"""Digests in one expression; a list of more values is asked in turns."""
_COMPARE: dict[str, Callable[[Scalar, Scalar], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def matching(link: Link, visible: str, clause: Clause) -> Nodes:
    """Return the numbers of the nodes that meet a filter, in any order."""
    if (condition := _expression(clause)) is not None:
        return _asked(link, f"{condition} and {visible}")
    match clause:
        case Group("not", (inner,)):
            return np.setdiff1d(_asked(link, visible), matching(link, visible, inner))
        case Group(how, parts):
            together = [part for part in parts if _expression(part) is not None]
            apart = [part for part in parts if _expression(part) is None]
            sets = [matching(link, visible, part) for part in apart]
            if len(together) == 1 or how == "or":
                sets += [matching(link, visible, part) for part in together]
            elif together:
                sets.append(matching(link, visible, Group("and", tuple(together))))
            join = np.intersect1d if how == "and" else np.union1d
            found = sets[0]
            for other in sets[1:]:
                found = join(found, other)
            return found
        case Test(key, "in", operands, kinds):
            size = _LISTED // len(kinds)
            some = [operands[start : start + size] for start in range(0, len(operands), size)]
            return np.concatenate([matching(link, visible, Test(key, "in", part, kinds)) for part in some])
        case Test(key, test, (operand, *_), _):
            return _compared(link, visible, key, _test(test, str(operand)))
        case Range(key, bounds):
            return _compared(link, visible, key, lambda value: _within(value, bounds))
    raise AssertionError(f"no filter: {clause}")


def _expression(clause: Clause) -> str | None:
    """Return what Milvus itself can tell; None where it cannot."""
    match clause:
        case Group("and", ()):
            return "row >= 0"
        case Group("not", (inner,)):
            found = _expression(inner)
            return None if found is None else f"(not ({found}))"
        case Group(how, parts):
            found_all = [_expression(part) for part in parts]
            known = [found for found in found_all if found is not None]
            return f"({f' {how} '.join(known)})" if len(known) == len(found_all) else None
        case Test(key, "any", _, kinds) if key not in COLUMNS:
            return _any_of([rows.presence(key, kind) for kind in kinds])
        case Test(key, "any"):
            return "row >= 0"
        case Test(key, "equal" | "in", operands, kinds) if len(operands) * len(kinds) <= _LISTED:
            return _any_of([rows.equality(key, kind, value) for kind in kinds for value in operands])
        case Test(key, "equal_folded", (operand,), kinds) if SCALAR not in kinds:
            return _any_of([rows.folded(key, kind, str(operand)) for kind in kinds])
        case _:
            return None


def _any_of(facts: Sequence[str]) -> str:
    return f"array_contains_any(facts, {sorted(set(facts))})" if facts else "row < 0"


def _asked(link: Link, condition: str) -> Nodes:
    found = link.rows("nodes", condition, ("num",))
    return np.fromiter((row["num"] for row in found), np.int64, len(found))


def _compared(link: Link, visible: str, key: str, test: Callable[[Scalar], bool]) -> Nodes:
    """Return the nodes with a SCALAR attribute of this key that passes a test."""
    if key in COLUMNS:
        column = COLUMNS[key]
        passed = [row["num"] for row in link.rows("nodes", visible, ("num", column)) if test(row[column])]
    else:
        having = f"{_any_of([rows.presence(key, SCALAR)])} and {visible}"
        found = link.rows("nodes", having, ("num", "metadata"))
        passed = [
            row["num"]
            for row in found
            if any(
                name == key and kind == SCALAR and test(value)
                for name, value, kind in attributes(mapping(row["metadata"]))
            )
        ]
    nodes: NDArray[np.int64] = np.array(passed, np.int64)
    return nodes


def _test(test: str, operand: str) -> Callable[[Scalar], bool]:
    lower = operand.lower()
    if test == "holds":
        return lambda value: isinstance(value, str) and operand in value
    if test == "holds_folded":
        return lambda value: isinstance(value, str) and lower in value.lower()
    return lambda value: isinstance(value, str) and value.lower() == lower


def _within(value: Scalar, bounds: Sequence[tuple[str, Scalar]]) -> bool:
    return all(
        isinstance(value, str) == isinstance(operand, str) and _COMPARE[comparison](value, operand)
        for comparison, operand in bounds
    )
