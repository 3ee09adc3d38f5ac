"""Where no word asks for an edge: what stands beside the named node and is about the rest of the question.

"Nadia Petrova's papers about sparse retrieval" says nothing that an edge type is called by; what the paper has of
"sparse retrieval" and its author has not tells it from her other papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import Paths
from fourfold.facts import subjects
from fourfold.index.base import NO_NODES, Nodes
from fourfold.index.inner_products import row_by_row
from fourfold.language import name_matching
from fourfold.language.name_matching import Named
from fourfold.query import Query
from fourfold.relations.asked_types import Relations
from fourfold.scores import Covered, Scores
from fourfold.signals import late
from fourfold.signals.common_ends import nodes_of, single_steps
from fourfold.signals.late import Asked
from fourfold.signals.paths import Answer, beside

_SURE = 0.4
"""How sure what covers the rest is to be meant: by its words, not by an edge type."""

_LEAST = 0.3
"""So large a share of what a question says must stand beside the name."""

_MORE = 0.12
"""So much more of it than the named node must what stands beside it cover."""

_MOST_EDGES = 20_000
"""What stands beside nodes of more edges is not looked at."""


def on_topic(scores: Scores, query: Query, relations: Relations, settings: Paths) -> Answer | None:
    """Return what stands beside the named nodes and covers the rest of the question better than they do; or None.

    Of the best candidates, by late interaction without the words of the names.
    """
    if scores.covered is None or scores.late is None or len(relations) == 1:
        return None
    if not (named := subjects.named_in(scores, query)):
        return None
    own, edges = nodes_of(named), scores.snapshot.edges
    if not 0 < edges.degree(own).sum() <= _MOST_EDGES:
        return None
    better = _better(scores.covered, scores.late.asked, _pieces_of(named, query), own)
    near = np.sort(edges.expand(own, weights="none").targets.astype(np.int64)) if len(better) else better
    if not ordered.contains(near, better).any():
        return None
    steps = single_steps(edges, named, relations.numbers, settings, query.allowed, scores.snapshot.ids)
    found = beside(steps, named, partial(ordered.contains, better))
    return found and replace(found, sure=_SURE)


def _pieces_of(named: Sequence[Named], query: Query) -> NDArray[np.int64]:
    """Return the wordpieces of the words that name nodes, ascending."""
    words = [query.words[place][0] for place in sorted(name_matching.places_of(named))]
    return late.distinct_pieces([" ".join(words)])[0].astype(np.int64)


def _better(covered: Covered, asked: Asked, called: NDArray[np.int64], own: Nodes) -> Nodes:
    """Return the candidates that cover more of what is not ``called`` than the named nodes, ``own``; ascending."""
    weights = np.where(ordered.contains(called, asked.pieces.astype(np.int64)), np.float32(0.0), asked.weights)
    if (rest := float(weights.sum())) < _LEAST:
        return NO_NODES
    told = row_by_row(covered.values, weights) / rest
    is_named = ordered.contains(own, covered.nodes)
    more: Nodes = covered.nodes[(told >= told[is_named].max(initial=0.0) + _MORE) & ~is_named]
    return more
