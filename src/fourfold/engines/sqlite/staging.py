"""Vectors that are not searched yet, see ``engines.staging``. What is written here moves no generation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.sqlite.store import Store
from fourfold.engines.sqlite.writer import Writer
from fourfold.engines.staging import STAGING, Unstaged

_FRESH = "nodes n JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash"


class Staged:
    """What is staged in one file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def count(self, recipe: str) -> int:
        """Return how many nodes have a fresh staged vector of this recipe."""
        sql = f"SELECT count(*) FROM {_FRESH} WHERE ? = (SELECT value FROM meta WHERE key = ?)"
        return int(self._store.select(sql, (recipe, STAGING))[0][0])

    def unstaged(self, recipe: str, after: int, limit: int) -> list[Unstaged]:
        """Return the first nodes beyond the number ``after`` without a fresh staged vector of this recipe, in order."""
        rows = self._store.select(
            "SELECT n.num, n.hash FROM nodes n "
            "LEFT JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash "
            "WHERE n.num > ? AND (s.node IS NULL OR ? IS NOT (SELECT value FROM meta WHERE key = ?)) "
            "ORDER BY n.num LIMIT ?",
            (after, recipe, STAGING, limit),
        )
        nodes = self._store.nodes([num for num, _ in rows])  # what changes meanwhile has another hash: it comes again
        return [Unstaged(num, digest, nodes[num]) for num, digest in rows if num in nodes]


class Staging:
    """The statements of re-embedding inside one write transaction."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def dimensions(self) -> int | None:
        """Return the length of the staged vectors, or None if there are none."""
        row = self._writer.execute("SELECT length(vector) / 4 FROM staged_vectors LIMIT 1").fetchone()
        return None if row is None else int(row[0])

    def begin(self, recipe: str) -> None:
        """Drop what is staged, and stage vectors of this recipe from here on."""
        self._writer.execute("DELETE FROM staged_vectors")
        self._writer.set_meta(STAGING, recipe)

    def put(self, nodes: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
        """Stage a vector for each node, (len(nodes), dimensions); nodes deleted meanwhile are passed over."""
        self._writer.executemany(
            "INSERT OR REPLACE INTO staged_vectors SELECT num, ?, ? FROM nodes WHERE num = ?",
            [(n.hash, vector.astype("<f4").tobytes(), n.num) for n, vector in zip(nodes, vectors, strict=True)],
        )

    def take_in(self) -> None:
        """Search the staged vectors from the transaction's generation on; those searched so far are gone."""
        self._writer.execute("DELETE FROM vectors")
        self._writer.execute("INSERT INTO vectors SELECT node, vector FROM staged_vectors ORDER BY node")
        self._writer.execute("UPDATE nodes SET generation = ?", (self._writer.generation,))
        self._writer.execute("DELETE FROM staged_vectors")
        self._writer.set_meta(STAGING, None)
