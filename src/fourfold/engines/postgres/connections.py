"""A few connections that are kept open between questions: at most so many, opened when first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fourfold import deadline
from fourfold.errors import StoreError

Connection = psycopg.Connection[tuple[Any, ...]]
_WAIT = 30.0
"""Seconds until one of the connections must be free, or the server reached."""


class Connections:
    """Connections in autocommit, the last used first. Safe to use from threads, and after a fork.

    Args:
        conninfo: where they lead.
        path: what messages call the place.
        most: so many at once.
        prepare: run on each new connection.

    """

    def __init__(self, conninfo: str, path: str, most: int, prepare: Callable[[Connection], None]) -> None:
        self._conninfo, self._path, self._most, self._prepare = conninfo, path, most, prepare
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
        limit = deadline.current()
        if not self._free.acquire(timeout=_WAIT if limit is None else min(_WAIT, limit.left)):
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
            connection = connected(self._conninfo)
            connection.prepare_threshold = 0
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection
        except psycopg.Error as error:
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


def connected(conninfo: str) -> Connection:
    """Open a connection in autocommit; what the database or the role set by default for texts and writes is not ours.

    Raises:
        psycopg.Error: the server cannot be reached in time, or refuses.

    """
    said: dict[str, Any] = {"connect_timeout": int(_WAIT), **conninfo_to_dict(conninfo), "client_encoding": "UTF8"}
    connection = psycopg.connect(make_conninfo(**said), autocommit=True)
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED  # writers wait for each other
    return connection


def reason(error: BaseException) -> str:
    """Return the server's words in one line."""
    return " ".join(str(error).split()) or type(error).__name__
