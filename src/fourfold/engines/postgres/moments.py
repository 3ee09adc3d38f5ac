"""Sums over the unit vectors of all nodes: enough for the mean and the deviation of any question's cosines.

    Σ cos = q · Σ v        Σ cos² = qᵀ (Σ v vᵀ) q

Kept only where vectors are many and an index finds the nearest; elsewhere each question reads every vector anyway. A
write does not touch the matrix: it queues the vectors that came and went, and every so many of them are folded in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.postgres.arrays import numbers, vectors
from fourfold.engines.postgres.connections import Connection
from fourfold.errors import StoreError

MOST_WAITING = 4096
_BATCH = 20_000


def queue(connection: Connection, sign: int, nums: NDArray[np.int64]) -> int:
    """Say that the vectors of these nodes have come (1) or are about to go (−1); return how many there are."""
    return connection.execute(
        "INSERT INTO moved_vectors (sign, vector, norm) SELECT %s, vector, norm FROM vectors "
        "WHERE node = ANY(%s::bigint[])",
        (sign, nums.tolist()),
    ).rowcount


def gather(connection: Connection) -> None:
    """Sum up all vectors anew; in a writing transaction."""
    connection.execute("DELETE FROM moved_vectors")
    total, squares, last = np.zeros(0), np.zeros((0, 0)), -1
    with connection.cursor(binary=True) as cursor:
        while True:
            row = cursor.execute(
                "SELECT string_agg(vector_send(vector), ''::bytea), max(node) FROM "
                "(SELECT node, vector FROM vectors WHERE node > %s ORDER BY node LIMIT %s) v",
                (last, _BATCH),
            ).fetchone()
            assert row is not None
            if row[1] is None:
                break
            unit, last = _unit(vectors(row[0])), int(row[1])
            if not len(total):
                total, squares = np.zeros(unit.shape[1]), np.zeros((unit.shape[1], unit.shape[1]))
            total += unit.sum(axis=0)
            squares += unit.T @ unit
    _keep(connection, total, squares)
    connection.execute("UPDATE state SET moments = generation, moved = 0")


def fold(connection: Connection, generation: int) -> None:
    """Add what is queued to the sums; in a writing transaction."""
    total, squares = read(connection.execute("SELECT total, squares FROM moments").fetchone())
    with connection.cursor(binary=True) as cursor:
        row = cursor.execute(
            "SELECT string_agg(vector_send(vector), ''::bytea ORDER BY num), array_send(array_agg(sign ORDER BY num)) "
            "FROM moved_vectors"
        ).fetchone()
    assert row is not None
    unit, signs = _unit(vectors(row[0])), numbers(row[1], ">i2").astype(np.float64)
    connection.execute("DELETE FROM moved_vectors")
    if len(unit):
        _keep(connection, total + signs @ unit, squares + (unit * signs[:, None]).T @ unit)
    connection.execute("UPDATE state SET moments = %s", (generation,))


def drop(connection: Connection) -> None:
    """Keep no sums any more: all vectors are replaced."""
    connection.execute("DELETE FROM moved_vectors")
    connection.execute("DELETE FROM moments")
    connection.execute("UPDATE state SET moments = -1, moved = 0")


def read(row: tuple[Any, ...] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Σ v, (dimensions,), and Σ v vᵀ, (dimensions, dimensions), from a row of ``moments``."""
    if row is None:
        raise StoreError("The graph is damaged, its table 'moments' is empty; restore a backup, or reembed it.")
    total = np.frombuffer(bytes(row[0]), "<f8")
    return total, np.frombuffer(bytes(row[1]), "<f8").reshape(len(total), len(total))


def _keep(connection: Connection, total: NDArray[np.float64], squares: NDArray[np.float64]) -> None:
    connection.execute(
        "INSERT INTO moments VALUES (true, %s, %s) "
        "ON CONFLICT (single) DO UPDATE SET total = excluded.total, squares = excluded.squares",
        (total.astype("<f8").tobytes(), squares.astype("<f8").tobytes()),
    )


def _unit(matrix: NDArray[np.float32]) -> NDArray[np.float64]:
    rows = matrix.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    unit: NDArray[np.float64] = rows / np.where(norms > 0, norms, 1.0)[:, None]
    return unit
