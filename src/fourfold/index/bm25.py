"""What words are worth in one generation: BM25 with the idf and average lengths of all live nodes, segment by segment.

Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), in the variant of the method:
``idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl))`` with ``idf = ln((N − df + 0.5)/(df + 0.5) + 1)``.

Equal texts have equal scores to the last bit, in whatever order words are summed and in whatever segment they lie:
every worth is a multiple of one power of two (the grid), so that sums are exact.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes
from fourfold.index.inner_products import inner
from fourfold.index.text_segment import TextSegment

_BLOCK = 1 << 15
"""Nodes per step of a walk over a column, so that what a step needs stays in the processor's cache."""

_KEPT = 4096
"""Postings up to so many are kept spelt out for the next question that has the word."""

_HELD = 16_000_000
"""Bytes that a generation holds of words asked before; beyond, they are forgotten …"""

_PAIRS = 50_000
"""… but not what common words sum up to, alone and in pairs: few bytes that took a walk over all nodes. Of so many."""

LEAST = np.finfo(np.float32).tiny
"""The smallest score above 0 that is told."""

COUNTED = 16.0
"""Words up to this sum of counts share one grid, so what is kept of a word serves as it is."""


@dataclass(frozen=True)
class Statistics:
    """The constants of BM25, and what it needs to know of all live nodes together.

    Args:
        weights: (R,) how much each reading counts.
        k1: saturation of the term frequency.
        b: strength of the length normalisation.
        size: how many nodes live.
        averages: (R,) the mean length of their texts.

    """

    weights: tuple[float, ...]
    k1: float
    b: float
    size: int
    averages: tuple[float, ...]

    def idf(self, df: int) -> float:
        """Return the idf of a term that so many live nodes hold."""
        return math.log((self.size - df + 0.5) / (df + 0.5) + 1.0)

    @cached_property
    def grid(self) -> float:
        """The grid of worths (see ``grid_for``)."""
        return self.grid_for(COUNTED)

    def grid_for(self, counts: float) -> float:
        """Return what, added and taken away again, rounds worths so that sums of so many are exact in any order."""
        most = sum(map(abs, self.weights)) * (self.k1 + 1.0) * self.idf(0) * max(counts, COUNTED)
        return 1.5 * 2.0 ** (math.frexp(most)[1] + 1)


class Memory:
    """What a generation remembers of words asked before, for all its threads; forgotten where it grows too large."""

    def __init__(self) -> None:
        self.words: dict[int, list[Word | None]] = {}
        """By term: its word in each shard, None where the shard lacks it."""
        self.sums: dict[tuple[int, int], tuple[float, float, float]] = {}
        """By shard and common term: sum, sum of squares and maximum of its worths in live nodes."""
        self.products: dict[tuple[int, int, int], float] = {}
        """By shard and two terms: the sum over all live nodes of the product of what they are worth."""
        self._held = 0
        self._lock = threading.Lock()

    def remember(self, size: int) -> None:
        """Count some bytes more. Words under way keep what they have when all are forgotten."""
        with self._lock:
            self._held += size
            if self._held > _HELD:
                self._held, self.words = 0, {}

    def learn(
        self, sums: Mapping[tuple[int, int], tuple[float, float, float]], products: Mapping[tuple[int, int, int], float]
    ) -> None:
        """Keep what took a walk over all nodes."""
        if sums or products:
            with self._lock:
                self.sums.update(sums)
                if len(self.products) + len(products) > _PAIRS:
                    self.products = {}
                self.products.update(products)


