"""Tool search: α · semantic + (1 − α) · relatedness, over arrays of one generation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourfold.analysis import NodeScores
from fourfold.ordered import least_of_largest
from fourfold.query import Query
from fourfold.ragged import difference
from fourfold.tools.config import ToolConfig
from fourfold.tools.graph import ToolGraph
from fourfold.tools.state import State
from fourfold.types import FloatArray

Weighting = Literal["adaptive", "fixed"]

_CANDIDATES = 2  # times the limit


@dataclass(frozen=True)
class Ranking:
    """The best tools for a query: positions, best first, and the arrays their scores are made of, (n_tools,).

    ``similarity`` is that of the query and the best match.
    """

    order: list[int]
    alpha: float
    similarity: float
    score: NDArray[np.float64]
    semantic: NDArray[np.float64]
    graph: NDArray[np.float64]
    context: dict[int, float] = field(default_factory=dict)
    prerequisites: Mapping[int, int] = field(default_factory=dict)
    signals: dict[str, NDArray[Any]] = field(default_factory=dict)

    def signals_of(self, position: int, ids: Sequence[str]) -> dict[str, Any]:
        """Return every further signal of a tool in plain JSON types."""
        found = {name: values[position].item() for name, values in self.signals.items()}
        if position in self.prerequisites:
            found["needed_by"] = ids[self.prerequisites[position]]
        return found


def rank(
    state: State,
    scores: NodeScores,
    query: Query,
    config: ToolConfig,
    *,
    limit: int,
    similarity: float = 1.0,
    context: Sequence[int] = (),
    weighting: Weighting = "adaptive",
    fits: FloatArray | None = None,
) -> Ranking:
    """Rank the tools for a query.

    ``similarity`` is that of the query and the best match, in [0, 1], see ``similarity_of``: the retriever's scores
    compare nodes with one another; this makes them say little where there is little, as does all that follows from
    taking the best matches for the context. Where no tools in use are given as the ``context``, by their positions, the
    best semantic hits stand for them. ``fits``, (n_tools,) in [0, 1], is what each keeps of its semantic score.
    """
    semantic = semantic_scores(scores)
    signals: dict[str, NDArray[Any]] = {"usage": state.usage, "success_rate": state.success_rate}
    if fits is not None:
        signals["fits"] = fits
        semantic = semantic * fits
    best = best_of(semantic, _CANDIDATES * limit, state.ids)
    alpha = config.fixed_semantic if weighting == "fixed" else config.alpha(state.graph.edge_count)
    boost = config.usage_boost * state.usage + config.success_boost * (2.0 * state.success_rate - 1.0)
    candidates = np.zeros(len(semantic), bool)
    candidates[best] = True
    if state.graph.edge_count == 0 and weighting == "adaptive":
        signals["boost"] = boost = similarity * boost
        semantic = similarity * semantic
        score = semantic + boost
        ranked = np.where(candidates, score, 0.0)
        order = _filled(best_of(ranked, limit, state.ids), score, state, query, limit)
        return Ranking(
            order, alpha, similarity, np.clip(score, 0.0, 1.0), semantic, np.zeros(len(semantic)), signals=signals
        )

    chosen = _context(best, semantic, context, config)
    near = state.graph.neighbours[[*best, *chosen]]
    candidates[near.indices] = True
    relatedness, needed_by = _relatedness(state.graph, chosen, candidates, config)
    same = np.isin(state.importance.communities, _communities(state, chosen)).astype(np.float64)
    semantic = similarity * semantic
    signals |= {
        "relatedness": relatedness,
        "pagerank": state.importance.pagerank,
        "betweenness": state.importance.betweenness,
        "community": state.importance.communities,
        "same_community": same,
    }
    if weighting == "fixed":
        graph = (state.importance.pagerank + same + state.usage) / 3.0
        score = fixed_score(semantic, graph, config)
    else:
        graph = relatedness if context else similarity * relatedness
        boost += config.hub_boost * state.importance.pagerank + config.bridge_boost * state.importance.betweenness
        signals["boost"] = boost = similarity * boost
        score = alpha * semantic + (1.0 - alpha) * graph + boost
    ranked = np.where(candidates, score, 0.0)
    order = _filled(best_of(ranked, limit, state.ids), score, state, query, limit)
    return Ranking(order, alpha, similarity, np.clip(score, 0.0, 1.0), semantic, graph, chosen, needed_by, signals)


def semantic_scores(scores: NodeScores) -> NDArray[np.float64]:
    """Return text and embedding in the proportion of their weights, (n_tools,) in [0, 1]."""
    embedding, text = scores.weights.embedding, scores.weights.text
    total = embedding + text
    found = np.zeros(len(scores.components["text"]))
    for weight, name in ((embedding, "embedding"), (text, "text")):
        if weight:
            found += weight * scores.components[name]
    found += scores.gained
    if total > 0 and abs(total - 1.0) > 1e-9:  # dividing by almost 1 would only make ties
        found /= total
    return np.minimum(found, 1.0)


def similarity_of(question: Collection[str], texts: Sequence[Collection[str]], cosines: Sequence[float]) -> float:
    """Return how similar a question and the best of some texts are, in [0, 1]; around 0 for what means nothing.

    ``1 − (1 − cos²)(1 − share)`` of the text for which that is largest: the part of the question's meaning that is the
    text's, and the share of its words that the text has, as two independent reasons.
    """
    wanted = set(question)
    shares = [len(wanted.intersection(own)) / max(len(wanted), 1) for own in texts]
    return max(
        (
            1.0 - (1.0 - min(max(cosine, 0.0), 1.0) ** 2) * (1.0 - share)
            for cosine, share in zip(cosines, shares, strict=True)
        ),
        default=0.0,
    )


def cosines_of(state: State, query: Query, positions: Sequence[int]) -> list[float]:
    """Return the cosine of the query and each tool; 0 where either has no vector."""
    length = 0.0 if query.vector is None else float(np.linalg.norm(query.vector))
    vectors = state.snapshot.vectors
    if query.vector is None or not length or not vectors.size:
        return [0.0] * len(positions)
    found: list[float] = (vectors.at(state.nodes[list(positions)]) @ (query.vector / length)).tolist()
    return found


def fixed_score(semantic: FloatArray, graph: FloatArray, config: ToolConfig) -> NDArray[np.float64]:
    """Return ``0.7 · semantic + 0.3 · graph``."""
    return np.asarray(config.fixed_semantic * semantic + (1.0 - config.fixed_semantic) * graph, np.float64)


def _context(
    best: Sequence[int], semantic: NDArray[np.float64], given: Sequence[int], config: ToolConfig
) -> dict[int, float]:
    """Return the context tools and how much each counts."""
    if given:
        return dict.fromkeys(given, 1.0)
    hits = list(best[: config.context_hits])
    return {p: float(np.exp(config.context_sharpness * (semantic[p] / semantic[hits[0]] - 1.0))) for p in hits}


def _relatedness(
    graph: ToolGraph, context: Mapping[int, float], candidates: NDArray[np.bool_], config: ToolConfig
) -> tuple[NDArray[np.float64], dict[int, int]]:
    """Return each candidate's relatedness to the context, and which context tool needs it; extends the candidates."""
    if not context:
        return np.zeros(len(candidates)), {}
    positions = list(context)
    pairwise = graph.adamic_adar(positions)
    pairwise /= pairwise[:, candidates].max(initial=0.0) or 1.0
    np.minimum(pairwise, 1.0, out=pairwise)
    pairwise = np.maximum(pairwise, graph.neighbours[positions].toarray())
    needed_by: dict[int, int] = {}
    for row, position in enumerate(positions):
        pairwise[row, position] = 1.0
        needed = list(graph.prerequisites([position], config))
        candidates[needed] = True
        pairwise[row, needed] = np.maximum(pairwise[row, needed], config.prerequisite_relatedness)
        needed_by |= {other: position for other in needed if other not in needed_by}
    pairwise *= np.array(list(context.values()))[:, None]
    return pairwise.max(axis=0), needed_by


