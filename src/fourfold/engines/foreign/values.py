"""Values of a foreign table → what a graph holds: words, metadata, weights, vectors."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.foreign import detect
from fourfold.errors import DimensionError, InvalidValueError
from fourfold.types import Node
from fourfold.validation import LARGEST_WEIGHT

_SORTED = json.JSONEncoder(sort_keys=True)
_DEEPEST = 320
"""Levels of JSON that are read: what is kept of it is walked by functions that call themselves, which Python bounds."""


def words_of(value: object) -> str:
    """Return a value as text; nothing and blobs are none."""
    if value is None:
        return ""
    return value.hex() if isinstance(value, bytes) else str(value)


def metadata_of(columns: Mapping[str, object]) -> dict[str, Any]:
    """Return metadata in JSON types: a column of JSON objects is merged in, NULLs and blobs are left out."""
    plain: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for name, value in columns.items():
        if value is None or isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
            continue
        inner = value if detect.is_json_column(name) else None
        if isinstance(inner, str):
            inner = json_object(inner)
        if isinstance(inner, dict):
            merged.update(inner)
        else:
            plain[name] = value
    return {**merged, **plain}


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text holds, or None; NaN, infinities and lone surrogates make it none."""
    try:
        value = json.loads(text, parse_constant=lambda name: None)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not is_too_deep(value) else None


def is_too_deep(value: object) -> bool:
    """Whether JSON is nested deeper than is read; at which depth Python itself gives up differs by its version."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level, depth = [part for parts in inner for part in parts], depth + 1
    return bool(level)


def weight_of(value: object) -> float | None:
    """Return an edge's weight; 1 for NULL, None for what is no number from 0 on."""
    if value is None:
        return 1.0
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= LARGEST_WEIGHT else None


def vector_of(value: object, whose: str) -> NDArray[np.float32] | None:
    """Return a vector from a blob of little-endian float32 or a JSON list; None for NULL or nothing."""
    if value is None or value in ("", b""):
        return None
    try:
        listed = json_list(value)
        if listed is not None:
            if not listed:
                return None
            vector = np.array(listed, np.float32)
        elif isinstance(value, bytes) and len(value) % 4 == 0:
            vector = np.frombuffer(value, "<f4").astype(np.float32)
        else:
            raise ValueError(f"it is {str(value)[:40]!r}")
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidValueError(f"The vector {whose} is neither a float32 blob nor a JSON list: {error}.") from error
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise InvalidValueError(f"The vector {whose} is no row of finite float32 numbers.")
    return vector


def json_list(value: object) -> list[Any] | None:
    """Return the list that a text of JSON is, or None."""
    if not isinstance(value, (str, bytes)) or value[:1] not in ("[", b"["):
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):  # the first byte of a float32 may well be a bracket
        return None
    return found if isinstance(found, list) else None


def require_one_dimension(nodes: Mapping[str, Node], path: str) -> None:
    """Raise DimensionError if vectors of several lengths are among the nodes."""
    first: dict[int, str] = {}
    for node in nodes.values():
        if node.vector is not None:
            first.setdefault(len(node.vector), node.id)
    if len(first) > 1:
        listed = " and ".join(f"{size} (node {key!r})" for size, key in list(first.items())[:3])
        raise DimensionError(f"The vectors of {path!r} have several dimensions: {listed}; they must all have one.")


def dimension_of(nodes: Iterable[Node]) -> int | None:
    """Return the length of the vectors that nodes bring, which is one; None where they bring none."""
    return next((len(node.vector) for node in nodes if node.vector is not None), None)


def hash_of(node: Node) -> bytes:
    """Return a hash of what a node holds, its vector included."""
    content = _SORTED.encode([node.name, node.type, node.text, dict(node.metadata)])
    digest = hashlib.blake2b(content.encode(), digest_size=16)
    if node.vector is not None:
        digest.update(np.asarray(node.vector, "<f4").tobytes())
    return digest.digest()
