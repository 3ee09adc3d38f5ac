"""Vectors that are not searched yet; see ``engines.staging``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import Writer
from fourfold.engines.postgres.arrays import copied
from fourfold.engines.postgres.connections import Connection
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.rows import NODE, node_of
from fourfold.engines.staging import STAGING, Unstaged


class Staging:
    """The staged vectors, open for writing in one transaction; ``replaced`` is told how many more are searched."""

    def __init__(self, writer: Writer, connection: Connection, replaced: Callable[[int], None]) -> None:
        self._writer = writer
        self._connection = connection
        self._replaced = replaced

    def dimensions(self) -> int | None:
        """Return the length of the staged vectors, or None if there are none."""
        row = self._connection.execute("SELECT vector_dims(vector) FROM staged_vectors LIMIT 1").fetchone()
        return None if row is None else int(row[0])

    def begin(self, recipe: str) -> None:
        """Drop what is staged, and stage vectors of this recipe from here on."""
        self._connection.execute("DELETE FROM staged_vectors")
        self._writer.set_meta(STAGING, recipe)

    def put(self, nodes: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
        """Stage a vector for each node, (len(nodes), dimensions); nodes deleted meanwhile are passed over."""
        nums = np.array([node.num for node in nodes], np.int64)
        self._connection.execute("CREATE TEMP TABLE arriving (node bigint, vector vector) ON COMMIT DROP")
        with self._connection.cursor().copy("COPY arriving (node, vector) FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(copied({"node": nums, "vector": np.asarray(vectors, np.float32)}))
        self._connection.execute(
            "INSERT INTO staged_vectors SELECT a.node, u.hash, a.vector FROM arriving a "
            "JOIN unnest(%s::bigint[], %s::text[]) AS u (num, hash) ON u.num = a.node JOIN nodes n ON n.num = a.node "
            "ON CONFLICT (node) DO UPDATE SET hash = excluded.hash, vector = excluded.vector",
            (nums.tolist(), [node.hash for node in nodes]),
        )
        self._connection.execute("DROP TABLE arriving")

    def take_in(self) -> None:
        """Search the staged vectors from the transaction's generation on; those searched so far are gone."""
        gone = self._connection.execute("DELETE FROM vectors").rowcount
        come = self._connection.execute(
            "INSERT INTO vectors (node, vector) SELECT node, vector FROM staged_vectors"
        ).rowcount
        self._connection.execute("DELETE FROM staged_vectors")
        self._replaced(come - gone)
        self._writer.set_meta(STAGING, None)


class Staged:
    """The same for reading."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def count(self, recipe: str) -> int:
        """Return how many nodes have a fresh staged vector of this recipe."""
        sql = (
            "SELECT count(*) FROM nodes n JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash "
            "WHERE %s = (SELECT value FROM meta WHERE key = 'staging')"
        )
        return int(self._link.one(sql, recipe)[0])

    def unstaged(self, recipe: str, after: int, limit: int) -> list[Unstaged]:
        """Return the first nodes beyond the number ``after`` without a fresh staged vector of this recipe, in order."""
        rows = self._link.rows(
            f"SELECT n.hash, {NODE} FROM nodes n LEFT JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash "
            "WHERE n.num > %s AND (s.node IS NULL OR "
            "%s IS DISTINCT FROM (SELECT value FROM meta WHERE key = 'staging')) ORDER BY n.num LIMIT %s",
            after,
            recipe,
            limit,
        )
        return [Unstaged(int(row[1]), row[0], node_of(row[2:])) for row in rows]
