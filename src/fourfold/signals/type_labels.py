"""The labels of edge types as wholes, compared with the words of a question: the intent component's choice of types."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fourfold.edge_types import denies, label
from fourfold.embed.base import unit
from fourfold.types import FloatArray

_REMEMBERED_WORDS = 100_000


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
        self._vectors = unit(embed(labels))
        self._denied = np.array([denies(name) for name in self.names], bool)
        self._known: dict[str, FloatArray] = {}

    def closeness(self, words: Sequence[str], *, sharpness: float, enough: float) -> FloatArray:
        """Return how much the words ask for each edge type, (n_types,) in [0, 1].

        Every word votes for the types whose label is nearest to it, the nearest fully and the others by
        ``(similarity / best) ** sharpness``; a word whose best similarity is below ``enough`` votes in proportion.
        Similarity is 1 where the word is a term of the label, else their cosine; 0 for a label that denies.

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
            cosines = np.clip(self._vectors @ unit(self._embed(new)).T, 0.0, 1.0)
            for place, word in enumerate(new):
                terms = frozenset(self._terms(word))
                shared = np.array([bool(label & terms) for label in self._label_terms], np.float64)
                known[word] = np.where(self._denied, 0.0, np.maximum(shared, cosines[:, place]))
        return np.stack([known[word] for word in words], axis=1)
