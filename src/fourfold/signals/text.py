"""β: how often each term of the question counts, and the FTS5 phrase search beside BM25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from fourfold.frozen import FrozenDict
from fourfold.index.base import NO_VALUES, Allowed, NodeValues
from fourfold.language.name_matching import Words


def term_weights(
    words: Words,
    keywords: Sequence[str],
    boost: float,
    *,
    prefix: bool,
    pairs: Mapping[str, Sequence[str]] = FrozenDict(),
) -> dict[str, float]:
    """Return how often each term of the query counts.

    A term counts once per occurrence, ``boost`` times where it is a keyword of the intent.

    With ``prefix`` a keyword is compared with the beginning of the word as typed, else with the term. ``pairs`` has
    what stands in texts for a term beside itself; each counts once.
    """
    weights: Counter[str] = Counter()
    beginnings, stems = tuple(keywords), frozenset(keywords)
    for word, terms in words:  # a word of a script without spaces may be the whole text, and have a term a character
        named = bool(beginnings) and prefix and word.lower().startswith(beginnings)
        for term in terms:
            hit = named if prefix and beginnings else term in stems
            weights[term] += boost if hit else 1.0  # type: ignore[assignment]
    for pair in chain.from_iterable(pairs.values()):
        weights[pair] = max(weights[pair], 1)
    return dict(weights)


def phrase_scores(rows: Sequence[tuple[int, float]], limit: int, allowed: Allowed | None) -> NodeValues:
    """Return the |rank| of the ``limit`` best phrase matches, divided by the largest.

    ``rows`` are (store number, |rank|), best first.
    """
    nodes = np.array([num for num, _ in rows], np.int64)
    ranks = np.array([rank for _, rank in rows], np.float64)
    if allowed is not None:
        kept = allowed.contains(nodes)
        nodes, ranks = nodes[kept], ranks[kept]
    top = float(ranks[:limit].max(initial=0.0))
    return NodeValues.sum([nodes[:limit]], [ranks[:limit] / top]) if top > 0 else NO_VALUES
