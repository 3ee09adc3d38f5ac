"""Whether words ask for a story: why, how, what happened, what somebody did."""

import pytest

from fourfold.language.stories import asks_for_cause, asks_for_deed, asks_what_happened, asks_why, tells_reason
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")


@pytest.mark.parametrize("question", ["why did Ann leave", "How come Ann left", "tell me why Ann left"])
def test_why(question):
    assert asks_why(question.lower().split())


@pytest.mark.parametrize("question", ["how old is Ann", "who knows why", "the reason", ""])
def test_what_asks_for_no_reason(question):
    assert not asks_why(question.split())


@pytest.mark.parametrize("question", ["what happened in Oslo", "what went wrong in Oslo", "how was Oslo saved"])
def test_what_happened(question):
    assert asks_what_happened(question.lower().split(), {3})


@pytest.mark.parametrize(
    "question", ["how many people", "how Oslo", "who happened", "what is in Oslo", "how", "how do I win"]
)
def test_what_asks_for_no_happening(question):
    assert not asks_what_happened(question.split(), {1})


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What did Ann decide", True),
        ("what has Ann said of ships", True),
        ("what does Ann do", False),
        ("what does Ann cover", False),
        ("what is Ann", False),
        ("decide what did Ann", False),
        ("what", False),
    ],
)
def test_deeds(question, asks):
    words = TOKENIZER.terms_of_words(question)
    names = {place for place, (word, _) in enumerate(words) if word == "Ann"}
    assert asks_for_deed(words, names) is asks
    assert not asks_for_deed(words, ())


def test_causes():
    assert asks_for_cause("what caused the fire".split())
    assert not asks_for_cause("what is caused".split())
    assert not asks_for_cause([])


def test_labels_that_give_a_reason():
    assert tells_reason(["caused", "by"])
    assert tells_reason(["delay", "reason"])
    assert not tells_reason(["located", "in"])
