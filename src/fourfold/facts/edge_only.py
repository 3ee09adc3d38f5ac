"""Whether a node has anything to say that its edges do not.

In a graph of facts the text of a node lists its edges, or there is none: such a node is no answer to a question that
names it, what its edges lead to may be. A document says more than its links, and may answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from string import punctuation

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.question import Question
from fourfold.index.base import EdgePart, Nodes, TokenPart
from fourfold.language.name_matching import Named
from fourfold.signals import late

_TEXTS = 10
"""Of so many texts, the best by their words, one may hold all words of a question."""

_WIDE = "（）【】［］｛｝《》〈〉「」『』，、。；：？！．／～＝＋＊＃％＆＠—…·“”‘’〔〕〖〗"
"""Signs between words of Chinese and Japanese."""


@cache
def _signs() -> NDArray[np.int64]:
    """Return the wordpieces of punctuation, ascending: texts that list edges part them by it."""
    return late.distinct_pieces([punctuation + _WIDE])[0].astype(np.int64)


def share_told_by_edges(
    edges: EdgePart,
    tokens: TokenPart,
    nodes: Nodes,
    known: NDArray[np.integer],
    *,
    most: int,
    said_by: Callable[[Nodes], NDArray[np.integer]] | None = None,
) -> float:
    """Return the share of the nodes' wordpieces that stand in ``known`` or in their neighbours, in [0, 1].

    ``nodes`` are distinct and ascending; of each, ``most`` edges of each direction are looked at. ``known`` are told
    anyway: the wordpieces of the question and of the labels of edge types. ``said_by`` says what edges tell of the
    nodes they lead to; without it, all their wordpieces. Signs between words tell nothing, and are not counted.
    """
    own = tokens.of(nodes)[1]
    own = own[~ordered.contains(_signs(), own.astype(np.int64))]
    if not len(own):
        return 1.0
    near = edges.expand(nodes, weights="none", cap=most)
    targets = ordered.distinct(near.targets)
    beside = tokens.of(targets)[1] if said_by is None else said_by(targets)
    return float(ordered.contains(np.sort(np.concatenate((known, beside))), own.astype(np.int64)).mean())


def is_told_by_a_text(question: Question, named: Nodes) -> bool:
    """Tell whether a text holds all words of a question that the named nodes' edges know nothing of: "hotel in X".

    A name and a type that hold them all are no text.
    """
    scores, query = question.scores, question.query
    terms, known = {term for _, own in query.words for term in own}, scores.term_numbers
    best = question.best_by("text", _TEXTS)
    if not len(best) or not terms <= known.keys():
        return False
    best = ordered.without(np.sort(best), named)
    best = best[scores.snapshot.text.holds([known[term] for term in terms], best).all(axis=1)]
    called = zip(query.names_of(best), query.types_of(best), strict=True)
    return not all(terms <= {*question.relations.labels.terms(" ".join((*name, kind)))} for name, kind in called)


def is_silent(question: Question, named: Sequence[Named], nodes: Nodes, *, by_names: bool = False) -> bool:
    """Tell whether nodes say nothing that their edges do not.

    ``nodes`` are distinct and ascending. With ``by_names`` edges tell no more than the names of what they lead to, not
    its texts; so it is where all edges are of one type, as between the tables of a schema, whose texts are alike.
    """

    def called(beside: Nodes) -> Nodes:
        names = [" ".join(name) for name in question.query.names_of(beside)] or [""]
        return np.concatenate(late.distinct_pieces(names)).astype(np.int64)

    snapshot, relations, settings = question.scores.snapshot, question.relations, question.settings
    asked = late.distinct_pieces([" ".join((question.query.topic, *(one.whole for one in named)))])
    known = np.concatenate((*asked, relations.labels.pieces()))
    said_by = called if by_names or len(relations) == 1 else None
    told = share_told_by_edges(
        snapshot.edges, snapshot.tokens, nodes, known, most=settings.silent_edges, said_by=said_by
    )
    return told >= settings.silent
