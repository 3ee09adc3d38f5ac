"""Where words stand in names, types and metadata; see ``engines.wording``."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.engines.sqlite.filters import Rows, meeting
from fourfold.engines.sqlite.rows import generation_of, token_of
from fourfold.engines.sqlite.snapshots import Snapshots
from fourfold.engines.sqlite.store import Store
from fourfold.engines.wording import holders
from fourfold.filters import ELEMENT, SCALAR, Scalar, Test
from fourfold.index.base import Nodes
from fourfold.index.changes import TOKEN

_ROWS = 10_000
_RECORDS = 8
"""Where no more than one node in so many holds the terms, its record is read; else the index, and one of each type."""
_CHOSEN = 300
"""Texts in one statement: of three parameters each, of which old versions of SQLite take 999."""
_HEAD = 16 * TOKEN.itemsize
_LABELS = f"""SELECT node,
    CASE WHEN substr(terms, {_HEAD - 2}, 1) >= X'02' THEN substr(terms, 1, {_HEAD}) ELSE terms END
FROM tokens"""
"""The records of a node's text come last: where there are some among the first sixteen, the others are left."""
_TYPES = """SELECT n.type, t.terms
FROM (SELECT type, min(num) AS num FROM nodes{since} GROUP BY type) n LEFT JOIN tokens t ON t.node = n.num"""
_TEXTS = """SELECT DISTINCT key, value, key || ' ' || value, typeof(value) <> 'text',
    key || ' ' || CAST(value AS INTEGER), key || ' ' || CAST(value AS REAL)
FROM nodes n CROSS JOIN attributes INDEXED BY attributes_by_node ON node = n.num WHERE n.generation > ?"""
"""Those of the nodes written since, as ``_PAIRS`` tells them."""
_PAIRS = """WITH RECURSIVE
keys (key) AS (
    SELECT min(key) FROM attributes
    UNION ALL SELECT (SELECT min(a.key) FROM attributes a WHERE a.key > keys.key) FROM keys WHERE keys.key NOTNULL
),
pairs (key, value) AS (
    SELECT key, (SELECT min(a.value) FROM attributes a WHERE a.key = keys.key) FROM keys WHERE keys.key NOTNULL
    UNION ALL SELECT key, (SELECT min(a.value) FROM attributes a WHERE a.key = pairs.key AND a.value > pairs.value)
    FROM pairs WHERE pairs.value NOTNULL
)
SELECT key, value, key || ' ' || value, typeof(value) <> 'text', key || ' ' || CAST(value AS INTEGER),
    key || ' ' || CAST(value AS REAL)
FROM pairs WHERE value NOTNULL"""
"""From each key and value to the next in the index of attributes: what all nodes share is read once."""


