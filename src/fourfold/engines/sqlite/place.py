"""The place of an open file: whether what is there is still the graph that was opened."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from fourfold.engines.sqlite.connection import identity_of, state_of
from fourfold.engines.sqlite.rows import comes_after, last_write
from fourfold.errors import StoreError, warn


class Place:
    """Where the file of an open store was: what is written into a file that has no name any more is lost."""

    def __init__(self, file: str, path: str) -> None:
        with suppress(OSError):
            if os.stat(file).st_nlink > 1:  # SQLite keeps a log beside each name, and knows one of them
                warn(f"{path!r} has a further name, a hard link; writing by both damages the file: use one, or a copy.")
        self._file = file
        self._path = path
        self._seen = identity_of(file)
        self._changed: tuple[int, ...] | None = None
        self._write: tuple[int, str] = (-1, "")

    def write(self, connection: sqlite3.Connection) -> tuple[int, str]:
        """Return the last write with its mark, of a copy that was laid over the file, too."""
        try:
            changed = state_of(os.stat(self._file))
        except OSError:
            changed = None
        if changed != self._changed:  # by that, or as the log was taken in: what SQLite holds may be another file's
            connection.execute("PRAGMA shrink_memory")
            self._changed = changed
        write = last_write(connection)
        if write != self._write and comes_after(connection, self._write):  # of another's, writes go on to be refused
            self._write = write
        return write

    @property
    def kept(self) -> bool:
        """Whether the file is still there."""
        return identity_of(self._file) == self._seen

    def confirm(self, connection: sqlite3.Connection) -> None:
        """Raise StoreError, before a write is committed, where it would be lost or go into another graph."""
        if not self.kept:
            raise StoreError(
                f"The file {self._path!r} was removed or replaced since it was opened; what is written now would be "
                "lost, and nothing was: open it again."
            )
        if not comes_after(connection, self._write):
            raise StoreError(
                f"The file {self._path!r} was written over since it was opened, by a copy of another graph or of an "
                "earlier state; nothing was changed: open it again."
            )
