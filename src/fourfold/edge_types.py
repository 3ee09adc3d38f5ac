"""Edge-type weights, and which edge types the words of a query mean.

The table is the method's. ``TypeLabels`` generalises the fixed intent → edge-type table to any graph's own
vocabulary: a type counts in proportion to how close its label is to the query's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from fourfold.tokenizer import split_identifier
from fourfold.types import FloatArray


EDGE_TYPE_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "implements": 1.0,
        "provides": 1.0,
        "enables": 0.9,
        "used_for": 0.9,
        "depends_on": 0.8,
        "requires": 0.8,
        "feeds_into": 0.8,
        "followed_by": 0.7,
        "part_of": 0.7,
        "similar_to": 0.6,
        "complements": 0.6,
        "relates_to": 0.5,
        "has_workaround": 0.4,
        "alternative_to": 0.4,
        "has_limitation": 0.3,
    }
)
"""Published weight of each edge type; ``RetrievalConfig.unknown_edge_weight`` is for all others."""




def label(edge_type: str) -> str:
    """Return an edge type as words: ``has_limitation`` → ``has limitation``."""
    return " ".join(part.lower() for word in re.split(r"\W+", edge_type) for part in split_identifier(word) if part)


class TypeLabels:
    """The labels of a graph's edge types, ready to be compared with queries.

    Args:
        names: edge types by number.
        embed: texts → vectors (n, dimensions), by a local model.
        terms: text → terms, the tokenizer of the index.

    """

    def __init__(
        self, names: Sequence[str], embed: Callable[[list[str]], FloatArray], terms: Callable[[str], list[str]]
    ) -> None:
        self.names = tuple(names)
        self._embed = embed
        self._terms = terms
        labels = [label(name) for name in self.names]
        self._label_terms = [frozenset(terms(text)) for text in labels]
        self._vectors = _unit(embed(labels))

    def closeness(self, words: Sequence[str]) -> FloatArray:
        """Return how close each label is to the query's words, (n_types,) in [0, 1].

        The larger of the share of the label's terms that the query holds and the best cosine of a word with the label.
        """
        if not words:
            return np.zeros(len(self.names))
        query_terms = frozenset(self._terms(" ".join(words)))
        overlap = np.array([len(terms & query_terms) / max(len(terms), 1) for terms in self._label_terms])
        cosine = (self._vectors @ _unit(self._embed(list(words))).T).max(axis=1)
        return np.clip(np.maximum(overlap, cosine), 0.0, 1.0)


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit
