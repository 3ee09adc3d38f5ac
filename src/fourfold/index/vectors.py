"""The vector part: cosines with a question over segments of unit vectors, and their moments.

What a vector scores is always computed by the same instructions, row by row, wherever it lies: so equal vectors tie,
and ``at`` agrees with ``best``. Codes only say which rows are worth it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.errors import DimensionError
from fourfold.index.base import NO_NODES, NO_RAW, Allowed, Moments, Nodes, Scored
from fourfold.index.quantised import FirstStageSettings
from fourfold.index.unit_vectors import unit_question
from fourfold.index.vector_segment import FEW, FirstStage, Selection, VectorSegment, merge
from fourfold.lazy import lazy
from fourfold.threads import beside
from fourfold.types import FloatArray

__all__ = ["FirstStageSettings", "VectorRanking", "VectorSegment", "Vectors", "VectorsInfo", "merge"]

_RESCORED = 6
"""Candidates rescored for each node asked for, at least …"""
_ASKED = 128
"""… as if so many were asked for."""
_AHEAD = 768
"""So many candidates more than are rescored next are asked for, or what three further steps would rescore: codes name
twice as many in a tenth more time, and asking them again reads all of them again."""
_BESIDE = 250_000
"""From so many rows on codes are read in a thread of their own, while the text is asked."""
_WIDE = 8
"""Up to one in so many rows are taken from the unfiltered search where a filter keeps enough of them."""
_SCATTERED = 24
"""Beyond one in so many rows, reading every vector one after the other is sooner than those here and there."""
_MOST = 4
"""From one in so many rows on, all are read where they lie, instead of gathering those."""
_FIXED = float(1 << 40)
"""Whole numbers of such parts add up exactly, where floats would by their order: four million of at most one each."""


@dataclass(frozen=True, slots=True)
class VectorsInfo:
    """What names the candidates of a vector part.

    Args:
        first_stage: "exact", "faiss", "numpy", or several of them with commas, the largest segment's first.
        recall: the least recall@10 of the coded segments, measured on their own vectors; 1 where all is exact.
        code_bytes: the size of the codes.

    """

    first_stage: str
    recall: float
    code_bytes: int


class Vectors:
    """Segments of vectors as one part of the index.

    Args:
        segments: each node live in at most one of them.
        exact: True reads every vector and uses no codes; None and False use those that a segment has.

    Raises:
        DimensionError: the segments have vectors of different lengths.

    """

    def __init__(self, segments: Sequence[VectorSegment], *, exact: bool | None = None) -> None:
        self.segments = tuple(segment for segment in segments if segment.size)
        self.exact = exact
        widths = sorted({segment.dimensions for segment in self.segments})
        if len(widths) > 1:
            raise DimensionError(f"The graph has vectors of {widths} dimensions; all must have the same.")
        self.dimensions = widths[0] if widths else 0
        """The length of every vector; 0 where there are none."""
        self.size = sum(segment.size for segment in self.segments)
        """How many nodes have a vector."""

    def info(self) -> VectorsInfo:
        """Return what is in use, and the recall measured when the codes were made."""
        largest_first = sorted(self.segments, key=len, reverse=True)
        stages = [None if self.exact else segment.first_stage for segment in largest_first]
        return VectorsInfo(
            first_stage=", ".join(dict.fromkeys(s.codes.kind if s else "exact" for s in stages)) or "exact",
            recall=min((s.recall for s in stages if s), default=1.0),
            code_bytes=sum(s.codes.nbytes for s in stages if s),
        )

    def ask(self, vector: FloatArray) -> VectorRanking:
        """Rank by the cosine with a vector, (dimensions,); a vector of zeros scores 0 everywhere.

        Raises:
            DimensionError: the vector has another length.

        """
        return VectorRanking(self, unit_question(vector, self.dimensions if self.segments else None))

    def at(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the unit vectors of these nodes, (len(nodes), dimensions); zeros where there is none."""
        vectors = np.zeros((len(nodes), self.dimensions), np.float32)
        for segment in self.segments:
            places, rows = segment.locate(nodes)
            if len(rows):
                vectors[places] = segment.vectors[rows]
        return vectors


