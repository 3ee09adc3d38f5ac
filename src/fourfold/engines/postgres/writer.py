"""The statements of one open write transaction: each a whole set of rows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import Row
from fourfold.engines.ends import distinct_ends, ends_of
from fourfold.engines.postgres import counts, moments
from fourfold.engines.postgres.arrays import copied, numbers, split
from fourfold.engines.postgres.connections import Connection
from fourfold.engines.postgres.filters import figure
from fourfold.engines.postgres.keepable import check, check_key, keepable, refuse_nul, stored_term
from fourfold.engines.postgres.postings import keys_of_names, masks, postings_of
from fourfold.engines.postgres.rows import sendable
from fourfold.engines.postgres.staging import Staging
from fourfold.engines.postgres.state import damaged
from fourfold.engines.served import ServedWriter
from fourfold.engines.usage import Usage
from fourfold.filters import attributes
from fourfold.index.changes import PIECE
from fourfold.types import Edge

_COUNTED = ("nodes", "edges", "vectors", "name_length", "type_length", "text_length")
INDEXED_FROM = 20_000
"""Vectors from which on an index finds the nearest: below, comparing all takes a few milliseconds and is exact."""


class Writer(ServedWriter):
    """One open write in a transaction of the connection; see ``engines.base.Writer``."""

    def __init__(self, connection: Connection, *, moves: bool) -> None:
        self._connection = connection
        row = connection.execute(
            "SELECT generation, next_node, next_edge, next_term, moments >= 0, moved, vectors FROM state FOR UPDATE"
        ).fetchone()
        if row is None:
            raise damaged("The graph")
        self.generation, self._next_node, self._next_edge, self._next_term = map(int, row[:4])
        self._with_moments, self._waiting, self._vectors = bool(row[4]), int(row[5]), int(row[6])
        self._counted: Counter[str] = Counter()
        self._moved = self._touched_edges = False
        if moves:
            self.move()

    @property
    def many_vectors(self) -> bool:
        """Whether there are so many vectors now that an index is worth it, and none was begun."""
        return not self._with_moments and self._vectors >= INDEXED_FROM

    def move(self) -> int:
        """Move the generation on, once, and return it."""
        if not self._moved:
            self._moved = True
            self.generation += 1
        return self.generation

    def finish(self) -> None:
        """Write what the transaction has counted; the last statement before its commit."""
        if self._waiting > moments.MOST_WAITING:
            moments.fold(self._connection, self.generation)
            self._waiting = 0
        self._vectors += self._counted["vectors"]
        moved = ", ".join(f"{name} = {name} + %s" for name in _COUNTED)
        self._connection.execute(
            f"UPDATE state SET generation = %s, moved = %s, "
            "edges_generation = CASE WHEN %s THEN %s ELSE edges_generation END, "
            f"next_node = %s, next_edge = %s, next_term = %s, {moved}",
            (
                self.generation,
                self._waiting,
                self._touched_edges,
                self.generation,
                self._next_node,
                self._next_edge,
                self._next_term,
                *(self._counted[name] for name in _COUNTED),
            ),
        )

    # -- settings and what else is kept -------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Return a setting as this transaction sees it."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = %s", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        if value is None:
            self._connection.execute("DELETE FROM meta WHERE key = %s", (key,))
            return
        refuse_nul("The setting", key, value)
        self._connection.execute(
            "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
        )

    def put_feedback(self, query: str, node_id: str, grade: float) -> None:
        """Keep what a user said of an answer; the latest word on a pair counts."""
        refuse_nul("The query", query)
        pair = hashlib.blake2b(json.dumps([query, node_id]).encode(), digest_size=16).hexdigest()
        self._connection.execute(
            "INSERT INTO feedback (query, node, grade, pair) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (pair) DO UPDATE SET grade = excluded.grade",
            (query, node_id, grade, pair),
        )

    def put_usage(self, usage: Mapping[str, Usage]) -> None:
        """Write the usage of nodes by id; unknown ids are passed over."""
        rows = [(identity, usage[identity]) for identity in sendable(list(usage))]
        self._connection.execute(
            "INSERT INTO usage SELECT n.num, u.uses, u.successes, u.recent, u.used_at "
            "FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::float8[], %s::float8[]) "
            "AS u (id, uses, successes, recent, used_at) JOIN nodes n ON n.id = u.id "
            "ON CONFLICT (node) DO UPDATE SET uses = excluded.uses, successes = excluded.successes, "
            "recent = excluded.recent, used_at = excluded.used_at",
            (
                [identity for identity, _ in rows],
                [each.uses for _, each in rows],
                [each.successes for _, each in rows],
                [float(each.recent) for _, each in rows],
                [float(each.used_at) for _, each in rows],
            ),
        )

    def staging(self) -> Staging:
        """Return the staged vectors, open for writing in this transaction."""
        return Staging(self, self._connection, self._replaced_vectors)

    def _replaced_vectors(self, more: int) -> None:
        """Say that all vectors are others now, and so many more than before."""
        self._counted["vectors"] += more
        moments.drop(self._connection)
        self._with_moments, self._waiting = False, 0

    def execute(self, statement: str, *parameters: Any) -> None:
        """Run a statement of another room of the engine."""
        self._connection.execute(statement.encode(), parameters)

    # -- nodes --------------------------------------------------------------------------------------------------

    def put_nodes(self, rows: Sequence[Row], terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Insert or replace nodes; see ``engines.base.Writer``."""
        for row in rows:
            check(row.node)
        known = self._nums([row.node.id for row in rows])
        old = [known[row.node.id] for row in rows if row.node.id in known]
        self._forget(old)
        for row in rows:
            if row.node.id not in known:
                known[row.node.id] = self._next_node
                self._next_node += 1
        nums = np.array([known[row.node.id] for row in rows], np.int64)
        self._counted["nodes"] += len(rows) - len(old)
        numbered = self._term_numbers(terms)
        postings = postings_of(nums, numbered, np.asarray(lengths, np.int64))
        sizes = np.asarray(lengths, np.int64).reshape(len(rows), 3)
        self._put_rows(rows, nums, keys_of_names(postings, nums), sizes)
        self._put_attributes(rows, nums)
        self._put_vectors(rows, nums)
        self._put_words(rows, nums, postings)
        counts.terms(self._connection, postings["term"], masks(postings), 1)
        counts.pieces(self._connection, [row.pieces for row in rows], 1)
        self._count_lengths(sizes.sum(axis=0).tolist(), 1)

    def _put_rows(
        self, rows: Sequence[Row], nums: NDArray[np.int64], keys: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> None:
        self._connection.execute(
            "INSERT INTO nodes SELECT num, id, name, type, text, metadata::json, hash, %s, name_key, a, b, c "
            "FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], "
            "%s::bigint[], %s::int[], %s::int[], %s::int[]) AS u (num, id, name, type, text, metadata, hash, name_key, "
            "a, b, c) ON CONFLICT (num) DO UPDATE SET name = excluded.name, type = excluded.type, "
            "text = excluded.text, metadata = excluded.metadata, hash = excluded.hash, "
            "generation = excluded.generation, name_key = excluded.name_key, name_length = excluded.name_length, "
            "type_length = excluded.type_length, "
            "text_length = excluded.text_length",
            (
                self.generation,
                nums.tolist(),
                [row.node.id for row in rows],
                [row.node.name for row in rows],
                [row.node.type for row in rows],
                [row.node.text for row in rows],
                [json.dumps(dict(row.node.metadata), ensure_ascii=False, allow_nan=False) for row in rows],
                [row.hash for row in rows],
                keys.tolist(),
                *sizes.T.tolist(),
            ),
        )

    def _put_attributes(self, rows: Sequence[Row], nums: NDArray[np.int64]) -> None:
        found = dict.fromkeys(
            (num, kind, key, None, value) if isinstance(value, str) else (num, kind, key, figure(value), None)
            for num, row in zip(nums.tolist(), rows, strict=True)
            for key, value, kind in attributes(row.node.metadata)
        )
        if found:
            columns = [list(column) for column in zip(*found, strict=True)]
            self._connection.execute(
                "INSERT INTO attributes SELECT node, kind, key, number::numeric, string "
                "FROM unnest(%s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[]) "
                "AS u (node, kind, key, number, string)",
                columns,
            )

    def _put_vectors(self, rows: Sequence[Row], nums: NDArray[np.int64]) -> None:
        places = [place for place, row in enumerate(rows) if row.vector is not None]
        if places:
            matrix = np.stack([row.vector for row in rows if row.vector is not None]).astype(np.float32)
            self._copy("vectors (node, vector)", {"node": nums[places], "vector": matrix})
            self._counted["vectors"] += len(places)
            if self._with_moments:
                self._waiting += moments.queue(self._connection, 1, nums[places])

    def _put_words(self, rows: Sequence[Row], nums: NDArray[np.int64], postings: Mapping[str, NDArray[Any]]) -> None:
        order = np.lexsort((postings["term"], postings["node"]))
        node, term = postings["node"][order], postings["term"][order]
        held = np.searchsorted(node, nums, side="right") - np.searchsorted(node, nums, side="left")
        by_num = np.argsort(nums)
        own: list[list[int]] = [[] for _ in rows]
        for place, part in zip(by_num.tolist(), split(term, held[by_num]), strict=True):
            own[place] = part.tolist()
        with self._connection.cursor().copy("COPY words (node, terms, pieces) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "int4[]", "bytea"])
            for num, each, row in zip(nums.tolist(), own, rows, strict=True):
                copy.write_row((num, each, row.pieces.astype(PIECE).tobytes()))
        self._copy("postings (term, node, name_length, type_length, text_length, in_name, in_type, in_text)", postings)

    def _forget(self, nums: Sequence[int]) -> None:
        """Take away everything of nodes but themselves and their edges, and what it counted."""
        if not nums:
            return
        listed = list(nums)
        if self._with_moments:
            self._waiting += moments.queue(self._connection, -1, np.array(listed, np.int64))
        gone = self._connection.execute("DELETE FROM vectors WHERE node = ANY(%s::bigint[])", (listed,)).rowcount
        self._counted["vectors"] -= gone
        self._connection.execute("DELETE FROM attributes WHERE node = ANY(%s::bigint[])", (listed,))
        with self._connection.cursor(binary=True) as cursor:
            row = cursor.execute(
                "WITH old AS (DELETE FROM words WHERE node = ANY(%s::bigint[]) RETURNING node, terms, pieces), "
                "held AS (SELECT node, unnest(terms) AS term FROM old), "
                "gone AS (DELETE FROM postings p USING held h WHERE p.term = h.term AND p.node = h.node "
                "RETURNING p.*), "
                "lengths AS (SELECT name_length, type_length, text_length FROM nodes WHERE num = ANY(%s::bigint[])) "
                "SELECT array_send(array_agg(term)), array_send(array_agg("
                "(in_name > 0)::int + 2 * (in_type > 0)::int + 4 * (in_text > 0)::int)), "
                "(SELECT array_agg(pieces) FROM old), (SELECT sum(name_length) FROM lengths), "
                "(SELECT sum(type_length) FROM lengths), (SELECT sum(text_length) FROM lengths) FROM gone",
                (listed, listed),
            ).fetchone()
        assert row is not None
        counts.terms(self._connection, numbers(row[0], ">i4"), numbers(row[1], ">i4"), -1)
        counts.pieces(self._connection, [np.frombuffer(blob, PIECE) for blob in row[2] or ()], -1)
        self._count_lengths([int(size or 0) for size in row[3:6]], -1)

    def _count_lengths(self, sizes: Sequence[int], sign: int) -> None:
        for name, size in zip(("name_length", "type_length", "text_length"), sizes, strict=True):
            self._counted[name] += sign * size

    def _term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each term; unseen terms are numbered and stored."""
        kept = {term: stored_term(term) for term in set(terms)}
        listed = sorted(set(kept.values()))
        found: dict[str, int] = dict(
            self._connection.execute(
                "SELECT t.term, t.num FROM unnest(%s::text[]) u JOIN terms t ON t.term = u", (listed,)
            ).fetchall()
        )
        new = [term for term in listed if term not in found]
        if new:
            numbered = range(self._next_term, self._next_term + len(new))
            self._next_term += len(new)
            self._connection.execute(
                "INSERT INTO terms (num, term) SELECT * FROM unnest(%s::int[], %s::text[])", (list(numbered), new)
            )
            found.update(zip(new, numbered, strict=True))
        by_term = {term: found[stored] for term, stored in kept.items()}
        return np.fromiter(map(by_term.__getitem__, terms), np.int64, len(terms))

    def delete_nodes(self, ids: Sequence[str]) -> int:
        """Delete nodes with their edges; unknown ids are passed over. Return how many of the ids were nodes."""
        nums = list(self._nums(ids).values())
        self._forget(nums)
        self._drop_edges("source = ANY(%s::bigint[]) OR target = ANY(%s::bigint[])", nums, nums)
        self._connection.execute("DELETE FROM nodes WHERE num = ANY(%s::bigint[])", (nums,))
        self._counted["nodes"] -= len(nums)
        return len(nums)

    # -- edges --------------------------------------------------------------------------------------------------

    def put_edges(self, edges: Sequence[Edge]) -> None:
        """Insert edges or replace their weights; see ``engines.base.Writer``."""
        nums = ends_of(edges, self._nums)
        latest = {(edge.source, edge.target, edge.type): float(edge.weight) for edge in edges}
        types = self._edge_types(dict.fromkeys(kind for _, _, kind in latest))
        rows = self._connection.execute(
            "INSERT INTO edges SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::int[], %s::float8[]) "
            "ON CONFLICT (source, target, type) DO UPDATE SET weight = excluded.weight "
            "WHERE edges.weight IS DISTINCT FROM excluded.weight RETURNING type, (xmax = 0)::int",
            (
                list(range(self._next_edge, self._next_edge + len(latest))),
                [nums[source] for source, _, _ in latest],
                [nums[target] for _, target, _ in latest],
                [types[kind] for _, _, kind in latest],
                list(latest.values()),
            ),
        ).fetchall()
        self._next_edge += len(latest)
        if rows:
            self._count_edges(Counter(kind for kind, new in rows if new), 1)

    def _edge_types(self, names: Mapping[str, None]) -> dict[str, int]:
        for name in names:
            check_key(name, "An edge type")
        found: dict[str, int] = dict(
            self._connection.execute("SELECT type, num FROM edge_types WHERE type = ANY(%s)", (list(names),)).fetchall()
        )
        new = [name for name in names if name not in found]
        if new:
            row = self._connection.execute("SELECT count(*) FROM edge_types").fetchone()
            assert row is not None
            numbered = range(row[0], row[0] + len(new))
            self._connection.execute(
                "INSERT INTO edge_types SELECT num, type, 0 FROM unnest(%s::int[], %s::text[]) AS u (num, type)",
                (list(numbered), new),
            )
            found.update(zip(new, numbered, strict=True))
        return found

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete edges by (source, target, type); return how many there were."""
        nums = self._nums(distinct_ends(edges))
        known = [e for e in edges if e.source in nums and e.target in nums and keepable(e.type)]
        return self._drop_edges(
            "(source, target, type) IN (SELECT u.source, u.target, y.num "
            "FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS u (source, target, type) "
            "JOIN edge_types y ON y.type = u.type)",
            [nums[e.source] for e in known],
            [nums[e.target] for e in known],
            [e.type for e in known],
        )

    def _drop_edges(self, condition: str, *parameters: Any) -> int:
        rows = self._connection.execute(f"DELETE FROM edges WHERE {condition} RETURNING type", parameters).fetchall()
        self._count_edges(Counter(kind for (kind,) in rows), -1)
        return len(rows)

    def _count_edges(self, by_type: Counter[int], sign: int) -> None:
        self._counted["edges"] += sign * by_type.total()
        self._touched_edges = True
        counts.edges(self._connection, by_type, sign)

    # -- helpers ------------------------------------------------------------------------------------------------

    def _nums(self, ids: Sequence[str]) -> dict[str, int]:
        rows = self._connection.execute(
            "SELECT n.id, n.num FROM unnest(%s::text[]) u JOIN nodes n ON n.id = u", (sendable(ids),)
        ).fetchall()
        return {str(identity): int(num) for identity, num in rows}

    def _copy(self, table: str, columns: Mapping[str, NDArray[Any]]) -> None:
        named = table[table.index("(") + 1 : -1].split(", ")
        with self._connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(copied({name: columns[name] for name in named}))
