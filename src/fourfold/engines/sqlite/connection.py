"""Opening a Fourfold file: whose it is, its schema, its write-ahead log."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import quote

from fourfold.arguments import shown
from fourfold.deadline import Deadline
from fourfold.engines.sqlite.schema import (
    APPLICATION_ID,
    OLDEST_SEARCHED,
    SCHEMA_VERSION,
    migrate,
    missing,
    schema_version,
    strangers,
)
from fourfold.errors import StoreError, warn
from fourfold.lazy import once

_BUSY_SECONDS = 60.0
_READING_KB = 2_000
_WRITING_KB = 65_536
_COPY_BOTH = (
    "reading that takes a place to write: copy the file and the one that ends in -wal, under the same names, into a "
    "folder that can be written and open the copy, or open it here once with permission to write"
)
_STEPS_BETWEEN_LOOKS = 20_000
"""So many instructions of SQLite's virtual machine, well below a millisecond, pass between two looks at the clock."""


class Connection(sqlite3.Connection):
    """A connection that is closed when nobody holds it any more.

    A retriever in a chain or a notebook is seldom closed by hand; Python 3.13 warns of each connection that was not.
    """

    def __del__(self) -> None:
        """Close it, if it was ever opened."""
        with suppress(sqlite3.Error):
            self.close()


def whole_path(path: str) -> str:
    """Return where a file really is: the same wherever the process goes, for all links to it, and never SQLite's URI.

    SQLite keeps a log beside the file itself, not beside the link that it was opened by.
    """
    try:
        return os.path.realpath(path)
    except OSError as error:  # of a folder that is gone, in which the process still stands
        raise StoreError(f"The file {path!r} cannot be opened: {error.strerror}.") from error


class Followed:
    """The file that a path leads to whoever only reads: another one as soon as a link on the way is changed."""

    def __init__(self, path: str) -> None:
        self._file = whole_path(path)
        # as the system reads it: by abspath a folder's link and ".." lead to another place than the one written in
        self._path = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
        self._seen: tuple[int, int] | None = None

    @property
    def file(self) -> str:
        """Where it really is."""
        seen = identity_of(self._path)
        if seen is None or seen != self._seen:
            self._seen, self._file = seen, os.path.realpath(self._path)
        return self._file


def identity_of(file: str) -> tuple[int, int] | None:
    """Return what tells a file from another that has its name later, or None where there is none."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def state_of(status: os.stat_result) -> tuple[int, ...]:
    """Return what tells a file from what it was, and from another with its name, which may have its times as well."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _log_size(file: str) -> int:
    try:
        return os.stat(f"{file}-wal").st_size
    except OSError:
        return 0


def address_of(path: str, file: str) -> str:
    """Return what leads to a file from any folder: its path as given, or where the file is if that is relative."""
    return path if os.path.isabs(path) else file


def connect_again(file: str, path: str) -> sqlite3.Connection:
    """Return a further connection to a file that is open already; it is not made where it is gone."""
    return connect(f"file:{quote(os.fsencode(file))}?mode=rw", path, uri=True)


_State = tuple[tuple[int, ...] | None, bool]
"""A file's status, None where a log may hold more; and whether a reader beside a writer can read."""


class QuietConnection:
    """A connection that only reads, and leaves no trace: it makes no file beside the one it reads.

    SQLite reads a file with a write-ahead log by means of two files beside it, and makes them where they are missing. A
    log that is missing or empty means that nobody is writing and that the file alone holds everything: it is then read
    as one that does not change, and opened anew when it has.
    """

    def __init__(self, path: str) -> None:
        require_file(path, "to open for reading")
        self._followed = Followed(path)
        self._path = path
        self._state: _State | None = self._seen()
        self._connection = self._connect(self._state)

    def current(self) -> sqlite3.Connection:
        """Return the connection, opened anew where the file was written to since."""
        if self._state != (now := self._seen()):
            self._connection.close()
            self._state = None  # where it cannot be opened now, whoever asks next tries again
            self._connection = self._connect(now)
            self._state = now
        return self._connection

    def confirm(self) -> None:
        """Raise StoreError if the file was written to while it was read as one that does not change."""
        if self._state is not None and self._state != self._seen() and self._state[0] is not None:
            raise StoreError(f"The file {self._path!r} was written to while it was read; ask again.")

    def close(self) -> None:
        """Close it; a second call does nothing."""
        self._connection.close()

    def _seen(self) -> _State:
        """Return the file's status, None where a log may hold more; and whether a reader beside a writer can read."""
        file = self._followed.file
        if _log_size(file):
            return None, os.path.exists(f"{file}-shm")
        try:
            status = os.stat(file)
        except OSError as error:
            raise StoreError(f"The file {self._path!r} cannot be read: {error.strerror}.") from error
        return state_of(status), False

    def _connect(self, state: _State) -> sqlite3.Connection:
        status, shared = state
        if status is None and not shared:
            here = "open the file once for writing, which takes it in, or bring the file that ends in -shm along, too"
            told = f"; {here}" if os.access(os.path.dirname(self._followed.file), os.W_OK) else f", and {_COPY_BOTH}"
            raise StoreError(f"Beside {self._path!r} lies a write-ahead log whose writer is gone{told}.")
        way = "mode=ro" if status is None else "mode=ro&immutable=1"
        return connect(f"file:{quote(os.fsencode(self._followed.file))}?{way}", self._path, uri=True)