class Wording:
    """The words of an open file; which types there are is read once, and after a write of the nodes written since."""

    def __init__(self, store: Store, snapshots: Snapshots) -> None:
        self._store, self._snapshots = store, snapshots
        self._types: tuple[str, dict[str, frozenset[int]]] = "", {}
        """The mark of the state it was read in, and the terms of every type; some may be no node's any more."""

    @property
    def mark(self) -> str:
        """The mark of the last write."""
        with self._store.reading() as connection:
            return token_of(connection, generation_of(connection))

    def standing(self, terms: Sequence[str]) -> tuple[list[Nodes], list[Nodes]]:
        """Return the holders of terms in names and in types, by as little reading as the index allows."""
        numbers = self._store.term_numbers(terms)
        known = np.array([numbers.get(term, 0) for term in terms], np.int64)  # no term has the number 0
        parts, read = self._snapshots.texts()
        few = _RECORDS * int(self._snapshots.current().text.df(known).sum()) <= sum(map(len, parts))
        if few and {column for columns in read for column in columns} >= {"name", "type"}:
            return self._recorded(known, np.concatenate([known[:0], *(p.nums[:][p.holders(known)[1]] for p in parts)]))
        if ("name",) not in read:
            return self._recorded(known, None)
        each = [part.named(known, read.index(("name",))) for part in parts]
        named = [ordered.union([own[place] for own in each]) for place in range(len(known))]
        return named, [self._typed(term) for term in known.tolist()]

    def _typed(self, term: int) -> Nodes:
        """Return the nodes whose type holds a term."""
        kinds = tuple(kind for kind, terms in self._terms_of_types().items() if term in terms)
        found: Nodes = meeting(Test("$type", "in", kinds), Rows(self._store.matching, self.types))
        return found

    def types(self) -> Set[str]:
        """Return every type that a node has; some may be no node's any more."""
        return self._terms_of_types().keys()

    def _terms_of_types(self) -> dict[str, frozenset[int]]:
        """Return the terms of every type, as one node of it has them."""
        mark, (read, known) = self.mark, self._types
        if mark and mark == read:
            return known
        since = self._generation_of(read)
        found: dict[str, frozenset[int]] = {}
        with self._store.reading() as connection:
            sql = _TYPES.format(since="" if since is None else f" WHERE generation > {since:d}")
            for kind, blob in connection.execute(sql):
                tokens = np.frombuffer(blob or b"", TOKEN)
                found[kind] = frozenset(tokens["term"][tokens["field"] == 1].tolist())
        self._types = mark, found if since is None else known | found
        return self._types[1]

    def _generation_of(self, mark: str) -> int | None:
        """Return the generation of a write that the file remembers, by its mark; else None."""
        rows = self._store.select("SELECT generation FROM writes WHERE token = ?", (mark,)) if mark else ()
        return int(rows[0][0]) if rows else None

    def _recorded(self, known: Nodes, among: Nodes | None) -> tuple[list[Nodes], list[Nodes]]:
        """Return the holders of terms from the records of some nodes, or of all."""
        if among is None:
            term, field, node = self._labels(known, _LABELS)
        else:
            sql = f"{_LABELS} WHERE node IN (SELECT value FROM json_each(?))"
            term, field, node = self._labels(known, sql, json.dumps(among.tolist()))
        order = np.argsort(known)
        return holders(len(known), order[np.searchsorted(known, term, sorter=order)], field, node)

    def _labels(self, known: Nodes, sql: str, *parameters: str) -> NDArray[np.int64]:
        """Return the known terms, their fields, 0 for name or 1 for type, and nodes, (3, n)."""
        found = [np.empty((3, 0), np.int64)]
        with self._store.reading() as connection:
            cursor = connection.execute(sql, parameters)
            while rows := cursor.fetchmany(_ROWS):
                nodes, blobs = zip(*rows, strict=True)
                tokens = np.frombuffer(b"".join(blobs), TOKEN)
                own = np.flatnonzero(tokens["field"] < 2)
                own = own[np.isin(tokens["term"][own], known)]
                node = np.repeat(np.array(nodes, np.int64), [len(blob) // TOKEN.itemsize for blob in blobs])
                found.append(np.stack([tokens["term"][own], tokens["field"][own], node[own]]).astype(np.int64))
        return np.concatenate(found, axis=1)

    def metadata(self, since: str = "") -> list[tuple[str, tuple[str, Scalar, str]]] | None:
        """Return texts; 1 and 1.0 are one value of the index, so every number is told of in both ways."""
        generation = self._generation_of(since)
        if since and generation is None:
            return None
        rows = self._store.select(_PAIRS) if generation is None else self._store.select(_TEXTS, (generation,))
        found: list[tuple[str, tuple[str, Scalar, str]]] = []
        for key, value, text, number, whole, real in rows:
            found += [(own, (key, value, own)) for own in ({text, whole, real} if number else (text,))]
        return found

    def bearers(self, chosen: Sequence[tuple[str, Scalar, str]]) -> Nodes:
        """Return the nodes of texts, by their places in the index of attributes."""
        found = [np.empty(0, np.int64)]
        for start in range(0, len(chosen), _CHOSEN):
            some = chosen[start : start + _CHOSEN]
            sql = (
                f"WITH chosen (key, value, text) AS (VALUES {', '.join(['(?, ?, ?)'] * len(some))}) "
                "SELECT a.node AS num FROM chosen c CROSS JOIN attributes a ON a.key = c.key AND a.value = c.value "
                f"WHERE a.kind IN ({SCALAR:d}, {ELEMENT:d}) AND a.key || ' ' || a.value = c.text"
            )
            found.append(self._store.matching(sql, [part for own in some for part in own]))
        return ordered.distinct(np.concatenate(found))
