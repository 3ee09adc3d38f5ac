"""The seven steps of the method, in order.

    score(n) = α·embedding(n) + β·text(n) + γ·graph(n) + δ·intent(n)

| step | here |
|---|---|
| 1 classify | ``intent.classify`` |
| 2 weights | ``weighting.choose_weights`` |
| 3 embedding, text | ``ask_embedding``, ``ask_text``, ``bring_to_scale``, ``refine.late_interaction`` |
| 4 seeds | ``find_called``, ``choose_seeds`` |
| 5 graph, intent edges | ``graph_component``, ``intent_component``, ``follow_paths`` |
| 6 combine | ``combine``, ``refine.bridges`` |
| 7 diversify | ``diversify``, ``refine.coverage``, ``refine.sides`` |

Everything is computed for candidates only: the best by text, the best by embedding, and what the seeds reach. What no
part has named cannot belong to the answer: ``combine`` asks for more until that is certain (``index.base``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fourfold import ordered, phrases, refine, signals
from fourfold.config import RetrievalConfig
from fourfold.edge_types import UNTYPED
from fourfold.errors import SearchError
from fourfold.facts.following import follow_paths
from fourfold.facts.question import named_in
from fourfold.index.base import Beginning, Nodes, NodeValues
from fourfold.index.snapshot import Snapshot
from fourfold.intent import NO_INTENT, classify, find_spec
from fourfold.language import name_matching
from fourfold.query import MOST_WORDS, Query
from fourfold.scores import Scores, attempt, best, final_scores, least_of
from fourfold.signals.called import called, may_call
from fourfold.signals.graph import Spread
from fourfold.signals.scaling import MaximumScale, MinMaxScale, Scale, StandardScale
from fourfold.types import FloatArray
from fourfold.weighting import choose_weights

_SECOND_HOP_FROM = 20
"""The published second hop goes on from so many of the best by the first."""


def run(snapshot: Snapshot, query: Query, config: RetrievalConfig) -> Scores:
    """Answer one query.

    Raises:
        SearchError: every component that could have answered failed.

    """
    wanted = query.limit  # fewer than ``depth`` hits are the first of so many: what diversifies them looks at all
    query = replace(query, limit=max(wanted, min(config.diversity.depth, snapshot.size)))
    specs = config.intents.specs
    spec = find_spec(classify(query.text, specs) if query.intent is None else query.intent, specs)
    weights = choose_weights(spec, query.weights, config, has_data(snapshot, query), query.read)
    scores = Scores(snapshot, spec, weights, failed=query.failed)
    ask_embedding(scores, query)  # first: a large graph's codes are read beside the text
    ask_text(scores, query, config)
    if not scores.rankings and scores.failed:
        raise SearchError(f"Every component that could answer failed: {', '.join(scores.failed)}.")
    bring_to_scale(scores, query, config)
    attempt("late interaction", scores, lambda: refine.late_interaction(scores, query, config))
    attempt("names", scores, lambda: find_called(scores, query, config))
    choose_seeds(scores, query, config)
    attempt("graph", scores, lambda: graph_component(scores, query, config))
    attempt("intent", scores, lambda: intent_component(scores, query, config))
    asked = {name for name, weight in weights.as_dict().items() if weight}
    if asked <= set(scores.failed):
        raise SearchError(f"Every component with a weight failed: {', '.join(sorted(asked))}.")
    attempt("paths", scores, lambda: follow_paths(scores, query, config))
    combine(scores, query, config)
    attempt("bridges", scores, lambda: refine.bridges(scores, query, config))
    if scores.bridges is not None:
        scores.order = ranked(scores, query, config)
    diversify(scores, config)
    attempt("coverage", scores, lambda: refine.coverage(scores, config))
    attempt("sides", scores, lambda: refine.sides(scores, query, config))
    if config.fusion.fill:
        fill(scores, query)
    scores.order = scores.order[:wanted]
    return scores


def has_data(snapshot: Snapshot, query: Query) -> dict[str, bool]:
    """Tell which components can have a score at all."""
    edges = snapshot.edges
    return {
        "embedding": snapshot.vectors.size > 0 and query.vector is not None and query.mode != "text",
        "text": query.mode != "embedding",
        "graph": len(edges) > 0,
        "intent": any(edges.type_names[number] != UNTYPED for number in edges.types_in_use),
    }


# -- 3 embedding, text -------------------------------------------------------------------------------------------


def ask_text(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Put the question's terms to the postings, and its phrase to FTS5."""
    if query.mode == "embedding":
        return
    text = config.text
    scores.term_weights = signals.text.term_weights(
        query.words, scores.spec.keywords, text.keyword_boost, prefix=text.keyword_prefix, pairs=query.pairs
    )

    def ask() -> None:
        scores.term_numbers = numbers = scores.snapshot.term_numbers(scores.term_weights)
        if scores.snapshot.expect is not None:
            keys = name_matching.keys_of(query.words, numbers)
            beside = refine.sides_of(scores, query, config)
            scores.snapshot.expect(query.allowed, refine.pieces_of(query, config), keys, beside)
        terms = {numbers[term]: weight for term, weight in scores.term_weights.items() if term in numbers}
        scores.rankings["text"] = scores.snapshot.text.ask(terms)

    def look_up(phrase: str) -> None:
        keep = min(config.fusion.candidate_multiplier * query.limit, scores.snapshot.size)
        rows = phrases.holders(phrase, scores, query, None if query.allowed is not None else keep)
        scores.phrase, scores.phrase_asked = signals.text.phrase_scores(rows, keep, query.allowed), phrase

    attempt("text", scores, ask)
    if "text" in scores.rankings and (phrase := phrases.to_look_up(scores, query, text)):
        attempt("text", scores, lambda: look_up(phrase))


