"""What is kept beside the graph: feedback, configs, usage, models, documents, and a re-embedding under way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fourfold.engines.usage import Usage
from fourfold.errors import UnsupportedError
from fourfold.retriever import Retriever
from fourfold.testing.compared import Both, Compared
from fourfold.testing.graphs import QUESTIONS, sample
from fourfold.types import Node


class _Reversed:
    """An embedder unlike the bundled one."""

    name = "reversed"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return vectors of what the texts end with."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return a vector of what the text ends with."""
        return [float(ord(letter) % 17) for letter in f"{text[::-1]:<12}"[:12]]


class KeepingTests(Compared):
    """Beside the graph."""

    def test_feedback(self, both: Both) -> None:
        """The last word on a pair counts; the order is that of the first mention."""
        both.add(*sample(20))
        for query, node, grade in (("b", "n1", 1.0), ("a", "n2", 0.5), ("b", "n3", True), ("b", "n1", 0.25)):
            for one in (both.own, both.other):
                one.learning.feedback(query, node, grade)
        assert both.own.learning.judgements() == both.other.learning.judgements()
        assert len(both.own.learning.judgements()) == 3

    def test_configs(self, both: Both, address: str) -> None:
        """Applied, found by whoever opens the graph, and taken back."""
        both.add(*sample(30))
        changed = both.own.config.replace(limit=4, text={"k1": 2.0})
        assert both.own.learning.apply_config(changed, evidence={"gain": 0.1}) == 1
        with Retriever(address) as opened:
            assert opened.config == changed
            assert len(opened.search("deploy").hits) <= 4
        with Retriever(address) as follows, Retriever(address, config=changed) as given:
            assert len(follows.search("deploy").hits) <= 4
            both.own.learning.rollback_config()
            assert 4 < len(follows.search("deploy").hits) <= 10
            assert (follows.config.limit, given.config.limit) == (10, 4)
            assert len(given.search("deploy").hits) <= 4
        assert [version.number for version in both.own.learning.config_versions()] == [1]

    def test_usage(self, both: Both) -> None:
        """How often nodes were used; gone with the node."""
        both.add(*sample(20))
        used = {"n1": Usage(3, 2, 1.5, 1e9), "n2": Usage(1, 0, 1.0, 2e9)}
        used |= dict.fromkeys(("missing", "n1\x00"), Usage(1, 1, 1.0, 1.0))
        if not both.own.backend.capabilities.usage:
            with pytest.raises(UnsupportedError), both.own.backend.transaction(moves=False) as writer:
                writer.put_usage(used)
            return
        with both.own.backend.transaction(moves=False) as writer:
            writer.put_usage(used)
        assert both.own.backend.usage() == {"n1": used["n1"], "n2": used["n2"]}
        assert both.own.backend.usage(["n2", "x", "n1\x00"]) == {"n2": used["n2"]}
        both.own.delete(["n1"])
        assert set(both.own.backend.usage()) == {"n2"}

    def test_settings(self, both: Both) -> None:
        """Texts by key, within and after a write."""
        before = both.own.generation
        with both.own.backend.transaction(moves=False) as writer:
            writer.set_meta("mine", "a")
            assert writer.meta("mine") == "a"
        assert (both.own.backend.meta("mine"), both.own.generation) == ("a", before)
        with both.own.backend.transaction(moves=False) as writer:
            writer.set_meta("mine", None)
            assert writer.move() == before + 1
        assert (both.own.backend.meta("mine"), both.own.generation) == (None, before + 1)

    def test_embedding_again(self, both: Both) -> None:
        """The new vectors are searched from then on."""
        both.add(*sample(50))
        if not both.own.backend.capabilities.reembedding:
            with pytest.raises(UnsupportedError):
                both.own.maintenance.reembed(_Reversed())
            return
        for one in (both.own, both.other):
            one.maintenance.reembed(_Reversed())
        own, other = both.own.vectors(["n1", "n2"]), both.other.vectors(["n1", "n2"])
        assert all(np.array_equal(own[identity], other[identity]) for identity in other)
        for question in QUESTIONS[:5]:
            both.agree(question)

    def test_models(self, both: Both) -> None:
        """An embedder that was trained from the graph."""
        if not both.own.backend.capabilities.models:
            with pytest.raises(UnsupportedError), both.own.backend.transaction() as writer:
                writer.put_model("trained", b"bytes")
            return
        with both.own.backend.transaction() as writer:
            writer.put_model("trained", b"bytes")
        assert both.own.backend.model("trained") == b"bytes"
        assert both.own.backend.model("another") is None

    def test_documents(self, both: Both, tmp_path: Path) -> None:
        """A folder read twice, where the engine keeps books; else a refusal that leaves the graph as it was."""
        from fourfold.ingest import index_paths

        (tmp_path / "a.md").write_text("# Alpha\n\nSee Beta.\n")
        (tmp_path / "b.md").write_text("# Beta\n\n" + "Words of beta. " * 400)
        both.add([Node("own", "own")])
        if not both.own.backend.capabilities.documents:
            with pytest.raises(UnsupportedError):
                index_paths(both.own, [tmp_path])
            assert set(both.own.manifest()) == {"own"}
            assert [node.id for node in both.own.context("own")] == ["own"]
            return
        for one in (both.own, both.other):
            index_paths(one, [tmp_path])
            index_paths(one, [tmp_path])
        both.same_state()
        for question in ("alpha", "words of beta"):
            both.agree(question)
