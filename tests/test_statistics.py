"""Intervals and tests agree with scipy's."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fourfold import InvalidValueError
from fourfold.evaluate import bootstrap_interval, compare, holm, lower_bound
from fourfold.evaluate.statistics import mean_bound, permutation_p_value, sign_flip_p_value

DICE = np.random.default_rng(7)
VALUES = DICE.beta(2, 3, 80)
DIFFERENCES = DICE.normal(0.03, 0.15, 60)


def test_the_interval_is_that_of_scipy():
    ours = bootstrap_interval(VALUES, samples=20_000)
    theirs = stats.bootstrap((VALUES,), np.mean, n_resamples=20_000, method="percentile", rng=0).confidence_interval
    assert (ours.lower, ours.upper) == pytest.approx((theirs.low, theirs.high), abs=2e-3)
    assert ours.mean == pytest.approx(VALUES.mean())


def test_the_paired_test_is_that_of_scipy():
    theirs = stats.permutation_test(
        (DIFFERENCES, np.zeros(60)), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=20_000, rng=0
    )
    assert sign_flip_p_value(DIFFERENCES, samples=20_000) == pytest.approx(theirs.pvalue, abs=0.01)


def test_holm_is_that_of_its_paper():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_makes_a_p_value_smaller(p_values):
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))


def test_the_lower_bound_is_below_that_of_student_and_grows_with_evidence():
    student = DIFFERENCES.mean() - stats.t.ppf(0.999, 59) * DIFFERENCES.std(ddof=1) / np.sqrt(60)
    assert lower_bound(DIFFERENCES) <= student + 1e-12
    assert lower_bound(np.tile(DIFFERENCES, 20)) > lower_bound(DIFFERENCES)
    assert lower_bound([0.5]) == float("-inf")


def test_repeated_evidence_in_one_group_is_no_more_evidence():
    groups = list(range(60)) * 20
    assert lower_bound(np.tile(DIFFERENCES, 20), groups=groups) == pytest.approx(lower_bound(DIFFERENCES), abs=0.01)


def test_a_few_wins_among_ties_are_no_evidence_however_alike_they_are():
    wins = np.zeros(60)
    wins[:8] = 0.5  # eight heads in a row, or eight tails: twice in 256 times
    assert lower_bound(wins) <= 0
    assert sign_flip_p_value(wins) == pytest.approx(2 / 256, abs=1.5e-3)
    wins[:14] = 0.5
    assert lower_bound(wins) > 0
    seven = np.repeat((0.1, 0.0), (7, 93))  # once in 128 times, though the bootstrap's and Student's bounds are above 0
    assert lower_bound(seven, confidence=0.995) == 0 and lower_bound(seven, confidence=0.98) > 0


def test_a_gain_that_any_answers_would_have_is_no_gain():
    everywhere = np.full((20, 20), 0.2)  # 20 wins, no loss, and whose answers they are does not matter
    assert permutation_p_value([everywhere]) == 1.0
    own = np.eye(8)
    assert permutation_p_value([own, own]) < 1e-3
    table = np.random.default_rng(0).random((5, 5))
    exact = [sum(table[i, p[i]] for i in range(5)) for p in permutations(range(5))]
    expected = np.mean(np.array(exact) >= np.trace(table) - 1e-12)
    assert permutation_p_value([table]) == pytest.approx(expected, abs=0.015)


def test_the_bound_is_wrong_as_rarely_as_it_says():
    false = sum(
        lower_bound(np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], 40, p=[0.1, 0.8, 0.1]), samples=2000) > 0
        for seed in range(400)
    )
    assert false <= 3


def test_compare_counts_wins_and_corrects_for_the_number_of_runs():
    base = np.zeros(30)
    better = np.where(np.arange(30) < 20, 0.2, 0.0)
    found = compare(base, [better, -better, base])
    assert [(one.wins, one.ties, one.losses) for one in found] == [(20, 10, 0), (0, 10, 20), (0, 30, 0)]
    assert found[0].p_value < 0.001 and found[0].p_adjusted > found[0].p_value
    assert found[2].p_value == 1.0


def test_runs_of_different_queries_cannot_be_paired():
    with pytest.raises(InvalidValueError, match="3 queries"):
        compare([0.0, 1.0], [[0.0, 1.0, 0.0]])
    with pytest.raises(InvalidValueError, match="no values"):
        bootstrap_interval([])


def test_the_bound_of_a_mean_is_students():
    chance = np.random.default_rng(3)
    one, other = chance.normal(0.3, 1, 40), chance.normal(0.1, 2, 25)
    alone = stats.ttest_1samp(one, 0.0).confidence_interval(0.98).low  # two-sided 98 % is one-sided 99 %
    assert mean_bound([one], confidence=0.99) == pytest.approx(alone)
    both = stats.ttest_ind(one, -other, equal_var=False).confidence_interval(0.98).low  # Welch's, of the sum
    assert mean_bound([one, other], confidence=0.99) == pytest.approx(both / 2)
    assert mean_bound([one, np.ones(1)], confidence=0.99) == -np.inf
