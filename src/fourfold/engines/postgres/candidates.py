"""The statement that brings the best of a question, and everything the next steps look at in them, in one go."""

from __future__ import annotations

from dataclasses import dataclass

from fourfold.engines.postgres.state import State
from fourfold.engines.postgres.text import Bm25

ASKED = "asked_vector AS MATERIALIZED (SELECT %(question)s::float8[]::vector AS unit)"
"""The question's vector, read once: a parameter would be converted for every row."""
COSINE = "(-(v.vector <#> (SELECT unit FROM asked_vector)) / v.norm)::real"
READ_THROUGH = 10_000
"""Where a filter keeps no more nodes, all of their vectors are compared; an index would pass over most it finds."""
HELD = (">i8", ">i4", ">f8", ">f8")
FACETS = (
    "(SELECT array_send(array_agg(node)) FROM facet_text), (SELECT array_send(array_agg(term)) FROM facet_text), "
    "(SELECT array_send(array_agg(worth)) FROM facet_text), (SELECT array_send(array_agg(value)) FROM facet_text), "
    "(SELECT array_send(array_agg(node)) FROM facet_vectors), "
    "(SELECT array_send(array_agg(value)) FROM facet_vectors), "
    "(SELECT array_send(array_agg(num)) FROM facet_nodes), (SELECT array_agg(id) FROM facet_nodes), "
    "(SELECT array_agg(name) FROM facet_nodes), "
    "(SELECT array_send(array_agg(node)) FROM facet_words), (SELECT array_agg(pieces) FROM facet_words), "
    "(SELECT array_agg(type) FROM facet_nodes)"
)
"""Twelve columns: (node, term, worth, worth · count) of postings, (nodes, cosines), (numbers, ids, names), (nodes,
wordpieces), and the types that go with the names."""
_ALLOWED = "node = ANY(%(allowed)s::bigint[])"
_NOTHING = "(SELECT 0::bigint AS node, 0 AS term, 0::float8 AS worth, 0::float8 AS value WHERE false)"


@dataclass(frozen=True)
class Candidates:
    """What a question asks by: ``text`` and ``near`` say by which parts, ``exact`` whether all vectors are compared."""

    state: State
    bm25: Bm25
    text: bool
    near: bool
    exact: bool

    def best(self, count: int, looked_at: int, allowed: int | None) -> str:
        """Return SQL of the best of each part (five columns each), the nodes looked at (one), and their facets.

        Args:
            count: so many of the best.
            looked_at: of so many of them the facets.
            allowed: how many nodes a filter keeps; None without one.

        """
        tables, columns, pools = [*self._asked], [], []
        if self.text:
            tables += [
                f"scored AS MATERIALIZED (SELECT p.node, {self.bm25.summed}::real AS value FROM asked a "
                "JOIN {postings} p ON p.term = a.term GROUP BY p.node)",
                "best_text AS MATERIALIZED (SELECT node, value FROM scored WHERE value > 0 "
                f"{'' if allowed is None else 'AND ' + _ALLOWED} ORDER BY value DESC "
                f"FETCH FIRST {count:d} ROWS WITH TIES)",
            ]
            tables.append(_sums("scored"))
            columns += _summed("scored")
            pools.append("best_text")
        if self.near:
            tables += self._nearest(count, allowed)
            columns += _summed("angles") if self.exact else _summed("moved")
            pools.append("best_near")
        columns += [
            f"(SELECT array_send(array_agg({column} ORDER BY value DESC, node)) FROM {name})"
            for name in pools
            for column in ("node", "value")
        ]
        columns.append("(SELECT array_send(array_agg(node ORDER BY node)) FROM pool)")
        first = (f"(SELECT node FROM {name} ORDER BY value DESC, node LIMIT {looked_at:d})" for name in pools)
        tables += [f"pool AS MATERIALIZED ({' UNION '.join(first)})", *self._facets]
        return self.state.tables.sql(f"WITH {', '.join(tables)} SELECT {', '.join((*columns, FACETS))}")

    @property
    def single(self) -> str:
        """SQL of the facets of the nodes given."""
        tables = [*self._asked, "pool AS MATERIALIZED (SELECT unnest(%(nodes)s::bigint[]) AS node)", *self._facets]
        return self.state.tables.sql(f"WITH {', '.join(tables)} SELECT {FACETS}")

    @property
    def _asked(self) -> list[str]:
        return [*([self.bm25.asked] if self.text else ()), *([ASKED] if self.near else ())]

    def _nearest(self, count: int, allowed: int | None) -> list[str]:
        where = "" if allowed is None else f"WHERE {_ALLOWED}"
        first = f"ORDER BY value DESC FETCH FIRST {count:d} ROWS WITH TIES"
        if self.exact:
            return [
                f"angles AS MATERIALIZED (SELECT v.node, {COSINE} AS value FROM {{vectors}} v)",
                f"best_near AS MATERIALIZED (SELECT node, value FROM angles {where} {first})",
                _sums("angles"),
            ]
        d = self.state.dimensions
        by_index = f"v.vector::vector({d}) <=> (SELECT unit::vector({d}) FROM asked_vector)"
        if allowed is None or allowed > READ_THROUGH:
            first = f"ORDER BY {by_index} LIMIT {count:d}"
        return [
            f"best_near AS MATERIALIZED (SELECT v.node, {COSINE} AS value FROM {{vectors}} v {where} {first})",
            "sums_of_moved AS MATERIALIZED (SELECT sum(sign * value) AS total, sum(sign * value * value) AS squares, "
            f"(SELECT {COSINE} FROM {{vectors}} v ORDER BY {by_index} LIMIT 1) AS most "
            f"FROM (SELECT v.sign, {COSINE}::float8 AS value FROM moved_vectors v) m)",
        ]

    @property
    def _facets(self) -> list[str]:
        text, near = _NOTHING, _NOTHING
        if self.text:
            text = (
                f"(SELECT node, term, worth, {self.bm25.counted('worth')} AS value FROM (SELECT p.node, a.term, "
                f"a.count, {self.bm25.worth} AS worth FROM pool o CROSS JOIN asked a "
                "JOIN {postings} p ON p.term = a.term AND p.node = o.node) a)"
            )
        if self.near:
            near = f"(SELECT v.node, {COSINE} AS value FROM pool o JOIN {{vectors}} v ON v.node = o.node)"
        return [
            f"facet_text AS MATERIALIZED {text}",
            f"facet_vectors AS MATERIALIZED {near}",
            "facet_nodes AS MATERIALIZED (SELECT n.num, n.id, n.name, n.type FROM pool o "
            "JOIN nodes n ON n.num = o.node)",
            "facet_words AS MATERIALIZED (SELECT w.node, w.pieces FROM pool o JOIN {words} w ON w.node = o.node)",
        ]


def _sums(table: str) -> str:
    """Return a common table expression: the sum of all values, that of their squares, and the largest."""
    return (
        f"sums_of_{table} AS MATERIALIZED (SELECT sum(value::float8) AS total, "
        f"sum(value::float8 * value::float8) AS squares, max(value) AS most FROM {table})"
    )


def _summed(table: str) -> list[str]:
    return [f"(SELECT {column} FROM sums_of_{table})" for column in ("total", "squares", "most")]
