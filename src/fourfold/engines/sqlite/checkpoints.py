"""When what is written leaves the write-ahead log for the file itself, so that a plain copy of an idle file holds it.

SQLite does that by itself only once the log has a thousand pages, until when the file alone is that of long ago. Here
it is done after a write; where writes follow one another, for a small part of the time, and once they have ended.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from contextlib import suppress
from typing import Any

from fourfold.threads import begun

_SHARE = 30
"""Of so many seconds one is spent on it, at most: it waits for the disk as a write does not."""
_LEAST = 0.05


class Log:
    """The write-ahead log of one open file; whoever writes by the connection holds the lock."""

    def __init__(self, connection: sqlite3.Connection, lock: Any) -> None:
        self._connection = connection
        self._lock = lock
        self._due = 0.0
        self._written = False
        self._timer: threading.Timer | None = None

    def written(self) -> None:
        """Take in what was just committed, now or when it is due; whoever calls this holds the lock."""
        self._written = True
        wait = self._due - time.monotonic()
        if wait <= 0:
            self._take_in()
        elif self._timer is None:
            self._timer = begun(threading.Timer(wait, _when_due, (weakref.ref(self),)), "fourfold-log")
            if self._timer is None:
                self._take_in()

    def close(self) -> None:
        """Leave the rest to SQLite, which takes all in when the last connection is closed; who calls holds the lock."""
        self._written = False
        if self._timer is not None:
            self._timer.cancel()

    def when_due(self) -> None:
        """Take in what was written meanwhile."""
        with self._lock:
            self._timer = None
            if self._written:
                self._take_in()

    def _take_in(self) -> None:
        begun = time.monotonic()
        with suppress(sqlite3.Error):  # everything is safe in the log
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._written = False
        now = time.monotonic()
        self._due = now + max((now - begun) * _SHARE, _LEAST)


def _when_due(log: weakref.ref[Log]) -> None:
    """Hold no file open that nobody else holds any more."""
    if (alive := log()) is not None:
        alive.when_due()
