"""Typed edges over the server's rows: see ``index.base.EdgePart``.

The neighbourhood of a question's first nodes is fetched in both directions and two hops far, in one round trip: what
the steps of the method then ask for, by whatever types, is there. Nodes with very many edges are hubs: of these the
server picks the strongest, for one worth of types at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.postgres.arrays import numbers
from fourfold.engines.postgres.part_context import PartContext
from fourfold.engines.postgres.state import damaged
from fourfold.index.base import Allowed, Nodes, Steps, weighed
from fourfold.ragged import spans
from fourfold.types import FloatArray
from fourfold.validation import LARGEST_WEIGHT

_MOST = 1000
"""A node with more edges in one direction is a hub."""
_NEIGHBOURS = 1000
"""Up to so many neighbours come with edges of their own."""
_STARTS = 64
"""Up to so many nodes are taken for the first of a question, whose neighbours will be asked for next."""
_REMEMBERED_HUBS = 1024
_FURTHER = 16
"""So many times more of a hub's best edges are read where a filter leaves too few."""

_FORWARD = "SELECT num, target AS other, type, weight FROM {edges} e WHERE source = a.num"
_BACKWARD = "SELECT num, source AS other, type, weight FROM {edges} e WHERE target = a.num"


def _around(asked: str, name: str) -> str:
    """Return a common table expression of the edges at ``asked``, a hub's cut short."""
    return (
        f"{name} AS MATERIALIZED (SELECT a.num AS origin, true AS forward, e.* FROM {asked} a CROSS JOIN LATERAL "
        f"({_FORWARD} LIMIT {_MOST + 1}) e UNION ALL "
        f"SELECT a.num, false, e.* FROM {asked} a CROSS JOIN LATERAL ({_BACKWARD} LIMIT {_MOST + 1}) e)"
    )


_FIRST = f"asked AS MATERIALIZED (SELECT unnest(%(nodes)s::bigint[]) AS num), {_around('asked', 'one')}"
_SECOND = (
    "beside AS MATERIALIZED (SELECT DISTINCT other AS num FROM one WHERE other NOT IN (SELECT num FROM asked) "
    f"LIMIT {_NEIGHBOURS + 1}), "
    f"next AS MATERIALIZED (SELECT num FROM beside WHERE (SELECT count(*) FROM beside) <= {_NEIGHBOURS}), "
    f"{_around('next', 'two')}"
)
_COLUMNS = (
    "array_send(array_agg(origin ORDER BY forward, origin, num)), "
    "array_send(array_agg(forward::int ORDER BY forward, origin, num)), "
    "array_send(array_agg(num ORDER BY forward, origin, num)), "
    "array_send(array_agg(other ORDER BY forward, origin, num)), "
    "array_send(array_agg(type ORDER BY forward, origin, num)), "
    "array_send(array_agg(weight ORDER BY forward, origin, num))"
)
_LABELS = (
    "(SELECT array_send(array_agg(n.num ORDER BY n.num)) FROM labelled l JOIN nodes n USING (num)), "
    "(SELECT array_agg(n.id ORDER BY n.num) FROM labelled l JOIN nodes n USING (num)), "
    "(SELECT array_agg(n.name ORDER BY n.num) FROM labelled l JOIN nodes n USING (num))"
)
_STRONGEST = """
WITH worths AS MATERIALIZED (SELECT type - 1 AS type, worth FROM unnest(%(worth)s::float8[]) WITH ORDINALITY
    AS w (worth, type)),
ranked AS (SELECT a.num AS origin, e.num, e.other, e.type, e.weight, row_number() OVER (PARTITION BY a.num
    ORDER BY w.worth * {factor} DESC, t.id, y.type) AS place
    FROM (SELECT unnest(%(nodes)s::bigint[]) AS num) a CROSS JOIN LATERAL ({side}) e
    JOIN worths w ON w.type = e.type JOIN nodes t ON t.num = e.other JOIN edge_types y ON y.num = e.type
    WHERE w.worth > 0)
SELECT array_send(array_agg(origin ORDER BY origin, place)), array_send(array_agg(other ORDER BY origin, place)),
    array_send(array_agg(type ORDER BY origin, place)), array_send(array_agg(weight ORDER BY origin, place))
FROM ranked WHERE place <= %(cap)s
"""
_FACTORS = {"none": "1", "raw": "e.weight::real::float8", "log1p": "(ln(1 + e.weight) / ln(2))::real::float8"}


