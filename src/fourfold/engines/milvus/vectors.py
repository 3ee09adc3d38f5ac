"""The vector part: Milvus finds the nearest, what they score is computed here, so that equal vectors tie."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus.link import MOST
from fourfold.engines.milvus.reading import Reading
from fourfold.index.base import Allowed, Moments, Nodes, Scored
from fourfold.index.unit_vectors import unit, unit_question
from fourfold.lazy import lazy
from fourfold.types import FloatArray

_READ = 1_000
"""Where a filter keeps no more nodes, all of their vectors are read."""
_SPARE = 16
"""Asked for beyond those wanted, to see which tie with the last."""
_ROUNDING = 1e-5
"""Milvus's cosines differ from ours by less."""


class Vectors:
    """Unit vectors of the nodes of one commit; see ``index.base.VectorPart``."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    @property
    def dimensions(self) -> int:
        """The length of every vector; 0 where there are none."""
        return self._reading.state.dimensions if self.size else 0

    @property
    def size(self) -> int:
        """How many nodes have a vector."""
        return self._reading.state.vectors

    def ask(self, vector: FloatArray) -> VectorRanking:
        """Rank by the cosine with a vector; DimensionError where it has another length."""
        return VectorRanking(self._reading, unit_question(vector, self.dimensions if self.size else None))

    def at(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the unit vectors of these nodes; zeros where there is none."""
        return self._reading.units(nodes)


class VectorRanking:
    """One question, a unit vector or zeros, put to the vectors; see ``index.base.Ranking``."""

    def __init__(self, reading: Reading, question: NDArray[np.float32]) -> None:
        self._reading, self._question = reading, question
        self._nowhere = not question.any() or not reading.state.vectors
        self._largest = -math.inf

    @lazy
    def moments(self) -> Moments:
        """Sums over all nodes that have a vector."""
        size = self._reading.state.vectors
        if self._nowhere:
            return Moments(0.0, 0.0, 0.0, size)
        total, squares = self._reading.sums.of(self._question)
        best = self._largest if math.isfinite(self._largest) else float(self.best(1).values[0])
        return Moments(total, squares, best, size)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the nearest ``count``, and all that tie with the last, among the allowed nodes."""
        state = self._reading.state
        if self._nowhere:
            return self._all(allowed)
        if allowed is not None and len(allowed) <= _READ:
            nums, rows = self._reading.vectors(allowed.nodes.tolist())
            return self._scored(nums, self._cosines(unit(rows)), count, complete=True)
        condition = state.visible if allowed is None else f"num in {allowed.nodes.tolist()} and {state.visible}"
        limit = max(count, 1) + _SPARE
        while True:
            asked = min(limit, MOST)
            found = self._reading.link.search(
                self._reading.space, "vector", self._padded, asked, condition, ("num", "vector"), "COSINE"
            )
            nums, rows = self._reading.matrix(found)
            units = unit(rows)
            values = self._cosines(units)
            complete = len(nums) < asked
            last = np.partition(values, len(values) - count)[len(values) - count] if len(values) > count else -math.inf
            if complete or asked == MOST or (values.size and found[-1]["distance"] < last - _ROUNDING):
                if allowed is None and len(values):
                    self._largest = float(values.max())
                self._reading.remember(dict(zip(nums.tolist(), units, strict=True)))
                return self._scored(nums, values, count, complete=complete)
            limit *= 4

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the cosines of these nodes; 0 for those without a vector."""
        if self._nowhere:
            return np.zeros(len(nodes), np.float32)
        return self._cosines(self._reading.units(nodes))

    @property
    def _padded(self) -> list[float]:
        found: list[float] = self._question.tolist()
        return found if len(found) > 1 else [*found, 0.0]

    def _cosines(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        values: NDArray[np.float32] = np.einsum("ij,j->i", units, self._question)
        return values

    def _scored(self, nodes: Nodes, values: NDArray[np.float32], count: int, *, complete: bool) -> Scored:
        if len(values) > count:
            keep = values >= np.partition(values, len(values) - count)[len(values) - count]
            complete = complete and bool(keep.all())
            nodes, values = nodes[keep], values[keep]
        order = np.lexsort((nodes, -values))
        floor = -math.inf if complete else float(values.min())
        exact = self._reading.link.address.index == "FLAT"
        return Scored(nodes[order], values[order], floor, exact=exact)

    def _all(self, allowed: Allowed | None) -> Scored:
        """Return every node that has a vector: all are as far as each other."""
        state = self._reading.state
        found = self._reading.link.rows(self._reading.space, state.visible, ("num",)) if state.vectors else []
        nodes = np.sort(np.array([row["num"] for row in found], np.int64))
        nodes = nodes if allowed is None else nodes[allowed.contains(nodes)]
        return Scored(nodes, np.zeros(len(nodes), np.float32), -math.inf)
