"""One SQLite file: nodes, typed edges, vectors, tokens and full text, with a generation number for every write.

WAL, foreign keys, one transaction per write. Two connections: readers are never held up by a writer. The generation
moves inside the writing transaction, so whoever reads it knows whether an index is still current, in this process or
in another.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import StoreError, UnknownNodeError
from fourfold.filters import ELEMENT, SCALAR, attributes
from fourfold.frozen import freeze
from fourfold.store.schema import APPLICATION_ID, OLDEST_SEARCHED, SCHEMA_VERSION, migrate, schema_version
from fourfold.types import Edge, Node

TOKEN = np.dtype([("term", "<i4"), ("field", "u1"), ("count", "<u2")])
"""One record of a node's terms: term number, field (0 name, 1 type, 2 text), occurrences."""

PIECE = np.dtype("<u2")
"""The number of a wordpiece of the bundled model's tokenizer."""

OWN_SHARE = "own_share"
"""The setting that holds the share of a node's own text in its vector; an embedder trained from the graph brings it."""

FIELDS = ("name", "type", "text")
"""The searchable columns of a node, in the order of the token records' field numbers."""

_BUSY_SECONDS = 60.0
_REMEMBERED_WRITES = 100_000
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of the graph after a generation: rows to take in and numbers to forget.

    ``token`` is the mark of the write that made ``generation``; ``embedder`` names what made the vectors, None if they
    were all brought by callers; ``own_share`` is the share of a node's own text in its vector, the rest is its
    neighbours';
    ``token_counts`` (int64) says how many of the concatenated ``tokens`` (dtype ``TOKEN``) belong to each node;
    ``piece_counts`` (int64) how many of the concatenated ``pieces`` (int32), -1 where they are not stored yet;
    ``vectors`` is (n_with_vector, dimensions) float32 for the nodes at ``with_vector`` (positions in ``nums``);
    the edge arrays are parallel, with ends and types as numbers.
    """

    generation: int
    token: str
    embedder: str | None
    own_share: float
    nums: NDArray[np.int64]
    ids: list[str]
    tokens: NDArray[Any]
    token_counts: NDArray[np.int64]
    pieces: NDArray[np.int32]
    piece_counts: NDArray[np.int64]
    vectors: NDArray[np.float32]
    with_vector: NDArray[np.int64]
    edge_nums: NDArray[np.int64]
    edge_sources: NDArray[np.int64]
    edge_targets: NDArray[np.int64]
    edge_types: NDArray[np.int32]
    edge_weights: NDArray[np.float32]
    deleted_nodes: NDArray[np.int64]
    deleted_edges: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """A node ready to be written, with its content hash, its vector and its distinct wordpieces, ascending."""

    node: Node
    hash: str
    vector: NDArray[np.float32] | None
    pieces: NDArray[np.int32]


class Store:
    """An open Fourfold file.

    Args:
        path: a file, created if missing, or ``":memory:"``.
        read_only: never write; the file must exist.

    Raises:
        StoreError: no database, another application's database, a newer schema, or not writable.

    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = str(path)
        self.read_only = read_only
        self._vocabulary: dict[str, int] = {}
        self._vocabulary_end = 0
        self._edge_types: dict[str, int] = {}
        self._write_lock = threading.RLock()
        self._writer = self._connect()
        try:
            self._prepare()
        except BaseException:
            self._writer.close()
            raise
        if self.path == ":memory:":
            self._reader, self._read_lock = self._writer, self._write_lock
        else:
            self._reader, self._read_lock = self._connect(), threading.RLock()

    # -- opening and closing ------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        if self.read_only and not Path(self.path).is_file():
            raise StoreError(f"There is no file {self.path!r} to open for reading.")
        target = f"file:{quote(self.path)}?mode=ro" if self.read_only else self.path
        try:
            connection = sqlite3.connect(
                target, uri=self.read_only, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
            )
        except sqlite3.Error as error:
            raise StoreError(f"The file {self.path!r} cannot be opened: {error}.") from error
        connection.execute("PRAGMA foreign_keys = ON")
        connection.create_function("lower_case", 1, lambda value: str(value).lower(), deterministic=True)
        return connection

    def _prepare(self) -> None:
        """Check whose file this is, and bring its schema up to date."""
        connection = self._writer
        try:
            connection.execute("BEGIN")  # one snapshot: another process may be creating the tables right now
            version = schema_version(connection)
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise StoreError(f"The file {self.path!r} cannot be opened: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"The file {self.path!r} is no SQLite database: {error}.") from error
        if tables and application != APPLICATION_ID:
            raise StoreError(
                f"The file {self.path!r} is a SQLite database of another application; "
                "open a graph that lives in one with Retriever.open_foreign(path)."
            )
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"The file {self.path!r} has schema version {version}, newer than {SCHEMA_VERSION}, "
                "the newest this version of fourfold reads; upgrade fourfold."
            )
        if self.read_only:
            if version < OLDEST_SEARCHED:
                raise StoreError(f"The file {self.path!r} has schema version {version}; open it once for writing.")
            return
        try:
            _use_wal(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            if version < SCHEMA_VERSION:
                connection.execute("BEGIN IMMEDIATE")
                migrate(connection)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"The file {self.path!r} cannot be written: {error}.") from error

    def close(self) -> None:
        """Close both connections; a second call does nothing."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            self._writer.close()

    # -- reading ------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the reading connection to another module of the store."""
        with self._reading() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._read_lock:
            try:
                yield self._reader
            except sqlite3.Error as error:
                raise StoreError(f"Reading {self.path!r} failed: {error}.") from error

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one and the same state."""
        with self._reading() as connection:
            if connection.in_transaction:  # ":memory:", inside a write of the same thread
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    def generation(self) -> int:
        """Return the number that every committed write moves on."""
        with self._reading() as connection:
            return _generation(connection)

    def meta(self, key: str) -> str | None:
        """Return a stored setting, or None."""
        with self._reading() as connection:
            return _meta(connection, key)

    def model(self, name: str) -> bytes | None:
        """Return the embedding model kept in the file under this name, or None."""
        with self._reading() as connection:
            if schema_version(connection) < 2:  # opened read-only, as an older version of fourfold left it
                return None
            row = connection.execute("SELECT content FROM models WHERE name = ?", (name,)).fetchone()
            return None if row is None else bytes(row[0])

    def counts(self) -> dict[str, int]:
        """Return the numbers of nodes, edges and vectors."""
        with self._snapshot() as connection:
            return {
                table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                for table in ("nodes", "edges", "vectors")
            }

    def edge_type_names(self) -> list[str]:
        """Return every edge type ever used; the position is the type's number."""
        with self._reading() as connection:
            rows = connection.execute("SELECT type FROM edge_types ORDER BY num").fetchall()
            return [row[0] for row in rows]

    def vocabulary(self, since: int = 0) -> list[tuple[str, int]]:
        """Return the terms of the tokenizer with a number of at least ``since``."""
        with self._reading() as connection:
            return connection.execute("SELECT term, num FROM terms WHERE num >= ?", (since,)).fetchall()

    def changes(self, since: int) -> Changes:
        """Return all that changed after a generation; ``since=-1`` is everything."""
        with self._snapshot() as connection:
            return _changes(connection, since)

    def nodes(self, nums: Sequence[int]) -> dict[int, Node]:
        """Return the nodes of these numbers, without vectors; numbers that are gone are left out."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT num, id, name, type, text, metadata FROM nodes WHERE num IN (SELECT value FROM json_each(?))",
                (json.dumps([int(num) for num in nums]),),
            ).fetchall()
        return {
            num: Node(identity, name, type_, text, freeze(json.loads(metadata)))
            for num, identity, name, type_, text, metadata in rows
        }

    def names(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the names of the nodes of these numbers; numbers that are gone are left out."""
        with self._reading() as connection:
            sql = "SELECT num, name FROM nodes WHERE num IN (SELECT value FROM json_each(?))"
            return dict(connection.execute(sql, (json.dumps(list(nums)),)).fetchall())

    def ids(self, nums: NDArray[np.int64]) -> list[str]:
        """Return the ids of the nodes of these numbers, in their order; "" for those that are gone."""
        with self._reading() as connection:
            sql = "SELECT num, id FROM nodes WHERE num IN (SELECT value FROM json_each(?))"
            found = dict(connection.execute(sql, (json.dumps(nums.tolist()),)).fetchall())
        return [found.get(num, "") for num in nums.tolist()]

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        with self._reading() as connection:
            return _nums_of(connection, ids)

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs."""
        with self._reading() as connection:
            sql = "SELECT term, num FROM terms WHERE term IN (SELECT value FROM json_each(?))"
            return dict(connection.execute(sql, (json.dumps(list(terms)),)).fetchall())

    def vectors(self, nums: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return those of these nodes that have a vector, ascending, and their vectors as stored, (n, dimensions)."""
        with self._reading() as connection:
            sql = "SELECT node, vector FROM vectors WHERE node IN (SELECT value FROM json_each(?)) ORDER BY node"
            rows = connection.execute(sql, (json.dumps(nums.tolist()),)).fetchall()
        if not rows:
            return np.empty(0, np.int64), np.empty((0, 0), np.float32)
        matrix = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1)
        return np.array([row[0] for row in rows], np.int64), matrix.copy()

    def knows(self, generation: int, token: str) -> bool:
        """Whether a write of this generation and mark is part of this file's history."""
        with self._reading() as connection:
            return bool(token) and _token(connection, generation) == token

    def labels(self, nums: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, name) of the nodes of these numbers; numbers that are gone are left out."""
        if not nums:
            return {}
        with self._reading() as connection:
            sql = "SELECT num, id, name FROM nodes WHERE num IN (SELECT value FROM json_each(?))"
            rows = connection.execute(sql, (json.dumps(list(nums)),)).fetchall()
        return {num: (identity, name) for num, identity, name in rows}

    def nodes_by_id(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return the nodes of these ids, without vectors; unknown ids are left out."""
        with self._reading() as connection:
            nums = _nums_of(connection, ids)
        return {node.id: node for node in self.nodes(list(nums.values())).values()}

    def vectors_of(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vector, (dimensions,), of each of these nodes that has one."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT n.id, v.vector FROM json_each(?) j CROSS JOIN nodes n ON n.id = j.value "
                "JOIN vectors v ON v.node = n.num",
                (json.dumps([identity for identity in ids if _storable(identity)], ensure_ascii=False),),
            ).fetchall()
        return {identity: np.frombuffer(blob, "<f4") for identity, blob in rows}

    def edges_of(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        with self._reading() as connection:
            nums = json.dumps(list(_nums_of(connection, ids).values()))
            rows = connection.execute(
                "SELECT s.id, t.id, y.type, e.weight FROM edges e JOIN nodes s ON s.num = e.source "
                "JOIN nodes t ON t.num = e.target JOIN edge_types y ON y.num = e.type "
                "WHERE e.source IN (SELECT value FROM json_each(:n)) OR e.target IN (SELECT value FROM json_each(:n)) "
                "ORDER BY s.id, t.id, y.type",
                {"n": nums},
            ).fetchall()
        return [Edge(*row) for row in rows]

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id."""
        with self._reading() as connection:
            return dict(connection.execute("SELECT id, hash FROM nodes ORDER BY id").fetchall())

    def feedback(self) -> list[tuple[str, str, float]]:
        """Return what users said of answers: (query, node id, grade), oldest query first."""
        with self._reading() as connection:
            return connection.execute(
                "SELECT query, node, grade FROM feedback f "
                "ORDER BY (SELECT min(num) FROM feedback WHERE query = f.query), num"
            ).fetchall()

    def metadata_texts(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return (node numbers, "key value") of every string, number and boolean in the metadata; parallel."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT node, key || ' ' || value FROM attributes WHERE kind IN (?, ?)", (SCALAR, ELEMENT)
            ).fetchall()
        return np.fromiter((row[0] for row in rows), np.int64, len(rows)), [row[1] for row in rows]

    def matching(self, sql: str, parameters: Sequence[Any]) -> NDArray[np.int64]:
        """Return the node numbers a compiled filter selects (see ``filters.to_sql``)."""
        with self._reading() as connection:
            rows = connection.execute(sql, parameters).fetchall()
        return np.fromiter((row[0] for row in rows), np.int64, len(rows))

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement of another module of the store."""
        with self._reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def hidden(self) -> NDArray[np.int64]:
        """Return the numbers of the nodes that are no answers: documents whose text is in their chunks."""
        with self._reading() as connection:
            rows = connection.execute("SELECT node FROM documents WHERE chunks > 0").fetchall()
        return np.fromiter((row[0] for row in rows), np.int64, len(rows))

    def phrase(self, phrase: str, limit: int | None) -> list[tuple[int, float]]:
        """Return (node number, |rank|) of the nodes that hold the phrase, best first; ties by id.

        The phrase is one quoted FTS5 string; nothing in it is query syntax.
        """
        quoted = '"' + phrase.replace("\x00", " ").replace('"', '""') + '"'
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT n.num, f.rank FROM fts f JOIN nodes n ON n.num = f.rowid WHERE f.fts MATCH ? "
                "ORDER BY f.rank, n.id LIMIT ?",
                (quoted, -1 if limit is None else limit),
            ).fetchall()
        return [(num, abs(rank)) for num, rank in rows]

    # -- writing ------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, moves: bool = True) -> Iterator[Writer]:
        """One write: all of it or nothing.

        The generation moves on with the commit. ``moves=False`` leaves it, so that no index is rebuilt: for what no
        search reads. Whoever writes more after all calls ``Writer.move`` before.
        """
        if self.read_only:
            raise StoreError(f"The file {self.path!r} was opened read-only; nothing can be written.")
        with self._write_lock:
            connection = self._writer
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise StoreError(f"The file {self.path!r} cannot be written: {error}.") from error
            writer = None
            try:
                writer = Writer(connection, dict(self._edge_types), self._vocabulary, moves=moves)
                yield writer
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if writer is not None:
                    writer.forget_new_terms()
                if isinstance(error, sqlite3.Error):
                    raise StoreError(f"Writing {self.path!r} failed, nothing was changed: {error}.") from error
                raise
            self._edge_types = writer.edge_types


