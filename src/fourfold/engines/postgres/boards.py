"""What the parts of one generation share: the server, the constants, and the board of the question under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.postgres import sums
from fourfold.engines.postgres.board import Board
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.state import State
from fourfold.engines.postgres.text import Bm25
from fourfold.index.base import Allowed, Keys


@dataclass(frozen=True)
class Boards:
    """One generation under one config.

    Args:
        link: the server.
        state: the generation.
        config: the constants of retrieval.
        bm25: how texts score.
        kept_sums: what is remembered of the sums over all vectors, by their generation; shared by generations.

    """

    link: Link
    state: State
    config: RetrievalConfig
    bm25: Bm25
    kept_sums: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]

    @property
    def exact(self) -> bool:
        """Whether every vector is compared with a question's."""
        return bool(self.config.index.exact) or not self.state.indexed or self.state.sums < 0

    def board(self) -> Board:
        """Return the board of the question that this thread asks; a new one where it asks none."""
        question = self.link.asking
        if question is None:
            return self._fresh()
        found = question.known.get("board")
        if not isinstance(found, Board) or question.known.get("board of") is not self:
            found = question.known["board"] = self._fresh()
            question.known["board of"] = self
        return found

    def for_text(self, terms: Mapping[int, float]) -> Board:
        """Return the board to put terms on; other words than were expected have one of their own, beside it."""
        board = self.board()
        if board.asked_text and dict(board.terms) != dict(terms):
            beside = next((other for other in board.beside if dict(other.terms) == dict(terms)), None)
            board = self._replaced(board) if board.expecting else beside or self._fresh()
        board.terms, board.asked_text, board.expecting = terms, True, False
        return board

    def for_vector(self, question: NDArray[np.float32]) -> Board:
        """Return the board to put a vector on."""
        board = self.board()
        if board.question is not None and not np.array_equal(board.question, question):
            board = self._replaced(board)
        board.question = question
        if not self.exact:
            board.kept_sums = self._sums()
        return board

    def expect(
        self,
        allowed: Allowed | None,
        pieces: NDArray[np.int64],
        keys: Keys,
        beside: Sequence[Mapping[int, float]] = (),
    ) -> None:
        """Know beforehand what the question under way will ask for."""
        if self.link.asking is not None:
            own = pieces[:0] if self.state.tables.guarded else pieces  # see Tokens.frequency
            board = self.board()
            boards = board.beside
            if [one.terms for one in boards] != list(beside):
                boards = [self._fresh() for _ in beside]
                for one, terms in zip(boards, beside, strict=True):
                    one.terms, one.asked_text = terms, True
            board.expect(allowed, own, keys, boards)

    def remembered(self, what: str) -> dict[Any, Any]:
        """Return what the question under way remembers; nothing outside of one."""
        question = self.link.asking
        if question is None:
            return {}
        known: dict[Any, Any] = question.known.setdefault(f"{what} of {id(self)}", {})
        return known

    def _replaced(self, board: Board) -> Board:
        question = self.link.asking
        fresh = self._fresh()
        if question is not None:
            fresh.expect(board.allowed, board.pieces, board.keys, board.beside)
            question.known["board"], question.known["board of"] = fresh, self
        return fresh

    def _fresh(self) -> Board:
        return Board(self.link, self.state, self.bm25, exact=self.exact)

    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = self.kept_sums.get(self.state.sums)
        if found is None:
            found = sums.read(self.link.one("SELECT total, squares FROM moments"))
            self.kept_sums.clear()
            self.kept_sums[self.state.sums] = found
        return found
