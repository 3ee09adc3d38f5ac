"""The way to Milvus: calls in the client's own terms, paged, and with errors that name the place.

Nothing that a caller wrote ever stands in an expression: ids, types, metadata and words are looked up by digests
(``digest``), so that expressions hold numbers and hexadecimal digits only. Milvus Lite has no parameters in them.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from fourfold.engines.milvus import lite
from fourfold.engines.milvus.address import Address
from fourfold.errors import StoreError

Found = list[dict[str, Any]]
Rows = Sequence[Mapping[str, Any]]

MOST = 16_384
"""Rows that Milvus returns at once."""
_SOON = {"grpc.use_local_subchannel_pool": 1}
"""A new connection is tried at once; else gRPC remembers failures, and waits up to two minutes after a restart."""
_NOT_LOADED = 101
"""The code of Milvus's error for a collection that is not loaded."""
_KEYS = 4_000
"""Values in one list of an expression."""
_ROWS = 1_000
"""Rows written in one call."""
_BYTES = 16_000_000
"""Bytes written in one call, about; a server takes 64 MB."""

# The client writes what it raises to the log as well; whoever catches it says it once.
for _name in ("decorators", "client.iterator.query_iterator", "client.connection_manager"):
    if (_logger := logging.getLogger(f"pymilvus.{_name}")).level == logging.NOTSET:
        _logger.setLevel(logging.CRITICAL)


