"""What a file keeps of a training, read as somebody else's: neither its arrays nor its tokenizer fill the memory."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

_MOST_TIMES = 20
"""So many times its own size an archive may take; what was trained takes twice its size, and zeros a thousand times."""

_SMALL = 1 << 20
"""Bytes that any archive may take."""

_LONGEST_WORD = 200
"""Characters; comparing one takes their cube."""

_BLANKS = r"\s+"
"""The one regular expression that tokenizers may have: there are some that one text takes years for."""


@contextmanager
def arrays_of(content: bytes) -> Iterator[Mapping[str, Any]]:
    """Open numpy's ``.npz``, without pickle.

    Raises:
        ValueError: it would take far more memory than its size; or see ``numpy.load``.

    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(part.file_size for part in archive.infolist())  # no more than that is read of it
    if size > max(_MOST_TIMES * len(content), _SMALL):
        raise ValueError(f"it has {len(content):,} bytes, and would take {size:,}")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        yield arrays


def require_plain(tokenizer: str) -> None:
    """Refuse a tokenizer that makes much more of a text, or may take any time for it.

    Raises:
        ValueError: it has a regular expression, fills texts up, puts long texts in the place of short ones, or compares
            words of any length.

    """
    given = json.loads(tokenizer)
    if given.get("padding"):
        raise ValueError("its tokenizer fills texts up")
    if given["model"].get("max_input_chars_per_word", 0) > _LONGEST_WORD:
        raise ValueError(f"its tokenizer compares words of more than {_LONGEST_WORD} characters")
    waiting = [given.get("normalizer"), given.get("pre_tokenizer")]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if part.get("Regex", _BLANKS) != _BLANKS:
                raise ValueError("its tokenizer has a regular expression")
            if part.get("prepend") or ("content" in part and _grows(part)):
                raise ValueError("its tokenizer puts long texts in the place of short ones")
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _grows(replaced: Mapping[str, Any]) -> bool:
    """Whether what is replaced gets longer by more than a blank on either side, however often that is done."""
    old, new = replaced["pattern"].get("String", " "), replaced["content"]
    return len(new) > len(old) and new not in (f" {old}", f"{old} ", f" {old} ")
