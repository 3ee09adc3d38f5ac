"""Where a graph lives: one engine for each scheme of a URL, imported when first needed.

``engines.base`` says what an engine is. A path, and ``":memory:"``, is a SQLite file.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from types import MappingProxyType, ModuleType

from fourfold.arguments import shown
from fourfold.engines.addresses import parts_of, place_of
from fourfold.engines.base import Backend
from fourfold.engines.foreign import ForeignSchema, ForeignSource
from fourfold.errors import InvalidValueError, MissingExtraError, StoreError

__all__ = ["ENGINES", "Backend", "ForeignSchema", "ForeignSource", "open_backend", "open_foreign"]

ENGINES: Mapping[str, str] = MappingProxyType(
    {"": "sqlite", "postgresql": "postgres", "postgres": "postgres", "milvus": "milvus"}
)
"""The engine of each scheme, a package ``fourfold.engines.<engine>``; its extra is called like it."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_NEARLY = re.compile(r"\s+[A-Za-z][A-Za-z0-9+.-]*://|\s*(?:postgres|postgresql|milvus)(?:\+\w+)?:.*@", re.IGNORECASE)
"""What is meant as an address and would be a file: its password would stand in every message."""


def open_backend(url: str, *, read_only: bool = False, must_exist: bool = False, durable: bool = False) -> Backend:
    """Open the graph at a URL.

    Args:
        url: a path, ``":memory:"``, ``postgresql://…`` or ``milvus://…``.
        read_only: never write to it; it must exist.
        must_exist: raise StoreError where there is none, instead of beginning one.
        durable: of a file, what was written is on the disk when the call returns; servers decide that themselves.

    Raises:
        InvalidValueError: a URL of another scheme.
        MissingExtraError: the engine's packages are not installed.
        StoreError: the place cannot be opened.

    """
    more = {"durable": True} if durable and not _SCHEME.match(url) else {}
    backend: Backend = _engine(url).open_backend(url, read_only=read_only, must_exist=must_exist, **more)
    return backend


def open_foreign(url: str, schema: ForeignSchema | None) -> ForeignSource:
    """Open tables that others made at a URL, to be read only.

    Raises:
        InvalidValueError, MissingExtraError, StoreError: as ``open_backend``; the schema is no ForeignSchema.
        SchemaDetectionError: no node table can be recognised, or the schema names what is not there.

    """
    if schema is not None and not isinstance(schema, ForeignSchema):
        raise InvalidValueError(f"schema is {shown(schema)}; it must be a fourfold.ForeignSchema.")
    module = _engine(url)
    if not hasattr(module, "open_foreign"):
        raise StoreError(f"Tables that others made cannot be read at {url.partition('://')[0]}://… addresses.")
    source: ForeignSource = module.open_foreign(url, schema)
    return source


def shown_address(url: str) -> str:
    """Return how messages name a place that is not open: an address without password and options, a path as it is."""
    found = _SCHEME.match(url)
    if not found:
        return "…" if _NEARLY.match(url) else url
    try:
        return f"{found[0]}{place_of(parts_of(url))}"
    except StoreError:
        return f"{found[0]}…"


def _engine(url: str) -> ModuleType:
    found = _SCHEME.match(url)
    if not found and _NEARLY.match(url):
        raise InvalidValueError(
            f"An address begins with its scheme and two slashes, such as {'://, '.join(filter(None, ENGINES))}://, "
            "and nothing before it; the path of a file has neither."
        )
    scheme = found[1].lower().partition("+")[0] if found else ""  # SQLAlchemy adds a driver
    if scheme not in ENGINES:
        known = ", ".join(f"{name}://" for name in ENGINES if name)
        raise InvalidValueError(
            f"The address begins with {scheme}://, for which there is no engine; give the path of a file, or an "
            f"address that begins with {known}."
        )
    engine = ENGINES[scheme]
    try:
        return importlib.import_module(f"fourfold.engines.{engine}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fourfold."):
            raise StoreError(f"This version of fourfold has no engine for {scheme}:// addresses.") from error
        raise MissingExtraError(
            f"A graph at {scheme}://… needs the package {error.name!r}, which is not installed; "
            f"run: pip install 'fourfold[{engine}]'."
        ) from error
