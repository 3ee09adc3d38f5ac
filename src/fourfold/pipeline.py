"""The seven steps of the method, in order.

    score(n) = α·embedding(n) + β·text(n) + γ·graph(n) + δ·intent(n)

| step | here |
|---|---|
| 1 classify | ``intent.classify`` |
| 2 weights | ``choose_weights`` |
| 3 text ∥ embedding | ``text_and_embedding`` |
| 4 seeds | ``choose_seeds`` |
| 5 graph ∥ intent edges | ``graph_component``, ``intent_component`` |
| 6 combine | ``combine`` |
| 7 diversify | ``diversify`` |

Everything is an array over the nodes of one index; node ids, SQL and caches are the retriever's business.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fourfold import signals
from fourfold.config import GraphConfig, RetrievalConfig
from fourfold.edge_types import UNTYPED
from fourfold.errors import SearchError
from fourfold.index import Adjacency, Index
from fourfold.intent import NO_INTENT, IntentSpec, classify, find_spec
from fourfold.signals.graph import Spread
from fourfold.signals.scaling import by_maximum, min_max, standard_scores, top_positions
from fourfold.types import COMPONENTS, FloatArray, Intent, Weights

logger = logging.getLogger(__name__)

MODES = ("hybrid", "text", "embedding")
_SECOND_HOP_FROM = 20


@dataclass(frozen=True)
class Query:
    """One question as the pipeline takes it.

    ``vector`` is None where there is none or the embedder failed; ``mask`` (n_nodes,) holds the nodes the filter
    keeps; ``phrases`` returns FTS5 rows for a phrase; ``asked_types`` returns how much the words of the query that are
    not in the name of the given node ask for each edge type, (n_types,) in [0, 1], or None where there is no choice.
    """

    text: str
    words: Sequence[tuple[str, tuple[str, ...]]]
    limit: int
    mode: str = "hybrid"
    vector: FloatArray | None = None
    mask: NDArray[np.bool_] | None = None
    intent: str | None = None
    weights: Weights | Mapping[str, float] | None = None
    phrases: Callable[[str, int | None], Sequence[tuple[int, float]]] = lambda phrase, limit: ()
    asked_types: Callable[[int], FloatArray | None] = lambda position: None
    failed: tuple[str, ...] = ()


@dataclass
class Scores:
    """What the steps have found so far: one array per component, (n_nodes,), in [0, 1]; and how it came about."""

    spec: IntentSpec
    weights: Weights
    components: dict[str, FloatArray]
    term_weights: dict[str, float] = field(default_factory=dict)
    cosines: FloatArray | None = None
    seeds: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    seed_weights: FloatArray = field(default_factory=lambda: np.empty(0))
    graph_spread: Spread | None = None
    intent_spread: Spread | None = None
    total: FloatArray = field(default_factory=lambda: np.empty(0))
    candidates: NDArray[np.bool_] | None = None
    order: list[int] = field(default_factory=list)
    bonus: dict[int, float] = field(default_factory=dict)
    communities: NDArray[np.int32] | None = None
    failed: tuple[str, ...] = ()


def run(index: Index, query: Query, config: RetrievalConfig) -> Scores:
    """Answer one query.

    Raises:
        SearchError: every component that could have answered failed.

    """
    specs = config.intents.specs
    spec = find_spec(classify(query.text, specs) if query.intent is None else query.intent, specs)
    weights = choose_weights(spec, query, index, config)
    zeros = np.zeros(len(index), np.float32)
    scores = Scores(spec, weights, dict.fromkeys(COMPONENTS, zeros), failed=query.failed)

    text_and_embedding(scores, index, query, config)
    choose_seeds(scores, index, query, config)
    _attempt("graph", scores, lambda: graph_component(scores, index, query, config))
    _attempt("intent", scores, lambda: intent_component(scores, index, query, config))
    asked = {name for name, weight in weights.as_dict().items() if weight}
    if asked <= set(scores.failed):
        raise SearchError(f"Every component with a weight failed: {', '.join(sorted(asked))}.")
    combine(scores, index, query, config)
    diversify(scores, index, query, config)
    if config.fusion.fill:
        fill(scores, index, query)
    return scores


# -- 2 weights ----------------------------------------------------------------------------------------------------


def choose_weights(spec: IntentSpec, query: Query, index: Index, config: RetrievalConfig) -> Weights:
    """Return the caller's weights, or the intent's."""
    if query.weights is not None and (isinstance(query.weights, Weights) or query.weights):
        weights = explicit_weights(query.weights, config)
    elif config.fusion.intent_tilt is None:
        weights = spec.profile or config.fusion.weights
    else:
        weights = tilted(spec, config)
    return _usable(weights, index, query) if config.fusion.normalize_weights else weights


def explicit_weights(given: Weights | Mapping[str, float], config: RetrievalConfig) -> Weights:
    """Return a caller's weights; what a mapping leaves out is filled in as the method has it."""
    if isinstance(given, Weights):
        return given
    return Weights(**{**config.fusion.partial_weights.as_dict(), **given})


