"""One question on its way through the parts: what it asks is put together, so that few round trips fetch it.

The parts announce what they are asked for (``text.ask``, ``vectors.ask``, ``Snapshot.expect``). The first number that
somebody needs brings the best nodes of both, their moments, and everything the next steps look at in these nodes: raw
scores by both, ids, names and wordpieces. Nodes that come up later (neighbours, bridges) are fetched the same way, all
at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.postgres.arrays import numbers
from fourfold.engines.postgres.candidates import HELD, Candidates
from fourfold.engines.postgres.link import Link, Row, Statement
from fourfold.engines.postgres.state import State
from fourfold.engines.postgres.text import Bm25
from fourfold.index.base import Allowed, Keys, Moments, Nodes, NodeValues, Scored
from fourfold.index.changes import PIECE
from fourfold.types import FloatArray

FIRST = 144
"""So many of the best are fetched of each part at first, though fewer are asked for: they cost next to nothing."""
_BESIDE = 8
_LOOKED_AT = 144
"""Of so many of these everything is fetched that the next steps look at."""


@dataclass
class Best:
    """The best nodes by one part: ``floor`` is what no other has more of, −inf or 0 where these are all."""

    nodes: Nodes
    values: NDArray[np.float32]
    complete: bool

    def first(self, count: int, empty: float, *, exact: bool) -> Scored | None:
        """Return the ``count`` best and all that tie with the last; None where they are not known."""
        if len(self.values) < count and not self.complete:
            return None
        if len(self.values) <= count:
            return Scored(self.nodes, self.values, empty if self.complete else float(self.values[-1]), exact=exact)
        last = self.values[count - 1]
        within = int(np.searchsorted(-self.values, -last, side="right"))
        complete = self.complete and within == len(self.values)
        return Scored(self.nodes[:within], self.values[:within], empty if complete else float(last), exact=exact)


@dataclass
class Facets:
    """What is known of single nodes; parallel, ``nodes`` ascending."""

    nodes: Nodes = field(default_factory=lambda: np.empty(0, np.int64))
    text: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    cosines: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    ids: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    types: dict[int, str] = field(default_factory=dict)
    pieces: dict[int, bytes] = field(default_factory=dict)
    held: Nodes = field(default_factory=lambda: np.empty(0, np.int64))
    terms: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    worths: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def worth(self, term: int, nodes: Nodes) -> FloatArray:
        """Return what one of the question's terms is worth in some known nodes."""
        own = self.terms == term
        return NodeValues.sum([self.held[own]], [self.worths[own]]).at(nodes)

    def missing(self, nodes: Nodes) -> Nodes:
        """Return those of these nodes that nothing is known of."""
        return np.setdiff1d(nodes, self.nodes)

    def at(self, values: NDArray[np.float32], nodes: Nodes) -> NDArray[np.float32]:
        """Return the values of known nodes."""
        return values[np.searchsorted(self.nodes, nodes)] if len(nodes) else np.empty(0, np.float32)

    def add(self, row: Sequence[Any], nodes: Nodes) -> None:
        """Take in what was fetched of nodes that nothing was known of: see ``candidates.FACETS``."""
        held, terms, worths, summands = (numbers(sent, kind) for sent, kind in zip(row, HELD, strict=False))
        place = np.searchsorted(nodes, held)
        text = np.bincount(place, summands, len(nodes)).astype(np.float32)  # multiples of a grid: exact in any order
        cosines = np.zeros(len(nodes), np.float32)
        cosines[np.searchsorted(nodes, numbers(row[4], ">i8"))] = numbers(row[5], ">f4")
        named = numbers(row[6], ">i8").tolist()
        self.ids.update(zip(named, row[7] or (), strict=True))
        self.names.update(zip(named, row[8] or (), strict=True))
        self.types.update(zip(named, row[11] or (), strict=True))
        self.pieces.update(zip(numbers(row[9], ">i8").tolist(), row[10] or (), strict=True))
        self.held = np.concatenate((self.held, held))
        self.terms = np.concatenate((self.terms, terms))
        self.worths = np.concatenate((self.worths, worths))
        joined = np.concatenate((self.nodes, nodes))
        order = np.argsort(joined, kind="stable")
        self.nodes = joined[order]
        self.text = np.concatenate((self.text, text))[order]
        self.cosines = np.concatenate((self.cosines, cosines))[order]


