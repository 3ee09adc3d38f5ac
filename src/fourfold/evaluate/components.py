"""Component scores of many queries, computed once, so that thousands of weightings can be tried.

The scores come from the pipeline's own steps. What depends on the text side of the config is kept per query; seeds,
paths, graph and intent edges are computed anew for each setting that touches them; weights cost one small matrix
product.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered, pipeline, refine
from fourfold.cache import Cache
from fourfold.config import GraphConfig, RetrievalConfig
from fourfold.evaluate.collection import JudgedQuery
from fourfold.evaluate.metrics import gains_of, ideal_gain, measure
from fourfold.facts.following import follow_paths
from fourfold.index.base import NO_VALUES, Nodes, NodeValues
from fourfold.intent import IntentSpec, classify, find_spec
from fourfold.query import Query
from fourfold.ragged import difference, distinct
from fourfold.scores import AskedPaths, Scores, best
from fourfold.types import COMPONENTS, FloatArray, Weights
from fourfold.weighting import choose_weights

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

_CANDIDATES = 60
_KEPT_STRUCTURES = 64
_KEPT_PARTS = 12
_KEPT_BASES = 2


@dataclass(frozen=True)
class PathScores:
    """What paths make of the sum of each query's candidates, see ``facts.following``.

    ``share`` and ``sure`` are (n_queries, 1), 0 where no path answers; ``back`` (1 for all but named nodes) and
    ``ends`` are (n_queries, n_candidates).
    """

    share: FloatArray
    sure: FloatArray
    back: FloatArray
    ends: FloatArray

    @classmethod
    def none(cls, queries: int, width: int) -> PathScores:
        """Return these of queries that no path answers yet."""
        share, ends = np.zeros((queries, 1), np.float32), np.zeros((queries, width), np.float32)
        return cls(share, share.copy(), np.ones_like(ends), ends)

    def put(self, place: int, nodes: Nodes, asked: AskedPaths, weight: float) -> None:
        """Put down what paths make of the candidates of a query."""
        self.share[place], self.sure[place] = weight * asked.answer.sure, asked.answer.sure
        self.back[place, : len(nodes)][ordered.contains(asked.answer.named, nodes)] = asked.back
        self.ends[place, : len(nodes)] = asked.answer.ends.at(nodes)

    def of(self, total: FloatArray, by_intent: FloatArray) -> FloatArray:
        """Return the sums from those without paths, of which ``by_intent`` came by the intent's edges."""
        rest: FloatArray = (1.0 - self.share) * self.back * (total - self.sure * by_intent)
        return rest + self.share * self.ends


@dataclass(frozen=True)
class Structure:
    """The candidates of every query with their component scores.

    ``scores`` is (n_queries, n_candidates, 4) float32 without ``paths``, padded with 0; the arrays of pairs name each
    judged relevant candidate: its query, its column and its gain, discounted gains being ``gain / log2(rank + 1)``.
    """

    scores: FloatArray
    paths: PathScores
    pair_query: NDArray[np.int64]
    pair_column: NDArray[np.int64]
    pair_gain: FloatArray

    def totals(self, weights: FloatArray) -> FloatArray:
        """Return the sum of each candidate, (n_queries, n_candidates), from weights (n_queries, 4)."""
        total = np.matmul(self.scores, weights[:, :, None])[:, :, 0]
        intent = weights[:, COMPONENTS.index("intent"), None]
        followed = self.paths.of(total, intent * self.scores[:, :, COMPONENTS.index("intent")])
        return np.where(intent > 0, followed, total)  # without the intent's weight no path is followed


@dataclass(frozen=True)
class _Base:
    """Text and embedding of one query, and the best nodes of the two."""

    scores: Scores
    best: Nodes


