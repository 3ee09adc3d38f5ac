"""Measures of one ranking against one set of judgements, each in [0, 1].

Definitions are those of trec_eval (linear gain, ``log2(rank + 1)`` discount); a ranking holds ids, best first, each
once; what is not judged counts as not relevant. ``measure("ndcg@10")`` finds a measure by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from fourfold.arguments import string
from fourfold.errors import InvalidValueError
from fourfold.evaluate.collection import JudgedQuery

Ranking = Sequence[str]
Relevant = Mapping[str, float]
Measure = Callable[[Ranking, JudgedQuery], float]

DEFAULT_MEASURES = ("ndcg@10", "recall@5", "recall@10", "hit@1", "mrr@10", "map@10")


def recall(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return the share of the relevant ids among the first k."""
    wanted = _wanted(relevant)
    return len(wanted.intersection(ranking[:k])) / len(wanted) if wanted else 0.0


def hit(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return 1 if any of the first k is relevant (trec_eval: success)."""
    return float(not _wanted(relevant).isdisjoint(ranking[:k]))


def precision(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return the share of relevant ids among the first k; a shorter ranking counts as filled up with misses."""
    size = len(ranking) if k is None else k
    return len(_wanted(relevant).intersection(ranking[:k])) / size if size else 0.0


def mrr(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return 1 / rank of the first relevant id among the first k."""
    wanted = _wanted(relevant)
    return next((1.0 / rank for rank, identity in enumerate(ranking[:k], 1) if identity in wanted), 0.0)


def average_precision(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return the mean, over all relevant ids, of the precision at the rank where each was found; its mean is MAP."""
    wanted = _wanted(relevant)
    found, total = 0, 0.0
    for rank, identity in enumerate(ranking[:k], 1):
        if identity in wanted:
            found += 1
            total += found / rank
    return total / len(wanted) if wanted else 0.0


def ndcg(ranking: Ranking, relevant: Relevant, k: int | None = None) -> float:
    """Return the discounted gain over that of the best possible ranking (Järvelin & Kekäläinen 2002; gain = grade)."""
    gains, ideal = gains_of(relevant), ideal_gain(relevant, k)
    return _discounted([gains.get(identity, 0.0) for identity in ranking[:k]]) / ideal if ideal else 0.0


def ideal_gain(relevant: Relevant, k: int | None = None) -> float:
    """Return the discounted gain of the best possible ranking, gains being those of ``gains_of``."""
    return _discounted(sorted(gains_of(relevant).values(), reverse=True)[:k])


def gains_of(relevant: Relevant) -> dict[str, float]:
    """Return the gain of each relevant id: its grade by a power of two that brings the largest to [0.5, 1).

    nDCG is the same to the last digit, and no sum of grades of 1e308 overflows.
    """
    grades = {identity: grade for identity, grade in relevant.items() if grade > 0}
    exponent = math.frexp(max(grades.values(), default=1.0))[1]
    return {identity: math.ldexp(grade, -exponent) for identity, grade in grades.items()}


def semantic_recall(ranking: Ranking, query: JudgedQuery, k: int | None = None) -> float:
    """Return the share of the relevant ids that are among the first k themselves or by an equivalent."""
    wanted, first = _wanted(query.relevant), set(ranking[:k])
    found = sum(not first.isdisjoint({identity, *query.equivalents.get(identity, ())}) for identity in wanted)
    return found / len(wanted) if wanted else 0.0


def measure(name: str) -> Measure:
    """Return the measure of that name, such as ``recall@5``, ``ndcg@10``, ``mrr`` or ``semantic_recall@5``.

    Raises:
        InvalidValueError: there is no such measure, or what follows @ is no number of at least 1.

    """
    kind, at, cut = string(name, "measure").partition("@")
    if at and (not cut.isdecimal() or int(cut) < 1):
        raise InvalidValueError(f"The measure {name!r} is cut at {cut!r}; that must be a whole number of at least 1.")
    k = int(cut) if cut else None
    if kind == "semantic_recall":
        return lambda ranking, query: semantic_recall(ranking, query, k)
    simple = {
        "recall": recall,
        "hit": hit,
        "precision": precision,
        "mrr": mrr,
        "map": average_precision,
        "ndcg": ndcg,
    }
    if kind not in simple:
        known = ", ".join(sorted([*simple, "semantic_recall"]))
        raise InvalidValueError(f"There is no measure {name!r}; there are {known}, each with @k or without.")
    function = simple[kind]
    return lambda ranking, query: function(ranking, query.relevant, k)


def _wanted(relevant: Relevant) -> set[str]:
    return {identity for identity, grade in relevant.items() if grade > 0}


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
