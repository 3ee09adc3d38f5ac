"""``postgresql://…?schema=kg``: which server, and which schema of it holds the graph."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote

from fourfold.arguments import shown
from fourfold.engines.addresses import number, options_of, parts_of, place_of, with_options
from fourfold.errors import StoreError

DEFAULT_SCHEMA = "fourfold"
PUBLIC = "public"
"""The schema in which names without one are looked for."""
_LONGEST_NAME = 63
"""Bytes of an identifier; PostgreSQL silently cuts longer ones."""

_OWN = ("information_schema", "$user")
"""The second leads to a schema of another name, quoted, too."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a graph lives.

    Args:
        url: as it was given, with everything it takes to open the place again.
        conninfo: what libpq understands of it.
        schema: the schema that holds the tables.
        timeout: seconds after which a reading statement is given up, and after which one that says nothing makes us
            look whether the server still opens connections; 0 is never.
        connections: at most so many at once, of one retriever.

    """

    url: str = field(repr=False)
    conninfo: str = field(repr=False)
    schema: str
    timeout: float
    connections: int

    @classmethod
    def of(cls, url: str) -> Address:
        """Read a URL; ``schema``, ``statement_timeout`` and ``pool`` are ours, all else is libpq's."""
        parts = parts_of(url)
        options = options_of(parts)
        schema = options.pop("schema", DEFAULT_SCHEMA)
        if foreign := [name for name in _FOREIGN if name in options]:
            raise StoreError(f"{foreign[0]}= is said of tables that others made: Retriever.open_foreign(url).")
        if not schema or "\x00" in schema or len(schema.encode("utf-8", "replace")) > _LONGEST_NAME:
            raise StoreError(f"The schema {shown(schema)} is no name: 1 to {_LONGEST_NAME} bytes, without NUL.")
        if schema.startswith("pg_") or schema in _OWN:
            raise StoreError(f"The schema {shown(schema)} is PostgreSQL's own; name another: ?schema=kg.")
        timeout = number(options.pop("statement_timeout", "60"), "statement_timeout", 0.0)
        connections = int(number(options.pop("pool", "8"), "pool", 2.0))
        if nul := [name for name, value in options.items() if "\x00" in name + value]:
            raise StoreError(f"The option {shown(nul[0])} of the address holds NUL, which PostgreSQL does not take.")
        conninfo = _joined(parts, options)
        return cls(url, conninfo, schema, timeout, connections)

    @property
    def shown(self) -> str:
        """The address as messages name it: without a password, and without options but the schema."""
        return f"postgresql://{place_of(parts_of(self.url))}?schema={quote(self.schema)}"


_FOREIGN = ("table", "collection", "index", "alter")


@dataclass(frozen=True, slots=True)
class ForeignAddress:
    """Where tables that others made are.

    Args:
        url: as it was given.
        theirs: the place, with their schema.
        table: the one that holds the nodes; None finds out.
        collection: of LangChain's PGVector, which keeps several in one table; None where there is one.
        index: the schema that holds what is derived; None is one named after the table.
        trigger: whether the caller wants triggers on their tables: the one alteration there is.

    """

    url: str = field(repr=False)
    theirs: Address
    table: str | None
    collection: str | None
    index: str | None
    trigger: bool

    @classmethod
    def of(cls, url: str) -> ForeignAddress:
        """Read a URL; beside the options of ``Address``, ``table``, ``collection``, ``index`` and ``alter``."""
        parts = parts_of(url)
        options = {"schema": PUBLIC, **options_of(parts)}
        table, collection, index, alter = (options.pop(name, None) for name in _FOREIGN)
        if alter not in (None, "trigger"):
            raise StoreError(f"alter is {shown(alter)} in the address; the only alteration there is is alter=trigger.")
        theirs = Address.of(_joined(parts, options))
        return cls(url, theirs, table, collection, index, alter is not None)

    def derived(self, table: str) -> str:
        """Return the URL of the graph that is derived from a node table."""
        named = "_".join(filter(None, (DEFAULT_SCHEMA, self.theirs.schema, table, self.collection)))
        if len(named.encode()) > _LONGEST_NAME:
            digest = hashlib.blake2b(named.encode(), digest_size=6).hexdigest()
            named = f"{named.encode()[: _LONGEST_NAME - 13].decode('utf-8', 'ignore')}_{digest}"
        parts = parts_of(self.theirs.url)
        options = {**options_of(parts), "schema": self.index or named}
        return _joined(parts, options)


def _joined(parts: SplitResult, options: Mapping[str, str]) -> str:
    """Return a URL as libpq reads it: without SQLAlchemy's ``+psycopg``."""
    return with_options(parts._replace(scheme="postgresql"), options)
