"""What the arrays of stored segments look like: others are damage, though the checksum of their manifest fits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_ARRAYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "vectors": {"nums": ("i8", "n"), "vectors": ("f4", "n,d")},
    "text": {
        "nums": ("i8", "n"),
        "live": ("b1", "n"),
        "lengths": ("i4", "n,r"),
        "totals": ("i8", "r+1"),
        "terms": ("i4", "t"),
        "df": ("i4", "t,r+1"),
        "starts": ("i8", "t+1"),
        "nodes": ("i4", "p"),
        "codes": ("u2 u4", "p"),
        "pairs": ("i4", "c,2r"),
        "common": ("i4", "m"),
        "columns": ("u2 u4", "mn"),
        "own_starts": ("i8", "n+1"),
        "own_terms": ("u2 i4", "p"),
    },
    "tokens": {
        "nums": ("i8", "n"),
        "live": ("b1", "n"),
        "starts": ("i8", "n+1"),
        "pieces": ("u2 i4", "p"),
        "counts": ("i4", "v"),
    },
    "names": {"nums": ("i8", "n"), "keys": ("u8", "n"), "order": ("i8", "n")},
    "edges": {
        **dict.fromkeys(("nums", "sources", "targets"), ("i8", "e")),
        "types": ("i4", "e"),
        "weights": ("f4", "e"),
        "keys": ("i8", "k"),
        "starts": ("i8", "k+1"),
        "order": ("i4 i8", "2e"),
    },
}
"""Of each array the kinds of its values and its shape; the first array of a letter says how many that are."""


def require_shapes(part: str, arrays: Mapping[str, Any]) -> None:
    """Raise ValueError where the arrays of a part are not those of one segment; no value is read.

    Raises:
        KeyError: one is missing.

    """
    sizes: dict[str, int] = {}
    for name, (kinds, shape) in _ARRAYS[part].items():
        array = arrays[name]
        wanted = shape.split(",")
        fits = array.dtype.str[1:] in kinds.split() and len(array.shape) == len(wanted)
        for size, expression in zip(array.shape, wanted, strict=False):
            fits = fits and size == _size(expression, size, sizes)
        if not fits:
            raise ValueError(f"{part}.{name} is {array.dtype} of the shape {array.shape}")


def _size(expression: str, own: int, sizes: dict[str, int]) -> int:
    """Return the size that an expression of letters stands for, such as ``2r`` and ``mn``; a new letter is its own."""
    times, letters, more = re.fullmatch(r"(\d*)([a-z]+)((?:\+1)?)", expression).groups()  # type: ignore[union-attr]
    known = [sizes.setdefault(letter, own) for letter in letters]
    return int(times or 1) * math.prod(known) + bool(more)