class Shard:
    """A segment in one generation: what its codes are worth, and memory to work in."""

    def __init__(self, number: int, segment: TextSegment, statistics: Statistics, memory: Memory) -> None:
        self.number, self.segment, self.statistics, self.memory = number, segment, statistics, memory
        self._scratch: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []

    @cached_property
    def saturation(self) -> NDArray[np.float64]:
        """What each code is worth under each reading, without idf and weight, (R, c)."""
        k1, b = self.statistics.k1, self.statistics.b
        pairs = self.segment.pairs[:].astype(np.float64)
        saturation = np.zeros((len(self.statistics.averages), len(pairs)))
        for reading, average in enumerate(self.statistics.averages):
            tf, length = pairs[:, 2 * reading], pairs[:, 2 * reading + 1]
            norm = k1 * (1.0 - b + b * length / average) if average else np.full(len(tf), k1)
            np.divide(tf * (k1 + 1.0), tf + norm, out=saturation[reading], where=tf > 0)
        return saturation

    @cached_property
    def live(self) -> NDArray[np.bool_] | None:
        """Which nodes live, (n,); None where all do."""
        live: NDArray[np.bool_] | None = self.segment.live[:] if self.segment.dead else None
        return live

    def locate(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of some nodes live here, as places in ``nodes``, and their rows."""
        rows = self.segment.places(nodes)
        known = (rows >= 0).nonzero()[0]
        if self.live is not None:
            known = known[self.live[rows[known]]]
        return known, rows[known]

    def borrow(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return zeros to add scores to, (n,), and to mark nodes in, (n,); they come back as zeros."""
        try:
            return self._scratch.pop()
        except IndexError:
            return np.zeros(len(self.segment)), np.zeros(len(self.segment), bool)

    def give_back(self, scratch: tuple[NDArray[np.float64], NDArray[np.bool_]]) -> None:
        """Keep what was borrowed for the next question."""
        if len(self._scratch) < 2:
            self._scratch.append(scratch)

    def totals(self, words: Sequence[Word]) -> tuple[list[tuple[float, float, float]], list[float]]:
        """Return sums over all live nodes of what common words are worth; they are not negative.

        For each word the sum, the sum of squares and the maximum; and for each of ``combinations(words, 2)`` the sum
        of products. What is new to this generation takes one walk over the columns of its words.
        """
        terms = [(self.number, word.term) for word in words]
        pairs = [(self.number, min(one, other), max(one, other)) for (_, one), (_, other) in combinations(terms, 2)]
        memory = self.memory
        sums = {key: own for key in terms if (own := memory.sums.get(key)) is not None}
        products = {key: product for key in pairs if (product := memory.products.get(key)) is not None}
        new = {key: (0.0, 0.0, 0.0) for key in terms if key not in sums}
        new_pairs = {key: 0.0 for key in pairs if key not in products}
        walked = {*(term for _, term in new), *(term for _, *pair in new_pairs for term in pair)}
        for low, high in blocks(len(self.segment)) if walked else ():
            values = {word.term: word.block(low, high) for word in words if word.term in walked}
            if self.live is not None:
                values = {term: own * self.live[low:high] for term, own in values.items()}
            for key, (total, squares, most) in new.items():
                worth = values[key[1]]
                new[key] = total + float(worth.sum()), squares + inner(worth, worth), max(most, float(worth.max()))
            for pair in new_pairs:
                new_pairs[pair] += inner(values[pair[1]], values[pair[2]])
        memory.learn(new, new_pairs)
        sums, products = sums | new, products | new_pairs
        return [sums[key] for key in terms], [products[key] for key in pairs]


class Word:
    """A term in a segment and a generation: a column, or postings. Worths are those of a word that is asked once.

    ``amplitudes``, (R,), are weight times idf by reading.
    """

    __slots__ = ("_dense", "_lies", "_postings", "_table", "amplitudes", "column", "end", "shard", "start", "term")

    def __init__(self, shard: Shard, term: int, place: int, amplitudes: Sequence[float]) -> None:
        self.shard, self.term, self.amplitudes = shard, term, amplitudes
        self.column = shard.segment.column(place)
        self.start, self.end = map(int, shard.segment.starts[place : place + 2])
        self._table: NDArray[np.float64] | None = None
        self._postings: tuple[NDArray[np.intp], NDArray[np.float64]] | None = None
        self._dense: NDArray[np.float64] | None = None
        self._lies: tuple[NDArray[np.int32], NDArray[np.unsignedinteger[Any]]] | None = None

    @property
    def lies(self) -> tuple[NDArray[np.int32], NDArray[np.unsignedinteger[Any]]]:
        """Its postings as they lie in the segment, nodes and codes; of a column no nodes, and the code of every one."""
        if self._lies is None:
            segment = self.shard.segment
            if self.column >= 0:
                codes = segment.columns[self.column : self.column + len(segment)]
            else:
                codes = segment.codes[self.start : self.end]
            self._lies = segment.nodes[self.start : self.end], codes
        return self._lies

    @property
    def table(self) -> NDArray[np.float64]:
        """What each code is worth, (c,)."""
        if self._table is None:
            self._table = self._of(self.shard.saturation)
            self.shard.memory.remember(self._table.nbytes)
        return self._table

    @property
    def postings(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The places of the nodes that hold the term, ascending, and its worth in each."""
        if self._postings is not None:
            return self._postings
        saturation, (narrow, codes) = self.shard.saturation, self.lies
        nodes = narrow.astype(np.intp)
        if len(codes) > saturation.shape[1]:
            worth = self.table.take(codes, mode="clip")
        else:
            worth = self._of(saturation.take(codes, axis=1, mode="clip"))
        if len(nodes) <= _KEPT:
            self._postings = nodes, worth
            self.shard.memory.remember(nodes.nbytes + worth.nbytes)
        return nodes, worth

    def block(self, low: int, high: int) -> NDArray[np.float64]:
        """Return what the term is worth in the nodes from one place to another; of a column."""
        if self._dense is not None:
            return self._dense[low:high]
        codes = self.lies[1][low:high]
        values = self.table.take(codes, mode="clip")
        if len(values) == len(self.shard.segment) <= _KEPT:
            self._dense = values
            self.shard.memory.remember(values.nbytes)
        return values

    def at(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what the term is worth at some places."""
        nodes, codes = self.lies
        if self.column >= 0:
            return self.table.take(codes.take(rows, mode="clip"), mode="clip")
        narrow = rows.astype(np.int32)
        places = nodes.searchsorted(narrow)
        found = codes.take(places, mode="clip")
        found *= nodes.take(places, mode="clip") == narrow  # code 0: the term is absent
        worth: NDArray[np.float64] = self.table.take(found, mode="clip")
        return worth

    def holds(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return at which of some places the term stands."""
        nodes, codes = self.lies
        if self.column >= 0:
            return np.asarray(codes.take(rows) != 0)
        narrow = rows.astype(np.int32)
        return np.asarray(nodes.take(nodes.searchsorted(narrow), mode="clip") == narrow)

    def _of(self, saturation: NDArray[np.float64]) -> NDArray[np.float64]:
        total = saturation[0] * self.amplitudes[0]
        for amplitude, reading in zip(self.amplitudes[1:], saturation[1:], strict=True):
            total += amplitude * reading
        return rounded(total, self.shard.statistics.grid)


def blocks(size: int) -> list[tuple[int, int]]:
    """Return the bounds of consecutive blocks of nodes."""
    return [(low, min(low + _BLOCK, size)) for low in range(0, size, _BLOCK)]


def rounded(worth: NDArray[np.float64], grid: float) -> NDArray[np.float64]:
    """Return worths rounded to a grid (see ``Statistics.grid_for``)."""
    return np.subtract(worth + grid, grid)
