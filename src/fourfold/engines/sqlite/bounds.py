"""How much of a foreign file is read: a view may be endless, or make gigabytes of a file of a few kilobytes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from fourfold.errors import StoreError

PROBING, READING = 20, 200
"""Millions of steps of SQLite's machine, some 50 ns each, that a look at a table and the reading of all may take;
reading has 100 more for each byte of the file."""

_ROWS = 100_000
"""Rows that a table or a view may have; more only where the file has as many bytes."""

_BYTES, _TIMES = 20_000_000, 10
"""Bytes that their values may have, and so many times those of the file on top."""


def size_of(file: str) -> int:
    """Return the bytes of a file and of its log."""
    size = 0
    for each in (file, f"{file}-wal"):
        with suppress(OSError):  # there is none
            size += os.path.getsize(each)
    return size


@contextmanager
def patience(connection: sqlite3.Connection, millions: int) -> Iterator[None]:
    """Interrupt what takes more steps of SQLite's machine."""
    left = iter(range(millions))
    connection.set_progress_handler(lambda: next(left, None) is None, 1_000_000)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def short_values(connection: sqlite3.Connection, file: str) -> None:
    """Let no value be longer than all together may be; SQLite makes a long one in a single step."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(_most_bytes(file), 2**31 - 1))


def rows_within(rows: Iterator[tuple[Any, ...]], file: str, whose: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows; StoreError where they are more, or longer, than those of a file of that size can be."""
    most_rows, most_bytes = max(_ROWS, size_of(file)), _most_bytes(file)
    length = 0
    for count, row in enumerate(rows, 1):
        length += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if count > most_rows:
            raise StoreError(f"{whose} gives more than {most_rows:,} rows, for a file of its size.")
        if length > most_bytes:
            raise StoreError(f"{whose} gives more than {most_bytes:,} bytes, for a file of its size.")
        yield row


def _most_bytes(file: str) -> int:
    return _BYTES + _TIMES * size_of(file)
