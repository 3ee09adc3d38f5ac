"""BM25 over the postings of a question's words: the same sums as ``index.text``; equal texts tie, as there.

Milvus finds who holds the words, by sparse vectors of what each word is worth in a node without its idf, asked for with
the idf; what they score is computed here from the counts and lengths in their rows, so that it is exact whatever the
mean lengths have become since a row was written, and under every config.

Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), in the variant of the method:
``idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl))`` with ``idf = ln((N − df + 0.5)/(df + 0.5) + 1)``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import RetrievalConfig
from fourfold.engines.milvus.array_text import unpacked_terms
from fourfold.engines.milvus.reading import Reading
from fourfold.engines.milvus.words import Holders, Postings
from fourfold.index.base import NO_VALUES, Allowed, HeldNames, Moments, Nodes, NodeValues, Scored, Shared
from fourfold.index.bm25 import Statistics, rounded
from fourfold.index.changes import FIELDS
from fourfold.index.name_terms import names_listed, told_by
from fourfold.lazy import lazy
from fourfold.ragged import laid_out
from fourfold.types import FloatArray

_NAMES = [FIELDS.index("name")]
_MASKS = np.arange(1, 8)
"""Sets of fields, as bits: 1 name, 2 type, 4 text."""


class Text:
    """Postings of one commit, read by a config's fields, k1 and b; see ``index.base.TextPart``."""

    def __init__(self, reading: Reading, config: RetrievalConfig) -> None:
        self.reading = reading
        self.readings = [sorted({FIELDS.index(name) for name in one.columns}) for one in config.text.fields]
        self._fields = sorted({field for own in self.readings for field in own})
        state = reading.state
        averages = tuple(sum(state.lengths[field] for field in own) / max(state.nodes, 1) for own in self.readings)
        weights = tuple(one.weight for one in config.text.fields)
        self._statistics = Statistics(weights, config.text.k1, config.text.b, state.nodes, averages)

    def ask(self, terms: Mapping[int, float]) -> TextRanking:
        """Rank by BM25, each term counting as often as said."""
        asked = {int(term): float(count) for term, count in terms.items() if count}
        return TextRanking(self, asked, self._holders(list(asked)))

    def scores(self, asked: Mapping[int, float], postings: Mapping[int, Postings]) -> NodeValues:
        """Return what nodes score, as far as postings tell."""
        if not asked:
            return NO_VALUES
        grid = self._statistics.grid_for(sum(map(abs, asked.values())))
        worths = self._worths(list(asked), postings)
        values = [np.subtract(count * own + grid, grid) for count, (_, own) in zip(asked.values(), worths, strict=True)]
        return NodeValues.sum([nodes for nodes, _ in worths], values)

    def postings_in(self, terms: Sequence[int], nodes: Nodes) -> Mapping[int, Postings]:
        """Return where terms stand, in some nodes at least."""
        words = self.reading.words
        known = words.known(terms)
        return words.within(terms, nodes) if known is None else known

    def worth(self, terms: Sequence[int], nodes: Nodes) -> FloatArray:
        """Return what one occurrence of each term in the question is worth in some nodes, (len(terms), len(nodes))."""
        worths = self._worths(terms, self.postings_in(terms, nodes)) if len(terms) else []
        found = [NodeValues(holders, own).at(nodes) for holders, own in worths]
        return np.stack(found).astype(np.float32) if found else np.zeros((0, len(nodes)), np.float32)

    def holds(self, terms: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of some nodes hold which terms, (len(nodes), len(terms))."""
        if not len(terms):
            return np.zeros((len(nodes), 0), bool)
        postings = self.postings_in(terms, nodes)
        return np.stack([np.isin(nodes, self._read(postings[term])) for term in terms], axis=1)

    def df(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each term occurs."""
        return self._df(terms, self._fields)

    def shared(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> Shared:
        """Return the rare terms of some nodes, and who holds them; see ``index.base.TextPart``."""
        origin, terms = self._terms_of(nodes, self._fields)
        df = self.df(terms)
        rare = (df >= 2) & (df <= most) & ~np.isin(terms, np.fromiter(besides, np.int64, len(besides)))
        origin, terms, df = origin[rare], terms[rare], df[rare]
        postings = self._holders(np.unique(terms).tolist()).best
        held = [self._read(postings[term]) for term in terms.tolist()]
        return Shared(origin, df, *laid_out(held, np.int64))

    def names_held(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> HeldNames:
        """Return whose names the texts of some nodes hold; see ``index.base.TextPart``."""
        if _NAMES not in self.readings:
            return HeldNames.none()
        origin, terms = self._terms_of(nodes, self._fields)
        rare = told_by(terms, self._df(terms, _NAMES), most, besides)
        postings = self.reading.words.labelled(np.unique(terms[rare]).tolist(), FIELDS[:1])
        held = [(term, own.nodes[own.times[:, _NAMES[0]] > 0]) for term, own in sorted(postings.items())]
        term = np.repeat(np.array([term for term, _ in held], np.int64), [len(own) for _, own in held])
        holders = np.concatenate([np.empty(0, np.int64), *(own for _, own in held)])
        named = ordered.distinct(holders)
        place, own = self._terms_of(named, _NAMES)
        return names_listed(
            nodes, origin, terms, rare, (term, holders), (named[place], own), self.df, self._statistics.size
        )

    def _terms_of(self, nodes: Nodes, fields: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (place, term), ascending, of the distinct terms of some nodes in some fields."""
        lists = self.reading.words.lists(nodes.tolist())
        _, tokens, counts = unpacked_terms(list(lists.values()))
        own = np.isin(tokens["field"], fields)
        place = {num: at for at, num in enumerate(nodes.tolist())}
        at = np.repeat(np.array([place[num] for num in lists], np.int64), counts)[own]
        return ordered.distinct_pairs(at, tokens["term"][own].astype(np.int64))

    def _worths(self, terms: Sequence[int], postings: Mapping[int, Postings]) -> list[tuple[Nodes, FloatArray]]:
        """Return (nodes, what one occurrence of the term in the question is worth there) of each term."""
        statistics = self._statistics
        numbers = np.array(terms, np.int64)
        df = [self._df(numbers, own).tolist() for own in self.readings]
        found: list[tuple[Nodes, FloatArray]] = []
        for place, term in enumerate(terms):
            rows = postings[term]
            total = np.zeros(len(rows.nodes))
            for reading, own in enumerate(self.readings):
                amplitude = statistics.weights[reading] * (statistics.k1 + 1.0) * statistics.idf(df[reading][place])
                times = rows.times[:, own].sum(axis=1)
                total += amplitude * self._saturated(reading, times, rows.lengths[:, own].sum(axis=1))
            found.append((rows.nodes, rounded(total, statistics.grid)))
        return found

    def _saturated(self, reading: int, times: NDArray[np.int64], lengths: NDArray[np.int64]) -> FloatArray:
        statistics = self._statistics
        slope = statistics.b / statistics.averages[reading] if statistics.averages[reading] else 0.0
        flat = statistics.k1 * (1.0 - statistics.b + slope * lengths)
        found: FloatArray = np.divide(times, times + flat, out=np.zeros(len(times)), where=times > 0)
        return found

    def _holders(self, terms: Sequence[int]) -> Holders:
        """Return who holds some terms, and of very many the best by their idf."""
        return self.reading.words.holders(self.idf(terms)) if len(terms) else Holders({})

    def idf(self, terms: Sequence[int]) -> dict[int, float]:
        """Return the idf of some terms, by which nodes are ranked where there are too many."""
        df = self._df(np.array(terms, np.int64), self._fields).tolist()
        return {term: self._statistics.idf(n) for term, n in zip(terms, df, strict=True)}

    def _read(self, postings: Postings) -> Nodes:
        """Return the nodes that hold a term in a field that is read."""
        return postings.nodes[postings.times[:, self._fields].any(axis=1)]

    def _df(self, terms: NDArray[np.int64], fields: Sequence[int]) -> NDArray[np.int64]:
        bits = sum(1 << field for field in fields)
        found: NDArray[np.int64] = self.reading.words.held(terms)[:, (_MASKS & bits) > 0].sum(axis=1)
        return found


class TextRanking:
    """One question put to the postings: how often each term counts, and who holds it; see ``index.base.Ranking``."""

    def __init__(self, text: Text, asked: Mapping[int, float], holders: Holders) -> None:
        self._text, self._asked, self._holders = text, asked, holders
        scores = text.scores(asked, holders.best)
        self._nodes, self._values = scores.nodes, scores.values.astype(np.float32)

    @lazy
    def moments(self) -> Moments:
        """Sums over all nodes; estimated from a sample where too many nodes hold the words."""
        scored, step = self._values.astype(np.float64), self._holders.step
        most = float(scored.max(initial=0.0))
        sample = self._holders.sample
        values = scored if sample is None else self._text.scores(self._asked, sample).values
        size = self._text.reading.state.nodes
        return Moments(step * float(values.sum()), step * float(values @ values), most, size)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the ``count`` best of positive score, and all that tie with the last; ties by number."""
        nodes, values = self._nodes, self._values
        if allowed is not None and self._holders.sample is not None:
            postings = self._text.reading.words.among(self._text.idf(list(self._asked)), allowed.nodes)
            scores = self._text.scores(self._asked, postings)
            nodes, values = scores.nodes, scores.values.astype(np.float32)
        keep = values > 0
        if allowed is not None:
            keep &= allowed.contains(nodes)
        nodes, values = nodes[keep], values[keep]
        floor = 0.0
        if len(values) > max(count, 1):
            floor = float(np.partition(values, len(values) - max(count, 1))[len(values) - max(count, 1)])
            nodes, values = nodes[values >= floor], values[values >= floor]
        order = np.lexsort((nodes, -values))
        return Scored(nodes[order], values[order], floor, exact=self._holders.sample is None)

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the scores of some nodes; 0 for those that hold none of the words."""
        if self._holders.sample is None:
            return NodeValues(self._nodes, self._values).at(nodes)
        postings = self._text.postings_in(list(self._asked), nodes)
        return self._text.scores(self._asked, postings).at(nodes).astype(np.float32)
