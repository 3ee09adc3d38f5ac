"""The labels of edge types as wholes, compared with the words of a question: the intent component's choice of types."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fourfold.cache import Remembered, remembered
from fourfold.edge_types import denies, label
from fourfold.embed.base import unit
from fourfold.types import FloatArray


class TypeLabels:
    """The labels of a graph's edge types, ready to be compared with queries.

    Every word votes for the types whose label is nearest to it, the nearest fully and the others by ``(similarity /
    best) ** sharpness``; a word whose best similarity is below ``enough`` votes in proportion. Similarity is 1 where
    the word is a term of the label, else their cosine; 0 for a label that denies.

    A farther type gets the less, the larger ``sharpness`` is; a word is trusted fully from the similarity ``enough``
    on.
    """

    def __init__(
        self,
        names: Sequence[str],
        embed: Callable[[list[str]], FloatArray],
        terms: Callable[[str], list[str]],
        *,
        sharpness: float,
        enough: float,
    ) -> None:
        self.names = tuple(names)
        self._embed, self._terms = embed, terms
        self._sharpness, self._enough = sharpness, enough
        labels = [label(name) for name in self.names]
        self._label_terms = [frozenset(terms(text)) for text in labels]
        self._all_terms = frozenset().union(*self._label_terms)
        self._vectors = unit(embed(labels))
        self._denied = np.array([denies(name) for name in self.names], bool)
        self._known = Remembered(self._votes, remembered(len(self.names)))

    def closeness(self, words: Sequence[str]) -> FloatArray:
        """Return how much words of the query that may mean a type ask for each, (n_types,) in [0, 1].

        The votes of words are remembered.
        """
        if not words:
            return np.zeros(len(self.names))
        asked: FloatArray = np.array(self._known.of(words)).max(axis=0)
        return asked

    def _votes(self, words: list[str]) -> FloatArray:
        """Return how much each word asks for each type, (n_words, n_types) in [0, 1]."""
        cosines = self._vectors @ unit(self._embed(words)).T
        similarity = cosines.T.clip(0.0, 1.0).astype(np.float64)
        for own, word in zip(similarity, words, strict=True):
            if not self._all_terms.isdisjoint(terms := self._terms(word)):
                own[[not label.isdisjoint(terms) for label in self._label_terms]] = 1.0
        similarity[:, self._denied] = 0.0
        best = similarity.max(axis=1, keepdims=True)
        votes: FloatArray = (similarity / np.where(best > 0, best, 1.0)) ** self._sharpness
        votes *= np.minimum(best / self._enough, 1.0)
        return votes
