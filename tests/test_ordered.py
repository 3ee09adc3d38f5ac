"""Sets of numbers as NumPy's set routines have them, whether they are marked, counted or searched."""

import time

import numpy as np
import pytest

from fourfold import ordered

RNG = np.random.default_rng(4)
SETS = {
    "dense": RNG.integers(0, 4000, 3000),
    "of one": np.full(2000, 7),
    "ascending": np.arange(5, 3000),
    "spread": RNG.integers(0, 2**60, 3000),
    "negative": RNG.integers(-2000, 2000, 3000),
    "few": RNG.integers(0, 9, 5),
    "none": np.empty(0, np.int64),
    "narrow": RNG.integers(0, 4000, 3000).astype(np.int32),
}


@pytest.mark.parametrize("numbers", SETS.values(), ids=SETS)
def test_distinct_and_numbered(numbers):
    found, place = np.unique(numbers, return_inverse=True)
    for own in (ordered.distinct(numbers), ordered.numbered(numbers)[0]):
        assert own.tolist() == found.tolist() and own.dtype == numbers.dtype
    assert ordered.numbered(numbers)[1].tolist() == place.tolist()


@pytest.mark.parametrize("numbers", SETS.values(), ids=SETS)
@pytest.mark.parametrize("others", SETS.values(), ids=SETS)
def test_sets_of_two(numbers, others):
    among = np.unique(others)
    place, here = ordered.places(among, numbers)
    assert here.tolist() == np.isin(numbers, among).tolist()
    assert among[place[here]].tolist() == numbers[here].tolist() and (
        not len(among) or place.max(initial=0) < len(among)
    )
    distinct = np.unique(numbers)
    assert ordered.common(distinct, among).tolist() == np.intersect1d(distinct, among).tolist()
    assert ordered.without(distinct, among).tolist() == np.setdiff1d(distinct, among).tolist()
    assert ordered.union([numbers, others]).tolist() == np.union1d(numbers, others).tolist()
    assert ordered.union([]).tolist() == []


@pytest.mark.parametrize("n", [1, 7, 128, 129, 600, 5000])
@pytest.mark.parametrize("least", [-np.inf, 0.5])
def test_the_best_places_are_those_of_a_sorted_array(n, least):
    values = RNG.integers(0, 400, n).astype(np.float32) / np.float32(400)
    last = np.sort(values)[::-1][min(128, n) - 1]
    wanted = (values >= max(least, last)).nonzero()[0]
    assert ordered.best_places(values, 128, least=least).tolist() == wanted.tolist()
    assert ordered.least_of_largest(values, min(128, n)) == last


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
@pytest.mark.parametrize("count", [1, 7, 300, 2500, 19_999])
def test_the_least_of_the_largest_of_many_is_that_of_a_sorted_array_whatever_ties(kind, count):
    rng = np.random.default_rng(count)
    few = np.ones(20_000)
    few[rng.integers(0, 20_000, 5)] = 2
    for values in (
        few,
        -few,
        rng.normal(size=20_000) * 1e6,
        rng.integers(0, 5, 20_000),
        np.arange(20_000),
        np.arange(20_000)[::-1],
        np.where(rng.random(20_000) < 0.9, 0, rng.integers(1, 1000, 20_000)),
        np.tile([0] * 77 + [9], 257)[:20_000],
    ):
        values = values.astype(kind)
        before = values.copy()
        assert ordered.least_of_largest(values, count) == np.sort(values)[20_000 - count]
        assert np.array_equal(values, before)


def test_the_least_of_the_largest_takes_as_long_where_most_are_equal_as_elsewhere():
    """Of a question for the one name of 300,000 nodes it was three quarters of the time."""
    some = np.random.default_rng(1).random(300_000)
    tied = np.ones(300_000)
    tied[::60_001] = 2

    def shortest(values):
        found = []
        for _ in range(5):
            begun = time.process_time()
            ordered.least_of_largest(values, 64)
            found.append(time.process_time() - begun)
        return min(found)

    assert shortest(tied) < 6 * shortest(some) + 0.001