@dataclass
class Side:
    """What a question has learned of all nodes by one part: the best, by the ``id`` of a filter's nodes, and the sums.

    ``facet`` is where the values of single nodes are; ``empty`` is what no other node has more of where all are known.
    """

    facet: Literal["text", "cosines"]
    empty: float
    exact: bool
    known: dict[int, Best] = field(default_factory=dict)
    sums: Moments | None = None


@dataclass(frozen=True, eq=False)
class Ranking:
    """One question put to the postings, or to the vectors; see ``index.base.Ranking``."""

    batch: QuestionBatch
    side: Side

    @property
    def moments(self) -> Moments:
        """Sums over all nodes that could have a value."""
        if self.side.sums is None:
            self.batch.fetch(FIRST, self.batch.allowed)
        return self.side.sums or Moments(0.0, 0.0, 0.0, 0)

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the ``count`` best, and all that tie with the last where every node is compared."""
        count = max(count, 1)
        wanted = FIRST
        while True:
            own = self.side.known.get(id(allowed))
            found = None if own is None else own.first(count, self.side.empty, exact=self.side.exact)
            if found is not None:
                return found
            if own is not None:
                wanted = max(4 * len(own.values), 4 * count, FIRST)
            self.batch.fetch(max(wanted, count), allowed)

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the values of these nodes."""
        self.batch.need(nodes)
        facets = self.batch.facets
        return facets.at(getattr(facets, self.side.facet), nodes)


