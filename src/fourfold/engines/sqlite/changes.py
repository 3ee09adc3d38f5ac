"""What became of the graph since a generation, read in one pass over what changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import OWN_SHARE
from fourfold.engines.sqlite.rows import LARGEST_NUMBER, generation_of, meta, numbers, token_of
from fourfold.engines.sqlite.schema import schema_version
from fourfold.index.changes import FIELDS, PIECE, TOKEN, Changes
from fourfold.validation import LARGEST_WEIGHT

_CHUNK = 4096
_PAGE = 20_000

Numbers = tuple[int, int]
"""The first and the last of some rows."""

_LEAST, _LARGEST = -(2**63), 2**63 - 1
_EVERY: Numbers = (_LEAST, _LARGEST)
_NONE: Numbers = (1, 0)


def pages(connection: sqlite3.Connection) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the numbers of so many nodes, and of so many edges, until every row has had its turn."""
    yield from zip_longest(*(_pages(connection, table) for table in ("nodes", "edges")), fillvalue=_NONE)


def _pages(connection: sqlite3.Connection, table: str) -> Iterator[Numbers]:
    first = _LEAST
    sql = f"SELECT num FROM {table} WHERE num >= ? ORDER BY num LIMIT 1 OFFSET {_PAGE - 1}"
    while row := connection.execute(sql, (first,)).fetchone():
        if row[0] < first:
            raise ValueError(f"rows of {table} in no order")  # of a damaged page; without end, where they go round
        yield first, row[0]
        first = row[0] + 1
    yield first, _LARGEST


def changes_since(
    connection: sqlite3.Connection, since: int, among: tuple[Numbers, Numbers] = (_EVERY, _EVERY)
) -> Changes:
    """Return all that changed after a generation; ``since=-1`` is everything, or its nodes and edges ``among`` some.

    After a generation that the file does not remember, what was deleted may be forgotten: then it is everything, too.
    """
    known = schema_version(connection) >= 3  # else opened read-only, as an older version of fourfold left it
    if known and since >= 0 and not token_of(connection, since):
        since = -1
    nodes = _nodes(_node_rows(connection, since, among[0], with_pieces=known))
    edges = _columns(connection, "edges", ("num", "source", "target", "type", "weight"), since, among[1])
    deleted = {kind: _deleted(connection, kind, since) for kind in ("node", "edge")}
    changes = Changes(
        since=since,
        generation=(generation := generation_of(connection)),
        token=token_of(connection, generation),
        embedder=meta(connection, "embedder"),
        own_share=float(meta(connection, OWN_SHARE) or 1),
        **nodes,
        edge_nums=_whole(edges[0]),
        edge_sources=_whole(edges[1]),
        edge_targets=_whole(edges[2]),
        edge_types=_whole(edges[3]).astype(np.int32),
        edge_weights=edges[4].astype(np.float32),
        deleted_nodes=deleted["node"],
        deleted_edges=deleted["edge"],
    )
    _check(connection, changes)
    return changes