def ask_embedding(scores: Scores, query: Query) -> None:
    """Put the question's vector to the vectors."""
    vector = query.vector
    if query.mode == "text" or vector is None or not scores.snapshot.vectors.size:
        return

    def ask() -> None:
        scores.rankings["embedding"] = ranking = scores.snapshot.vectors.ask(vector)
        if isinstance(ranking, Beginning):
            ranking.begin(refine.FIRST_CANDIDATES, query.allowed)

    attempt("embedding", scores, ask)


def bring_to_scale(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Choose how raw scores become components.

    By default standard scores, all divided by the query's single largest: peakedness is evidence.
    """
    for name in sorted(scores.rankings, reverse=True):  # the text first, as long as codes may be read beside it

        def measure(name: str = name) -> None:
            scores.best_of(name, query, refine.FIRST_CANDIDATES)  # whoever has ranked knows its maximum
            scores.scales[name] = _scale(name, scores, query, config)

        attempt(name, scores, measure)
        if name not in scores.scales:
            del scores.rankings[name]
    standard = {name: scale for name, scale in scores.scales.items() if isinstance(scale, StandardScale)}
    tops = [scale.bound(scores.rankings[name].moments.maximum) for name, scale in standard.items()]
    top = max(tops, default=0.0) or 1.0
    for name, scale in standard.items():
        scores.scales[name] = StandardScale(scale.mean, scale.deviation, top)


def _scale(name: str, scores: Scores, query: Query, config: RetrievalConfig) -> Scale:
    ranking, fusion = scores.rankings[name], config.fusion
    if fusion.scaling == "standard":
        return StandardScale.of(ranking.moments, fusion.background)
    if fusion.scaling == "max" and name == "text":
        return MaximumScale(float(ranking.best(1, query.allowed).values.max(initial=0.0)))
    keep = fusion.candidate_multiplier * query.limit
    found = ranking.best(keep, query.allowed)
    # A vector store gives the nearest there are, those that point away too.
    negative = fusion.scaling == "min-max" and name == "embedding"
    some = found.values > (-np.inf if negative else 0)
    kept = best(found.nodes[some], found.values[some], keep, scores.snapshot, positive=not negative)
    values = ranking.at(kept).astype(np.float64)
    if fusion.scaling == "max":
        return MaximumScale(float(values.max(initial=0.0)), np.sort(kept))
    return MinMaxScale(float(values.min(initial=np.inf)), float(values.max(initial=-np.inf)), np.sort(kept))


# -- 4 seeds ------------------------------------------------------------------------------------------------------


def find_called(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Find what the question calls by its name: of several of one name the best by text and embedding."""
    words = query.words
    if "text" not in scores.rankings or not config.text.called or len(words) > MOST_WORDS:
        return
    if not may_call(words, of_documents=refine.of_documents(scores.snapshot.edges)):
        return

    def best_of(nodes: Nodes) -> int | None:
        nodes = refine.answerable(scores, query, nodes)
        found = best(nodes, scores.own_worth(nodes), 1, scores.snapshot, positive=False)
        return int(found[0]) if len(found) else None

    scores.called = called(named_in(scores, query), words, query.written_of, best_of)
    scores.take(scores.called.nodes)


def choose_seeds(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Take the best by text and the best by embedding; a sharper seed weight trusts the best more."""
    count = config.seeds.per_component
    if not len(scores.snapshot.edges) or not count:
        return
    if scores.pool.count < refine.FIRST_CANDIDATES:
        scores.widen(query, refine.FIRST_CANDIDATES)
    while True:
        pool = scores.pool
        factors, lowest = scores.factors(pool.nodes), scores.lowest
        values = {name: pool.values[name] * factors[name] for name in scores.rankings}
        outside = {name: pool.floors[name] * lowest[name] for name in values}
        if all(least_of(each, count) > outside[name] or outside[name] <= 0 for name, each in values.items()):
            break
        if scores.everything:
            break
        scores.widen(query, pool.count * refine.WIDER)
    chosen = [best(pool.nodes, each, count, scores.snapshot) for each in values.values()]
    scores.seeds = ordered.distinct(np.concatenate((scores.called.nodes, *chosen)))
    scores.seed_weights = np.ones(len(scores.seeds))
    if config.seeds.sharpness is None or not len(scores.seeds):
        return
    weights = scores.weights.as_dict()
    places = pool.nodes.searchsorted(scores.seeds)
    base = sum((weights[name] * each[places] for name, each in values.items()), np.zeros(len(places)))
    if base.max() > 0:
        scores.seed_weights = np.exp(config.seeds.sharpness * (base / base.max() - 1.0))
        scores.seed_weights[ordered.contains(scores.called.nodes, scores.seeds)] = 1.0


# -- 5 graph, intent edges ---------------------------------------------------------------------------------------


def graph_component(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Spread the seeds along typed edges, blend in PageRank; of the seeds' weight, or of the maximum."""
    edges, graph = scores.snapshot.edges, config.graph
    if not len(scores.seeds):
        return
    spread = _spread(scores.snapshot, config, graph.weights_of(edges.type_names), graph.second_hop)
    walk = signals.graph.score(edges, scores.seeds, scores.seed_weights, spread, query.allowed)
    if graph.published_second_hop and scores.spec.second_hop:
        near = best(walk.reached.nodes, walk.reached.values, _SECOND_HOP_FROM, scores.snapshot)
        walk = signals.graph.published_second_hop(edges, walk, scores.seeds, near, query.allowed)
    scores.graph_proximity, proximity = walk, walk.reached
    if graph.pagerank_share and len(edges) >= graph.pagerank_min_edges:
        ranks = scores.snapshot.pagerank()
        proximity, scores.pagerank = signals.graph.with_pagerank(proximity, ranks, graph.pagerank_share, query.allowed)
    if config.fusion.scaling == "standard":
        share = np.minimum(proximity.values / scores.seed_weights.sum(), 1.0)
        size = scores.snapshot.size + config.fusion.background
        scores.graph = NodeValues(proximity.nodes, signals.graph.above_background(share, size, graph.background))
    else:
        scores.graph = NodeValues(proximity.nodes, signals.scaling.by_maximum(proximity.values))


def intent_component(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Follow the intent's edge types, and those whose label is close to the query's words, from the same seeds."""
    edges, intents = scores.snapshot.edges, config.intents
    if not scores.weights.intent or not len(scores.seeds):
        return
    type_weights = signals.intent.fixed_types(edges, scores.spec.edge_types, related=config.graph.related_types)
    second_hop = 0.0
    if intents.chosen_types and scores.spec.name != NO_INTENT:
        start = int(best(scores.seeds, scores.seed_weights, 1, scores.snapshot)[0])
        if (asked := query.asked_types(start)) is not None:
            type_weights = np.maximum(type_weights, intents.chosen_types * asked)
            second_hop = intents.chosen_second_hop
    spread = _spread(scores.snapshot, config, type_weights, second_hop)
    scores.intent_proximity, scores.intent = signals.intent.score(
        edges, scores.seeds, scores.seed_weights, spread, query.allowed
    )


def _spread(snapshot: Snapshot, config: RetrievalConfig, type_weights: FloatArray, second_hop: float) -> Spread:
    graph, types = config.graph, snapshot.edges.type_names
    backward: float | FloatArray = graph.backward
    if UNTYPED in types:
        backward = np.array([graph.untyped_backward if name == UNTYPED else graph.backward for name in types])
    return Spread(
        type_weights,
        graph.forward,
        backward,
        graph.edge_weights,
        graph.degree_exponent,
        graph.hub_cap,
        second_hop,
        snapshot.hidden,
        graph.to_parts,
    )


# -- 6 combine ----------------------------------------------------------------------------------------------------


def combine(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Add up the weighted components and take the best; ties go to the smaller id.

    Candidates are widened until no node outside can be among the ``limit`` best: it has at most what the floors of text
    and embedding leave it, and nothing by the graph, or it would have been reached.
    """
    weights = scores.weights.as_dict()
    reached = ordered.distinct(np.concatenate((scores.graph.nodes, scores.intent.nodes, scores.ends.nodes)))
    beside = scores.edge_components(reached)
    near = weights["graph"] * beside["graph"] + weights["intent"] * beside["intent"]
    lowest = scores.lowest
    count = max(refine.FIRST_CANDIDATES, 2 * query.limit)
    while True:
        if scores.pool.count < count:
            scores.widen(query, count)
        outside = float(sum(weights[name] * floor * lowest[name] for name, floor in scores.pool.floors.items()))
        scores.tabulate(query)
        named = scores.pool
        scores.take(reached[near + outside >= least_of(scores.table.total, query.limit)])
        if scores.pool is not named:
            scores.tabulate(query)
        if outside <= 0.0 or outside < least_of(scores.table.total, query.limit) or scores.everything:
            break
        count = scores.pool.count * refine.WIDER
    scores.order = ranked(scores, query, config)


def ranked(scores: Scores, query: Query, config: RetrievalConfig) -> list[int]:
    """Return the best candidates, best first."""
    table = scores.table
    hits = table.total > 0
    if config.fusion.scaling == "min-max":  # the last of the candidates is worth 0, and is a hit all the same
        kept = [ordered.contains(scale.kept, table.nodes) for scale in scores.scales.values() if scale.kept is not None]
        hits |= np.any(kept, axis=0) & ~ordered.contains(scores.snapshot.hidden, table.nodes)
    found = best(table.nodes[hits], table.total[hits], query.limit, scores.snapshot, positive=False)
    order: list[int] = found.tolist()
    return order


# -- 7 diversify --------------------------------------------------------------------------------------------------


def diversify(scores: Scores, config: RetrievalConfig) -> None:
    """Give the first hit of each community a little more, and sort again."""
    diversity, snapshot = config.diversity, scores.snapshot
    enough = len(snapshot.edges) >= diversity.min_edges and len(scores.order) > diversity.min_hits
    if not diversity.bonus or not enough:
        return
    communities = snapshot.communities(exact=diversity.exact_communities)
    if communities.count < 2:
        return
    order = np.array(scores.order, np.int64)
    scores.communities = dict(zip(scores.order, communities.of(order).tolist(), strict=True))
    seen = {-1}
    for (node, community), total in zip(scores.communities.items(), scores.table.totals(order).tolist(), strict=True):
        if community not in seen:
            seen.add(community)
            scores.bonus[node] = diversity.bonus * total
    final = final_scores(scores, scores.order, config)
    scores.order = best(order, final, len(order), snapshot, positive=False).tolist()


def fill(scores: Scores, query: Query) -> None:
    """Where fewer nodes than asked for stand above the background, add the nearest of the rest with a score of 0.

    In tiny graphs, and behind a filter, the nodes nearest to a query can all lie below the corpus's mean.
    """
    missing = query.limit - len(scores.order)
    ranking = scores.rankings.get("embedding")
    if missing <= 0 or ranking is None or not scores.weights.embedding or not np.any(query.vector):
        return
    hidden = scores.snapshot.hidden
    found = ranking.best(query.limit + len(scores.order) + len(hidden), query.allowed)
    taken = ordered.distinct(np.array(scores.order, np.int64))
    free = ~ordered.contains(taken, found.nodes) & ~ordered.contains(hidden, found.nodes)
    scores.order += best(found.nodes[free], found.values[free], missing, scores.snapshot, positive=False).tolist()
