"""The way to the server: statements go out in batches, and each batch is one round trip.

A question is asked of one state of the database: what a thread reads inside ``question`` is one REPEATABLE READ
transaction on one connection, begun together with its first batch. Outside of it every batch stands for itself.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from fourfold import deadline
from fourfold.deadline import Deadline
from fourfold.engines.postgres.address import Address
from fourfold.engines.postgres.connections import Connection, Connections, SilentError, reason
from fourfold.engines.postgres.keepable import asked_in
from fourfold.errors import StoreError

Statement = tuple[str, Sequence[Any] | Mapping[str, Any]]
"""SQL and its parameters, by place or by name."""

Row = tuple[Any, ...]

EF_SEARCH = 400
"""Nodes that pgvector's HNSW keeps in mind on its way; more find more of the nearest, and take longer."""
_TURN_SECONDS = 0.1
_LONGEST = 2_000_000.0
"""Seconds; the server counts milliseconds in 32 bits."""
_GRACE = 1.0
"""Seconds for the way, beyond the time after which the server itself gives up."""
_BEGIN: Statement = ("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", ())


@dataclass
class Question:
    """What one thread asks of one state; ``known`` is for the parts to remember what they have read of it."""

    connection: Connection | None = None
    round_trips: int = 0
    known: dict[str, Any] = field(default_factory=dict)


