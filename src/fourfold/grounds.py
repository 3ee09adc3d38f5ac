"""How surely the graph knows what a question asks: for each hit, and for the whole answer.

A hit's evidence is its own words and meaning. What a hit owes to the graph (edges, paths, bridges) it was told by
others, so as far as its score came that way, wholly from half of it on, it stands on the evidence of those it came
from: of seeds as they gave, of the passage behind a bridge, of the node that a question names where a path answers, as
far as words are sure of where it leads. What reached a hit must also make something of it: below a quarter of the best
sum the evidence it was told falls with the square. A node whose name is the question, word for word, is known, and so
is one that meets all that the question says of a type.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import NO_NODES, Nodes, NodeValues
from fourfold.index.names import LONGEST
from fourfold.language.first_person import is_user
from fourfold.language.name_matching import lowered
from fourfold.query import Query
from fourfold.scores import Scores
from fourfold.signals import confidence
from fourfold.signals.confidence import Calibration
from fourfold.signals.ways import Ways
from fourfold.types import UNKNOWN_BELOW, FloatArray, Grounds

_LEADING = 5
"""The answer's evidence is that of its hits, of so many best nodes by text, and as many by embedding."""

_ENOUGH = 0.25
"""From that share of the best sum on, what a hit was told by others counts in full.

The next chunk of a source has a tenth and less of the best chunk's, and nothing to do with the question; right second
hops of hotpotqa and musique have a half and more, and of what one edge leads to from a node by itself, some a tenth.
"""

_SURE = 0.5
"""Names are read of what is less sure, and holds all of the question's terms, where it has any."""

_ROUNDING = 1e-9


def grounds_of(
    scores: Scores, query: Query, here: Nodes, ways: Ways, calibration: Calibration
) -> tuple[list[Grounds], Grounds]:
    """Return what stands behind nodes, in their order, and behind the answer: its best nodes by text and embedding."""
    user, others = _user(scores, query)
    leading = ordered.distinct(np.concatenate((_leading(scores), user)))
    answering = np.concatenate((here, ordered.without(leading, np.sort(here))))
    everyone = np.concatenate((answering, ordered.without(_sources(scores, here), np.sort(answering))))
    ranking = scores.rankings.get("embedding")
    cosines = None if ranking is None else ranking.at(everyone)
    covered = _covered(scores, query, everyone)
    own = calibration.evidence(cosines, covered)
    _know_by_name(query, everyone, covered, own, calibration)
    _know_by_conditions(scores, everyone, own, calibration)
    if len(user):  # "I" is as good as its name
        of_it = ordered.contains(user, everyone)
        covered[of_it] = (1.0 + others * covered[of_it]) / (1.0 + others)
        own[of_it] = calibration.evidence(None, covered[of_it])

    def confidence_by(evidence: FloatArray) -> FloatArray:
        """Return the confidence of the nodes that are here, and last that of the whole answer."""
        order = everyone.argsort()
        owed = _owed(scores, ways, here, NodeValues(everyone[order], evidence[order]))
        told = np.maximum(evidence[: len(here)], owed)
        return calibration.of(np.append(told, evidence[: len(answering)].max(initial=0.0)))

    speaking = own * _for_what_is_asked(scores, everyone)
    sure = confidence_by(speaking)
    if scores.asked is not None:  # what it names is known, whatever is asked of it
        sure = np.maximum(sure, np.minimum(confidence_by(own), UNKNOWN_BELOW))
    *hits, answer = sure.tolist()
    meant = [None] * len(everyone) if cosines is None else cosines.tolist()
    shares = covered.tolist()
    behind = list(map(Grounds, hits, meant, shares, _led_to(scores, here).tolist()))
    if not len(answering):
        return behind, Grounds(0.0, None, 0.0)
    best = int(speaking[: len(answering)].argmax())
    return behind, Grounds(answer, meant[best], shares[best])


def _covered(scores: Scores, query: Query, nodes: Nodes) -> FloatArray:
    """Return the share of the question's terms, by idf, that nodes hold; for a character its pairs do as well."""
    terms = dict.fromkeys([term for _, terms in query.words for term in terms])
    numbers = scores.term_numbers or scores.snapshot.term_numbers(terms)
    either = [
        [scores.term_numbers[one] for one in (term, *query.pairs[term]) if one in scores.term_numbers]
        for term in terms
        if term in query.pairs
    ]
    known = [numbers[term] for term in terms if term in numbers and term not in query.pairs]
    unknown = len(terms) - len(known) - len(either)
    return confidence.covered(scores.snapshot.text, scores.snapshot.size, known, unknown, nodes, either)


