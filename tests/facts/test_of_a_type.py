"""What of a type a question tells apart, by metadata, amounts there, and what stands beside: "broken tools"."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.questions import Questions

TOOLS = (
    Node("T1", "Lathe", "tool", "Turns metal.", {"state": "broken", "shelf": 2, "price": 900, "bought": "2019-05-02"}),
    Node("T2", "Router", "tool", "Mills wood.", {"state": "in use", "shelf": 3, "price": 350, "bought": "2021-11-20"}),
    Node("T3", "Jigsaw", "tool", "Saws curves.", {"state": "free", "shelf": 2, "price": 80.5, "bought": "2023-01-15"}),
    Node("T4", "Drill", "tool", "Bores holes.", {"state": "free", "shelf": 1, "price": 120, "bought": "2023-08-30"}),
)
ROOMS = (
    Node("R1", "Cellar", "room", "Below the house.", {"heated": "no", "zone": "C", "opened": 1931}),
    Node(
        "R2",
        "Attic",
        "room",
        "Below the roof.",
        {"heated": "yes", "zone": "A", "opened": 1987, "tags": ["quiet", "dry"]},
    ),
    Node("R3", "Annex", "room", "Behind the yard.", {"heated": "yes", "zone": "C", "opened": 2012}),
)
MEMBERS = (
    Node("M1", "Ines Falk", "member", "Builds chairs.", {"age": 61, "level": "senior", "joined": "2015-03-01"}),
    Node("M2", "Omar Reyes", "member", "Turns bowls.", {"age": 34, "level": "trainee", "joined": "2011-07-12"}),
    Node("M3", "Tilda Brandt", "member", "Restores doors.", {"age": 45, "level": "senior", "joined": "2020-02-02"}),
)
EDGES = (
    *(Edge(tool, room, "kept_in") for tool, room in (("T1", "R1"), ("T2", "R3"), ("T3", "R3"), ("T4", "R3"))),
    *(Edge(member, tool, "may_use") for member, tool in (("M1", "T1"), ("M1", "T2"), ("M2", "T3"), ("M3", "T3"))),
)


@pytest.fixture(scope="module")
def workshop():
    with Retriever() as retriever:
        retriever.add([*TOOLS, *ROOMS, *MEMBERS], EDGES)
        yield retriever


def told(retriever, question, **options):
    """Return the hits that are surely asked for."""
    return {hit.node.name for hit in retriever.search(question, **options) if hit.grounds.path == 1.0}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which tools are broken", {"Lathe"}),
        ("broken tools", {"Lathe"}),
        ("tools in use", {"Router"}),
        ("which tools are not free", {"Lathe", "Router"}),
        ("which tools aren't free?", {"Lathe", "Router"}),
        ("senior members", {"Ines Falk", "Tilda Brandt"}),
        ("which members are trainees", {"Omar Reyes"}),
        ("which rooms are heated", {"Attic", "Annex"}),
        ("which rooms are not heated", {"Cellar"}),
        ("heated rooms in zone C", {"Annex"}),
        ("quiet rooms", {"Attic"}),
        ("tools on shelf 2", {"Lathe", "Jigsaw"}),
        ("tools bought in 2023", {"Jigsaw", "Drill"}),
    ],
)
def test_what_the_metadata_has_as_the_words_say(workshop, question, answers):
    assert told(workshop, question) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("the cheapest tool", {"Jigsaw"}),
        ("most expensive tool", {"Lathe"}),
        ("tools under 200 euros", {"Jigsaw", "Drill"}),
        ("which rooms opened after 1980", {"Attic", "Annex"}),
        ("tools bought before 2023-07", {"Lathe", "Router", "Jigsaw"}),
        ("tools bought since 2023-08-30", {"Drill"}),
        ("oldest room", {"Cellar"}),
        ("who is the oldest member", {"Ines Falk"}),
        ("the youngest senior member", {"Tilda Brandt"}),
        ("the cheapest free tool", {"Jigsaw"}),
        ("which member has the lowest age", {"Omar Reyes"}),
    ],
)
def test_the_amount_in_the_metadata_decides(workshop, question, answers):
    assert told(workshop, question) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which room has the most tools", {"Annex"}),
        ("room with the fewest tools", {"Attic"}),
        ("which member may use the most tools", {"Ines Falk"}),
        ("rooms without a lathe", {"Attic", "Annex"}),
        ("rooms without tools", {"Attic"}),
        ("tools not kept in the annex", {"Lathe"}),
        ("which tools aren't kept in the annex", {"Lathe"}),
        ("lathe free rooms", {"Attic", "Annex"}),
        ("free tools in the annex", {"Jigsaw", "Drill"}),
        ("annex tools over 300 euros", {"Router"}),
        ("the cheapest of the annex tools", {"Jigsaw"}),
    ],
)
def test_what_stands_beside_decides(workshop, question, answers):
    assert told(workshop, question) == answers


@pytest.mark.parametrize(
    "question",
    ["which tools are green", "tool t-4", "rooms t-3", "broken tools for weddings", "tools", "rooms without spiders"],
)
def test_nothing_is_told_where_a_word_says_something_else(workshop, question):
    assert not told(workshop, question)


def test_a_filter_holds_for_what_is_told_apart(workshop):
    assert told(workshop, "the cheapest tool", filter={"shelf": {"$ne": 2}}) == {"Drill"}


def test_a_hit_says_what_it_meets(workshop):
    (hit,) = workshop.search("broken tools on shelf 2", k=1)
    assert "meets the condition 'state broken, shelf 2'" in hit.why
    assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
    assert str(workshop.explain("broken tools on shelf 2", "T1"))


def test_ask_names_what_meets_the_conditions(workshop):
    asked = Questions(workshop).ask("which tools are not free")
    assert {hit.node.name for hit in asked.answer.facts} == {"Lathe", "Router"}
    assert "Router (state in use), Lathe (state broken)\n" in str(asked) and "These nodes meet" in str(asked)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who joined first, Ines Falk or Omar Reyes?", "Omar Reyes"),
        ("who is older, Ines Falk or Omar Reyes?", "Ines Falk"),
        ("which is cheaper, Lathe or Router?", "Router"),
        ("what is the cheapest tool kept in the Annex?", "Jigsaw"),
    ],
)
def test_of_what_is_named_the_metadata_decides(workshop, question, answer):
    assert workshop.search(question).hits[0].node.name == answer


@pytest.mark.parametrize("question", ["which tools are broken", "the cheapest tool", "rooms without a tool"])
def test_what_meets_all_that_is_said_is_known(workshop, question):
    """Its text may hold none of the words, so the answer said that the graph seems to know nothing of it."""
    answer = workshop.search(question, min_confidence=0.5)
    assert answer.confidence > 0.5
    assert {hit.node.name for hit in answer.hits} == told(workshop, question)
