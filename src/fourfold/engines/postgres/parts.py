"""The parts of a snapshot over the server's rows; see ``index.base``. They hold constants, never rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.postgres.arrays import numbers, vectors
from fourfold.engines.postgres.part_context import PartContext
from fourfold.engines.postgres.question_batch import Ranking
from fourfold.engines.postgres.state import damaged
from fourfold.index.base import Allowed, HeldNames, Keys, Moments, Nodes, Scored, Shared
from fourfold.index.changes import PIECE
from fourfold.index.name_terms import names_listed, told_by
from fourfold.index.unit_vectors import unit, unit_question
from fourfold.ragged import bounds, firsts, laid_out, spans
from fourfold.types import FloatArray

_RARE = 64
"""The holders of terms up to so many nodes come along with the terms of a passage."""


_Terms = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""(place, term) of the distinct terms of some nodes, and how many names hold each, parallel."""


class NowhereRanking:
    """A question of zeros: all vectors are as far as each other."""

    def __init__(self, context: PartContext) -> None:
        self._context = context

    @property
    def moments(self) -> Moments:
        """Nothing but zeros."""
        return Moments(0.0, 0.0, 0.0, self._context.state.vectors)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return every node that has a vector: all tie."""
        sql = self._context.state.tables.sql("SELECT array_send(array_agg(v.node ORDER BY v.node)) FROM {vectors} v")
        nodes = numbers(self._context.link.one(sql)[0], ">i8")
        nodes = nodes if allowed is None else nodes[allowed.contains(nodes)]
        return Scored(nodes, np.zeros(len(nodes), np.float32), -math.inf)

    def at(self, nodes: Nodes) -> FloatArray:
        """Return zeros."""
        return np.zeros(len(nodes), np.float32)


class Text:
    """Postings; see ``index.base.TextPart``."""

    def __init__(self, context: PartContext) -> None:
        self._context = context

    def ask(self, terms: Mapping[int, float]) -> Ranking:
        """Rank by BM25, each term counting as often as said."""
        batch = self._context.for_text({int(term): float(n) for term, n in terms.items() if n})
        return Ranking(batch, batch.text)

    def worth(self, terms: Sequence[int], nodes: Nodes) -> FloatArray:
        """Return what one occurrence of each term in the question is worth in some nodes, (len(terms), len(nodes))."""
        batch = self._context.batch()
        if not batch.terms.keys() >= set(terms):
            return self._worth(terms, nodes)
        batch.need(nodes)
        found = [batch.facets.worth(term, nodes) for term in terms]
        return np.stack(found) if found else np.zeros((0, len(nodes)))

    def _worth(self, terms: Sequence[int], nodes: Nodes) -> FloatArray:
        bm25, found = self._context.bm25, np.zeros((len(terms), len(nodes)))
        sql = self._context.state.tables.sql(
            f"WITH {bm25.asked} SELECT array_send(array_agg(a.place)), array_send(array_agg(o.place)), "
            f"array_send(array_agg({bm25.worth})) "
            "FROM unnest(%(nodes)s::bigint[]) WITH ORDINALITY AS o (node, place) CROSS JOIN asked a "
            "JOIN {postings} p ON p.term = a.term AND p.node = o.node"
        )
        parameters = {**bm25.parameters(dict.fromkeys(terms, 1.0)), "terms": list(terms), "counts": [1.0] * len(terms)}
        row = self._context.link.ask((sql, {**parameters, "nodes": nodes.tolist()}))[0][0]
        found[numbers(row[0], ">i8") - 1, numbers(row[1], ">i8") - 1] = numbers(row[2], ">f8")
        return found

    def holds(self, terms: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of some nodes hold which terms, (len(nodes), len(terms))."""
        held: NDArray[np.bool_] = self.worth(terms, nodes).T > 0
        return held

    def df(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each term occurs."""
        known = self._context.remembered("df")
        if not known.keys() >= set(terms.tolist()):
            sql = f"SELECT t.num, {self._context.bm25.df}::bigint FROM ({self._context.bm25.held}) t"
            asked = {"terms": np.unique(terms).tolist()}
            known.update(dict.fromkeys(asked["terms"], 0))
            known.update(self._context.link.ask((self._context.state.tables.sql(sql), asked))[0])
        return np.array([known[term] for term in terms.tolist()], np.int64)

    def shared(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> Shared:
        """Return the rare terms of some nodes, and who holds them; see ``index.base.TextPart``."""
        origin, terms, _ = self._terms_of(nodes)
        df = self.df(terms)
        rare = (df >= 2) & (df <= most) & ~np.isin(terms, np.fromiter(besides, np.int64))
        starts, held = self._holders(terms[rare])
        return Shared(origin[rare], df[rare], starts, held)

    def names_held(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> HeldNames:
        """Return whose names the texts of some nodes hold; see ``index.base.TextPart``."""
        if self._context.config.text.names is None:
            return HeldNames.none()
        origin, terms, names = self._terms_of(nodes)
        rare = told_by(terms, names, most, besides)
        bm25 = self._context.bm25
        sql = self._context.state.tables.sql(
            "WITH held AS MATERIALIZED (SELECT p.term, p.node FROM {postings} p "
            "WHERE p.term = ANY(%(rare)s::int[]) AND p.in_name > 0), "
            "names AS MATERIALIZED (SELECT p.node, p.term FROM (SELECT DISTINCT node FROM held) h "
            "JOIN {words} w ON w.node = h.node CROSS JOIN unnest(w.terms) AS x (term) "
            "JOIN {postings} p ON p.term = x.term AND p.node = h.node WHERE p.in_name > 0), "
            f"counted AS MATERIALIZED (SELECT t.num, {bm25.df}::bigint AS df FROM ({self._held_in('names')}) t) "
            "SELECT (SELECT array_send(array_agg(term ORDER BY term, node)) FROM held), "
            "(SELECT array_send(array_agg(node ORDER BY term, node)) FROM held), "
            "(SELECT array_send(array_agg(node ORDER BY node, term)) FROM names), "
            "(SELECT array_send(array_agg(term ORDER BY node, term)) FROM names), "
            "(SELECT array_send(array_agg(num ORDER BY num)) FROM counted), "
            "(SELECT array_send(array_agg(df ORDER BY num)) FROM counted)"
        )
        row = self._context.link.ask((sql, {"rare": np.unique(terms[rare]).tolist()}))[0][0]
        holders = numbers(row[0], ">i4").astype(np.int64), numbers(row[1], ">i8")
        named = numbers(row[2], ">i8"), numbers(row[3], ">i4").astype(np.int64)
        num, df = numbers(row[4], ">i4").astype(np.int64), numbers(row[5], ">i8")
        size = self._context.state.nodes
        return names_listed(nodes, origin, terms, rare, holders, named, lambda own: df[num.searchsorted(own)], size)

    def _holders(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the nodes that hold term i are ``nodes[starts[i]:starts[i + 1]]``."""
        known = self._context.remembered("holders")
        missing = [term for term in terms.tolist() if term not in known]
        if missing:
            sql = self._context.state.tables.sql(
                "SELECT p.term, array_send(array_agg(p.node ORDER BY p.node)) FROM {postings} p "
                f"WHERE p.term = ANY(%s::int[]) AND {self._read} GROUP BY p.term"
            )
            known.update(dict.fromkeys(missing, np.empty(0, np.int64)))
            known.update((term, numbers(sent, ">i8")) for term, sent in self._context.link.rows(sql, missing))
        return laid_out([known[term] for term in terms.tolist()], np.int64)

    def _terms_of(self, nodes: Nodes) -> _Terms:
        """Return the terms of some nodes, with what else a passage is asked for."""
        known: dict[tuple[int, ...], _Terms] = self._context.remembered("terms")
        asked = tuple(nodes.tolist())
        if asked in known:
            return known[asked]
        bm25 = self._context.bm25
        sql = self._context.state.tables.sql(
            "WITH own AS MATERIALIZED (SELECT o.place, p.term FROM unnest(%(nodes)s::bigint[]) "
            "WITH ORDINALITY AS o (node, place) JOIN {words} w ON w.node = o.node "
            "CROSS JOIN unnest(w.terms) AS x (term) "
            f"JOIN {{postings}} p ON p.term = x.term AND p.node = o.node WHERE {self._read}), "
            f"counted AS MATERIALIZED (SELECT t.num, {bm25.df}::bigint AS df, {bm25.named}::bigint AS named "
            f"FROM ({self._held_in('own')}) t) "
            "SELECT (SELECT array_send(array_agg(place ORDER BY place, term)) FROM own), "
            "(SELECT array_send(array_agg(term ORDER BY place, term)) FROM own), "
            "(SELECT array_send(array_agg(num ORDER BY num)) FROM counted), "
            "(SELECT array_send(array_agg(df ORDER BY num)) FROM counted), "
            "(SELECT array_send(array_agg(named ORDER BY num)) FROM counted), "
            "(SELECT array_send(array_agg(c.num ORDER BY c.num, p.node)) FROM counted c "
            "JOIN {postings} p ON p.term = c.num WHERE c.df <= %(rare)s AND " + self._read + "), "
            "(SELECT array_send(array_agg(p.node ORDER BY c.num, p.node)) FROM counted c "
            "JOIN {postings} p ON p.term = c.num WHERE c.df <= %(rare)s AND " + self._read + ")"
        )
        row = self._context.link.ask((sql, {"nodes": nodes.tolist(), "rare": _RARE}))[0][0]
        places, terms = numbers(row[0], ">i8") - 1, numbers(row[1], ">i4").astype(np.int64)
        nums, df = numbers(row[2], ">i4").tolist(), numbers(row[3], ">i8").tolist()
        self._context.remembered("df").update(zip(nums, df, strict=True))
        self._remember_holders(numbers(row[5], ">i4"), row[6])
        named = dict(zip(nums, numbers(row[4], ">i8").tolist(), strict=True))
        known[asked] = found = places, terms, np.array([named[term] for term in terms.tolist()], np.int64)
        return found

    def _held_in(self, table: str) -> str:
        """Return SQL of the rows of ``terms`` whose terms stand in a table of the statement."""
        if self._context.state.tables.guarded:
            return self._context.bm25.held.replace("%(terms)s", f"(SELECT array_agg(DISTINCT term) FROM {table})")
        return f"SELECT * FROM terms WHERE num IN (SELECT term FROM {table})"

    def _remember_holders(self, terms: NDArray[np.int32], sent: bytes | None) -> None:
        holders = numbers(sent, ">i8")
        first = firsts(terms).nonzero()[0]
        known = self._context.remembered("holders")
        for term, nodes in zip(terms[first].tolist(), np.split(holders, first[1:]) if len(first) else (), strict=True):
            known[term] = nodes

    @property
    def _read(self) -> str:
        """SQL that is true of postings in a field that is read."""
        return "(" + " OR ".join(f"p.in_{name} > 0" for name in sorted(self._context.bm25.columns)) + ")"


class Vectors:
    """Unit vectors of nodes; see ``index.base.VectorPart``."""

    def __init__(self, context: PartContext) -> None:
        self._context = context

    @property
    def dimensions(self) -> int:
        """The length of every vector; 0 where there are none."""
        return self._context.state.dimensions if self.size else 0

    @property
    def size(self) -> int:
        """How many nodes have a vector."""
        return self._context.state.vectors

    def ask(self, vector: FloatArray) -> Ranking | NowhereRanking:
        """Rank by the cosine with a vector; DimensionError where it has another length."""
        question = unit_question(vector, self.dimensions if self.size else None)
        if not question.any():
            return NowhereRanking(self._context)
        batch = self._context.for_vector(question)
        return Ranking(batch, batch.near)

    def at(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the unit vectors of these nodes; zeros where there is none."""
        found = np.zeros((len(nodes), self.dimensions), np.float32)
        sql = self._context.state.tables.sql(
            "SELECT array_send(array_agg(o.place ORDER BY o.place)), string_agg(vector_send(v.vector), ''::bytea "
            "ORDER BY o.place) FROM unnest(%s::bigint[]) WITH ORDINALITY AS o (node, place) "
            "JOIN {vectors} v ON v.node = o.node"
        )
        places, sent = self._context.link.one(sql, nodes.tolist())
        if len(rows := vectors(sent)):
            if rows.shape[1] != self.dimensions:
                raise damaged(repr(self._context.link.path), f"it has vectors of {rows.shape[1]} dimensions")
            found[numbers(places, ">i8") - 1] = unit(rows)
        return found


class Tokens:
    """Wordpieces; see ``index.base.TokenPart``."""

    def __init__(self, context: PartContext) -> None:
        self._context = context
        self._seen: NDArray[np.int64] | None = None

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return self._context.state.nodes

    def of(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return (starts, pieces) of some nodes."""
        return laid_out(self._context.batch().pieces_of(nodes), np.int32)

    def frequency(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each wordpiece occurs."""
        if not self._context.state.tables.guarded:
            return self._context.batch().frequency(pieces)
        if self._seen is None:  # what other roles' texts are made of must not be told: all of one's own are counted
            sql = self._context.state.tables.sql("SELECT string_agg(w.pieces, ''::bytea) FROM {words} w")
            own = np.frombuffer(self._context.link.one(sql)[0] or b"", PIECE)
            self._seen = np.bincount(own, minlength=1 << 16)
        return self._seen[pieces]


class Names:
    """The names of nodes, by key; see ``index.base.NamePart``."""

    def __init__(self, context: PartContext) -> None:
        self._context = context

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the nodes whose name has key i are ``nodes[starts[i]:starts[i + 1]]``, ascending."""
        asked, own, nodes = self._context.batch().holders(keys)
        counts, begin = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        where = np.flatnonzero(keys > 0)
        place = np.searchsorted(asked, keys[where].view(np.int64))
        first = np.searchsorted(own, asked)
        counts[where] = (np.searchsorted(own, asked, side="right") - first)[place]
        begin[where] = first[place]
        return bounds(counts), nodes[spans(begin, counts)]
