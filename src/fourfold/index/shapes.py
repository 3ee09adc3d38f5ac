"""What the arrays of stored segments look like: others are damage, though the checksums fit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from fourfold.index.files import Mapped, Values

_ARRAYS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "vectors": {"nums": ("i8", "n", "rising N"), "vectors": ("f4", "n,d", "")},
    "text": {
        "nums": ("i8", "n", "rising N"),
        "live": ("b1", "n", ""),
        "lengths": ("i4", "n,r", "counts"),
        "totals": ("i8", "r+1", "counts"),
        "terms": ("i4", "t", "rising"),
        "df": ("i4", "t,r+1", "counts n"),
        "starts": ("i8", "t+1", "bounds p"),
        "nodes": ("i4", "p", "places n"),
        "codes": ("u2 u4", "p", "places c"),
        "pairs": ("i4", "c,2r", "counts"),
        "common": ("i4", "m", "distinct t"),
        "columns": ("u2 u4", "mn", "places c"),
        "own_starts": ("i8", "n+1", "bounds p"),
        "own_terms": ("u2 i4", "p", "places t"),
    },
    "tokens": {
        "nums": ("i8", "n", "rising N"),
        "live": ("b1", "n", ""),
        "starts": ("i8", "n+1", "bounds p"),
        "pieces": ("u2 i4", "p", "places v"),
        "counts": ("i4", "v", "counts n"),
    },
    "names": {"nums": ("i8", "n", "rising N"), "keys": ("u8", "n", "rising"), "order": ("i8", "n", "places n")},
    "edges": {
        "nums": ("i8", "e", "rising"),
        **dict.fromkeys(("sources", "targets"), ("i8", "e", "places N")),
        "types": ("i4", "e", "places T"),
        "weights": ("f4", "e", "weights"),
        "keys": ("i8", "k", "rising N"),
        "starts": ("i8", "k+1", "bounds 2e"),
        "order": ("i4 i8", "2e", "either e"),
    },
}
"""Of each array the kinds of its values, its shape, and what values there may be; the first array of a letter says how
many that are. ``N`` and ``T`` are how many numbers of nodes and types of edges the store has given out."""


def require_shapes(part: str, arrays: Mapping[str, Any], store: Mapping[str, int]) -> None:
    """Raise ValueError where the arrays of a part are not those of one segment.

    No value is read: those of arrays that lie in files are to be such as can be meant, which is looked at where they
    are first read.

    Args:
        part: its name.
        arrays: by name.
        store: what the letters ``N`` and ``T`` stand for.

    Raises:
        KeyError: one is missing.

    """
    sizes: dict[str, int] = {}
    for name, (kinds, shape, _) in _ARRAYS[part].items():
        array = arrays[name]
        wanted = shape.split(",")
        fits = array.dtype.str[1:] in kinds.split() and len(array.shape) == len(wanted)
        for size, expression in zip(array.shape, wanted, strict=False):
            fits = fits and size == _size(expression, size, sizes)
        if not fits:
            raise ValueError(f"{part}.{name} is {array.dtype} of the shape {array.shape}")
    for name, (_, _, values) in _ARRAYS[part].items():
        if values and isinstance(arrays[name], Mapped):
            arrays[name].values = _meant(values, {**sizes, **store})


def _meant(values: str, sizes: dict[str, int]) -> Values:
    """Return what the values of an array may be, in words and how many there are of what they count or point into."""
    kind, _, of = values.partition(" ")
    most = _size(of, 0, sizes) if of else math.inf
    if kind == "weights":
        return Values(0, float(np.finfo(np.float32).max))
    if kind == "bounds":
        return Values(0, most, step=0, whole=True)
    step = {"rising": 0, "distinct": 1}.get(kind)
    return Values(-most if kind == "either" else 0, most if kind == "counts" else most - 1, step)


def _size(expression: str, own: int, sizes: dict[str, int]) -> int:
    """Return the size that an expression of letters stands for, such as ``2r`` and ``mn``; a new letter is its own."""
    times, letters, more = re.fullmatch(r"(\d*)([A-Za-z]+)((?:\+1)?)", expression).groups()  # type: ignore[union-attr]
    known = [sizes.setdefault(letter, own) for letter in letters]
    return int(times or 1) * math.prod(known) + bool(more)