def opened(target: str, *, uri: bool) -> sqlite3.Connection:
    """Return a new connection to any file, ours or foreign: for all threads, and patient with who else writes."""
    return sqlite3.connect(
        target, uri=uri, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, factory=Connection
    )


def distrust(connection: sqlite3.Connection) -> None:
    """Let what somebody else's file brings along, views and generated columns, call no function but harmless ones.

    SQLite 3.38 to 3.40, which is that of Debian 12, takes its own JSON functions for harmful; with these a file that
    uses them could not be read at all. There the file is trusted: the functions are SQLite's own, the connection must
    only read, and those that reach further, such as ``load_extension``, are refused to every file in any case.
    """
    if json_is_harmless():
        connection.execute("PRAGMA trusted_schema = OFF")


@once
def json_is_harmless() -> bool:
    """Whether this SQLite lets a file that it does not trust call the JSON functions."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("CREATE VIEW written AS SELECT json('1')")
        try:
            connection.execute("SELECT * FROM written")
        except sqlite3.OperationalError:
            return False
    return True


@contextmanager
def for_writing(connection: sqlite3.Connection, *, deletes: bool) -> Iterator[sqlite3.Connection]:
    """Let a connection hold many pages of the file while it writes; a small write needs few all the same.

    Without ``deletes`` SQLite does not look up the node of each row: of a million edges each end of another is on
    another page of the nodes, which is sought in all of the log that the transaction has written. Writers have looked
    them up.
    """
    try:
        with suppress(sqlite3.Error):  # the file cannot be read: the write will say so
            connection.execute(f"PRAGMA cache_size = -{_WRITING_KB}")
            if not connection.in_transaction:  # said either way: an interrupt may have left the one before
                connection.execute(f"PRAGMA foreign_keys = {'ON' if deletes else 'OFF'}")
        yield connection
    finally:
        with suppress(sqlite3.Error):
            connection.execute(f"PRAGMA cache_size = -{_READING_KB}")
            connection.execute("PRAGMA foreign_keys = ON")


@contextmanager
def ended(connection: sqlite3.Connection) -> Iterator[None]:
    """See that a transaction does not stay open wherever an interrupt comes: readers would see one state for ever."""
    within = connection.in_transaction
    try:
        yield
    finally:
        if connection.in_transaction and not within:
            connection.execute("ROLLBACK")


@contextmanager
def until(limit: Deadline, connection: sqlite3.Connection) -> Iterator[None]:
    """Have SQLite itself look at the clock while it reads."""
    connection.set_progress_handler(lambda: limit.passed, _STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def connect(target: str, path: str, *, uri: bool = False) -> sqlite3.Connection:
    """Return a new connection to a file, which is made if it is missing; ``path`` is what messages call it."""
    try:
        connection = opened(target, uri=uri)
    except sqlite3.Error as error:
        none = "" if uri or os.path.lexists(path) else "; it cannot be made in its folder"
        raise StoreError(f"The file {path!r} cannot be opened: {fault(path) or f'{error}{none}'}.") from error
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cell_size_check = ON")  # damaged pages are seen before they are used
    connection.create_function("lower_case", 1, lambda value: str(value).lower(), deterministic=True)
    return connection


def require_file(path: str, purpose: str, *, called: str | None = None) -> None:
    """Refuse a path where there is no file, or a folder; ``called`` is what the message calls it."""
    given = path if called is None else called
    name = shown(given)
    if path == ":memory:":
        raise StoreError("A graph in memory is gone with what held it open; keep it in a file: Retriever('kg.sqlite').")
    if os.path.isdir(path):
        raise StoreError(f"The file {name} cannot be opened: it is a folder.")
    if not os.path.isfile(path):
        raise StoreError(f"There is no file {name} {purpose}{_of_home(given)}.")


def warn_if_ours(connection: sqlite3.Connection, path: str) -> None:
    """Say so where a graph of ours is to be read as tables of others; sqlite3.Error if it cannot be read at all."""
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
        warn(
            f"The file {path!r} is a graph of Fourfold's own, read here as tables of others, by numbers in place of "
            "ids; open it with Retriever(path)."
        )


def fault(path: str) -> str | None:
    """Return what is wrong with a path that SQLite cannot open, as far as the path tells."""
    if os.path.isdir(path):
        return "it is a folder"
    folder = os.path.dirname(path)
    if not folder or os.path.isdir(folder):
        return None
    return f"there is no folder {folder!r}{_of_home(folder)}"


def _of_home(path: str) -> str:
    """Return, as the end of a sentence, why a path was not found that a shell would have read as one in a home."""
    return ", and ~ is not read as your own; give os.path.expanduser(path)" if path.startswith("~") else ""


def prepare(connection: sqlite3.Connection, path: str, *, read_only: bool, durable: bool = False) -> None:
    """Check whose file this is and that its schema is ours, and bring it up to date."""
    version = _checked_version(connection, path, read_only=read_only)
    if read_only:
        if version < OLDEST_SEARCHED:
            raise StoreError(f"The file {path!r} has schema version {version}; open it once for writing.")
        return
    try:
        _use_wal(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        if version < SCHEMA_VERSION:
            connection.execute("BEGIN IMMEDIATE")
            migrate(connection)
            connection.execute("COMMIT")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"The file {path!r} cannot be written: {error}{way_out(error, path)}.") from error


def way_back(error: sqlite3.Error) -> str:
    """Return, as the end of a sentence, what to do where a file cannot be read as it is; "" where it is not damaged."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return ""
    return "; open it again if it was written over meanwhile, else fourfold check says what is wrong with it"