def _leading(scores: Scores) -> Nodes:
    """Return the best nodes by text and the best by embedding; ties go to the smaller ids."""
    nodes = scores.pool.nodes
    if len(nodes) <= _LEADING:
        return nodes
    found = []
    for values in scores.pool.values.values():
        leading = values > values.min()  # those that have least lead nowhere: they hold no word, and would all tie
        if np.count_nonzero(leading) > _LEADING:
            leading = ordered.largest(values, _LEADING, partial(_ids, scores, nodes))
        found.append(nodes[leading])
    return ordered.distinct(np.concatenate(found))


def _ids(scores: Scores, nodes: Nodes, places: NDArray[np.intp]) -> Sequence[str]:
    return scores.snapshot.ids(nodes[places])


def _know_by_name(query: Query, nodes: Nodes, covered: FloatArray, own: FloatArray, calibration: Calibration) -> None:
    """Make the evidence whole of nodes whose name is the question, word for word: stop words, too, then count."""
    typed = tuple(lowered(query.words))
    has_terms = any(terms for _, terms in query.words)
    places = (covered >= 1.0 - _ROUNDING).nonzero()[0] if has_terms else np.arange(len(nodes))
    if not 0 < len(typed) <= LONGEST or not len(places):
        return
    places = places[calibration.of(own[places]) < _SURE]
    if not len(places):
        return
    named = places[[name == typed for name in query.names_of(nodes[places])]]
    covered[named] = 1.0
    own[named] = calibration.evidence(None, covered[named])  # a cosine knows nothing of "It" and of many a language


def _know_by_conditions(scores: Scores, nodes: Nodes, own: FloatArray, calibration: Calibration) -> None:
    """Make the evidence whole of nodes that meet what the question says of their type: no word of it is left."""
    if scores.asked is not None and (told := scores.asked.answer.told):
        met = [place for place, node in enumerate(nodes.tolist()) if node in told]
        own[met] = calibration.evidence(None, np.ones(len(met)))


def _user(scores: Scores, query: Query) -> tuple[Nodes, int]:
    """Return the node that "I" names in an assistant's memory, where its edges answer, and how many terms are left."""
    if scores.asked is not None:
        for one in scores.named or ():
            if is_user(query.words, one) and ordered.contains(scores.asked.answer.named, one.nodes).all():
                left = (own for place, (_, own) in enumerate(query.words) if place != one.start)
                return one.nodes, sum(map(len, left))
    return NO_NODES, 0


def _sources(scores: Scores, nodes: Nodes) -> Nodes:
    """Return all that nodes may owe something to: seeds, what the question names, passages behind bridges."""
    found = [scores.seeds]
    if scores.asked is not None:
        found.append(scores.asked.answer.named)
    if scores.bridges is not None:
        passages = scores.bridges.passages
        found.append(np.array([passages[node] for node in nodes.tolist() if node in passages], np.int64))
    return ordered.distinct(np.concatenate(found))


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


def _owed(scores: Scores, ways: Ways, nodes: Nodes, evidence: NodeValues) -> FloatArray:
    """Return the evidence that nodes have from others, (len(nodes),).

    It is the mean of those others' by what each gave, times twice the share of the score that they gave, at most 1, and
    times the square of how much of the best sum there is, see ``_ENOUGH``.
    """
    weights, table = scores.weights, scores.table
    if not len(table.nodes):
        return np.zeros(len(nodes))
    places, here = ordered.places(table.nodes, nodes)
    known = {name: values[places] for name, values in table.components.items()}
    by_graph, by_intent = weights.graph * known["graph"], weights.intent * known["intent"]
    by_itself = weights.embedding * known["embedding"] + weights.text * known["text"]
    by_others = by_graph + by_intent
    of_graph, of_intent = ways.worth(evidence)
    told = by_graph * of_graph
    if scores.asked is not None:
        by_path = np.minimum(weights.intent * scores.asked.share * scores.ends.at(nodes), by_intent)
        told += by_path * evidence.at(scores.asked.answer.named).max(initial=0.0)
        by_intent = by_intent - by_path
    told += by_intent * of_intent
    if scores.bridges is not None:
        gained = scores.bridges.gained.at(nodes)
        passages = [scores.bridges.passages.get(node, node) for node in nodes.tolist()]
        told += gained * evidence.at(np.array(passages, np.int64))
        by_others = by_others + gained
    total = by_itself + by_others
    scored = (by_others > 0) & here  # what only fills the answer up is no candidate
    mean = np.divide(told, by_others, out=np.zeros(len(nodes)), where=scored)
    share = np.divide(2.0 * by_others, total, out=np.zeros(len(nodes)), where=scored)
    amount = total / (_ENOUGH * float(table.total.max(initial=0.0)) or 1.0)  # a quarter of the least float is 0
    owed: FloatArray = mean * np.minimum(share, 1.0) * np.minimum(amount, 1.0) ** 2
    return owed
