"""Writes, upserts, deletions and generations."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fourfold.errors import DimensionError, StoreError, UnknownNodeError
from fourfold.retriever import Retriever
from fourfold.testing.compared import Both, Compared
from fourfold.testing.graphs import METADATA, QUESTIONS, sample
from fourfold.types import Edge, Node


class WritingTests(Compared):
    """What is written is there, all of it or nothing."""

    def test_nodes_come_back_as_they_went(self, both: Both) -> None:
        """Ids, texts and metadata of any characters survive."""
        nodes, edges = sample()
        both.add(nodes, edges)
        both.same_state()
        ids = [node.id for node in nodes]
        assert both.own.get(ids) == both.other.get(ids) == nodes
        assert both.own.get(["missing", "a\x00b", "\ud800"]) == []

    def test_vectors_come_back_bit_by_bit(self, both: Both) -> None:
        """A vector that a caller brought is the one that is stored."""
        rows = np.random.default_rng(0).normal(size=(9, 7)).astype(np.float32)
        rows[3] = 0
        both.add([Node(f"n{i}", "x", vector=row) for i, row in enumerate(rows)])
        found = both.own.vectors([f"n{i}" for i in range(9)] + ["missing"])
        assert len(found) == 9
        assert all(np.array_equal(found[f"n{i}"], row) for i, row in enumerate(rows))

    def test_a_node_is_replaced_and_keeps_its_edges(self, both: Both) -> None:
        """Its old words, vector and metadata are gone."""
        both.add(
            [Node("a", "alpha", text="old words", metadata={"k": 1}), Node("b", "beta")], [Edge("a", "b", "knows")]
        )
        both.add([Node("a", "gamma", text="new text", metadata={"k": 2})])
        both.same_state()
        assert both.own.edges(["a"]) == [Edge("a", "b", "knows")]
        assert both.own.matching({"k": 1}) == []
        for question in ("old words", "new text", "alpha", "gamma"):
            both.agree(question)

    def test_a_sample_is_chosen_by_ids(self, both: Both) -> None:
        """Whichever came first, the same nodes stand for all."""
        nodes, _ = sample(60)
        both.own.add(nodes[:25])
        both.own.add(nodes[25:])
        both.other.add(nodes)
        backend = both.own.backend
        chosen = backend.ids(np.array(backend.sample(12), np.int64))
        assert len(set(chosen)) == 12
        assert backend.ids(np.array(backend.sample(1000), np.int64)) != chosen
        assert set(backend.ids(np.array(backend.sample(1000), np.int64))) == {node.id for node in nodes}
        both.own.delete([node.id for node in nodes])
        assert backend.sample(12) == []
        for place in reversed(range(0, len(nodes), 7)):
            both.own.add(nodes[place : place + 7])
        assert backend.ids(np.array(backend.sample(12), np.int64)) == chosen

    def test_an_edge_is_replaced(self, both: Both) -> None:
        """The last weight counts, within a write too."""
        both.add([Node("a", "a"), Node("b", "b")], [Edge("a", "b", "t", 1.0), Edge("a", "b", "t", 2.0)])
        both.add(edges=[Edge("a", "b", "t", 3.5), Edge("b", "a", "t", 1.0)])
        both.same_state()
        assert both.own.edges(["a"])[0].weight == 3.5

    def test_deleting_takes_the_edges_along(self, both: Both) -> None:
        """What depended on what is gone ranks as if it had never been."""
        nodes, edges = sample(60)
        both.add(nodes, edges)
        assert both.delete([node.id for node in nodes[::3]] + ["missing"]) == 20
        both.same_state()
        assert both.delete(edges=edges[:50]) > 0
        both.same_state()
        for question in QUESTIONS:
            both.agree(question)

    def test_a_long_history_leaves_the_same_graph(self, both: Both) -> None:
        """Any order of writes and deletions gives what SQLite has, statistics too."""
        chance = random.Random(1)
        pool, links = sample(80, seed=2)
        for _ in range(12):
            there = set(both.own.manifest())
            if chance.random() < 0.6 or not there:
                some = chance.sample(pool, 15)
                names = there | {node.id for node in some}
                both.add(some, [e for e in chance.sample(links, 60) if {e.source, e.target} <= names])
            else:
                both.delete(chance.sample(sorted(there), min(7, len(there))))
            both.same_state()
            for question in chance.sample(QUESTIONS, 3):
                both.agree(question)

    def test_an_edge_needs_both_ends(self, both: Both) -> None:
        """Nothing of such a write is kept."""
        for one in (both.own, both.other):
            with pytest.raises(UnknownNodeError, match="missing"):
                one.add([Node("a", "a")], [Edge("a", "missing")])
        both.same_state()
        assert len(both.own) == 0

    def test_a_write_that_fails_leaves_nothing(self, both: Both) -> None:
        """Not a row, not a term's count, not a generation."""
        both.add(*sample(30))
        before = both.own.generation

        def fail(writer: object) -> None:
            raise RuntimeError("stop")

        with pytest.raises(RuntimeError, match="stop"):
            both.own.add([Node("new", "deploy", text="deploy release")], also=fail)
        assert both.own.generation == before
        both.same_state()
        for question in QUESTIONS[:4]:
            both.agree(question)

    def test_every_write_moves_the_generation(self, both: Both, address: str) -> None:
        """Whoever has the graph open sees it at once."""
        with Retriever(address, config=both.own.config) as reader:
            seen = [reader.generation]
            for number in range(3):
                assert both.own.add([Node(f"n{number}", "word")]) == both.own.generation
                assert both.own.backend.write() == reader.analysis.snapshot().write
                assert both.own.backend.knows(*both.own.backend.write())
                seen.append(reader.generation)
                assert len(reader.search("word").hits) == number + 1
            both.own.delete(["n0"])
            assert {hit.node.id for hit in reader.search("word").hits} == {"n1", "n2"}
            assert seen == sorted(set(seen))

    def test_vectors_are_of_one_length(self, both: Both) -> None:
        """A second length is refused, with both."""
        both.add([Node("a", "a", vector=[1.0, 0.0])])
        with pytest.raises(DimensionError, match="3 dimensions"):
            both.own.add([Node("b", "b", vector=[1.0, 0.0, 0.0])])
        both.same_state()

    def test_a_reader_writes_nothing(self, both: Both, address: str) -> None:
        """``read_only`` is kept to."""
        both.add([Node("a", "a", metadata=METADATA[0])])
        with (
            Retriever(address, config=both.own.config, read_only=True) as reader,
            pytest.raises(StoreError, match="read-only"),
        ):
            reader.add([Node("b", "b")])
        both.same_state()