class Link:
    """Connections to one schema of one database. Safe to use from threads, and after a fork."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.path = address.shown
        self.round_trips = 0
        """Batches sent so far, by all threads; for measurements."""
        self.quoted_schema = _quoted(address.schema)
        self.search_path = self.quoted_schema
        self._local = threading.local()
        self._connections = Connections(
            address.conninfo, self.path, address.connections, address.timeout, self._configure
        )

    def search(self, *schemas: str) -> None:
        """Look for what our schema does not have, the vector type, in these schemas too."""
        names = dict.fromkeys((self.address.schema, *schemas))
        self.search_path = ", ".join(map(_quoted, names))

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def asking(self) -> Question | None:
        """The question that this thread is asking, if any."""
        return getattr(self._local, "question", None)

    def ask(self, *statements: Statement) -> list[list[Row]]:
        """Return the rows of each statement; all of them in one round trip."""
        question = self.asking
        if question is None:
            return self._tried(statements)[1]
        question.round_trips += 1
        if (limit := deadline.current()) is not None:
            statements = (self._until(limit), *statements)
        began = question.connection is None
        if question.connection is None:
            question.connection, rows = self._tried((_BEGIN, *statements), keep=True)
        else:
            rows = self._sent(question.connection, statements)
        return rows[began + (limit is not None) :]

    def one(self, template: str, *parameters: Any) -> Row:
        """Return the single row of a single statement."""
        return self.ask((template, parameters))[0][0]

    def rows(self, template: str, *parameters: Any) -> list[Row]:
        """Return the rows of a single statement."""
        return self.ask((template, parameters))[0]

    @contextmanager
    def question(self) -> Iterator[Question]:
        """Everything that this thread reads inside is one and the same state; a question within is part of it."""
        if (within := self.asking) is not None:
            yield within
            return
        self._local.question = question = Question()
        try:
            yield question
        finally:
            self._local.question = None
            if (connection := question.connection) is not None:
                self._ended(connection)

    def _ended(self, connection: Connection) -> None:
        try:
            self.round_trips += 1
            with connection.answering(self._patience(1)):
                connection.execute("COMMIT")
        except psycopg.Error:
            connection.close()
        self._connections.give_back(connection)

    # -- writing ------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: committed at the end, undone where the block raises.

        Raises:
            StoreError: the server refuses it, or the connection is lost; nothing was changed, unless the sentence says
                that nobody knows.

        """
        connection, _ = self._tried(
            (("BEGIN ISOLATION LEVEL READ COMMITTED", ()), ("SET LOCAL statement_timeout = 0", ())), keep=True
        )
        committing = False
        try:
            yield connection
            committing = True
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.closed or connection.broken:
                connection.close()
            else:
                try:
                    connection.execute("ROLLBACK")
                except psycopg.Error:
                    connection.close()
            if isinstance(error, psycopg.Error):
                lost = "the connection was lost at the end and nobody knows whether it was written; write it again"
                told = lost if committing and connection.closed else "nothing was changed"
                raise StoreError(f"Writing {self.path!r} failed, {told}: {reason(error)}{_dropped(error)}") from error
            raise
        finally:
            self._connections.give_back(connection)

    def apart(self, turn: str, *statements: Statement) -> None:
        """Run statements that no transaction may hold, such as the making of an index beside writers.

        Processes take turns by a name. Nobody waits inside the server: the making of an index waits for all that do.
        """
        connection = self._connections.take()
        key = "hashtext(%s), hashtext(current_schema())"
        try:
            connection.execute("SET statement_timeout = 0")
            while connection.execute(f"SELECT pg_try_advisory_lock({key})".encode(), (turn,)).fetchone() != (True,):
                time.sleep(_TURN_SECONDS)
            for template, parameters in statements:
                connection.execute(template, parameters)
            connection.execute(f"SELECT pg_advisory_unlock({key})".encode(), (turn,))
            self._configure(connection)
        except BaseException as error:
            connection.close()  # it may have the turn, and waits for ever
            if isinstance(error, psycopg.Error):
                raise StoreError(f"{self.path!r} cannot be changed: {reason(error)}") from error
            raise
        finally:
            self._connections.give_back(connection)

    # -- helpers ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close every connection; a second call does nothing."""
        self._connections.close()

    def _tried(self, statements: Sequence[Statement], *, keep: bool = False) -> tuple[Any, list[list[Row]]]:
        """Send a first batch; connections that a restart of the server has cut are left aside."""
        for left in range(self.address.connections + 1, -1, -1):
            connection = self._connections.take()
            kept = False
            try:
                rows = self._sent(connection, statements)
                kept = keep
                return connection, rows
            except _LostError:
                if not left:
                    raise
            finally:
                if not kept:
                    self._connections.give_back(connection)
        raise AssertionError("unreachable")

    def _sent(self, connection: Connection, statements: Sequence[Statement]) -> list[list[Row]]:
        self.round_trips += 1
        try:
            with connection.answering(self._patience(len(statements))):
                return _answered(connection, statements)
        except SilentError as error:
            if (limit := deadline.current()) is not None and limit.passed:
                raise limit.error() from error
            raise StoreError(f"{self.path!r} does not answer; the connection to it was given up.") from error
        except psycopg.Error as error:
            if connection.closed or connection.broken:
                connection.close()
                raise _LostError(f"The connection to {self.path!r} was lost: {reason(error)}") from error
            if isinstance(error, psycopg.errors.QueryCanceled):
                if (limit := deadline.current()) is not None and limit.passed:
                    raise limit.error() from error
                told = f"{self.path!r} took longer than {self.address.timeout:g} s"
                raise StoreError(f"{told}; give it more: &statement_timeout=SECONDS in the address.") from error
            raise StoreError(f"Reading {self.path!r} failed: {reason(error)}{_dropped(error)}") from error

    def _patience(self, statements: int) -> float | None:
        """Return the seconds after which the server should have given up so many statements; None is never."""
        if (limit := deadline.current()) is not None:
            return limit.left + _GRACE
        return statements * self.address.timeout + _GRACE if self.address.timeout else None

    def _until(self, limit: Deadline) -> Statement:
        """Have the server itself look at the clock, for the rest of the transaction; the address's limit stays one."""
        seconds = min(limit.left, self.address.timeout or limit.left, _LONGEST)
        return "SELECT set_config('statement_timeout', %s, true)", (str(int(seconds * 1000) + 1),)

    def _configure(self, connection: Connection) -> None:
        connection.execute(*self._settings())

    def _settings(self) -> Statement:
        return (
            "SELECT set_config('search_path', %s, false), set_config('statement_timeout', %s, false), "
            "set_config('hnsw.iterative_scan', 'strict_order', false), set_config('hnsw.ef_search', %s, false), "
            "set_config('jit', 'off', false)",
            (self.search_path, str(math.ceil(self.address.timeout * 1000)), str(EF_SEARCH)),
        )


class _LostError(StoreError):
    """The connection is gone; another may be had."""


def _answered(connection: Connection, statements: Sequence[Statement]) -> list[list[Row]]:
    """Return the rows of each statement; several are sent at once."""
    encoding = connection.info.parameter_status("server_encoding")
    statements = [(template, asked_in(encoding, parameters)) for template, parameters in statements]
    if len(statements) == 1:
        cursors = [connection.cursor(binary=True)]
        cursors[0].execute(*statements[0])
    else:
        with connection.pipeline():
            cursors = [connection.cursor(binary=True) for _ in statements]
            for cursor, statement in zip(cursors, statements, strict=True):
                cursor.execute(*statement)
    return [cursor.fetchall() if cursor.description is not None else [] for cursor in cursors]


def _dropped(error: psycopg.Error) -> str:
    """Return, as the end of a message, what to do where a table is not there that was; "" where something else is."""
    gone = isinstance(error, psycopg.errors.UndefinedTable)
    return ". It was dropped or moved while it was open; open it again" if gone else ""


def _quoted(name: str) -> str:
    return sql.Identifier(name).as_string(None)
