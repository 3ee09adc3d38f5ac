"""Why a node stands where it does: in one sentence on every hit, and summand by summand on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import signals
from fourfold.config import RetrievalConfig
from fourfold.index import Index
from fourfold.pipeline import Query, Scores, final_score
from fourfold.signals.graph import Spread
from fourfold.types import COMPONENTS, Components, Contribution, Explanation, FloatArray, Node

_NOTHING = 1e-6
"""A component below it is not worth naming."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """What one neighbour gave to a node along one edge."""

    neighbour: int
    type_name: str
    forward: bool
    value: float


def components_of(scores: Scores, position: int) -> Components:
    """Return the four component scores of a node as Python floats."""
    return Components(*(float(scores.components[name][position]) for name in COMPONENTS))


def method_of(components: Components) -> str:
    """Return the names of the components that scored the node, such as ``text+graph``."""
    return "+".join(name for name, value in components.as_dict().items() if value > _NOTHING)


def why(
    scores: Scores,
    index: Index,
    query: Query,
    hits: Mapping[int, str],
    look_up: Callable[[Sequence[int]], Mapping[int, str]],
) -> list[str]:
    """Return one sentence for each hit: matched words, similarity, and the edge that led there.

    Args:
        scores: what the pipeline found.
        index: the generation searched.
        query: the question.
        hits: the hits' names by position, in order.
        look_up: returns the names of further nodes by position.

    """
    positions = list(hits)
    matched = _matched_words(scores, index, query, positions)
    ways = _best_arrivals(index, positions, scores.graph_spread, scores.seeds, scores.seed_weights)
    ways = _best_arrivals(index, positions, scores.intent_spread, scores.seeds, scores.seed_weights) | ways
    elsewhere = {way.neighbour for way in ways.values()}.difference(hits)
    names = {**hits, **(look_up(sorted(elsewhere)) if elsewhere else {})}
    sentences = []
    for place, position in enumerate(positions):
        parts = []
        if matched[place]:
            parts.append("matches " + ", ".join(matched[place]))
        if (cosine := float(scores.components["embedding"][position])) > 0:
            parts.append(f"similar in meaning ({cosine:.2f})")
        if position in ways:
            parts.append(f"reached {_in_words(ways[position], index, names)}")
        elif float(scores.components["graph"][position]) > 0 or float(scores.components["intent"][position]) > 0:
            parts.append("near the best matches in the graph")
        if position in scores.bonus:
            parts.append("first of its community")
        sentences.append("; ".join(parts) or "nothing stands out; among the nearest of the rest in meaning")
    return sentences


def explanation(
    scores: Scores,
    index: Index,
    query: Query,
    config: RetrievalConfig,
    position: int,
    node: Node,
    rank: int | None,
    names: Mapping[int, str],
) -> Explanation:
    """Return the score of one node as a sum of contributions, and the same in words."""
    components = components_of(scores, position)
    masked = query.mask is not None and not query.mask[position]
    score = 0.0 if masked else final_score(scores, position, config)
    contributions: list[Contribution] = []
    for name, value in components.as_dict().items():
        share = getattr(scores.weights, name) * value
        if share:
            contributions += _split(name, share, scores, index, query, config, position, names)
    if bonus := scores.bonus.get(position):
        contributions.append(Contribution("diversity", "first hit of its community", bonus))
    total = sum(c.value for c in contributions)
    if masked:
        contributions.append(Contribution("filter", "the filter leaves this node out", -total))
    elif abs(total - score) > 1e-12:
        contributions.append(Contribution("rounding", "cut to 1 / rounding", score - total))
    standing = f"stands at rank {rank}" if rank else "is left out by the filter" if masked else "is not among the hits"
    lines = [
        f"{node.name or node.id} {standing} for {query.text!r} with a score of {score:.4f}.",
        f"Intent: {scores.spec.name}; weights: "
        + ", ".join(f"{name} {value:.3f}" for name, value in scores.weights.as_dict().items())
        + ".",
        *(f"{c.value:+.4f}  {c.component}: {c.evidence}" for c in contributions),
        f"{score:.4f}  score",
    ]
    if scores.failed:
        lines.append(f"Left out because they failed: {', '.join(scores.failed)}.")
    return Explanation(
        query.text,
        node,
        rank,
        score,
        scores.spec.name,
        scores.weights,
        components,
        tuple(contributions),
        "\n".join(lines),
    )


def _split(
    name: str,
    share: float,
    scores: Scores,
    index: Index,
    query: Query,
    config: RetrievalConfig,
    position: int,
    names: Mapping[int, str],
) -> list[Contribution]:
    """Split the weighted score of a component over its evidence."""
    value = float(scores.components[name][position])
    if name == "embedding":
        return [Contribution(name, f"similarity in meaning, {value:.4f} on its scale", share)]
    if name == "text":
        return _split_text(share, scores, index, position)
    spread = scores.graph_spread if name == "graph" else scores.intent_spread
    chosen_hop = config.intents.chosen_second_hop if config.intents.chosen_types else 0.0
    hop = config.graph.second_hop if name == "graph" else chosen_hop
    arrivals = _arrivals(index, [position], spread, scores.seeds, scores.seed_weights)
    evidence = [(_in_words(a, index, names), a.value) for _, a in arrivals]
    if hop and spread is not None:
        first = spread(index.adjacency, scores.seeds, scores.seed_weights, query.mask)
        reached = np.nonzero(first > 0)[0]
        through = _arrivals(index, [position], spread, reached, hop * first[reached])
        evidence += [(_in_words(a, index, names) + " (two hops)", a.value) for _, a in through]
    return _proportional(name, share, evidence, rest="the rest of the graph (PageRank and further hops)")


def _split_text(share: float, scores: Scores, index: Index, position: int) -> list[Contribution]:
    place = np.array([position])
    worth = {
        term: weight * float(signals.text.of_nodes(index, term, place)[0])
        for term, weight in scores.term_weights.items()
    }
    evidence = [(f"term {term!r}", value) for term, value in worth.items() if value > 0]
    return _proportional("text", share, evidence, rest="the phrase")


def _proportional(
    name: str, share: float, evidence: Sequence[tuple[str, float]], *, rest: str, shown: int = 5
) -> list[Contribution]:
    """Divide a share by the evidence; what is small is summed up."""
    total = sum(value for _, value in evidence)
    if total <= 0:
        return [Contribution(name, rest, share)]
    ranked = sorted(evidence, key=lambda pair: -pair[1])
    contributions = [Contribution(name, text, share * value / total) for text, value in ranked[:shown]]
    if len(ranked) > shown:
        others = sum(value for _, value in ranked[shown:])
        contributions.append(Contribution(name, f"{len(ranked) - shown} more", share * others / total))
    return contributions


def _matched_words(scores: Scores, index: Index, query: Query, positions: Sequence[int]) -> list[list[str]]:
    """Return the words of the query, as typed, that each node holds."""
    place = np.array(positions, np.int64)
    matched: list[list[str]] = [[] for _ in positions]
    for word, terms in dict(query.words).items():
        found = np.zeros(len(place), bool)
        for term in terms:
            if term in scores.term_weights:
                found |= signals.text.of_nodes(index, term, place) > 0
        for hit in np.nonzero(found)[0]:
            matched[hit].append(word)
    return matched


def _arrivals(
    index: Index, positions: Sequence[int], spread: Spread | None, givers: NDArray[np.int64], values: FloatArray
) -> list[tuple[int, _Arrival]]:
    """Return (node, what one of ``givers`` gives to it) for each edge between them, read from the nodes' side.

    Args:
        index: the generation searched.
        positions: the nodes that receive.
        spread: how scores spread; None gives nothing.
        givers: positions of the nodes that give, ascending.
        values: (len(givers),) what they give.

    """
    if spread is None or not len(givers) or not len(positions):
        return []
    adjacency = index.adjacency
    here = np.array(positions, np.int64)
    arrivals = []
    for links, factor in ((adjacency.into, spread.forward), (adjacency.out, spread.backward)):
        steps = links.expand(here)
        place = np.minimum(np.searchsorted(givers, steps.targets), len(givers) - 1)
        gain = values[place] * (spread.type_weights * factor)[steps.types] * (givers[place] == steps.targets)
        if spread.use_edge_weights:
            gain = gain * steps.weights
        if spread.degree_exponent:
            gain = gain * np.maximum(adjacency.degree[steps.targets], 1) ** -spread.degree_exponent
        for step in np.nonzero(gain)[0]:
            type_name = adjacency.type_names[steps.types[step]]
            arrival = _Arrival(int(steps.targets[step]), type_name, not links.forward, float(gain[step]))
            arrivals.append((int(here[steps.origin[step]]), arrival))
    return arrivals


def _best_arrivals(
    index: Index, positions: Sequence[int], spread: Spread | None, givers: NDArray[np.int64], values: FloatArray
) -> dict[int, _Arrival]:
    """Return the largest single gift to each node that got one."""
    best: dict[int, _Arrival] = {}
    for node, arrival in _arrivals(index, positions, spread, givers, values):
        if node not in best or arrival.value > best[node].value:
            best[node] = arrival
    return best


def _in_words(arrival: _Arrival, index: Index, names: Mapping[int, str]) -> str:
    arrow = "via" if arrival.forward else "against"
    return f"from {_name(arrival.neighbour, index, names)} {arrow} {arrival.type_name or 'an edge'}"


def _name(position: int, index: Index, names: Mapping[int, str]) -> str:
    return names.get(position) or index.ids[position]
