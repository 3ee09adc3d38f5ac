"""Hits that differ: maximal marginal relevance over an answer."""

from __future__ import annotations

import numpy as np

from fourfold import arguments
from fourfold.errors import InvalidValueError
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Hit, SearchResult


@of_open_graph
def diverse(retriever: Retriever, result: SearchResult, *, k: int, relevance: float = 0.5) -> list[Hit]:
    """Return ``k`` hits of an answer, each good and unlike those before it.

    Maximal marginal relevance (Carbonell & Goldstein, 1998), with the score of the four signals as the relevance: the
    next hit is the one with the greatest λ · score − (1 − λ) · (greatest cosine to those chosen before). A node without
    a vector is like no other.

    Args:
        retriever: where the answer is from.
        result: what to choose from; ask for several times ``k``.
        k: how many.
        relevance: λ, from 0, most different, to 1, the answer as it is.

    Raises:
        InvalidValueError: ``k`` or ``relevance`` out of range, or ``result`` is none.

    """
    if not isinstance(result, SearchResult):
        raise InvalidValueError(f"result is {arguments.shown(result)}; it must be what a search returned.")
    wanted = arguments.whole_number(k, "k")
    share = arguments.finite_number(relevance, "relevance", least=0.0, most=1.0)
    stored = retriever.vectors(result.ids)
    unit = np.zeros((len(result.hits), max(map(len, stored.values()), default=0)), np.float64)
    for place, id_ in enumerate(result.ids):
        if (vector := stored.get(id_)) is not None and (length := float(np.linalg.norm(vector))) > 0:
            unit[place] = vector / length
    scores = np.array([hit.score for hit in result.hits])
    likeness = np.zeros(len(scores))
    left = np.ones(len(scores), bool)
    chosen: list[Hit] = []
    while left.any() and len(chosen) < wanted:
        best = int(np.argmax(np.where(left, share * scores - (1 - share) * likeness, -np.inf)))
        cosines = unit @ unit[best]
        likeness = np.maximum(likeness, cosines) if chosen else cosines
        left[best] = False
        chosen.append(result.hits[best])
    return chosen
