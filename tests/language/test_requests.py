"""Requests for one thing of a kind are read as the question that they are."""

import pytest
from fact_graphs import graph_of

from fourfold.language.requests import as_question

PLACES = """
    Golden Wok|area|north · Golden Wok|food|chinese · Golden Wok|price range|moderate
    · Da Vinci|area|north · Da Vinci|food|italian · Da Vinci|price range|cheap
    · Wagamama|area|centre · Wagamama|food|japanese · Wagamama|price range|expensive
    · Bangkok City|area|centre · Bangkok City|food|thai · Bangkok City|price range|expensive
    · Sala Thong|area|west · Sala Thong|food|thai · Sala Thong|price range|moderate
"""
TYPES = dict.fromkeys(("Golden Wok", "Da Vinci", "Wagamama", "Bangkok City", "Sala Thong"), "restaurant")
TOWN = graph_of(PLACES, TYPES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("I am looking for a restaurant in the north part of town", {"Golden Wok", "Da Vinci"}),
        ("I'd like a restaurant in the north", {"Golden Wok", "Da Vinci"}),
        ("Is there a thai restaurant in the centre of town?", {"Bangkok City"}),
        ("Can you recommend a cheap restaurant in the north?", {"Da Vinci"}),
        ("I want a restaurant that serves japanese food, any price range is fine", {"Wagamama"}),
        ("I need a restaurant serving japanese food, I don't care about the price range", {"Wagamama"}),
        ("I am looking for a restaurant in any area that serves chinese food", {"Golden Wok"}),
    ],
)
def test_what_is_asked_for_is_found_and_not_what_it_is_asked_by(question, answers):
    assert set(TOWN.search(question).ids[: len(answers)]) == answers


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I am looking for a film", "which film"),
        ("are there any films", "which films"),
        ("i want to book a film", "i want to book a film"),  # something is to be done
        ("the film", "the film"),
        ("I need", "I need"),
    ],
)
def test_only_a_request_for_something_is_read_as_a_question(text, read):
    words = [(word, ()) for word in text.split()]
    assert " ".join(word for word, _ in as_question(words, [])[0]) == read