def digest(*parts: str) -> str:
    """Return what stands for texts in an expression: 32 hexadecimal digits."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        hashed.update(len(content).to_bytes(8, "big") + content)
    return hashed.hexdigest()


class Link:
    """One client. Safe to use from threads; ``create`` makes a local file where there is none."""

    def __init__(self, address: Address, *, create: bool) -> None:
        self.address = address
        self.path = address.shown
        self.round_trips = 0
        """Calls so far, by all threads; for measurements."""
        self._local = threading.local()
        self._closed = False
        with ExitStack() as opened:
            uri = address.uri
            if address.folder is not None:
                uri = lite.opened(address.folder, create=create)
                opened.callback(lite.closed, address.folder)
            try:
                self.client = MilvusClient(
                    uri=uri,
                    token=address.token,
                    db_name=address.database if address.folder is None else "",
                    grpc_options=_SOON,
                )
                opened.callback(self.client.close)
                self.lite = str(self.client.get_server_version()).startswith("milvus_lite")
                """Whether it is Milvus Lite, in this process or as a server."""
            except (MilvusException, grpc.RpcError) as error:
                raise StoreError(f"{self.path!r} cannot be opened: {_reason(error)}") from error
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Close the client; a second call does nothing."""
        self._closed = True
        self._opened.close()

    def name(self, collection: str) -> str:
        """Return the name of a collection of this graph."""
        return f"{self.address.graph}_{collection}"

    # -- a question ---------------------------------------------------------------------------------------------

    @property
    def known(self) -> dict[str, Any] | None:
        """What the question that this thread asks remembers; None where it asks none."""
        return getattr(self._local, "known", None)

    @contextmanager
    def question(self) -> Iterator[None]:
        """Everything that this thread reads inside is of one state; a question within is part of it."""
        if self.known is not None:
            yield
            return
        self._local.known = {}
        try:
            yield
        finally:
            self._local.known = None

    # -- reading ------------------------------------------------------------------------------------------------

    def rows(self, collection: str, condition: str, fields: Sequence[str]) -> Found:
        """Return the rows that meet an expression, however many."""
        with self.trying("Reading"):
            found = self._call(
                self.client.query, collection, filter=condition, output_fields=list(fields), limit=MOST, **self._strong
            )
            return list(found) if len(found) < MOST else self._all(collection, condition, fields)

    def keyed(
        self, collection: str, field: str, keys: Iterable[int] | Iterable[str], condition: str, fields: Sequence[str]
    ) -> Found:
        """Return the rows that meet an expression and whose field has one of these values, numbers or digests.

        With ``"one or other"`` for the field, either of the two may have it.
        """
        listed = sorted(set(keys))  # type: ignore[type-var]
        found: Found = []
        for start in range(0, len(listed), _KEYS):
            some = listed[start : start + _KEYS]
            having = " or ".join(f"{one} in {some}" for one in field.split(" or "))
            found += self.rows(collection, f"({having}) and {condition}", fields)
        return found

    def search(
        self, collection: str, field: str, vector: Any, limit: int, condition: str, fields: Sequence[str], metric: str
    ) -> Found:
        """Return the rows nearest to a vector, best first."""
        with self.trying("Searching"):
            found = self._call(
                self.client.search,
                collection,
                data=[vector],
                anns_field=field,
                limit=min(limit, MOST),
                filter=condition,
                output_fields=list(fields),
                search_params={"metric_type": metric, "params": self._thorough(limit, metric)},
                **self._strong,
            )
            return [{**hit["entity"], "distance": hit["distance"]} for hit in found[0]]

    def _thorough(self, limit: int, metric: str) -> dict[str, Any]:
        return {"ef": max(2 * limit, 128)} if metric == "COSINE" and self.address.index == "HNSW" else {}

    def _all(self, collection: str, condition: str, fields: Sequence[str]) -> Found:
        pages = self._call(
            self.client.query_iterator,
            collection,
            filter=condition,
            output_fields=list(fields),
            batch_size=MOST // 2,
            **self._strong,
        )
        found: Found = []
        while page := pages.next():
            self.round_trips += 1
            found += page
        pages.close()
        return found

    @property
    def _strong(self) -> dict[str, Any]:
        return {"consistency_level": "Strong", "timeout": self.address.timeout}

    # -- writing ------------------------------------------------------------------------------------------------

    def insert(self, collection: str, rows: Rows, hold: Callable[[], None] = lambda: None) -> None:
        """Write rows, in calls of bounded size; ``hold`` is called before each."""
        self._write(self.client.insert, collection, rows, hold)

    def change(self, collection: str, rows: Rows, hold: Callable[[], None] = lambda: None) -> None:
        """Change some fields of rows that are there; ``hold`` is called before each call."""
        self._write(self.client.upsert, collection, rows, hold, partial_update=True)

    def _write(
        self, method: Callable[..., Any], collection: str, rows: Rows, hold: Callable[[], None], **options: Any
    ) -> None:
        for some in _portions(rows):
            hold()
            with self.trying("Writing"):
                self._call(method, collection, data=some, timeout=self.address.timeout, **options)

    def delete(self, collection: str, condition: str) -> None:
        """Delete the rows that meet an expression."""
        with self.trying("Writing"):
            self._call(self.client.delete, collection, filter=condition, timeout=self.address.timeout)

    def _call(self, method: Callable[..., Any], collection: str, **arguments: Any) -> Any:
        """Call a method of the client for a collection, which answers after a restart when it is loaded again."""
        try:
            return method(self.name(collection), **arguments)
        except MilvusException as error:
            if error.code != _NOT_LOADED:
                raise
            self.client.load_collection(self.name(collection))
            return method(self.name(collection), **arguments)

    @contextmanager
    def trying(self, doing: str) -> Iterator[None]:
        """Count a call, and say what failed in a sentence."""
        if self._closed:
            raise StoreError(f"{self.path!r} is closed; open it again.")
        self.round_trips += 1
        try:
            yield
        except (MilvusException, grpc.RpcError, ValueError) as error:  # a ValueError: the client has been closed
            raise StoreError(f"{doing} {self.path!r} failed: {_reason(error)}") from error


def _portions(rows: Rows) -> Iterator[list[dict[str, Any]]]:
    some: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        some.append(dict(row))
        size += sum(len(value) if isinstance(value, str) else 8 * getattr(value, "size", 4) for value in row.values())
        if len(some) == _ROWS or size > _BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _reason(error: BaseException) -> str:
    told = getattr(error, "message", "") or str(error) or type(error).__name__
    return " ".join(str(told).split())[:300]
