"""What the parts of one generation share: the server, the constants, and the batch of the question under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.postgres import moments
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.question_batch import QuestionBatch
from fourfold.engines.postgres.state import State
from fourfold.engines.postgres.text import Bm25
from fourfold.index.base import Allowed, Keys


@dataclass(frozen=True)
class PartContext:
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

    def batch(self) -> QuestionBatch:
        """Return the batch of the question that this thread asks; a new one where it asks none."""
        question = self.link.asking
        if question is None:
            return self._fresh()
        found = question.known.get("batch")
        if not isinstance(found, QuestionBatch) or question.known.get("batch of") is not self:
            found = question.known["batch"] = self._fresh()
            question.known["batch of"] = self
        return found

    def for_text(self, terms: Mapping[int, float]) -> QuestionBatch:
        """Return the batch to put terms on; other words than were expected have one of their own, beside it."""
        batch = self.batch()
        if batch.asked_text and dict(batch.terms) != dict(terms):
            beside = next((other for other in batch.beside if dict(other.terms) == dict(terms)), None)
            batch = self._replaced(batch) if batch.expecting else beside or self._fresh()
        batch.terms, batch.asked_text, batch.expecting = terms, True, False
        return batch

    def for_vector(self, question: NDArray[np.float32]) -> QuestionBatch:
        """Return the batch to put a vector on."""
        batch = self.batch()
        if batch.question is not None and not np.array_equal(batch.question, question):
            batch = self._replaced(batch)
        batch.question = question
        if not self.exact:
            batch.kept_sums = self._sums()
        return batch

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
            batch = self.batch()
            others = batch.beside
            if [one.terms for one in others] != list(beside):
                others = [self._fresh() for _ in beside]
                for one, terms in zip(others, beside, strict=True):
                    one.terms, one.asked_text = terms, True
            batch.expect(allowed, own, keys, others)

    def remembered(self, what: str) -> dict[Any, Any]:
        """Return what the question under way remembers; nothing outside of one."""
        question = self.link.asking
        if question is None:
            return {}
        known: dict[Any, Any] = question.known.setdefault(f"{what} of {id(self)}", {})
        return known

    def _replaced(self, batch: QuestionBatch) -> QuestionBatch:
        question = self.link.asking
        fresh = self._fresh()
        if question is not None:
            fresh.expect(batch.allowed, batch.pieces, batch.keys, batch.beside)
            question.known["batch"], question.known["batch of"] = fresh, self
        return fresh

    def _fresh(self) -> QuestionBatch:
        return QuestionBatch(self.link, self.state, self.bm25, exact=self.exact)

    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = self.kept_sums.get(self.state.sums)
        if found is None:
            found = moments.read(self.link.one("SELECT total, squares FROM moments"))
            self.kept_sums.clear()
            self.kept_sums[self.state.sums] = found
        return found
