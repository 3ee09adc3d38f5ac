"""Which nodes contain which term in name, type or metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fourfold.index import Index
from fourfold.index.changes import FIELDS
from fourfold.questions.graph import Positions
from fourfold.types import FloatArray

PLACES = ("name", "type", "metadata")


class WordTable:
    """Which nodes of one generation contain which term in name, type or metadata; made once, when first asked.

    Args:
        index: the generation.
        metadata: store numbers of nodes and "key value", parallel.
        terms: text → terms, the tokenizer of the index.

    """

    def __init__(
        self, index: Index, metadata: tuple[NDArray[np.int64], list[str]], terms: Callable[[str], list[str]]
    ) -> None:
        tokens, owners = index.rows.tokens, np.repeat(np.arange(len(index)), index.rows.token_counts)
        self._tables: dict[str, sparse.csc_matrix] = {}
        self._numbers = dict(index.vocabulary)
        for place in ("name", "type"):
            chosen = tokens["field"] == FIELDS.index(place)
            self._tables[place] = _table(owners[chosen], tokens["term"][chosen].astype(np.int64), len(index))
        nums, texts = metadata
        known: dict[str, list[int]] = {}
        for text in set(texts):
            known[text] = [self._numbers.setdefault(term, len(self._numbers) + 1) for term in set(terms(text))]
        places = _positions(index.rows.nums, nums)
        counts = np.array([len(known[text]) for text in texts], np.int64)
        flat = np.fromiter((number for text in texts for number in known[text]), np.int64, int(counts.sum()))
        holders = np.repeat(places, counts)
        self._tables["metadata"] = _table(holders[holders >= 0], flat[holders >= 0], len(index))
        self._size = len(index)

    def holders(self, place: str, term: str) -> Positions:
        """Return the nodes that contain a term in a place, ascending."""
        number = self._numbers.get(term, -1)
        table = self._tables[place]
        if not 0 <= number < table.shape[1]:
            return np.empty(0, np.int64)
        nodes: Positions = table.indices[table.indptr[number] : table.indptr[number + 1]].astype(np.int64)
        return nodes

    def counted(self, terms: Sequence[str]) -> FloatArray:
        """Return how many of the distinct terms each node contains, (n_nodes,)."""
        counts = np.zeros(self._size)
        for term in terms:
            held = np.zeros(self._size, bool)
            for place in PLACES:
                held[self.holders(place, term)] = True
            counts += held
        return counts

    def places(self, position: int, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return which of the terms a node contains where."""
        found = {}
        for place in PLACES:
            held = []
            for term in terms:
                nodes = self.holders(place, term)
                spot = int(np.searchsorted(nodes, position))
                if spot < len(nodes) and nodes[spot] == position:
                    held.append(term)
            if held:
                found[place] = tuple(held)
        return found


def _table(nodes: Positions, terms: Positions, size: int) -> sparse.csc_matrix:
    width = int(terms.max(initial=-1)) + 1
    table = sparse.csc_matrix((np.ones(len(nodes), np.int8), (nodes, terms)), shape=(size, width))
    table.sort_indices()
    return table


def _positions(nums: Positions, wanted: Positions) -> Positions:
    """Return where each store number stands, −1 for one of another generation."""
    order = np.argsort(nums, kind="stable")
    if not len(nums):
        return np.full(len(wanted), -1, np.int64)
    place = np.minimum(np.searchsorted(nums, wanted, sorter=order), len(nums) - 1)
    found = order[place]
    return np.where(nums[found] == wanted, found, -1)
