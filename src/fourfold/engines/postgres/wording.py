"""Where words stand in names, types and metadata; see ``engines.wording``."""

from __future__ import annotations

from collections.abc import Sequence

from fourfold import ordered
from fourfold.engines.postgres.arrays import numbers
from fourfold.engines.postgres.keepable import stored_term
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.tables import Tables
from fourfold.engines.wording import holders
from fourfold.filters import ELEMENT, SCALAR
from fourfold.index.base import Nodes

_TEXT = "a.key || ' ' || coalesce(a.string, a.number::text)"
_KINDS = f"a.kind IN ({SCALAR:d}, {ELEMENT:d})"


class Wording:
    """The words of a schema, as its tables may be read."""

    mark = ""

    def __init__(self, link: Link, tables: Tables) -> None:
        self._link, self._tables = link, tables

    def standing(self, terms: Sequence[str]) -> tuple[list[Nodes], list[Nodes]]:
        """Return the holders of terms in names and in types, from their postings."""
        sql = self._tables.sql(
            "SELECT array_send(array_agg(o.place - 1)), array_send(array_agg(f.field)), array_send(array_agg(p.node)) "
            "FROM unnest(%s::text[]) WITH ORDINALITY AS o (term, place) JOIN terms t ON t.term = o.term "
            "JOIN {postings} p ON p.term = t.num "
            "JOIN (VALUES (0::bigint), (1)) AS f (field) ON CASE f.field WHEN 0 THEN p.in_name ELSE p.in_type END > 0"
        )
        sent = self._link.one(sql, list(map(stored_term, terms)))
        return holders(len(terms), *(numbers(column, ">i8") for column in sent))

    def metadata(self, since: str = "") -> list[tuple[str, tuple[str, str]]]:
        """Return every text with its key."""
        sql = self._tables.sql(f"SELECT DISTINCT a.key, {_TEXT} FROM {{attributes}} a WHERE {_KINDS}")
        return [(text, (key, text)) for key, text in self._link.rows(sql)]

    def bearers(self, chosen: Sequence[tuple[str, str]]) -> Nodes:
        """Return the nodes of texts, among those that have their keys."""
        sql = self._tables.sql(
            "SELECT array_send(array_agg(a.node)) FROM {attributes} a WHERE md5(a.key) = ANY (SELECT "
            f"md5(k) FROM unnest(%s::text[]) AS k) AND {_KINDS} AND {_TEXT} = ANY (%s::text[])"
        )
        keys = list({key for key, _ in chosen})
        sent = self._link.one(sql, keys, [text for _, text in chosen])[0]
        return ordered.distinct(numbers(sent, ">i8"))