class ComponentScores:
    """nDCG of any config over a set of queries, without searching anew for each."""

    def __init__(self, retriever: Retriever, queries: Sequence[JudgedQuery], *, k: int = 10) -> None:
        self.snapshot, prepared = retriever.analysis.prepare([query.text for query in queries], k=k)
        self._retriever = retriever
        self.queries = tuple(queries)
        self.k = k
        self._prepared = [replace(query, asked_types=cache(query.asked_types)) for query in prepared]
        config = retriever.config
        self.intents = [classify(query.text, config.intents.specs) for query in self._prepared]
        kinds = [(name, query.read) for name, query in zip(self.intents, self._prepared, strict=True)]
        self._representative = dict(zip(kinds, self._prepared, strict=True))
        known = list(self._representative)
        self._kind_of = np.array([known.index(kind) for kind in kinds])
        nums = retriever.backend.nums([identity for query in queries for identity in query.relevant])
        self._relevant = [
            {nums[identity]: gain for identity, gain in gains_of(query.relevant).items() if identity in nums}
            for query in queries
        ]
        self._ideal = np.array([ideal_gain(query.relevant, k) for query in queries])
        self._base: Cache[list[_Base]] = Cache(_KEPT_BASES, inf)
        self._structures: Cache[Structure] = Cache(_KEPT_STRUCTURES, inf)
        self._spreads: Cache[list[NodeValues]] = Cache(_KEPT_PARTS, inf)
        self._seeds: Cache[list[Scores]] = Cache(_KEPT_PARTS, inf)
        self._paths: Cache[list[AskedPaths | None]] = Cache(_KEPT_BASES, inf)
        self._values: dict[str, FloatArray] = {}

    def __len__(self) -> int:
        return len(self.queries)

    # -- what a config is worth ---------------------------------------------------------------------------------

    def fast_ndcg(self, config: RetrievalConfig) -> FloatArray:
        """Return nDCG@k of each query, (n_queries,); diversity, bridges, coverage and sides are left aside."""
        key = config.fingerprint()
        if key not in self._values:
            self._values[key] = self.fast_ndcg_of(config, [config])[0]
        return self._values[key]

    def pipeline_ndcg(self, config: RetrievalConfig, which: NDArray[np.bool_] | None = None) -> FloatArray:
        """Return nDCG@k of each query (of those at ``which``) by the pipeline itself."""
        of = measure(f"ndcg@{self.k}")
        queries = self.queries if which is None else tuple(compress(self.queries, which))
        found = self.pipeline_rankings(config, which)
        return np.array([of(ranking, query) for ranking, query in zip(found, queries, strict=True)])

    def fast_ndcg_of(self, config: RetrievalConfig, weightings: Sequence[RetrievalConfig]) -> FloatArray:
        """Return nDCG@k of each query under each weighting, (n_weightings, n_queries).

        The weightings differ from ``config`` in their weights only; the seeds are those of ``config``.
        """
        structure = self.structure(config)
        return np.stack([self._ndcg(structure, self._weights(each)) for each in weightings])

    def pipeline_rankings(self, config: RetrievalConfig, which: NDArray[np.bool_] | None = None) -> list[list[str]]:
        """Return the ranking of each query (of those at ``which``) by the pipeline itself, all seven steps."""
        snapshot = self._retriever.analysis.snapshot(config)
        chosen = range(len(self)) if which is None else np.nonzero(which)[0].tolist()
        found = (pipeline.run(snapshot, self._prepared[place], config) for place in chosen)
        return [list(snapshot.ids(np.array(scores.order, np.int64))) for scores in found]

    def _ndcg(self, structure: Structure, weights: FloatArray) -> FloatArray:
        """Return nDCG@k, (n_queries,), from weights (n_queries, 4): only the ranks of relevant nodes are needed."""
        rows = structure.totals(weights)[structure.pair_query]
        own = rows[np.arange(len(rows)), structure.pair_column][:, None]
        better = (rows > own).sum(axis=1)
        ties = (rows == own) & (np.arange(rows.shape[1]) < structure.pair_column[:, None])
        rank = better + ties.sum(axis=1) + 1
        counts = (rank <= self.k) & (own[:, 0] > 0)
        gains = np.where(counts, structure.pair_gain / np.log2(rank + 1), 0.0)
        found: FloatArray = np.bincount(structure.pair_query, gains, len(self)) / self._ideal
        return found

    def _weights(self, config: RetrievalConfig) -> FloatArray:
        of_kind = np.array(
            [
                self._weights_of(query, find_spec(name, config.intents.specs), config).as_tuple()
                for (name, _), query in self._representative.items()
            ],
            np.float32,
        )
        weights: FloatArray = of_kind[self._kind_of]
        return weights

    def _weights_of(self, query: Query, spec: IntentSpec, config: RetrievalConfig) -> Weights:
        return choose_weights(spec, query.weights, config, pipeline.has_data(self.snapshot, query), query.read)

    # -- what the pipeline finds --------------------------------------------------------------------------------

    def structure(self, config: RetrievalConfig) -> Structure:
        """Return the candidates and component scores under everything in the config but the global weights.

        (The seeds' weights follow the weights of embedding and text, which are therefore part of it.)
        """
        key = (self._seeds_key(config), config.graph, config.intents)
        return self._structures.of(key, lambda: self._structure(config))

    def _structure(self, config: RetrievalConfig) -> Structure:
        base, seeded, asked = self._base_for(config), self._seeded(config), self._asked(config)
        spreads: Iterable[dict[str, NodeValues]] = ({} for _ in base)
        if len(self.snapshot.edges):
            both = zip(self._spread("graph", config), self._spread("intent", config), strict=True)
            spreads = ({"graph": graph, "intent": intent} for graph, intent in both)
        found = [self._candidates(*each) for each in zip(base, seeded, asked, spreads, strict=True)]
        return self._padded(found, asked, config)

    def _spread(self, name: str, config: RetrievalConfig) -> list[NodeValues]:
        """Return what a component gives in each query; kept, as most settings change only one of the two."""

        def compute() -> list[NodeValues]:
            found = []
            for query, seeded in zip(self._prepared, self._seeded(config), strict=True):
                scores = replace(seeded)
                if name == "graph":
                    pipeline.graph_component(scores, query, config)
                else:
                    pipeline.intent_component(scores, query, config)
                found.append(scores.graph if name == "graph" else scores.intent)
            return found

        depends: Hashable = config.graph if name == "graph" else (_steps(config.graph), config.intents)
        return self._spreads.of((name, self._seeds_key(config), depends), compute)

    def _seeded(self, config: RetrievalConfig) -> list[Scores]:
        """Return the scores of each query as they are when the graph is reached, with seeds and without edges."""

        def compute() -> list[Scores]:
            found = []
            for query, known in zip(self._prepared, self._base_for(config), strict=True):
                spec = find_spec(known.scores.spec.name, config.intents.specs)
                weights = self._weights_of(query, spec, config)
                scores = replace(known.scores, spec=spec, weights=weights)
                scores.late = None
                refine.late_interaction(scores, query, config)
                pipeline.find_called(scores, query, config)
                pipeline.choose_seeds(scores, query, config)
                # Intent edges are wanted even where their weight is 0, so that the weight can be learnt.
                scores.weights = replace(weights, intent=weights.intent or 1.0)
                found.append(scores)
            return found

        return self._seeds.of(self._seeds_key(config), compute)

    def _asked(self, config: RetrievalConfig) -> list[AskedPaths | None]:
        """Return what each query asks for by paths, whatever is seeded and weighed."""

        def compute() -> list[AskedPaths | None]:
            found = []
            for query, known in zip(self._prepared, self._base_for(config), strict=True):
                weights = known.scores.weights
                scores = replace(known.scores, weights=replace(weights, intent=weights.intent or 1.0))
                follow_paths(scores, query, config)
                found.append(scores.asked)
            return found

        return self._paths.of((self._base_key(config), config.intents.paths), compute)

    def _base_for(self, config: RetrievalConfig) -> list[_Base]:
        def compute() -> list[_Base]:
            snapshot = self._retriever.analysis.snapshot(config)
            base = []
            for query, intent in zip(self._prepared, self.intents, strict=True):
                spec = find_spec(intent, config.intents.specs)
                scores = Scores(snapshot, spec, self._weights_of(query, spec, config))
                pipeline.ask_text(scores, query, config)
                pipeline.ask_embedding(scores, query)
                pipeline.bring_to_scale(scores, query, config)
                best = [ranking.best(_CANDIDATES, query.allowed).nodes for ranking in scores.rankings.values()]
                base.append(_Base(scores, distinct(np.concatenate((scores.phrase.nodes, *best)))))
            return base

        return self._base.of(self._base_key(config), compute)

    # -- what each part depends on ------------------------------------------------------------------------------

    def _base_key(self, config: RetrievalConfig) -> Hashable:
        """Return what text and embedding depend on; ``fusion`` without what weighs and adds them up."""
        fusion = config.fusion
        scales = (fusion.scaling, fusion.background, fusion.candidate_multiplier, fusion.late)
        return (config.index_key(self.snapshot.own_share), config.text, scales)

    def _seeds_key(self, config: RetrievalConfig) -> Hashable:
        """Return what the seeds depend on: of the weights, how embedding and text share theirs in each intent."""
        weights = config.fusion.weights
        pair = weights.embedding + weights.text
        share = round(weights.embedding / pair, 4) if pair else 0.5
        tilt = (config.fusion.intent_tilt, config.fusion.normalize_weights, config.intents.specs)
        return (self._base_key(config), config.seeds, share, tilt)

    def _candidates(
        self, known: _Base, seeded: Scores, asked: AskedPaths | None, spreads: dict[str, NodeValues]
    ) -> tuple[Nodes, FloatArray]:
        """Return the best nodes by any component or path in the order of their ids, with all four scores."""
        snapshot = self.snapshot
        ends = [] if asked is None else [asked.answer.ends]
        reached = [
            best(spread.nodes, spread.values, _CANDIDATES, snapshot, positive=False)
            for spread in (*spreads.values(), *ends)
        ]
        nodes = difference(np.concatenate((known.best, seeded.called.nodes, *reached)), snapshot.hidden)
        ids = snapshot.ids(nodes)
        nodes = nodes[sorted(range(len(nodes)), key=ids.__getitem__)]
        graph, intent = spreads.get("graph", NO_VALUES), spreads.get("intent", NO_VALUES)
        components = replace(seeded, graph=graph, intent=intent).components_at(nodes)
        return nodes, np.stack([components[name] for name in COMPONENTS], axis=1).astype(np.float32)

    def _padded(
        self, found: Sequence[tuple[Nodes, FloatArray]], asked: Sequence[AskedPaths | None], config: RetrievalConfig
    ) -> Structure:
        width = max((len(nodes) for nodes, _ in found), default=0) or 1
        table = np.zeros((len(found), width, len(COMPONENTS)), np.float32)
        paths = PathScores.none(len(found), width)
        pairs: list[tuple[int, int, float]] = []
        for place, ((nodes, values), own) in enumerate(zip(found, asked, strict=True)):
            table[place, : len(nodes)] = values
            if own is not None:
                paths.put(place, nodes, own, config.intents.paths.weight)
            relevant = self._relevant[place]
            columns = np.nonzero(np.isin(nodes, list(relevant)))[0]
            pairs += [(place, int(column), relevant[int(nodes[column])]) for column in columns]
        query, column, gain = zip(*pairs, strict=True) if pairs else ((), (), ())
        return Structure(
            table, paths, np.array(query, np.int64), np.array(column, np.int64), np.array(gain, np.float64)
        )


def _steps(graph: GraphConfig) -> Hashable:
    """Return what intent edges share with the graph component: all but the weights of types and its further hops."""
    directions = (graph.forward, graph.backward, graph.untyped_backward)
    return (*directions, graph.edge_weights, graph.degree_exponent, graph.hub_cap)
