"""Searches: components, filters, hubs, diversity, groups, explanations and presets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fourfold.config import RetrievalConfig
from fourfold.errors import DimensionError, FilterError
from fourfold.questions import Questions
from fourfold.retriever import Retriever
from fourfold.testing.compared import TOLERANCE, Both, Compared
from fourfold.testing.graphs import FILTERS, QUESTIONS, sample
from fourfold.types import Edge, Node

_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"k": 3},
    {"k": 200},
    {"mode": "text"},
    {"mode": "embedding"},
    {"weights": {"embedding": 1.0, "text": 0.0, "graph": 0.0, "intent": 0.0}},
    {"weights": {"embedding": 0.0, "text": 1.0, "graph": 0.0, "intent": 0.0}},
    {"weights": {"embedding": 0.0, "text": 0.0, "graph": 1.0, "intent": 0.0}},
    {"weights": {"embedding": 0.0, "text": 0.0, "graph": 0.2, "intent": 0.8}},
    {"intent": "default"},
    {"intent": "goal_based"},
    {"min_score": 0.3},
    {"group_by": "lang", "max_per_source": 2},
    {"filter": {"lang": "en"}},
    {"filter": {"lang": {"$ne": "en"}}, "k": 30},
)


class SearchingTests(Compared):
    """Every question has the same answer as in a SQLite file."""

    @pytest.mark.parametrize("options", _OPTIONS, ids=str)
    def test_questions(self, filled: Both, options: dict[str, Any]) -> None:
        """Ids, order, scores, components and reasons."""
        for question in QUESTIONS:
            filled.agree(question, **options)

    def test_every_filter(self, filled: Both) -> None:
        """What a filter keeps, and what is found within it."""
        for condition in FILTERS:
            assert filled.own.matching(condition) == filled.other.matching(condition), condition
            filled.agree("deploy the server", filter=condition)

    def test_words(self, filled: Both) -> None:
        """Which nodes hold words in name, type and metadata, after some were replaced and some deleted."""
        filled.add(
            [Node("n7", "server", "tool", "deploy"), Node("n8", "x", "deploy tool", metadata={"size": [1, 1.5]})]
        )
        filled.delete(["n9", "n10"])
        for question in (*QUESTIONS, "server", "deploy tool", "size", "years", "überlingen network", ""):
            own, other = (Questions(one).keyword_match(question, 50) for one in (filled.own, filled.other))
            assert (own.matches, own.total) == (other.matches, other.total), question

    def test_numbers_in_filters(self, both: Both) -> None:
        """Integers and fractions are compared exactly, and never with the columns of a node, which are strings."""
        values = (1, 1.0, True, 2**53, 2**53 + 1, 2.0**53, 2**62, 2.0**62, 2**62 + 1, 2**63, 10**400, 1e30, 10**30, 0.1)
        both.add([Node(str(number), "1", "0", metadata={"n": value}) for number, value in enumerate(values)])
        for value in values:
            listed = ({"$in": [value, "x"]}, {"$nin": [value, 1]})
            for condition in (*listed, *({name: value} for name in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"))):
                found = both.own.matching({"n": condition})
                assert found == both.other.matching({"n": condition}), condition
        for column in ("$id", "$name", "$type"):
            for condition in (1, {"$in": [0, 1, 2.0]}, {"$empty": True}, {"$lt": 5}, {"$contains": 1}):
                assert both.own.matching({column: condition}) == [], (column, condition)
            for condition in ({"$ne": 1}, {"$nin": [0, 1]}, {"$empty": False}):
                assert len(both.own.matching({column: condition})) == len(values), (column, condition)

    def test_a_filter_that_cannot_be_read_is_refused(self, filled: Both) -> None:
        """By every engine alike."""
        with pytest.raises(FilterError):
            filled.own.search("x", filter={"lang": {"$like": "e%"}})

    def test_an_empty_graph(self, both: Both) -> None:
        """Has no answers."""
        for question in QUESTIONS:
            assert both.agree(question).hits == ()

    def test_vectors_that_callers_bring(self, both: Both) -> None:
        """Ties, zeros and a question of zeros."""
        rows = np.random.default_rng(5).normal(size=(40, 16)).round(1)
        rows[7] = rows[8] = rows[9]
        rows[10] = 0
        both.add([Node(f"n{i:02}", f"name {i % 3}", vector=row) for i, row in enumerate(rows)])
        for question in (rows[7], rows[0] + rows[1], np.zeros(16)):
            both.agree("name 1", query_vector=question)
            both.agree("name 1", query_vector=question, mode="embedding", k=40)
        with pytest.raises(DimensionError, match="3 dimensions"):
            both.own.search("x", query_vector=[1.0, 0.0, 0.0])

    def test_explanations_add_up(self, filled: Both) -> None:
        """And are those of a SQLite file, of nodes that were found and that were not."""
        for question in QUESTIONS[:6]:
            for identity in (*filled.own.search(question, k=2).ids, "n33"):
                own, other = filled.own.explain(question, identity), filled.other.explain(question, identity)
                assert own.score == pytest.approx(other.score, abs=TOLERANCE)
                assert own.rank == other.rank
                assert sum(item.value for item in own.evidence) == pytest.approx(own.score, abs=1e-6)
                assert [item.kind for item in own.evidence] == [item.kind for item in other.evidence]

    @pytest.mark.parametrize(
        "preset", [RetrievalConfig.published(), RetrievalConfig.two_signal()], ids=["published", "two"]
    )
    def test_presets(self, both: Both, address: str, preset: RetrievalConfig) -> None:
        """The published method, with PageRank and greedy communities, and two signals only."""
        config = preset.replace(text={"phrase": "never"}, index={"cache_seconds": 0.0})
        with Retriever(f"{address}", config=config) as own, Retriever(":memory:", config=config) as other:
            pair = Both(own, other)
            pair.add(*sample(90))
            for question in QUESTIONS:
                pair.agree(question)

    def test_a_hub_gives_to_its_strongest(self, both: Both) -> None:
        """More edges than a question will ever look at, of equal and of different weights."""
        leaves = [Node(f"leaf {i:04}", f"leaf {i % 7}") for i in range(1300)]
        edges = [
            Edge("hub", leaf.id, "requires" if i % 5 else "part_of", 1.0 + (i % 3)) for i, leaf in enumerate(leaves)
        ]
        both.add([Node("hub", "hub", text="central"), *leaves], edges)
        for question in ("central hub", "what does the hub require", "leaf 3"):
            both.agree(question, k=30)

    def test_questions_that_name_nodes_and_edges(self, both: Both) -> None:
        """Paths of several steps."""
        people = ["Ada Byron", "Grace Hopper", "Alan Turing", "Mary Shelley"]
        films = ["The Engine", "Night Flight", "Cold Harbour", "Blue River"]
        nodes = [Node(name, name, "person") for name in people] + [Node(name, name, "film") for name in films]
        edges = [Edge(film, people[i % 3], "directed_by") for i, film in enumerate(films)]
        edges += [Edge(film, people[(i + 1) % 4], "starred_actors") for i, film in enumerate(films)]
        nodes += [Node(f"ticket {i}", f"ticket {i}", "ticket") for i in range(len(films))]
        edges += [Edge(f"ticket {i}", film, "film") for i, film in enumerate(films)]
        both.add(nodes, edges)
        for question in (
            "who directed The Engine",
            "which films did Ada Byron direct",
            "who starred in films directed by Ada Byron",
            "films with the same director as Blue River",
            "what are the names of films directed by Ada Byron",
        ):
            both.agree(question)

    def test_whom_a_passage_names(self, both: Both) -> None:
        """It leads on to the nodes whose names it holds, in graphs without edges, and to none that a filter hides."""
        people = [
            Node(f"m{i}", f"Quentza Mor{'abcdef'[i]}t", "", "A native of Uppsala.", {"t": i % 2}) for i in range(6)
        ]
        films = [
            Node(f"f{i}", f"The {i} Silver Harbours", "", f"A drama, directed by {man.name} and others.", {"t": 1})
            for i, man in enumerate(people)
        ]
        both.add([*people, *films, *(Node(f"n{i}", f"Item {i}", "", f"Stock {i} of the store.") for i in range(30))])
        for options in ({}, {"filter": {"t": 1}}):
            result = both.agree("Where was the director of the 2 Silver Harbours born?", **options)
            named = [hit.node.id for hit in result.hits if any(one.kind == "named" for one in hit.evidence)]
            assert named[:1] == ([] if options else ["m2"])

    def test_what_frames_a_request(self, both: Both) -> None:
        """It is no part of the question where the texts are papers."""
        texts = [f"This paper tells of subject {i % 7} at length {i}." for i in range(30)]
        both.add([Node(f"p{i}", f"Note {i}", "", text) for i, text in enumerate(texts)])
        for question in ("I am interested in articles on subject 3", "find all papers about lengths", "papers on"):
            both.agree(question)

    def test_phrases(self, address: str) -> None:
        """Ranked where the engine can; else they find nothing, and nothing fails."""
        with Retriever(address) as own:
            own.add(*sample(40))
            result = own.search('"deploy release"')
            assert result.degraded == ()
            if not own.backend.capabilities.phrases:
                assert own.backend.phrase("deploy release", 5) == []
