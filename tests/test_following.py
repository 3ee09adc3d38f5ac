"""What stands beside a named node and is of the kind asked for, by the types of nodes and the ends of edges."""

import pytest

from fourfold import Edge, Node, Retriever

STATES = {"Arvel": "flat and dry", "Borin": "hills and vineyards", "Caldo": "deep forests", "Dune": "mostly sand"}
CITIES = {"Axum": "Arvel", "Brig": "Borin", "Bora": "Borin", "Cobb": "Caldo", "Crane": "Caldo", "Dell": "Dune"}
RIVERS = {"Silt": ("Arvel", "Borin"), "Torrent": ("Borin", "Caldo"), "Murk": ("Caldo",)}


@pytest.fixture(scope="module")
def country():
    nodes = [Node(name, name, "state", f"area: {text}") for name, text in STATES.items()]
    nodes += [Node(name, name, "city", "a market town") for name in CITIES]
    nodes += [Node(name, name, "river", "navigable in spring") for name in RIVERS]
    edges = [Edge(city, state, "in_state") for city, state in CITIES.items()]
    edges += [Edge(river, state, "traverses") for river, states in RIVERS.items() for state in states]
    edges += [Edge(one, other, "borders") for one, other in (("Arvel", "Borin"), ("Borin", "Caldo"), ("Caldo", "Dune"))]
    edges += [Edge("Borin", "Brig", "capital"), Edge("Caldo", "Cobb", "capital"), Edge("Arvel", "Axum", "capital")]
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what rivers run through Caldo", {"Torrent", "Murk"}),
        ("give me the rivers of Borin", {"Silt", "Torrent"}),
        ("what are the major cities in Borin", {"Brig", "Bora"}),
        ("show the cities of Caldo", {"Cobb", "Crane"}),
        ("which states does the Silt run through", {"Arvel", "Borin"}),
        ("what states are next to Borin", {"Arvel", "Caldo"}),
        ("give me the states that border Borin", {"Arvel", "Caldo"}),
        ("what are the capitals of the states that border Borin", {"Axum", "Cobb"}),
        ("what are the capitals of states bordering Borin", {"Axum", "Cobb"}),
    ],
)
def test_of_what_stands_beside_a_named_node_the_kind_asked_for_is_the_answer(country, question, answers):
    result = country.search(question)
    assert set(result.ids[: len(answers)]) == answers
    told = country.explain(question, result.ids[0])
    assert sum(part.value for part in told.contributions) == pytest.approx(told.score, abs=1e-6)


@pytest.mark.parametrize("question", ["Caldo", "what is Caldo", "tell me about Caldo", "what lives in Caldo"])
def test_where_nothing_beside_it_is_of_the_kind_the_named_node_stays(country, question):
    assert country.search(question).ids[0] == "Caldo"
