"""Opening a Fourfold file: whose it is, its schema, its write-ahead log."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from fourfold.engines.sqlite.schema import APPLICATION_ID, OLDEST_SEARCHED, SCHEMA_VERSION, migrate, schema_version
from fourfold.errors import StoreError

_BUSY_SECONDS = 60.0


def connect(path: str, *, read_only: bool) -> sqlite3.Connection:
    """Return a new connection to a file, which is made if it is missing and may be written."""
    if read_only and not Path(path).is_file():
        raise StoreError(f"There is no file {path!r} to open for reading.")
    target = f"file:{quote(path)}?mode=ro" if read_only else path
    try:
        connection = sqlite3.connect(
            target, uri=read_only, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
        )
    except sqlite3.Error as error:
        raise StoreError(f"The file {path!r} cannot be opened: {error}.") from error
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("lower_case", 1, lambda value: str(value).lower(), deterministic=True)
    return connection


def prepare(connection: sqlite3.Connection, path: str, *, read_only: bool) -> None:
    """Check whose file this is, and bring its schema up to date."""
    try:
        connection.execute("BEGIN")  # one snapshot: another process may be creating the tables right now
        version = schema_version(connection)
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise StoreError(f"The file {path!r} cannot be opened: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"The file {path!r} is no SQLite database: {error}.") from error
    if tables and application != APPLICATION_ID:
        raise StoreError(
            f"The file {path!r} is a SQLite database of another application; "
            "open a graph that lives in one with Retriever.open_foreign(path)."
        )
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"The file {path!r} has schema version {version}, newer than {SCHEMA_VERSION}, "
            "the newest this version of fourfold reads; upgrade fourfold."
        )
    if read_only:
        if version < OLDEST_SEARCHED:
            raise StoreError(f"The file {path!r} has schema version {version}; open it once for writing.")
        return
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        if version < SCHEMA_VERSION:
            connection.execute("BEGIN IMMEDIATE")
            migrate(connection)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"The file {path!r} cannot be written: {error}.") from error


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite's own waiting does not cover this switch, so that several may collide."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
