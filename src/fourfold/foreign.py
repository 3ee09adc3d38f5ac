"""A retriever over a knowledge graph that lives in somebody else's SQLite file.

The file is only read. What is derived from it (terms, vectors, full text) lives in an ordinary Fourfold file beside
it, ``<path>.fourfold``, kept in step by content hashes; where that cannot be written, in memory.
"""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from fourfold.config import RetrievalConfig
from fourfold.errors import EmbedderMismatchError, StoreError
from fourfold.index import Index
from fourfold.retriever import FourfoldWarning, Progress, Retriever
from fourfold.store import ForeignFile, ForeignGraph, ForeignSchema, Mirror, Writer
from fourfold.store.foreign import schema_as_json
from fourfold.types import Edge, Node

_ATTEMPTS = 20


class _Moved(Exception):
    """Another process has kept the index in step meanwhile."""


class ForeignRetriever(Retriever):
    """What ``Retriever.open_foreign`` returns: it searches like any other, and refuses to write.

    Args:
        path: the foreign file.
        schema: what its tables mean; None finds out.
        embedder: as for ``Retriever``; makes the vectors of nodes that bring none.
        config: the constants of retrieval.

    """

    def __init__(
        self,
        path: str | Path,
        schema: ForeignSchema | None = None,
        *,
        embedder: object = None,
        config: RetrievalConfig | None = None,
    ) -> None:
        self._file = ForeignFile(path, schema)
        self._in_step = threading.RLock()
        beside = f"{self._file.path}.fourfold"
        try:
            super().__init__(beside if _writable(beside) else ":memory:", embedder=embedder, config=config)
        except EmbedderMismatchError as error:
            self._file.close()
            raise EmbedderMismatchError(f"{error} The index {beside!r} is derived; delete it to do so.") from error
        except BaseException:
            self._file.close()
            raise
        try:
            self._mirror = Mirror(self._store, self._file.path)
            for note in self._file.notes:
                warnings.warn(note, FourfoldWarning, stacklevel=3)
            known = self._mirror.schema == schema_as_json(self._file.schema)
            if not (known and self._file.is_as_stamped(self._mirror.stamp)):
                self._keep_in_step()
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        """The foreign file."""
        return self._file.path

    @property
    def schema(self) -> ForeignSchema:
        """What the tables of the foreign file are taken to mean."""
        return self._file.schema

    def add(
        self,
        nodes: Iterable[Node] = (),
        edges: Iterable[Edge] = (),
        *,
        progress: Progress | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> NoReturn:
        """Refuse: a foreign graph is only read."""
        self._refuse()

    def delete(self, ids: Iterable[str] = (), *, edges: Iterable[Edge] = ()) -> NoReturn:
        """Refuse: a foreign graph is only read."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise StoreError(
            f"{self.path!r} is a foreign graph, which is only read; change it with the application it belongs to, and "
            "the next search sees it."
        )

    def info(self) -> dict[str, Any]:
        """Return what ``Retriever.info`` does, and under ``"foreign"`` how the file is read and what was skipped."""
        self._keep_in_step()
        schema = json.loads(schema_as_json(self._file.schema))
        foreign = {
            "index": self._store.path,
            "schema": schema,
            "skipped": self._mirror.counts,
            "notes": list(self._file.notes),
        }
        return {**super().info(), "foreign": foreign}

    def close(self) -> None:
        """Close both files; a second call does nothing."""
        super().close()
        self._file.close()

    # -- keeping in step ----------------------------------------------------------------------------------------

    def _current_index(self) -> Index:
        self._keep_in_step()
        return super()._current_index()

    def _keep_in_step(self) -> None:
        """Take in what has changed in the foreign file since it was last read."""
        with self._in_step:
            for _ in range(_ATTEMPTS):
                if not self._file.changed():
                    return
                graph = self._file.read()
                try:
                    self._take_in(graph)
                except _Moved:
                    self._file.forget()
                except BaseException:
                    self._file.forget()
                    raise
            raise StoreError(f"{self.path!r} changes faster than it can be indexed; try again.")

    def _take_in(self, graph: ForeignGraph) -> None:
        """Write the difference between the foreign graph and its index in one transaction."""
        stamp, schema = self._file.stamp(), schema_as_json(self._file.schema)
        if graph.dimensions is not None and self._store.meta("dimensions") not in (None, str(graph.dimensions)):
            self._mirror.reset()  # other vectors throughout: nothing of the old index can stay
        change = self._mirror.difference(graph)
        if change.empty and self._mirror.is_signed(stamp, schema, graph.counts):
            return

        def first(writer: Writer) -> None:
            if writer.generation != change.generation + 1:
                raise _Moved
            self._mirror.write(writer, change, stamp, schema, graph.counts)

        self._write(change.nodes, change.edges, first=first)


def _writable(path: str) -> bool:
    """Whether a SQLite file can be made or changed here."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.access(folder, os.W_OK) and (not os.path.exists(path) or os.access(path, os.W_OK))
