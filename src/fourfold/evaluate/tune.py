"""Learn a config from judged queries, and say honestly whether it is better.

The learner climbs along one parameter at a time over cached component scores and takes a step only where the paired
gain on its training queries exceeds one standard error. What it learnt is judged on queries it never saw: every query
is scored by a config learnt without its fold. Queries that share their answers share their fold, so that a paraphrase
of a training query is never a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig, TextField
from fourfold.edge_types import type_weight
from fourfold.errors import InvalidValueError
from fourfold.evaluate.collection import JudgedQuery
from fourfold.evaluate.components import ComponentScores, ideal_gain
from fourfold.evaluate.metrics import measure
from fourfold.evaluate.statistics import Interval, bootstrap_interval, lower_bound, permutation_p_value
from fourfold.types import FloatArray, Weights
from fourfold.weighting import tilted

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

MINIMUM_GAIN = 0.005
CONFIDENCE = 0.999
FEW_QUERIES = 20

_FOLDS = 5
_FIT_QUERIES = 300
_INTENT_QUERIES = 40
_STRENGTHS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 1.2, 2.0, 3.5, 6.0)
_FACTORS = (1.0, 0.4, 2.5, 6.0)
_SHARES = tuple(round(0.1 * step, 1) for step in range(11))
_ROUNDS = 8

Progress = Callable[[int, int], None]
Change = Callable[[RetrievalConfig], RetrievalConfig]


@dataclass(frozen=True, slots=True)
class Move:
    """One parameter set to one value; ``parameter`` and ``value`` are what people read.

    ``spreads`` says that it changes what spreads along edges.
    """

    parameter: str
    value: Any
    change: Change
    spreads: bool = False


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
        lower: lower bound of the gain at ``CONFIDENCE``.
        chance: how often the answers dealt out at random among the queries of a fold would gain as much; 1 where the
            lower bound already says no.
        worthwhile: whether the gate lets it pass.
        verdict: one sentence that says why.
        rankings: the held-out ranking of every query by id.
        folds: number of folds; 0 where none could be formed.
        notes: what the reader should know, one sentence each.

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


def tune(
    retriever: Retriever,
    queries: Sequence[JudgedQuery],
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
        folds: every query is judged by a config learnt from the other folds.
        seed: of folds and intervals.
        progress: called with (steps done, steps in all).

    Raises:
        InvalidValueError: no queries.

    """
    if not queries:
        raise InvalidValueError("There are no judged queries to tune by; 20 or more are wanted.")
    start = retriever.config
    groups = answer_groups(queries)
    fold_of, used = make_folds(groups, folds, seed)
    of = measure(f"ndcg@{k}")
    step, steps = 0, used + 2

    def advance() -> None:
        nonlocal step
        step += 1
        if progress is not None:
            progress(step, steps)

    everything = ComponentScores(retriever, queries, k=k)
    plain = everything.exact(start)
    before = _scores(plain, queries, of)
    advance()
    notes = _notes(queries, used, before, groups)
    if used < 2:
        same = bootstrap_interval(before, groups=groups, seed=seed)
        nothing = Interval(0.0, 0.0, 0.0)
        verdict = "Not applied: all queries share their answers, so none is left to judge by."
        return TuneResult(start, {}, f"ndcg@{k}", same, same, nothing, 0.0, 1.0, False, verdict, {}, 0, notes)

    fitted = _sample(groups, _FIT_QUERIES, seed)
    to_fit = [query for query, kept in zip(queries, fitted, strict=True) if kept]
    scores = everything if fitted.all() else ComponentScores(retriever, to_fit, k=k)
    learner = Learner(scores, start)
    after = np.zeros(len(queries))
    rankings: dict[str, list[str]] = {}
    dealt: list[FloatArray] = []
    for fold in range(used):
        held_out = fold_of == fold
        config, _ = learner.fit(~held_out[fitted])
        chosen = [query for query, out in zip(queries, held_out, strict=True) if out]
        found = everything.exact(config, held_out)
        after[held_out] = _scores(found, chosen, of)
        rankings |= {query.id: ranking for query, ranking in zip(chosen, found, strict=True)}
        usual = [ranking for ranking, out in zip(plain, held_out, strict=True) if out]
        dealt.append(_dealt_out(found, chosen, k) - _dealt_out(usual, chosen, k))
        advance()
    config, changes = learner.fit(np.ones(len(scores), bool))
    advance()

    gain = after - before
    bound = lower_bound(gain, confidence=CONFIDENCE, groups=groups, seed=seed)
    mean = float(gain.mean())
    chance = permutation_p_value(dealt, seed=seed) if bound > 0 else 1.0
    worthwhile = (
        bound > 0
        and chance <= 1.0 - CONFIDENCE
        and mean >= MINIMUM_GAIN
        and bool(changes)
        and len(queries) >= FEW_QUERIES
    )
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
        verdict=_verdict(mean, bound, chance, bool(changes), worthwhile),
        rankings={query.id: rankings[query.id] for query in queries},
        folds=used,
        notes=notes,
    )


