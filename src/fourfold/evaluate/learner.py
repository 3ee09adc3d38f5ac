"""Learn a config from judged queries: climb along one parameter at a time over cached component scores.

A step is taken only where the paired gain on the training queries exceeds one standard error. What refines whole
answers (bridges, coverage) is not in the component scores: each of its settings is asked of the pipeline itself, once,
and so is in the end all that was learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig, TextField
from fourfold.edge_types import MENTIONS, type_weight
from fourfold.evaluate.components import ComponentScores
from fourfold.intent import NO_INTENT
from fourfold.types import FloatArray, Weights
from fourfold.weighting import of_intent

MINIMUM_GAIN = 0.005

_INTENT_QUERIES = 40
_STRENGTHS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 1.2, 2.0, 3.5, 6.0)
_FACTORS = (1.0, 0.4, 2.5, 6.0)
_SHARES = tuple(round(0.1 * step, 1) for step in range(11))
_ROUNDS = 8

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


class Learner:
    """Climbs from a config along one parameter at a time; what one fit computed serves the next.

    The config it starts from is also what is kept where nothing is clearly better; ``before`` (n_queries,) is what that
    is worth by the pipeline, asked of it where it is not given.
    """

    def __init__(
        self, scores: ComponentScores, start: RetrievalConfig, before: NDArray[np.float64] | None = None
    ) -> None:
        self.scores = scores
        self.start = start
        self._before = scores.pipeline_ndcg(start) if before is None else before
        edges = scores.snapshot.edges
        self._has_edges = len(edges) > 0
        self._edge_types = [edges.type_names[number] for number in sorted(edges.types_in_use)]
        self._tables: dict[object, FloatArray] = {}
        self._refinements: list[tuple[Move, FloatArray]] | None = None

    def fit(self, training: NDArray[np.bool_]) -> tuple[RetrievalConfig, dict[str, Any]]:
        """Return the config learnt from the queries at ``training``, and what it changes.

        What was climbed to, what refines, and both together are asked of the pipeline: kept is the best that is clearly
        better than where learning began.
        """
        climbed, changes = self._climbed(training)
        refining = self._refining(training)
        refined = {move.parameter: move.value for move in refining}
        options = [(climbed, changes)] if changes else []
        if refined:
            options.append((_after(refining, self.start), refined))
        if changes and refined:
            options.append((_after(refining, climbed), {**changes, **refined}))
        best: tuple[RetrievalConfig, dict[str, Any]] = self.start, {}
        most = 0.0
        for config, changed in options:
            gain, error = _paired(self.scores.pipeline_ndcg(config, training) - self._before[training])
            if gain > max(error, most, 1e-9):
                best, most = (config, changed), gain
        return best

    def _climbed(self, training: NDArray[np.bool_]) -> tuple[RetrievalConfig, dict[str, Any]]:
        """Return the config that component scores lead to, and what it changes."""
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
        return self._profiles(config, training, changes), changes

    def _refining(self, training: NDArray[np.bool_]) -> list[Move]:
        """Return of each part that refines whole answers the setting that is clearly best, if one is."""
        if self._refinements is None:
            self._refinements = [
                (move, self.scores.pipeline_ndcg(move.change(self.start))) for move in self._whole_moves()
            ]
        best: dict[str, tuple[float, Move]] = {}
        for move, values in self._refinements:
            gain, error = _paired((values - self._before)[training])
            if gain > max(error, 1e-9) and gain > best.get(move.parameter, (0.0, move))[0]:
                best[move.parameter] = gain, move
        return [move for _, move in best.values()]

    def _whole_moves(self) -> Iterator[Move]:
        """Yield the settings of bridges, coverage and paths, where the graph has what they work on."""
        yield from refinement_moves(mentions=MENTIONS in self._edge_types, choice=len(self._edge_types) > 1)

    def _climb(
        self, config: RetrievalConfig, moves: Sequence[Move], training: NDArray[np.bool_], changes: dict[str, Any]
    ) -> RetrievalConfig:
        """Take the best move again and again, as long as one is clearly better; then only its rivals are left."""
        here = self.scores.fast_ndcg(config)[training]
        left = list(moves)
        for _ in range(_ROUNDS):
            gains = []
            for move in left:
                changed = self._strongest(move.change(config), training) if move.spreads else move.change(config)
                gain, error = _paired(self.scores.fast_ndcg(changed)[training] - here)
                if gain > max(error, 1e-9):
                    gains.append((gain, move, changed))
            if not gains:
                break
            _, best, config = max(gains, key=lambda each: each[0])
            here = self.scores.fast_ndcg(config)[training]
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
        grid = product(_STRENGTHS, _STRENGTHS)
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
        here = self.scores.fast_ndcg(config)[training]
        best = table[int(table.mean(axis=1).argmax())]
        gain, error = _paired(best - here)
        if gain <= error:
            return config
        missing = best.mean() - table.mean(axis=1)
        errors = (best - table).std(axis=1) / np.sqrt(max(int(training.sum()), 1))
        good = np.nonzero(missing <= 0.5 * errors + 1e-12)[0]
        now = config.fusion.weights
        nearest = min(good.tolist(), key=lambda place: _distance(weightings[place].fusion.weights, now))
        chosen = weightings[nearest]
        gain, error = _paired(self.scores.fast_ndcg(chosen)[training] - here)  # with the seeds that come with it
        return chosen if gain > error else config

    def _table(self, config: RetrievalConfig, weightings: Sequence[RetrievalConfig]) -> FloatArray:
        key = (config.fingerprint(), tuple(weighting.fusion.weights for weighting in weightings))
        if key not in self._tables:
            self._tables[key] = self.scores.fast_ndcg_of(config, weightings)
        return self._tables[key]

    def _profiles(
        self, config: RetrievalConfig, training: NDArray[np.bool_], changes: dict[str, Any]
    ) -> RetrievalConfig:
        """Learn weights of its own for each intent that has enough queries and is clearly better off with them."""
        found: dict[str, Weights] = {}
        names = np.array(self.scores.intents)
        for name in dict.fromkeys(self.scores.intents):
            own = training & (names == name)
            if name == NO_INTENT:  # has no profile: what it weighs are the weights of all
                continue
            if own.sum() < _INTENT_QUERIES or (names[training] == name).all():
                continue
            plain = config.replace(fusion={"intent_tilt": 0.0})
            now = _in_force(config, name)
            options = [_weighted(plain, w) for w in _around(now, edges=self._has_edges)]
            table = self.scores.fast_ndcg_of(config, options)[:, own]
            here = self.scores.fast_ndcg(config)[own]
            place = int(table.mean(axis=1).argmax())
            gain, error = _paired(table[place] - here)
            if gain > 2.0 * error and gain >= MINIMUM_GAIN:
                found[name] = options[place].fusion.weights
        if not found:
            return config
        learnt = with_profiles(config, found)
        gain, error = _paired(self.scores.fast_ndcg(learnt)[training] - self.scores.fast_ndcg(config)[training])
        if gain <= error:
            return config
        changes["profiles"] = {
            name: {part: round(value, 4) for part, value in w.as_dict().items()} for name, w in found.items()
        }
        return learnt

    def _graph_moves(self, config: RetrievalConfig) -> Iterator[Move]:
        yield from graph_moves()
        if len(self._edge_types) < 2:
            return
        graph = config.graph
        for name in self._edge_types:
            now = type_weight(name, graph.type_weights, graph.unknown_weight, related=graph.related_types)
            for factor in (0.0, 0.5, 2.0):
                yield _type_move(name, round(now * factor, 4))


# -- the parameters -----------------------------------------------------------------------------------------------


def text_moves() -> Iterator[Move]:
    """Yield the settings of the text component."""
    for weight in (0.0, 0.6, 1.0, 2.0):
        yield Move("name_weight", weight, lambda config, w=weight: _with_name_weight(config, w))  # type: ignore[misc]
    yield from _moves("text.keyword_boost", (1.0, 2.0, 5.0))


def graph_moves() -> Iterator[Move]:
    """Yield the settings of seeds, graph and intent edges."""
    yield from _moves("seeds.per_component", (3, 5, 20), spreads=True)
    yield from _moves("seeds.sharpness", (2.0, 4.0, 16.0, 32.0), spreads=True)
    yield from _moves("graph.backward", (0.0, 0.3, 1.0), spreads=True)
    yield from _moves("graph.forward", (0.3,), spreads=True)
    yield from _moves("graph.second_hop", (0.0, 0.25, 1.0), spreads=True)
    yield from _moves("graph.degree_exponent", (0.0, 0.5), spreads=True)
    yield from _moves("intents.chosen_types", (0.0, 0.5))
    yield from _moves("intents.chosen_second_hop", (0.0, 0.25, 1.0))


def tilt_moves() -> Iterator[Move]:
    """Yield the strengths of the intent tilt."""
    yield from _moves("fusion.intent_tilt", (0.0, 0.5, 1.0))


def refinement_moves(*, mentions: bool, choice: bool) -> Iterator[Move]:
    """Yield the settings of the steps that refine whole answers.

    Coverage waits for texts that mention one another (``mentions``), paths for a ``choice`` of edge types.
    """
    yield from _moves("graph.bridge.weight", (0.0, 0.7, 3.0))
    if mentions:
        yield from _moves("diversity.coverage.weight", (0.0, 1.0, 4.0))
    elif choice:
        yield from _moves("intents.paths.weight", (0.0, 0.5))


def _moves(parameter: str, values: Sequence[Any], *, spreads: bool = False) -> Iterator[Move]:
    """Yield a constant of the config, by its dotted name, set to each of these values."""
    for value in values:
        change = value
        for name in reversed(parameter.split(".")):
            change = {name: change}
        yield Move(parameter, value, lambda config, c=change: config.replace(**c), spreads)  # type: ignore[misc]


def _after(moves: Sequence[Move], config: RetrievalConfig) -> RetrievalConfig:
    return reduce(lambda reached, move: move.change(reached), moves, config)


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
    return of_intent(next(spec for spec in config.intents.specs if spec.name == intent), config)


def _around(weights: Weights, *, edges: bool) -> list[Weights]:
    both = weights.embedding + weights.text
    shares = _SHARES[::2]
    strengths = (0.0, 0.1, 0.35, 0.8, 2.0) if edges else (weights.graph,)
    return [Weights(both * s, both * (1 - s), g, d) for s in shares for g in strengths for d in strengths]


def _paired(differences: FloatArray) -> tuple[float, float]:
    """Return the mean and its standard error."""
    n = len(differences)
    return (float(differences.mean()), float(differences.std() / np.sqrt(n))) if n else (0.0, 0.0)


def _distance(a: Weights, b: Weights) -> float:
    return float(sum(abs(np.log((x + 0.05) / (y + 0.05))) for x, y in zip(a.as_tuple(), b.as_tuple(), strict=True)))
