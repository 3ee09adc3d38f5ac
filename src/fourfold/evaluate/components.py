"""Component scores of many queries, computed once, so that thousands of weightings can be tried.

The scores come from the pipeline's own steps. What depends on the text side of the config is kept per query; seeds,
graph and intent edges are computed anew for each setting that touches them; weights cost one small matrix product.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourfold import pipeline
from fourfold.config import GraphConfig, RetrievalConfig
from fourfold.evaluate.collection import JudgedQuery
from fourfold.index import Index, rebuilt
from fourfold.intent import IntentSpec, classify, find_spec
from fourfold.pipeline import Scores
from fourfold.signals.scaling import top_positions
from fourfold.types import COMPONENTS, FloatArray

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

_SPREADING = {"graph": pipeline.graph_component, "intent": pipeline.intent_component}
_CANDIDATES = 60
_KEPT_STRUCTURES = 64
_KEPT_PARTS = 12

T = TypeVar("T")


@dataclass(frozen=True)
class Structure:
    """The candidates of every query with their component scores.

    ``scores`` is (n_queries, n_candidates, 4) float32, padded with 0; the arrays of pairs name each judged relevant
    candidate: its query, its column and its gain, discounted gains being ``gain / log2(rank + 1)``.
    """

    scores: FloatArray
    pair_query: NDArray[np.int64]
    pair_column: NDArray[np.int64]
    pair_gain: FloatArray


@dataclass(frozen=True)
class _Base:
    """Text and embedding of one query, and the best nodes of the two."""

    scores: Scores
    best: NDArray[np.int64]


@dataclass(frozen=True)
class _Sparse:
    """Scores of the nodes that have any; ``nodes`` ascend."""

    nodes: NDArray[np.int64]
    values: FloatArray

    def at(self, nodes: NDArray[np.int64]) -> FloatArray:
        """Return the scores of these nodes."""
        if not len(self.nodes):
            return np.zeros(len(nodes))
        place = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        return np.where(self.nodes[place] == nodes, self.values[place], 0.0)


class ComponentScores:
    """nDCG of any config over a set of queries, without searching anew for each.

    Args:
        retriever: the graph.
        queries: what to score by.
        k: where nDCG is cut.

    """

    def __init__(self, retriever: Retriever, queries: Sequence[JudgedQuery], *, k: int = 10) -> None:
        self.index, prepared = retriever.prepare([query.text for query in queries], k=k)
        self.queries = tuple(queries)
        self.k = k
        self._prepared = [replace(query, asked_types=cache(query.asked_types)) for query in prepared]
        self._specs: list[IntentSpec] = []
        config = retriever.config
        self.intents = [classify(query.text, config.intents.specs) for query in self._prepared]
        names = list(dict.fromkeys(self.intents))
        self._representative = {name: self._prepared[self.intents.index(name)] for name in names}
        self._intent_of = np.array([names.index(name) for name in self.intents])
        self._relevant = [self._positions(query) for query in queries]
        self._ideal = np.array([ideal_gain(query, k) for query in queries])
        self._base: OrderedDict[Hashable, tuple[Index, list[_Base]]] = OrderedDict()
        self._structures: OrderedDict[Hashable, Structure] = OrderedDict()
        self._spreads: OrderedDict[Hashable, list[_Sparse]] = OrderedDict()
        self._seeds: OrderedDict[Hashable, list[Scores]] = OrderedDict()
        self._values: dict[str, FloatArray] = {}
        self._id_order = np.argsort(np.argsort(np.array(self.index.ids, dtype=object)))

    def __len__(self) -> int:
        return len(self.queries)

    # -- what a config is worth ---------------------------------------------------------------------------------

    def values(self, config: RetrievalConfig) -> FloatArray:
        """Return nDCG@k of each query, (n_queries,), diversity left aside."""
        key = config.fingerprint()
        if key not in self._values:
            self._values[key] = self.grid(config, [config])[0]
        return self._values[key]

    def grid(self, config: RetrievalConfig, weightings: Sequence[RetrievalConfig]) -> FloatArray:
        """Return nDCG@k of each query under each weighting, (n_weightings, n_queries).

        The weightings differ from ``config`` in their weights only; the seeds are those of ``config``.
        """
        structure = self.structure(config)
        return np.stack([self._ndcg(structure, self._weights(each)) for each in weightings])

    def exact(self, config: RetrievalConfig, which: NDArray[np.bool_] | None = None) -> list[list[str]]:
        """Return the ranking of each query (of those at ``which``) by the pipeline itself, all seven steps."""
        index = self._index_for(config)
        chosen = range(len(self)) if which is None else np.nonzero(which)[0].tolist()
        rankings = []
        for place in chosen:
            found = pipeline.run(index, self._prepared[place], config)
            rankings.append([index.ids[position] for position in found.order])
        return rankings

    def _ndcg(self, structure: Structure, weights: FloatArray) -> FloatArray:
        """Return nDCG@k, (n_queries,), from weights (n_queries, 4): only the ranks of relevant nodes are needed."""
        total = np.matmul(structure.scores, weights[:, :, None])[:, :, 0]
        rows = total[structure.pair_query]
        own = rows[np.arange(len(rows)), structure.pair_column][:, None]
        better = (rows > own).sum(axis=1)
        ties = (rows == own) & (np.arange(rows.shape[1]) < structure.pair_column[:, None])
        rank = better + ties.sum(axis=1) + 1
        counts = (rank <= self.k) & (own[:, 0] > 0)
        gains = np.where(counts, structure.pair_gain / np.log2(rank + 1), 0.0)
        found: FloatArray = np.bincount(structure.pair_query, gains, len(self)) / self._ideal
        return found

    def _weights(self, config: RetrievalConfig) -> FloatArray:
        of_intent = np.array(
            [
                pipeline.choose_weights(find_spec(name, config.intents.specs), query, self.index, config).as_tuple()
                for name, query in self._representative.items()
            ],
            np.float32,
        )
        weights: FloatArray = of_intent[self._intent_of]
        return weights

    # -- what the pipeline finds --------------------------------------------------------------------------------

    def structure(self, config: RetrievalConfig) -> Structure:
        """Return the candidates and component scores under everything in the config but the global weights.

        (The seeds' weights follow the weights of embedding and text, which are therefore part of it.)
        """
        key = (self._seeds_key(config), config.graph, config.intents)
        return self._remembered(self._structures, key, lambda: self._structure(config), _KEPT_STRUCTURES)

    def _structure(self, config: RetrievalConfig) -> Structure:
        index, base = self._base_for(config)
        if not len(index.adjacency):
            return self._padded([self._candidates(known.scores, known.best, {}) for known in base])
        graph, intent = self._spread("graph", config), self._spread("intent", config)
        return self._padded(
            [
                self._candidates(known.scores, known.best, {"graph": g, "intent": i})
                for known, g, i in zip(base, graph, intent, strict=True)
            ]
        )

    def _spread(self, name: str, config: RetrievalConfig) -> list[_Sparse]:
        """Return what a component gives in each query; kept, as most settings change only one of the two."""

        def compute() -> list[_Sparse]:
            index, _ = self._base_for(config)
            found = []
            for query, scores in zip(self._prepared, self._seeded(config), strict=True):
                values = _SPREADING[name](scores, index, query, config)
                nodes = np.nonzero(values)[0]
                found.append(_Sparse(nodes, values[nodes]))
            return found

        depends: Hashable = config.graph if name == "graph" else (_steps(config.graph), config.intents)
        return self._remembered(self._spreads, (name, self._seeds_key(config), depends), compute)

    def _seeded(self, config: RetrievalConfig) -> list[Scores]:
        """Return the scores of each query as they are when the graph is reached, with seeds and without edges."""

        def compute() -> list[Scores]:
            index, base = self._base_for(config)
            found = []
            for query, known in zip(self._prepared, base, strict=True):
                spec = find_spec(known.scores.spec.name, config.intents.specs)
                weights = pipeline.choose_weights(spec, query, index, config)
                scores = replace(known.scores, spec=spec, weights=weights, components=dict(known.scores.components))
                pipeline.choose_seeds(scores, index, query, config)
                # Intent edges are wanted even where their weight is 0, so that the weight can be learnt.
                scores.weights = replace(weights, intent=weights.intent or 1.0)
                found.append(scores)
            return found

        return self._remembered(self._seeds, self._seeds_key(config), compute)

    @staticmethod
    def _remembered(
        memory: OrderedDict[Hashable, T], key: Hashable, compute: Callable[[], T], kept: int = _KEPT_PARTS
    ) -> T:
        if key not in memory:
            memory[key] = compute()
            if len(memory) > kept:
                memory.popitem(last=False)
        memory.move_to_end(key)
        return memory[key]

    def _base_for(self, config: RetrievalConfig) -> tuple[Index, list[_Base]]:
        key = self._base_key(config)
        if key not in self._base:
            index = self._index_for(config)
            zeros = np.zeros(len(index), np.float32)
            base = []
            for query, intent in zip(self._prepared, self.intents, strict=True):
                spec = find_spec(intent, config.intents.specs)
                weights = pipeline.choose_weights(spec, query, index, config)
                scores = Scores(spec, weights, dict.fromkeys(COMPONENTS, zeros))
                pipeline.text_and_embedding(scores, index, query, config)
                best = [top_positions(scores.components[name], _CANDIDATES) for name in ("text", "embedding")]
                base.append(_Base(scores, np.unique(np.concatenate(best))))
            self._base[key] = (index, base)
            if len(self._base) > 2:
                self._base.popitem(last=False)
        self._base.move_to_end(key)
        return self._base[key]

    def _index_for(self, config: RetrievalConfig) -> Index:
        return rebuilt(self.index, config)

    # -- what each part depends on ------------------------------------------------------------------------------

    def _base_key(self, config: RetrievalConfig) -> Hashable:
        """Return what text and embedding depend on; ``fusion`` without what weighs and adds them up."""
        scales = (config.fusion.scaling, config.fusion.background, config.fusion.candidate_multiplier)
        return (config.index_key(self.index.own_share), config.text, scales)

    def _seeds_key(self, config: RetrievalConfig) -> Hashable:
        """Return what the seeds depend on: of the weights, how embedding and text share theirs in each intent."""
        weights = config.fusion.weights
        pair = weights.embedding + weights.text
        share = round(weights.embedding / pair, 4) if pair else 0.5
        tilt = (config.fusion.intent_tilt, config.fusion.normalize_weights, config.intents.specs)
        return (self._base_key(config), config.seeds, share, tilt)

    def _candidates(
        self, scores: Scores, best: NDArray[np.int64], spreads: dict[str, _Sparse]
    ) -> tuple[NDArray[np.int64], FloatArray]:
        """Return the best nodes by any component in the order of their ids, with all four scores."""
        reached = [sparse.nodes[top_positions(sparse.values, _CANDIDATES)] for sparse in spreads.values()]
        nodes = np.setdiff1d(np.concatenate((best, *reached)), self.index.hidden)
        nodes = nodes[np.argsort(self._id_order[nodes])]
        table = np.zeros((len(nodes), len(COMPONENTS)), np.float32)
        for column, name in enumerate(COMPONENTS):
            table[:, column] = spreads[name].at(nodes) if name in spreads else scores.components[name][nodes]
        return nodes, table

    def _padded(self, found: Sequence[tuple[NDArray[np.int64], FloatArray]]) -> Structure:
        width = max((len(nodes) for nodes, _ in found), default=0) or 1
        table = np.zeros((len(found), width, len(COMPONENTS)), np.float32)
        pairs: list[tuple[int, int, float]] = []
        for place, (nodes, values) in enumerate(found):
            table[place, : len(nodes)] = values
            relevant = self._relevant[place]
            columns = np.nonzero(np.isin(nodes, list(relevant)))[0]
            pairs += [(place, int(column), relevant[int(nodes[column])]) for column in columns]
        query, column, gain = zip(*pairs, strict=True) if pairs else ((), (), ())
        return Structure(table, np.array(query, np.int64), np.array(column, np.int64), np.array(gain, np.float64))

    def _positions(self, query: JudgedQuery) -> dict[int, float]:
        found = {self.index.position(identity): grade for identity, grade in query.relevant.items() if grade > 0}
        return {position: grade for position, grade in found.items() if position is not None}


def _steps(graph: GraphConfig) -> Hashable:
    """Return what intent edges share with the graph component: all but the weights of types and its further hops."""
    directions = (graph.forward, graph.backward, graph.untyped_backward)
    return (*directions, graph.use_weights, graph.degree_exponent, graph.hub_cap)


def ideal_gain(query: JudgedQuery, k: int) -> float:
    """Return the discounted gain of the best possible ranking."""
    gains = sorted((grade for grade in query.relevant.values() if grade > 0), reverse=True)[:k]
    return float(np.sum(np.array(gains) / np.log2(np.arange(len(gains)) + 2)))
