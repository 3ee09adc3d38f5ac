"""What was deleted, for whoever holds an older generation; and how it is forgotten, or it would grow for ever.

A generation that ``writes`` has no mark of is not brought up to date: the graph is read anew. So what was deleted is
let go together with the marks of the generations that would need it, once it is more than the graph itself: reading
that anew costs no more then.
"""

from __future__ import annotations

import sqlite3

_FEW = 100_000
"""So many are kept however small the graph is; and each time so many more were added, they are compared with it."""

_FIRST = "first_write"
"""The setting that keeps the oldest mark there was when the first were let go: by it copies know one another."""


def last(connection: sqlite3.Connection) -> int:
    """Return the place of the deletion that was written last, 0 before any."""
    return int(connection.execute("SELECT max(rowid) FROM deletions").fetchone()[0] or 0)


def forget(connection: sqlite3.Connection, before: int) -> None:
    """Let go the older half of the deletions where they are more than the rows of the graph.

    Args:
        connection: inside a transaction.
        before: the last deletion as it began.

    """
    now = last(connection)
    if not now or now // _FEW == before // _FEW:  # counting a million rows takes as long as deleting a hundred
        return  # none are left where the write itself has forgotten the last of them with their generation
    first = connection.execute("SELECT min(rowid) FROM deletions").fetchone()[0]
    rows = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("nodes", "edges"))
    most = max(rows, _FEW)
    if now - first >= most:
        sql = "SELECT generation FROM deletions WHERE rowid >= ? ORDER BY rowid LIMIT 1"
        (oldest,) = connection.execute(sql, (now - most // 2,)).fetchone()
        forget_until(connection, oldest - 1)


def forget_until(connection: sqlite3.Connection, generation: int) -> None:
    """Let go what was deleted up to a generation, and that there were any before it."""
    connection.execute(
        "INSERT OR IGNORE INTO meta SELECT ?, generation || ' ' || token FROM writes WHERE generation < ? "
        "ORDER BY generation LIMIT 1",
        (_FIRST, generation),
    )
    connection.execute("DELETE FROM writes WHERE generation < ?", (generation,))
    connection.execute("DELETE FROM deletions WHERE generation <= ?", (generation,))


def marks(connection: sqlite3.Connection) -> set[str]:
    """Return what tells the history of a file from any other: copies of one file have some of it in common."""
    sql = "SELECT generation || ' ' || token FROM writes UNION SELECT value FROM meta WHERE key = ?"
    return {mark for (mark,) in connection.execute(sql, (_FIRST,))}
