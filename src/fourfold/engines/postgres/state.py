"""What a generation is known by before any row of it is read: one statement, one round trip."""

from __future__ import annotations

from dataclasses import dataclass

from fourfold.arguments import shown
from fourfold.engines.postgres.link import Link, Row, Statement
from fourfold.engines.postgres.tables import GUARDED, PLAIN, Tables
from fourfold.errors import StoreError

NEAREST = "vectors_nearest"
"""The index that finds the nearest vectors, once there are many."""

_TURN: Statement = (
    "SELECT generation, row_security_active('nodes'), nodes, edges, vectors, name_length, type_length, text_length, "
    "moments, edges_generation FROM state",
    (),
)
_SEEN: Statement = (  # the same of what a role may read, where row-level security hides some of it
    "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM {edges} e), (SELECT count(*) FROM {vectors} v), "
    "sum(name_length), sum(type_length), sum(text_length) FROM nodes",
    (),
)
_FACTS: Statement = (
    "SELECT (SELECT value FROM meta WHERE key = 'embedder'), (SELECT value FROM meta WHERE key = 'dimensions'), "
    "(SELECT array_agg(type ORDER BY num) FROM edge_types), "
    "EXISTS (SELECT FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relname = %s AND "
    "c.relnamespace = to_regnamespace(quote_ident(current_schema())))",
    (NEAREST,),
)
_IN_USE = "SELECT array_agg(num) FROM edge_types WHERE edges > 0"
_IN_USE_SEEN = "SELECT array_agg(DISTINCT type) FROM {edges} e"


def damaged(whose: str, what: str = "its table 'state' is empty") -> StoreError:
    """Return what is said of a graph that has no state, or one that no writer leaves."""
    return StoreError(f"{whose} is damaged, {what}; restore a backup.")


@dataclass(frozen=True, slots=True)
class Turn:
    """The cheap part of a state: what every search asks first."""

    generation: int
    guarded: bool
    row: Row

    @classmethod
    def read(cls, link: Link, *more: Statement) -> Turn:
        """Read it, and the rows of ``more`` on the way; inside a question it is read once."""
        question = link.asking
        if question is not None and "turn" in question.known:
            known: Turn = question.known["turn"]
            return known
        first, *others = link.ask(_TURN, *more)
        if not first:
            raise damaged(repr(link.path))
        turn = cls(int(first[0][0]), bool(first[0][1]), first[0][2:])
        if question is not None:
            question.known["turn"], question.known["with turn"] = turn, others
        return turn


@dataclass(frozen=True)
class State:
    """One generation.

    Args:
        generation: its number.
        tables: how its rows are read.
        nodes: how many there are, of those this role may read.
        edges: the same of edges.
        vectors: the same of vectors.
        lengths: (3,) the terms in all names, types and texts.
        sums: the generation of the kept sums over all vectors; -1 where there are none.
        edges_generation: that of the last write that touched an edge.
        embedder: what made the vectors.
        dimensions: of each vector; 0 where there are none.
        type_names: every edge type ever used.
        types_in_use: the numbers of those that have an edge.
        indexed: whether an index finds the nearest vectors.

    """

    generation: int
    tables: Tables
    nodes: int
    edges: int
    vectors: int
    lengths: tuple[int, int, int]
    sums: int
    edges_generation: int
    embedder: str | None
    dimensions: int
    type_names: tuple[str, ...]
    types_in_use: frozenset[int]
    indexed: bool

    @classmethod
    def read(cls, link: Link, turn: Turn) -> State:
        """Read what belongs to a turn; one more round trip."""
        tables = GUARDED if turn.guarded else PLAIN
        batch = [_FACTS, (tables.sql(_IN_USE_SEEN if turn.guarded else _IN_USE), ())]
        if turn.guarded:
            batch.append((tables.sql(_SEEN[0]), ()))
        facts, in_use, *seen = link.ask(*batch)
        nodes, edges, vectors, *lengths = (int(n or 0) for n in (seen[0][0] if seen else turn.row[:6]))
        embedder, dimensions, names, indexed = facts[0]
        used = frozenset(map(int, in_use[0][0] or ()))
        if min(nodes, edges, vectors, *lengths) < 0:
            raise damaged(repr(link.path), f"its table 'state' counts {nodes} nodes, {edges} edges, {vectors} vectors")
        if bool(vectors) and not (dimensions or "").isdecimal():
            raise damaged(repr(link.path), f"its vectors have {shown(dimensions)} dimensions")
        return cls(
            turn.generation,
            tables,
            nodes,
            edges,
            vectors,
            (lengths[0], lengths[1], lengths[2]),
            -1 if turn.guarded else int(turn.row[6]),
            int(turn.row[7]),
            embedder,
            int(dimensions or 0),
            tuple(names or ()) if not turn.guarded else tuple(_shown(names or (), used)),
            used,
            bool(indexed),
        )


def _shown(names: tuple[str, ...], used: frozenset[int]) -> list[str]:
    """Return the types that this role may know by name; the others keep their places without one."""
    return [name if number in used else "" for number, name in enumerate(names)]