def held_up(error: Exception) -> str:
    """Return, as the end of a sentence, what to do where another process keeps us waiting; "" where none does."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
        return ""
    return f"; another process has been writing for {_BUSY_SECONDS:g} seconds: try again, or see if it was stopped"


def way_out(error: Exception, path: str) -> str:
    """Return, as the end of a sentence, what to do where nothing can be written; "" where something else is wrong."""
    if told := held_up(error):
        return told
    code = getattr(error, "sqlite_errorcode", 0)
    full = code == sqlite3.SQLITE_IOERR_SHMSIZE
    kind = code & 0xFF  # the rest tells which file beside it could not be made
    if path == ":memory:" or not full and kind not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return ""
    try:
        with open(path, "rb"):
            file = whole_path(path)
            if _log_size(file) and not os.path.exists(f"{file}-shm"):
                return f"; beside it lies a write-ahead log whose writer is gone, and {_COPY_BOTH}"
            room = ", for there is no room left beside it" if full else ""
            return f"{room}; it can be read as it is: read_only=True (Lens and fourfold-mcp: --read-only)"
    except OSError:
        return ""


def _checked_version(connection: sqlite3.Connection, path: str, *, read_only: bool) -> int:
    """Return the schema version of a file that is ours, or is empty."""
    try:
        distrust(connection)
        connection.execute("BEGIN")  # one snapshot: another process may be creating the tables right now
        version = schema_version(connection)
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        stranger = next(strangers(connection), None)
        lacking = next(missing(connection, version), None)
        connection.execute("COMMIT")
        connection.execute("PRAGMA trusted_schema = ON")  # by now it is ours, whose triggers keep the full text
    except sqlite3.OperationalError as error:
        told = "" if read_only else way_out(error, path)
        raise StoreError(f"The file {path!r} cannot be opened: {error}{told}.") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise StoreError(f"The file {path!r} is no SQLite database: {error}.") from error
    if tables and application != APPLICATION_ID:
        raise StoreError(
            f"The file {path!r} is a SQLite database of another application; "
            "open a graph that lives in one with Retriever.open_foreign(path), or say --foreign to a command that "
            "only reads."
        )
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"The file {path!r} has schema version {version}, newer than {SCHEMA_VERSION}, "
            "the newest this version of fourfold reads; upgrade fourfold."
        )
    if version < 0 or (tables and not version):
        raise StoreError(f"The file {path!r} has schema version {version}, which no version of fourfold writes.")
    if stranger is not None:
        raise StoreError(f"The file {path!r} holds {stranger}, which fourfold did not make so; it is not opened.")
    if lacking is not None:
        raise StoreError(
            f"The file {path!r} lacks {lacking}, which all of its schema version have: it is damaged, or older than "
            "the first release; restore a backup, or index its sources again into another file."
        )
    return version


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