class QuestionBatch:
    """What one question has asked of one generation, and what it has learned; ``exact`` compares every vector."""

    def __init__(self, link: Link, state: State, bm25: Bm25, *, exact: bool) -> None:
        self._link, self._state, self._bm25, self.exact = link, state, bm25, exact
        self.terms: Mapping[int, float] = {}
        self.question: NDArray[np.float32] | None = None
        self.allowed: Allowed | None = None
        self.facets = Facets()
        self.frequencies: dict[int, int] = {}
        self.pieces: NDArray[np.int64] = np.empty(0, np.int64)
        self.keys: Keys = np.empty(0, np.uint64)
        self.asked_text = False
        self.expecting = False
        """Whether the next terms are those of the question itself."""
        self.beside: Sequence[QuestionBatch] = ()
        """Other terms whose best will be asked for, each on a batch of its own."""
        self.named: tuple[NDArray[np.int64], NDArray[np.int64], Nodes] | None = None
        self.text = Side("text", 0.0, exact=True)
        self.near = Side("cosines", -math.inf, exact=exact)

    def expect(
        self, allowed: Allowed | None, pieces: NDArray[np.int64], keys: Keys, beside: Sequence[QuestionBatch] = ()
    ) -> None:
        """Know beforehand what will be asked for; nothing depends on it but the number of round trips."""
        self.allowed, self.pieces, self.keys, self.expecting = allowed, pieces, keys, True
        self.beside = beside

    # -- the best -----------------------------------------------------------------------------------------------

    def fetch(self, count: int, allowed: Allowed | None) -> None:
        """Ask for the best by text and by vector together, with their moments and their facets: one round trip."""
        first = self.text.sums is None and self.near.sums is None
        asked = self._candidates
        if not asked.text:
            self.text.sums = Moments(0.0, 0.0, 0.0, self._state.nodes)
            self.text.known[id(allowed)] = Best(_NONE, _NO_VALUES, True)
        if not asked.text and not asked.near:
            return
        statement = self._statement(count, _LOOKED_AT if first else 0, allowed)
        found = self._link.ask(statement, *(self._coming() if first else ()))
        row = self._take_best(found[0][0], count, allowed)
        if first:
            self.facets.add(row[1:], numbers(row[0], ">i8"))
            self._take_coming(found[1:])

    def _statement(self, count: int, looked_at: int, allowed: Allowed | None) -> Statement:
        parameters = self._parameters()
        if allowed is not None:
            parameters["allowed"] = allowed.nodes.tolist()
        return self._candidates.best(count, looked_at, None if allowed is None else len(allowed)), parameters

    def _take_best(self, columns: Row, count: int, allowed: Allowed | None) -> list[Any]:
        """Take in the moments and the best; return what else is in the row."""
        row, asked = list(columns), self._candidates
        if asked.text:
            total, squares, most = (float(sent or 0.0) for sent in row[:3])
            self.text.sums = Moments(total, squares, max(most, 0.0), self._state.nodes)
            del row[:3]
        if asked.near:
            self._take_sums(*(float(sent or 0.0) for sent in row[:3]))
            del row[:3]
        for known, there in ((self.text.known, asked.text), (self.near.known, asked.near)):
            if there:
                known[id(allowed)] = _best_of(row[0], row[1], count)
                del row[:2]
        return row

    def _coming(self) -> list[Statement]:
        """Return what else is expected to be asked for."""
        return [
            *([frequency_statement(self.pieces)] if len(self.pieces) else ()),
            *([named_statement(_distinct(self.keys))] if len(self.keys) else ()),
            *(batch._statement(_BESIDE, 0, self.allowed) for batch in self.beside),
        ]

    def _take_coming(self, found: Sequence[list[Row]]) -> None:
        left = list(found)
        if len(self.pieces):
            self._take_frequencies(left.pop(0))
        if len(self.keys):
            self._take_named(_distinct(self.keys), left.pop(0)[0])
        for batch in self.beside:
            batch._take_best(left.pop(0)[0], _BESIDE, self.allowed)

    @property
    def _candidates(self) -> Candidates:
        return Candidates(self._state, self._bm25, bool(self.terms), self.question is not None, self.exact)

    def _parameters(self) -> dict[str, Any]:
        found = self._bm25.parameters(self.terms) if self.terms else {}
        return found if self.question is None else {**found, "question": self.question.tolist()}

    kept_sums: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """Σ v and Σ v vᵀ, where an index finds the nearest."""

    def _take_sums(self, total: float, squares: float, most: float) -> None:
        if not self.exact and self.kept_sums is not None and self.question is not None:
            own, pairs = self.kept_sums
            unit = self.question.astype(np.float64)
            total, squares = total + float(unit @ own), squares + float(unit @ pairs @ unit)
        self.near.sums = Moments(total, squares, most, self._state.vectors)

    # -- single nodes -------------------------------------------------------------------------------------------

    def need(self, nodes: Nodes) -> None:
        """Know everything of these nodes; what is missing comes in one round trip."""
        missing = self.facets.missing(nodes)
        if not len(missing):
            return
        statement = self._candidates.single, {**self._parameters(), "nodes": missing.tolist()}
        self.facets.add(self._link.ask(statement)[0][0], missing)

    def pieces_of(self, nodes: Nodes) -> list[NDArray[Any]]:
        """Return the wordpieces of each of these nodes."""
        self.need(nodes)
        return [np.frombuffer(self.facets.pieces.get(node, b""), PIECE) for node in nodes.tolist()]

    # -- names --------------------------------------------------------------------------------------------------

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64], Nodes]:
        """Return (keys, own, nodes): these and other signed keys, and the key of each of the nodes; both ascending."""
        asked = _distinct(keys)
        if self.named is None or not np.isin(asked, self.named[0]).all():
            self._take_named(asked, self._link.ask(named_statement(asked))[0][0])
        assert self.named is not None
        return self.named

    def _take_named(self, asked: NDArray[np.int64], row: Row) -> None:
        self.named = asked, numbers(row[0], ">i8"), numbers(row[1], ">i8")

    # -- wordpieces ---------------------------------------------------------------------------------------------

    def frequency(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each wordpiece occurs."""
        if not self.frequencies.keys() >= set(pieces.tolist()):
            self.pieces = pieces
            self._take_frequencies(self._link.ask(frequency_statement(pieces))[0])
        return np.array([self.frequencies[piece] for piece in pieces.tolist()], np.int64)

    def _take_frequencies(self, rows: list[Row]) -> None:
        found = dict.fromkeys(self.pieces.tolist(), 0)
        found.update(rows)
        self.frequencies.update(found)


def _distinct(keys: Keys) -> NDArray[np.int64]:
    return np.unique(keys[keys > 0].view(np.int64))


def named_statement(keys: NDArray[np.int64]) -> Statement:
    """Return what asks which nodes have names with these keys."""
    return (
        "SELECT array_send(array_agg(name_key ORDER BY name_key, num)), array_send(array_agg(num ORDER BY name_key, "
        "num)) FROM nodes WHERE name_key <> 0 AND name_key = ANY(%s::bigint[])",
        (keys.tolist(),),
    )


def frequency_statement(pieces: NDArray[np.int64]) -> Statement:
    """Return what asks in how many nodes wordpieces occur."""
    return "SELECT piece, nodes FROM pieces WHERE piece = ANY(%s::int[])", (pieces.tolist(),)


_NONE, _NO_VALUES = np.empty(0, np.int64), np.empty(0, np.float32)


def _best_of(nodes: bytes | None, values: bytes | None, count: int) -> Best:
    found = numbers(values, ">f4")
    return Best(numbers(nodes, ">i8"), found, len(found) < count)
