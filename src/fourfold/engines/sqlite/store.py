"""One SQLite file: nodes, typed edges, vectors, tokens and full text, with a generation number for every write.

WAL, foreign keys, one transaction per write. Two connections: readers are never held up by a writer. The generation
moves inside the writing transaction, so whoever reads it, in any process, knows whether an index is still current.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourfold import deadline
from fourfold.arguments import said
from fourfold.engines.sqlite import forks
from fourfold.engines.sqlite.changes import changes_since
from fourfold.engines.sqlite.checkpoints import Log
from fourfold.engines.sqlite.connection import (
    QuietConnection,
    connect,
    ended,
    for_writing,
    prepare,
    until,
    way_back,
    way_out,
    whole_path,
)
from fourfold.engines.sqlite.place import Place
from fourfold.engines.sqlite.rows import (
    DamagedValueError,
    generation_of,
    id_list,
    last_write,
    meta,
    node_of,
    numbers,
    nums_of,
    texts,
    token_of,
)
from fourfold.engines.sqlite.schema import schema_version
from fourfold.engines.sqlite.writer import Writer
from fourfold.errors import FourfoldError, StoreError
from fourfold.index.changes import Changes
from fourfold.types import Edge, Node

W = TypeVar("W", bound=Writer)

_UNREADABLE = (TypeError, ValueError, OverflowError, IndexError, KeyError, RecursionError, AttributeError)
"""What reading a value raises that no version of fourfold writes."""

_IDS = "SELECT json_group_array(num), json_group_array(CASE typeof(id) WHEN 'text' THEN id END) FROM nodes"
"""As two lists, see ``rows.numbers``; of what is no text nothing, for JSON holds no blob."""

_SCANNED = 3
"""Where one id in so many is asked for, the index of ids is read from end to end, which is sooner."""

_OF_NUMBERS = "FROM nodes WHERE num IN (SELECT value FROM json_each(?))"

EDGES = (
    "SELECT s.id, t.id, y.type, e.weight FROM edges e JOIN nodes s ON s.num = e.source "
    "JOIN nodes t ON t.num = e.target JOIN edge_types y ON y.num = e.type"
)
"""Every edge, as people call it."""


class Store:
    """An open Fourfold file.

    Args:
        path: a file, created if missing, or ``":memory:"``.
        read_only: never write, neither into the file nor beside it; the file must exist.
        durable: a write that has returned is on the disk (``PRAGMA synchronous = FULL``); else the last ones may be
            lost with the power, though never in part.

    Raises:
        StoreError: no database, another application's database, a newer schema, or not writable.

    """

    def __init__(self, path: str | Path, *, read_only: bool = False, durable: bool = False) -> None:
        self.path = str(path)
        self.file = self.path if self.path == ":memory:" else whole_path(self.path)
        """Where the file really is; ``path`` is what messages call it."""
        self.read_only = read_only
        self._process = os.getpid()
        self._closed = False
        self._vocabulary: dict[str, int] = {}
        self._edge_types: dict[str, int] = {}
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if self.path == ":memory:" else threading.RLock()
        self._apart_lock = threading.Lock()
        self.locks = (self._write_lock, self._read_lock, self._apart_lock)
        """Held by whoever is inside SQLite, in the order in which one thread takes them."""
        self._quiet = QuietConnection(self.path) if read_only else None
        self._writer = self._quiet.current() if self._quiet is not None else connect(self.file, self.path)
        self._reader = self._writer
        kept = self.path != ":memory:" and not read_only
        try:
            prepare(self._writer, self.path, read_only=read_only, durable=durable)
            self._place = Place(self.file, self.path) if kept else None
            if kept:
                self._reader = connect(self.file, self.path)
        except BaseException:
            self._writer.close()
            raise
        self._log = Log(self._writer, self._write_lock) if kept else None
        forks.wait_for(self)

    # -- opening and closing ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close all connections, after a copy under way, if they are open; in a fork they are left to its parent."""
        if os.getpid() != self._process:
            return
        with self._write_lock, self._read_lock, self._apart_lock:
            self._closed = True
            if self._log is not None:
                self._log.close()
            if self._quiet is not None:
                self._quiet.close()
            self._reader.close()
            self._writer.close()

    def _damaged(self, error: Exception) -> StoreError:
        return StoreError(
            f"The file {self.path!r} is damaged, it holds what fourfold does not write ({said(error)}); fourfold check "
            "says where."
        )

    def _require_process(self) -> None:
        """Refuse a process that was forked: SQLite's connections, and locks held meanwhile, do not outlive a fork."""
        if os.getpid() != self._process:
            raise StoreError(
                f"The file {self.path!r} was opened by process {self._process}, of which this one, {os.getpid()}, is a "
                "fork; open it again here, or start processes by 'spawn'."
            )

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path!r} is closed; open it again.")

    # -- reading ------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the reading connection, within the time that the caller has."""
        self._require_process()
        with self._read_lock:
            self._require_open()
            limit = deadline.current()
            try:
                connection = self._reader if self._quiet is None else self._quiet.current()
                if limit is None:
                    yield connection
                else:
                    with until(limit, connection):
                        yield connection
                if self._quiet is not None:
                    self._quiet.confirm()
            except sqlite3.Error as error:
                if limit is not None and limit.passed:
                    raise limit.error() from error
                raise StoreError(f"Reading {self.path!r} failed: {said(error)}{way_back(error)}.") from error
            except _UNREADABLE as error:
                if isinstance(error, FourfoldError):
                    raise
                raise self._damaged(error) from error

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one and the same state."""
        with self.reading() as connection:
            if connection.in_transaction:  # ":memory:", inside a write of the same thread
                yield connection
                return
            with ended(connection):
                connection.execute("BEGIN")
                yield connection

    def generation(self) -> int:
        """Return the number that every committed write moves on."""
        with self.reading() as connection:
            return generation_of(connection)

    def write(self) -> tuple[int, str]:
        """Return the generation with the mark of the write that made it; "" where none was kept."""
        with self.reading() as connection:
            return last_write(connection) if self._place is None else self._place.write(connection)

    def meta(self, key: str) -> str | None:
        """Return a stored setting, or None."""
        with self.reading() as connection:
            return meta(connection, key)

    def model(self, name: str) -> bytes | None:
        """Return the embedding model kept in the file under this name, or None."""
        with self.reading() as connection:
            if schema_version(connection) < 2:  # opened read-only, as an older version of fourfold left it
                return None
            row = connection.execute("SELECT content FROM models WHERE name = ?", (name,)).fetchone()
            return None if row is None else bytes(row[0])

    def edge_type_names(self) -> list[str]:
        """Return every edge type ever used; the position is the type's number."""
        with self.reading() as connection:
            return texts(row[0] for row in connection.execute("SELECT type FROM edge_types ORDER BY num"))

    def changes(self, since: int) -> Changes:
        """Return all that changed after a generation, or everything, see ``changes_since``."""
        with self._snapshot() as connection:
            return changes_since(connection, since)

    def nodes(self, nums: Sequence[int]) -> dict[int, Node]:
        """Return the nodes of these numbers, without vectors; numbers that are gone are left out."""
        with self.reading() as connection:
            sql = f"SELECT num, id, name, type, text, metadata {_OF_NUMBERS}"
            rows = connection.execute(sql, (json.dumps([int(num) for num in nums]),)).fetchall()
            return {num: node_of(row) for num, *row in rows}

    def ids(self, nums: NDArray[np.int64]) -> list[str]:
        """Return the ids of the nodes of these numbers, in their order; "" for those that are gone."""
        with self.reading() as connection:
            sql, given = _IDS, list[str]()
            if len(nums) * _SCANNED < (connection.execute("SELECT max(num) FROM nodes").fetchone()[0] or 0):
                sql, given = f"{sql} WHERE num IN (SELECT value FROM json_each(?))", [json.dumps(nums.tolist())]
            present, ids = map(json.loads, connection.execute(sql, given).fetchone())
            found = dict(zip(present, texts(ids), strict=True))
        return [found.get(num, "") for num in nums.tolist()]

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        with self.reading() as connection:
            return nums_of(connection, ids)

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs."""
        sql = "SELECT term, num FROM terms WHERE term IN (SELECT value FROM json_each(?))"
        return dict(self.select(sql, (json.dumps(list(terms)),)))

    def pairs(self, characters: Iterable[str]) -> dict[str, int]:
        """Return the number of each term of two characters that holds one of these; every term is looked at, once."""
        these = "(SELECT value FROM json_each(:characters))"
        either = f"substr(term, 1, 1) IN {these} OR substr(term, 2, 1) IN {these}"
        sql = f"SELECT term, num FROM terms WHERE length(term) = 2 AND ({either})"
        return dict(self.select(sql, {"characters": json.dumps(list(characters))}))

    def vectors(self, nums: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return those of these nodes that have a vector, ascending, and their vectors as stored, (n, dimensions)."""
        with self.reading() as connection:
            sql = "SELECT node, vector FROM vectors WHERE node IN (SELECT value FROM json_each(?)) ORDER BY node"
            rows = connection.execute(sql, (json.dumps(nums.tolist()),)).fetchall()
            if not rows:
                return np.empty(0, np.int64), np.empty((0, 0), np.float32)
            matrix = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1)
            return np.array([row[0] for row in rows], np.int64), matrix.copy()

    def knows(self, generation: int, mark: str) -> bool:
        """Whether a write of this generation and mark is part of this file's history."""
        with self.reading() as connection:
            return bool(mark) and token_of(connection, generation) == mark

    def labels(self, nums: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, name) of the nodes of these numbers; numbers that are gone are left out."""
        with self.reading() as connection:
            rows = connection.execute(f"SELECT num, id, name {_OF_NUMBERS}", (json.dumps(list(nums)),)).fetchall()
            texts(chain.from_iterable(names for _, *names in rows))
        return {num: (identity, name) for num, identity, name in rows}

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the type of the nodes of these numbers; numbers that are gone are left out."""
        with self.reading() as connection:
            rows = connection.execute(f"SELECT num, type {_OF_NUMBERS}", (json.dumps(list(nums)),)).fetchall()
            return dict(zip((num for num, _ in rows), texts(kind for _, kind in rows), strict=True))

    def nodes_by_id(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return the nodes of these ids, without vectors; unknown ids are left out."""
        with self.reading() as connection:
            nums = nums_of(connection, ids)
        return {node.id: node for node in self.nodes(list(nums.values())).values()}

    def vectors_of(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vector, (dimensions,), of each of these nodes that has one."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT n.id, v.vector FROM json_each(?) j CROSS JOIN nodes n ON n.id = j.value "
                "JOIN vectors v ON v.node = n.num",
                (id_list(ids),),
            ).fetchall()
            return {identity: np.frombuffer(blob, "<f4") for identity, blob in rows}

    def edges_of(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        these = "(SELECT value FROM json_each(:nums))"
        return self._edges(ids, f"e.source IN {these} OR e.target IN {these}")

    def edges_from(self, ids: Sequence[str], types: Sequence[str]) -> list[Edge]:
        """Return the edges of these types that leave these nodes."""
        condition = (
            "e.source IN (SELECT value FROM json_each(:nums)) AND y.type IN (SELECT value FROM json_each(:types))"
        )
        return self._edges(ids, condition, types=json.dumps(list(types)))

    def _edges(self, ids: Sequence[str], condition: str, **parameters: str) -> list[Edge]:
        """Return the edges that meet a condition on ``:nums``, the numbers of some nodes."""
        with self.reading() as connection:
            nums = json.dumps(list(nums_of(connection, ids).values()))
            sql = f"{EDGES} WHERE {condition} ORDER BY s.id, t.id, y.type"
            rows = connection.execute(sql, {"nums": nums, **parameters}).fetchall()
            texts(end for *ends, _ in rows for end in ends)
            return [Edge(source, target, kind, float(weight)) for source, target, kind, weight in rows]

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id."""
        with self.reading() as connection:
            rows = connection.execute("SELECT id, hash FROM nodes ORDER BY id").fetchall()
            return {identity: own for identity, own in (texts(row) for row in rows)}

    def matching(self, sql: str, parameters: Sequence[Any]) -> NDArray[np.int64]:
        """Return the numbers that a statement selects as ``num``."""
        with self.reading() as connection:
            return numbers(connection, sql, parameters)

    def select(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement of another module of the store."""
        with self.reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def hidden(self) -> NDArray[np.int64]:
        """Return the numbers of the nodes that are no answers: documents with all of their text in chunks."""
        sql = "SELECT num FROM documents CROSS JOIN nodes ON num = node WHERE chunks > 0 AND text = ''"
        return self.matching(sql, ())

    def phrase(self, phrase: str, limit: int | None) -> list[tuple[int, float]]:
        """Return (node number, |rank|) of the nodes that hold the phrase, best first; ties by id.

        The phrase is one quoted FTS5 string; nothing in it is query syntax.
        """
        quoted = '"' + phrase.replace("\x00", " ").replace('"', '""') + '"'
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT n.num, f.rank FROM fts f JOIN nodes n ON n.num = f.rowid WHERE f.fts MATCH ? "
                "ORDER BY f.rank, n.id LIMIT ?",
                (quoted, -1 if limit is None else limit),
            ).fetchall()
            return [(num, abs(rank)) for num, rank in rows]

    # -- writing ------------------------------------------------------------------------------------------------

    def _for_writing(self, *, deletes: bool) -> AbstractContextManager[sqlite3.Connection]:
        self._require_open()
        return for_writing(self._writer, deletes=deletes)

    @contextmanager
    def writing(self, kind: type[W], *, moves: bool, deletes: bool = True) -> Iterator[W]:
        """One write, whose statements are those of a ``kind`` of Writer; see ``engines.base``."""
        if self.read_only:
            raise StoreError(f"The file {self.path!r} was opened read-only; nothing can be written.")
        self._require_process()
        with self._write_lock, self._for_writing(deletes=deletes) as connection, ended(connection):
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise StoreError(
                    f"The file {self.path!r} cannot be written: {said(error)}{way_out(error, self.path)}."
                ) from error
            writer = None
            try:
                writer = kind(connection, dict(self._edge_types), self._vocabulary, moves=moves, deletes=deletes)
                yield writer
                writer.finish()
                if self._place is not None:
                    self._place.confirm(connection)
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if writer is not None:
                    writer.forget_new_terms()
                if isinstance(error, DamagedValueError):
                    raise self._damaged(error) from error
                if isinstance(error, (sqlite3.Error, UnicodeDecodeError)):
                    raise StoreError(f"Writing {self.path!r} failed, nothing was changed: {error}.") from error
                raise
            self._edge_types = writer.edge_types
            if self._log is not None:
                self._log.written()
