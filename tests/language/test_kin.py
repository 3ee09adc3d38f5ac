"""Kin that no edge says are found by the steps that lead to them."""

import pytest
from fact_graphs import graph_of

FAMILY = """
    Ann Moor|parent of|Ben Moor · Ann Moor|parent of|Cleo Moor · Ben Moor|parent of|Dan Moor
    · Ben Moor|parent of|Eve Moor · Dan Moor|parent of|Fay Moor · Cleo Moor|parent of|Gus Hill
    · Ben Moor|spouse|Ida Lund · Jon Lund|parent of|Ida Lund · Ann Moor|born in|Ark · Ben Moor|born in|Bree
    · Dan Moor|born in|Ark · Fay Moor|born in|Bree · Jon Lund|born in|Bree
"""
PARENTS = graph_of(FAMILY)
SIBLINGS = graph_of(FAMILY + "· Ben Moor|sister|Cleo Moor · Eve Moor|brother|Dan Moor")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who are the grandchildren of Ann Moor?", {"Dan Moor", "Eve Moor", "Gus Hill"}),
        ("grandsons of Ben Moor", {"Fay Moor"}),
        ("Who is Dan Moor's grandmother?", {"Ann Moor"}),
        ("Fay Moor's great-grandfather", {"Ann Moor"}),
        ("Who are the great grand children of Ann Moor?", {"Fay Moor"}),
        ("Who is the paternal grandparent of Dan Moor?", {"Ann Moor"}),
        ("Who are the siblings of Ben Moor?", {"Cleo Moor"}),
        ("Who is the father-in-law of Ben Moor?", {"Jon Lund"}),
        ("Where was the grandmother of Fay Moor born?", {"Bree"}),
        ("Where was Fay Moor's grandmother born?", {"Bree"}),
        ("Who are the sons of Ann Moor?", {"Ben Moor", "Cleo Moor"}),  # beside "parent of", which begins at parents
    ],
)
def test_kin_are_found_by_parents_and_children(question, answers):
    assert set(PARENTS.search(question).ids[: len(answers)]) == answers


def test_a_name_and_a_word_for_kin_are_a_question_though_nothing_else_of_it_asks():
    assert PARENTS.search("Dan Moor grandmother").ids[0] == "Ann Moor"
    assert SIBLINGS.search("Dan Moor cousins").ids[0] == "Gus Hill"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the aunt of Dan Moor?", "Cleo Moor"),
        ("Who is the cousin of Dan Moor?", "Gus Hill"),
        ("Who is the nephew of Ben Moor?", "Gus Hill"),
        ("the sister-in-law of Ida Lund", "Cleo Moor"),
    ],
)
def test_uncles_and_cousins_are_found_by_brothers_and_sisters(question, answer):
    assert SIBLINGS.search(question).ids[0] == answer


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who is the aunt of Dan Moor?", {"Cleo Moor"}),
        ("Gus Hill's cousins", {"Dan Moor", "Eve Moor"}),
        ("Who are the nephews of Ben Moor?", {"Gus Hill"}),
        ("the sister-in-law of Ida Lund", {"Cleo Moor"}),
        ("Who are the aunts and uncles of Gus Hill?", {"Ben Moor"}),
    ],
)
def test_without_edges_between_brothers_and_sisters_their_parents_lead_there(question, answers):
    assert set(PARENTS.search(question).ids[: len(answers)]) == answers


def test_brothers_and_sisters_are_siblings_where_edges_say_each():
    found = SIBLINGS.search("Who are the aunts and uncles of Dan Moor?")
    assert found.ids[0] == "Cleo Moor"


def test_children_are_found_by_the_edges_of_their_fathers_and_mothers():
    graph = graph_of(
        "Ben|father|Al · Cleo|father|Al · Dan|father|Ben · Dan|mother|Ida"
        "· Gus|mother|Cleo · Ida|father|Jon · Kim|father|Jon"
    )
    assert set(graph.search("Who are the children of Al?").ids[:2]) == {"Ben", "Cleo"}
    assert set(graph.search("Who are the grandchildren of Al?").ids[:2]) == {"Dan", "Gus"}
    assert set(graph.search("Who are the uncles of Dan?").ids[:2]) == {"Cleo", "Kim"}
    assert graph.search("the cousins of Dan").ids[0] == "Gus"
    assert graph.search("What are the names of Cleo's brothers and sisters?").ids[0] == "Ben"


def test_an_edge_that_says_the_whole_is_meant():
    graph = graph_of(FAMILY + "· Fay Moor|grandfather|Jon Lund")
    assert graph.search("Who is the grandfather of Fay Moor?").ids[0] == "Jon Lund"


def test_edges_of_mothers_and_fathers_tell_them_apart():
    graph = graph_of(
        "Ann|mother|Bea · Ann|father|Cy · Bea|mother|Dot · Cy|mother|Eva · Cy|father|Fred · Ann|spouse|Gil"
        "· Gil|mother|Hal · Gil|father|Ivo"
    )
    assert graph.search("Who is the mother-in-law of Ann?").ids[0] == "Hal"
    assert set(graph.search("Who are Ann's grandmothers?").ids[:2]) == {"Dot", "Eva"}
    assert graph.search("Who is the paternal grandmother of Ann?").ids[0] == "Eva"


@pytest.mark.parametrize("question", ["Where is Grandmother Moor kept?", "who keeps Grandmother Moor"])
def test_a_word_of_a_name_is_no_kin(question):
    graph = graph_of(FAMILY + "· Grandmother Moor|kept in|Ark")
    assert graph.search(question).ids[0] == "Ark"


def test_a_question_may_end_with_and():
    found = graph_of(FAMILY + "· Ida Lund|kept in|Ark").search("who keeps Ida Lund and")
    assert not found.degraded
    assert found.ids[0] == "Ark"
    assert not graph_of(FAMILY).search("Who is the uncle of Ida Lund and").degraded
