"""One SQLite file as an engine: its rows, and the index that they are searched by."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from fourfold.config import RetrievalConfig
from fourfold.engines.base import Capabilities
from fourfold.engines.sampling import spread
from fourfold.engines.sqlite import derivations, integrity, usage
from fourfold.engines.sqlite.books import Books
from fourfold.engines.sqlite.changes import changes_since, pages
from fourfold.engines.sqlite.connection import address_of, connect_again
from fourfold.engines.sqlite.documents import Documents
from fourfold.engines.sqlite.filters import Rows, meeting
from fourfold.engines.sqlite.rows import amounts, comes_after, last_write, numbers, texts
from fourfold.engines.sqlite.saving import save
from fourfold.engines.sqlite.snapshots import Snapshots
from fourfold.engines.sqlite.staging import Staged, Staging
from fourfold.engines.sqlite.store import Store
from fourfold.engines.sqlite.wording import Wording
from fourfold.engines.sqlite.writer import Writer
from fourfold.engines.usage import Usage
from fourfold.errors import StoreError
from fourfold.filters import Clause
from fourfold.index.base import Allowed
from fourfold.index.snapshot import Snapshot
from fourfold.tokenizer import Tokenizer


class SqliteWriter(Writer):
    """One write, with the statements of all rooms."""

    def put_usage(self, found: Mapping[str, Usage]) -> None:
        """Write the usage of nodes by id; unknown ids are passed over."""
        usage.put(self, found)

    def books(self) -> Books:
        """Return the books of ``fourfold.ingest``, open for writing in this transaction."""
        return Books(self)

    def staging(self) -> Staging:
        """Return the staged vectors, open for writing in this transaction."""
        return Staging(self)


class SqliteBackend(Store):
    """An open Fourfold file, see ``engines.base.Backend``."""

    capabilities = Capabilities("sqlite")

    def __init__(self, path: str | Path, *, read_only: bool = False, durable: bool = False) -> None:
        super().__init__(path, read_only=read_only, durable=durable)
        self.snapshots = Snapshots(self, RetrievalConfig())
        self._wording = Wording(self, self.snapshots)
        self._counted: tuple[tuple[sqlite3.Connection, int, int], dict[str, int]] | None = None

    @property
    def address(self) -> str:
        """What opens it again from any folder: a path, which has no secrets."""
        return address_of(self.path, self.file)

    def use(self, config: RetrievalConfig) -> None:
        """Read by these constants from the next snapshot on."""
        self.snapshots.use(config)

    def question(self, terms: object = None) -> AbstractContextManager[object]:
        """See that who only reads is not led to another file meanwhile; a snapshot holds the rows of its generation."""
        return nullcontext() if self._quiet is None else self._of_one_file()

    @contextmanager
    def _of_one_file(self) -> Iterator[None]:
        write = self.write()
        yield
        with self.reading() as connection:
            if not comes_after(connection, write):
                raise StoreError(f"Another file was put in the place of {self.path!r} while it was read; ask again.")

    def snapshot(self, config: RetrievalConfig | None = None) -> Snapshot:
        """Return the present generation; with its texts read as another config says, where one is given."""
        return self.snapshots.current() if config is None else self.snapshots.under(config)

    def compact(self) -> None:
        """Merge the segments of the index and keep them beside the file."""
        self.snapshots.compact()

    def forget(self) -> None:
        """Leave the derived files aside and read the store anew at the next snapshot."""
        self.snapshots.forget()

    def close(self) -> None:
        """Wait for the compaction and close the file; a second call does nothing."""
        self.snapshots.close()
        super().close()

    def counts(self) -> dict[str, int]:
        """Return the numbers of nodes, edges and vectors."""
        with self._snapshot() as connection:
            # what others committed moves data_version, what was written here total_changes
            state = connection, connection.total_changes, *connection.execute("PRAGMA data_version").fetchone()
            if self._counted is None or self._counted[0] != state:
                known = self.snapshots.counted(last_write(connection))
                counted = {
                    table: known[table]
                    if table in known
                    else int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                    for table in ("nodes", "edges", "vectors")
                }
                self._counted = state, counted
            return dict(self._counted[1])

    def allowed(self, clause: Clause) -> Allowed:
        """Return the nodes that meet a filter."""
        with self._snapshot() as connection:
            return Allowed(meeting(clause, Rows(partial(numbers, connection), self._wording.types)))

    def sample(self, count: int) -> list[int]:
        """Return the numbers of at most so many nodes, evenly spread over all in the order of their ids."""
        found: list[int] = []
        last, ((size,),) = "", self.select("SELECT count(*) FROM nodes")
        for ahead in spread(size, count):  # each goes on in the index of ids where the last one stood: 16 ms a million
            sql = "SELECT num, id FROM nodes WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"
            if not (rows := self.select(sql, (last, ahead - 1))):
                break  # deleted meanwhile
            num, last = rows[0]
            found.append(num)
        return found

    def first_stage(self) -> tuple[str, float | None] | None:
        """Return what names the nearest vectors, and its recall; of derived files, where no snapshot is there yet."""
        return self.snapshots.first_stage()

    def problems(self, *, derived: bool = False) -> list[str]:
        """Return what SQLite finds wrong with the file, and what is ``derived`` of other contents, in sentences."""
        with self.reading() as connection:
            found = list(integrity.problems(connection))
        try:
            with self._snapshot() as connection:
                if derived:
                    found += derivations.problems(connection)
                for part in pages(connection):
                    changes_since(connection, -1, part)  # refuses numbers and lengths that no writer gives
            self.feedback()  # and these two other kinds of values
            self.usage()
        except StoreError as error:
            return [str(error), *found]
        return found

    def derive_anew(self, tokenizer: Tokenizer) -> int:
        """Derive anew what is kept beside the contents, and return the generation that has it."""
        with self.transaction() as writer, self._snapshot() as connection:
            writer.number_terms_anew()
            derivations.derive_anew(writer, connection, tokenizer)
            return writer.generation

    def save(self, path: str, *, replace: bool = False) -> None:
        """Write all that is here into another SQLite file, see ``saving.save``."""
        with self._apart() as connection:
            save(connection, path, replace=replace)

    @contextmanager
    def _apart(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for what takes long: searches wait for it only where no other leads to the same file."""
        if self._place is None or not self._place.kept:
            with self.reading() as connection:
                yield connection
            return
        self._require_process()
        with self._apart_lock:
            self._require_open()
            with closing(connect_again(self.file, self.path)) as connection:
                yield connection

    def transaction(self, *, moves: bool = True, deletes: bool = True) -> AbstractContextManager[SqliteWriter]:
        """Open one write: all of it or nothing."""
        return self.writing(SqliteWriter, moves=moves, deletes=deletes)

    def usage(self, ids: Sequence[str] | None = None) -> dict[str, Usage]:
        """Return the usage of these nodes, or of all, by id; nodes never used are left out."""
        return usage.read(self, ids)

    def feedback(self) -> list[tuple[str, str, float]]:
        """Return what users said of answers: (query, node id, grade), oldest query first."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT query, node, grade FROM feedback f "
                "ORDER BY (SELECT min(num) FROM feedback WHERE query = f.query), num"
            ).fetchall()
            texts(said for *told, _ in rows for said in told)
            amounts((grade for *_, grade in rows), float)
            return rows

    @property
    def wording(self) -> Wording:
        """Where words stand in names, types and metadata."""
        return self._wording

    @property
    def documents(self) -> Documents:
        """The books of ``fourfold.ingest``, for reading."""
        return Documents(self)

    @property
    def staged(self) -> Staged:
        """The vectors of a re-embedding that has not ended."""
        return Staged(self)

    def refuse_foreign_vectors(self) -> None:
        """Raise StoreError if this file mirrors a foreign one that has vectors of its own."""
        schema = json.loads(self.meta("foreign_schema") or "{}")
        if column := schema.get("vector") or schema.get("vector_column"):
            table = schema.get("node_table" if schema.get("vector") else "vector_table")
            raise StoreError(
                f"The vectors of {self.path!r} come from the column {column!r} of the table {table!r} in the foreign "
                "file, which is only read; change them with the application they belong to, and the next search sees "
                "it."
            )
