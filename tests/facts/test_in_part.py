"""Things that a question names by a part of their names, among others and texts that are called alike."""

import pytest

from fourfold import Edge, Node, Retriever

HELD = (
    "Delegates of nine countries sat in the old casino for three weeks, quarrelled about the map, and signed at last."
)
NODES = [
    Node("town", "Belmonte", "place"),
    Node("con", "Belmonte Congress of 1921", "event"),
    Node("pact", "Belmonte Protocol", "treaty"),
    Node("c1", "Belmonte Congress of 1921 (1)", "passage", HELD),
    Node("nw", "NORTHWIND ENERGY", "organization", "The largest supplier of power in the valley."),
    Node("p1", "Clara Voss", "person"),
    Node("p2", "Emil Tarn", "person"),
    Node("p3", "Dev Prakash", "person"),
    Node("pike", "Mayor Elaine Pike", "person"),
    Node("merrin", "Port Merrin", "place"),
    Node("villa", "Villa Serena", "place"),
    *[Node(f"t{n}", f"unit {n}", "passage", f"{word} Northwind sells power.") for n, word in enumerate("ABCDE")],
]
EDGES = [
    Edge("p1", "con", "ATTENDED"),
    Edge("p2", "con", "ATTENDED"),
    Edge("p2", "merrin", "LIVED_IN"),
    Edge("con", "town", "HELD_IN"),
    Edge("pact", "con", "SIGNED_AT"),
    Edge("con", "villa", "VENUE"),
    Edge("c1", "con", "MENTIONS"),
    Edge("p3", "nw", "IS_CEO_OF"),
    Edge("pike", "merrin", "IS_MAYOR_OF"),
    *[Edge(f"t{n}", "nw", "MENTIONS") for n in range(5)],
]


@pytest.fixture(scope="module")
def graph():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who attended the Belmonte Congress", {"p1", "p2"}),
        ("people who attended the Belmonte Congress and lived in Port Merrin", {"p2"}),
        ("what is the venue of the Belmonte Congress", {"villa"}),
        ("who is ceo of northwind", {"p3"}),
        ("who is Mayor Pike", {"pike"}),
        ("who is the mayor of Port Merrin", {"pike"}),
        ("which congress was held in Belmonte", {"con"}),
    ],
)
def test_a_part_of_a_name(graph, question, answers):
    assert set(graph.search(question).ids[: len(answers)]) == answers
