"""Superlatives: the highest, the oldest, the cheapest, by the amounts that stand beside each."""

import pytest
from fact_graphs import graph_of

LAND = """
    Alba|country|Norland · Bera|country|Norland · Cora|country|Norland · Dara|country|Sudland
    Alba|height|2,310 m · Bera|height|950.5 m · Cora|height|3,120 m · Dara|height|4,010 m
    Ena|flows_through|Norland · Oru|flows_through|Norland · Ena|length|820 km · Oru|length|310 km
    Nor Bridge|crosses|Ena · Sud Bridge|crosses|Ena · Nor Bridge|built|1988-03-01 · Sud Bridge|built|1903-11-20
"""
TYPES = {**dict.fromkeys(("Alba", "Bera", "Cora", "Dara"), "mountain"), "Ena": "river", "Oru": "river"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the highest mountain in Norland?", "Cora"),
        ("What is the lowest mountain in Norland?", "Bera"),
        ("Which is the longest river in Norland?", "Ena"),
        ("Which is the shortest river of Norland?", "Oru"),
        ("What is the oldest bridge that crosses Ena?", "Sud Bridge"),
        ("What is the newest bridge that crosses Ena?", "Nor Bridge"),
        ("What is the maximum height of mountains in Norland?", "3,120 m"),
    ],
)
def test_the_amount_beside_each_decides(question, answer):
    with graph_of(LAND, TYPES) as land:
        assert land.search(question).ids[0] == answer


def test_amounts_of_several_units_are_not_compared():
    mixed, plain = LAND.replace("3,120 m", "3.1 km"), "Which mountain is in Norland?"
    with graph_of(mixed, TYPES) as land:
        highest = land.search("What is the highest mountain in Norland?").ids[:3]
        assert set(highest) == set(land.search(plain).ids[:3]) == {"Alba", "Bera", "Cora"}
        assert highest[0] != "Cora" or land.search(plain).ids[0] == "Cora"


def test_a_superlative_within_a_name_is_none():
    facts = "Longest Day|directed_by|Ray · Longest Day|directed_by|Zoe · Ray|length|9 m · Zoe|length|3 m"
    with graph_of(facts) as films:
        found = films.explain("Who directed Longest Day?", "Zoe").score
        assert found == pytest.approx(films.explain("Who directed Longest Day?", "Ray").score)


def test_what_looks_like_an_amount_and_is_none_is_not_compared():
    facts = "Alba|country|Norland · Bera|country|Norland · Alba|height|1,2,3 · Bera|height|1.5,2 · Cora|country|Norland"
    with graph_of(facts, dict.fromkeys(("Alba", "Bera", "Cora"), "mountain")) as land:
        found = land.search("What is the highest mountain in Norland?")
        assert not found.degraded and set(found.ids[:3]) == {"Alba", "Bera", "Cora"}
