"""What is asked in the first person is asked of the one node that stands for an assistant's user."""

import pytest

from fourfold import Edge, Node, Retriever

NODES = [
    Node("u", "Ana", "User"),
    Node("tom", "Tom Reed", "Person"),
    Node("kit", "Kit Oyelaran", "Person"),
    Node("acme", "Acme Bank", "Company"),
    Node("tide", "Tidewell", "Company"),
    Node("rex", "Rex", "Pet"),
    Node("nuts", "peanuts", "Allergen"),
    Node("fish", "shellfish", "Allergen"),
    Node(
        "left",
        "episode 1",
        "Episode",
        "Ana said that the night shifts at the bank had made her ill, so she left it in June.",
    ),
]
EDGES = [
    Edge("u", "tide", "WORKS_AT"),
    Edge("u", "acme", "PREVIOUSLY_WORKED_AT"),
    Edge("tom", "acme", "WORKS_AT"),
    Edge("u", "fish", "ALLERGIC_TO"),
    Edge("tom", "nuts", "ALLERGIC_TO"),
    Edge("u", "rex", "OWNS_PET"),
    Edge("kit", "u", "MANAGES"),
    Edge("tom", "u", "FRIEND_OF"),
    Edge("left", "u", "MENTIONS"),
    Edge("left", "acme", "MENTIONS"),
]
ASKED = [
    ("what am i allergic to", "fish"),
    ("where do I work", "tide"),
    ("who is my manager", "kit"),
    ("my pets", "rex"),
    ("what is my friend allergic to", "nuts"),
    ("what is the user allergic to", "fish"),
    ("why did I leave Acme Bank", "left"),
]


def first(question, nodes):
    with Retriever() as memory:
        memory.add(nodes, EDGES)
        return memory.search(question).ids[0]


@pytest.mark.parametrize(("question", "answer"), ASKED)
def test_the_user_asks(question, answer):
    assert first(question, NODES) == answer


@pytest.mark.parametrize("user", [Node("u", "user", "Person"), Node("u", "me", "entity")])
def test_the_user_may_be_a_person_so_called(user):
    assert first("what am i allergic to", [user, *NODES[1:]]) == "fish"


def test_what_else_is_named_in_part_tells_more_than_who_asks():
    nodes, edges = [*NODES, Node("marek", "Marek Nowak", "Person")], [*EDGES, Edge("kit", "marek", "RECOMMENDED")]
    with Retriever() as memory:
        memory.add(nodes, edges)
        assert memory.search("who recommended marek to me").ids[0] == "kit"


def test_of_several_users_nobody_knows_who_asks():
    with Retriever() as memory:
        memory.add([*NODES, Node("v", "Bo", "User")], EDGES)
        assert memory.search("what am i allergic to").ids[0] != "fish"


def test_what_is_mine_is_meant_itself_where_it_is_named():
    nodes = [*NODES, Node("permit", "residence permit", "Document"), Node("board", "Border Board", "Company")]
    nodes += [Node("intern", "internship at Tilde", "Job"), Node("tilde", "Tilde", "Company")]
    edges = [*EDGES, Edge("u", "permit", "HOLDS"), Edge("board", "permit", "ISSUED"), Edge("u", "intern", "HAS")]
    edges += [Edge("intern", "tilde", "WITH_COMPANY")]
    with Retriever() as memory:
        memory.add(nodes, edges)
        assert memory.search("who issued my residence permit").ids[0] == "board"
        assert memory.search("which company is my internship with").ids[0] == "tilde"


@pytest.mark.parametrize(("question", "answer"), [*ASKED[:4], ASKED[5]])
def test_who_asks_is_known(question, answer):
    with Retriever() as memory:
        memory.add(NODES, EDGES)
        found = memory.search(question)
        assert found.hits[0].grounds.confidence > 0.7
        assert found.grounds.confidence > 0.7
        assert memory.search("what am I to the zyxomma").grounds.confidence < 0.5
