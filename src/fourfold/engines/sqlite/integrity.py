"""What SQLite itself can find wrong with a file, and where derived tables disagree with the nodes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fourfold.engines.sqlite.schema import tables
from fourfold.index.changes import TOKEN

_LISTED = 20

_DISAGREEMENTS = {
    "SELECT count(*) FROM nodes n LEFT JOIN tokens t ON t.node = n.num WHERE t.node IS NULL": "nodes have no terms",
    f"SELECT count(*) FROM tokens WHERE typeof(terms) <> 'blob' OR length(terms) % {TOKEN.itemsize}": (
        "rows of terms are cut short"
    ),
    "SELECT count(*) FROM vectors WHERE typeof(vector) <> 'blob' OR length(vector) % 4 OR length(vector) = 0": (
        "vectors are cut short"
    ),
    "SELECT count(*) FROM edges WHERE typeof(weight) <> 'real' OR weight NOT BETWEEN 0 AND 1e31": (
        "edges have a weight that is none"
    ),
    "SELECT count(*) FROM edges e LEFT JOIN edge_types t ON t.num = e.type WHERE t.num IS NULL": (
        "edges have a type that is none"
    ),
    "SELECT count(*) FROM nodes WHERE typeof(id) <> 'text' OR typeof(text) <> 'text' OR NOT json_valid(metadata)": (
        "nodes hold values of another kind than texts"
    ),
    "SELECT count(*) FROM nodes, meta WHERE key = 'generation' AND generation > CAST(value AS INTEGER)": (
        "nodes were written after the last write"
    ),
}

_ENDS = 'SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)'


def problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong; what cannot be asked at all raises sqlite3.Error."""
    for (said,) in connection.execute(f"PRAGMA integrity_check({_LISTED})"):
        if said != "ok":
            yield f"SQLite finds: {str(said).strip()}."
    for table, row, other, _ in islice(_astray(connection), _LISTED):
        yield f"Row {row} of {table!r} points to a row of {other!r} that is not there."
    for sql, what in _DISAGREEMENTS.items():
        if count := connection.execute(sql).fetchone()[0]:
            yield f"{count} {what}."
    held, written = (
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("fts_docsize", "nodes")
    )
    if held != written:
        yield f"The full text holds {held} nodes, the graph {written}."


def _astray(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that point to none, as SQLite tells them.

    SQLite looks up the end of every row where it happens to lie: of a million nodes with three edges each that takes
    six times as long as the distinct ends in their order, which say whether a table has any such row.
    """
    own = tables()
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        ends = connection.execute(_ENDS, (table,)).fetchall()
        if ends and (table not in own or any(_lost(connection, table, *end) for end in ends)):
            yield from connection.execute("SELECT * FROM pragma_foreign_key_check(?)", (table,))


def _lost(connection: sqlite3.Connection, table: str, other: str, own: str, key: str) -> bool:
    """Whether any row of a table points to a row of another that is not there."""
    ends = f"SELECT DISTINCT {own} AS own FROM {table}"
    sql = f"SELECT EXISTS (SELECT 1 FROM ({ends}) WHERE own NOT IN (SELECT {key} FROM {other}))"
    return bool(connection.execute(sql).fetchone()[0])
