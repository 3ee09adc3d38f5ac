"""The text part: postings of several segments, ranked as one collection.

What moves with every write (the number of nodes, idf, average lengths) is computed here, when a generation is first
asked: see ``bm25`` for the formula, ``text_walk`` for how little of the postings a question touches, ``text_segment``
for how they lie.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import NO_NODES, NO_RAW, Allowed, HeldNames, Moments, Nodes, Scored, Shared
from fourfold.index.bm25 import COUNTED, LEAST, Memory, Shard, Statistics, Word
from fourfold.index.name_terms import NameTerms, shares_held, told_by
from fourfold.index.text_segment import TextSegment
from fourfold.index.text_walk import SegmentScores
from fourfold.lazy import lazy
from fourfold.ragged import bounds
from fourfold.types import FloatArray

__all__ = ["Shared", "Text", "TextRanking", "TextSegment"]


class Text:
    """Postings of one generation. Immutable but for what it remembers, so threads share it.

    The nodes of the segments must differ. ``names`` is the reading that reads names and nothing else; None where there
    is none. The constants are those of ``Statistics``.
    """

    def __init__(
        self,
        segments: Sequence[TextSegment],
        *,
        weights: Sequence[float],
        k1: float,
        b: float,
        names: int | None = None,
    ) -> None:
        self._segments = tuple(segments)
        self._memory = Memory()
        totals = np.zeros(len(weights) + 1, np.int64)
        for segment in segments:
            totals += segment.totals[:]
        self.size = int(totals[0])
        """How many nodes live, those without any term included."""
        averages = (totals[1:] / max(self.size, 1)).tolist()
        self._statistics = Statistics(tuple(weights), k1, b, self.size, tuple(averages))
        self._bounded = min(weights, default=0.0) >= 0
        self._nowhere = np.zeros(len(weights) + 1, np.int64)
        self._names = names
        alive = [segment for segment in segments if segment.totals[:][0]]
        self._shards = [Shard(number, one, self._statistics, self._memory) for number, one in enumerate(alive)]

    def __del__(self) -> None:
        """Forget the words, which hold what remembers them: arrays would wait for the collector of cycles."""
        self._memory.words = {}

    def is_of(self, segments: Sequence[TextSegment]) -> bool:
        """Whether these are the very segments: no node was written since."""
        return len(segments) == len(self._segments) and all(map(operator.is_, segments, self._segments))

    def weighed(self, weights: Sequence[float], *, k1: float, b: float, names: bool) -> Text:
        """Return the same postings as other constants weigh them, with the names that they hold or without."""
        segments = [shard.segment for shard in self._shards]
        return Text(segments, weights=weights, k1=k1, b=b, names=self._names if names else None)

    def ask(self, terms: Mapping[int, float]) -> TextRanking:
        """Rank by BM25, each term (by its number) counting as often as said."""
        asked = [(self._words(term), float(count)) for term, count in terms.items() if count]
        grid, bounded = None, self._bounded
        counts = [count for _, count in asked]
        if len(asked) > COUNTED or any([count != 1.0 for count in counts]):
            grid = self._statistics.grid_for(sum(map(abs, counts)))
            bounded = bounded and min(counts) > 0
        walks = []
        for shard in self._shards:
            found = [(words[shard.number], count) for words, count in asked]
            known = [(word, count) for word, count in found if word is not None]
            if known:
                walks.append(SegmentScores(shard, known, grid, bounded=bounded))
        return TextRanking(walks, self.size)

    def worth(self, terms: Sequence[int], nodes: Nodes) -> FloatArray:
        """Return what one occurrence of each term in the question is worth in some nodes; 0 where it does not occur.

        (len(terms), len(nodes)) float32.
        """
        found = np.zeros((len(terms), len(nodes)), np.float32)
        words = [self._words(term) for term in terms]
        for number, shard in enumerate(self._shards):
            known, rows = shard.locate(nodes)
            if len(known):
                for place, of_shards in enumerate(words):  # a question has few words
                    if (word := of_shards[number]) is not None:
                        found[place, known] = word.at(rows)
        return found

    def holds(self, terms: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of some nodes hold which terms in any reading, (len(nodes), len(terms))."""
        found = np.zeros((len(nodes), len(terms)), bool)
        words = [self._words(term) for term in terms]
        for shard in self._shards:
            known, rows = shard.locate(nodes)
            here = slice(None) if len(known) == len(nodes) else known
            for place, word in enumerate(words):
                if (own := word[shard.number]) is not None:
                    found[here, place] = own.holds(rows)
        return found

    def df(self, terms: NDArray[np.int64], reading: int = -1) -> NDArray[np.int64]:
        """Return in how many live nodes any reading holds each term, or one of them, (len(terms),)."""
        found = np.zeros(len(terms), np.int64)
        for shard in self._shards:
            places = shard.segment.term_places(terms)
            known = (places >= 0).nonzero()[0]
            found[known] += shard.segment.df[places[known]][:, reading]
        return found

    def holders(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the live nodes that hold term i are ``nodes[starts[i]:starts[i + 1]]``, ascending.

        Meant for rare terms.
        """
        origins, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for shard in self._shards:
            origin, rows = shard.segment.holders(terms)
            origins.append(origin)
            nodes.append(shard.segment.nums[:][rows])
        origin_of, held = np.concatenate(origins), np.concatenate(nodes)
        if len(self._shards) > 1:
            order = np.lexsort((held, origin_of))
            origin_of, held = origin_of[order], held[order]
        return bounds(np.bincount(origin_of, minlength=len(terms))), held

    def terms_of(self, nodes: Nodes, most: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (origin, term), parallel: the terms of the node at each place, in any order.

        Where ``most`` is given, terms that more nodes hold may be missing.
        """
        origins, terms = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for shard in self._shards:
            known, rows = shard.locate(nodes)
            if len(known):
                origin, term = shard.segment.terms_in(rows, most)
                origins.append(known[origin])
                terms.append(shard.segment.vocabulary[term].astype(np.int64))
        return np.concatenate(origins), np.concatenate(terms)

    def shared(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> Shared:
        """Return the rare terms of some nodes, and who holds them; see ``TextPart.shared``."""
        origin, terms = self.terms_of(nodes, most)
        df = self.df(terms)
        rare = (df >= 2) & (df <= most)
        if besides:
            rare &= ~ordered.contains(np.sort(np.fromiter(besides, np.int64)), terms)
        origin, terms, df = origin[rare], terms[rare], df[rare]
        starts, held = self.holders(terms)
        return Shared(origin, df, starts, held)

    def names_held(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> HeldNames:
        """Return whose names the texts of some nodes hold, see ``TextPart.names_held``."""
        if self._names is None:
            return HeldNames.none()
        origin, terms = self.terms_of(nodes)
        rare = told_by(terms, self.df(terms, self._names), most, besides)
        found = [self._named(shard, nodes, origin[rare], terms[rare]) for shard in self._shards]
        whose, named, counts, name = map(np.concatenate, zip((NO_NODES,) * 4, *found, strict=True))
        distinct, place = ordered.numbered(name)
        idf = np.log(self.size / self.df(distinct))[place]
        return shares_held(origin, terms, whose, named, counts, name, idf, self.size)

    def _named(
        self, shard: Shard, nodes: Nodes, origin: NDArray[np.int64], terms: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Nodes, NDArray[np.int64], NDArray[np.int64]]:
        """Return the nodes of one segment whose names hold a term of another, and the terms of these names.

        As (origin, node, how many terms its name has), parallel, and their terms one name after the other.
        """
        assert self._names is not None
        names = NameTerms.of(shard.segment, self._names)
        at, row = names.holding(shard.segment.term_places(terms))
        origin, row = ordered.distinct_pairs(origin[at], row)
        others = shard.segment.nums[:][row]
        kept = others != nodes[origin]
        if shard.live is not None:
            kept &= shard.live[row]
        counts, places = names.of_rows(row[kept])
        return origin[kept], others[kept], counts, shard.segment.vocabulary[places].astype(np.int64)

    def _words(self, term: int) -> list[Word | None]:
        """Return a term in each segment; None where no node holds it."""
        words = self._memory.words.get(term)
        if words is None:
            found = [(shard, shard.segment.place(term)) for shard in self._shards]
            df = sum([shard.segment.df[place : place + 1][0] for shard, place in found if place >= 0], self._nowhere)
            amplitudes = [
                weight * self._statistics.idf(n)
                for weight, n in zip(self._statistics.weights, df.tolist(), strict=False)
            ]
            words = [Word(shard, term, place, amplitudes) if place >= 0 else None for shard, place in found]
            self._memory.words[term] = words
            self._memory.remember(300)
        return words


class TextRanking:
    """One question put to the postings; see ``index.base.Ranking``."""

    def __init__(self, walks: Sequence[SegmentScores], size: int) -> None:
        self._walks, self._size = walks, size

    @lazy
    def moments(self) -> Moments:
        """Sums over all live nodes, those without any of the words included."""
        best = max([walk.scores.max(initial=0.0) for walk in self._walks], default=0.0)
        if any([walk.outside > best for walk in self._walks]):
            best = max(self.best(1).values, default=0.0)
        sums = [walk.sums() for walk in self._walks]
        total, squares = math.fsum([total for total, _ in sums]), math.fsum([squares for _, squares in sums])
        return Moments(total, squares, float(best), self._size)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the ``count`` best of positive score, float32, and all that tie with the last; ties by number."""
        count = max(count, 1)
        while True:
            found = [walk.best(count, allowed) for walk in self._walks]
            if len(found) == 1:
                nodes, values, _ = found[0]
            else:
                nodes = np.concatenate([NO_NODES, *[nodes for nodes, _, _ in found]])
                values = np.concatenate([NO_RAW, *[values for _, values, _ in found]])
            order = np.lexsort((nodes, -values))
            least = values[order[count - 1]] if len(order) >= count else np.float32(0.0)
            bound = max(least, LEAST)
            short = [walk for walk, (_, _, outside) in zip(self._walks, found, strict=True) if outside >= bound]
            if not short:
                break
            for walk in short:
                walk.walk_all()
        order = order[: np.count_nonzero(values >= least)]
        return Scored(nodes[order], values[order], float(least))

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the scores of some nodes, (len(nodes),) float32; 0 for those that are not there."""
        if len(self._walks) == 1:
            return self._walks[0].at(nodes)
        scores = np.zeros(len(nodes), np.float32)
        for walk in self._walks:
            scores += walk.at(nodes)  # a node lives in one segment
        return scores
