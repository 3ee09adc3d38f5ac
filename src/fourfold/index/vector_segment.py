"""Unit vectors of some nodes: written once, never changed; what is removed is marked, and goes with the next merge."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.errors import InvalidValueError
from fourfold.index import quantised
from fourfold.index.base import Allowed, Nodes
from fourfold.index.places import Places
from fourfold.index.quantised import Codes, FirstStageSettings, Mask, StoredArray
from fourfold.index.rescoring import begun_with, measure
from fourfold.index.unit_vectors import lengths

logger = logging.getLogger(__name__)

_BLOCK = 16_384
FEW = 128
"""A filter that keeps at most one in so many nodes is looked up, and scored, node by node."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over vectors in float64: of each coordinate, (d,), and of the product of each two, (d, d)."""

    total: NDArray[np.float64]
    products: NDArray[np.float64]

    @classmethod
    def over(cls, vectors: NDArray[np.float32]) -> Self:
        """Sum over unit vectors, (n, d)."""
        d = vectors.shape[1]
        total, products = np.zeros(d), np.zeros((d, d))
        for start in range(0, len(vectors), _BLOCK):
            block = vectors[start : start + _BLOCK].astype(np.float64)  # products of float32 are exact in float64
            total += block.sum(axis=0)
            products += block.T @ block
        return cls(total, products)

    def __sub__(self, other: Sums) -> Sums:
        return Sums(self.total - other.total, self.products - other.products)

    def of(self, question: NDArray[np.float32]) -> tuple[float, float]:
        """Return the sum of the cosines with a question, q·Σx, and of their squares, qᵀ(Σxxᵀ)q."""
        wide = question.astype(np.float64)
        return float(wide @ self.total), max(float(wide @ self.products @ wide), 0.0)


@dataclass(frozen=True, slots=True)
class FirstStage:
    """Codes, how many candidates are to be rescored, and the recall@10 of those that a search begins with."""

    codes: Codes
    rescored: int
    recall: float

    @property
    def begun_with(self) -> int:
        """How many of the candidates a search begins with; it takes more where the last are among the best."""
        return begun_with(self.codes, self.rescored)

    @property
    def enough(self) -> int:
        """Among how many candidates the best of all is found."""
        return 2 * self.rescored // self.codes.margin


