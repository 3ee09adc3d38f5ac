"""How sure a mean is: bootstrap intervals, paired tests, correction for many comparisons.

Queries that share their answers are no independent evidence; ``groups`` keeps them together in every resample.
Sources: Efron & Tibshirani, "An Introduction to the Bootstrap" (1993); Smucker, Allan & Carterette (CIKM 2007) on
paired tests in retrieval; Holm (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import finite_number, many, said, shown, whole_number
from fourfold.errors import InvalidValueError
from fourfold.lazy import load
from fourfold.types import FloatArray


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds it lies between with the given confidence."""

    mean: float
    lower: float
    upper: float
    confidence: float = 0.95

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.lower:.3f}, {self.upper:.3f}]"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired comparison of two runs: the mean difference, its interval and p-values.

    ``p_value`` is two-sided, from random sign flips; ``p_adjusted`` is corrected for the number of comparisons.
    """

    difference: Interval
    p_value: float
    p_adjusted: float
    wins: int
    losses: int
    ties: int


def bootstrap_interval(
    values: FloatArray | Sequence[float],
    *,
    confidence: float = 0.95,
    samples: int = 2000,
    groups: Sequence[object] | None = None,
    seed: int = 0,
) -> Interval:
    """Return the mean with its percentile bootstrap interval.

    Args:
        values: one per query.
        confidence: two-sided, in (0, 1).
        samples: resamples.
        groups: what each value belongs to; whole groups are resampled.
        seed: of the random numbers.

    Raises:
        InvalidValueError: there are no values, or an argument that cannot be meant.

    """
    confidence = _confidence(confidence)
    sums, counts = _by_group(values, groups)
    means = _resampled(sums, counts, samples, seed)
    tail = (1.0 - confidence) / 2
    lower, upper = np.quantile(means, [tail, 1.0 - tail])
    return Interval(float(sums.sum() / counts.sum()), float(lower), float(upper), confidence)


def lower_bound(
    differences: FloatArray | Sequence[float],
    *,
    confidence: float = 0.999,
    samples: int = 20_000,
    groups: Sequence[object] | None = None,
    seed: int = 0,
) -> float:
    """Return a one-sided lower bound of the mean: the smaller of the bootstrap's and Student's.

    It is no more than 0 where random signs give as large a mean more often than ``1 - confidence``.
    The bootstrap is too narrow for few values, Student's interval for skewed ones, and both where only a few values
    differ from 0 (seven wins and no loss are chance once in 128 times); the smallest is safe for all.

    Raises:
        InvalidValueError: there are no values, or an argument that cannot be meant.

    """
    confidence = _confidence(confidence)
    sums, counts = _by_group(differences, groups)
    mean = sums.sum() / counts.sum()
    n = len(sums)
    drawn = _resampled(sums, counts, samples, seed)
    if n < 2:
        return float("-inf")
    resampled = np.quantile(drawn, 1.0 - confidence)
    residuals = sums - mean * counts
    error = np.sqrt(n / (n - 1) * np.square(residuals).sum()) / counts.sum()
    bound = float(min(resampled, mean - _students_t(n - 1, confidence) * error))
    if bound > 0 and sign_flip_p_value(differences, groups=groups, seed=seed) / 2 > 1.0 - confidence:
        return 0.0
    return bound


def mean_bound(samples: Sequence[FloatArray], *, confidence: float) -> float:
    """Return a one-sided lower bound of the mean of several samples' means, each counting alike.

    Student's, with Welch's degrees of freedom (1947) for samples of unequal size and spread. Minus infinity where a
    sample has fewer than two values.
    """
    if any(len(sample) < 2 for sample in samples):
        return float("-inf")
    means = np.array([sample.mean() for sample in samples])
    errors = np.array([sample.var(ddof=1) / len(sample) for sample in samples])
    if not errors.any():
        return float(means.mean())
    freedom = errors.sum() ** 2 / np.sum(errors**2 / np.array([len(sample) - 1 for sample in samples]))
    return float(means.mean() - _students_t(freedom, confidence) * np.sqrt(errors.sum()) / len(samples))


def _students_t(freedom: float, confidence: float) -> float:
    """Return the quantile of Student's t."""
    return float(load("scipy.special", "The bound of a mean").stdtrit(freedom, confidence))


def p_in_words(p_value: float) -> str:
    """Return a p-value with four digits; what is smaller is told as below them, never as 0."""
    return "< .0001" if p_value < 0.0001 else f"{p_value:.4f}"


