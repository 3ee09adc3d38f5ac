"""The words of a question as they are read: as one says them, and without what says nothing."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold.language.name_matching import Named
from fourfold.language.spoken import read_aloud

GRAPH = graph_of("""
    Tide|produced by|Ada Keller · Tide|film format|reel · Ada Keller|other film|Salt · Salt|film format|reel
    · Tide (opera)|written by|Mei Roe · Angria|continent|Boreas · Angria|part of|League · Angria|capital|Sneachie
    · Angria|administrative region|Glass · Part of the World|written by|Mei Roe · Nat Cole|field of work|jazz
    · Nat Cole|place of birth|Montgomery
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who produced tide (film)", "Ada Keller"),
        ("who wrote Tide (opera)", "Mei Roe"),
        ("whats the name of a jazz singer", "Nat Cole"),
        ("what part of the world is Angria located in", "Boreas"),
        ("what is the administrative center of Angria", "Sneachie"),
        ("who wrote Part of the World", "Mei Roe"),
    ],
)
def test_words_are_read_as_they_are_said(question, answer):
    assert GRAPH.search(question).ids[0] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did produce() of Tide() cost, and who produced Tide()", "Ada Keller"),
        ("Tide :( who produced it", "Ada Keller"),
        ("Tide (producer)", "Ada Keller"),
        ("who wrote Tide (opera) (and where was she born)", "Mei Roe"),
        ("did Mei Roe write Part of the World", "Mei Roe"),
    ],
)
def test_brackets_that_say_not_which_is_meant_are_read(question, answer):
    assert GRAPH.search(question).ids[0] == answer


@pytest.mark.parametrize("question", ["who produced Tide()?", "who produced Tide ()?", "Tide() was produced by whom"])
def test_a_call_of_a_function_silences_nothing(question):
    plain = GRAPH.search(question.replace("()", "").replace(" ?", "?"))
    assert GRAPH.search(question).ids[0] == plain.ids[0] == "Ada Keller"


def test_a_name_in_brackets_is_meant_too():
    words = [("paris", ("paris",)), ("texas", ("texas",)), ("grows", ("grow",))]
    named = [Named(np.array([1]), 0, 1), Named(np.array([2]), 1, 2)]
    assert read_aloud("paris (texas) grows", words, named, lambda text: [text]) == (words, named)
