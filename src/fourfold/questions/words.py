"""Which nodes contain which term in name, type or metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes

PLACES = ("name", "type", "metadata")


class WordTable:
    """Which nodes contain which term in name, type or metadata; made once for a generation, when first asked.

    Args:
        texts: place → (node numbers, texts), parallel; a node may have several texts in a place.
        terms: text → terms, the tokenizer of the index.

    """

    def __init__(self, texts: Callable[[str], tuple[Nodes, list[str]]], terms: Callable[[str], Sequence[str]]) -> None:
        self._numbers: dict[str, int] = {}
        self._tables = {place: self._table(*texts(place), terms) for place in PLACES}

    def _table(
        self, nums: Nodes, texts: list[str], terms: Callable[[str], Sequence[str]]
    ) -> tuple[NDArray[np.int64], Nodes]:
        """Return (terms, nodes), parallel, by term and then node."""
        numbers = self._numbers
        known = {text: [numbers.setdefault(term, len(numbers)) for term in set(terms(text))] for text in set(texts)}
        counts = np.array([len(known[text]) for text in texts], np.int64)
        held = np.fromiter((number for text in texts for number in known[text]), np.int64, int(counts.sum()))
        holders = np.repeat(nums, counts)
        order = np.lexsort((holders, held))
        return held[order], holders[order]

    def holders(self, place: str, term: str) -> Nodes:
        """Return the nodes that contain a term in a place, ascending."""
        number = self._numbers.get(term, -1)
        terms, nodes = self._tables[place]
        start, end = np.searchsorted(terms, (number, number + 1))
        return np.unique(nodes[start:end])

    def counted(self, terms: Sequence[str]) -> tuple[Nodes, NDArray[np.int64]]:
        """Return the nodes that contain any of the terms, ascending, and how many of the distinct terms each does."""
        held = [np.unique(np.concatenate([self.holders(place, term) for place in PLACES])) for term in terms]
        return np.unique(np.concatenate([np.empty(0, np.int64), *held]), return_counts=True)

    def places(self, node: int, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return which of the terms a node contains where."""
        found = {}
        for place in PLACES:
            held = tuple(term for term in terms if node in self.holders(place, term))
            if held:
                found[place] = held
        return found
