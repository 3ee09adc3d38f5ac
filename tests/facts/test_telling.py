"""Why, how and what happened is told by the texts beside what is named, which say little themselves."""

import pytest

from fourfold import Edge, Node, Retriever

TOLD = "After eleven years Ann Lee left the harbour office, tired of night shifts, and opened a bakery in the old town."
ELSE = "The regatta of spring brought forty boats to the bay; Ann Lee fired the gun, and the wind turned at noon."
FIRE = "On a Tuesday in March an oven burned out, and smoke drove all guests into the street; nobody was hurt."
NODES = [
    Node("ann", "Ann Lee", "person"),
    Node("bo", "Bo Marsh", "person"),
    Node("office", "Harbour Office", "company"),
    Node("bakery", "Blue Door", "company"),
    Node("town", "Lisbon", "city"),
    Node("c1", "chunk 1", "chunk", TOLD),
    Node("c2", "chunk 2", "chunk", ELSE),
    Node("c3", "chunk 3", "chunk", FIRE),
]
EDGES = [
    Edge("ann", "office", "worked_at"),
    Edge("bo", "office", "worked_at"),
    Edge("ann", "bakery", "owns"),
    Edge("bakery", "town", "located_in"),
    Edge("c1", "ann", "MENTIONS"),
    Edge("c1", "office", "MENTIONS"),
    Edge("c2", "ann", "MENTIONS"),
    Edge("c3", "bakery", "MENTIONS"),
]


def first(question, nodes=NODES, edges=EDGES):
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        return retriever.search(question).ids[0]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("why did Ann Lee quit her work at the Harbour Office", "c1"),
        ("how come Ann Lee quit", "c1"),
        ("what happened at the Blue Door", "c3"),
        ("what went wrong at the Blue Door", "c3"),
        ("what did Ann Lee fire", "c2"),
        ("when did the Blue Door burn", "c3"),
        ("what caused the trouble at the Blue Door", "c3"),
        ("why did Lee quit the Harbour Office", "c1"),
    ],
)
def test_a_text_beside_what_is_named_tells_it(question, told):
    assert first(question) == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [("where is the Blue Door located", "town"), ("what does Ann Lee own", "bakery"), ("who is Ann Lee", "ann")],
)
def test_what_an_edge_tells_stays_its_own(question, answer):
    assert first(question) == answer


def test_an_edge_that_gives_a_reason_tells_why():
    nodes = [
        *NODES,
        Node("fog", "Fog", "weather"),
        Node("f7", "Flight 7", "flight"),
        Node("c4", "chunk 4", "chunk", TOLD),
    ]
    edges = [*EDGES, Edge("f7", "fog", "delay_reason"), Edge("c4", "f7", "MENTIONS")]
    assert first("why was Flight 7 delayed", nodes, edges) == "fog"


def test_a_date_tells_when():
    nodes = [*NODES, Node("d", "3 May 1990", "date")]
    edges = [*EDGES, Edge("ann", "d", "date_of_birth")]
    assert first("when was Ann Lee born", nodes, edges) == "d"


def test_what_says_much_itself_tells_its_own_story():
    told = Node("ann", "Ann Lee", "person", f"{TOLD} {ELSE} {FIRE}")
    assert first("why did Ann Lee quit her work", [told, *NODES[1:]]) == "ann"


FLAT = [
    Node("flat", "Flat on Riia Street", "place", "Three rooms, third floor, rent 310 euro with heating apart."),
    Node("ott", "Ott Kask", "person"),
    Node("thea", "Thea Lind", "person", "Skier, 24, from the north."),
    Node("fos", "Fossby", "city"),
    Node(
        "note", "note 1", "note", "Ott Kask came by on Monday and said the rent of the flat on Riia Street would rise."
    ),
]
OF_FLAT = [Edge("ott", "flat", "rents_out"), Edge("thea", "fos", "born_in"), Edge("note", "flat", "mentions")]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much is the rent of the Flat on Riia Street", "flat"),
        ("how old is Thea Lind", "thea"),
        ("who rents out the Flat on Riia Street", "ott"),
        ("where was Thea Lind born", "fos"),
    ],
)
def test_what_gives_the_amount_in_its_own_text_tells_it_itself(question, answer):
    assert first(question, FLAT, OF_FLAT) == answer


def test_an_amount_at_the_end_of_an_edge_is_told_by_the_edge():
    nodes, edges = [*FLAT, Node("n", "310 euro", "amount")], [*OF_FLAT, Edge("flat", "n", "rent")]
    assert first("how much is the rent of the Flat on Riia Street", nodes, edges) == "n"


def test_what_is_named_tells_what_was_done_where_it_says_so_itself():
    kitchen = Node("kitchen", "Kitchen Renovation", "project", "Budget set to 14 000 euro for cupboards and tiles.")
    chat = Node(
        "chat",
        "chat 7",
        "episode",
        "We talked for an hour about the kitchen renovation, the noise and the dust, and fed the cat.",
    )
    cook = Node("cook", "Marek Nowak", "person")
    edges = [Edge("chat", "kitchen", "mentions"), Edge("cook", "kitchen", "works_on"), Edge("chat", "cook", "mentions")]
    assert first("what budget did we set for the Kitchen Renovation", [kitchen, chat, cook], edges) == "kitchen"


def test_weights_of_the_caller_stay_where_what_is_named_tells_itself():
    with Retriever() as retriever:
        retriever.add(FLAT, OF_FLAT)
        question = "how much is the rent of the Flat on Riia Street"
        assert not retriever.search(question).weights.graph
        assert retriever.search(question, weights={"graph": 0.4}).weights.graph > 0.3