def _communities(state: State, context: Mapping[int, float]) -> list[int]:
    return [int(state.importance.communities[p]) for p in context if state.importance.communities[p] >= 0]


def best_of(values: NDArray[np.float64], count: int, ids: Sequence[str]) -> list[int]:
    """Return the positions of the largest positive values, best first; ties go to the smaller id."""
    found = np.nonzero(values > 0)[0]
    if len(found) > count > 0:
        found = found[values[found] >= least_of_largest(values[found], count)]
    return sorted(found.tolist(), key=lambda position: (-values[position], ids[position]))[:count]


def _filled(order: list[int], score: NDArray[np.float64], state: State, query: Query, limit: int) -> list[int]:
    """Fill up to the limit with the tools of the next best cosine: there is no threshold, once anything matches.

    Those that came by their cosine have a score as well, which may be above that of others: the order is of the scores.
    """
    if not order or len(order) >= limit:
        return order
    rest = difference(np.arange(len(state.ids)), np.array(order, np.int64))
    cosines = cosines_of(state, query, rest.tolist())
    best = sorted(zip(cosines, rest.tolist(), strict=True), key=lambda pair: (-pair[0], state.ids[pair[1]]))
    filled = order + [position for _, position in best[: limit - len(order)]]
    return sorted(filled, key=lambda position: -score[position])