class VectorRanking:
    """One question put to vectors; remembers what it has computed.

    Ask for the filtered best before the moments: a wide filter's search then serves both.
    """

    def __init__(self, part: Vectors, question: NDArray[np.float32]) -> None:
        self._question = question
        self._searches = [_Search(segment, question, exact=bool(part.exact)) for segment in part.segments]

    @property
    def moments(self) -> Moments:
        """Sums over all nodes that have a vector, whatever the filter."""
        sums = [search.sums for search in self._searches]
        return Moments(
            total=math.fsum([total for total, _ in sums]),
            squares=math.fsum([squares for _, squares in sums]),
            maximum=max([search.maximum for search in self._searches], default=0.0),
            size=sum([search.segment.size for search in self._searches]),
        )

    def begin(self, count: int, allowed: Allowed | None = None) -> None:
        """Begin with what ``best`` will be asked, see ``index.base.Beginning``."""
        for search in self._searches:
            search.begin(count, allowed)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the ``count`` ≥ 1 best (and all that tie with the last), ties by number, among the allowed nodes."""
        found = [search.best(count, allowed) for search in self._searches]
        nodes = np.concatenate([NO_NODES, *[f.nodes for f in found]])
        values = np.concatenate([NO_RAW, *[f.values for f in found]])
        complete = all([f.complete for f in found])
        if len(values) > count:
            kept = ordered.best_places(values, count)
            nodes, values, complete = nodes[kept], values[kept], complete and len(kept) == len(values)
        order = np.lexsort((nodes, -values))
        nodes, values = nodes[order], values[order]
        floor = -math.inf if complete else float(values[-1])
        return Scored(nodes, values, floor, exact=all([f.exact for f in found]))

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the cosines of these nodes, (len(nodes),) float32; 0 for those without a vector."""
        values = np.zeros(len(nodes), np.float32)
        for search in self._searches:
            places, rows = search.segment.locate(nodes)
            if len(rows) == len(nodes):  # a node lives in one segment
                return search.cosines(rows)
            if len(rows):
                values[places] = search.cosines(rows)
        return values


@dataclass(frozen=True, slots=True)
class _Found:
    """The best rows of one segment, in any order, and perhaps some more; ``complete`` where they are all there are."""

    nodes: Nodes
    values: NDArray[np.float32]
    complete: bool
    exact: bool


