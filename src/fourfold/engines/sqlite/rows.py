"""Small lookups that readers and writers of a Fourfold file share."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from fourfold.engines.sqlite.schema import schema_version


def meta(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a stored setting, or None."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def generation_of(connection: sqlite3.Connection) -> int:
    """Return the number that every committed write moves on."""
    return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def token_of(connection: sqlite3.Connection, generation: int) -> str:
    """Return the mark of the write that made a generation; empty where none was kept."""
    if schema_version(connection) < 3:  # opened read-only, as an older version of fourfold left it
        return ""
    row = connection.execute("SELECT token FROM writes WHERE generation = ?", (generation,)).fetchone()
    return "" if row is None else str(row[0])


def nums_of(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each id that is a node."""
    listed = json.dumps([identity for identity in ids if storable(identity)], ensure_ascii=False)
    sql = "SELECT n.id, n.num FROM json_each(?) j JOIN nodes n ON n.id = j.value"
    return dict(connection.execute(sql, (listed,)).fetchall())


def storable(identity: str) -> bool:
    """Whether this can be a node's id: SQLite's JSON would end it at NUL, and UTF-8 has no lone surrogates."""
    return "\x00" not in identity and encodable(identity)


def encodable(text: str) -> bool:
    """Whether a text is made of whole characters."""
    return text.isascii() or text == text.encode("utf-8", "replace").decode("utf-8")
