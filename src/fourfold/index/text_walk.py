"""One question in one segment: which nodes are walked, and what those outside can have at most.

The postings of the rarer words are walked; common words, which have columns, are looked up for the nodes found on the
way. A node outside has at most the sum of the common words' maxima: where that could reach the best asked for,
everything is walked (MaxScore: Turtle & Flood, "Query evaluation: strategies and optimizations", 1995). The moments
stay exact: what common words give to the nodes outside is what they give to all, known for each word and each pair of
words, less what they give to the nodes found.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Allowed, Nodes
from fourfold.index.bm25 import LEAST, Shard, Word, blocks, rounded
from fourfold.index.inner_products import inner
from fourfold.lazy import lazy

_SMALL = 1 << 15
"""Segments of so few nodes are walked as a whole: there is nothing to save."""

_SHARE = 1 / 4
"""Where a question's postings are as many as this share of the nodes, everything is walked."""


class SegmentScores:
    """The scores of a question in one segment; used by one thread.

    ``grid`` is that of the question where it is not that of the words. ``bounded``: no word can take anything away, so
    that maxima bound sums.
    """

    def __init__(self, shard: Shard, words: Sequence[tuple[Word, float]], grid: float | None, *, bounded: bool) -> None:
        self.shard, self._grid = shard, grid
        self._lists = [(word, count) for word, count in words if word.column < 0]
        self._columns = [(word, count) for word, count in words if word.column >= 0]
        size = len(shard.segment)
        if bounded and size > _SMALL and 0 < sum(word.end - word.start for word, _ in self._lists) < _SHARE * size:
            self._walk_lists()
        else:
            self.walk_all()

    rows: NDArray[np.intp] | None
    """The places whose scores are known, each once; None where all are."""
    scores: NDArray[np.float32]
    """Their scores."""

    @property
    def outside(self) -> np.float32:
        """What a node whose score is not known has at most."""
        if self.rows is None or not self._columns:
            return np.float32(0.0)
        stats, _ = self._totals
        maxima = zip(stats, self._columns, strict=True)
        return np.float32(sum([float(self._scaled(np.array(most), count)) for (_, _, most), (_, count) in maxima]))

    def sums(self) -> tuple[float, float]:
        """Return the sum of all scores and of their squares."""
        total, squares = self._sums
        if self.rows is None or not self._columns:
            return total, squares
        stats, products = self._totals
        counts = [count for _, count in self._columns]
        for (own_total, own_squares, _), count in zip(stats, counts, strict=True):
            total += count * own_total
            squares += count * count * own_squares
        for (one, other), product in zip(combinations(counts, 2), products, strict=True):
            squares += 2.0 * one * other * product
        return total, squares

    def at(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the scores of store numbers; 0 for those of other segments."""
        if self.rows is None:  # what is gone has a score of 0
            places = self.shard.segment.places(nodes)
            values: NDArray[np.float32] = self.scores.take(places, mode="clip") * (places >= 0)
            return values
        found = np.zeros(len(nodes), np.float32)
        known, rows = self.shard.locate(nodes)
        scores = self._common(rows)
        for word, count in self._lists:
            scores += self._scaled(word.at(rows), count)
        found[known] = scores
        return found

    def best(self, count: int, allowed: Allowed | None) -> tuple[Nodes, NDArray[np.float32], np.float32]:
        """Return the best of the nodes whose scores are known (all that tie with the last), and what others may have.

        In any order.
        """
        segment = self.shard.segment
        if allowed is not None and len(allowed) * 256 < len(segment):
            scores = self.at(allowed.nodes)
            top = ordered.best_places(scores, count, least=LEAST)
            return allowed.nodes[top], scores[top], np.float32(0.0)
        wanted = count
        if allowed is not None:
            wanted = 2 * count * len(segment) // max(len(allowed), 1) + 16
        while True:
            top = ordered.best_places(self.scores, wanted, least=LEAST)
            nodes: Nodes = segment.nums[top if self.rows is None else self.rows[top]]
            if allowed is None:
                return nodes, self.scores[top], self.outside
            keep = allowed.contains(nodes)
            if int(np.count_nonzero(keep)) >= count or len(top) < wanted:
                return nodes[keep], self.scores[top[keep]], self.outside
            wanted *= 8

    def walk_all(self) -> None:
        """Score every node."""
        self.rows = None
        live, scratch = self.shard.live, self.shard.borrow()
        sums = scratch[0]
        for word, count in self._lists:
            nodes, worth = word.postings
            np.add.at(sums, nodes, self._scaled(worth, count))
        total = squares = 0.0
        self.scores = np.empty(len(sums), np.float32)
        for low, high in blocks(len(sums)):
            block = sums[low:high]
            for word, count in self._columns:
                block += self._scaled(word.block(low, high), count)
            if live is not None:
                block *= live[low:high]
            total += float(block.sum())
            squares += inner(block, block)
            self.scores[low:high] = block
            block[:] = 0.0
        self._sums = total, squares
        self.shard.give_back(scratch)

    def _walk_lists(self) -> None:
        """Score the nodes that hold any of the rarer words."""
        scratch = self.shard.borrow()
        sums, marked = scratch
        found: list[NDArray[np.intp]] = []
        for word, count in sorted(self._lists, key=lambda pair: pair[0].start - pair[0].end):
            nodes, worth = word.postings
            if found:
                np.add.at(sums, nodes, self._scaled(worth, count))
                nodes = nodes[(~marked.take(nodes)).nonzero()[0]]
            else:  # the longest need not be compared with anything
                sums[nodes] = self._scaled(worth, count)
            marked[nodes] = True
            found.append(nodes)
        rows = np.concatenate(found)
        scores = sums.take(rows)
        sums[rows] = 0.0
        marked[rows] = False
        self.shard.give_back(scratch)
        if self.shard.live is not None:
            alive = self.shard.live.take(rows).nonzero()[0]
            rows, scores = rows[alive], scores[alive]
        total = squares = 0.0
        if self._columns:
            common = self._common(rows)
            scores += common
            total, squares = -float(common.sum()), -inner(common, common)
        self._sums = total + float(scores.sum()), squares + inner(scores, scores)
        self.rows, self.scores = rows, scores.astype(np.float32)

    @lazy
    def _totals(self) -> tuple[list[tuple[float, float, float]], list[float]]:
        return self.shard.totals([word for word, _ in self._columns])

    def _common(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what the common words give to some places."""
        total = np.zeros(len(rows))
        for word, count in self._columns:
            total += self._scaled(word.at(rows), count)
        return total

    def _scaled(self, worth: NDArray[np.float64], count: float) -> NDArray[np.float64]:
        return worth if self._grid is None else rounded(worth * count, self._grid)
