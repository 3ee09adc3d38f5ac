"""What the engines of servers have alike.

What only a SQLite file keeps is refused here: books of documents, phrases, trained models.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

from fourfold.config import RetrievalConfig
from fourfold.errors import UnsupportedError
from fourfold.index.snapshot import Snapshot


class _Address(Protocol):
    @property
    def url(self) -> str: ...


class _Snapshots(Protocol):
    def current(self) -> Snapshot: ...
    def under(self, config: RetrievalConfig) -> Snapshot: ...
    def use(self, config: RetrievalConfig) -> None: ...
    def forget(self) -> None: ...


class ServedGraph(ABC):
    """A graph on a server, which has neither books nor phrases, and is checked by the server itself."""

    _address: _Address
    _snapshots: _Snapshots

    @property
    def address(self) -> str:
        """What opens the place again, its password too."""
        return self._address.url

    def use(self, config: RetrievalConfig) -> None:
        """Read by these constants from the next snapshot on."""
        self._snapshots.use(config)

    @abstractmethod
    def generation(self) -> int:
        """Return the generation; inside a question, the question's."""

    def write(self) -> tuple[int, str]:
        """Return the generation; no database is put in the place of one that is open, so there is no mark."""
        return self.generation(), ""

    def knows(self, generation: int, mark: str) -> bool:
        """Return True, for the same reason."""
        return True

    def snapshot(self, config: RetrievalConfig | None = None) -> Snapshot:
        """Return the present generation; with its texts read as another config says, where one is given."""
        return self._snapshots.current() if config is None else self._snapshots.under(config)

    def forget(self) -> None:
        """Read everything anew at the next snapshot."""
        self._snapshots.forget()

    def model(self, name: str) -> bytes | None:
        """Return None: no embedding model is kept here."""
        return None

    def phrase(self, phrase: str, limit: int | None) -> list[tuple[int, float]]:
        """Return nothing: phrases are ranked by SQLite's FTS5 only, see ``capabilities``."""
        return []

    def problems(self, *, derived: bool = False) -> list[str]:
        """Return nothing: what is damaged the server itself refuses to read. What is derived is not compared."""
        if derived:
            raise UnsupportedError(
                "What is derived of contents is compared in SQLite files only; check the graph without --derived, or "
                "copy it to an empty place, which derives all anew: fourfold copy."
            )
        return []

    @property
    def documents(self) -> Any:
        """Refuse: the books of ``fourfold.ingest`` are not kept here."""
        raise _unsupported("the books of ingested documents", "documents")


class ServedWriter:
    """A write to such a graph."""

    def books(self) -> Any:
        """Refuse: the books of ``fourfold.ingest`` are not kept here."""
        raise _unsupported("the books of ingested documents", "documents")

    def put_model(self, name: str, content: bytes) -> None:
        """Refuse: vectors that know their neighbours are not kept in step here."""
        raise _unsupported("an embedder that was trained from the graph", "models")

    def drop_models(self, except_name: str | None = None) -> None:
        """Do nothing: none is kept."""


def _unsupported(what: str, capability: str) -> UnsupportedError:
    return UnsupportedError(
        f"PostgreSQL and Milvus do not keep {what} (capabilities.{capability} is False); keep that graph in a SQLite "
        "file."
    )
