"""The index of a foreign graph: an ordinary Fourfold file that knows the hash of every foreign node it was made of.

``Follower`` keeps it in step with the foreign file; ``Mirror`` compares the two and writes the difference.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fourfold.engines.base import Backend
from fourfold.engines.base import Writer as AnyWriter
from fourfold.engines.foreign import Follower as AnyFollower
from fourfold.engines.foreign import ForeignSchema, Write
from fourfold.engines.foreign.change import Difference, MovedError, schema_as_json
from fourfold.engines.foreign.values import dimension_of
from fourfold.engines.sqlite.connection import address_of
from fourfold.engines.sqlite.foreign import ForeignFile, ForeignGraph
from fourfold.engines.sqlite.store import EDGES, Store
from fourfold.engines.sqlite.writer import Writer
from fourfold.errors import StoreError
from fourfold.types import Edge

_ATTEMPTS = 20
_TABLE = "CREATE TABLE IF NOT EXISTS foreign_nodes (id TEXT PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class Change(Difference):
    """What the index of ``generation`` lacks; ``hashes`` (by node id) are those of ``nodes``, in their order."""

    generation: int
    hashes: list[tuple[str, bytes]]


class Mirror:
    """A store that mirrors a foreign file; StoreError where it holds a graph of its own."""

    def __init__(self, store: Store, path: str) -> None:
        self._store = store
        if store.meta("foreign_schema") is None:
            if store.select("SELECT 1 FROM nodes LIMIT 1"):
                raise StoreError(f"The file {store.path!r} is a graph of its own, not the index of {path!r}; move it.")
            with store.writing(Writer, moves=True) as writer:
                writer.execute(_TABLE)

    @property
    def schema(self) -> str | None:
        """The foreign schema the index was made with."""
        return self._store.meta("foreign_schema")

    @property
    def stamp(self) -> str:
        """The state of the foreign file that was mirrored; empty if unknown."""
        return self._store.meta("foreign_stamp") or ""

    @property
    def counts(self) -> dict[str, int]:
        """What was passed over in the foreign file, by reason."""
        counts: dict[str, int] = json.loads(self._store.meta("foreign_counts") or "{}")
        return counts

    def is_signed(self, stamp: str, schema: str, counts: Mapping[str, int]) -> bool:
        """Whether these are stored already; a stamp too fresh to be trusted is not worth a write."""
        return schema == self.schema and dict(counts) == self.counts and stamp in ("", self.stamp)

    def difference(self, graph: ForeignGraph) -> Change:
        """Compare the foreign graph with the index."""
        generation = self._store.generation()  # first: whoever writes from here on moves it, and `write` is refused
        hashes: dict[str, bytes] = dict(self._store.select("SELECT id, hash FROM foreign_nodes"))
        edges = {(source, target, kind): weight for source, target, kind, weight in self._store.select(EDGES)}
        changed = [key for key, digest in graph.hashes.items() if hashes.get(key) != digest]
        return Change(
            generation=generation,
            nodes=[graph.nodes[key] for key in changed],
            hashes=[(key, graph.hashes[key]) for key in changed],
            edges=[Edge(*key, weight) for key, weight in graph.edges.items() if edges.get(key) != weight],
            gone_nodes=[key for key in hashes if key not in graph.nodes],
            gone_edges=[Edge(*key) for key in edges if key not in graph.edges],
        )

    def can_stand_beside(self, dimensions: int | None) -> bool:
        """Whether vectors of the foreign file, None if it has none, are of the kind that the index holds."""
        held = self._store.meta("dimensions")
        if held is None:
            return True
        embedded = self._store.meta("embedder") is not None
        return embedded if dimensions is None else not embedded and held == str(dimensions)

    def write(self, writer: Writer, change: Change, stamp: str, schema: str, counts: Mapping[str, int]) -> None:
        """Delete what has gone and sign what the caller is about to add."""
        writer.delete_edges(change.gone_edges)
        writer.delete_nodes(change.gone_nodes)
        for key in change.gone_nodes:
            writer.execute("DELETE FROM foreign_nodes WHERE id = ?", (key,))
        for pair in change.hashes:
            writer.execute("INSERT OR REPLACE INTO foreign_nodes VALUES (?, ?)", pair)
        writer.set_meta("foreign_stamp", stamp)
        writer.set_meta("foreign_schema", schema)
        writer.set_meta("foreign_counts", json.dumps(dict(counts), sort_keys=True))

    def reset(self) -> None:
        """Forget everything."""
        with self._store.writing(Writer, moves=True) as writer:
            writer.execute("DELETE FROM nodes")
            writer.execute("DELETE FROM foreign_nodes")
            for key in ("dimensions", "embedder", "foreign_stamp"):
                writer.set_meta(key, None)


class Follower(AnyFollower):
    """Keeps the index of a foreign file in step with it; ``write`` takes nodes and edges into the index."""

    def __init__(self, file: ForeignFile, store: Store, write: Write) -> None:
        self._file = file
        self._store = store
        self._write = write
        self._mirror = Mirror(store, file.path)
        self._lock = threading.RLock()
        known = self._mirror.schema == schema_as_json(file.schema)
        if not (known and file.is_as_stamped(self._mirror.stamp)):
            self.keep_in_step()

    @property
    def path(self) -> str:
        """The foreign file."""
        return self._file.path

    @property
    def address(self) -> str:
        """What opens it again from any folder: a path, which has no secrets."""
        return address_of(self._file.path, self._file.file)

    @property
    def schema(self) -> ForeignSchema:
        """What its tables and columns mean."""
        return self._file.schema

    def info(self) -> dict[str, Any]:
        """Return how the file is read and what was skipped, in plain JSON types."""
        return {
            "index": self._store.path,
            "schema": json.loads(schema_as_json(self._file.schema)),
            "skipped": self._mirror.counts,
            "notes": list(self._file.notes),
        }

    def close(self) -> None:
        """Close the foreign file; a second call does nothing."""
        self._file.close()

    def keep_in_step(self) -> None:
        """Take in what has changed in the foreign file since it was last read."""
        with self._lock:
            for _ in range(_ATTEMPTS):
                if not self._file.changed():
                    return
                graph = self._file.read()
                try:
                    self._take_in(graph)
                except MovedError:
                    self._file.forget()
                except BaseException:
                    self._file.forget()
                    raise
            raise StoreError(f"{self.path!r} changes faster than it can be indexed; try again.")

    def _take_in(self, graph: ForeignGraph) -> None:
        """Write the difference between the foreign graph and its index in one transaction."""
        stamp, schema = self._file.stamp(), schema_as_json(self._file.schema)
        if not self._mirror.can_stand_beside(dimension_of(graph.nodes.values())):
            self._mirror.reset()  # other vectors throughout: nothing of the old index can stay
        change = self._mirror.difference(graph)
        if change.empty and self._mirror.is_signed(stamp, schema, graph.counts):
            return

        def first(writer: AnyWriter) -> None:
            assert isinstance(writer, Writer)
            if writer.generation != change.generation + 1:
                raise MovedError
            self._mirror.write(writer, change, stamp, schema, graph.counts)

        self._write(change.nodes, change.edges, first=first)


class Source(ForeignFile):
    """Somebody else's SQLite file, understood but not yet read."""

    @property
    def index(self) -> str:
        """The path of the file beside it that is derived from it."""
        return index_path(self.path)

    @property
    def index_shown(self) -> str:
        """The path again: a file has no secrets."""
        return self.index

    def follow(self, backend: Backend, write: Write) -> Follower:
        """Bring the derived file up to date, and return what keeps it so."""
        assert isinstance(backend, Store)
        return Follower(self, backend, write)


def index_path(path: str) -> str:
    """Return where the index of a foreign file lives: beside it, or in memory where that cannot be written."""
    beside = f"{path}.fourfold"
    folder = os.path.dirname(beside) or os.curdir
    writable = os.access(folder, os.W_OK) and (not os.path.exists(beside) or os.access(beside, os.W_OK))
    return beside if writable else ":memory:"
