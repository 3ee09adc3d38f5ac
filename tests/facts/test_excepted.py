"""What a question excepts, and what stands beside it."""

import pytest
from fact_graphs import graph_of

BAR = """
    Mimosa|contains|Champagne · Mimosa|contains|Orange juice · Bellini|contains|Champagne · Bellini|contains|Peach
    Kir|contains|Champagne · Kir|contains|Cassis · Paradise|contains|Gin · Paradise|contains|Orange juice
    Fizz|contains|Gin · Fizz|contains|Soda · Mimosa|glass|flute · Bellini|glass|flute · Kir|glass|flute
"""
TYPES = dict.fromkeys(("Mimosa", "Bellini", "Kir", "Paradise", "Fizz"), "cocktail")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which cocktails have Champagne but no Orange juice?", {"Bellini", "Kir"}),
        ("Which cocktails contain Gin without Orange juice?", {"Fizz"}),
        ("Which cocktails contain Champagne but not Cassis?", {"Mimosa", "Bellini"}),
        ("Which cocktails contain Champagne and Orange juice?", {"Mimosa"}),
    ],
)
def test_what_stands_beside_what_is_excepted_comes_last(question, answers):
    with graph_of(BAR, TYPES) as bar:
        assert set(bar.search(question).ids[: len(answers)]) == answers


def test_where_all_is_excepted_nothing_is_put_last():
    with graph_of("Kir|contains|Wine · Kir|contains|Cassis · Fizz|contains|Gin · Kir|glass|flute", TYPES) as bar:
        found = bar.search("Which cocktails contain Wine but no Cassis?")
        assert found.ids[0] == "Kir" and not found.degraded


SHOP = "Ash|supplies|engine oil · Ash|supplies|gear oil · Ash|supplies|brake pad · Ash|supplies|wiper · Ash|city|Leeds"


@pytest.mark.parametrize("how", ["other than", "except", "apart from", "besides", "excluding"])
def test_what_says_a_word_that_is_excepted_comes_last(how):
    with graph_of(SHOP) as shop:
        assert set(shop.search(f"what does Ash supply {how} oil").ids[:2]) == {"brake pad", "wiper"}
        assert set(shop.search("what does Ash supply").ids[:4]) == {"brake pad", "wiper", "engine oil", "gear oil"}


def test_a_name_is_excepted_by_two_words_too():
    with graph_of(BAR, TYPES) as bar:
        assert set(bar.search("Which cocktails contain Gin other than Paradise?").ids[:1]) == {"Fizz"}


@pytest.mark.parametrize("question", ["Orange juice free cocktails with Gin", "Orange juice-free cocktails with Gin"])
def test_what_something_is_free_of_is_excepted(question):
    with graph_of(BAR, TYPES) as bar:
        assert bar.search(question).ids[0] == "Fizz"
