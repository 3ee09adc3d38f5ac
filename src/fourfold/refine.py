"""What refines an answer beside the four components: each reads the candidates that the steps before it found.

``late_interaction`` looks at the best by text and embedding word by word; ``bridges`` follows what the best passages
leave open to the nodes that add it; ``coverage`` tells next what of the question is not told yet; ``sides`` lets the
two things that a comparison names take turns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import Bridge, RetrievalConfig
from fourfold.edge_types import MENTIONS, OF_DOCUMENTS
from fourfold.index.base import NO_NODES, EdgePart, Nodes, NodeValues
from fourfold.language import name_matching
from fourfold.query import Query
from fourfold.ragged import difference
from fourfold.scores import EVERY_OTHER, Bridges, Covered, Scores, best, final_scores
from fourfold.signals import bridge, late, mentions
from fourfold.signals import coverage as covering
from fourfold.signals.bridge import Pairs
from fourfold.signals.late import Late
from fourfold.signals.sides import FIRST, NEITHER, SECOND, compared, taking_turns
from fourfold.types import FloatArray, Intent

FIRST_CANDIDATES = 128
"""So many of the best are asked of each part at first …"""

WIDER = 4
"""… and so many times more whenever a node outside might still belong to the answer."""

_PAIRS_SCORED = 5
"""Of the links from the best passages so many times those that are looked at in the end have their score asked for."""


def pieces_of(query: Query, config: RetrievalConfig) -> NDArray[np.int64]:
    """Return the distinct wordpieces of a question, ascending; none where nothing asks for them."""
    if not config.fusion.late.depth:
        return NO_NODES
    return late.distinct_pieces([query.topic])[0].astype(np.int64)


def late_interaction(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Scale text and embedding by how each of the best candidates has the question's wordpieces."""
    settings, snapshot = config.fusion.late, scores.snapshot
    if not settings.depth or not scores.rankings or not snapshot.tokens.size:
        return
    table = late.token_table(snapshot.notes)
    pieces = table.distinct([query.topic])[0]
    asked = late.ask(table, pieces, snapshot.tokens.frequency(pieces.astype(np.int64)), snapshot.size, settings)
    if asked is None:
        return
    named = scores.widen(query, settings.among)
    pool, weights = scores.pool, scores.weights.as_dict()
    values = {name: pool.at(name, named, scores) for name in pool.values}
    base = sum((weights[name] * each for name, each in values.items()), np.zeros(len(named)))
    nodes = best(named, base, settings.depth, snapshot)
    nodes.sort()
    if not len(nodes):
        return
    starts, held = snapshot.tokens.of(nodes)
    covered = late.maxsim(table, asked, starts, held, threshold=settings.threshold)
    factors = late.factors(covered, starts[1:] - starts[:-1], asked, settings).astype(np.float64)
    least = float(factors.min())
    power = settings.on_embedding if of_documents(snapshot.edges) else 1.0
    whole = Late(asked, nodes, factors, least, power, 1.0)
    every, lowest = whole.factors_of(named), whole.lowest
    outside = [floor * lowest[name] for name, floor in pool.floors.items()]
    top = max(*(float((each * every[name]).max()) for name, each in values.items()), *map(float, outside))
    if top > 0:
        scores.late = Late(asked, nodes, factors, least, power, top)
        scores.covered = Covered(nodes, covered)


def of_documents(edges: EdgePart) -> bool:
    """Tell whether a graph has no edges but those that documents are read into."""
    return all(edges.type_names[number] in OF_DOCUMENTS for number in edges.types_in_use)