def tilted(spec: IntentSpec, config: RetrievalConfig) -> Weights:
    """Return the global weights, tilted towards the intent's profile: w ∝ global · (profile / mean profile)^τ."""
    profiles = [s.profile.as_tuple() for s in config.intents.specs if s.profile is not None and s.name in set(Intent)]
    if spec.profile is None or not config.fusion.intent_tilt or not profiles:
        return config.fusion.weights
    means = [sum(values) / len(profiles) for values in zip(*profiles, strict=True)]
    triples = zip(config.fusion.weights.as_tuple(), spec.profile.as_tuple(), means, strict=True)
    return Weights(*(w * (own / mean if mean > 0 else 1.0) ** config.fusion.intent_tilt for w, own, mean in triples))


def _usable(weights: Weights, index: Index, query: Query) -> Weights:
    """Give the weight of components without data to the others, and divide by the sum."""
    has_data = {
        "embedding": index.has_vectors and query.vector is not None and query.mode != "text",
        "text": query.mode != "embedding",
        "graph": len(index.adjacency) > 0,
        "intent": index.adjacency.has_types,
    }
    kept = {name: value if has_data[name] else 0.0 for name, value in weights.as_dict().items()}
    largest = max(kept.values())
    if largest <= 0:
        return weights
    total = sum(value / largest for value in kept.values())  # the sum itself might overflow
    return Weights(**{name: value / largest / total for name, value in kept.items()})


# -- 3 text ∥ embedding -------------------------------------------------------------------------------------------


