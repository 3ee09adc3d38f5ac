"""A few connections that are kept open between questions: at most so many, opened when first needed."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fourfold import deadline
from fourfold.errors import StoreError

_WAIT = 30.0
"""Seconds until one of the connections must be free, or the server reached."""

_DEAD = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
"""After how many seconds, and milliseconds, a machine that says nothing is given up; Linux waits two hours."""


class SilentError(psycopg.OperationalError):
    """The server did not answer in time, not even to say so; the connection was closed."""


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that does not wait for ever for a server that hangs.

    What is asked inside ``answering`` has so much time. All else, such as a write, takes as long as it takes: a machine
    acknowledges what it is sent (which is all that keepalives see) while the server on it hangs, and one that works for
    hours says nothing meanwhile. So a long silence makes us knock anew, and only who lets nobody in is given up.
    """

    _until: float | None = None
    _conninfo: str
    _silence: float = math.inf

    def attend(self, conninfo: str, silence: float) -> None:
        """Knock at the same place after so many seconds without a word; 0 is never."""
        self._conninfo, self._silence = conninfo, silence or math.inf

    @contextmanager
    def answering(self, seconds: float | None) -> Iterator[None]:
        """Raise SilentError where what is asked inside is not answered in so many seconds; None is never."""
        self._until = None if seconds is None else time.monotonic() + seconds
        try:
            yield
        finally:
            self._until = None

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
        """Wait as psycopg does, which looks up every tenth of a second."""
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            wanted, heard = next(gen), time.monotonic()
            while True:
                ready, now = (yield wanted), time.monotonic()
                if ready:
                    heard = now
                elif self._until is not None:
                    if now > self._until:
                        raise self._given_up()
                elif now > heard + self._silence:
                    if not _opens(self._conninfo) and not (ready := (yield wanted)):
                        raise self._given_up()
                    heard = time.monotonic()
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _given_up(self) -> SilentError:
        self.close()
        return SilentError("the server does not answer")


class Connections:
    """Connections in autocommit, the last used first. Safe to use from threads, and after a fork.

    Args:
        conninfo: where they lead.
        path: what messages call the place.
        most: so many at once.
        silence: see ``connected``.
        prepare: run on each new connection.

    """

    def __init__(
        self, conninfo: str, path: str, most: int, silence: float, prepare: Callable[[Connection], None]
    ) -> None:
        self._conninfo, self._path, self._most, self._silence = conninfo, path, most, silence
        self._prepare = prepare
        self._begin()
        self._closed = False

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._free = threading.Semaphore(self._most)
        self._idle: list[Connection] = []

    def take(self) -> Connection:
        """Return a connection that nobody else uses until it is given back.

        Raises:
            StoreError: the server cannot be reached, or all connections are in use for too long.
            SearchTimeoutError: they are in use for longer than the search was given.

        """
        if self._process != os.getpid():
            self._begin()  # the parent's connections are its own: they are neither used nor closed here
        if self._closed:
            raise StoreError(f"{self._path!r} is closed; open it again.")
        if not self._free.acquire(timeout=_patience()):
            deadline.check()
            raise StoreError(
                f"All {self._most} connections to {self._path!r} were in use for {_WAIT:g} s; allow more: &pool=N in "
                "the address."
            )
        try:
            with self._lock:
                if self._idle:
                    return self._idle.pop()
            return self._opened()
        except BaseException:
            self._free.release()
            raise

    def _opened(self) -> Connection:
        try:
            connection = connected(self._conninfo, self._silence)
            connection.prepare_threshold = 0
            try:
                with connection.answering(_patience()):
                    self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection
        except psycopg.Error as error:
            deadline.check()
            raise StoreError(f"{self._path!r} cannot be opened: {reason(error)}") from error

    def give_back(self, connection: Connection) -> None:
        """Keep a connection for the next, unless it is broken, in a transaction, or nobody needs it any more."""
        idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            kept = idle and not self._closed
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close what nobody uses, and the others when they are given back; a second call does nothing."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for connection in idle:
            connection.close()


def connected(conninfo: str, silence: float) -> Connection:
    """Open a connection in autocommit; what the database or the role set by default for texts and writes is not ours.

    Args:
        conninfo: where it leads.
        silence: seconds without a word after which we look whether the server still opens others; 0 is never.

    Raises:
        psycopg.Error: the server cannot be reached in time, or refuses.

    """
    said: dict[str, Any] = {"connect_timeout": int(_WAIT), **_DEAD, **conninfo_to_dict(conninfo)}
    if deadline.current() is not None and (given := str(said["connect_timeout"])).isdecimal():
        said["connect_timeout"] = max(1, math.ceil(min(_patience(), float(given) or _WAIT)))  # psycopg waits 2 at least
    connection = Connection.connect(make_conninfo(**{**said, "client_encoding": "UTF8"}), autocommit=True)
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED  # writers wait for each other
    connection.attend(conninfo, silence)
    return connection


def _opens(conninfo: str) -> bool:
    """Tell whether a server lets us in, or refuses with a word; not whether one to spare is behind that."""
    try:
        connected(conninfo, 0).close()
    except psycopg.errors.ConnectionTimeout:
        return False
    except psycopg.Error:
        pass
    return True


def _patience() -> float:
    """Return how many seconds a new connection is waited for."""
    limit = deadline.current()
    return _WAIT if limit is None else min(_WAIT, limit.left)


def reason(error: BaseException) -> str:
    """Return the server's words in one line."""
    return " ".join(str(error).split()) or type(error).__name__
