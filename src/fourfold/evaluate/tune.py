"""Learn a config from judged queries, and say honestly whether it is better.

What ``learner`` learnt is judged on queries it never saw: every query is scored by a config learnt without its fold.
Queries that share their answers share their fold, so that a paraphrase of a training query is never a test. Two
questions are put to the held-out answers, both at ``ERROR``:

1. Do the judgements say anything? The tuned rankings are scored with the answers dealt out at random among the queries
   of a fold. Labels that do not depend on the queries are served as well by others' answers as by their own, so at most
   ``ERROR`` of such labellings pass (an exact permutation test), however many queries share an answer and however
   popular it is. Of true labels, shared ones only make the two more alike, and a ranking serves its own far better.
2. Is the gain above zero? The smaller of the bootstrap's and Student's bound of the paired gain, with whole groups of
   queries of the same answers resampled; no more than 0 where random signs give as large a gain more often than
   ``ERROR``. Queries that share only some answers are no one question asked in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourfold.analysis import of_whole_files
from fourfold.arguments import callback, many, whole_number
from fourfold.config import RetrievalConfig
from fourfold.errors import InvalidValueError
from fourfold.evaluate.collection import JudgedQuery, Judgements, require_own_ids
from fourfold.evaluate.components import ComponentScores
from fourfold.evaluate.documents import Documents
from fourfold.evaluate.learner import MINIMUM_GAIN, Learner
from fourfold.evaluate.metrics import gains_of, ideal_gain, measure
from fourfold.evaluate.statistics import Interval, bootstrap_interval, lower_bound, permutation_p_value
from fourfold.open_graph import of_open_graph
from fourfold.types import FloatArray

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

ERROR = 0.005
"""At most this share of random labellings is let through."""

FEW_QUERIES = 20

_FOLDS = 5
_FIT_QUERIES = 300
_RESAMPLED = 4000
_TOLD = 5

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class TuneResult:
    """What tuning learnt and whether it holds on queries it was not learnt from.

    Args:
        config: learnt from all queries.
        changes: parameter → value, as learnt from all queries.
        measure: what was maximised.
        default: the measure of the config in force, with its 95 % interval.
        tuned: the measure of each query under a config learnt without its fold.
        gain: tuned − default, paired.
        lower: lower bound of the gain, at 1 − ``ERROR``.
        chance: how often the tuned rankings serve answers dealt out at random among the queries of a fold as well as
            the queries' own.
        worthwhile: whether the gate lets it pass.
        verdict: one sentence that says why.
        rankings: the held-out ranking of every query by id.
        folds: number of folds; 0 where none could be formed.
        notes: what the reader should know, one sentence each.
        before: the ranking of every query by id under the config in force, by the question's own part as ``rankings``.

    """

    config: RetrievalConfig
    changes: dict[str, Any]
    measure: str
    default: Interval
    tuned: Interval
    gain: Interval
    lower: float
    chance: float
    worthwhile: bool
    verdict: str
    rankings: dict[str, list[str]]
    folds: int
    notes: tuple[str, ...] = ()
    before: dict[str, list[str]] = field(default_factory=dict)

    def evidence(self, queries: int) -> dict[str, Any]:
        """Return what is kept beside the config where it is applied, to say why; ``queries`` is how many there were."""
        return {
            "queries": queries,
            "measure": self.measure,
            "in force": str(self.default),
            "tuned, held out": str(self.tuned),
            "gain": f"{self.gain.mean:+.4f}",
            "lower bound": f"{self.lower:+.4f}",
            "by chance": f"{self.chance:.4f}",
        }


@of_open_graph
@of_whole_files
def tune(
    retriever: Retriever,
    queries: Judgements | Sequence[JudgedQuery],
    *,
    k: int = 10,
    folds: int = _FOLDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> TuneResult:
    """Learn a config from judged queries; nothing is applied (see ``Retriever.learning.apply_config``).

    Args:
        retriever: the graph, with the config to start from.
        queries: judged queries that name nodes of the graph.
        k: nDCG is cut at k.
        folds: two or more; every query is judged by a config learnt from the other folds.
        seed: of folds and intervals.
        progress: called with (steps done, steps in all).

    Raises:
        InvalidValueError: no queries, something else than judged queries, two of the same id, or fewer folds.

    """
    queries = list(many(queries, "queries", "judged queries"))
    callback(progress)
    if not queries:
        raise InvalidValueError("There are no judged queries to tune by; 20 or more are wanted.")
    require_own_ids(queries)
    whole_number(k, "k")
    whole_number(folds, "folds", least=2)
    whole_number(seed, "seed", least=0)
    start = retriever.config
    groups = answer_groups(queries)
    fold_of, used = make_folds(groups, folds, seed)
    of = measure(f"ndcg@{k}")
    steps = iter(range(1, used + 3))

    def advance() -> None:
        if progress is not None:
            progress(next(steps), used + 2)

    everything = ComponentScores(retriever, queries, k=k)
    usual = everything.pipeline_rankings(start)
    before = _scores(usual, queries, of)
    beforehand = (*_cut(queries, Documents(retriever, queries).cut), *_few(queries, before, groups))
    advance()
    if used < 2:
        return _without_folds(start, before, groups, beforehand, k=k, seed=seed)
    fitted = _sample(groups, _FIT_QUERIES, seed)
    scores = everything if fitted.all() else ComponentScores(retriever, list(compress(queries, fitted)), k=k)
    learner = Learner(scores, start, before[fitted])
    found: dict[int, list[str]] = {}
    for fold in range(used):
        held_out = fold_of == fold
        config, _ = learner.fit(~held_out[fitted])
        found |= zip(np.flatnonzero(held_out).tolist(), everything.pipeline_rankings(config, held_out), strict=True)
        advance()
    config, changes = learner.fit(np.ones(len(scores), bool))
    advance()

    rankings = [found[place] for place in range(len(queries))]
    after = _scores(rankings, queries, of)
    gain = after - before
    mean = float(gain.mean())
    bound, chance = evidence(queries, before, rankings, fold_of, k=k, seed=seed)
    worthwhile = bool(changes) and passes(mean, bound, chance, len(queries))
    return TuneResult(
        config=config,
        changes=changes,
        measure=f"ndcg@{k}",
        default=bootstrap_interval(before, groups=groups, seed=seed),
        tuned=bootstrap_interval(after, groups=groups, seed=seed),
        gain=bootstrap_interval(gain, groups=groups, seed=seed),
        lower=bound,
        chance=chance,
        worthwhile=worthwhile,
        verdict=_verdict(mean, bound, chance, bool(changes), len(queries)),
        rankings={query.id: ranking for query, ranking in zip(queries, rankings, strict=True)},
        folds=used,
        notes=(*beforehand, *_seen(queries, gain)),
        before={query.id: ranking for query, ranking in zip(queries, usual, strict=True)},
    )


def _without_folds(
    start: RetrievalConfig,
    before: FloatArray,
    groups: Sequence[frozenset[str]],
    notes: Sequence[str],
    *,
    k: int,
    seed: int,
) -> TuneResult:
    """Return that nothing was learnt where all queries share their answers."""
    same = bootstrap_interval(before, groups=groups, seed=seed)
    nothing = Interval(0.0, 0.0, 0.0)
    verdict = "Not applied: all queries share their answers, so none is left to judge by."
    notes = (*notes, "All queries have the same relevant nodes; judge others, too.")
    return TuneResult(start, {}, f"ndcg@{k}", same, same, nothing, 0.0, 1.0, False, verdict, {}, 0, notes)


# -- folds and judgement ------------------------------------------------------------------------------------------


def evidence(
    queries: Sequence[JudgedQuery],
    before: FloatArray,
    rankings: Sequence[Sequence[str]],
    fold_of: NDArray[np.int64],
    *,
    k: int = 10,
    seed: int = 0,
) -> tuple[float, float]:
    """Return (lower bound of the gain at 1 − ``ERROR``, how often others' answers are served as well as the own).

    ``before`` (n_queries,) is nDCG@k under the config in force; ``rankings`` are those of configs learnt without the
    fold of the query, which is in ``fold_of`` (n_queries,).
    """
    groups = answer_groups(queries)
    gain = _scores(rankings, queries, measure(f"ndcg@{k}")) - before
    bound = lower_bound(gain, confidence=1.0 - ERROR, samples=_RESAMPLED, groups=groups, seed=seed)
    dealt = [
        _dealt_out([rankings[place] for place in own], [queries[place] for place in own], k)
        for own in (np.flatnonzero(fold_of == fold).tolist() for fold in sorted(set(fold_of.tolist())))
    ]
    return bound, permutation_p_value(dealt, samples=_RESAMPLED, seed=seed)


def passes(gain: float, bound: float, chance: float, count: int) -> bool:
    """Tell whether the gate lets a gain pass that was measured on so many queries."""
    return bound > 0 and chance <= ERROR and gain >= MINIMUM_GAIN and count >= FEW_QUERIES


def answer_groups(queries: Sequence[JudgedQuery]) -> list[frozenset[str]]:
    """Return what each query is grouped by: the set of its relevant ids."""
    return [frozenset(identity for identity, grade in query.relevant.items() if grade > 0) for query in queries]


def make_folds(groups: Sequence[frozenset[str]], folds: int, seed: int) -> tuple[NDArray[np.int64], int]:
    """Return the fold of each query, (n_queries,), and how many folds there are; groups stay together."""
    distinct = sorted(set(groups), key=sorted)
    order = np.random.default_rng(seed).permutation(len(distinct))
    used = min(folds, len(distinct))
    sizes = {group: 0 for group in distinct}
    for group in groups:
        sizes[group] += 1
    filled = np.zeros(max(used, 1), np.int64)
    fold_of = {}
    for place in sorted(order.tolist(), key=lambda p: -sizes[distinct[p]]):
        fold = int(filled.argmin())
        fold_of[distinct[place]] = fold
        filled[fold] += sizes[distinct[place]]
    return np.array([fold_of[group] for group in groups], np.int64), used


def _sample(groups: Sequence[frozenset[str]], count: int, seed: int) -> NDArray[np.bool_]:
    """Choose about ``count`` queries to learn from; all of them if there are no more."""
    n = len(groups)
    chosen = np.zeros(n, bool)
    chosen[np.random.default_rng(seed).permutation(n)[:count]] = True
    return chosen


def _scores(
    rankings: Sequence[Sequence[str]], queries: Sequence[JudgedQuery], of: Callable[..., float]
) -> NDArray[np.float64]:
    return np.array([of(ranking, query) for ranking, query in zip(rankings, queries, strict=True)])


def _dealt_out(rankings: Sequence[Sequence[str]], queries: Sequence[JudgedQuery], k: int) -> FloatArray:
    """Return nDCG@k of each ranking under the judgements of each query, (n_rankings, n_queries)."""
    found: dict[str, list[tuple[int, float]]] = {}
    for row, ranking in enumerate(rankings):
        for rank, identity in enumerate(ranking[:k], 1):
            found.setdefault(identity, []).append((row, 1.0 / np.log2(rank + 1)))
    table = np.zeros((len(rankings), len(queries)))
    for column, query in enumerate(queries):
        for identity, gain in gains_of(query.relevant).items():
            for row, discount in found.get(identity, ()):
                table[row, column] += gain * discount
        table[:, column] /= ideal_gain(query.relevant, k)
    return table


def _cut(queries: Sequence[JudgedQuery], cut: frozenset[str]) -> tuple[str, ...]:
    """Say which judgements learning cannot follow: it knows the scores of nodes, and such documents have none."""
    count = sum(not cut.isdisjoint(query.relevant) for query in queries)
    if not count:
        return ()
    return (
        f"{count} queries name documents that are in chunks, such as {min(cut)!r}: evaluating counts a chunk as its "
        "document, tuning counts them as never found; name the chunks to learn from them.",
    )


def _few(queries: Sequence[JudgedQuery], before: FloatArray, groups: Sequence[object]) -> tuple[str, ...]:
    """Say what few queries cannot tell."""
    if len(queries) >= FEW_QUERIES:
        return ()
    interval = bootstrap_interval(before, groups=groups)
    few = "1 query is few" if len(queries) == 1 else f"{len(queries)} queries are few"
    known = f"is only known to lie between {interval.lower:.2f} and {interval.upper:.2f}"
    if interval.lower == interval.upper:  # all alike: they tell nothing of how others would differ
        known = f"is {interval.lower:.2f} for each, and how others fare is not known"
    return (f"{few}: nDCG {known}, and no tuning can narrow that; judge {FEW_QUERIES} or more.",)


def _seen(queries: Sequence[JudgedQuery], gain: FloatArray) -> tuple[str, ...]:
    """Say which of few queries are answered better and worse by what was learnt from the others."""
    if len(queries) >= FEW_QUERIES:
        return ()
    told = []
    for word, sign in (("better", 1.0), ("worse", -1.0)):
        order = [place for place in np.argsort(-sign * gain, kind="stable").tolist() if sign * gain[place] > 1e-9]
        shown = ", ".join(f"{queries[place].text[:60]!r} ({gain[place]:+.2f})" for place in order[:_TOLD])
        more = f" and {len(order) - _TOLD} more" if len(order) > _TOLD else ""
        told.append(f"{len(order)} {word}" + (f": {shown}{more}" if order else ""))
    return (f"Seen on them, each answered by what the others taught: {'; '.join(told)}.",)


def as_applied(verdict: str) -> str:
    """Return the verdict on what was applied all the same: "Not applied" would not be true of it."""
    for withheld in ("Not applied: ", "Nothing was changed: "):
        if verdict.startswith(withheld):
            return f"Applied by force, against the verdict: {verdict.removeprefix(withheld)}"
    return verdict


def _verdict(gain: float, bound: float, chance: float, changed: bool, count: int) -> str:
    held_out = f"on queries it was not learnt from the gain is {gain:+.4f}, at least {bound:+.4f} at {1 - ERROR:.1%}"
    if not changed:
        return "Not applied: nothing was clearly better than the config in force."
    if chance > ERROR:
        return (
            f"Not applied: {held_out}; but answers of other queries are served as well in {chance:.1%} of random "
            "deals, so the judgements may be chance."
        )
    if passes(gain, bound, chance, count):
        return f"Better: {held_out}."
    wanted = f"asked for are {MINIMUM_GAIN:+.3f}, a bound above 0 and {FEW_QUERIES} queries"
    return f"Not applied: {held_out}; {wanted}."
