"""Parts laid one after the other in one array: where each begins, and the slices of many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

V = TypeVar("V", bound=np.generic)


def spans(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``starts[i], starts[i] + 1, …`` (``counts[i]`` of them) for every i, one after the other."""
    ends: NDArray[np.int64] = counts.cumsum()
    places: NDArray[np.int64] = (starts - (ends - counts)).repeat(counts)
    places += np.arange(len(places))
    return places


def bounds(counts: Sequence[int] | NDArray[np.integer[Any]] | NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where parts of these lengths begin, laid one after the other, and where the last ends."""
    found = np.zeros(len(counts) + 1, np.int64)
    np.add.accumulate(counts, dtype=np.int64, out=found[1:])
    return found


def laid_out(parts: Sequence[NDArray[Any]], dtype: type[V]) -> tuple[NDArray[np.int64], NDArray[V]]:
    """Return where each part begins, and where the last ends, in all of them laid one after the other; and these."""
    return bounds([len(part) for part in parts]), np.concatenate([np.empty(0, dtype), *parts], dtype=dtype)


def distinct(values: NDArray[V]) -> NDArray[V]:
    """Return the distinct values of a one-dimensional array, ascending.

    By sorting: NumPy's ``unique``, and what is built on it, hashes from 2.3 on, in ten times as long where there are
    many; and a daemon thread that does so as the process ends aborts it.
    """
    values = values.copy()
    values.sort()
    return values[firsts(values)]


def difference(values: NDArray[V], others: NDArray[V]) -> NDArray[V]:
    """Return the distinct values, ascending, that do not occur among others; both one-dimensional."""
    values, others = distinct(values), np.sort(others)
    if not len(others):
        return values
    found: NDArray[V] = values[others.take(others.searchsorted(values), mode="clip") != values]
    return found


def firsts(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values of a one-dimensional array, equal ones in a row, are the first of their run."""
    first = np.empty(len(values), bool)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first