class Learner:
    """Climbs from a config along one parameter at a time; what one fit computed serves the next.

    Args:
        scores: the queries to learn from.
        start: where to begin; also what is kept where nothing is clearly better.

    """

    def __init__(self, scores: ComponentScores, start: RetrievalConfig) -> None:
        self.scores = scores
        self.start = start
        self._has_edges = len(scores.snapshot.edges) > 0
        self._tables: dict[object, FloatArray] = {}

    def fit(self, training: NDArray[np.bool_]) -> tuple[RetrievalConfig, dict[str, Any]]:
        """Return the config learnt from the queries at ``training``, and what it changes."""
        changes: dict[str, Any] = {}
        config = self._climb(self.start, list(text_moves()), training, changes)
        if self._has_edges:
            config = self._strengths(config, training)
            config = self._climb(config, list(self._graph_moves(config)), training, changes)
            config = self._strengths(config, training)
        config = self._share(config, training)
        if self._has_edges:
            config = self._strengths(config, training)
        config = self._climb(config, list(tilt_moves()), training, changes)
        learnt = config.fusion.weights
        if learnt != self.start.fusion.weights:
            changes["fusion.weights"] = {name: round(value, 4) for name, value in learnt.as_dict().items()}
        config = self._profiles(config, training, changes)
        return config, changes

    def _climb(
        self, config: RetrievalConfig, moves: Sequence[Move], training: NDArray[np.bool_], changes: dict[str, Any]
    ) -> RetrievalConfig:
        """Take the best move again and again, as long as one is clearly better; then only its rivals are left."""
        here = self.scores.values(config)[training]
        left = list(moves)
        for _ in range(_ROUNDS):
            gains = []
            for move in left:
                changed = self._strongest(move.change(config), training) if move.spreads else move.change(config)
                gain, error = _paired(self.scores.values(changed)[training] - here)
                if gain > max(error, 1e-9):
                    gains.append((gain, move, changed))
            if not gains:
                break
            _, best, config = max(gains, key=lambda each: each[0])
            here = self.scores.values(config)[training]
            changes[best.parameter] = best.value
            left = [move for _, move, _ in gains if move is not best]
        return config

    def _strongest(self, config: RetrievalConfig, training: NDArray[np.bool_]) -> RetrievalConfig:
        """Return the config with the graph as strong as suits it: what spreads otherwise is worth another weight."""
        w = config.fusion.weights
        strengths = dict.fromkeys(min(w.graph * factor, _STRENGTHS[-1]) for factor in _FACTORS)
        weightings = [_weighted(config, replace(w, graph=strength)) for strength in strengths]
        table = self._table(config, weightings)[:, training]
        return weightings[int(table.mean(axis=1).argmax())]

    def _strengths(self, config: RetrievalConfig, training: NDArray[np.bool_]) -> RetrievalConfig:
        """Learn the weights of graph and intent edges, those of embedding and text staying."""
        w = config.fusion.weights
        grid = [(g, d) for g, d in product(_STRENGTHS, _STRENGTHS)]
        weightings = [_weighted(config, Weights(w.embedding, w.text, g, d)) for g, d in grid]
        return self._best_weighting(config, weightings, training)

    def _share(self, config: RetrievalConfig, training: NDArray[np.bool_]) -> RetrievalConfig:
        """Learn how embedding and text share their weight."""
        w = config.fusion.weights
        both = w.embedding + w.text
        weightings = [
            _weighted(config, Weights(both * share, both * (1 - share), w.graph, w.intent)) for share in _SHARES
        ]
        return self._best_weighting(config, weightings, training)

    def _best_weighting(
        self, config: RetrievalConfig, weightings: Sequence[RetrievalConfig], training: NDArray[np.bool_]
    ) -> RetrievalConfig:
        """Return the weighting nearest to the present one of all that are about as good as the best, if better."""
        table = self._table(config, weightings)[:, training]
        here = self.scores.values(config)[training]
        best = table[int(table.mean(axis=1).argmax())]
        gain, error = _paired(best - here)
        if gain <= error:
            return config
        missing = best.mean() - table.mean(axis=1)
        errors = (best - table).std(axis=1) / np.sqrt(max(training.sum(), 1))
        good = np.nonzero(missing <= 0.5 * errors + 1e-12)[0]
        now = config.fusion.weights
        nearest = min(good.tolist(), key=lambda place: _distance(weightings[place].fusion.weights, now))
        chosen = weightings[nearest]
        gain, error = _paired(self.scores.values(chosen)[training] - here)  # with the seeds that come with it
        return chosen if gain > error else config

    def _table(self, config: RetrievalConfig, weightings: Sequence[RetrievalConfig]) -> FloatArray:
        key = (config.fingerprint(), tuple(weighting.fusion.weights for weighting in weightings))
        if key not in self._tables:
            self._tables[key] = self.scores.grid(config, weightings)
        return self._tables[key]

    def _profiles(
        self, config: RetrievalConfig, training: NDArray[np.bool_], changes: dict[str, Any]
    ) -> RetrievalConfig:
        """Learn weights of its own for each intent that has enough queries and is clearly better off with them."""
        found: dict[str, Weights] = {}
        names = np.array(self.scores.intents)
        for name in dict.fromkeys(self.scores.intents):
            own = training & (names == name)
            if own.sum() < _INTENT_QUERIES or (names[training] == name).all():
                continue
            plain = config.replace(fusion={"intent_tilt": 0.0})
            now = _in_force(config, name)
            options = [_weighted(plain, w) for w in _around(now, edges=self._has_edges)]
            table = self.scores.grid(config, options)[:, own]
            here = self.scores.values(config)[own]
            place = int(table.mean(axis=1).argmax())
            gain, error = _paired(table[place] - here)
            if gain > 2.0 * error and gain >= MINIMUM_GAIN:
                found[name] = options[place].fusion.weights
        if not found:
            return config
        learnt = with_profiles(config, found)
        gain, error = _paired(self.scores.values(learnt)[training] - self.scores.values(config)[training])
        if gain <= error:
            return config
        changes["profiles"] = {
            name: {part: round(value, 4) for part, value in w.as_dict().items()} for name, w in found.items()
        }
        return learnt

    def _graph_moves(self, config: RetrievalConfig) -> Iterator[Move]:
        yield from graph_moves()
        edges = self.scores.snapshot.edges
        in_use = [edges.type_names[number] for number in sorted(edges.types_in_use)]
        if len(in_use) < 2:
            return
        for name in in_use:
            graph = config.graph
            now = type_weight(name, graph.type_weights, graph.unknown_weight, related=graph.related_types)
            for factor in (0.0, 0.5, 2.0):
                yield _type_move(name, round(now * factor, 4))


