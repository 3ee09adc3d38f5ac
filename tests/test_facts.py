"""Questions about facts in words that no edge type has: the named node is not the answer, what it leads to is."""

import json
from pathlib import Path

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.naming import Naming
from fourfold.types import UNKNOWN_BELOW

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MADE = json.loads((BENCHMARKS / "facts_made.json").read_text("utf-8"))
EIGHT = json.loads((BENCHMARKS / "facts_eight.json").read_text("utf-8"))
COMPANY = MADE["company"]
NODES = [Node(node, name, kind) for node, (name, kind) in COMPANY["nodes"].items()]
EDGES = [Edge(*edge) for edge in COMPANY["edges"]]


@pytest.fixture(scope="module")
def companies():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield retriever


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the boss of Nvidia?", "jensen"),
        ("Who started Microsoft?", "gates"),
        ("On which stock exchange does SoftBank Group trade?", "tse"),
        ("in which city does Microsoft sit?", "redmond"),
        ("which firm is behind Copilot?", "github"),
    ],
)
def test_a_node_that_says_nothing_but_its_edges_is_no_answer_about_itself(companies, question, answer):
    assert companies.search(question).ids[0] == answer
    told = companies.explain(question, answer)
    assert sum(part.value for part in told.contributions) == pytest.approx(told.score, abs=1e-6)


@pytest.mark.parametrize("question", ["Nvidia", "who is Nvidia?", "what is Nvidia", "tell me about Nvidia"])
def test_a_question_for_the_node_itself_is_answered_by_it(companies, question):
    assert companies.search(question).ids[0] == "nvidia"


def test_a_node_with_a_text_of_its_own_stays():
    said = "Designs graphics processors; its figurehead since the beginning wears a leather jacket and likes to cook."
    nodes = [Node(node.id, node.name, node.type, said if node.id == "nvidia" else "") for node in NODES]
    with Retriever() as retriever:
        retriever.add(nodes, EDGES)
        assert retriever.search("Who is the figurehead of Nvidia?").ids[0] == "nvidia"


def test_the_step_back_can_be_turned_off():
    with Retriever(config=RetrievalConfig().replace(intents={"paths": {"silent": 1.1}})) as retriever:
        retriever.add(NODES, EDGES)
        assert retriever.search("Who is the figurehead of Nvidia?").ids[0] == "nvidia"


def test_a_word_before_that_or_who_says_what_stands_there_and_is_no_step(companies):
    assert companies.search("Who is the CEO of the company that bought GitHub?").ids[0] == "nadella"
    assert companies.search("the founder of the company that acquired GitHub").ids[0] == "gates"


@pytest.mark.parametrize("name", EIGHT)
def test_every_question_of_the_eight_graphs_has_its_answers_in_the_graph(name):
    names = {end for source, _, target in EIGHT[name]["edges"] for end in (source, target)}
    asked = [one for batch in ("of the first batch", "of the second batch") for one in EIGHT[name][batch]]
    assert len({text for text, _ in asked}) == len(asked)
    assert all(answers and names.issuperset(answers) for _, answers in asked)


@pytest.mark.parametrize("name", MADE)
def test_every_question_of_the_made_graphs_names_its_answer(name):
    nodes = MADE[name]["nodes"]
    assert all(end in nodes for edge in MADE[name]["edges"] for end in edge[:2])
    assert all(answer in nodes for kind in ("of one step", "of two steps") for _, answer in MADE[name][kind])


def test_names_of_nodes_are_read_only_where_a_question_may_ask_for_an_edge(monkeypatch):
    read = []
    monkeypatch.setattr(Naming, "words_of", lambda self, nodes: read.append(len(nodes)) or [("atlas",)] * len(nodes))
    with Retriever() as retriever:
        retriever.add(
            [*NODES, Node("atlas1", "Atlas"), Node("atlas2", "Atlas")], [*EDGES, Edge("atlas1", "atlas2", "near")]
        )
        assert set(retriever.search("atlas graphics").ids[:2]) == {"atlas1", "atlas2"}
        assert read == []
        retriever.search("who founded Atlas?")
        assert read[0] == 2, "of what it names; then of what it is led to"


@pytest.fixture(scope="module")
def smiths():
    edges = [("p1", "born_in", "leeds"), ("p2", "born_in", "hull"), ("p3", "born_in", "dover")]
    edges += [("p1", "plays_for", "york"), ("p2", "plays_for", "arsenal"), ("p3", "plays_for", "real")]
    edges += [("p1", "lives_in", "lisbon"), ("sunrise", "directed_by", "p2"), ("sunrise", "set_in", "lisbon")]
    places = "leeds hull dover york arsenal real lisbon sunrise".split()
    with Retriever() as retriever:
        people = [Node(each, "John Smith") for each in ("p1", "p2", "p3")]
        retriever.add(
            [*people, *(Node(each, each.title()) for each in places)],
            [Edge(source, target, kind) for source, kind, target in edges],
        )
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which team does John Smith of Leeds play for?", {"york"}),
        ("Which team does John Smith from Hull play for?", {"arsenal"}),
        ("For which team does Dover's John Smith play?", {"real"}),
        ("Where was the John Smith born who plays for Real?", {"dover"}),
        ("Which team does John Smith play for?", {"york", "arsenal", "real"}),
        ("Which film that is set in Lisbon was directed by John Smith?", {"sunrise"}),
    ],
)
def test_of_several_of_one_name_the_one_beside_what_is_named_next_to_it_is_meant(smiths, question, answers):
    hits = smiths.search(question).hits
    assert {hit.node.id for hit in hits[: len(answers)]} == answers
    assert all(hit.score < hits[0].score / 2 for hit in hits[len(answers) :])


@pytest.fixture(scope="module")
def geography():
    names = dict.fromkeys(end for source, _, target in EIGHT["geography"]["edges"] for end in (source, target))
    edges = [Edge(source, target, kind) for source, kind, target in EIGHT["geography"]["edges"]]
    with Retriever() as retriever:
        retriever.add([Node(name, name) for name in names], edges)
        yield retriever


@pytest.mark.parametrize(
    ("lacking", "known"),
    [
        ("Who is the dentist of Tarn?", "What is the capital of Tarn?"),
        ("What is the blood type of Kestria?", "What is the currency of Kestria?"),
    ],
)
def test_a_relation_that_the_graph_lacks_is_less_sure_than_one_it_has(geography, lacking, known):
    less, more = geography.search(lacking), geography.search(known)
    assert less.confidence < more.confidence - 0.1 and less.hits[0].confidence < more.hits[0].confidence - 0.1
    assert less.known and less.confidence == pytest.approx(max(hit.confidence for hit in less.hits))


def test_what_a_question_names_is_known_whatever_it_asks(geography, companies):
    for place in ("Tarn", "Kestria", "Valdoria", "Merrin", "Gorsk"):
        lacking = geography.search(f"Who is the dentist of {place}?")
        assert lacking.known and lacking.confidence >= UNKNOWN_BELOW, place
    assert not geography.search("asdf").known
    assert companies.search("Who is the boss of Nvidia?").known
