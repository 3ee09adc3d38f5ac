"""The engine of one SQLite file: its rows, and the index that they are searched by."""

from __future__ import annotations

from fourfold.engines.base import Backend
from fourfold.engines.foreign import ForeignSchema, ForeignSource
from fourfold.engines.sqlite.backend import SqliteBackend
from fourfold.engines.sqlite.connection import require_file
from fourfold.engines.sqlite.mirror import Source

__all__ = ["SqliteBackend", "open_backend", "open_foreign"]


def open_backend(url: str, *, read_only: bool, must_exist: bool, durable: bool = False) -> Backend:
    """Open a file, created if missing, or ``":memory:"``; see ``fourfold.engines``."""
    if must_exist:
        require_file(url, "to open")
    return SqliteBackend(url, read_only=read_only, durable=durable)


def open_foreign(url: str, schema: ForeignSchema | None) -> ForeignSource:
    """Open somebody else's SQLite file; see ``fourfold.engines``."""
    return Source(url, schema)
