"""Sets of store numbers as ascending arrays.

What numpy's set routines do too; on the few hundred numbers of one question these take a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import ragged

Numbers = NDArray[np.int64]

_MANY, _SPREAD = 1000, 8
"""From so many numbers on, where the largest is at most so many times as large, marking them is sooner than sorting."""

_SAMPLED, _SAMPLE, _RARE = 5_000, 256, 8
"""Of so many values on, about so many are sorted to bound the largest, where at most one in so many is sought."""


def distinct(numbers: Numbers) -> Numbers:
    """Return the distinct numbers, ascending."""
    if _are_dense(numbers):
        return _marked(numbers).nonzero()[0].astype(numbers.dtype, copy=False)
    return ragged.distinct(numbers)


def numbered(numbers: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """Return the distinct numbers, ascending, and the place of each of ``numbers`` among them."""
    if _are_dense(numbers):
        return _numbered_by_counting(numbers)
    order = numbers.argsort(kind="stable")
    ascending = numbers[order]
    first = ragged.firsts(ascending)
    place = np.empty(len(numbers), np.int64)
    place[order] = first.cumsum() - 1
    return ascending[first], place


def _are_dense(numbers: Numbers) -> bool:
    return len(numbers) >= _MANY and int(numbers.min()) >= 0 and int(numbers.max()) < _SPREAD * len(numbers)


def _marked(numbers: Numbers) -> NDArray[np.bool_]:
    """Return an array from 0 to the largest of the numbers, True at each of them."""
    held = np.zeros(int(numbers.max()) + 1, bool)
    held[numbers] = True
    return held


def _numbered_by_counting(numbers: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """Return what ``numbered`` does without sorting, for numbers that are dense."""
    held = _marked(numbers)
    found = held.nonzero()[0].astype(numbers.dtype, copy=False)
    place = np.empty(len(held), np.int64)
    place[found] = np.arange(len(found))
    return found, place.take(numbers)


def distinct_pairs(first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct pairs of numbers ≥ 0, ascending by the first, then by the second."""
    keys, span = _as_one(first, second)
    return np.divmod(distinct(keys), span)


def numbered_pairs(first: Numbers, second: Numbers) -> tuple[tuple[Numbers, Numbers], NDArray[np.int64]]:
    """Return the distinct pairs likewise, and the place of each pair among them."""
    keys, span = _as_one(first, second)
    found, place = numbered(keys)
    return np.divmod(found, span), place


def _as_one(first: Numbers, second: Numbers) -> tuple[Numbers, int]:
    """Return each pair as one number, of which the first is how many times the span that is returned, too.

    Rows are sorted many times more slowly, and hold up all other threads meanwhile.
    """
    span = int(second.max(initial=0)) + 1
    if int(first.max(initial=0)) >= np.iinfo(np.int64).max // span:
        raise OverflowError(f"Pairs of numbers up to {int(first.max())} and {span - 1} do not fit in 64 bits together.")
    return first * span + second, span


def places(among: Numbers, numbers: Numbers) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where each number stands in an ascending array, (len(numbers),), and whether it does stand there."""
    if not len(among):
        return np.zeros(len(numbers), np.intp), np.zeros(len(numbers), bool)
    if _are_dense(numbers) and among[0] >= 0 and among[-1] < _SPREAD * len(numbers):
        return _places_by_marking(among, numbers)
    place = among.searchsorted(numbers)
    np.minimum(place, len(among) - 1, out=place)  # beyond the last: not there, but something to compare with
    return place, among[place] == numbers


def _places_by_marking(among: Numbers, numbers: Numbers) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return what ``places`` does without searching, for numbers that are dense."""
    table = np.full(max(int(among[-1]), int(numbers.max())) + 1, -1, np.intp)
    table[among] = np.arange(len(among))
    place = table.take(numbers)
    here = place >= 0
    return np.maximum(place, 0, out=place), here


def contains(among: Numbers, numbers: Numbers) -> NDArray[np.bool_]:
    """Return which of some numbers, in any order, stand in an ascending array, (len(numbers),)."""
    if not len(among):
        return np.zeros(len(numbers), bool)
    found: NDArray[np.bool_] = among.take(among.searchsorted(numbers), mode="clip") == numbers
    return found


def union(sets: Sequence[Numbers]) -> Numbers:
    """Return the distinct numbers of all sets, in any order each, ascending."""
    return distinct(np.concatenate(sets)) if sets else np.empty(0, np.int64)


def common(first: Numbers, second: Numbers) -> Numbers:
    """Return the numbers of the first of two ascending arrays that stand in the second, too."""
    return first[contains(second, first)]


def without(numbers: Numbers, others: Numbers) -> Numbers:
    """Return the numbers, in their order, that do not stand in an ascending array."""
    return numbers[~contains(others, numbers)] if len(others) else numbers


def least_of_largest(values: NDArray[Any], count: int) -> Any:
    """Return the ``count``-th largest of at least so many values.

    Of many values those above one that a sample tells are looked at alone. Where most are equal and a few larger, as
    where thousands of nodes have one name, numpy's selection among all takes thirty times as long as among others.
    """
    n = len(values)
    if n >= _SAMPLED and _RARE * count <= n:
        sample = np.sort(values[:: n // _SAMPLE])
        bound = sample[max(len(sample) - 4 - 2 * count * len(sample) // n, 0)]
        above = values.take((values > bound).nonzero()[0])
        if len(above) < count <= len(above) + np.count_nonzero(values == bound):
            return bound
        if len(above) >= count:
            values = above
    values = values.copy()
    values.partition(len(values) - count)
    return values[len(values) - count]


def best_places(values: NDArray[Any], count: int, *, least: Any = -np.inf) -> NDArray[np.intp]:
    """Return the places of the ``count`` largest values, (n,), and of all that tie with the last, ascending.

    Those of values below ``least`` are left out.
    """
    width = len(values) // max(4 * count, 256)
    parts = values if width < 4 else values[: len(values) // width * width].reshape(width, -1).max(axis=0)
    if len(parts) > count:  # the best of disjoint parts bound the best of all from below
        least = max(least, least_of_largest(parts, count))
    found: NDArray[np.intp] = (values >= least).nonzero()[0]
    if parts is not values and len(found) > count:
        chosen = values[found]
        found = found[chosen >= least_of_largest(chosen, count)]
    return found


def largest(
    values: NDArray[Any], count: int, ranked: Callable[[NDArray[np.intp]], Sequence[Any] | NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """Return which of the values are the ``count`` largest, (len(values),).

    Args:
        values: (n,) of any numeric kind.
        count: how many.
        ranked: places of values that tie where they are cut → what tells them apart, the smaller first: ids or their
            ranks, for store numbers tell only who was written first.

    """
    if not count or len(values) <= count:
        return np.full(len(values), bool(count))
    least = least_of_largest(values, count)
    found: NDArray[np.bool_] = values > least
    tied = (values == least).nonzero()[0]
    room = count - np.count_nonzero(found)
    if len(tied) > room:
        keys = ranked(tied)
        if isinstance(keys, np.ndarray):
            tied = tied[keys.argpartition(room - 1)[:room]]
        else:
            tied = tied[sorted(range(len(tied)), key=keys.__getitem__)[:room]]
    found[tied] = True
    return found
