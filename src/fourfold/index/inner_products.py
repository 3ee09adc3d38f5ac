"""Products in pieces that BLAS does in the thread that asks.

A long product is divided among threads, which must be woken first: on an idle machine that saves microseconds, on a
busy one every search waits for the scheduler, milliseconds each time. numpy does a stack of small products one by one,
without a loop in Python.

OpenBLAS also computes on lanes that it never loaded, and throws away what comes of them: with AVX-512, of rows of five
float32 numbers. What an earlier call left there may be no number, and the processor then notes an invalid operation,
though the product is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ROWS = 128
"""A piece of a matrix has at most so many rows: enough to hide the call …"""

_PRODUCTS = 1 << 18
"""… and takes at most so many multiplications, which no BLAS divides."""

_NUMBERS = 8192
"""A piece of a vector, likewise."""

_ALONE = 1 << 24
"""Up to so many numbers (64 MB) one thread is quick; beyond, memory is read by several at once."""


def with_each(rows: Floats, question: Floats) -> Floats:
    """Return the product of each row, (n, d), with a question, (d,), or with m of them, (d, m): (n,) or (n, m)."""
    with np.errstate(invalid="ignore"):  # all that is multiplied here is finite
        return _with_each(rows, question)


def _with_each(rows: Floats, question: Floats) -> Floats:
    piece = max(min(_ROWS, _PRODUCTS // max(question.size, 1)), 1)
    whole = len(rows) - len(rows) % piece
    if not whole or rows.size > _ALONE:
        product: Floats = rows @ question
        return product
    pieces = rows[:whole].reshape(-1, piece, rows.shape[1]) @ question
    return np.concatenate((pieces.reshape(whole, *question.shape[1:]), rows[whole:] @ question))


def row_by_row(rows: Floats, question: Floats) -> Floats:
    """Return the product of each row, (n, d), with a question, (d,), both short.

    Equal rows have equal products to the last bit, wherever they lie: BLAS rounds the last rows in another way.
    """
    product: Floats = np.einsum("ij,j->i", rows, question)
    return product


def inner(one: NDArray[np.floating[Any]], other: NDArray[np.floating[Any]]) -> float:
    """Return the inner product of two vectors, (n,) each."""
    whole = len(one) - len(one) % _NUMBERS
    product = float(one[whole:] @ other[whole:])
    if whole:
        pieces = one[:whole].reshape(-1, 1, _NUMBERS) @ other[:whole].reshape(-1, _NUMBERS, 1)
        product += float(pieces.sum(dtype=np.float64))
    return product
