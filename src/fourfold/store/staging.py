"""Vectors that are not searched yet: those of the embedder a graph is about to change to.

They belong to one recipe, a text that says which embedder makes them and of what; the recipe is stored with them. A
staged vector is fresh while its node is still what it was made from. What is written here moves no generation; only
``take_in`` puts the staged vectors in the place of the searched ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.frozen import freeze
from fourfold.store.sqlite import Store, Writer
from fourfold.types import Node

_KEY = "staging"
_FRESH = "nodes n JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash"


@dataclass(frozen=True, slots=True)
class Unstaged:
    """A node without a fresh staged vector: its number, its content hash and itself, all of one moment."""

    num: int
    hash: str
    node: Node


def recipe(store: Store) -> str | None:
    """Return the recipe of the staged vectors, or None if nothing is staged."""
    return store.meta(_KEY)


def count(store: Store, recipe: str) -> int:
    """Return how many nodes have a fresh staged vector of this recipe."""
    sql = f"SELECT count(*) FROM {_FRESH} WHERE ? = (SELECT value FROM meta WHERE key = ?)"
    return int(store.select(sql, (recipe, _KEY))[0][0])


def unstaged(store: Store, recipe: str, after: int, limit: int) -> list[Unstaged]:
    """Return the first nodes beyond the number ``after`` that have no fresh staged vector of this recipe, in order."""
    rows = store.select(
        "SELECT n.num, n.hash, n.id, n.name, n.type, n.text, n.metadata FROM nodes n "
        "LEFT JOIN staged_vectors s ON s.node = n.num AND s.hash = n.hash "
        "WHERE n.num > ? AND (s.node IS NULL OR ? IS NOT (SELECT value FROM meta WHERE key = ?)) "
        "ORDER BY n.num LIMIT ?",
        (after, recipe, _KEY, limit),
    )
    return [
        Unstaged(num, digest, Node(identity, name, type_, text, freeze(json.loads(metadata))))
        for num, digest, identity, name, type_, text, metadata in rows
    ]


def signed(writer: Writer) -> str | None:
    """Return the recipe of the staged vectors as this transaction sees it."""
    return writer.meta(_KEY)


def dimensions(writer: Writer) -> int | None:
    """Return the length of the staged vectors, or None if there are none."""
    row = writer.execute("SELECT length(vector) / 4 FROM staged_vectors LIMIT 1").fetchone()
    return None if row is None else int(row[0])


def begin(writer: Writer, recipe: str) -> None:
    """Drop what is staged, and stage vectors of this recipe from here on."""
    writer.execute("DELETE FROM staged_vectors")
    writer.set_meta(_KEY, recipe)


def put(writer: Writer, nodes: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
    """Stage a vector for each node, (len(nodes), dimensions); nodes deleted meanwhile are passed over."""
    writer.executemany(
        "INSERT OR REPLACE INTO staged_vectors SELECT num, ?, ? FROM nodes WHERE num = ?",
        [(n.hash, vector.astype("<f4").tobytes(), n.num) for n, vector in zip(nodes, vectors, strict=True)],
    )


def take_in(writer: Writer) -> None:
    """Search the staged vectors from the transaction's generation on; those searched so far are gone."""
    writer.execute("DELETE FROM vectors")
    writer.execute("INSERT INTO vectors SELECT node, vector FROM staged_vectors ORDER BY node")
    writer.execute("UPDATE nodes SET generation = ?", (writer.generation,))
    writer.execute("DELETE FROM staged_vectors")
    writer.set_meta(_KEY, None)
