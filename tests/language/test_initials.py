"""What stands for a name by the first letters of its words."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.language.initials import stands_for


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("ibm", "international business machines"),
        ("mlk", "dr martin luther king jr"),
        ("ucb", "university of california berkeley"),
        ("wwii", "world war ii"),
        ("ww2", "world war 2"),
    ],
)
def test_first_letters_stand_for_a_name(word, name):
    assert stands_for(word, name.split())


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("ib", "international business machines"),
        ("bm", "business machines"),
        ("ima", "international business machines"),
    ],
)
def test_two_letters_and_letters_that_are_not_in_a_row_stand_for_none(word, name):
    assert not stands_for(word, name.split())


@pytest.mark.parametrize(("typed", "expected"), [("IBM", "t0"), ("ibm", "t0"), ("MLK", "t1"), ("WWII", "t2")])
def test_a_path_begins_at_what_its_first_letters_name(typed, expected):
    """The node itself was found by its meaning, and stood before where its edge leads."""
    names = ["International Business Machines", "Martin Luther King", "World War II", "General Electric", "Ann Smith"]
    nodes = [Node(f"n{n}", name) for n, name in enumerate(names)]
    towns = [Node(f"t{n}", town) for n, town in enumerate(["Armonk", "Atlanta", "Danzig", "Boston", "Quito"])]
    with Retriever() as retriever:
        retriever.add([*nodes, *towns], [Edge(f"n{n}", f"t{n}", "began_in") for n in range(len(names))])
        assert retriever.search(f"where did {typed} begin", k=1).ids == [expected]


def test_a_word_of_the_graph_stands_for_itself():
    nodes = [Node("n", "International Business Machines"), Node("i", "IBM"), Node("t", "Armonk"), Node("u", "Boston")]
    with Retriever() as retriever:
        retriever.add(nodes, [Edge("n", "t", "began_in"), Edge("i", "u", "began_in")])
        assert retriever.search("where did IBM begin", k=1).ids == ["u"]
