"""The index of a foreign graph: an ordinary Fourfold file that knows the hash of every foreign node it was made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fourfold.errors import StoreError
from fourfold.store.foreign import ForeignGraph
from fourfold.store.sqlite import Store, Writer
from fourfold.types import Edge, Node

_TABLE = "CREATE TABLE IF NOT EXISTS foreign_nodes (id TEXT PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class Change:
    """What must be written so that the index of ``generation`` is the foreign graph."""

    generation: int
    nodes: list[Node]
    hashes: list[tuple[str, bytes]]
    edges: list[Edge]
    gone_nodes: list[str]
    gone_edges: list[Edge]

    @property
    def empty(self) -> bool:
        """Whether the index is the foreign graph already."""
        return not (self.nodes or self.edges or self.gone_nodes or self.gone_edges)


class Mirror:
    """A store that mirrors a foreign graph.

    Args:
        store: the Fourfold file beside the foreign one.
        path: the foreign file.

    Raises:
        StoreError: the store holds a graph of its own.

    """

    def __init__(self, store: Store, path: str) -> None:
        self._store = store
        if store.meta("foreign_schema") is None:
            if store.counts()["nodes"]:
                raise StoreError(f"The file {store.path!r} is a graph of its own, not the index of {path!r}; move it.")
            with store.transaction() as writer:
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
        edges = {
            (source, target, kind): weight
            for source, target, kind, weight in self._store.select(
                "SELECT s.id, t.id, y.type, e.weight FROM edges e JOIN nodes s ON s.num = e.source "
                "JOIN nodes t ON t.num = e.target JOIN edge_types y ON y.num = e.type"
            )
        }
        changed = [key for key, digest in graph.hashes.items() if hashes.get(key) != digest]
        return Change(
            generation,
            nodes=[graph.nodes[key] for key in changed],
            hashes=[(key, graph.hashes[key]) for key in changed],
            edges=[Edge(*key, weight) for key, weight in graph.edges.items() if edges.get(key) != weight],
            gone_nodes=[key for key in hashes if key not in graph.nodes],
            gone_edges=[Edge(*key) for key in edges if key not in graph.edges],
        )

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
        with self._store.transaction() as writer:
            writer.execute("DELETE FROM nodes")
            writer.execute("DELETE FROM foreign_nodes")
            for key in ("dimensions", "embedder", "foreign_stamp"):
                writer.set_meta(key, None)