class _Search:
    """One question put to one segment."""

    def __init__(self, segment: VectorSegment, question: NDArray[np.float32], *, exact: bool) -> None:
        self.segment = segment
        self._question = question
        self._zero = not question.any()
        # All vectors tie for a question of zeros: no codes can tell them apart.
        self._stage = None if exact or self._zero else segment.first_stage
        self._unfiltered = np.zeros(0, np.int64)
        self._widest = 0
        self._largest = -math.inf
        self._searched = False
        self._coming: Future[NDArray[np.int64]] | None = None

    def cosines(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what these rows score, (len(rows),)."""
        if "_scores" in self.__dict__ or len(rows) * _MOST >= len(self.segment):
            values = self._scores.take(rows)
        else:
            values = self._dot(self.segment.vectors[rows])
        self._largest = max(self._largest, float(values.max(initial=-math.inf)))
        return values

    def _dot(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        if self._zero:
            return np.zeros(len(vectors), np.float32)
        values: NDArray[np.float32] = np.einsum("ij,j->i", vectors, self._question)
        return values

    @lazy
    def sums(self) -> tuple[float, float]:
        """The sum of all cosines, and of their squares; of few rows to the last digit in any order of them."""
        if self.segment.sums is not None:
            return self.segment.sums.of(self._question)
        live = self.segment.live
        scores = (self._scores if live is None else self._scores[live.rows]).astype(np.float64)
        return _exact_sum(scores), _exact_sum(scores * scores)

    @property
    def maximum(self) -> float:
        """The largest cosine; with a first stage that of its candidates, and no less than any value given so far."""
        if self._zero:
            return 0.0
        if not self._searched:
            self._searched = True
            if self._stage is None:
                self._scanned(1, None)
            else:
                enough = self._stage.enough
                rows = self._candidates(self._stage, enough, None)[:enough]
                self._rescored(rows) if len(rows) else self._scanned(1, None)
        return self._largest

    def begin(self, count: int, allowed: Allowed | None) -> None:
        """Let another thread read many codes, for as many candidates as ``best`` and ``maximum`` will begin with."""
        if self._stage is None or len(self.segment) < _BESIDE:
            return
        selection = None if allowed is None else self.segment.select(allowed)
        depth, width = _begun(self._stage, count), self._stage.enough
        if selection is None:
            width = depth + _ahead(depth)
        elif not self._few(selection, self._stage):
            wide = self._wide(depth, selection)
            width = wide if wide * _WIDE <= len(self.segment) else width
        self._widest = width
        self._coming = beside(self._stage.codes.nearest, self._question, width, self.segment.live)

    def best(self, count: int, allowed: Allowed | None) -> _Found:
        """Return the ``count`` best rows, those that tie with the last, and perhaps more."""
        selection = None if allowed is None else self.segment.select(allowed)
        self._searched |= selection is None
        if self._stage is None:
            return self._scanned(count, selection)
        size = self.segment.size if selection is None else selection.size
        if selection is not None and self._few(selection, self._stage):
            return self._read(selection.listed())
        begun = _begun(self._stage, count)
        most = max(self._stage.rescored, begun, size // _SCATTERED)
        found = self._coded(self._stage, count, begun, min(most, size - 1), selection)
        return found or self._scanned(count, selection)

    def _coded(
        self, stage: FirstStage, count: int, begun: int, most: int, selection: Selection | None
    ) -> _Found | None:
        """Return the best of the candidates that the codes name: a third more, until the last of them are no longer.

        None where the last of ``most`` still are among the best, or tie: the codes cannot tell them apart.
        """
        rows, values, depth = np.zeros(0, np.int64), np.zeros(0, np.float32), begun
        while depth <= most:
            if depth > len(rows):
                first_of_some = selection is not None and not len(rows)  # a filter asks for many times as many at once
                ahead = 0 if first_of_some else _ahead(depth)
                wider = self._candidates(stage, depth + ahead, selection)
                rows = np.concatenate((rows, ordered.without(wider, np.sort(rows)))) if len(rows) else wider
            values = np.concatenate((values, self._rescored(rows[len(values) : depth])))
            if len(values) >= count:
                last = ordered.least_of_largest(values, count)
                if not np.count_nonzero(values[len(values) - len(values) // 4 :] >= last):
                    return _Found(self.segment.nums[rows[: len(values)]], values, complete=False, exact=False)
            depth += -(-depth // 3)
        return None

    def _rescored(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what rows in any order score, (len(rows),), reading them in theirs."""
        order = rows.argsort()
        values = np.empty(len(rows), np.float32)
        values[order] = self.cosines(rows[order])
        return values

    def _read(self, rows: NDArray[np.int64]) -> _Found:
        """Return all of these rows, all that there are."""
        return _Found(self.segment.nums[rows], self.cosines(rows), complete=True, exact=True)

    def _scanned(self, count: int, selection: Selection | None) -> _Found:
        """Return the best rows by reading every vector."""
        if selection is not None:
            rows = selection.listed()
        elif self.segment.live is not None:
            rows = np.flatnonzero(self.segment.live.rows)
        else:
            rows = None
        scores = self._scores if rows is None else self._scores[rows]
        near = ordered.best_places(scores, count)
        found = near if rows is None else rows[near]
        return _Found(self.segment.nums[found], self.cosines(found), complete=len(near) == len(scores), exact=True)

    @lazy
    def _scores(self) -> NDArray[np.float32]:
        """What all rows score, the removed ones included, (n,).

        Row by row, as single ones: BLAS reads several rows at once, which takes twice as long where they must come from
        memory.
        """
        return self._dot(self.segment.vectors[:])

    def _candidates(self, stage: FirstStage, count: int, selection: Selection | None) -> NDArray[np.int64]:
        """Return about ``count`` rows or more, best first by the codes."""
        if selection is None:
            if self._coming is not None:
                self._unfiltered, self._coming = self._coming.result(), None
            if count > self._widest:
                self._unfiltered = stage.codes.nearest(self._question, count, self.segment.live)
                self._widest = count
            return self._unfiltered
        wide = self._wide(count, selection)
        if wide * _WIDE <= len(self.segment):  # one pass for the filtered best and for the maximum of all
            rows = self._candidates(stage, wide, None)
            rows = rows[selection.keeps(rows)]
            if len(rows) >= count:
                return rows
        return stage.codes.nearest(self._question, count, selection.mask)

    def _few(self, selection: Selection, stage: FirstStage) -> bool:
        """Tell whether a filter keeps so few rows that all of them are read."""
        return selection.mask is None or selection.size <= len(self.segment) // FEW + stage.rescored

    def _wide(self, count: int, selection: Selection) -> int:
        """Return of how many unfiltered candidates a filter will keep about ``count``."""
        return math.ceil(1.25 * count * self.segment.size / selection.size)


def _begun(stage: FirstStage, count: int) -> int:
    """Return how many candidates are rescored at first, to find ``count``."""
    return max(stage.begun_with, _RESCORED * max(count, _ASKED))


def _ahead(depth: int) -> int:
    """Return how many more candidates are asked for than the ``depth`` that are rescored next."""
    return max(depth * 7 // 5, _AHEAD)


def _exact_sum(values: FloatArray) -> float:
    """Return the sum of values in [−1, 1], (n,), the same in any order of them."""
    return int(np.rint(values * _FIXED).astype(np.int64).sum()) / _FIXED
