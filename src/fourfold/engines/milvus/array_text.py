"""Numbers as texts: Milvus keeps no bytes."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import said
from fourfold.engines.milvus.json_text import damaged
from fourfold.errors import StoreError
from fourfold.index.changes import PIECE, TOKEN

_HEADER = np.dtype("<i4")
_FIELDS = 3


def packed(numbers: NDArray[Any]) -> str:
    """Return an array as a text."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(numbers).tobytes(), 1)).decode()


def unpacked(text: str, kind: Any, width: int, most: int) -> NDArray[Any]:
    """Return the array of a text, (n, width) with at most ``most`` rows; read-only.

    Raises:
        StoreError: it is no text of such an array; one that somebody else made may unpack to anything.

    """
    size = most * width * np.dtype(kind).itemsize
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(base64.b64decode(text), size + 1)
        if unpacking.eof and len(content) <= size:
            return np.frombuffer(content, kind).reshape(-1, width)
        why = f"it does not end within {size:,} bytes"
    except (ValueError, zlib.error) as error:
        why = said(error)
    raise StoreError(f"An array of the graph in Milvus is not as it was written: {why}; copy the graph anew.")


def packed_terms(lengths: NDArray[np.int64], tokens: NDArray[Any]) -> str:
    """Return how many terms each field of a node has, and which (dtype TOKEN), as a text."""
    content = lengths.astype(_HEADER).tobytes() + tokens.astype(TOKEN).tobytes()
    return base64.b64encode(content).decode()


def unpacked_terms(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Return (lengths (n, 3), the tokens of all nodes in a row, (n,) how many each has)."""
    header = _FIELDS * _HEADER.itemsize
    contents = [_decoded(text) for text in texts]
    if any(len(content) < header or (len(content) - header) % TOKEN.itemsize for content in contents):
        raise damaged("the terms of a node are cut")
    lengths = np.frombuffer(b"".join(content[:header] for content in contents), _HEADER).reshape(-1, _FIELDS)
    tokens = np.frombuffer(b"".join(content[header:] for content in contents), TOKEN)
    counts = np.array([(len(content) - header) // TOKEN.itemsize for content in contents], np.int64)
    if (tokens["field"] >= _FIELDS).any():
        raise damaged("a term is in a field that there is not")
    return lengths.astype(np.int64), tokens, counts


def packed_pieces(pieces: NDArray[np.int32]) -> str:
    """Return wordpieces as a text."""
    return base64.b64encode(pieces.astype(PIECE).tobytes()).decode()


def unpacked_pieces(text: str) -> NDArray[np.int32]:
    """Return the wordpieces of a text."""
    content = _decoded(text)
    if len(content) % PIECE.itemsize:
        raise damaged("the wordpieces of a node are cut")
    return np.frombuffer(content, PIECE).astype(np.int32)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError as error:
        raise damaged(said(error)) from error
