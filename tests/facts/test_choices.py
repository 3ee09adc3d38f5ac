"""Questions that give what to choose from: "does X bat left or right", "is X good or evil"."""

import pytest
from fact_graphs import graph_of


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("does Gus Ray bat left or right", "left"),
        ("does Gus Ray throw left or right", "right"),
        ("does Al Poe bat left or right", "right"),
    ],
)
def test_of_two_that_stand_beside_the_verb_tells_which(question, answer):
    facts = """
        Gus Ray|bats|left · Gus Ray|throws|right · Al Poe|bats|right · Al Poe|throws|left · Gus Ray|born_in|Gary
        Al Poe|born_in|Troy
    """
    with graph_of(facts) as players:
        assert players.search(question).ids[0] == answer


def test_one_of_two_words_may_call_what_stands_beside_the_name():
    facts = """
        Orc|alignment|chaotic evil · Elk|alignment|unaligned · Unicorn|alignment|lawful good · Orc|size|medium
        Orc|languages|Orcish · Detect Evil and Good|school|Divination
    """
    with graph_of(facts) as bestiary:
        assert bestiary.search("is a Orc good or evil?").ids[0] == "chaotic evil"
        assert bestiary.search("is the Unicorn good or evil?").ids[0] == "lawful good"