def bridges(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Lift what one of the best passages shares a rare term or a mention with, or names, by what it adds to that."""
    settings = config.graph.bridge
    if not settings.weight or scores.late is None or not scores.order:
        return
    passages, called = np.array(scores.order[: settings.passages], np.int64), scores.called.nodes
    passages = np.concatenate((passages, ordered.without(called, np.sort(passages))))
    strength = bridge.strengths(scores.table.totals(passages), settings.sharpness)
    strength[ordered.contains(called, passages)] = 1.0
    few = max(settings.pairs * len(passages) // max(settings.passages, 1), settings.pairs)
    pairs, free = _links(scores, query, passages, _PAIRS_SCORED * few, settings)
    pairs = _promising(scores, query, pairs, strength, few, settings)
    if not len(pairs):
        return
    covered = covered_by(scores, np.concatenate((passages, pairs.nodes)), config)
    of_passages, of_nodes = covered[: len(passages)], covered[len(passages) :]
    leads_on = np.zeros(len(passages))
    leads_on[free] = settings.named
    gains = bridge.gains(pairs, strength, of_passages, of_nodes, scores.late.asked.weights, leads_on)
    if len(gains.nodes):
        weight = settings.weight * (scores.weights.embedding + scores.weights.text)
        whence = dict(zip(gains.nodes.tolist(), passages[gains.passages].tolist(), strict=True))
        by_name = frozenset(gains.nodes[gains.named].tolist())
        scores.bridges = Bridges(NodeValues(gains.nodes, weight * gains.values), whence, by_name)
        scores.add_up(query, scores.table.nodes, scores.table.components)


def _links(
    scores: Scores, query: Query, passages: Nodes, most: int, settings: Bridge
) -> tuple[Pairs, NDArray[np.int64]]:
    """Return what passages are linked to, and the places of those that no mention links."""
    snapshot = scores.snapshot
    mentioned = mentions.links(snapshot.edges, snapshot.hidden, passages, most, query.allowed)
    free = difference(np.arange(len(passages)), mentioned.passages)
    named = _names_held(scores, query, passages, free, settings)
    pairs = _shared_terms(scores, passages, settings)
    for others in (mentioned, named):
        pairs = bridge.joined(pairs, others) if len(others) else pairs
    if not len(snapshot.hidden):  # else it may be another part of the document
        leading = np.concatenate((mentioned.passages, named.passages[named.links == 1.0]))
        scores.mentioning = frozenset(passages[leading].tolist())
    return pairs if query.allowed is None else pairs.of(query.allowed.contains(pairs.nodes)), free


def _promising(scores: Scores, query: Query, pairs: Pairs, strength: FloatArray, few: int, settings: Bridge) -> Pairs:
    """Return the ``few`` links that promise most; those of several times as many have their score asked for."""
    most, ids = _PAIRS_SCORED * few, scores.snapshot.ids
    early: FloatArray = strength[pairs.passages] * pairs.links
    if len(scores.snapshot.hidden) and len(pairs) > most:  # the parts of a document are linked alike
        early = bridge.promised(pairs, strength, _first_look(scores, pairs.nodes), settings)
    pairs = bridge.chosen(pairs, early, most, ids)
    if not len(pairs):
        return pairs
    scores.take(ordered.distinct(pairs.nodes))
    scores.tabulate(query)
    promise = bridge.promised(pairs, strength, scores.table.totals(pairs.nodes), settings)
    return bridge.chosen(pairs, promise, few, ids)


def _first_look(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return text and embedding of nodes, weighed and summed, before anything refines them, (len(nodes),)."""
    distinct, place = ordered.numbered(nodes)
    weights = scores.weights.as_dict()
    found = (weights[name] * scores.first_stage(name, distinct) for name in scores.rankings)
    return sum(found, np.zeros(len(distinct)))[place]


def _shared_terms(scores: Scores, passages: Nodes, settings: Bridge) -> Pairs:
    """Link passages to the nodes that share a rare term with them which the question does not name."""
    size = scores.snapshot.size
    shared = scores.snapshot.text.shared(passages, settings.most(size), scores.term_numbers.values())
    return bridge.shared_terms(passages, shared, size=size)


def _names_held(scores: Scores, query: Query, passages: Nodes, free: NDArray[np.int64], settings: Bridge) -> Pairs:
    """Link the passages that no mention links, at the places ``free``, to the nodes whose names they hold.

    In graphs of whole texts, whose only edges, if any, are mentions. Identifiers are said in one piece or not at all:
    that a text holds "play" and "song" does not name playSong.
    """
    snapshot = scores.snapshot
    linked = any(snapshot.edges.type_names[number] != MENTIONS for number in snapshot.edges.types_in_use)
    if linked or not settings.named or len(snapshot.hidden) or not len(free):
        return Pairs.none()
    held = snapshot.text.names_held(passages[free], settings.most_holders, scores.term_numbers.values())
    pairs = Pairs(free[held.origin], held.nodes, held.shares)
    if query.allowed is not None:
        pairs = pairs.of(query.allowed.contains(pairs.nodes))
    if not len(pairs):
        return pairs
    in_words = [name_matching.said_in_words(name) for name in query.written_of(pairs.nodes)]
    return pairs.of(np.array(in_words, bool))


def covered_by(scores: Scores, nodes: Nodes, config: RetrievalConfig) -> NDArray[np.float32]:
    """Return how nodes cover the question's wordpieces, (len(nodes), n_asked); each is looked at once."""
    assert scores.late is not None
    assert scores.covered is not None
    known = ordered.contains(scores.covered.nodes, nodes)
    if np.count_nonzero(known) < len(known):
        missing = ordered.distinct(nodes[~known])
        starts, held = scores.snapshot.tokens.of(missing)
        table, threshold = late.token_table(scores.snapshot.notes), config.fusion.late.threshold
        new = late.maxsim(table, scores.late.asked, starts, held, threshold=threshold)
        scores.covered = scores.covered.grown(missing, new)
    return scores.covered.values[scores.covered.nodes.searchsorted(nodes)]


def coverage(scores: Scores, config: RetrievalConfig) -> None:
    """Re-order the best by what each adds, where their texts mention others or are mentioned, and no path answers.

    Scores are told relative to the first, so they stay in [0, 1] and descend.
    """
    settings, snapshot = config.diversity.coverage, scores.snapshot
    if not settings.weight or scores.late is None or scores.asked is not None or len(scores.order) < 2:
        return
    leading = scores.order[: settings.depth]
    nodes = np.array(leading, np.int64)
    most = _PAIRS_SCORED * config.graph.bridge.pairs
    if scores.mentioning.isdisjoint(leading) and not mentions.any_mention(snapshot.edges, nodes, most):
        return
    totals = final_scores(scores, leading, config)
    covered = covered_by(scores, nodes, config)
    order, factors = covering.reordered(totals, covered, scores.late.asked.weights, settings.weight)
    first = float(factors[order[0]])
    scores.covering = {node: float(factor) / first for node, factor in zip(leading, factors, strict=True)}
    scores.covering[EVERY_OTHER] = 1.0 / first
    scores.order = [leading[place] for place in order.tolist()] + scores.order[settings.depth :]


def sides_of(scores: Scores, query: Query, config: RetrievalConfig) -> list[dict[int, float]]:
    """Return the terms of the two sides that ``sides`` may look up; none where nothing is compared."""
    if not _compares(scores, config):
        return []
    known = scores.term_numbers
    found = [{known[term]: 1.0 for term in side if term in known} for side in compared(query.words) or ()]
    return found if all(found) else []


def sides(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Put what a comparison names first, and let the hits of both sides take turns."""
    if not _compares(scores, config) or not scores.order or (terms := compared(query.words)) is None:
        return
    numbers = scores.snapshot.term_numbers({term for side in terms for term in side})
    known = [[numbers[term] for term in side if term in numbers] for side in terms]
    heads = [_head_of(scores, query, side) for side in terms]
    if not all(known) or -1 in heads or heads[0] == heads[1]:
        return
    nodes, final = _ranked_with(heads, scores, query, config)
    if not set(heads) <= set(nodes.tolist()):
        return
    shares = [scores.snapshot.text.holds(side, nodes).mean(axis=1) for side in known]
    which = np.select([shares[0] > shares[1], shares[1] > shares[0]], [FIRST, SECOND], NEITHER).astype(np.int8)
    places = sorted(int(np.flatnonzero(nodes == head)[0]) for head in heads)
    order = taking_turns(which, places, len(scores.order))
    worth = np.sort(final[order])[::-1]
    scores.sides = {
        int(nodes[place]): float(value - final[place])
        for place, value in zip(order, worth, strict=True)
        if value != final[place]
    }
    scores.fixed.update(zip(nodes[order].tolist(), worth.tolist(), strict=True))
    scores.order = nodes[order].tolist()


def _compares(scores: Scores, config: RetrievalConfig) -> bool:
    return config.diversity.sides and scores.spec.name == Intent.COMPARISON


def _ranked_with(heads: list[int], scores: Scores, query: Query, config: RetrievalConfig) -> tuple[Nodes, FloatArray]:
    """Return all candidates of positive score, these nodes among them, best first, and their final scores."""
    scores.take(np.sort(np.array(heads, np.int64)))
    scores.tabulate(query)
    nodes = ordered.distinct(np.concatenate((np.array([*heads, *scores.order], np.int64), scores.pool.nodes)))
    nodes = nodes[scores.table.totals(nodes) > 0]
    final = final_scores(scores, nodes.tolist(), config)
    ranked = best(nodes, final, len(nodes), scores.snapshot)
    return ranked, final[nodes.searchsorted(ranked)]


def answerable(scores: Scores, query: Query, nodes: Nodes) -> Nodes:
    """Return those of some nodes that may be hits: the filter keeps them, and no chunks stand for them."""
    kept = nodes if query.allowed is None else nodes[query.allowed.contains(nodes)]
    return ordered.without(kept, scores.snapshot.hidden)


def _head_of(scores: Scores, query: Query, terms: Sequence[str]) -> int:
    """Return the best node that a side names; -1 where there is none: what merely holds the words is no side."""
    snapshot = scores.snapshot
    spans = name_matching.named([(term, (term,)) for term in terms], snapshot.term_numbers(terms), snapshot.names)
    whole = [span.nodes for span in spans if span.end - span.start == len(terms)]
    nodes = answerable(scores, query, whole[0] if whole else NO_NODES)
    found = best(nodes, scores.first_stage("text", nodes), 1, snapshot, positive=False)
    return int(found[0]) if len(found) else -1
