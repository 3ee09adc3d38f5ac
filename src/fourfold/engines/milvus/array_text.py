"""Numbers as texts: Milvus keeps no bytes."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.changes import PIECE, TOKEN

_HEADER = np.dtype("<i4")
_FIELDS = 3


def packed(numbers: NDArray[Any]) -> str:
    """Return an array as a text."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(numbers).tobytes(), 1)).decode()


def unpacked(text: str, kind: Any) -> NDArray[Any]:
    """Return the array of a text; read-only."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)


def packed_terms(lengths: NDArray[np.int64], tokens: NDArray[Any]) -> str:
    """Return how many terms each field of a node has, and which (dtype TOKEN), as a text."""
    content = lengths.astype(_HEADER).tobytes() + tokens.astype(TOKEN).tobytes()
    return base64.b64encode(content).decode()


def unpacked_terms(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Return (lengths (n, 3), the tokens of all nodes in a row, (n,) how many each has)."""
    header = _FIELDS * _HEADER.itemsize
    contents = [base64.b64decode(text) for text in texts]
    lengths = np.frombuffer(b"".join(content[:header] for content in contents), _HEADER).reshape(-1, _FIELDS)
    tokens = np.frombuffer(b"".join(content[header:] for content in contents), TOKEN)
    counts = np.array([(len(content) - header) // TOKEN.itemsize for content in contents], np.int64)
    return lengths.astype(np.int64), tokens, counts


def packed_pieces(pieces: NDArray[np.int32]) -> str:
    """Return wordpieces as a text."""
    return base64.b64encode(pieces.astype(PIECE).tobytes()).decode()


def unpacked_pieces(text: str) -> NDArray[np.int32]:
    """Return the wordpieces of a text."""
    return np.frombuffer(base64.b64decode(text), PIECE).astype(np.int32)