# -- the parameters -----------------------------------------------------------------------------------------------


def text_moves() -> Iterator[Move]:
    """Yield the settings of the text component."""
    for weight in (0.0, 0.6, 1.0, 2.0):
        yield Move("name_weight", weight, lambda config, w=weight: _with_name_weight(config, w))  # type: ignore[misc]
    yield from _moves("text", "keyword_boost", (1.0, 2.0, 5.0))


def graph_moves() -> Iterator[Move]:
    """Yield the settings of seeds, graph and intent edges."""
    yield from _moves("seeds", "per_component", (3, 5, 20), spreads=True)
    yield from _moves("seeds", "sharpness", (2.0, 4.0, 16.0, 32.0), spreads=True)
    yield from _moves("graph", "backward", (0.0, 0.3, 1.0), spreads=True)
    yield from _moves("graph", "forward", (0.3,), spreads=True)
    yield from _moves("graph", "second_hop", (0.0, 0.25, 1.0), spreads=True)
    yield from _moves("graph", "degree_exponent", (0.0, 0.5), spreads=True)
    yield from _moves("intents", "chosen_types", (0.0, 0.5))
    yield from _moves("intents", "chosen_second_hop", (0.0, 0.25, 1.0))


def tilt_moves() -> Iterator[Move]:
    """Yield the strengths of the intent tilt."""
    yield from _moves("fusion", "intent_tilt", (0.0, 0.5, 1.0))


