"""How many nodes hold each term and each wordpiece, and how many edges each type has, kept up with every write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.postgres.connections import Connection

_HELD = ("held_1", "held_2", "held_3", "held_4", "held_5", "held_6", "held_7")


def terms(connection: Connection, nums: NDArray[np.int32], masks: NDArray[np.int32], sign: int) -> None:
    """Say in how many more nodes (``sign`` 1), or fewer (-1), each term stands in exactly the fields of its mask.

    ``nums`` (n,) and ``masks`` (n,) from 1 to 7: one of each for every node and term.
    """
    if not len(nums):
        return
    distinct, place = np.unique(nums, return_inverse=True)
    held = np.bincount(place * 8 + masks, minlength=8 * len(distinct)).reshape(-1, 8)[:, 1:] * sign
    moved = ", ".join(f"{name} = t.{name} + u.{name}" for name in _HELD)
    connection.execute(
        f"UPDATE terms t SET {moved} FROM unnest(%s::int[], {', '.join(['%s::bigint[]'] * 7)}) "
        f"AS u (num, {', '.join(_HELD)}) WHERE t.num = u.num",
        (distinct.tolist(), *held.T.tolist()),
    )


def pieces(connection: Connection, of_nodes: Sequence[NDArray[Any]], sign: int) -> None:
    """Say which distinct wordpieces some more nodes hold, or fewer."""
    found, counts = np.unique(np.concatenate([np.empty(0, np.int32), *of_nodes]), return_counts=True)
    if len(found):
        connection.execute(
            "INSERT INTO pieces SELECT * FROM unnest(%s::int[], %s::bigint[]) "
            "ON CONFLICT (piece) DO UPDATE SET nodes = pieces.nodes + excluded.nodes",
            (found.tolist(), (sign * counts).tolist()),
        )


def edges(connection: Connection, by_type: Mapping[int, int], sign: int) -> None:
    """Say how many more edges, or fewer, there are of each type."""
    if by_type:
        connection.execute(
            "UPDATE edge_types y SET edges = y.edges + u.edges FROM unnest(%s::int[], %s::bigint[]) "
            "AS u (num, edges) WHERE y.num = u.num",
            (list(by_type), [sign * count for count in by_type.values()]),
        )
