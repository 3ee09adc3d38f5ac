"""How surely the graph knows what a question asks: for each hit, and for the whole answer.

A hit's evidence is its own words and meaning. What a hit owes to the graph (edges, paths, bridges) it was told by
others, so as far as its score came that way, wholly from half of it on, it stands on the answer's best evidence. Where
paths answer, the evidence of the node that a question names counts as far as words are sure of where they lead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourfold.index import ordered
from fourfold.index.base import Nodes
from fourfold.scores import Query, Scores
from fourfold.signals import confidence
from fourfold.signals.confidence import Calibration
from fourfold.types import UNKNOWN_BELOW, FloatArray, Grounds

_LEADING = 5
"""The answer's evidence is that of its hits, of so many best nodes by text, and as many by embedding."""


@dataclass(frozen=True)
class Told:
    """What stands behind the nodes asked for, in their order, and behind the answer."""

    nodes: tuple[Grounds, ...]
    answer: Grounds


def told(scores: Scores, query: Query, nodes: Sequence[int], calibration: Calibration) -> Told:
    """Return what stands behind nodes, and behind the best nodes by text and embedding."""
    here = np.array(nodes, np.int64)
    everyone = np.concatenate((here, ordered.without(_leading(scores), np.sort(here))))
    terms = dict.fromkeys(term for _, terms in query.words for term in terms)
    numbers = scores.term_numbers or scores.snapshot.term_numbers(terms)
    snapshot = scores.snapshot
    either = [
        [scores.term_numbers[one] for one in (term, *query.pairs[term]) if one in scores.term_numbers]
        for term in terms
        if term in query.pairs
    ]
    known = [numbers[term] for term in terms if term in numbers and term not in query.pairs]
    unknown = len(terms) - len(known) - len(either)
    covered = confidence.covered(snapshot.text, snapshot.size, known, unknown, everyone, either)
    ranking = scores.rankings.get("embedding")
    cosines = None if ranking is None else ranking.at(everyone)
    own = calibration.evidence(cosines, covered)
    told_of = own * _for_what_is_asked(scores, everyone)
    best = int(np.argmax(told_of)) if len(own) else -1
    sure = _confidence(calibration, scores, here, told_of)
    if scores.asked is not None:  # what it names is known, whatever is asked of it
        sure = np.maximum(sure, np.minimum(_confidence(calibration, scores, here, own), UNKNOWN_BELOW))
    meant = [None] * len(everyone) if cosines is None else cosines.astype(float).tolist()
    shares, led, sureness = covered.tolist(), _led_to(scores, here).tolist(), sure.tolist()
    return Told(
        tuple(Grounds(sureness[place], meant[place], shares[place], led[place]) for place in range(len(here))),
        Grounds(sureness[-1], meant[best], shares[best]) if len(own) else Grounds(0.0, None, 0.0),
    )


def _leading(scores: Scores) -> Nodes:
    """Return the best nodes by text and the best by embedding."""
    pool = scores.pool
    places = [(-values).argsort(kind="stable")[:_LEADING] for values in pool.values.values()]
    return pool.nodes[ordered.distinct(np.concatenate(places))] if places else pool.nodes[:0]


def _confidence(calibration: Calibration, scores: Scores, nodes: Nodes, evidence: FloatArray) -> FloatArray:
    """Return the confidence of nodes, the first of those that evidence is of, and last that of the whole answer."""
    most = float(evidence.max(initial=0.0))
    return calibration.of(np.append(np.maximum(evidence[: len(nodes)], _owed(scores, nodes) * most), most))


def _for_what_is_asked(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return how far each node's own evidence speaks for what is asked.

    That of a named node, as far as it has stepped back, speaks for where its edges lead only as far as words are sure
    of these: "who is the dentist of X" is no better known for X, where no edge is anything like a dentist.
    """
    if scores.asked is None:
        return np.ones(len(nodes))
    answer, back = scores.asked.answer, scores.asked.back
    return np.where(ordered.contains(answer.named, nodes), 1.0 - (1.0 - back) * (1.0 - answer.sure), 1.0)


def _led_to(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return how surely words of the question ask for edges that lead to nodes from what it names, in [0, 1]."""
    return np.zeros(len(nodes)) if scores.asked is None else scores.asked.answer.sure * scores.ends.at(nodes)


def _owed(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return how far nodes stand on others' evidence: twice the share of the score by edges and bridges, at most 1."""
    weights = scores.weights
    if not len(scores.table.nodes):
        return np.zeros(len(nodes))
    places = np.minimum(np.searchsorted(scores.table.nodes, nodes), len(scores.table.nodes) - 1)
    known = {name: values[places] for name, values in scores.table.components.items()}
    by_itself = weights.embedding * known["embedding"] + weights.text * known["text"]
    by_others = weights.graph * known["graph"] + weights.intent * known["intent"]
    if scores.bridges is not None:
        by_others = by_others + scores.bridges.gained.at(nodes)
    total = by_itself + by_others
    scored = (total > 0) & (scores.table.nodes[places] == nodes)  # what only fills the answer up is no candidate
    share: FloatArray = np.divide(2.0 * by_others, total, out=np.zeros(len(nodes)), where=scored)
    return np.minimum(share, 1.0)
