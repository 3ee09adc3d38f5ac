"""Rules to bring components together, side by side, and the roads the method reports as dead ends.

The rules: standard scores on one scale (the default), each component over its own maximum (published), min–max, mean
floor, and reciprocal ranks (Cormack et al. 2009). The dead ends: "colour mixing", reciprocal rank fusion of seven
overlapping strategies; broad synonym expansion; filtering by category.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fourfold import pipeline, signals
from fourfold.config import RetrievalConfig, TextField
from fourfold.embed.static import bundled
from fourfold.evaluate.collection import JudgedQuery, Judgements
from fourfold.evaluate.run import Run
from fourfold.index import Index, rebuilt
from fourfold.pipeline import Query
from fourfold.signals.scaling import by_maximum, standard_scores
from fourfold.types import COMPONENTS, FloatArray

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

Ranker = Callable[[Query], list[str]]
Progress = Callable[[int, int], None]

RRF_K = 60
SYNONYMS = 3
SYNONYM_COSINE = 0.5


def run_fusion(
    retriever: Retriever,
    judgements: Judgements | Sequence[JudgedQuery],
    *,
    k: int = 10,
    progress: Progress | None = None,
) -> list[Run]:
    """Run every rule, for two signals and for four, and every dead end; the default comes first."""
    queries = list(judgements)
    collection = judgements.name if isinstance(judgements, Judgements) else ""
    index, prepared = retriever.prepare([query.text for query in queries], k=k)
    rankers = _rankers(retriever, index, retriever.config)
    runs = []
    for place, (name, ranker) in enumerate(rankers.items()):
        rankings = {judged.id: ranker(query) for judged, query in zip(queries, prepared, strict=True)}
        runs.append(Run(name, collection, rankings, facts={"k": k}))
        if progress is not None:
            progress(place + 1, len(rankers))
    return runs


def _rankers(retriever: Retriever, index: Index, config: RetrievalConfig) -> dict[str, Ranker]:
    found: dict[str, Ranker] = {"default": lambda query: _names(index, pipeline.run(index, query, config).order)}
    for name, rule in RULES.items():
        found[f"two signals, {name}"] = _fused(index, config, rule, ("embedding", "text"))
        if len(index.adjacency):
            found[f"four signals, {name}"] = _fused(index, config, rule, COMPONENTS)
    found["colour mixing: RRF of seven"] = _colour_mixing(index, config)
    found["broad synonyms"] = _synonyms(index, config)
    types = {node.id: node.type for node in retriever.get(index.ids)}
    if len(set(types.values())) > 1:
        found["filter by category"] = _category_filter(index, config, types)
    return found


# -- rules --------------------------------------------------------------------------------------------------------

Components = Mapping[str, FloatArray]


def standard(raw: Components) -> Components:
    """Return standard scores, negatives 0, all divided by the largest of text and embedding."""
    scaled = {name: standard_scores(values, background=10) for name, values in raw.items()}
    top = max((float(scaled[name].max(initial=0.0)) for name in ("embedding", "text")), default=0.0) or 1.0
    return {
        name: values / top if name in ("embedding", "text") else by_maximum(raw[name])
        for name, values in scaled.items()
    }


def maximum(raw: Components) -> Components:
    """Return each component over its own maximum."""
    return {name: by_maximum(np.maximum(values, 0.0)) for name, values in raw.items()}


def min_max(raw: Components) -> Components:
    """Return each component between its smallest and largest positive score."""
    scaled = {}
    for name, values in raw.items():
        positive = values[values > 0]
        low, high = (float(positive.min()), float(positive.max())) if len(positive) else (0.0, 0.0)
        spread = np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else np.zeros_like(values)
        scaled[name] = spread
    return scaled


def mean_floor(raw: Components) -> Components:
    """Return what each score is above the mean, over the maximum of that."""
    return {name: by_maximum(np.maximum(values - values.mean(), 0.0)) for name, values in raw.items()}


def reciprocal_rank(raw: Components) -> Components:
    """Return ``1 / (60 + rank)`` of each positive score."""
    scaled = {}
    for name, values in raw.items():
        order = np.argsort(-values, kind="stable")
        ranks = np.empty(len(values), np.int64)
        ranks[order] = np.arange(1, len(values) + 1)
        scaled[name] = np.where(values > 0, 1.0 / (RRF_K + ranks), 0.0)
    return scaled


RULES: Mapping[str, Callable[[Components], Components]] = {
    "standard scores": standard,
    "maximum": maximum,
    "min-max": min_max,
    "mean floor": mean_floor,
    "RRF": reciprocal_rank,
}


def _fused(
    index: Index, config: RetrievalConfig, rule: Callable[[Components], Components], names: Sequence[str]
) -> Ranker:
    def rank(query: Query) -> list[str]:
        raw = _raw(index, query, config)
        scores = pipeline.run(index, query, config) if len(names) > 2 else None
        if scores is not None:
            raw |= {name: scores.components[name] for name in ("graph", "intent")}
        scaled = rule(raw)
        weights = config.fusion.weights.as_dict()
        total = np.sum([weights[name] * scaled[name] for name in names if name in scaled], axis=0)
        return _top(index, total, query.limit)

    return rank


# -- dead ends ----------------------------------------------------------------------------------------------------


def _colour_mixing(index: Index, config: RetrievalConfig) -> Ranker:
    """Fuse seven strategies of which most say the same: by meaning, by words three times over, by edges three times."""
    names_only = rebuilt(index, config.replace(text={"fields": (TextField(("name",), 1.0),)}))

    def rank(query: Query) -> list[str]:
        raw = _raw(index, query, config)
        found = pipeline.run(index, query, config)
        boosted = signals.text.term_weights(query.words, found.spec.keywords, 10.0, prefix=config.text.keyword_prefix)
        lists = {
            **raw,
            "names": signals.text.score(names_only, _terms(query)),
            "boosted": signals.text.score(index, boosted),
            "graph": found.components["graph"],
            "intent": found.components["intent"],
            "pagerank": index.pagerank() * (found.components["graph"] > 0),
        }
        return _top(index, np.sum(list(reciprocal_rank(lists).values()), axis=0), query.limit)

    return rank


def _synonyms(index: Index, config: RetrievalConfig) -> Ranker:
    """Add to every term of the query the terms of the index nearest to it in meaning, at full weight."""
    vocabulary = list(index.vocabulary)
    vectors = _unit(np.asarray(bundled().embed_documents(vocabulary)))

    def rank(query: Query) -> list[str]:
        words = list(query.words)
        typed = [word for word, terms in query.words if terms]
        if typed:
            cosines = _unit(np.asarray(bundled().embed_documents(typed))) @ vectors.T
            for word, row in zip(typed, cosines, strict=True):
                near = np.argsort(-row)[:SYNONYMS]
                words += [(word, (vocabulary[place],)) for place in near if row[place] >= SYNONYM_COSINE]
        return _names(index, pipeline.run(index, replace(query, words=words), config).order)

    return rank


def _category_filter(index: Index, config: RetrievalConfig, types: Mapping[str, str]) -> Ranker:
    """Guess the category from the first ten hits, and keep nothing else."""
    of_node = np.array([types.get(identity, "") for identity in index.ids])

    def rank(query: Query) -> list[str]:
        first = pipeline.run(index, query, config)
        if not first.order:
            return []
        category, _ = Counter(of_node[first.order].tolist()).most_common(1)[0]
        return _names(index, pipeline.run(index, replace(query, mask=of_node == category), config).order)

    return rank


def _raw(index: Index, query: Query, config: RetrievalConfig) -> dict[str, FloatArray]:
    vector = query.vector
    zeros = np.zeros(len(index), np.float32)
    return {
        "embedding": zeros if vector is None else np.maximum(signals.embedding.score(index.matrix, vector), 0.0),
        "text": signals.text.score(index, _terms(query)),
    }


def _terms(query: Query) -> dict[str, float]:
    return signals.text.term_weights(query.words, (), 1.0, prefix=True)


def _top(index: Index, total: FloatArray, limit: int) -> list[str]:
    order = np.argsort(-total, kind="stable")[:limit]
    return [index.ids[place] for place in order if total[place] > 0]


def _names(index: Index, order: Sequence[int]) -> list[str]:
    return [index.ids[position] for position in order]


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit
