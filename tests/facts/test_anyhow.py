"""Who or what has to do with all that is named, by whatever edge."""

import pytest

from fourfold import Edge, Node, Retriever

NODES = [
    Node("dam", "Stillwater Dam", "facility", "The oldest dam of the valley, built of stone."),
    Node("cut", "Winter Blackout of 2022", "event", "Three nights without light."),
    Node("lake", "Lake Stillwater", "place"),
    Node("firm", "Northwind Energy", "organization"),
    Node("nora", "Nora Whittle", "person"),
    Node("carl", "Carl Engstrom", "person"),
]
EDGES = [
    Edge("dam", "lake", "related"),
    Edge("firm", "dam", "operates"),
    Edge("firm", "cut", "related"),
    Edge("nora", "dam", "related"),
    Edge("nora", "cut", "related"),
    Edge("carl", "cut", "related"),
]


@pytest.fixture(scope="module")
def valley():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who has to do with both Stillwater Dam and the winter blackout", {"nora"}),
        ("who is involved in the Winter Blackout of 2022", {"nora", "carl"}),
        ("people connected to Stillwater Dam", {"nora"}),
        ("which place is connected to Stillwater Dam", {"lake"}),
        ("who operates Stillwater Dam", {"firm"}),
    ],
)
def test_any_edge(valley, question, answers):
    assert set(valley.search(question).ids[: len(answers)]) == answers


def test_a_word_of_an_edge_type_asks_for_that_edge():
    with Retriever() as retriever:
        retriever.add(NODES, [*EDGES, Edge("carl", "dam", "involved_in")])
        assert retriever.search("who is involved in Stillwater Dam").ids[0] == "carl"