@dataclass(frozen=True, slots=True)
class Selection:
    """The live rows of a segment that a filter keeps: as rows where they are few, else as a mask."""

    size: int
    rows: NDArray[np.int64] | None = None
    mask: Mask | None = None

    def listed(self) -> NDArray[np.int64]:
        """Return the rows, (size,), ascending."""
        if self.rows is not None:
            return self.rows
        assert self.mask is not None
        return np.flatnonzero(self.mask.rows)

    def keeps(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these rows are selected, (len(rows),)."""
        return ordered.contains(self.listed(), rows) if self.mask is None else self.mask.rows[rows]


class VectorSegment:
    """Unit vectors of some nodes, with their sums and codes where they are many; made by ``build``, shared by threads.

    Args:
        stored: the arrays by name, in memory or on disk.
        first_stage: codes that were just made; else those of ``stored`` are read when they are first used.
        sums: over the live rows, where codes were made.
        live: (n,) False for removed rows; None where none is.

    """

    def __init__(
        self,
        stored: Mapping[str, StoredArray],
        *,
        first_stage: FirstStage | None = None,
        sums: Sums | None = None,
        live: NDArray[np.bool_] | None = None,
    ) -> None:
        self._stored = dict(stored)
        self.vectors = self._stored["vectors"]
        """(n, d) float32, unit or zero rows, the removed ones included; indexed along the first axis only."""
        self._live = live
        self.size = len(self.vectors) if live is None else int(np.count_nonzero(live))
        """How many rows are not removed."""
        if first_stage is not None:
            self.first_stage = first_stage
        if sums is not None:
            self.sums = sums
        self._selections: WeakKeyDictionary[Allowed, Selection] = WeakKeyDictionary()
        self._lock = threading.Lock()

    @classmethod
    def build(
        cls,
        nums: Nodes,
        matrix: NDArray[np.float32],
        *,
        first_stage: FirstStageSettings | None,
        overwrite: bool = False,
    ) -> Self:
        """Return a segment of raw vectors.

        Args:
            nums: (n,) store numbers, ascending.
            matrix: (n, d) float32, any length; zero rows have no direction, and count.
            first_stage: how they are coded; None leaves them uncoded.
            overwrite: the matrix itself becomes the unit vectors, and no second one is made.

        Raises:
            InvalidValueError: the numbers are not ascending, or are not as many as the vectors.
            MissingExtraError: the kind of first stage asked for is not installed.

        """
        if len(nums) != len(matrix) or np.any(np.diff(nums) <= 0):
            raise InvalidValueError(f"{len(nums)} numbers for {len(matrix)} vectors; give as many, ascending.")
        unit = np.asarray(matrix, np.float32) if overwrite else np.array(matrix, np.float32)
        for start in range(0, len(unit), _BLOCK):
            block = unit[start : start + _BLOCK]
            block /= lengths(block)
        return cls._of_unit(nums, unit, first_stage, None)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, StoredArray]) -> Self:
        """Return the segment whose ``arrays`` these are."""
        return cls(arrays)

    def arrays(self) -> dict[str, StoredArray]:
        """Return what ``from_arrays`` needs, by name; the same whatever was removed, so it is written once."""
        return dict(self._stored)

    @cached_property
    def nums(self) -> Nodes:
        """(n,) store numbers, ascending, the removed ones included."""
        return self._stored["nums"][:]

    @cached_property
    def _places(self) -> Places:
        return Places(self.nums)

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self.vectors.shape[1]

    def __len__(self) -> int:
        """Return the number of rows, the removed ones included."""
        return len(self.vectors)

    @cached_property
    def first_stage(self) -> FirstStage | None:
        """The codes; None where there are none, or nothing is installed that reads them."""
        codes = quantised.load(self._stored)
        if codes is None:
            return None
        rescored, recall = self._stored["quality"][:].tolist()
        return FirstStage(codes, int(rescored), recall)

    @cached_property
    def sums(self) -> Sums | None:
        """Sums over the live rows; None where the segment is small, and its cosines are summed instead."""
        if "products" not in self._stored:
            return None
        return Sums(self._stored["total"][:], self._stored["products"][:])

    def awaits(self, settings: FirstStageSettings) -> bool:
        """Whether it is to have codes and was made without; those that were found too coarse are not tried again.

        Derived files that have none wait for a merge: made beside them, codes would be made anew at every opening.
        """
        fresh = isinstance(self.vectors, np.ndarray) and "products" not in self._stored
        return fresh and quantised.wanted(len(self), settings) is not None

    @cached_property
    def live(self) -> Mask | None:
        """The rows that were not removed; None where all are there."""
        return None if self._live is None else Mask(self._live)

    def without(self, nums: Nodes) -> Self:
        """Return the same segment without these nodes; those it does not have are passed over."""
        _, rows = self.locate(nums)
        rows = ordered.distinct(rows)
        if not len(rows):
            return self
        live = np.ones(len(self), bool) if self._live is None else self._live.copy()
        live[rows] = False
        sums = None if self.sums is None else self.sums - Sums.over(self.vectors[rows])
        # Loaded codes are handed on; those nobody has used yet stay on disk.
        return type(self)(self._stored, first_stage=self.__dict__.get("first_stage"), sums=sums, live=live)

    def locate(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of some nodes are live here, as places in ``nodes``, and their rows."""
        rows = self._places.of(nodes)
        here = rows >= 0
        if self._live is not None:
            here &= self._live[rows]
        places = here.nonzero()[0]
        return places, rows[places]

    def select(self, allowed: Allowed) -> Selection:
        """Return the live rows of allowed nodes; remembered as long as the filter is."""
        with self._lock:
            found = self._selections.get(allowed)
        if found is None:
            if len(allowed) * FEW <= len(self):
                rows = self.locate(allowed.nodes)[1]
                found = Selection(len(rows), rows=rows)
            else:
                keep = allowed.contains(self.nums)
                mask = Mask(keep if self._live is None else keep & self._live)
                found = Selection(mask.size, mask=mask)
            with self._lock:
                self._selections[allowed] = found
        return found

    @classmethod
    def _of_unit(
        cls, nums: Nodes, unit: NDArray[np.float32], settings: FirstStageSettings | None, sums: Sums | None
    ) -> Self:
        """Return a segment of unit vectors; ``sums`` over them if they are known."""
        stored: dict[str, StoredArray] = {"nums": np.asarray(nums, np.int64), "vectors": unit}
        kind = None if settings is None else quantised.wanted(len(unit), settings)
        if settings is None or kind is None:
            return cls(stored)
        sums = sums or Sums.over(unit)
        stored |= {"total": sums.total, "products": sums.products}
        mean = sums.total / len(unit)
        codes = quantised.encode(kind, unit, mean, sums.products / len(unit) - np.outer(mean, mean))
        rescored, recall = measure(codes, unit)
        told = "Codes of %d vectors (%s) find %.4f of the ten nearest"
        if settings.exact is None and recall < quantised.RECALL:
            logger.info(
                f"{told}, fewer than %.3f: every vector is compared.", len(unit), kind, recall, quantised.RECALL
            )
            return cls(stored, sums=sums)
        logger.info(f"{told}; %d candidates are compared exactly.", len(unit), kind, recall, rescored)
        stored |= {"quality": np.array([rescored, recall]), **codes.arrays()}
        return cls(stored, first_stage=FirstStage(codes, rescored, recall), sums=sums)


def merge(segments: Sequence[VectorSegment], *, first_stage: FirstStageSettings | None) -> VectorSegment:
    """Return one segment of all live rows, in the order of their numbers; codes are made anew.

    Raises:
        InvalidValueError: there is nothing to merge, the segments have vectors of different lengths, or a node is live
            in two of them.
        MissingExtraError: the kind of first stage asked for is not installed.

    """
    widths = sorted({segment.dimensions for segment in segments})
    if len(widths) != 1:
        raise InvalidValueError(f"Segments of {widths or 'no'} dimensions cannot be merged; they must have the same.")
    live = [np.arange(len(s)) if s.live is None else np.flatnonzero(s.live.rows) for s in segments]
    nums = np.concatenate([segment.nums[rows] for segment, rows in zip(segments, live, strict=True)])
    order = np.argsort(nums, kind="stable")
    if np.any(np.diff(nums[order]) == 0):
        raise InvalidValueError("A node is live in two segments; remove it from the older one with without().")
    places = np.empty(len(nums), np.int64)
    places[order] = np.arange(len(nums))
    unit = np.empty((len(nums), widths[0]), np.float32)
    start = 0
    for segment, rows in zip(segments, live, strict=True):
        for first in range(0, len(rows), _BLOCK):
            block = rows[first : first + _BLOCK]
            unit[places[start : start + len(block)]] = segment.vectors[block]
            start += len(block)
    return VectorSegment._of_unit(nums[order], unit, first_stage, _known(segments))


def _known(segments: Sequence[VectorSegment]) -> Sums | None:
    """Return the sums over all live rows from those of the segments; None where no segment has any."""
    if not any(segment.sums for segment in segments):
        return None
    known = [s.sums or Sums.over(s.vectors[:] if s.live is None else s.vectors[s.live.rows]) for s in segments]
    return Sums(sum(s.total for s in known), sum(s.products for s in known))  # type: ignore[arg-type]
