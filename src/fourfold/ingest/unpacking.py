"""Files that are compressed, of which no more is unpacked than a file of their size can be meant to hold."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fourfold.arguments import said
from fourfold.errors import InvalidValueError

_OPENED_BY: dict[str, Any] = {".gz": gzip.open, ".gzip": gzip.open, ".bz2": bz2.open}

SMALL = 100_000_000
"""Bytes that any compressed file may hold."""

MOST_TIMES = 100
"""So many times its own size a larger one may; of XML, a tenth of that is usual."""


def most_of(path: Path) -> int:
    """Return how much may be made of a file of its size."""
    return max(SMALL, MOST_TIMES * path.stat().st_size)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file to read its bytes, unpacked where its name ends as those of compressed files do.

    Raises:
        InvalidValueError: on reading, it holds far more than its size.
        OSError: it cannot be read.

    """
    unpacking = _OPENED_BY.get(path.suffix, open)
    with unpacking(path, "rb") as file:
        yield file if unpacking is open else _Bounded(file, path)


class _Bounded:
    """What is unpacked of a file, up to a bound."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file = file
        self._path = path
        self._most = self._left = most_of(path)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, or all."""
        asked = self._left + 1 if size < 0 else min(size, self._left + 1)
        try:
            data: bytes = self._file.read(asked)
        except (EOFError, OSError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise InvalidValueError(f"{self._path} cannot be unpacked: {said(error)}.") from error
        self._left -= len(data)
        if self._left < 0:
            raise InvalidValueError(
                f"{self._path} unpacks to more than {self._most:,} bytes, far more than its size; if it is meant so, "
                "unpack it and read that."
            )
        return data