def sign_flip_p_value(
    differences: FloatArray | Sequence[float],
    *,
    samples: int = 20_000,
    groups: Sequence[object] | None = None,
    seed: int = 0,
) -> float:
    """Return the p-value of a paired randomisation test: how often random signs give as large a mean, either way."""
    sums, _ = _by_group(differences, groups)
    observed = abs(sums.sum())
    if not sums.any():
        return 1.0
    random = np.random.default_rng(seed)
    as_large = 0
    for start in range(0, samples, 1000):
        signs = random.integers(0, 2, (min(1000, samples - start), len(sums))) * 2 - 1
        totals = signs @ sums
        as_large += int((np.abs(totals) >= observed - 1e-12).sum())
    return (as_large + 1) / (samples + 1)


def permutation_p_value(tables: Sequence[FloatArray], *, samples: int = 20_000, seed: int = 0) -> float:
    """Return how often answers dealt out at random are worth as much as each query's own.

    The diagonal of a table is what was observed. What does not depend on which answers belong to which query is worth
    as much with others' answers; the test is exact.

    Args:
        tables: one for each set of queries within which answers may change places; (n, n), the value of each query
            (row) with the answers of each (column).
        samples: random deals.
        seed: of the random numbers.

    """
    random = np.random.default_rng(seed)
    observed = sum(float(np.trace(table)) for table in tables)
    totals = np.zeros(samples)
    for table in tables:
        n = len(table)
        step = max(1, 2_000_000 // max(n, 1))
        for start in range(0, samples, step):
            dealt = random.random((min(step, samples - start), n)).argsort(axis=1)
            totals[start : start + len(dealt)] += table[np.arange(n), dealt].sum(axis=1)
    return (int((totals >= observed - 1e-12).sum()) + 1) / (samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method.

    Raises:
        InvalidValueError: something that is no probability.

    """
    given = [finite_number(p, "A p-value", least=0, most=1) for p in many(p_values, "p_values", "probabilities")]
    adjusted = np.empty(len(given))
    largest = 0.0
    for place, index in enumerate(np.argsort(given, kind="stable")):
        largest = max(largest, min(1.0, (len(given) - place) * given[index]))
        adjusted[index] = largest
    return [float(p) for p in adjusted]


def compare(
    baseline: FloatArray | Sequence[float],
    others: Sequence[FloatArray | Sequence[float]],
    *,
    groups: Sequence[object] | None = None,
    seed: int = 0,
) -> list[Comparison]:
    """Compare runs with a baseline, query by query; p-values are corrected for the number of runs (Holm).

    Raises:
        InvalidValueError: a run has another number of queries than the baseline, or what is no list of numbers.

    """
    base = _one_a_query(baseline)
    differences = []
    for other in many(others, "others", "runs"):
        values = _one_a_query(other)
        if values.shape != base.shape:
            raise InvalidValueError(f"A run of {len(values)} queries cannot be paired with one of {len(base)}.")
        differences.append(values - base)
    p_values = [sign_flip_p_value(d, groups=groups, seed=seed) for d in differences]
    return [
        Comparison(
            difference=bootstrap_interval(d, groups=groups, seed=seed),
            p_value=p,
            p_adjusted=adjusted,
            wins=int((d > 0).sum()),
            losses=int((d < 0).sum()),
            ties=int((d == 0).sum()),
        )
        for d, p, adjusted in zip(differences, p_values, holm(p_values), strict=True)
    ]


def _confidence(given: float) -> float:
    if not 0.0 < (confidence := finite_number(given, "confidence")) < 1.0:
        raise InvalidValueError(f"confidence is {shown(given)}; it must be between 0 and 1, such as 0.95.")
    return confidence


def _one_a_query(values: FloatArray | Sequence[float]) -> NDArray[np.float64]:
    """Return numbers as an array, (n_queries,)."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidValueError(f"The values are {shown(values)}; they must be a list of finite numbers, one a query.")
    return array


def _by_group(
    values: FloatArray | Sequence[float], groups: Sequence[object] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    array = _one_a_query(values)
    if not len(array):
        raise InvalidValueError("There are no values to take a mean of; give at least one judged query.")
    if groups is None:
        return array, np.ones(len(array))
    given = list(many(groups, "groups", "groups, one a value"))
    if len(given) != len(array):
        raise InvalidValueError(f"There are {len(array)} values and {len(given)} groups; give each value its group.")
    numbers: dict[object, int] = {}
    try:
        which = np.array([numbers.setdefault(group, len(numbers)) for group in given])
    except TypeError as error:
        raise InvalidValueError(f"A group can be no key: {said(error)}; give strings, numbers or tuples.") from error
    return np.bincount(which, array).astype(np.float64), np.bincount(which).astype(np.float64)


def _resampled(sums: NDArray[np.float64], counts: NDArray[np.float64], samples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of resamples with replacement, (samples,)."""
    samples, random = whole_number(samples, "samples"), np.random.default_rng(whole_number(seed, "seed", least=0))
    n = len(sums)
    means = np.empty(samples)
    step = max(1, 2_000_000 // n)
    for start in range(0, samples, step):
        drawn = random.integers(0, n, (min(step, samples - start), n))
        means[start : start + len(drawn)] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return means
