"""Whole numbers put side by side, told apart and numbered: what postings are sorted and coded by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import InvalidValueError

_TABLE = 1 << 22
"""Up to this bound distinct numbers are found by a table instead of sorting."""

_EXAMPLES = 1 << 20
"""Postings gone through at once where one of each code is looked for."""


def packed(*columns: tuple[NDArray[np.integer[Any]], int]) -> NDArray[np.uint64]:
    """Return columns (each with the number of values it can have) side by side in the bits of one number.

    One sort of such numbers is many times faster than an indirect one by several keys.
    """
    widths = [max(size - 1, 0).bit_length() for _, size in columns]
    if sum(widths) > 64:
        sizes = ", ".join(str(size) for _, size in columns)
        raise InvalidValueError(f"Postings of {sizes} values are too many for one segment: build it in several parts.")
    key = columns[0][0].astype(np.uint64)
    for (values, _), width in zip(columns[1:], widths[1:], strict=True):
        key <<= np.uint64(width)
        # without a second array as wide as the key
        np.bitwise_or(key, values, out=key, dtype=np.uint64, casting="unsafe")
    return key


def distinct(keys: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct values, ascending, and the place of each key among them."""
    bound = int(keys.max(initial=-1)) + 1
    if bound > max(_TABLE, len(keys)) or bound > 64 * len(keys):
        values, inverse = np.unique(keys, return_inverse=True)
        return values.astype(np.int64), inverse.astype(np.int32)
    seen = np.zeros(bound, bool)
    seen[keys] = True
    places: NDArray[np.int32] = (np.cumsum(seen, dtype=np.int32) - 1)[keys]
    return np.flatnonzero(seen), places


def codes_of(
    tfs: Sequence[NDArray[np.int32]], lengths: NDArray[np.int32], node: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the code of each posting, and what the codes stand for (see ``TextSegment.pairs``)."""
    code = np.zeros(len(node), np.int32)
    for reading, tf in enumerate(tfs):
        pair = np.multiply(tf, int(lengths[:, reading].max(initial=0)) + 1, dtype=np.int64)
        pair += lengths[:, reading][node]
        pair[tf == 0] = 0
        values, place = distinct(pair)
        np.multiply(code, len(values), out=pair, dtype=np.int64)
        pair += place
        code = distinct(pair)[1]
    code += 1
    example = np.zeros(int(code.max(initial=0)) + 1, np.int64)
    for start in range(0, len(code), _EXAMPLES):
        own = code[start : start + _EXAMPLES]
        example[own] = np.arange(start, start + len(own))
    pairs = np.zeros((len(example), 2 * len(tfs)), np.int32)
    for reading, tf in enumerate(tfs):
        pairs[1:, 2 * reading] = tf[example[1:]]
        pairs[1:, 2 * reading + 1] = np.where(tf[example[1:]] > 0, lengths[node[example[1:]], reading], 0)
    return code, pairs
