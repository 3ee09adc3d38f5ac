"""How often each node was used, and with what success: one row per node, gone with the node.

The table is made by the first write, so that a file nobody learns from stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourfold.engines.sqlite.rows import amounts, id_list, texts
from fourfold.engines.sqlite.store import Store
from fourfold.engines.sqlite.writer import Writer
from fourfold.engines.usage import Usage

_TABLE = """
CREATE TABLE IF NOT EXISTS usage (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    uses INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    recent REAL NOT NULL,   -- uses, each losing half its weight every half-life
    used_at REAL NOT NULL   -- seconds since the epoch; the moment ``recent`` is true of
)
"""
_KINDS = (int, int, float, float)
"""Of its columns after the node."""


def put(writer: Writer, usage: Mapping[str, Usage]) -> None:
    """Write the usage of nodes by id, inside an open transaction; unknown ids are passed over."""
    writer.execute(_TABLE)
    for identity, row in usage.items():
        writer.execute(
            "INSERT OR REPLACE INTO usage SELECT num, ?, ?, ?, ? FROM nodes WHERE id = ?",
            (row.uses, row.successes, row.recent, row.used_at, identity),
        )


def read(store: Store, ids: Sequence[str] | None = None) -> dict[str, Usage]:
    """Return the usage of these nodes, or of all, by id; nodes never used are left out."""
    rows_of = "usage u CROSS JOIN nodes n ON n.num = u.node"  # in this order: of a million nodes few are used
    if ids is not None:
        rows_of = "json_each(?) j CROSS JOIN nodes n ON n.id = j.value JOIN usage u ON u.node = n.num"
    sql = f"SELECT n.id, u.uses, u.successes, u.recent, u.used_at FROM {rows_of}"
    with store.reading() as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'usage'").fetchone():
            return {}
        rows = connection.execute(sql, () if ids is None else (id_list(ids),)).fetchall()
        texts(row[0] for row in rows)
        for place, kind in enumerate(_KINDS, start=1):
            amounts((row[place] for row in rows), kind)
    return {identity: Usage(*row) for identity, *row in rows}
