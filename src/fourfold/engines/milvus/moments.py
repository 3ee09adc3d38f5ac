"""Sums over all unit vectors: enough for the mean and the deviation of the cosines with any question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus.records import SUMS_OF
from fourfold.index.vector_segment import Sums as _Sums


class Sums(_Sums):
    """The same, as records keep it: the sums, then the upper triangle of the products."""

    @classmethod
    def of_portions(cls, dimensions: int, portions: Mapping[int, NDArray[Any]]) -> Sums:
        """Return the sums that records hold; zeros where there are none."""
        size = dimensions + dimensions * (dimensions + 1) // 2
        flat = np.zeros(-(-size // SUMS_OF.rows) * SUMS_OF.rows)
        for portion, array in portions.items():
            if portion * SUMS_OF.rows >= len(flat):  # of longer vectors that were there before
                continue
            flat[portion * SUMS_OF.rows :][: len(array)] = array[:, 0]
        products = np.zeros((dimensions, dimensions))
        upper = np.triu_indices(dimensions)
        products[upper] = flat[dimensions:size]
        products.T[upper] = flat[dimensions:size]
        return cls(flat[:dimensions], products)

    def portions(self) -> dict[int, NDArray[np.float64]]:
        """Return what records are to hold."""
        flat = np.concatenate((self.total, self.products[np.triu_indices(len(self.total))]))
        starts = range(0, len(flat), SUMS_OF.rows)
        return {start // SUMS_OF.rows: flat[start : start + SUMS_OF.rows][:, None] for start in starts}

    def moved(self, gone: NDArray[np.float32], come: NDArray[np.float32]) -> Sums:
        """Return the sums without some unit vectors, and with others."""
        total, products = self.total.copy(), self.products.copy()
        for rows, sign in ((gone, -1.0), (come, 1.0)):
            if len(rows):
                sums = _Sums.over(rows)
                total += sign * sums.total
                products += sign * sums.products
        return type(self)(total, products)
