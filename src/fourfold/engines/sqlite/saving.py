"""A copy of a whole file: into an empty one, or over an earlier copy; what else a file holds is not lost unasked."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress

from fourfold.engines.sqlite import deletions
from fourfold.engines.sqlite.connection import fault
from fourfold.engines.sqlite.schema import APPLICATION_ID, schema_version
from fourfold.errors import StoreError

_PATIENCE = 60.0
"""Seconds that another process is waited for which writes into the file that is to be replaced."""


def save(own: sqlite3.Connection, path: str, *, replace: bool) -> None:
    """Write all of an open file into another one, at once or not at all.

    Raises:
        StoreError: it cannot be written, or another process goes on writing into it; or it holds something else than
            this graph, and is not to be replaced.

    """
    there = os.path.lexists(path)
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as other:
            if not replace and (held := _else(own, other)):
                raise StoreError(
                    f"The file {path!r} holds {held}, which would be gone; save in another file, or say replace=True."
                )
            own.backup(other, progress=_patient())
    except sqlite3.Error as error:
        if not there:  # what was written of it until the disk was full
            for part in (path, f"{path}-journal"):
                with suppress(OSError):
                    os.unlink(part)
        raise StoreError(f"The graph cannot be saved in {path!r}: {fault(path) or error}.") from error


def _patient() -> Callable[[int, int, int], None]:
    """Return what looks at the clock after each step of a copy: where it finds a lock, SQLite's would never end."""
    until = time.monotonic() + _PATIENCE

    def stepped(status: int, remaining: int, total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise sqlite3.OperationalError(f"another process has been writing into it for {_PATIENCE:g} seconds")

    return stepped


def _else(own: sqlite3.Connection, other: sqlite3.Connection) -> str | None:
    """Return what a file holds that is no copy of ours; None where it is one, earlier or later, or holds nothing yet.

    Copies know one write at least by the same mark.
    """
    if not other.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return None
    if other.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return "a database of another application"
    if min(map(schema_version, (own, other))) < 3:  # files so old have no marks
        return "another graph, as far as can be told"
    if other.execute("SELECT key, value FROM meta").fetchall() == [("generation", "0")]:
        return None
    return "another graph" if deletions.marks(own).isdisjoint(deletions.marks(other)) else None
