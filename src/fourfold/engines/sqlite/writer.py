"""The statements of one open write transaction."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count, pairwise, repeat
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import shown
from fourfold.encodings import encodable
from fourfold.engines.base import Row
from fourfold.engines.ends import distinct_ends, ends_of
from fourfold.engines.sqlite import deletions
from fourfold.engines.sqlite.rows import (
    LARGEST_NUMBER,
    DamagedValueError,
    generation_of,
    id_list,
    meta,
    nums_of,
)
from fourfold.engines.sqlite.schema import EDGES_BY_TARGET, FULL_TEXT_TRIGGER
from fourfold.filters import attributes
from fourfold.index.changes import PIECE, TOKEN, counted_terms
from fourfold.types import Edge, Node

_REMEMBERED_WRITES = 100_000

_MANY = 32
"""New nodes from which the full text takes them in at once: by its trigger SQLite writes a row at a time to the disk,
which takes ten times as long. For fewer it is not worth it that every connection reads the schema anew.
"""


_MANY_EDGES = 10_000
"""Edges from which their index by target is made anew, where they are most of all."""


class Writer:
    """The statements of one open write transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        edge_types: dict[str, int],
        vocabulary: dict[str, int],
        *,
        moves: bool = True,
        deletes: bool = True,
    ) -> None:
        self._connection = connection
        self._put: dict[str, int] | None = None if deletes else {}
        """The numbers of nodes put in this transaction, where none of them can be gone meanwhile."""
        self.edge_types = edge_types
        self._vocabulary = vocabulary
        self._new_terms: list[str] = []
        self._deleted_before = deletions.last(connection)
        self.generation = self.move() if moves else generation_of(connection)

    def move(self) -> int:
        """Move the generation on and return it; what is written from here on belongs to it."""
        self._connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'")
        self.generation = generation_of(self._connection)
        self._connection.execute("INSERT OR REPLACE INTO writes VALUES (?, ?)", (self.generation, secrets.token_hex(8)))
        deletions.forget_until(self._connection, self.generation - _REMEMBERED_WRITES)
        return self.generation

    def finish(self) -> None:
        """Let go what this write has made superfluous; the last statement before its commit."""
        deletions.forget(self._connection, self._deleted_before)

    def meta(self, key: str) -> str | None:
        """Return a stored setting as this transaction sees it."""
        return meta(self._connection, key)

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
        return nums_of(self._connection, ids)

    def edge_type(self, name: str) -> int:
        """Return the number of an edge type, numbering it if it is new."""
        self._number_edge_type(name)
        return self.edge_types[name]

    def put_nodes(self, rows: Sequence[Row], terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Insert or replace nodes; see ``engines.base.Writer``."""
        last = _number(self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'").fetchone())
        nums = self._numbered([row.node.id for row in rows], last)
        self._put_rows(nums, rows, last)
        self._put_parts(nums, rows, [num for num in nums if num <= last])
        self._put_tokens(nums, terms, lengths)

    def _numbered(self, ids: Sequence[str], last: int) -> list[int]:
        """Return the number of each node; new ones are numbered from ``last`` on, the last number that was given."""
        known = nums_of(self._connection, ids)
        following = count(last + 1)
        for identity in ids:
            if identity not in known:
                known[identity] = next(following)
        if self._put is not None:
            self._put.update(known)
        return [known[identity] for identity in ids]

    def _put_rows(self, nums: Sequence[int], rows: Sequence[Row], last: int) -> None:
        """Write the rows of nodes themselves; those beyond the number ``last`` are new."""
        read = self._texts([row.node.id for num, row in zip(nums, rows, strict=True) if num <= last])
        put: list[tuple[Any, ...]] = []
        kept: list[tuple[Any, ...]] = []
        for num, row in zip(nums, rows, strict=True):
            node, rest = row.node, (_json(row.node), row.hash, self.generation)
            texts = node.name, node.type, node.text
            if num in read and read[num] == tuple(map(str.encode, texts)):
                kept.append((*rest, num))
            else:
                put.append((num, node.id, *texts, *rest))
        with self._full_text_at_once(last) if sum(num > last for num in nums) >= _MANY else nullcontext():
            self._connection.executemany(
                "INSERT INTO nodes (num, id, name, type, text, metadata, hash, generation) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
                "type = excluded.type, text = excluded.text, metadata = excluded.metadata, hash = excluded.hash, "
                "generation = excluded.generation",
                put,
            )
        self._connection.executemany("UPDATE nodes SET metadata = ?, hash = ?, generation = ? WHERE num = ?", kept)

    def _put_parts(self, nums: Sequence[int], rows: Sequence[Row], old: Sequence[int]) -> None:
        """Write attributes, vectors and wordpieces of nodes; the new ones among them have nothing yet."""
        connection, marks = self._connection, [(num,) for num in old]
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

    def _texts(self, ids: Sequence[str]) -> dict[int, tuple[bytes, ...]]:
        """Return name, type and text of nodes by number: what stays as it is the full text need not read anew.

        As bytes: damaged ones, which are none of a text, can be written over.
        """
        sql = (
            "SELECT n.num, CAST(n.name AS BLOB), CAST(n.type AS BLOB), CAST(n.text AS BLOB) "
            "FROM json_each(?) j JOIN nodes n ON n.id = j.value"
        )
        return {num: tuple(texts) for num, *texts in self._connection.execute(sql, (id_list(ids),))}

    @contextmanager
    def _full_text_at_once(self, last: int) -> Iterator[None]:
        """Leave nodes beyond a number to one statement at the end, instead of the trigger that takes each in.

        The trigger is away in this transaction only: whatever ends the process, nobody else finds the file without it.
        """
        connection = self._connection
        connection.execute("DROP TRIGGER IF EXISTS fts_insert")
        yield
        connection.execute(
            "INSERT INTO fts (rowid, name, type, text) SELECT num, name, type, text FROM nodes WHERE num > ? "
            "ORDER BY num",
            (last,),
        )
        connection.execute(FULL_TEXT_TRIGGER)

    def _put_tokens(self, nums: Sequence[int], terms: Sequence[str], lengths: Sequence[int]) -> None:
        records = token_records(self._term_numbers(terms), lengths)
        self._connection.executemany(
            "INSERT OR REPLACE INTO tokens (node, terms) VALUES (?, ?)",
            zip(nums, records, strict=True),
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
            last = _number(self._connection.execute("SELECT max(num) FROM terms").fetchone())
            numbered = list(zip(new, range(last + 1, last + 1 + len(new)), strict=True))
            self._connection.executemany("INSERT INTO terms (term, num) VALUES (?, ?)", numbered)
            vocabulary.update(numbered)
            self._new_terms += new
        return np.fromiter(map(vocabulary.__getitem__, terms), np.int64, len(terms))

    def number_terms_anew(self) -> None:
        """Ask the file for the number of each term again."""
        self._vocabulary.clear()

    def forget_new_terms(self) -> None:
        """After a rollback: drop the numbers that were never stored."""
        for term in self._new_terms:
            self._vocabulary.pop(term, None)

    def put_edges(self, edges: Sequence[Edge]) -> None:
        """Insert edges or replace their weights; those that ingest had derived are no longer its own."""
        nums = ends_of(edges, self._ends)
        for name in dict.fromkeys(map(attrgetter("type"), edges)):
            self._number_edge_type(name)
        sources = np.fromiter(map(nums.__getitem__, map(attrgetter("source"), edges)), np.int64, len(edges))
        targets = np.fromiter(map(nums.__getitem__, map(attrgetter("target"), edges)), np.int64, len(edges))
        kinds = np.fromiter(map(self.edge_types.__getitem__, map(attrgetter("type"), edges)), np.int64, len(edges))
        weights = np.fromiter(map(attrgetter("weight"), edges), np.float64, len(edges))
        # In the order of the index, which then grows at its end: a third quicker for many. Of one edge the last counts.
        order = np.lexsort((targets, sources))
        ends = [column[order].tolist() for column in (sources, targets, kinds)]
        with self._targets_at_once() if self._are_most(edges) else nullcontext():
            self._connection.executemany(
                "INSERT INTO edges (source, target, type, weight, generation) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (source, target, type) DO UPDATE SET weight = excluded.weight, "
                "generation = excluded.generation WHERE weight IS NOT excluded.weight",
                zip(*ends, weights[order].tolist(), repeat(self.generation, len(edges)), strict=True),
            )
        if self._connection.execute("SELECT EXISTS (SELECT 1 FROM derived_edges)").fetchone()[0]:
            self._connection.executemany(
                "DELETE FROM derived_edges WHERE edge = (SELECT num FROM edges WHERE source = ? AND target = ? "
                "AND type = ?)",
                zip(*ends, strict=True),
            )

    def _ends(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node; what was put in this transaction is not looked up."""
        if not self._put:
            return nums_of(self._connection, sorted(ids))  # of many, each page of the index is read once
        unknown = [each for each in ids if each not in self._put]
        return self._put | nums_of(self._connection, sorted(unknown)) if unknown else self._put

    def _are_most(self, edges: Sequence[Edge]) -> bool:
        """Whether edges are many, and at least as many as there are."""
        if len(edges) < _MANY_EDGES:
            return False
        return len(edges) >= _number(self._connection.execute("SELECT max(num) FROM edges").fetchone())

    @contextmanager
    def _targets_at_once(self) -> Iterator[None]:
        """Leave the index by target to one statement at the end, which sorts: edges come in the order of the other."""
        self._connection.execute("DROP INDEX edges_by_target")
        yield
        self._connection.execute(EDGES_BY_TARGET)

    def _number_edge_type(self, name: str) -> None:
        if name in self.edge_types:
            return
        row = self._connection.execute("SELECT num FROM edge_types WHERE type = ?", (name,)).fetchone()
        if row is None:
            number = self._connection.execute("SELECT count(*) FROM edge_types").fetchone()[0]
            self._connection.execute("INSERT INTO edge_types (num, type) VALUES (?, ?)", (number, name))
        self.edge_types[name] = number if row is None else row[0]

    def delete_nodes(self, ids: Sequence[str]) -> int:
        """Delete nodes with their edges, and documents with their chunks; return how many of the ids were nodes."""
        assert self._put is None, "a transaction without deletes"
        nums = nums_of(self._connection, ids)
        these = json.dumps(list(nums.values()))
        chunks = self._connection.execute(f"SELECT node FROM passages WHERE document IN {_THESE}", (these,))
        these = json.dumps([*nums.values(), *(num for (num,) in chunks)])
        for statement in _DELETIONS:
            self._connection.execute(statement, (these,))
        return len(nums)

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete edges by (source, target, type); unknown ones are passed over. Return how many there were."""
        if not edges:
            return 0
        assert self._put is None, "a transaction without deletes"
        nums = nums_of(self._connection, distinct_ends(edges))
        known = [e for e in edges if e.source in nums and e.target in nums and encodable(e.type)]
        keys = [(nums[e.source], nums[e.target], e.type) for e in known]
        cursor = self._connection.executemany(
            "DELETE FROM edges WHERE source = ? AND target = ? AND type = (SELECT num FROM edge_types WHERE type = ?)",
            keys,
        )
        return max(cursor.rowcount, 0)


def token_records(numbers: NDArray[np.int64], lengths: Sequence[int]) -> list[bytes]:
    """Return the records of terms (dtype TOKEN) of each of some nodes; see ``index.changes.counted_terms``."""
    records, starts = counted_terms(numbers, lengths)
    data = records.tobytes()
    return [data[start:end] for start, end in pairwise((starts * TOKEN.itemsize).tolist())]


_THESE = "(SELECT value FROM json_each(?))"
_DELETIONS = (
    f"DELETE FROM edges WHERE source IN {_THESE}",  # the cascade goes node by node, through every index each time
    f"DELETE FROM edges WHERE target IN {_THESE}",
    *(f"DELETE FROM {table} WHERE node IN {_THESE}" for table in ("attributes", "pieces", "tokens", "vectors")),
    f"DELETE FROM nodes WHERE num IN {_THESE}",
)
_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""``json.dumps`` would make an encoder for every node."""


def _json(node: Node) -> str:
    return _written(dict(node.metadata))


def _number(row: tuple[Any, ...] | None) -> int:
    """Return the last number that was given, 0 where none was."""
    last = (row[0] if row else 0) or 0
    if not isinstance(last, int) or not 0 <= last < LARGEST_NUMBER:
        raise DamagedValueError(f"{shown(last)} as the last number")
    return last
