"""Edges join nodes that are there: asked by every engine before it writes any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from fourfold.errors import UnknownNodeError
from fourfold.types import Edge

_LISTED = 5


def distinct_ends(edges: Iterable[Edge]) -> list[str]:
    """Return the ids at both ends of edges, each once."""
    return list(dict.fromkeys(chain.from_iterable(map(attrgetter("source", "target"), edges))))


def ends_of(edges: Sequence[Edge], numbers: Callable[[Sequence[str]], Mapping[str, int]]) -> Mapping[str, int]:
    """Return the numbers of the edges' ends, and perhaps others; UnknownNodeError lists the first that are no nodes."""
    ends = distinct_ends(edges)
    nums = numbers(ends)
    if unknown := [end for end in ends if end not in nums]:
        first = ", ".join(repr(end) for end in unknown[:_LISTED])
        more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
        raise UnknownNodeError(f"Edges name nodes that are not in the graph: {first}{more}. Nothing was written.")
    return nums
