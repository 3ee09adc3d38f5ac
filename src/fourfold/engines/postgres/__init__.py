"""The engine of one schema in a PostgreSQL database with pgvector: the work is done where the data is."""

from __future__ import annotations

from fourfold.engines.base import Backend
from fourfold.engines.foreign import ForeignSchema, ForeignSource
from fourfold.engines.postgres.address import Address
from fourfold.engines.postgres.backend import PostgresBackend
from fourfold.engines.postgres.foreign.mirror import Source

__all__ = ["PostgresBackend", "open_backend", "open_foreign"]


def open_backend(url: str, *, read_only: bool, must_exist: bool) -> Backend:
    """Open the graph of a schema, ``postgresql://user@host/database?schema=kg``; see ``fourfold.engines``."""
    return PostgresBackend(Address.of(url), read_only=read_only, must_exist=must_exist)


def open_foreign(url: str, schema: ForeignSchema | None) -> ForeignSource:
    """Open tables that others made, ``postgresql://user@host/database?schema=public``; see ``fourfold.engines``."""
    return Source(url, schema)
