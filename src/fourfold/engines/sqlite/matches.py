"""How many ends of the edges in a foreign file are keys of its nodes: each column is read once, not for each pair."""

from __future__ import annotations

import json
import sqlite3

from fourfold.engines.foreign.tables import quoted
from fourfold.engines.sqlite.bounds import PROBING, patience

_ENDS = 200
"""Different ends of a table's edges that are looked for."""

_KEYS = 20_000
"""Different keys that are held in memory; among more of them the ends are looked for by SQLite."""


class Matches:
    """See ``foreign.detect.Matches``; a column that takes too long to be read has no values."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._read: dict[tuple[str, str, int], frozenset[str]] = {}

    def __call__(self, edges: str, column: str, nodes: str, key: str) -> float:
        """Return the share of the first edges whose end is a value of the node table's column."""
        ends = self._values(edges, column, _ENDS)
        if not ends:
            return 0.0
        keys = self._values(nodes, key, _KEYS)
        found = len(ends & keys) if len(keys) < _KEYS else self._found(ends, nodes, key)
        return found / len(ends)

    def _values(self, table: str, column: str, most: int) -> frozenset[str]:
        """Return the first different values of a column, as identities."""
        place = table, column, most
        if place not in self._read:
            sql = f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} WHERE {quoted(column)} IS NOT NULL LIMIT ?"
            try:
                with patience(self._connection, PROBING):
                    rows = self._connection.execute(sql, (most,)).fetchall()
            except sqlite3.OperationalError:  # too many steps
                rows = []
            self._read[place] = frozenset(identity(value) for (value,) in rows)
        return self._read[place]

    def _found(self, ends: frozenset[str], nodes: str, key: str) -> int:
        """Return how many ends SQLite finds among the values of a column."""
        column = f"CAST({quoted(key)} AS TEXT)"
        sql = f"SELECT count(DISTINCT {column}) FROM {quoted(nodes)} WHERE {column} IN (SELECT value FROM json_each(?))"
        try:
            with patience(self._connection, PROBING):
                return int(self._connection.execute(sql, (json.dumps(sorted(ends)),)).fetchone()[0])
        except sqlite3.OperationalError:  # too many steps
            return 0


def identity(value: object) -> str:
    """Return an id as a string: numbers as written, blobs in hexadecimal; empty for NULL and for an unusable one."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).replace("\x00", "")
