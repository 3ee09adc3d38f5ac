"""The books of ``fourfold.ingest`` inside one write transaction, see ``engines.documents``."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fourfold.engines.documents import EDGE_TYPE, Entry, Kind, Label
from fourfold.engines.sqlite.documents import selection
from fourfold.engines.sqlite.writer import Writer
from fourfold.types import Edge

_CHUNK = 2048
_NO_LIMIT = 1 << 62
_MOST_CHARACTERS = 20
"""Of a title's characters so many are looked for: a text that has them is nearly always one that names it."""


class Books:
    """The statements of ingest inside one write transaction."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._execute = writer.execute
        self._many = writer.executemany
        for name in ("reading", "targets"):
            self._execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} (node INTEGER PRIMARY KEY)")
            self._execute(f"DELETE FROM temp.{name}")

    def setting(self, key: str, value: str) -> str:
        """Return a stored setting; store ``value`` if there is none."""
        stored = self._writer.meta(key)
        if stored is None:
            self._writer.set_meta(key, value)
        return value if stored is None else stored

    # -- documents ----------------------------------------------------------------------------------------------

    def put(self, entries: Sequence[Entry]) -> None:
        """Book documents: passages that are no longer theirs go, and all their texts are to be read again."""
        nums = self._writer.nums([i for e in entries for i in (e.id, *e.passages)])
        self._put_passages(entries, nums)
        self._put_labels(entries, nums)

    def _put_passages(self, entries: Sequence[Entry], nums: Mapping[str, int]) -> None:
        documents = [(nums[e.id],) for e in entries]
        passages = [(nums[p], nums[e.id], place) for e in entries for place, p in enumerate(e.passages)]
        chunked = [len(e.passages) if e.passages != (e.id,) else 0 for e in entries]
        current = {node for node, _, _ in passages}
        old = self._chunk_nodes([document for (document,) in documents])
        self._many("DELETE FROM nodes WHERE num = ?", [(node,) for node in old if node not in current])
        self._many("DELETE FROM passages WHERE document = ?", documents)
        self._many(
            "INSERT INTO documents (node, source, hash, node_hash, chunks) "
            "SELECT num, ?, ?, hash, ? FROM nodes WHERE num = ? ON CONFLICT (node) DO UPDATE SET "
            "source = excluded.source, hash = excluded.hash, node_hash = excluded.node_hash, chunks = excluded.chunks",
            [(e.source, e.hash, chunks, nums[e.id]) for e, chunks in zip(entries, chunked, strict=True)],
        )
        self._many("INSERT OR REPLACE INTO passages VALUES (?, ?, ?, 1)", passages)

    def _put_labels(self, entries: Sequence[Entry], nums: Mapping[str, int]) -> None:
        documents = [(nums[e.id],) for e in entries]
        # A document that is now in chunks is no passage any more, so no text of its own names a title.
        self._many(
            "DELETE FROM uses WHERE node = ?1 AND label IN (SELECT num FROM labels WHERE kind <> 'title') "
            "OR node = ?1 AND ?1 NOT IN (SELECT node FROM passages)",
            documents,
        )
        self._many("DELETE FROM bearers WHERE node = ?", documents)
        labels = self._numbers({label for e in entries for label in (*e.bears, *e.uses)})
        self._many(
            "INSERT OR IGNORE INTO bearers VALUES (?, ?, ?)",
            [(labels[b.kind, b.label], nums[e.id], b.qualifier) for e in entries for b in e.bears],
        )
        used = [(labels[u.kind, u.label], nums[e.id]) for e in entries for u in e.uses]
        self._many("INSERT OR IGNORE INTO uses VALUES (?, ?)", used)
        self._many("UPDATE labels SET changed = 1 WHERE num = ?", [(label,) for label in {label for label, _ in used}])

    def children(self, document_id: str) -> list[str]:
        """Return the ids of a document's chunks in reading order."""
        rows = self._execute(
            "SELECT n.id FROM nodes d JOIN passages p ON p.document = d.num JOIN nodes n ON n.num = p.node "
            "WHERE d.id = ? AND p.node <> p.document ORDER BY p.place",
            (document_id,),
        )
        return [row[0] for row in rows.fetchall()]

    def release(self, ids: Sequence[str]) -> None:
        """Forget nodes as documents of their own: they are to be chunks of others."""
        self._many("DELETE FROM documents WHERE node = ?", [(num,) for num in self._writer.nums(ids).values()])

    def delete(self, *, ids: Iterable[str] | None = None, sources: Iterable[str] | None = None) -> int:
        """Delete documents with their chunks; return how many documents there were."""
        sql, parameters = selection(ids, sources)
        rows = self._execute(
            f"SELECT d.node FROM documents d JOIN nodes n ON n.num = d.node WHERE {sql}", parameters
        ).fetchall()
        documents = [row[0] for row in rows]
        gone = [*self._chunk_nodes(documents), *documents]
        self._many("DELETE FROM nodes WHERE num = ?", [(node,) for node in gone])
        return len(documents)

    def replace_structure(self, entries: Sequence[Entry], edges: Sequence[Edge]) -> None:
        """Replace the edges inside documents: ``part_of`` and ``followed_by``."""
        nums = self._writer.nums([p for e in entries for p in e.passages])
        self._many(
            "DELETE FROM edges WHERE source = ? AND num IN (SELECT edge FROM derived_edges) "
            "AND type IN (SELECT num FROM edge_types WHERE type IN ('part_of', 'followed_by'))",
            [(num,) for num in nums.values()],
        )
        last = self._last_edge()
        if edges:
            self._writer.put_edges(edges)
        self._execute("INSERT INTO derived_edges SELECT num FROM edges WHERE num > ?", (last,))

    # -- reading texts ------------------------------------------------------------------------------------------

    def changed_titles(self) -> tuple[list[str], list[int]]:
        """Return the titles (their labels) that are new to the old texts, and the numbers of those nobody bears.

        From now on the former count as known, the latter as unknown.
        """
        rows = self._execute(
            "SELECT num, label, known, EXISTS (SELECT 1 FROM bearers b WHERE b.label = l.num) AS borne "
            "FROM labels l WHERE changed AND kind = 'title'"
        ).fetchall()
        new = [label for _, label, known, borne in rows if borne and not known]
        gone = [num for num, _, known, borne in rows if known and not borne]
        self._many("UPDATE labels SET known = ? WHERE num = ?", [(borne, num) for num, _, _, borne in rows])
        return new, gone

    def count_passages(self) -> int:
        """Return the number of texts."""
        return int(self._execute("SELECT count(*) FROM passages").fetchone()[0])

    def count_titles(self) -> int:
        """Return the number of titles, and perhaps some that nobody bears any more."""
        return int(self._execute("SELECT count(*) FROM labels WHERE head IS NOT NULL").fetchone()[0])

    def read_unread(self, gone: Sequence[int]) -> None:
        """Mark for reading the texts that are new and those that named a title which is gone."""
        self._execute("INSERT OR IGNORE INTO temp.reading SELECT node FROM passages WHERE unread")
        self._many("INSERT OR IGNORE INTO temp.reading SELECT node FROM uses WHERE label = ?", [(num,) for num in gone])

    def read_all(self) -> None:
        """Mark every text for reading."""
        self._execute("INSERT OR IGNORE INTO temp.reading SELECT node FROM passages")

    def read_holding(self, words: Sequence[str]) -> None:
        """Mark for reading the texts that hold these words in a row."""
        row = " ".join(words).replace('"', "")
        spellings = dict.fromkeys((row, unicodedata.normalize("NFD", row)))  # Hangul is indexed as it is written
        self._execute(
            "INSERT OR IGNORE INTO temp.reading SELECT p.node FROM fts f JOIN passages p ON p.node = f.rowid "
            "WHERE f.fts MATCH ?",
            (" OR ".join(f'text : "{spelling}"' for spelling in spellings),),
        )

    def read_containing(self, characters: Sequence[str]) -> None:
        """Mark for reading the texts that contain these characters, wherever; every text is looked at."""
        some = characters[:_MOST_CHARACTERS]
        self._execute(
            "INSERT OR IGNORE INTO temp.reading SELECT p.node FROM passages p JOIN nodes n ON n.num = p.node "
            f"WHERE {' AND '.join('(instr(n.text, ?) OR instr(n.text, ?))' for _ in some)}",
            [form for character in some for form in (character, unicodedata.normalize("NFD", character))],
        )

    def count_reading(self) -> int:
        """Return the number of texts marked for reading."""
        return int(self._execute("SELECT count(*) FROM temp.reading").fetchone()[0])

    def texts(self) -> Iterator[list[tuple[int, str]]]:
        """Return (node number, text) of the texts marked for reading, some thousand at a time."""
        last = -1
        while rows := self._execute(
            "SELECT r.node, n.text FROM temp.reading r JOIN nodes n ON n.num = r.node WHERE r.node > ? "
            "ORDER BY r.node LIMIT ?",
            (last, _CHUNK),
        ).fetchall():
            yield rows
            last = rows[-1][0]

    def titles(self, heads: Iterable[str] | None = None) -> list[tuple[int, str]]:
        """Return (number, label) of the titles that are borne; only those with these heads, if given."""
        if heads is None:
            return self._execute("SELECT num, label FROM labels WHERE kind = 'title' AND known").fetchall()
        return self._execute(
            "SELECT l.num, l.label FROM json_each(?) j CROSS JOIN labels l ON l.head = j.value WHERE l.known",
            (json.dumps(list(heads), ensure_ascii=False),),
        ).fetchall()

    def set_mentions(self, found: Mapping[int, set[int]]) -> None:
        """Replace the titles that texts name: node number → label numbers."""
        before: dict[int, set[int]] = {node: set() for node in found}
        for node, label in self._execute(
            "SELECT u.node, u.label FROM json_each(?) j CROSS JOIN uses u ON u.node = j.value "
            "JOIN labels l ON l.num = u.label WHERE l.kind = 'title'",
            (json.dumps(list(found)),),
        ):
            before[node].add(label)
        removed = [(label, node) for node, old in before.items() for label in old - found[node]]
        added = [(label, node) for node, new in found.items() for label in new - before[node]]
        self._many("DELETE FROM uses WHERE label = ? AND node = ?", removed)
        self._many("INSERT INTO uses VALUES (?, ?)", added)
        self._many("UPDATE labels SET changed = 1 WHERE num = ?", [(label,) for label in {label for label, _ in added}])

    # -- edges --------------------------------------------------------------------------------------------------

    def derive_edges(self, limits: Mapping[Kind, int | None]) -> None:
        """Bring the derived edges up to date with the labels; see ``engines.documents.Books``."""
        # The edges of a new text may hang on its qualifiers, so the labels it uses are due even if it used them before.
        self._execute(
            "UPDATE labels SET changed = 1 WHERE num IN "
            "(SELECT u.label FROM passages p CROSS JOIN uses u ON u.node = p.node WHERE p.unread)"
        )
        self._execute("UPDATE labels SET uses = (SELECT count(*) FROM uses u WHERE u.label = labels.num) WHERE changed")
        for kind, limit in limits.items():
            self._limit_changed(kind, limit)
        self._desire_all(limits)
        self._execute(
            "DELETE FROM edges WHERE num IN (SELECT e.num FROM temp.targets t CROSS JOIN edges e ON e.target = t.node "
            "JOIN derived_edges d ON d.edge = e.num WHERE e.type IN (SELECT num FROM edge_types WHERE type IN "
            "('mentions', 'relates_to')) AND NOT EXISTS (SELECT 1 FROM temp.desired x WHERE x.source = e.source "
            "AND x.target = e.target AND x.type = e.type))"
        )
        last = self._last_edge()
        self._execute(
            "INSERT OR IGNORE INTO edges (source, target, type, weight, generation) "
            "SELECT source, target, type, 1.0, ? FROM temp.desired",
            (self._writer.generation,),
        )
        self._execute("INSERT INTO derived_edges SELECT num FROM edges WHERE num > ?", (last,))
        self._execute("UPDATE passages SET unread = 0 WHERE unread")
        self._execute(
            "DELETE FROM labels WHERE changed AND NOT uses AND NOT EXISTS (SELECT 1 FROM bearers b WHERE b.label = num)"
        )
        self._execute("UPDATE labels SET changed = 0 WHERE changed")

    def _desire_all(self, limits: Mapping[Kind, int | None]) -> None:
        """Collect the edges that there should be at everything that bears a label which is due."""
        self._execute(
            "INSERT OR IGNORE INTO temp.targets SELECT b.node FROM labels l CROSS JOIN bearers b ON b.label = l.num "
            "WHERE l.changed UNION SELECT document FROM passages WHERE unread"
        )
        self._execute(
            "CREATE TEMP TABLE IF NOT EXISTS desired (source INTEGER, target INTEGER, type INTEGER, "
            "PRIMARY KEY (source, target, type)) WITHOUT ROWID"
        )
        self._execute("DELETE FROM temp.desired")
        for kind, limit in limits.items():
            self._desire(kind, limit)
        # A text that holds the qualifier of some bearers of a title means these: "the planet Mercury".
        self._execute(
            "DELETE FROM temp.desired WHERE type = ? AND (source, target) IN (SELECT u.node, b.node "
            "FROM temp.targets t CROSS JOIN bearers b ON b.node = t.node CROSS JOIN labels l ON l.num = b.label "
            "CROSS JOIN uses u ON u.label = l.num JOIN nodes n ON n.num = u.node "
            "WHERE l.kind = 'title' AND EXISTS (SELECT 1 FROM bearers o WHERE o.label = l.num AND o.node <> b.node "
            "AND o.qualifier <> '' AND instr(lower(n.text), o.qualifier)) "
            "AND NOT (b.qualifier <> '' AND instr(lower(n.text), b.qualifier)))",
            (self._writer.edge_type("mentions"),),
        )

    def _limit_changed(self, kind: Kind, limit: int | None) -> None:
        """Make the labels due that lie between the last limit and this one; it moves with the number of texts."""
        if limit is None:
            return
        key = f"ingest_limit_{kind}"
        stored = int(self.setting(key, str(limit)))
        if stored != limit:
            self._writer.set_meta(key, str(limit))
            self._execute(
                "UPDATE labels SET changed = 1 WHERE kind = ? AND uses > ? AND uses <= ?",
                (kind, min(stored, limit), max(stored, limit)),
            )

    def _desire(self, kind: Kind, limit: int | None) -> None:
        """Collect the edges that all labels of the targets make: user → bearer, except inside one document."""
        self._execute(
            "INSERT OR IGNORE INTO temp.desired SELECT u.node, b.node, ? FROM temp.targets t "
            "CROSS JOIN bearers b ON b.node = t.node CROSS JOIN labels l ON l.num = b.label "
            "CROSS JOIN uses u ON u.label = l.num LEFT JOIN passages p ON p.node = u.node "
            "WHERE l.kind = ? AND l.uses <= ? AND u.node <> b.node AND coalesce(p.document, -1) <> b.node",
            (self._writer.edge_type(EDGE_TYPE[kind]), kind, _NO_LIMIT if limit is None else limit),
        )

    # -- numbers ------------------------------------------------------------------------------------------------

    def _chunk_nodes(self, documents: Sequence[int]) -> list[int]:
        rows = self._execute(
            "SELECT p.node FROM json_each(?) j CROSS JOIN passages p ON p.document = j.value "
            "WHERE p.node <> p.document",
            (json.dumps(list(documents)),),
        )
        return [row[0] for row in rows.fetchall()]

    def _numbers(self, labels: set[Label]) -> dict[tuple[str, str], int]:
        """Return the number of each label; new ones are stored."""
        self._many(
            "INSERT OR IGNORE INTO labels (kind, label, head) VALUES (?, ?, ?)",
            list(
                dict.fromkeys(
                    (label.kind, label.label, label.head) for label in sorted(labels, key=lambda x: (x.kind, x.label))
                )
            ),
        )
        rows = self._execute(
            "SELECT l.kind, l.label, l.num FROM json_each(?) j CROSS JOIN labels l ON l.label = j.value",
            (json.dumps([label.label for label in labels], ensure_ascii=False),),
        )
        return {(kind, label): num for kind, label, num in rows.fetchall()}

    def _last_edge(self) -> int:
        row = self._execute("SELECT seq FROM sqlite_sequence WHERE name = 'edges'").fetchone()
        return int(row[0]) if row else 0
