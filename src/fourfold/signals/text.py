"""β: BM25 over the postings, and the FTS5 phrase search beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.index import Index
from fourfold.types import FloatArray


def term_weights(
    words: Sequence[tuple[str, tuple[str, ...]]], keywords: Sequence[str], boost: float, *, prefix: bool
) -> dict[str, float]:
    """Return how often each term of the query counts.

    A term counts once per occurrence, ``boost`` times where it is a keyword of the intent.

    Args:
        words: each word of the query as typed, with its terms.
        keywords: the intent's keywords.
        boost: how often a keyword counts.
        prefix: compare the keyword with the beginning of the word as typed; else with the term.

    """
    weights: Counter[str] = Counter()
    beginnings, stems = tuple(keywords), frozenset(keywords)
    for word, terms in words:  # a word of a script without spaces may be the whole text, and have a term a character
        named = bool(beginnings) and prefix and word.lower().startswith(beginnings)
        for term in terms:
            hit = named if prefix and beginnings else term in stems
            weights[term] += boost if hit else 1.0  # type: ignore[assignment]
    return dict(weights)


def score(index: Index, weights: Mapping[str, float]) -> FloatArray:
    """Return BM25 of every node, (n_nodes,) float32."""
    postings = index.postings
    scores = np.zeros(len(index), np.float32)
    for term, weight in weights.items():
        entries = postings.of(index.vocabulary.get(term, -1))
        worth = postings.worth[entries]
        scores[postings.nodes[entries]] += worth if weight == 1.0 else np.float32(weight) * worth
    return scores


def of_nodes(index: Index, term: str, positions: NDArray[np.int64]) -> FloatArray:
    """Return what one term is worth in some nodes, (len(positions),) float32; 0 where it does not occur."""
    postings = index.postings
    entries = postings.of(index.vocabulary.get(term, -1))
    nodes = postings.nodes[entries]
    if not len(nodes):
        return np.zeros(len(positions), np.float32)
    place = np.minimum(np.searchsorted(nodes, positions), len(nodes) - 1)
    return np.where(nodes[place] == positions, postings.worth[entries][place], np.float32(0.0))


def phrase_scores(
    index: Index, rows: Sequence[tuple[int, float]], limit: int, mask: NDArray[np.bool_] | None
) -> FloatArray:
    """Return the |rank| of the ``limit`` best phrase matches, (n_nodes,) float32; 0 elsewhere.

    Args:
        index: the generation searched.
        rows: (store number, |rank|), best first.
        limit: how many are kept.
        mask: nodes that may be found.

    """
    scores = np.zeros(len(index), np.float32)
    kept = 0
    for num, rank in rows:
        for position in index.positions_of(np.array([num])):
            if kept < limit and (mask is None or mask[position]):
                scores[position] = rank
                kept += 1
    return scores
