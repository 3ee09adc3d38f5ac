"""One schema of a PostgreSQL database as an engine; see ``engines.base.Backend``."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.base import Capabilities
from fourfold.engines.postgres import filters, moments, schema
from fourfold.engines.postgres.address import Address
from fourfold.engines.postgres.arrays import numbers, vectors
from fourfold.engines.postgres.connections import Connection, connected, reason
from fourfold.engines.postgres.link import Link, Question
from fourfold.engines.postgres.question_batch import QuestionBatch
from fourfold.engines.postgres.rows import NODE, node_of, sendable
from fourfold.engines.postgres.snapshots import Snapshots
from fourfold.engines.postgres.staging import Staged
from fourfold.engines.postgres.state import NEAREST, State, Turn
from fourfold.engines.postgres.tables import GUARDED, PLAIN, Tables
from fourfold.engines.postgres.wording import Wording
from fourfold.engines.postgres.writer import Writer
from fourfold.engines.sampling import spread
from fourfold.engines.served import ServedGraph
from fourfold.engines.usage import Usage
from fourfold.errors import StoreError
from fourfold.filters import Clause
from fourfold.index.base import Allowed, Nodes
from fourfold.lazy import lazy
from fourfold.threads import begun
from fourfold.types import Edge, Node

logger = logging.getLogger(__name__)
_LONGEST_INDEXED = 2000
"""pgvector indexes no longer vectors."""


class PostgresBackend(ServedGraph):
    """An open graph in one schema; StoreError where that is another application's, or the server lacks pgvector."""

    _address: Address
    _snapshots: Snapshots

    def __init__(self, address: Address, *, read_only: bool = False, must_exist: bool = False) -> None:
        self.read_only = read_only
        self.path = address.shown
        self._address = address
        self._link = Link(address)
        try:
            self._prepare(create=not read_only and not must_exist)
        except BaseException:
            self._link.close()
            raise
        self._snapshots = Snapshots(self._link, RetrievalConfig())
        self._maintenance: threading.Thread | None = None

    def _prepare(self, *, create: bool) -> None:
        """Make the tables where there are none, and bring them up to date."""
        try:
            with connected(self._address.conninfo, self._address.timeout) as connection:
                extension = schema.extension_of(connection, self.path, create=create)
                self._link.search(extension)
                connection.execute("SELECT set_config('search_path', %s, false)", (self._link.search_path,))
                version = schema.version_of(connection, self._address.schema)
                if version is None and not create:
                    raise StoreError(f"There is no graph at {self.path!r}.")
                if version is not None and version > schema.SCHEMA_VERSION:
                    raise StoreError(
                        f"The graph at {self.path!r} has schema version {version}, newer than {schema.SCHEMA_VERSION}, "
                        "the newest this version of fourfold reads; upgrade fourfold."
                    )
                if not self.read_only and (version or 0) < schema.SCHEMA_VERSION:
                    self._migrate(connection)
        except psycopg.Error as error:
            raise StoreError(f"{self.path!r} cannot be opened: {reason(error)}") from error

    def _migrate(self, connection: Connection) -> None:
        with connection.transaction():  # several processes may open a new graph at once
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtext('fourfold'), hashtext(%s))", (self._address.schema,)
            )
            # IF NOT EXISTS asks for the right to make one all the same, and may not see what was made meanwhile
            there = connection.execute("SELECT FROM pg_namespace WHERE nspname = %s", (self._address.schema,))
            if not there.rowcount:
                schema.make(connection, self._link.quoted_schema, self.path)
            version = schema.version_of(connection, self._address.schema)
            schema.migrate(connection, version or 0)

    # -- what it is ---------------------------------------------------------------------------------------------

    capabilities = Capabilities("postgres", phrases=False, documents=False, models=False)

    @property
    def link(self) -> Link:
        """The way to the server, for measurements."""
        return self._link

    def close(self) -> None:
        """Wait for work in the background and close all connections; a second call does nothing."""
        if (thread := self._maintenance) is not None:
            thread.join()
        self._link.close()

    # -- one generation -----------------------------------------------------------------------------------------

    def question(self, terms: Callable[[], Iterable[str]] | None = None) -> AbstractContextManager[Question]:
        """Begin a question: what this thread reads inside is one REPEATABLE READ transaction."""
        return self._snapshots.question(terms)

    def generation(self) -> int:
        """Return the generation; inside a question, the question's."""
        return Turn.read(self._link).generation

    def compact(self) -> None:
        """Do nothing: a write leaves no segments here, and the server vacuums its tables itself."""

    def allowed(self, clause: Clause) -> Allowed:
        """Return the nodes that meet a filter."""
        condition, parameters = filters.compiled(clause, self._folding)
        sql = f"SELECT array_send(array_agg(n.num)) FROM nodes n WHERE {condition}"
        return Allowed(numbers(self._link.one(sql, *parameters)[0], ">i8"))

    @lazy
    def _folding(self) -> str | None:
        rows = self._link.rows("SELECT collname FROM pg_collation WHERE collname = ANY(%s)", list(filters.FOLDING))
        there = {name for (name,) in rows}
        return next((name for name in filters.FOLDING if name in there), None)

    # -- nodes and edges ----------------------------------------------------------------------------------------

    @property
    def _tables(self) -> Tables:
        return GUARDED if Turn.read(self._link).guarded else PLAIN

    def counts(self) -> dict[str, int]:
        """Return the numbers of nodes, edges and vectors; of those that this role may read."""
        names = ("nodes", "edges", "vectors")
        sql = self._tables.sql(
            "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM {edges} e), (SELECT count(*) FROM {vectors} v)"
        )
        return dict(zip(names, map(int, self._link.one(sql)), strict=True))

    def nodes(self, nums: Sequence[int]) -> dict[int, Node]:
        """Return the nodes of these numbers, without vectors; numbers that are gone are left out."""
        listed = [int(num) for num in nums]
        rows = self._link.rows(f"SELECT {NODE} FROM nodes WHERE num = ANY(%s::bigint[])", listed)
        return {int(row[0]): node_of(row[1:]) for row in rows}

    def labels(self, nums: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, name) of the nodes of these numbers; numbers that are gone are left out."""
        found: dict[int, tuple[str, str]] = {}
        if (batch := self._batch()) is not None:
            facets = batch.facets
            found = {num: (facets.ids[num], facets.names[num]) for num in nums if num in facets.names}
        missing = [int(num) for num in nums if num not in found]
        if missing:
            rows = self._link.rows("SELECT num, id, name FROM nodes WHERE num = ANY(%s::bigint[])", missing)
            found.update((int(num), (identity, name)) for num, identity, name in rows)
        return found

    def _batch(self) -> QuestionBatch | None:
        """Return what the question that is being asked has seen of nodes."""
        question = self._link.asking
        batch = None if question is None else question.known.get("batch")
        return batch if isinstance(batch, QuestionBatch) else None

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the type of the nodes of these numbers; numbers that are gone are left out."""
        batch = self._batch()
        found = {} if batch is None else {num: batch.facets.types[num] for num in nums if num in batch.facets.types}
        missing = [int(num) for num in nums if num not in found]
        if missing:
            rows = self._link.rows("SELECT num, type FROM nodes WHERE num = ANY(%s::bigint[])", missing)
            found.update((int(num), str(kind)) for num, kind in rows)
        return found

    def ids(self, nums: Nodes) -> list[str]:
        """Return the ids of the nodes of these numbers, in their order; "" for those that are gone."""
        rows = self._link.rows("SELECT num, id FROM nodes WHERE num = ANY(%s::bigint[])", nums.tolist())
        found = {int(num): str(identity) for num, identity in rows}
        return [found.get(num, "") for num in nums.tolist()]

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        rows = self._link.rows("SELECT id, num FROM nodes WHERE id = ANY(%s::text[])", sendable(ids))
        return {str(identity): int(num) for identity, num in rows}

    def nodes_by_id(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return the nodes of these ids, without vectors; unknown ids are left out."""
        rows = self._link.rows(f"SELECT {NODE} FROM nodes WHERE id = ANY(%s::text[])", sendable(ids))
        return {row[1]: node_of(row[1:]) for row in rows}

    def first_stage(self) -> tuple[str, float | None] | None:
        """Return whether every vector is compared or an index names the nearest, whose recall nobody has measured."""
        return ("hnsw", None) if State.read(self._link, Turn.read(self._link)).indexed else ("exact", 1.0)

    def sample(self, count: int) -> list[int]:
        """Return the numbers of at most so many nodes, evenly spread over all in the order of their ids."""
        ahead = spread(int(self._link.one("SELECT count(*) FROM nodes")[0]), count)
        sql = (
            "WITH RECURSIVE chosen (place, id, num) AS (SELECT 0, ''::text COLLATE \"C\", 0::bigint UNION ALL "
            "SELECT c.place + 1, n.id, n.num FROM chosen c, LATERAL (SELECT id, num FROM nodes WHERE id > c.id "
            "ORDER BY id LIMIT 1 OFFSET (%s::bigint[])[c.place + 1] - 1) n WHERE c.place < %s) "
            "SELECT num FROM chosen WHERE place > 0 ORDER BY place"
        )
        return [num for (num,) in self._link.rows(sql, ahead, len(ahead))]

    def vectors_of(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vector of each of these nodes that has one."""
        sql = (
            "SELECT array_agg(n.id ORDER BY n.num), string_agg(vector_send(v.vector), ''::bytea ORDER BY n.num) "
            "FROM nodes n JOIN vectors v ON v.node = n.num WHERE n.id = ANY(%s::text[])"
        )
        found, sent = self._link.one(sql, sendable(ids))
        return dict(zip(found or (), vectors(sent), strict=True))

    def edges_of(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes, by (source, target, type)."""
        return self._edges(
            "e.num IN (SELECT e.num FROM nodes n JOIN edges e ON e.source = n.num WHERE n.id = ANY(%s::text[]) "
            "UNION SELECT e.num FROM nodes n JOIN edges e ON e.target = n.num WHERE n.id = ANY(%s::text[]))",
            sendable(ids),
            sendable(ids),
        )

    def edges_from(self, ids: Sequence[str], types: Sequence[str]) -> list[Edge]:
        """Return the edges of these types that leave these nodes."""
        return self._edges("s.id = ANY(%s::text[]) AND y.type = ANY(%s::text[])", sendable(ids), sendable(types))

    def _edges(self, condition: str, *parameters: Any) -> list[Edge]:
        rows = self._link.rows(
            "SELECT s.id, t.id, y.type, e.weight FROM edges e JOIN nodes s ON s.num = e.source "
            f"JOIN nodes t ON t.num = e.target JOIN edge_types y ON y.num = e.type WHERE {condition} "
            "ORDER BY s.id, t.id, y.type",
            *parameters,
        )
        return [Edge(*row) for row in rows]

    def edge_type_names(self) -> list[str]:
        """Return every edge type ever used; of those that others' nodes have, an empty name."""
        return list(self.snapshot().edges.type_names)

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id, in the order of the ids."""
        return dict(self._link.rows("SELECT id, hash FROM nodes ORDER BY id"))

    # -- writing and what else is kept --------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, moves: bool = True, deletes: bool = True) -> Iterator[Writer]:
        """Open one write: all of it or nothing; writers of all processes take turns."""
        if self.read_only:
            raise StoreError(f"{self.path!r} was opened read-only; nothing can be written.")
        with self._link.writing() as connection:
            writer = Writer(connection, moves=moves)
            yield writer
            writer.finish()
        if writer.many_vectors:
            self._tend()

    def meta(self, key: str) -> str | None:
        """Return a setting, or None."""
        rows = self._link.rows("SELECT value FROM meta WHERE key = %s", key)
        return str(rows[0][0]) if rows else None

    def feedback(self) -> list[tuple[str, str, float]]:
        """Return what users said of answers to which this role may read the nodes, in the order of the queries."""
        sql = (
            "SELECT query, node, grade FROM feedback f WHERE {seen} "
            "ORDER BY (SELECT min(num) FROM feedback WHERE query = f.query), num"
        )
        seen = "EXISTS (SELECT FROM nodes n WHERE n.id = f.node)" if self._tables.guarded else "true"
        return [(query, node, float(grade)) for query, node, grade in self._link.rows(sql.format(seen=seen))]

    def usage(self, ids: Sequence[str] | None = None) -> dict[str, Usage]:
        """Return the usage of these nodes, or of all, by id; nodes never used are left out."""
        rows = self._link.rows(
            "SELECT n.id, u.uses, u.successes, u.recent, u.used_at FROM usage u JOIN nodes n ON n.num = u.node "
            "WHERE %s OR n.id = ANY(%s::text[])",
            ids is None,
            sendable(ids or ()),
        )
        return {identity: Usage(*row) for identity, *row in rows}

    @property
    def wording(self) -> Wording:
        """Where words stand in names, types and metadata."""
        return Wording(self._link, self._tables)

    @property
    def staged(self) -> Staged:
        """The vectors of a re-embedding that has not ended."""
        return Staged(self._link)

    def refuse_foreign_vectors(self) -> None:
        """Raise StoreError if the vectors come from tables that others made."""
        if self.meta("foreign_vectors") is not None:
            raise StoreError(
                f"The vectors of {self.path!r} come from tables that are only read; change them with the application "
                "they belong to, and the next search sees it."
            )

    # -- the index that finds the nearest vectors ---------------------------------------------------------------

    def _tend(self) -> None:
        """Make the index in the background, where there is none yet."""
        if self._maintenance is None or not self._maintenance.is_alive():
            self._maintenance = begun(threading.Thread(target=self._tended), "fourfold-index")

    def _tended(self) -> None:
        try:
            self.make_index()
        except StoreError as error:  # searches go on by comparing every vector
            logger.warning("The index of the vectors could not be made: %s", error)

    def make_index(self) -> bool:
        """Make the index that finds the nearest vectors, and the sums it needs, beside readers and writers.

        Made by itself once there are ``INDEXED_FROM`` vectors; a call waits for it.

        Returns:
            Whether there is one now.

        """
        dimensions = int(self.meta("dimensions") or 0)
        if not 0 < dimensions <= _LONGEST_INDEXED:
            return False
        if not self._link.one("SELECT moments >= 0 FROM state")[0]:
            with self._link.writing() as connection:
                connection.execute("SELECT FROM state FOR UPDATE")
                moments.gather(connection)
                connection.execute("UPDATE state SET generation = generation + 1")
        self._link.apart(
            "fourfold index",
            ("SET maintenance_work_mem = '512MB'", ()),
            (
                f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NEAREST} ON vectors "
                f"USING hnsw ((vector::vector({dimensions})) vector_cosine_ops)",
                (),
            ),
            ("UPDATE state SET generation = generation + 1", ()),
            ("RESET maintenance_work_mem", ()),
        )
        return True
