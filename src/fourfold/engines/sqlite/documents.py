"""The books of ``fourfold.ingest`` for reading, see ``engines.documents``."""

from __future__ import annotations

from collections.abc import Iterable

from fourfold.engines.documents import Booked
from fourfold.engines.sqlite.rows import id_list
from fourfold.engines.sqlite.store import Store
from fourfold.types import Node


class Documents:
    """The documents of one file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def booked(self, *, ids: Iterable[str] | None = None, sources: Iterable[str] | None = None) -> list[Booked]:
        """Return the documents with these ids or of these sources, by id; all of them without either."""
        condition, parameters = selection(ids, sources)
        sql = (
            "SELECT n.id, d.source, CASE WHEN n.hash = d.node_hash AND (NOT d.chunks OR d.chunks = "
            "(SELECT count(*) FROM passages p WHERE p.document = d.node)) THEN d.hash ELSE '' END "
            f"FROM documents d JOIN nodes n ON n.num = d.node WHERE {condition} ORDER BY n.id"
        )
        return [Booked(*row) for row in self._store.select(sql, parameters)]

    def is_unlinked(self) -> bool:
        """Whether some documents were written, or deleted, without their edges being brought up to date."""
        sql = "SELECT EXISTS (SELECT 1 FROM passages WHERE unread) OR EXISTS (SELECT 1 FROM labels WHERE changed)"
        return bool(self._store.select(sql)[0][0])

    def neighbours(self, node_id: str, before: int, after: int) -> list[Node]:
        """Return a passage with those before and after it in its document, in reading order; [] for other nodes."""
        sql = (
            "SELECT n.id FROM passages p JOIN passages here ON here.document = p.document "
            "JOIN nodes own ON own.num = here.node JOIN nodes n ON n.num = p.node "
            "WHERE own.id = ? AND p.place BETWEEN here.place - ? AND here.place + ? ORDER BY p.place"
        )
        ids = [identity for (identity,) in self._store.select(sql, (node_id, before, after))]
        found = self._store.nodes_by_id(ids)
        return [found[identity] for identity in ids if identity in found]

    def children(self, document_id: str) -> list[str]:
        """Return the ids of a document's passages in reading order; [] if there is no such document."""
        sql = (
            "SELECT n.id FROM passages p JOIN nodes d ON d.num = p.document JOIN nodes n ON n.num = p.node "
            "WHERE d.id = ? ORDER BY p.place"
        )
        return [identity for (identity,) in self._store.select(sql, (document_id,))]

    def of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the document of each of these nodes that is a chunk of one."""
        sql = (
            "SELECT n.id, d.id FROM json_each(?) j CROSS JOIN nodes n ON n.id = j.value "
            "JOIN passages p ON p.node = n.num JOIN nodes d ON d.num = p.document WHERE p.document <> p.node"
        )
        return dict(self._store.select(sql, (id_list(list(ids)),)))


def selection(ids: Iterable[str] | None, sources: Iterable[str] | None) -> tuple[str, tuple[str, ...]]:
    """Return an SQL condition on documents ``d`` with nodes ``n``, and its parameters."""
    if ids is None and sources is None:
        return "1", ()
    conditions = {"n.id": ids, "d.source": sources}
    given = {column: id_list(list(values)) for column, values in conditions.items() if values}
    sql = " OR ".join(f"{column} IN (SELECT value FROM json_each(?))" for column in given)
    return sql or "0", tuple(given.values())