def _moves(group: str, name: str, values: Sequence[Any], *, spreads: bool = False) -> Iterator[Move]:
    for value in values:
        change = {group: {name: value}}
        yield Move(f"{group}.{name}", value, lambda config, c=change: config.replace(**c), spreads)  # type: ignore[misc]


def _type_move(name: str, weight: float) -> Move:
    def change(config: RetrievalConfig) -> RetrievalConfig:
        return config.replace(graph={"type_weights": {**config.graph.type_weights, name: weight}})

    return Move(f"edge type {name}", weight, change, spreads=True)


def _with_name_weight(config: RetrievalConfig, weight: float) -> RetrievalConfig:
    others = tuple(field for field in config.text.fields if field.columns != ("name",))
    return config.replace(text={"fields": (*others, TextField(("name",), weight)) if weight else others})


def _weighted(config: RetrievalConfig, weights: Weights) -> RetrievalConfig:
    return config.replace(fusion={"weights": weights})


def with_profiles(config: RetrievalConfig, learnt: dict[str, Weights]) -> RetrievalConfig:
    """Return a config in which some intents have weights of their own; the others keep those they had."""
    specs = tuple(
        replace(spec, profile=learnt[spec.name] if spec.name in learnt else _in_force(config, spec.name))
        for spec in config.intents.specs
    )
    return config.replace(intents={"specs": specs}, fusion={"intent_tilt": None})


def _in_force(config: RetrievalConfig, intent: str) -> Weights:
    spec = next(spec for spec in config.intents.specs if spec.name == intent)
    if config.fusion.intent_tilt is None:
        return spec.profile or config.fusion.weights
    return tilted(spec, config)


def _around(weights: Weights, *, edges: bool) -> list[Weights]:
    both = weights.embedding + weights.text
    shares = _SHARES[::2]
    strengths = (0.0, 0.1, 0.35, 0.8, 2.0) if edges else (weights.graph,)
    return [Weights(both * s, both * (1 - s), g, d) for s in shares for g in strengths for d in strengths]


# -- folds and judgement ------------------------------------------------------------------------------------------


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
        for identity, grade in query.relevant.items():
            for row, discount in found.get(identity, ()):
                table[row, column] += max(grade, 0.0) * discount
        table[:, column] /= ideal_gain(query, k)
    return table


def _paired(differences: FloatArray) -> tuple[float, float]:
    """Return the mean and its standard error."""
    n = len(differences)
    return (float(differences.mean()), float(differences.std() / np.sqrt(n))) if n else (0.0, 0.0)


def _distance(a: Weights, b: Weights) -> float:
    return float(sum(abs(np.log((x + 0.05) / (y + 0.05))) for x, y in zip(a.as_tuple(), b.as_tuple(), strict=True)))


def _notes(queries: Sequence[JudgedQuery], folds: int, before: FloatArray, groups: Sequence[object]) -> tuple[str, ...]:
    notes = []
    if len(queries) < FEW_QUERIES:
        interval = bootstrap_interval(before, groups=groups)
        notes.append(
            f"{len(queries)} queries are few: nDCG is only known to lie between {interval.lower:.2f} and "
            f"{interval.upper:.2f}, and no tuning can narrow that; judge {FEW_QUERIES} or more."
        )
    if folds < 2:
        notes.append("All queries have the same relevant nodes; judge queries with different answers.")
    return tuple(notes)


def _verdict(gain: float, bound: float, chance: float, changed: bool, worthwhile: bool) -> str:
    held_out = f"on queries it was not learnt from the gain is {gain:+.4f}, at least {bound:+.4f} at {CONFIDENCE:.1%}"
    if worthwhile:
        return f"Better: {held_out}."
    if not changed:
        return "Not applied: nothing was clearly better than the config in force."
    if bound > 0 and chance > 1.0 - CONFIDENCE:
        return (
            f"Not applied: {held_out}; but with the answers of other queries it is as large in {chance:.1%} of cases."
        )
    wanted = f"asked for are {MINIMUM_GAIN:+.3f}, a bound above 0 and {FEW_QUERIES} queries"
    return f"Not applied: {held_out}; {wanted}."