def text_and_embedding(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> None:
    """Score every node by words and by meaning, and bring both on their scale."""
    raw: dict[str, FloatArray] = {}
    phrase = np.zeros(0, np.float32)
    keep = config.fusion.candidate_multiplier * query.limit
    if query.mode != "embedding":
        scores.term_weights = signals.text.term_weights(
            query.words, scores.spec.keywords, config.text.keyword_boost, prefix=config.text.keyword_prefix
        )
        _attempt("text", scores, lambda: raw.update(text=signals.text.score(index, scores.term_weights)))
        if "text" in raw and (wanted := _phrase(query.text, config)):
            found: list[FloatArray] = []
            _attempt("text", scores, lambda: found.append(_phrase_scores(index, query, wanted, keep)))
            phrase = found[0] if found else phrase
    if query.mode != "text" and query.vector is not None and index.has_vectors:
        vector = query.vector
        _attempt("embedding", scores, lambda: raw.update(embedding=signals.embedding.score(index.matrix, vector)))
        scores.cosines = raw.get("embedding")
    if not raw and scores.failed:
        raise SearchError(f"Every component that could answer failed: {', '.join(scores.failed)}.")

    if config.fusion.scaling == "max":
        scaled = _own_scales(raw, keep, query.mask, index)
    elif config.fusion.scaling == "min-max":
        scaled, scores.candidates = _candidate_scales(raw, keep, query.mask, index)
    else:
        scaled = _shared_scale(raw, index, config)
    if phrase.any():
        scaled["text"] = np.maximum(scaled["text"], phrase)
    scores.components.update(scaled)


def _own_scales(
    raw: Mapping[str, FloatArray], keep: int, mask: NDArray[np.bool_] | None, index: Index
) -> dict[str, FloatArray]:
    """Divide each component by its own maximum; of embeddings only the best are kept (published).

    In float64, for equal sums of different summands must tie.
    """
    scaled = {}
    for name, values in raw.items():
        allowed = values.astype(np.float64) if mask is None else np.where(mask, values, 0.0)
        if name == "embedding":
            best = _best(allowed, keep, index)
            allowed[np.setdiff1d(np.arange(len(index)), best)] = 0.0
        scaled[name] = by_maximum(allowed)
    return scaled


def _candidate_scales(
    raw: Mapping[str, FloatArray], keep: int, mask: NDArray[np.bool_] | None, index: Index
) -> tuple[dict[str, FloatArray], NDArray[np.bool_]]:
    """Scale the best of each component from 0 to 1 (two-signal search), and tell who was among them."""
    scaled = {}
    candidates = np.zeros(len(index), bool)
    for name, values in raw.items():
        allowed = values if mask is None else np.where(mask, values, np.float32(0.0))
        best = np.array(_best(allowed, keep, index), np.int64)
        scaled[name] = np.zeros_like(values)
        scaled[name][best] = min_max(values[best])
        candidates[best] = True
    return scaled, candidates


def _shared_scale(raw: Mapping[str, FloatArray], index: Index, config: RetrievalConfig) -> dict[str, FloatArray]:
    """Divide the standard scores of both components by the query's single largest: peakedness is evidence."""
    populations = {"embedding": index.n_vectors, "text": len(index)}
    standard = {
        name: standard_scores(values, background=config.fusion.background, population=populations[name])
        for name, values in raw.items()
    }
    top = max((float(values.max(initial=0.0)) for values in standard.values()), default=0.0)
    if top > 0:
        for values in standard.values():
            values *= np.float32(1.0 / top)
    return standard


def _phrase_scores(index: Index, query: Query, phrase: str, keep: int) -> FloatArray:
    """Return what FTS5 finds for the phrase, divided by its maximum, (n_nodes,)."""
    rows = query.phrases(phrase, None if query.mask is not None else keep)
    return by_maximum(signals.text.phrase_scores(index, rows, keep, query.mask))


def _phrase(text: str, config: RetrievalConfig) -> str | None:
    """Return the phrase to look up by FTS5, if any."""
    if config.text.phrase == "never":
        return None
    if config.text.phrase == "always":
        return text
    parts = text.split('"')
    return max(parts[1::2], key=len).strip() or None if len(parts) >= 3 else None


# -- 4 seeds ------------------------------------------------------------------------------------------------------


def choose_seeds(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> None:
    """Take the best by text and the best by embedding; a sharper seed weight trusts the best more."""
    if not len(index.adjacency):
        return
    chosen: set[int] = set()
    for name in ("text", "embedding"):
        values = scores.components[name]
        allowed = values if query.mask is None else values * query.mask
        chosen.update(_best(allowed, config.seeds.per_component, index))
    scores.seeds = np.array(sorted(chosen), np.int64)
    if config.seeds.sharpness is None or not chosen:
        scores.seed_weights = np.ones(len(chosen))
        return
    weights = scores.weights
    base = (
        weights.embedding * scores.components["embedding"][scores.seeds].astype(np.float64)
        + weights.text * scores.components["text"][scores.seeds]
    )
    best = base.max()
    scores.seed_weights = np.exp(config.seeds.sharpness * (base / best - 1.0)) if best > 0 else np.ones(len(chosen))


# -- 5 graph ∥ intent edges ---------------------------------------------------------------------------------------


def graph_component(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> FloatArray:
    """Spread the seeds along typed edges, blend in PageRank; of the seeds' weight, or of the maximum."""
    adjacency = index.adjacency
    if not len(adjacency) or not len(scores.seeds):
        return scores.components["graph"]
    spread = scores.graph_spread = _spread(config.graph, adjacency, config.graph.weights_of(adjacency.type_names))
    proximity = signals.graph.score(
        adjacency, scores.seeds, scores.seed_weights, spread, query.mask, second_hop=config.graph.second_hop
    )
    if config.graph.published_second_hop and scores.spec.second_hop:
        best = np.array(_best(proximity, _SECOND_HOP_FROM, index), np.int64)
        proximity = signals.graph.published_second_hop(adjacency, proximity, scores.seeds, best, query.mask)
    if config.graph.pagerank_share and len(adjacency) >= config.graph.pagerank_min_edges:
        proximity = signals.graph.with_pagerank(proximity, index.pagerank(), config.graph.pagerank_share, query.mask)
    if config.fusion.scaling == "standard":
        share: FloatArray = np.minimum(proximity / scores.seed_weights.sum(), 1.0)
        return share
    return by_maximum(proximity)


def intent_component(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> FloatArray:
    """Follow the intent's edge types, and those whose label is close to the query's words, from the same seeds."""
    adjacency = index.adjacency
    if not scores.weights.intent or not len(adjacency) or not len(scores.seeds):
        return scores.components["intent"]
    type_weights = signals.intent.fixed_types(adjacency, scores.spec.edge_types)
    second_hop = 0.0
    if config.intents.chosen_types and scores.spec.name != NO_INTENT:
        best = int(scores.seeds[np.argmax(scores.seed_weights)])
        if (asked := query.asked_types(best)) is not None:
            type_weights = np.maximum(type_weights, config.intents.chosen_types * asked)
            second_hop = config.intents.chosen_second_hop
    scores.intent_spread = _spread(config.graph, adjacency, type_weights)
    return signals.intent.score(
        adjacency, scores.seeds, scores.seed_weights, scores.intent_spread, query.mask, second_hop=second_hop
    )


def _spread(config: GraphConfig, adjacency: Adjacency, type_weights: FloatArray) -> Spread:
    backward: float | FloatArray = config.backward
    if UNTYPED in adjacency.type_names:
        backward = adjacency.by_type({UNTYPED: config.untyped_backward}, config.backward)
    return Spread(
        type_weights,
        config.forward,
        backward,
        config.use_weights,
        config.degree_exponent,
        config.hub_cap,
    )


# -- 6 combine ----------------------------------------------------------------------------------------------------


def combine(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> None:
    """Add up the weighted components and take the best; ties go to the smaller id."""
    total = np.zeros(len(index))
    for name, weight in scores.weights.as_dict().items():
        component = scores.components[name]
        if not weight:
            continue
        if name in ("graph", "intent"):  # few nodes are reached
            reached = np.nonzero(component > 0)[0]
            total[reached] += weight * component[reached]
        else:
            total += component * component.dtype.type(weight)
    if query.mask is not None:
        total *= query.mask
    total[index.hidden] = 0.0
    scores.total = total
    # the last of the candidates is worth 0 by min–max, and is a hit all the same
    ranked = total if scores.candidates is None else np.where(scores.candidates, total + 1.0, 0.0)
    scores.order = _best(ranked, query.limit, index)


# -- 7 diversify --------------------------------------------------------------------------------------------------


def diversify(scores: Scores, index: Index, query: Query, config: RetrievalConfig) -> None:
    """Give the first hit of each community a little more, and sort again."""
    enough = len(index.adjacency) >= config.diversity.min_edges and len(scores.order) > config.diversity.min_hits
    if not config.diversity.bonus or not enough:
        return
    communities = index.communities(exact=config.diversity.exact_communities)
    if communities.max(initial=-1) < 1:
        return
    scores.communities = communities
    seen = {-1}
    for position in scores.order:
        community = int(communities[position])
        if community not in seen:
            seen.add(community)
            scores.bonus[position] = config.diversity.bonus * float(scores.total[position])
    final = {position: final_score(scores, position, config) for position in scores.order}
    scores.order.sort(key=lambda position: (-final[position], index.ids[position]))


def fill(scores: Scores, index: Index, query: Query) -> None:
    """Where fewer nodes than asked for stand above the background, add the nearest of the rest with a score of 0.

    In tiny graphs, and behind a filter, the nodes nearest to a query can all lie below the corpus's mean.
    """
    missing = query.limit - len(scores.order)
    if missing <= 0 or scores.cosines is None or not scores.weights.embedding or not scores.cosines.any():
        return
    free = index.rows.has_vector if query.mask is None else index.rows.has_vector & query.mask
    free = free.copy()
    free[index.hidden] = False
    free[scores.order] = False
    rest = np.nonzero(free & (scores.total == 0.0))[0]
    nearest = rest[np.argsort(-scores.cosines[rest], kind="stable")][:missing].tolist()
    scores.order += nearest


def final_score(scores: Scores, position: int, config: RetrievalConfig) -> float:
    """Return the score of a node as the caller sees it."""
    score = float(scores.total[position]) + scores.bonus.get(position, 0.0)
    return min(score, 1.0) if config.fusion.clip else score


def _best(values: FloatArray, count: int, index: Index) -> list[int]:
    """Return the positions of the ``count`` largest positive values, best first; ties go to the smaller id."""
    ids = index.ids
    found: list[int] = top_positions(values, count).tolist()
    ranked = sorted(zip(values[found].tolist(), found, strict=True), key=lambda pair: (-pair[0], ids[pair[1]]))
    return [position for _, position in ranked[:count]]


def _attempt(name: str, scores: Scores, step: Callable[[], FloatArray | None]) -> None:
    """Run a component; if it fails the others answer, and the result says so."""
    try:
        found = step()
    except Exception:
        logger.exception("The %s component failed and is left out of this answer", name)
        scores.failed = (*scores.failed, name)
        return
    if found is not None:
        scores.components[name] = found
