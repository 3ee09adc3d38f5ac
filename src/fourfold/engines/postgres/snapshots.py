"""From generation to generation: nothing is built, so a snapshot costs a round trip or two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.postgres.edges import Edges
from fourfold.engines.postgres.keepable import stored_term
from fourfold.engines.postgres.link import Link, Question, Row, Statement
from fourfold.engines.postgres.part_context import PartContext
from fourfold.engines.postgres.parts import Names, Text, Tokens, Vectors
from fourfold.engines.postgres.state import State, Turn
from fourfold.engines.postgres.text import MASKS, Bm25
from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.index.structure import FETCHED_EDGES, Structure


class Lookup:
    """Ids of nodes and numbers of terms."""

    def __init__(self, context: PartContext) -> None:
        self._context = context

    def ids(self, nodes: Nodes) -> Sequence[str]:
        """Return the ids of these nodes, in their order; "" for those that are gone."""
        known = self._context.batch().facets.ids
        missing = [node for node in nodes.tolist() if node not in known]
        if missing:
            known.update(self._context.link.rows("SELECT num, id FROM nodes WHERE num = ANY(%s::bigint[])", missing))
        return [known.get(node, "") for node in nodes.tolist()]

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs; in how many nodes it does is remembered on the way."""
        asked = {term: stored_term(term) for term in terms}
        known = self._context.remembered("terms")
        if (question := self._context.link.asking) is not None and "words" in question.known:
            known.update(dict.fromkeys(question.known.pop("words")))
            self._take(known, question.known["with turn"][0])
        missing = [kept for kept in asked.values() if kept not in known]
        if missing:
            known.update(dict.fromkeys(missing))
            self._take(known, self._context.link.ask(numbers_of(missing))[0])
        return {term: number for term, kept in asked.items() if (number := known[kept]) is not None}

    def pairs(self, characters: Iterable[str]) -> dict[str, int]:
        """Return the number of each term of two characters that holds one of these; every term is looked at, once."""
        either = "substr(term, 1, 1) = ANY(%s::text[]) OR substr(term, 2, 1) = ANY(%s::text[])"
        sql = f"SELECT term, num FROM terms WHERE length(term) = 2 AND ({either})"
        these = list(characters)
        return dict(self._context.link.rows(sql, these, these))

    def _take(self, known: dict[str, int | None], rows: Sequence[Row]) -> None:
        known.update((term, number) for term, number, *_ in rows)
        if not self._context.state.tables.guarded:
            df = self._context.remembered("df")
            df.update((number, self._context.bm25.df_of(held)) for _, number, *held in rows)


def numbers_of(terms: Sequence[str]) -> Statement:
    """Return what asks for the numbers of terms, and in how many nodes they stand by their fields."""
    held = ", ".join(f"held_{mask}" for mask in MASKS)
    return f"SELECT term, num, {held} FROM terms WHERE term = ANY(%s::text[])", (list(terms),)


class Snapshots:
    """Hands out the snapshot of the present generation, read by a config. Safe to use from threads."""

    def __init__(self, link: Link, config: RetrievalConfig) -> None:
        self._link = link
        self._config = config
        self._lock = threading.Lock()
        self._current: Snapshot | None = None
        self._structure_of = self._edges_of = -1
        self._sums: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    def current(self) -> Snapshot:
        """Return the snapshot of the generation that this thread sees."""
        turn = self._turn()
        known = self._current
        if known is not None and known.generation == turn.generation and not self._behind(known):
            return known
        with self._lock:
            before = self._current
            if before is not None and before.generation == turn.generation and not self._behind(before):
                return before
            new = State.read(self._link, turn)
            if before is None:
                self._structure_of = self._edges_of = new.edges_generation
                self._current = self._snapshot(new, self._config, None)
                return self._current
            if before.generation > turn.generation:  # another thread has gone ahead
                return self._snapshot(new, self._config, before.structure)
            structure: Structure | None = before.structure
            if self._structure_of != new.edges_generation and not before.structure.busy:
                self._structure_of, structure = new.edges_generation, None
            self._edges_of = new.edges_generation
            self._current = self._snapshot(new, self._config, structure, before.structure)
            return self._current

    @contextmanager
    def question(self, words: Callable[[], Iterable[str]] | None) -> Iterator[Question]:
        """Ask of one state; the numbers of the question's terms come with the first round trip."""
        with self._link.question() as question:
            if words is not None:
                question.known.setdefault("coming", words)
            yield question

    def _turn(self) -> Turn:
        question = self._link.asking
        if question is None or "turn" in question.known or (words := question.known.pop("coming", None)) is None:
            return Turn.read(self._link)
        question.known["words"] = asked = list(dict.fromkeys(map(stored_term, words())))
        return Turn.read(self._link, numbers_of(asked))

    def _behind(self, snapshot: Snapshot) -> bool:
        """Whether communities are of older edges, and nobody is about to find newer ones."""
        return self._structure_of != self._edges_of and not snapshot.structure.busy

    def under(self, config: RetrievalConfig) -> Snapshot:
        """Return the current generation as another config reads its texts."""
        current = self.current()
        state = State.read(self._link, Turn.read(self._link))
        return self._snapshot(state, config, current.structure)

    def use(self, config: RetrievalConfig) -> None:
        """Go on with another config."""
        with self._lock:
            self._config = config
            self._current = None

    def forget(self) -> None:
        """Read everything anew at the next question."""
        with self._lock:
            self._current = None
            self._sums.clear()

    def _snapshot(
        self, state: State, config: RetrievalConfig, structure: Structure | None, stale: Structure | None = None
    ) -> Snapshot:
        context = PartContext(self._link, state, config, Bm25(state, config), self._sums)
        edges, lookup = Edges(context), Lookup(context)
        return Snapshot(
            generation=state.generation,
            embedder=state.embedder,
            own_share=1.0,
            size=state.nodes,
            vectors=Vectors(context),
            text=Text(context),
            tokens=Tokens(context),
            edges=edges,
            hidden=np.empty(0, np.int64),
            names=Names(context),
            lookup=lookup,
            structure=structure or Structure(edges, lookup.ids, stale, inline=FETCHED_EDGES),
            expect=context.expect,
        )