Columns = dict[str, NDArray[Any]]
"""Edges, parallel arrays by the name of the column."""


@dataclass(frozen=True)
class _Asked:
    """Which edges of nodes are asked for in one direction; see ``index.base.EdgePart.expand``."""

    forward: bool
    worth: FloatArray | None
    weights: str
    cap: int | None
    allowed: Allowed | None


class Near:
    """The edges that a question has seen: all of ``nodes``, in both directions, but for hubs."""

    def __init__(self) -> None:
        self.nodes: Nodes = np.empty(0, np.int64)
        self.degree: NDArray[np.int64] = np.empty(0, np.int64)
        self.hubs: NDArray[np.bool_] = np.empty(0, bool)
        self.sides: dict[bool, Columns] = {
            forward: {
                "origin": np.empty(0, np.int64),
                "other": np.empty(0, np.int64),
                "type": np.empty(0, np.int32),
                "weight": np.empty(0, np.float64),
            }
            for forward in (True, False)
        }

    def add(self, nodes: Nodes, columns: Sequence[NDArray[Any]]) -> None:
        """Take in the edges at nodes that were not known yet, ordered by direction, origin and number."""
        origin, forward, _, other, kind, weight = columns
        degree, hubs = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), bool)
        for along in (True, False):
            own = forward == int(along)
            place = np.searchsorted(nodes, origin[own])
            counts = np.bincount(place, minlength=len(nodes))
            degree += counts
            hubs |= counts > _MOST
            side = self.sides[along]
            joined = np.concatenate((side["origin"], origin[own]))
            order = np.argsort(joined, kind="stable")
            added = {"origin": origin[own], "other": other[own], "type": kind[own], "weight": weight[own]}
            self.sides[along] = {name: np.concatenate((side[name], added[name]))[order] for name in side}
        joined = np.concatenate((self.nodes, nodes))
        order = np.argsort(joined, kind="stable")
        self.nodes = joined[order]
        self.degree = np.concatenate((self.degree, degree))[order]
        self.hubs = np.concatenate((self.hubs, hubs))[order]

    def steps(self, nodes: Nodes, *, forward: bool) -> tuple[NDArray[np.int64], Columns]:
        """Return (place in ``nodes``, columns) of the edges at known nodes; hubs have none here."""
        side = self.sides[forward]
        begin = np.searchsorted(side["origin"], nodes)
        counts = np.searchsorted(side["origin"], nodes, side="right") - begin
        counts[self.hubs[np.searchsorted(self.nodes, nodes)]] = 0
        origin = np.repeat(np.arange(len(nodes)), counts)
        rows = spans(begin, counts)
        return origin, {name: column[rows] for name, column in side.items()}


def _only(used: NDArray[np.bool_], origin: NDArray[np.int64], found: Columns) -> tuple[NDArray[np.int64], Columns]:
    """Return those of some steps that are used."""
    return origin[used], {name: column[used] for name, column in found.items()}