def _node_rows(
    connection: sqlite3.Connection, since: int, among: Numbers, *, with_pieces: bool
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield (number, terms, vector, pieces) of the nodes after a generation, or among some, in their order."""
    # In a join SQLite would read all nodes in their order rather than sort the few that the index names.
    changed = "n.num IN (SELECT num FROM nodes WHERE generation > ?)"
    cursor = connection.execute(
        f"SELECT n.num, t.terms, v.vector, {'p.ids' if with_pieces else 'NULL'} FROM nodes n "
        "LEFT JOIN tokens t ON t.node = n.num LEFT JOIN vectors v ON v.node = n.num "
        f"{'LEFT JOIN pieces p ON p.node = n.num ' if with_pieces else ''}"
        f"WHERE {changed if since >= 0 else 'n.num BETWEEN ? AND ?'} ORDER BY n.num",
        (since,) if since >= 0 else among,
    )
    while rows := cursor.fetchmany(_CHUNK):
        yield rows


class _Rows:
    """Rows laid one after the other, with room for more.

    Chunks joined at the end would take twice the memory of all: gigabytes of a million nodes.
    """

    def __init__(self, dtype: Any, *shape: int) -> None:
        self._held, self._rows = 0, np.empty((0, *shape), dtype)

    def add(self, more: NDArray[Any]) -> None:
        """Add rows, as wide as the first."""
        needed = self._held + len(more)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * self._held), *more.shape[1:]), self._rows.dtype)
            if self._held:
                grown[: self._held] = self._rows[: self._held]
            self._rows = grown
        self._rows[self._held : needed] = more
        self._held = needed

    def all(self) -> NDArray[Any]:
        """Return the rows."""
        return self._rows[: self._held]


def _nodes(chunks: Iterable[list[tuple[Any, ...]]]) -> dict[str, Any]:
    """Return what ``Changes`` has of nodes, by its names; rows become arrays chunk by chunk, which take less memory."""
    nums, token_counts, piece_counts, with_vector = (_Rows(np.int64) for _ in range(4))
    tokens, pieces, vectors = _Rows(TOKEN), _Rows(np.int32), _Rows(np.float32, 0)
    read = 0
    for rows in chunks:
        chunk_nums, chunk_terms, chunk_vectors, chunk_pieces = zip(*rows, strict=True)
        piece_counts.add(np.array([-1 if blob is None else len(blob) // PIECE.itemsize for blob in chunk_pieces]))
        pieces.add(np.frombuffer(b"".join(filter(None, chunk_pieces)), PIECE))
        places = [read + place for place, blob in enumerate(chunk_vectors) if blob is not None]
        if places:
            vectors.add(np.frombuffer(b"".join(filter(None, chunk_vectors)), "<f4").reshape(len(places), -1))
            with_vector.add(np.array(places))
        nums.add(np.array(chunk_nums, np.int64))
        counts, records = _records(chunk_terms)
        token_counts.add(np.array(counts))
        tokens.add(records)
        read += len(rows)
    return {
        "nums": nums.all(),
        "tokens": tokens.all(),
        "token_counts": token_counts.all(),
        "pieces": pieces.all(),
        "piece_counts": piece_counts.all(),
        "vectors": vectors.all(),
        "with_vector": with_vector.all(),
    }


def texts_now(connection: sqlite3.Connection) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Return the numbers of all nodes, ascending, their records of terms, and how many each node has.

    What reads texts otherwise needs nothing else: vectors and edges are most of what ``changes_since`` reads.
    """
    nums, counts, tokens = _Rows(np.int64), _Rows(np.int64), _Rows(TOKEN)
    cursor = connection.execute(
        "SELECT n.num, t.terms FROM nodes n LEFT JOIN tokens t ON t.node = n.num ORDER BY n.num"
    )
    while rows := cursor.fetchmany(_CHUNK):
        chunk_nums, terms = zip(*rows, strict=True)
        chunk_counts, records = _records(terms)
        nums.add(np.array(chunk_nums, np.int64))
        counts.add(np.array(chunk_counts))
        tokens.add(records)
    found = nums.all(), tokens.all(), counts.all()
    _check_texts(connection, *found[:2])
    return found


def _deleted(connection: sqlite3.Connection, kind: str, since: int) -> NDArray[np.int64]:
    """Return the numbers of the nodes, or of the edges, that were deleted after a generation."""
    if since < 0:
        return np.empty(0, np.int64)
    return numbers(connection, "SELECT num FROM deletions WHERE generation > ? AND kind = ?", (since, kind))


def _records(blobs: Sequence[bytes | None]) -> tuple[list[int], NDArray[Any]]:
    """Return how many records of terms each node has, and these, one node after the other."""
    return [len(blob or b"") // TOKEN.itemsize for blob in blobs], np.frombuffer(b"".join(filter(None, blobs)), TOKEN)


def _check(connection: sqlite3.Connection, changes: Changes) -> None:
    """Raise ValueError where the numbers are none that a writer gives: arrays are as long as the largest."""
    nodes = _check_texts(connection, changes.nums, changes.tokens)
    types = connection.execute("SELECT count(*) FROM edge_types").fetchone()[0]
    _require(changes.edge_sources, 1, nodes, "the source of an edge")
    _require(changes.edge_targets, 1, nodes, "the target of an edge")
    _require(changes.edge_types, 0, types - 1, "the type of an edge")
    _require(changes.edge_weights, 0, float(np.float32(LARGEST_WEIGHT)), "the weight of an edge")
    if not np.isfinite(changes.edge_weights).all() or not np.isfinite(changes.vectors).all():
        raise ValueError("a weight or a vector that is not finite")
    if not 0 <= changes.own_share <= 1:
        raise ValueError(f"{changes.own_share} in the place of a share")


def _check_texts(connection: sqlite3.Connection, nums: NDArray[np.int64], tokens: NDArray[Any]) -> int:
    """Return the largest number that a node was given; raise ValueError where nodes or their records have others."""
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'").fetchone()
    nodes: int = last[0] if last else 0
    terms = connection.execute("SELECT max(num) FROM terms").fetchone()[0] or 0
    _require(nums, 1, min(nodes, LARGEST_NUMBER), "the number of a node")
    _require(tokens["term"], 1, min(terms, LARGEST_NUMBER), "the number of a term")
    _require(tokens["field"], 0, len(FIELDS) - 1, "the field of a term")
    return nodes


def _require(numbers: NDArray[Any], least: float, most: float, what: str) -> None:
    if len(numbers) and (numbers.min() < least or numbers.max() > most):
        raise ValueError(f"{what} is beyond {least} to {most}")


def _columns(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], since: int, among: Numbers
) -> list[NDArray[np.float64]]:
    """Return numeric columns of the rows after a generation, or of those ``among`` some, as float64 arrays.

    SQLite joins the numbers into one text per column and numpy reads it: no Python object per row.
    """
    joined = ", ".join(f"group_concat({column})" for column in columns)
    where = f"generation > {since:d}" if since >= 0 else "num BETWEEN {:d} AND {:d}".format(*among)
    count, *texts = connection.execute(f"SELECT count(*), {joined} FROM {table} WHERE {where}").fetchone()
    try:
        arrays = [np.fromstring(text, np.float64, sep=",") if text else np.empty(0) for text in texts]
    except DeprecationWarning as error:
        raise ValueError(f"text among the numbers of {table}") from error
    if any(len(array) != count for array in arrays):
        raise ValueError(f"no numbers among those of {table}")
    return arrays


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the numbers of rows as integers."""
    if not (np.abs(numbers) < 2.0**62).all():
        raise ValueError("the number of a row beyond all that there are")
    return numbers.astype(np.int64)