class Writer:
    """The statements of one open write transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        edge_types: dict[str, int],
        vocabulary: dict[str, int],
        *,
        moves: bool = True,
    ) -> None:
        self._connection = connection
        self.edge_types = edge_types
        self._vocabulary = vocabulary
        self._new_terms: list[str] = []
        self.generation = self.move() if moves else _generation(connection)

    def move(self) -> int:
        """Move the generation on and return it; what is written from here on belongs to it."""
        self._connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'")
        self.generation = _generation(self._connection)
        self._connection.execute("INSERT OR REPLACE INTO writes VALUES (?, ?)", (self.generation, secrets.token_hex(8)))
        self._connection.execute("DELETE FROM writes WHERE generation <= ?", (self.generation - _REMEMBERED_WRITES,))
        return self.generation

    def meta(self, key: str) -> str | None:
        """Return a stored setting as this transaction sees it."""
        return _meta(self._connection, key)

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        if value is None:
            self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def put_model(self, name: str, content: bytes) -> None:
        """Keep an embedding model in the file under its embedder's name; a known name is replaced."""
        self._connection.execute("INSERT OR REPLACE INTO models VALUES (?, ?)", (name, content))

    def drop_models(self, except_name: str | None = None) -> None:
        """Drop the models kept in the file, but for one."""
        self._connection.execute("DELETE FROM models WHERE name IS NOT ?", (except_name,))

    def put_feedback(self, query: str, node_id: str, grade: float) -> None:
        """Store what somebody said of an answer; the latest word on a pair counts."""
        self._connection.execute(
            "INSERT INTO feedback (query, node, grade) VALUES (?, ?, ?) "
            "ON CONFLICT (query, node) DO UPDATE SET grade = excluded.grade",
            (query, node_id, grade),
        )

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement of another module of the store inside this transaction."""
        return self._connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> sqlite3.Cursor:
        """Run a statement of another module of the store once for each row of parameters."""
        return self._connection.executemany(sql, rows)

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        return _nums_of(self._connection, ids)

    def edge_type(self, name: str) -> int:
        """Return the number of an edge type, numbering it if it is new."""
        self._number_edge_type(name)
        return self.edge_types[name]

    def put_nodes(self, rows: Sequence[Row], terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Insert or replace nodes.

        ``terms`` holds the terms of all nodes in a row, field by field as in ``FIELDS``; ``lengths`` the number of
        terms of each field of each node (``3 * len(rows)`` numbers).
        """
        known = _nums_of(self._connection, [row.node.id for row in rows])
        last = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'").fetchone()
        following = (last[0] if last else 0) + 1
        nums = []
        for row in rows:
            if row.node.id not in known:
                known[row.node.id] = following
                following += 1
            nums.append(known[row.node.id])
        connection = self._connection
        connection.executemany(
            "INSERT INTO nodes (num, id, name, type, text, metadata, hash, generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, text = excluded.text, "
            "metadata = excluded.metadata, hash = excluded.hash, generation = excluded.generation",
            (
                (num, r.node.id, r.node.name, r.node.type, r.node.text, _json(r.node), r.hash, self.generation)
                for num, r in zip(nums, rows, strict=True)
            ),
        )
        marks = [(num,) for num in nums]
        connection.executemany("DELETE FROM attributes WHERE node = ?", marks)
        connection.executemany(
            "INSERT OR IGNORE INTO attributes (key, value, node, kind) VALUES (?, ?, ?, ?)",
            (
                (key, value, num, kind)
                for num, row in zip(nums, rows, strict=True)
                for key, value, kind in attributes(row.node.metadata)
            ),
        )
        connection.executemany("DELETE FROM vectors WHERE node = ?", marks)
        connection.executemany(
            "INSERT INTO vectors (node, vector) VALUES (?, ?)",
            ((n, r.vector.astype("<f4").tobytes()) for n, r in zip(nums, rows, strict=True) if r.vector is not None),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO pieces (node, ids) VALUES (?, ?)",
            ((num, row.pieces.astype(PIECE).tobytes()) for num, row in zip(nums, rows, strict=True)),
        )
        self._put_tokens(nums, terms, lengths)

    def _put_tokens(self, nums: Sequence[int], terms: Sequence[str], lengths: Sequence[int]) -> None:
        numbers = self._term_numbers(terms)
        field_of = np.repeat(np.arange(len(lengths), dtype=np.int64), np.asarray(lengths, dtype=np.int64))
        width = np.int64(numbers.max()) + 1 if len(numbers) else np.int64(1)
        keys, counts = np.unique(field_of * width + numbers, return_counts=True)
        records = np.empty(len(keys), TOKEN)
        records["term"] = keys % width
        records["field"] = (keys // width) % len(FIELDS)
        records["count"] = np.minimum(counts, np.iinfo(np.uint16).max)
        bounds = np.searchsorted(keys // width, np.arange(0, len(lengths) + 1, len(FIELDS))) * TOKEN.itemsize
        data = records.tobytes()
        self._connection.executemany(
            "INSERT OR REPLACE INTO tokens (node, terms) VALUES (?, ?)",
            ((num, data[start:end]) for num, start, end in zip(nums, bounds, bounds[1:], strict=False)),
        )

    def _term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each term; unseen terms are numbered and stored."""
        vocabulary = self._vocabulary
        unseen = set(terms).difference(vocabulary)
        if unseen:  # another process may have stored some of them
            listed = json.dumps(sorted(unseen))
            found = self._connection.execute(
                "SELECT term, num FROM terms WHERE term IN (SELECT value FROM json_each(?))", (listed,)
            ).fetchall()
            vocabulary.update(found)
            new = sorted(unseen.difference(term for term, _ in found))
            last = self._connection.execute("SELECT max(num) FROM terms").fetchone()[0] or 0
            numbered = list(zip(new, range(last + 1, last + 1 + len(new)), strict=True))
            self._connection.executemany("INSERT INTO terms (term, num) VALUES (?, ?)", numbered)
            vocabulary.update(numbered)
            self._new_terms += new
        return np.fromiter(map(vocabulary.__getitem__, terms), np.int64, len(terms))

    def forget_new_terms(self) -> None:
        """After a rollback: drop the numbers that were never stored."""
        for term in self._new_terms:
            self._vocabulary.pop(term, None)

    def put_edges(self, edges: Sequence[Edge]) -> None:
        """Insert edges or replace their weights.

        Raises:
            UnknownNodeError: an end that is no node; the first few are listed.

        """
        ends = list(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target)))
        nums = _nums_of(self._connection, ends)
        if len(nums) < len(ends):
            unknown = [end for end in ends if end not in nums]
            first = ", ".join(repr(end) for end in unknown[:5])
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            raise UnknownNodeError(f"Edges name nodes that are not in the graph: {first}{more}. Nothing was written.")
        for name in dict.fromkeys(edge.type for edge in edges):
            self._number_edge_type(name)
        types = self.edge_types
        self._connection.executemany(
            "INSERT INTO edges (source, target, type, weight, generation) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (source, target, type) DO UPDATE SET weight = excluded.weight, "
            "generation = excluded.generation",
            ((nums[e.source], nums[e.target], types[e.type], float(e.weight), self.generation) for e in edges),
        )

    def _number_edge_type(self, name: str) -> None:
        if name in self.edge_types:
            return
        row = self._connection.execute("SELECT num FROM edge_types WHERE type = ?", (name,)).fetchone()
        if row is None:
            number = self._connection.execute("SELECT count(*) FROM edge_types").fetchone()[0]
            self._connection.execute("INSERT INTO edge_types (num, type) VALUES (?, ?)", (number, name))
        self.edge_types[name] = number if row is None else row[0]

    def delete_nodes(self, ids: Sequence[str]) -> int:
        """Delete nodes with their edges, and documents with their chunks; unknown ids are passed over.

        Returns:
            How many of the ids were nodes.

        """
        nums = _nums_of(self._connection, ids)
        marks = [(num,) for num in nums.values()]
        self._connection.executemany(
            "DELETE FROM nodes WHERE num IN (SELECT node FROM passages WHERE document = ?)", marks
        )
        self._connection.executemany("DELETE FROM nodes WHERE num = ?", marks)
        return len(nums)

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete edges by (source, target, type); unknown ones are passed over. Return how many there were."""
        nums = _nums_of(self._connection, list({end for e in edges for end in (e.source, e.target)}))
        known = [e for e in edges if e.source in nums and e.target in nums and _encodable(e.type)]
        keys = [(nums[e.source], nums[e.target], e.type) for e in known]
        cursor = self._connection.executemany(
            "DELETE FROM edges WHERE source = ? AND target = ? AND type = (SELECT num FROM edge_types WHERE type = ?)",
            keys,
        )
        return max(cursor.rowcount, 0)


def _json(node: Node) -> str:
    return json.dumps(dict(node.metadata), ensure_ascii=False, allow_nan=False)


def _meta(connection: sqlite3.Connection, key: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def _generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def _token(connection: sqlite3.Connection, generation: int) -> str:
    """Return the mark of the write that made a generation; empty where none was kept."""
    if schema_version(connection) < 3:  # opened read-only, as an older version of fourfold left it
        return ""
    row = connection.execute("SELECT token FROM writes WHERE generation = ?", (generation,)).fetchone()
    return "" if row is None else str(row[0])


def _nums_of(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each id that is a node."""
    listed = json.dumps([identity for identity in ids if _storable(identity)], ensure_ascii=False)
    sql = "SELECT n.id, n.num FROM json_each(?) j JOIN nodes n ON n.id = j.value"
    return dict(connection.execute(sql, (listed,)).fetchall())


def _storable(identity: str) -> bool:
    """Whether this can be a node's id: SQLite's JSON would end it at NUL, and UTF-8 has no lone surrogates."""
    return "\x00" not in identity and _encodable(identity)


def _encodable(text: str) -> bool:
    return text.isascii() or text == text.encode("utf-8", "replace").decode("utf-8")


def _changes(connection: sqlite3.Connection, since: int) -> Changes:
    ids: list[str] = []
    nums: list[int] = []
    token_counts: list[int] = []
    token_chunks = [np.empty(0, TOKEN)]
    vector_chunks: list[NDArray[np.float32]] = []
    with_vector: list[int] = []
    piece_counts: list[int] = []
    piece_chunks = [np.empty(0, np.int32)]
    known = schema_version(connection) >= 3  # else opened read-only, as an older version of fourfold left it
    cursor = connection.execute(
        f"SELECT n.num, n.id, t.terms, v.vector, {'p.ids' if known else 'NULL'} FROM nodes n "
        "LEFT JOIN tokens t ON t.node = n.num LEFT JOIN vectors v ON v.node = n.num "
        f"{'LEFT JOIN pieces p ON p.node = n.num ' if known else ''}"
        f"{'WHERE n.generation > ?' if since >= 0 else ''} ORDER BY n.num",
        (since,) if since >= 0 else (),
    )
    while rows := cursor.fetchmany(_CHUNK):
        chunk_nums, chunk_ids, terms, vectors, pieces = zip(*rows, strict=True)
        piece_counts += [-1 if blob is None else len(blob) // PIECE.itemsize for blob in pieces]
        piece_chunks.append(np.frombuffer(b"".join(filter(None, pieces)), PIECE).astype(np.int32))
        with_vector += [len(nums) + place for place, blob in enumerate(vectors) if blob is not None]
        nums += chunk_nums
        ids += chunk_ids
        token_counts += [len(blob or b"") // TOKEN.itemsize for blob in terms]
        token_chunks.append(np.frombuffer(b"".join(filter(None, terms)), TOKEN))
        blobs = [blob for blob in vectors if blob is not None]
        if blobs:
            vector_chunks.append(np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), -1))
    edges = _columns(connection, "edges", ("num", "source", "target", "type", "weight"), since)
    deleted: Mapping[str, list[int]] = {"node": [], "edge": []}
    if since >= 0:
        for kind, num in connection.execute("SELECT kind, num FROM deletions WHERE generation > ?", (since,)):
            deleted[kind].append(num)
    return Changes(
        generation=(generation := _generation(connection)),
        token=_token(connection, generation),
        embedder=_meta(connection, "embedder"),
        own_share=float(_meta(connection, OWN_SHARE) or 1),
        nums=np.array(nums, np.int64),
        ids=ids,
        tokens=np.concatenate(token_chunks),
        token_counts=np.array(token_counts, np.int64),
        pieces=np.concatenate(piece_chunks),
        piece_counts=np.array(piece_counts, np.int64),
        vectors=np.concatenate(vector_chunks) if vector_chunks else np.empty((0, 0), np.float32),
        with_vector=np.array(with_vector, np.int64),
        edge_nums=edges[0].astype(np.int64),
        edge_sources=edges[1].astype(np.int64),
        edge_targets=edges[2].astype(np.int64),
        edge_types=edges[3].astype(np.int32),
        edge_weights=edges[4].astype(np.float32),
        deleted_nodes=np.array(deleted["node"], np.int64),
        deleted_edges=np.array(deleted["edge"], np.int64),
    )


def _columns(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], since: int
) -> list[NDArray[np.float64]]:
    """Return numeric columns of the rows after a generation, as float64 arrays.

    SQLite joins the numbers into one text per column and numpy reads it: no Python object per row.
    """
    joined = ", ".join(f"group_concat({column})" for column in columns)
    where = f"WHERE generation > {since:d}" if since >= 0 else ""  # all rows are read faster without the index
    row = connection.execute(f"SELECT {joined} FROM {table} {where}").fetchone()
    return [np.fromstring(text, np.float64, sep=",") if text else np.empty(0) for text in row]


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
