"""Edge-type weights, and which edge types the words of a query mean.

The table is the method's. ``TypeLabels`` generalises the fixed intent → edge-type table to any graph's own
vocabulary: a type counts in proportion to how close its label is to the query's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from fourfold.frozen import FrozenDict
from fourfold.tokenizer import split_identifier
from fourfold.types import FloatArray

EDGE_TYPE_WEIGHTS: Mapping[str, float] = FrozenDict(
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
"""Published weight of each edge type; ``GraphConfig.unknown_weight`` is for all others."""

UNTYPED = ""
"""The type of an edge that has none."""

_REMEMBERED_WORDS = 100_000

MENTIONS = "mentions"
"""The edge type of one node's text that names another node's title."""

DEFAULT_TYPE_WEIGHTS: Mapping[str, float] = FrozenDict({**EDGE_TYPE_WEIGHTS, MENTIONS: 1.0})
"""The published weights, and that of mentions."""


def type_weight(edge_type: str, weights: Mapping[str, float], default: float, *, related: bool) -> float:
    """Return the weight of an edge type.

    Args:
        edge_type: the type as the graph has it.
        weights: the known types.
        default: for all others.
        related: a type whose label holds the words of a known type, such as ``tool_directly_depends_on``, weighs as
            much as that one; the longest known type decides.

    """
    if edge_type in weights or not related:
        return weights.get(edge_type, default)
    words = label(edge_type).split()
    held = [known for known in weights if known and set(label(known).split()) <= set(words)]
    return weights[max(held, key=lambda known: (len(known), known))] if held else default


@lru_cache(maxsize=4096)
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
        self._known: dict[str, FloatArray] = {}

    def closeness(self, words: Sequence[str], *, sharpness: float, enough: float) -> FloatArray:
        """Return how much the words ask for each edge type, (n_types,) in [0, 1].

        Every word votes for the types whose label is nearest to it, the nearest fully and the others by
        ``(similarity / best) ** sharpness``; a word whose best similarity is below ``enough`` votes in proportion.
        Similarity is 1 where the word is a term of the label, else their cosine.

        Args:
            words: the words of the query that may mean a type.
            sharpness: how much less a farther type gets.
            enough: the similarity from which a word is trusted fully.

        """
        if not words:
            return np.zeros(len(self.names))
        similarity = self._similarity(words)
        best = similarity.max(axis=0)
        votes = (similarity / np.where(best > 0, best, 1.0)) ** sharpness * np.minimum(best / enough, 1.0)
        asked: FloatArray = votes.max(axis=1)
        return asked

    def _similarity(self, words: Sequence[str]) -> FloatArray:
        """Return the similarity of each label and each word, (n_types, n_words) in [0, 1]; words are remembered."""
        known = self._known
        new = [word for word in dict.fromkeys(words) if word not in known]
        if len(known) + len(new) > _REMEMBERED_WORDS:  # the old dictionary may still be read by another thread
            self._known = known = {}
            new = list(dict.fromkeys(words))
        if new:
            cosines = np.clip(self._vectors @ _unit(self._embed(new)).T, 0.0, 1.0)
            for place, word in enumerate(new):
                terms = frozenset(self._terms(word))
                shared = np.array([bool(label & terms) for label in self._label_terms], np.float64)
                known[word] = np.maximum(shared, cosines[:, place])
        return np.stack([known[word] for word in words], axis=1)


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit
