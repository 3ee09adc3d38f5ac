"""``postgresql://…?schema=kg``: which server, and which schema of it holds the graph."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from fourfold.arguments import shown
from fourfold.errors import StoreError

DEFAULT_SCHEMA = "fourfold"
_LONGEST_NAME = 63
"""Bytes of an identifier; PostgreSQL silently cuts longer ones."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a graph lives.

    Args:
        url: as it was given, with everything it takes to open the place again.
        conninfo: what libpq understands of it.
        schema: the schema that holds the tables.
        timeout: seconds after which a reading statement is given up; 0 is never.
        connections: at most so many at once, of one retriever.

    """

    url: str
    conninfo: str
    schema: str
    timeout: float
    connections: int

    @classmethod
    def of(cls, url: str) -> Address:
        """Read a URL; ``schema``, ``statement_timeout`` and ``pool`` are ours, all else is libpq's.

        Raises:
            StoreError: it cannot be meant.

        """
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        schema = options.pop("schema", DEFAULT_SCHEMA)
        if not schema or "\x00" in schema or len(schema.encode("utf-8", "replace")) > _LONGEST_NAME:
            raise StoreError(f"The schema {shown(schema)} is no name: 1 to {_LONGEST_NAME} bytes, without NUL.")
        if schema.startswith("pg_") or schema == "information_schema":
            raise StoreError(f"The schema {shown(schema)} is PostgreSQL's own; name another: ?schema=kg.")
        timeout = _number(options.pop("statement_timeout", "60"), "statement_timeout", 0.0)
        connections = int(_number(options.pop("pool", "8"), "pool", 2.0))
        rest = urlencode(options, quote_via=quote)
        conninfo = urlunsplit(("postgresql", parts.netloc, parts.path, rest, ""))
        return cls(url, conninfo, schema, timeout, connections)

    @property
    def shown(self) -> str:
        """The address as messages name it: without a password, and without options but the schema."""
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        place = f"{unquote(user).split(':')[0]}{at}{host}"
        return f"postgresql://{place}{parts.path}?schema={quote(self.schema)}"


def _number(text: str, name: str, least: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < 1e6:
        raise StoreError(f"{name} is {shown(text)} in the address; it must be a number of at least {least:g}.")
    return value
