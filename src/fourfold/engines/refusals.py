"""What only a SQLite file keeps: books of documents, phrases, trained models. The engines of servers refuse it here."""

from __future__ import annotations

from typing import Any

from fourfold.errors import UnsupportedError


class WithoutBooks:
    """A graph on a server, which has neither books nor phrases, and is checked by the server itself."""

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


class WriterWithoutBooks:
    """A write to such a graph."""

    def books(self) -> Any:
        """Refuse: the books of ``fourfold.ingest`` are not kept here."""
        raise _unsupported("the books of ingested documents", "documents")

    def put_model(self, name: str, content: bytes) -> None:
        """Refuse: vectors that know their neighbours are not kept in step here."""
        raise _unsupported("an embedder that was trained from the graph", "models")


def _unsupported(what: str, capability: str) -> UnsupportedError:
    return UnsupportedError(
        f"PostgreSQL and Milvus do not keep {what} (capabilities.{capability} is False); keep that graph in a SQLite "
        "file."
    )
