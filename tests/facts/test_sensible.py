"""What can be no answer by what it is called, or by whose sex the graph tells."""

import pytest
from fact_graphs import graph_of

KIN = """
    Al|parent|Jim · Al|parent|Kay · Bea|parent|Jim · Bea|parent|Kay · Jim|parent|Oda · Nat|parent|Oda · Lea|parent|Oda
    Jim|sex|male · Kay|sex|female · Nat|sex|male · Lea|sex|female · Al|sex|male · Bea|sex|female · Oda|sex|female
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the mother of Al?", "Kay"),
        ("Who is Al's father?", "Jim"),
        ("Who is the aunt of Bea?", "Lea"),
        ("Bea's uncle", "Nat"),
        ("Who is Al's sister?", "Bea"),
        ("Who are the sons of Kay?", "Al"),
    ],
)
def test_of_kin_that_edges_do_not_tell_apart_the_sex_asked_for_comes_first(question, answer):
    with graph_of(KIN) as family:
        assert family.search(question).ids[0] == answer


def test_whose_mother_somebody_is_asks_for_her_children_of_either_sex():
    with graph_of(KIN) as family:
        assert set(family.search("Whose mother is Kay?").ids[:2]) == {"Al", "Bea"}


def test_where_no_sex_is_told_all_stay():
    with graph_of(KIN.replace("|sex|", "|town|")) as family:
        assert set(family.search("Who is the mother of Al?").ids[:2]) == {"Jim", "Kay"}


@pytest.mark.parametrize("types", [{}, {"Vera": "woman", "Carl": "man"}])
def test_women_are_no_step(types):
    facts = "Vera|head_of|Prints · Carl|head_of|Prints · Ines|head_of|Film · Film|town|Ulm"
    if not types:
        facts += " · Vera|gender|female · Carl|gender|male · Ines|gender|female"
    with graph_of(facts, types) as museum:
        assert museum.search("Which women led Prints?").ids[0] == "Vera"
        assert museum.search("Which men led Prints?").ids[0] == "Carl"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many corners does Brands have?", "9"),
        ("How long is Brands?", "4.2 km"),
        ("Ada Stone's birthday", "1985-01-07"),
    ],
)
def test_an_amount_or_a_date_is_asked_for(question, answer):
    facts = "Brands|town|Fawk · Brands|turns|9 · Brands|extent|4.2 km · Brands|holder|Kent Club"
    facts += " · Ada Stone|place_of_birth|Fawk · Ada Stone|date_of_birth|1985-01-07"
    with graph_of(facts) as races:
        assert races.search(question).ids[0] == answer


ATTACKS = graph_of(
    "Ryuk|uses|Scripting · Bear Group|uses|Scripting · 2016 Attack|uses|Scripting · Bear Group|targets|Plants"
    " · Ryuk|runs_on|Windows · Duqu|runs_on|Windows · Duqu|uses|Phishing",
    {"Ryuk": "malware", "Duqu": "malware", "Bear Group": "threat group", "2016 Attack": "campaign"},
)


@pytest.mark.parametrize(
    ("question", "answer"), [("Who uses Scripting?", "Bear Group"), ("Which malware uses Scripting?", "Ryuk")]
)
def test_who_asks_for_what_can_act_by_its_type(question, answer):
    assert ATTACKS.search(question).ids[0] == answer


def test_who_is_answered_by_things_where_nothing_else_is_there():
    assert ATTACKS.search("Who uses Phishing?").ids[0] == "Duqu"


def test_what_a_noun_calls_lies_between_what_is_named_and_the_answer():
    facts = """
        Ann Lee|member_of|Farming · Ann Lee|member_of|Grain · Ann Lee|member_of|Milk · Farming|chair|Zed Poe
        Grain|chair|Bob Orr · Milk|chair|Cy Dunn · Grain|part_of|Farming · Milk|part_of|Farming · Ann Lee|office|12 Hall
    """
    types = {"Farming": "committee", "Grain": "subcommittee", "Milk": "subcommittee"}
    with graph_of(facts, types) as house:
        assert house.search("who chairs the committees Ann Lee is on?").ids[0] == "Zed Poe"
        assert house.search("who chairs the subcommittees Ann Lee is on?").ids[0] in {"Bob Orr", "Cy Dunn"}
