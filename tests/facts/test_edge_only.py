"""Whether a node's text says more than its edges: signs between words say nothing, and no graph has too many labels."""

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.facts.edge_only import share_told_by_edges
from fourfold.signals.late import distinct_pieces


@pytest.fixture(scope="module")
def snacks():
    facts = {"Easy Cheese": ("Kraft", "1965"), "Corn Nuts": ("Hormel", "1936")}
    others = [f"registered office of the {word} district {number}" for word in "abcde" for number in range(40)]
    edges = [Edge("Kraft", "Hormel", kind) for kind in others]
    for snack, (company, year) in facts.items():
        edges += [Edge(snack, company, "company"), Edge(snack, year, "launched")]
    nodes = [Node(snack, snack, text=f"company: {one}; launched: {year}") for snack, (one, year) in facts.items()]
    nodes += [Node(name, name) for pair in facts.values() for name in pair]
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        yield retriever


def test_a_node_whose_text_lists_its_edges_steps_back_among_hundreds_of_edge_types(snacks):
    assert snacks.search("who is the steward of Easy Cheese").ids[0] == "Kraft"


class _Edges:
    def expand(self, nodes, **how):
        return type("Steps", (), {"targets": np.array([1])})


class _Tokens:
    def __init__(self, *texts):
        self.texts = texts

    def of(self, nodes):
        pieces = distinct_pieces([self.texts[node] for node in nodes])
        return np.cumsum([0, *map(len, pieces)]), np.concatenate(pieces)


@pytest.mark.parametrize(("text", "share"), [("owner: Kraft;", 0.5), ("owner Kraft", 0.5), ("Kraft; (Kraft)", 1.0)])
def test_signs_between_words_are_not_counted(text, share):
    told = share_told_by_edges(_Edges(), _Tokens(text, "Kraft"), np.array([0]), np.empty(0, np.int64), most=9)
    assert told == pytest.approx(share)


def test_a_text_that_says_all_that_is_asked_comes_before_any_edge_of_what_is_named():
    nodes = [
        Node("oslo", "Oslo"),
        Node("room", "Server room Oslo", "place"),
        Node("pg", "PostgreSQL", "service", "The database behind billing."),
        Node("trip", "Offsite", "document", "We booked the hotel Bristol in Oslo; rooms are paid by the company."),
    ]
    with Retriever() as office:
        office.add(nodes, [Edge("pg", "room", "runs_in"), Edge("room", "oslo", "located_in")])
        assert office.search("hotel in Oslo").ids[0] == "trip"
        assert office.search("museums of Oslo").ids[0] == "room"
