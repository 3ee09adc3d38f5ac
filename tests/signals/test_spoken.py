"""The words of a question as they are read: as one says them, and without what says nothing."""

import pytest
from fact_graphs import graph_of

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
