"""What is kept by name: settings, feedback, edge types, terms, usage, and arrays that speak of the whole graph.

A record is a text under a kind and a digest; arrays lie in portions, so that a write replaces those it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus.array_text import packed, unpacked
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.schema import visible

META, FEEDBACK, USAGE, TYPE, TERM = "meta", "feedback", "usage", "type", "term"
_FIELDS = ("row", "key", "value")


def read(link: Link, commit: int, kind: str, keys: Iterable[str] | None = None) -> dict[str, str]:
    """Return the texts of a kind by their digests; of all, or of some."""
    return {key: value for key, (_, value) in read_rows(link, commit, kind, keys).items()}


def read_rows(link: Link, commit: int, kind: str, keys: Iterable[str] | None = None) -> dict[str, tuple[int, str]]:
    """Return (row, text) of a kind by their digests."""
    condition = f"kind == '{kind}' and {visible(commit)}"
    if keys is None:
        found = link.rows("records", condition, _FIELDS)
    else:
        found = link.keyed("records", "key", keys, condition, _FIELDS)
    return {row["key"]: (int(row["row"]), row["value"]) for row in found}


class Portions:
    """An array with rows of ``width`` numbers, given out in order and kept in records of so many rows each."""

    def __init__(self, kind: str, rows: int, width: int, dtype: str) -> None:
        self.kind, self.rows, self.width, self.dtype = kind, rows, width, np.dtype(dtype)

    def of(self, numbers: NDArray[np.int64]) -> list[int]:
        """Return the portions that hold these rows."""
        found: list[int] = np.unique(numbers // self.rows).tolist()
        return found

    def empty(self) -> NDArray[Any]:
        """Return a portion of zeros."""
        return np.zeros((self.rows, self.width), self.dtype)

    def read(self, link: Link, commit: int, portions: Iterable[int] | None = None) -> dict[int, NDArray[Any]]:
        """Return the portions that are kept, of all or of some; those that are missing are zeros."""
        keys = None if portions is None else [f"{portion:x}" for portion in portions]
        found = read(link, commit, self.kind, keys)
        return {int(key, 16): unpacked(text, self.dtype, self.width, self.rows) for key, text in found.items()}

    def records(self, portions: Mapping[int, NDArray[Any]]) -> dict[tuple[str, str], str | None]:
        """Return what to write for changed portions, by kind and key."""
        return {(self.kind, f"{portion:x}"): packed(array.astype(self.dtype)) for portion, array in portions.items()}


HELD_OF = Portions("held", 1024, 7, "<i4")
"""By term: in how many nodes it stands in exactly the fields of each mask, 1 to 7 (1 name, 2 type, 4 text)."""
PIECES_OF = Portions("pieces", 8192, 1, "<i4")
"""By wordpiece: how many nodes hold it."""
SUMS_OF = Portions("sums", 5600, 1, "<f8")
"""The sum of all unit vectors, then the upper triangle of the sum of their products."""
