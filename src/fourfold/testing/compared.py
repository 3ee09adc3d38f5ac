"""An engine beside a SQLite file in memory: whatever one is told, the other is told too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from fourfold.config import RetrievalConfig
from fourfold.retriever import Retriever
from fourfold.testing.graphs import sample
from fourfold.types import SearchResult

TOLERANCE = 1e-4
"""Scores of two engines that are both exact differ by less."""


@dataclass
class Both:
    """The same graph twice: ``own`` in the engine, ``other`` in a SQLite file in memory."""

    own: Retriever
    other: Retriever

    def add(self, *arguments: Any, **options: Any) -> None:
        """Write the same to both."""
        self.own.add(*arguments, **options)
        self.other.add(*arguments, **options)

    def delete(self, *arguments: Any, **options: Any) -> int:
        """Delete the same of both; they must find as much."""
        counts = [one.delete(*arguments, **options) for one in (self.own, self.other)]
        assert counts[0] == counts[1]
        return counts[0]

    def agree(self, question: str, **options: Any) -> SearchResult:
        """Ask both, and compare everything that callers see; return the engine's own answer."""
        own, other = self.own.search(question, **options), self.other.search(question, **options)
        told = f"{question!r}, {options}"
        assert own.ids == other.ids, told
        assert (own.intent, own.degraded) == (other.intent, other.degraded), told
        assert own.weights.as_tuple() == pytest.approx(other.weights.as_tuple(), abs=TOLERANCE), told
        for hit, twin in zip(own.hits, other.hits, strict=True):
            assert hit.score == pytest.approx(twin.score, abs=TOLERANCE), told
            assert hit.components.as_dict() == pytest.approx(twin.components.as_dict(), abs=TOLERANCE), told
            assert (hit.node, hit.method, hit.why) == (twin.node, twin.method, twin.why), told
        return own

    def same_state(self) -> None:
        """Compare what both hold."""
        assert self.own.manifest() == self.other.manifest()
        assert self.own.backend.counts() == self.other.backend.counts()
        assert self.own.edges(self.own.manifest()) == self.other.edges(self.other.manifest())


class Compared:
    """The fixtures that all tests share."""

    @pytest.fixture
    def address(self) -> str:
        """Say where an empty graph is; a new one for each test."""
        raise NotImplementedError("say in the fixture `address` where an empty graph is")

    @pytest.fixture
    def config(self) -> RetrievalConfig:
        """Return the config of both; phrases are left out, as only SQLite ranks them."""
        return RetrievalConfig().replace(text={"phrase": "never"}, index={"cache_seconds": 0.0})

    @pytest.fixture
    def both(self, address: str, config: RetrievalConfig) -> Iterator[Both]:
        """Open an empty graph in the engine, and one in memory."""
        with Retriever(address, config=config) as own, Retriever(":memory:", config=config) as other:
            yield Both(own, other)

    @pytest.fixture
    def filled(self, both: Both) -> Both:
        """Write the sample to both."""
        both.add(*sample())
        return both
