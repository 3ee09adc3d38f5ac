"""Numbers between numpy and the server in its binary forms: no Python object for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import StoreError

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_ARRAY_HEADER = 20
"""Dimensions, flags and element type, then length and lower bound of the one dimension: four bytes each."""


def numbers(sent: bytes | None, dtype: str) -> NDArray[Any]:
    """Return what ``array_send(array_agg(…))`` gives for numbers without NULL, (n,); none for NULL.

    Args:
        sent: the bytes.
        dtype: of the numbers, big-endian: ``">i8"``, ``">i4"``, ``">i2"``, ``">f8"`` or ``">f4"``.

    """
    kind = np.dtype(dtype)
    if sent is None or len(sent) <= _ARRAY_HEADER:
        return np.empty(0, kind.newbyteorder("="))
    rows = np.frombuffer(sent, np.dtype([("length", ">i4"), ("value", kind)]), offset=_ARRAY_HEADER)
    return rows["value"].astype(kind.newbyteorder("="))


def vectors(sent: bytes | None) -> NDArray[np.float32]:
    """Return what ``string_agg(vector_send(v), ''::bytea ORDER BY …)`` gives, (n, dimensions); (0, 0) for NULL.

    Raises:
        StoreError: they are of several lengths, which no writer leaves.

    """
    if not sent:
        return np.empty((0, 0), np.float32)
    dimensions = int(np.frombuffer(sent, ">i2", 1)[0])
    kind = np.dtype([("head", ">i4"), ("values", ">f4", (dimensions,))])
    rows = np.frombuffer(sent, kind, len(sent) // kind.itemsize)
    if rows.nbytes < len(sent) or (rows["head"] != rows["head"][0]).any():
        raise StoreError("The graph is damaged, it has vectors of several lengths; restore a backup, or reembed it.")
    return rows["values"].astype(np.float32)


def copied(columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return rows as ``COPY … FROM STDIN (FORMAT BINARY)`` takes them; a matrix of float32 is a vector of each row.

    Args:
        columns: parallel, in the order of the statement's columns; int16, int32, int64, float64, or float32 (n, d).

    """
    fields: list[tuple[Any, ...]] = [("fields", ">i2")]
    for name, column in columns.items():
        fields.append((f"{name} length", ">i4"))
        if column.ndim == 2:
            fields += [(f"{name} dimensions", ">i2"), (f"{name} unused", ">i2")]
            fields.append((name, ">f4", (column.shape[1],)))
        else:
            fields.append((name, column.dtype.newbyteorder(">")))
    rows = np.zeros(len(next(iter(columns.values()))), np.dtype(fields))
    rows["fields"] = len(columns)
    for name, column in columns.items():
        rows[name] = column
        if column.ndim == 2:
            rows[f"{name} length"], rows[f"{name} dimensions"] = 4 + 4 * column.shape[1], column.shape[1]
        else:
            rows[f"{name} length"] = column.dtype.itemsize
    return _HEADER + rows.tobytes() + _TRAILER


def split(values: NDArray[Any], counts: Sequence[int] | NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return consecutive parts of an array, so many values each."""
    return np.split(values, np.cumsum(counts)[:-1]) if len(counts) else []
