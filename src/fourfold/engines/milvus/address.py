"""``milvus://host:19530/db?graph=kg`` and ``milvus:///folder/file.db``: which Milvus, and which graph in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from fourfold.arguments import shown
from fourfold.engines.addresses import number, options_of, parts_of, place_of
from fourfold.errors import StoreError

DEFAULT_GRAPH = "fourfold"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_INDEXES = ("FLAT", "HNSW")
_LEAST = 1e-3
"""Seconds that a call, or a writer, is given at least."""

_OPTIONS = ("graph", "index", "secure", "timeout", "claim")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a graph lives.

    Args:
        url: as it was given, with everything it takes to open the place again.
        folder: of a local file its path; None for a server.
        uri: of a server, as its client takes it.
        database: of a server; "" is its default.
        token: ``user:password``, or "".
        graph: what the names of the collections begin with.
        index: the index of the vectors, ``FLAT`` or ``HNSW``.
        timeout: seconds after which a call is given up.
        claim: seconds after which a writer that was not heard of is taken for dead.

    """

    url: str = field(repr=False)
    folder: str | None
    uri: str
    database: str
    token: str = field(repr=False)
    graph: str
    index: str
    timeout: float
    claim: float

    @classmethod
    def of(cls, url: str) -> Address:
        """Read a URL; StoreError says what cannot be meant."""
        parts = parts_of(url)
        options = options_of(parts)
        if unknown := sorted(set(options) - set(_OPTIONS)):
            raise StoreError(f"The option {shown(unknown[0])} of the address is unknown; known: {', '.join(_OPTIONS)}.")
        graph, index = options.get("graph", DEFAULT_GRAPH), options.get("index", "FLAT").upper()
        if not _NAME.fullmatch(graph):
            raise StoreError(
                f"The graph {shown(graph)} is no name: letters, digits and _, 100 at most, no digit first."
            )
        if index not in _INDEXES:
            raise StoreError(f"The index {shown(index)} is unknown; give one of {', '.join(_INDEXES)}.")
        try:
            host, port = parts.hostname, parts.port or 19530
        except ValueError as error:
            raise StoreError(f"The port in the address is no number: {error}.") from error
        path = unquote(parts.path)
        if not host and not path.strip("/"):
            raise StoreError("The address names no place; give milvus://host:19530/db or milvus:///folder/file.db.")
        secure = options.get("secure", "false").lower() in ("1", "true", "yes")
        token = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
        return cls(
            url,
            None if host else path,
            f"{'https' if secure else 'http'}://{host}:{port}",
            path.strip("/"),
            token,
            graph,
            index,
            number(options.get("timeout", "60"), "timeout", _LEAST),
            number(options.get("claim", "30"), "claim", _LEAST),
        )

    @property
    def shown(self) -> str:
        """The address as messages name it: without a password, and without options but the graph."""
        return f"milvus://{place_of(parts_of(self.url))}?graph={self.graph}"
