"""A knowledge graph in somebody else's SQLite file: what its tables mean, what they hold, whether it has changed.

The file is opened read-only and never altered. Names found in its schema are quoted, values are parameters.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.foreign import ForeignSchema, detect
from fourfold.engines.foreign.given import check, with_metadata
from fourfold.engines.foreign.remarks import remarks
from fourfold.engines.foreign.tables import Key, Table, quoted
from fourfold.engines.foreign.values import (
    hash_of,
    metadata_of,
    require_one_dimension,
    vector_of,
    weight_of,
    words_of,
)
from fourfold.engines.sqlite.bounds import PROBING, READING, patience, rows_within, short_values, size_of
from fourfold.engines.sqlite.connection import Followed, distrust, held_up, opened, require_file, warn_if_ours
from fourfold.engines.sqlite.matches import Matches, identity
from fourfold.errors import SchemaDetectionError, StoreError
from fourfold.types import Node

_SETTLED_NS = 2_000_000_000
Status = tuple[int, int, int, int]
_GONE: Status = (0, 0, 0, 0)


@dataclass(frozen=True)
class ForeignGraph:
    """What a foreign file held in one state.

    ``hashes`` (by node id) cover content and vector; ``counts`` tells what had to be passed over, by reason.
    """

    nodes: dict[str, Node]
    hashes: dict[str, bytes]
    edges: dict[tuple[str, str, str], float]
    counts: dict[str, int] = field(default_factory=dict)


class ForeignFile:
    """A foreign SQLite file, open for reading.

    Args:
        path: the file.
        schema: what its tables mean; None finds out.

    Raises:
        StoreError: there is no such file, or it is no database.
        SchemaDetectionError: no node table can be recognised, or the schema names what is not there.

    """

    def __init__(self, path: str | Path, schema: ForeignSchema | None = None) -> None:
        self.path = str(path)
        self._followed = Followed(self.path)
        self._given = schema
        self._connection = self._connect()
        self._understood: int | None = None
        try:
            with self._snapshot():
                self._understand()
        except BaseException:
            self.close()
            raise
        self._seen: tuple[int, Status] | None = None
        self._inode: int | None = None

    @property
    def file(self) -> str:
        """Where the file really is; ``path`` is what messages call it."""
        return self._followed.file

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._connection.close()

    # -- has it changed? ----------------------------------------------------------------------------------------

    def changed(self) -> bool:
        """Whether the file may have changed since it was last read: one pragma and the file's status."""
        try:
            return self._seen is None or self._seen != self._state()
        except sqlite3.Error as error:
            raise StoreError(f"Reading the foreign graph {self.path!r} failed: {error}{held_up(error)}.") from error

    def forget(self) -> None:
        """Take the file for changed: what was read did not arrive."""
        self._seen = None

    def is_as_stamped(self, stamp: str) -> bool:
        """Whether the file is still in the state of an old stamp; if so it counts as read."""
        state = self._state()
        if not stamp or stamp != self.stamp():
            return False
        self._seen, self._inode = state, state[1][0]
        return True

    def stamp(self) -> str:
        """Return what tells this state of the file from others after a restart; empty if it is too fresh or gone.

        Two writes within one tick of the file system's clock look alike, so a recent change is not trusted.
        """
        file = self.file
        status = [_status(name) for name in (file, f"{file}-wal")]
        newest = max((s[2] for s in status if s is not None), default=None)
        return "" if newest is None or time.time_ns() - newest <= _SETTLED_NS else json.dumps(status)

    def _state(self) -> tuple[int, Status]:
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return (version, _status(self.file) or _GONE)

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self) -> ForeignGraph:
        """Return the graph as one snapshot of the file has it.

        Raises:
            StoreError: the file cannot be read.
            SchemaDetectionError: its tables are no longer those that the schema names, or none can be recognised.
            DimensionError: its vectors have several dimensions.
            InvalidValueError: a vector is no list of finite numbers.

        """
        try:
            current = _status(self.file)
            if self._seen is not None and (current is None or current[0] != self._inode):
                self._reopen()  # another file has taken the place
            self._inode = None if current is None else current[0]
            self._connection.execute("PRAGMA shrink_memory")  # a copy laid over it may count as many changes
            seen = self._state()
            with self._snapshot():
                if self._tables_version() != self._understood:  # a column renamed or new
                    self._understand()
                with patience(self._connection, READING + size_of(self.file) // 10_000):
                    graph = self._read()
            self._seen = seen
        except sqlite3.Error as error:
            raise StoreError(f"Reading the foreign graph {self.path!r} failed: {error}{held_up(error)}.") from error
        return graph

    def _reopen(self) -> None:
        opened_anew = self._connect()  # first: where no file is in the place as yet, the next search looks again
        self._connection.close()
        self._connection, self._understood = opened_anew, None

    def _connect(self) -> sqlite3.Connection:
        require_file(self.file, "to open, or none that may be read", called=self.path)
        ways = ["mode=ro"]
        wal = _status(f"{self.file}-wal")
        if wal is None or wal[1] == 0:  # a WAL database in a folder that cannot be written opens no other way
            ways.append("mode=ro&immutable=1")
        for parameters in ways:
            try:
                connection = opened(f"file:{quote(os.fsencode(self.file))}?{parameters}", uri=True)
            except sqlite3.Error as error:
                raise StoreError(f"The file {self.path!r} cannot be read: {error}.") from error
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            try:
                distrust(connection)
                warn_if_ours(connection, self.path)
                return connection
            except sqlite3.OperationalError as error:
                connection.close()
                reason: sqlite3.Error = error
                if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                    break  # as immutable it would be read while it is being written
            except sqlite3.DatabaseError as error:
                connection.close()
                raise StoreError(f"The file {self.path!r} is no SQLite database: {error}.") from error
        raise StoreError(f"The file {self.path!r} cannot be read: {reason}{held_up(reason)}.") from reason

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        short_values(self._connection, self.file)
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:  # an error of the disk may have ended it
                self._connection.execute("COMMIT")

    def _understand(self) -> None:
        """Learn what the tables mean, as given or found, with remarks on those that cannot be read."""
        version = self._tables_version()
        tables, self.notes = self._tables()
        matches = Matches(self._connection)
        if self.notes and not tables:
            raise SchemaDetectionError(self.notes[0])
        if self._given is None:
            schema = detect.detect(tables, self.path, matches, itself=True)
        else:
            schema = self._given
            check(schema, tables, self.path)
        self.schema = replace(schema, metadata=with_metadata(schema, tables))
        if self._given is None:
            self.notes += tuple(remarks(self.schema, tables, self.path, matches))
        self._understood = version

    def _tables_version(self) -> int:
        """Return a number that every change of tables and columns moves."""
        return int(self._connection.execute("PRAGMA schema_version").fetchone()[0])

    def _tables(self) -> tuple[list[Table], tuple[str, ...]]:
        tables: list[Table] = []
        referring: dict[str, list[tuple[Any, ...]]] = {}
        notes = []
        listed = self._connection.execute("PRAGMA main.table_list").fetchall()
        unreadable: list[str] = []
        for _, name, kind, *_rest in sorted(listed, key=lambda row: (row[2] != "virtual", row[1])):
            part = any(name.startswith(f"{whole}_") for whole in unreadable)
            if kind == "shadow" or name.startswith("sqlite_") or part:
                continue
            try:
                columns = self._connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
                keys = self._connection.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
                with patience(self._connection, PROBING):
                    self._connection.execute(f"SELECT 1 FROM {quoted(name)} LIMIT 1").fetchone()
            except sqlite3.DatabaseError as error:
                unreadable.append(name)
                notes.append(f"The table {name!r} of {self.path!r} cannot be read and is left out: {error}.")
                continue
            tables.append(
                Table(
                    name,
                    columns={row[1]: (row[2] or "").upper() for row in columns if row[6] != 1},
                    primary=tuple(row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]),
                    references={row[3]: (row[2], row[4]) for row in keys},
                    view=kind == "view",
                )
            )
            referring[name] = keys
        by_name = {table.name.lower(): table for table in tables}
        tables = [replace(table, keys=tuple(_keys(referring[table.name], by_name))) for table in tables]
        return tables, tuple(notes)

    def _select(
        self, table: str, columns: Sequence[str], only: tuple[str, str | None] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        place = quoted(table)  # a column that is not there is a string to SQLite, unless the table stands before it
        sql = f"SELECT {', '.join(f'{place}.{quoted(column)}' for column in columns)} FROM {place}"
        if only is not None:
            sql += f" WHERE CAST({place}.{quoted(only[0])} AS TEXT) IS ?"
        rows = self._connection.execute(sql, () if only is None else only[1:])
        return rows_within(rows, self.file, f"{table!r} of {self.path!r}")

    def _read(self) -> ForeignGraph:
        counts: Counter[str] = Counter()
        nodes: dict[str, Node] = {}
        vectors = self._vectors(counts)
        columns = self._node_columns()
        place = {name: number for number, name in enumerate(columns)}
        for row in self._select(self.schema.node_table, columns, self.schema.only):
            node = self._node(row, place, vectors)
            if node is None:
                counts["nodes without an id"] += 1
            else:
                counts["nodes with an id seen before"] += node.id in nodes
                nodes[node.id] = node
        require_one_dimension(nodes, self.path)
        edges = self._edges(nodes, counts)
        hashes = {key: hash_of(node) for key, node in nodes.items()}
        return ForeignGraph(nodes, hashes, edges, {reason: n for reason, n in counts.items() if n})

    def _node_columns(self) -> list[str]:
        s = self.schema
        named = (s.id, s.name, s.type, *s.text, *(s.metadata or ()), s.vector)
        return list(dict.fromkeys(column for column in named if column is not None))

    def _node(
        self, row: tuple[Any, ...], place: Mapping[str, int], vectors: Mapping[str, NDArray[np.float32]]
    ) -> Node | None:
        s = self.schema
        key = identity(row[place[s.id]])
        if not key:
            return None
        vector = vectors.get(key)
        if s.vector is not None:
            vector = vector_of(row[place[s.vector]], f"of node {key!r} in {self.path!r}")
        texts = [words_of(row[place[column]]) for column in s.text]
        return Node(
            key,
            name=words_of(row[place[s.name]]) if s.name else "",
            type=words_of(row[place[s.type]]) if s.type else "",
            text="\n".join(text for text in texts if text),
            metadata=metadata_of({column: row[place[column]] for column in s.metadata or ()}),
            vector=vector,
        )

    def _vectors(self, counts: Counter[str]) -> dict[str, NDArray[np.float32]]:
        s = self.schema
        if s.vector_table is None or s.vector_node is None or s.vector_column is None:
            return {}
        found: dict[str, NDArray[np.float32]] = {}
        for owner, value in self._select(s.vector_table, (s.vector_node, s.vector_column)):
            key = identity(owner)
            vector = vector_of(value, f"of node {key!r} in the table {s.vector_table!r} of {self.path!r}")
            if key and vector is not None:
                counts["vectors with an id seen before"] += key in found
                found[key] = vector
        return found

    def _edges(self, nodes: Mapping[str, Node], counts: Counter[str]) -> dict[tuple[str, str, str], float]:
        s = self.schema
        if s.edge_table is None or s.source is None or s.target is None:
            return {}
        columns = [s.source, s.target, *(c for c in (s.edge_type, s.weight) if c is not None)]
        edges: dict[tuple[str, str, str], float] = {}
        for row in self._select(s.edge_table, columns):
            source, target = identity(row[0]), identity(row[1])
            if not source or not target:
                counts["edges without two ends"] += s.edge_table != s.node_table  # a node without a parent
            elif source not in nodes or target not in nodes:
                counts["edges naming missing nodes"] += 1
            else:
                kind = words_of(row[2]) if s.edge_type is not None else ""
                weight = weight_of(row[-1]) if s.weight is not None else 1.0
                if weight is None:
                    counts["edges whose weight is no number from 0 on (taken as 1)"] += 1
                counts["edges listed more than once"] += (source, target, kind) in edges
                edges[source, target, kind] = 1.0 if weight is None else weight
        return edges


def _keys(rows: Sequence[tuple[Any, ...]], tables: Mapping[str, Table]) -> Iterator[Key]:
    """Yield the foreign keys that SQLite lists; where one names no columns, it refers to the primary key."""
    for number in sorted({row[0] for row in rows}, reverse=True):  # SQLite begins with the last
        parts = sorted((row for row in rows if row[0] == number), key=lambda row: int(row[1]))
        other = tables.get(parts[0][2].lower())
        if other is None:
            continue
        spelled = {column.lower(): column for column in other.columns}
        named = all(row[4] is not None for row in parts)
        referred = tuple(spelled.get(row[4].lower(), row[4]) for row in parts) if named else other.primary
        if len(referred) == len(parts):
            yield Key(tuple(row[3] for row in parts), other.name, referred)


def _status(path: str) -> Status | None:
    """Return (inode, bytes, nanoseconds of the last write and of the last change), or None if there is no such file.

    A copy that is laid over a file may bring its times, but for the last.
    """
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
