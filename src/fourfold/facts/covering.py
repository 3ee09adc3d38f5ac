"""How the best candidates cover some words of a question, by late interaction and by what they are: a "memo"."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.index.inner_products import row_by_row
from fourfold.lazy import lazy
from fourfold.query import Query
from fourfold.scores import Covered
from fourfold.signals import late
from fourfold.signals.late import Asked
from fourfold.types import FloatArray

A_TEXT = 12
"""What has fewer wordpieces is a name."""

A_THING = 20
"""What has fewer is a thing, of which little is said."""

LONGER = 1.5
"""A text about a thing has so many times its wordpieces at least."""


def sizes_of(question: Question, nodes: Nodes) -> NDArray[np.int64]:
    """Return how many distinct wordpieces nodes have, (len(nodes),)."""
    return np.diff(question.scores.snapshot.tokens.of(nodes)[0])


@dataclass(frozen=True)
class Covering:
    """The best candidates by text and embedding, ``nodes`` (n,), ascending, beside what was asked.

    ``sizes`` (n,) are how many distinct wordpieces each has; ``terms`` reads the terms of a type.
    """

    query: Query
    asked: Asked
    covered: Covered
    sizes: NDArray[np.int64]
    terms: Callable[[str], list[str]]

    @classmethod
    def of(cls, question: Question) -> Covering | None:
        """Return how candidates cover a question; None where late interaction did not look at any."""
        scores = question.scores
        if scores.covered is None or scores.late is None:
            return None
        sizes, terms = sizes_of(question, scores.covered.nodes), question.relations.labels.terms
        return cls(question.query, scores.late.asked, scores.covered, sizes, terms)

    @lazy
    def types(self) -> list[frozenset[str]]:
        """The terms of the type of each candidate, (n,)."""
        return [frozenset(self.terms(kind)) for kind in self.query.types_of(self.nodes)]

    @property
    def nodes(self) -> Nodes:
        """The candidates, ascending."""
        return self.covered.nodes

    @property
    def texts(self) -> NDArray[np.bool_]:
        """Which candidates have a text, (n,): what has fewer wordpieces is a name."""
        return self.sizes >= A_TEXT

    @property
    def things(self) -> NDArray[np.bool_]:
        """Which candidates are hardly more than a name, (n,): a sentence may say who somebody is."""
        return self.sizes < A_THING

    def are(self, place: int) -> NDArray[np.bool_]:
        """Tell which candidates are of the type that a word calls, (n,)."""
        called = set(self.query.words[place][1])
        return np.array([bool(called) and called <= kind for kind in self.types], bool)

    def share(self, places: Collection[int]) -> tuple[FloatArray, float]:
        """Return the share of the words at some places that each candidate covers, (n,), and that of the question."""
        weights = np.where(self._are_pieces(places), self.asked.weights, np.float32(0.0))
        if not (total := float(weights.sum())):
            return np.zeros(len(self.nodes)), 0.0
        told = row_by_row(self.covered.values, weights)
        for place in places:
            if (of_it := self.are(place)).any():
                own = np.where(self._are_pieces([place]), weights, np.float32(0.0))
                told += of_it * (own.sum() - row_by_row(self.covered.values, own))
        return told / total, total

    def _are_pieces(self, places: Collection[int]) -> NDArray[np.bool_]:
        """Tell which of the wordpieces asked for are those of words at some places, (n_asked,)."""
        if not places:
            return np.zeros(len(self.asked), bool)
        words = " ".join(self.query.words[place][0] for place in sorted(places))
        own = late.distinct_pieces([words])[0].astype(np.int64)
        return ordered.contains(own, self.asked.pieces.astype(np.int64))