class Edges:
    """All edges of one generation."""

    def __init__(self, context: PartContext) -> None:
        self._context = context
        self._hubs: dict[tuple[Any, ...], tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = {}
        self._degrees: dict[int, int] = {}

    def __len__(self) -> int:
        """Return the number of edges."""
        return self._context.state.edges

    @property
    def type_names(self) -> Sequence[str]:
        """Every edge type ever used; the place is the type's number."""
        return self._context.state.type_names

    @property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the types that have an edge."""
        return self._context.state.types_in_use

    def expand(
        self,
        nodes: Nodes,
        *,
        forward: bool | None = None,
        worth: FloatArray | None = None,
        weights: str = "raw",
        cap: int | None = None,
        allowed: Allowed | None = None,
    ) -> Steps:
        """Return the steps from these nodes; see ``index.base.EdgePart``."""
        found = []
        for way in (True, False) if forward is None else (forward,):
            own = worth if worth is None or worth.ndim == 1 else worth[int(way)]
            found.append(self._one_way(nodes, _Asked(way, own, weights, cap, allowed)))
        return Steps.joined(found)

    def _one_way(self, nodes: Nodes, asked: _Asked) -> Steps:
        near = self._near(nodes)
        origin, found = near.steps(nodes, forward=asked.forward)
        if asked.worth is not None and not asked.worth.all():
            origin, found = _only(asked.worth[found["type"]] > 0, origin, found)
        if asked.allowed is not None:
            origin, found = _only(asked.allowed.contains(found["other"]), origin, found)
        strong = near.hubs[np.searchsorted(near.nodes, nodes)]
        if asked.cap is not None and len(origin) > asked.cap:
            strong |= np.bincount(origin, minlength=len(nodes)) > asked.cap
        if strong.any():
            origin, found = _only(~strong[origin], origin, found)
            origin, found = self._with_hubs(nodes, np.flatnonzero(strong), origin, found, asked)
        self._require_written(found)
        factors = weighed(found["weight"].astype(np.float32), asked.weights)
        forward = np.full(len(origin), asked.forward)
        return Steps(origin, found["other"], found["type"].astype(np.int32), factors, forward)

    def _require_written(self, found: Columns) -> None:
        """Refuse what only another program has written: of NaN every score would be none."""
        kinds, weights = found["type"], found["weight"]
        if not ((weights >= 0) & (weights <= LARGEST_WEIGHT) & (kinds >= 0) & (kinds < len(self.type_names))).all():
            raise damaged(repr(self._context.link.path), "an edge has a weight or a type that none can have")

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions."""
        near = self._near(nodes)
        places = np.searchsorted(near.nodes, nodes)
        degree: NDArray[np.int64] = near.degree[places]
        hubs = nodes[near.hubs[places]]
        if len(hubs):
            degree = degree.copy()
            degree[near.hubs[places]] = self._counted(hubs)
        return degree

    def pairs(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs of nodes, (n_pairs, 2), sorted."""
        sql = self._context.state.tables.sql(
            "SELECT array_send(array_agg(source)), array_send(array_agg(target)) "
            "FROM (SELECT DISTINCT source, target FROM {edges} e ORDER BY source, target) d"
        )
        row = self._context.link.one(sql)
        return np.stack((numbers(row[0], ">i8"), numbers(row[1], ">i8")), axis=1)

    # -- what a question has seen -------------------------------------------------------------------------------

    def _near(self, nodes: Nodes) -> Near:
        remembered = self._context.remembered("near")
        near: Near = remembered.setdefault("edges", Near())
        missing = np.setdiff1d(nodes, near.nodes)
        if len(missing):
            self._fetch(near, missing, further=self._context.link.asking is not None and len(missing) <= _STARTS)
        return near

    def _fetch(self, near: Near, nodes: Nodes, *, further: bool) -> None:
        """Read the edges of nodes, with ids and names, and those of their neighbours; one round trip."""
        edges = "one"
        tables, labelled = [_FIRST], "SELECT num FROM asked"
        if further:
            edges = "(SELECT * FROM one UNION ALL SELECT * FROM two) w"
            tables.append(_SECOND)
            labelled += " UNION ALL SELECT num FROM next"
        tables.append(f"labelled AS ({labelled})")
        sql = self._context.state.tables.sql(
            f"WITH {', '.join(tables)} SELECT {_COLUMNS}, {_LABELS}"
            f"{', (SELECT array_send(array_agg(num ORDER BY num)) FROM next)' if further else ''} FROM {edges}"
        )
        row = self._context.link.ask((sql, {"nodes": nodes.tolist()}))[0][0]
        columns = [
            numbers(sent, kind) for sent, kind in zip(row, (">i8", ">i4", ">i8", ">i8", ">i4", ">f8"), strict=False)
        ]
        batch = self._context.batch()
        named = numbers(row[6], ">i8").tolist()
        batch.facets.ids.update(zip(named, row[7] or (), strict=True))
        batch.facets.names.update(zip(named, row[8] or (), strict=True))
        beside = np.setdiff1d(numbers(row[9], ">i8"), near.nodes) if further else np.empty(0, np.int64)
        whole = np.union1d(nodes, beside)
        own = np.isin(columns[0], whole)
        near.add(whole, [column[own] for column in columns])

    def _with_hubs(
        self, nodes: Nodes, strong: NDArray[np.int64], origin: NDArray[np.int64], found: Columns, asked: _Asked
    ) -> tuple[NDArray[np.int64], Columns]:
        """Return the steps with those of strong nodes among them, which the server picks."""
        picked = self._allowed_of_hubs(nodes[strong].tolist(), asked)
        own = np.repeat(strong, [len(columns[0]) for columns in picked])
        joined = np.concatenate((origin, own))
        order = np.argsort(joined, kind="stable")
        more = dict(zip(("other", "type", "weight"), map(np.concatenate, zip(*picked, strict=True)), strict=True))
        return joined[order], {name: np.concatenate((found[name], more[name]))[order] for name in more}

    def _allowed_of_hubs(self, hubs: list[int], asked: _Asked) -> list[tuple[NDArray[Any], ...]]:
        """Return (others, types, weights) of each hub's strongest edges to allowed nodes.

        The best are read and those that are not allowed left out; where too few remain, more, and in the end all.
        """
        cap, allowed = asked.cap, asked.allowed
        reads = [cap] if allowed is None or cap is None else [cap, _FURTHER * cap, None]
        for read in reads:
            best: list[tuple[NDArray[Any], ...]] = list(self._read_hubs(hubs, asked, read))
            if allowed is None:
                return best
            passing = [allowed.contains(others) for others, _, _ in best]
            if cap is None or read is None or all(used.sum() >= cap or len(used) < read for used in passing):
                break
        return [tuple(column[used][:cap] for column in own) for own, used in zip(best, passing, strict=True)]

    def _read_hubs(
        self, hubs: list[int], asked: _Asked, most: int | None
    ) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        """Return (others, types, weights) of each hub's strongest edges, best first; remembered for the generation."""
        worths = np.ones(len(self.type_names)) if asked.worth is None else asked.worth
        key = (asked.forward, worths.tobytes(), asked.weights, most)
        known = {hub: found for hub in hubs if (found := self._hubs.get((*key, hub))) is not None}
        if len(known) < len(hubs):
            side = _FORWARD if asked.forward else _BACKWARD
            sql = _STRONGEST.replace("{factor}", _FACTORS[asked.weights]).replace("{side}", side)
            unknown = [hub for hub in hubs if hub not in known]
            parameters = {"nodes": unknown, "worth": worths.tolist(), "cap": 2**62 if most is None else most}
            row = self._context.link.ask((self._context.state.tables.sql(sql), parameters))[0][0]
            columns = [numbers(sent, kind) for sent, kind in zip(row, (">i8", ">i8", ">i4", ">f8"), strict=True)]
            if len(self._hubs) + len(unknown) > _REMEMBERED_HUBS:
                self._hubs = {}
            for hub in unknown:
                own = columns[0] == hub
                known[hub] = self._hubs[(*key, hub)] = columns[1][own], columns[2][own], columns[3][own]
        return [known[hub] for hub in hubs]

    def _counted(self, hubs: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at hubs; remembered for the generation."""
        known = {hub: found for hub in hubs.tolist() if (found := self._degrees.get(hub)) is not None}
        if len(known) < len(hubs):
            sql = self._context.state.tables.sql(
                "SELECT a.num, (SELECT count(*) FROM {edges} e WHERE source = a.num) + "
                "(SELECT count(*) FROM {edges} e WHERE target = a.num) FROM unnest(%s::bigint[]) AS a (num)"
            )
            known.update(self._context.link.rows(sql, [hub for hub in hubs.tolist() if hub not in known]))
            self._degrees = known if len(self._degrees) > _REMEMBERED_HUBS else {**self._degrees, **known}
        return np.array([known[hub] for hub in hubs.tolist()], np.int64)
