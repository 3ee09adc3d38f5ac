"""Vectors brought to length one: by one rule everywhere, so that equal vectors tie, whichever engine keeps them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import DimensionError
from fourfold.types import FloatArray


def lengths(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what each vector is divided by, (n, 1): its length, summed in float64; 1 for a vector of zeros."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return np.where(norms > 0, norms, 1.0).astype(np.float32)[:, None]


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors, (n, d), brought to length one; zeros stay."""
    return rows / lengths(rows)


def unit_question(vector: FloatArray, dimensions: int | None) -> NDArray[np.float32]:
    """Return a question's vector brought to length one; zeros stay.

    ``dimensions`` are those of the vectors it is compared with; None where there are none.

    Raises:
        DimensionError: the vector has another shape.

    """
    question = np.asarray(vector, np.float64)
    if dimensions is not None and question.shape != (dimensions,):
        raise DimensionError(f"The question has shape {question.shape}, the vectors ({dimensions},).")
    length = float(np.sqrt(question @ question))
    return (question / (length or 1.0)).astype(np.float32)
