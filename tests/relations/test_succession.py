"""What came before and after, by labels of either direction, seen through whole questions over small graphs."""

import pytest
from fact_graphs import graph_of

from fourfold.relations.succession import Succession
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english").terms


@pytest.mark.parametrize(
    ("label", "leads"),
    [
        ("follows", -1),
        ("followed by", 1),
        ("replaces", -1),
        ("is_replaced_by", 1),
        ("precededBy", -1),
        ("precedes", 1),
        ("predecessor", -1),
        ("successor", 1),
        ("predecessor_of", 1),
        ("sequel_to", -1),
        ("next", 1),
        ("comes before", 1),
        ("/people/person/predecessor", -1),
        ("next mission", 0),
        ("previous head coach", 0),
        ("follows up with", 0),
        ("directed by", 0),
        ("", 0),
    ],
)
def test_where_edges_of_a_label_lead(label, leads):
    assert Succession([label], TERMS).leads.tolist() == [leads]


QUESTIONS = (
    ("who preceded Bo Lind", "Ada Holm"),
    ("who was the predecessor of Bo Lind", "Ada Holm"),
    ("Bo Lind's predecessor", "Ada Holm"),
    ("who came before Bo Lind", "Ada Holm"),
    ("whom did Bo Lind succeed", "Ada Holm"),
    ("who did Bo Lind replace", "Ada Holm"),
    ("who was succeeded by Bo Lind", "Ada Holm"),
    ("who is Bo Lind the successor of", "Ada Holm"),
    ("who succeeded Bo Lind", "Cy Moe"),
    ("who followed Bo Lind", "Cy Moe"),
    ("who replaced Bo Lind", "Cy Moe"),
    ("who came after Bo Lind", "Cy Moe"),
    ("who was the successor of Bo Lind", "Cy Moe"),
    ("who was Bo Lind succeeded by", "Cy Moe"),
    ("who was Bo Lind replaced by", "Cy Moe"),
    ("whom did Bo Lind precede", "Cy Moe"),
)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
@pytest.mark.parametrize("label", ["predecessor", "follows", "replaces", "succeeded", "preceded_by"])
def test_labels_that_lead_to_what_came_before(label, question, answer):
    graph = graph_of(f"Bo Lind|{label}|Ada Holm · Cy Moe|{label}|Bo Lind · Bo Lind|party|Greens · Bo Lind|born in|Marn")
    assert graph.search(question).ids[0] == answer


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
@pytest.mark.parametrize("label", ["successor", "followed by", "replaced_by", "precedes"])
def test_labels_that_lead_to_what_came_after(label, question, answer):
    graph = graph_of(f"Ada Holm|{label}|Bo Lind · Bo Lind|{label}|Cy Moe · Bo Lind|party|Greens · Bo Lind|born in|Marn")
    assert graph.search(question).ids[0] == answer


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_labels_of_both_kinds_side_by_side(question, answer):
    graph = graph_of("Bo Lind|replaces|Ada Holm · Bo Lind|followed by|Cy Moe · Bo Lind|party|Greens")
    assert graph.search(question).ids[0] == answer


def test_a_word_of_faith_asks_for_no_succession():
    graph = graph_of("Bo Lind|successor|Cy Moe · Bo Lind|religion|Mithraism · Cy Moe|religion|Zun")
    assert graph.search("what religion does Bo Lind follow").ids[0] == "Mithraism"
