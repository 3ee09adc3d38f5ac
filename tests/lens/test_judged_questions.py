"""Judgements on a question that a page cannot show as it is: they are shown, and judging makes no second question."""

import re
from html import unescape
from urllib.parse import quote_plus

import pytest
from lens_client import assert_harmless, client_of, form_token_of

from fourfold import Node, Retriever
from fourfold.lens import Lens


@pytest.fixture
def retriever():
    with Retriever() as opened:
        opened.add([Node("a", "apple 天気", "t", "An apple 東京."), Node("b", "apple", "t", "Another 東京.")])
        yield opened


@pytest.fixture
def client(retriever):
    lens = Lens(retriever)
    yield client_of(lens)
    lens.session.close()


def judged(page: str) -> list[str]:
    """Return how the hits stand on a page."""
    return re.findall(r'class="hit judged-(\w+)', page)


@pytest.mark.parametrize(
    "question",
    [
        "東京\u3000天気",
        "apple\u00a0東京",
        "apple\u0085東京",
        "\ufeffapple",
        "apple \u200f東京",
        "\u202eapple",
        "ap\u00adple",
    ],
)
def test_a_question_that_does_not_print_is_judged_as_the_one_it_is(client, retriever, question):
    retriever.learning.feedback(question, "a", True)
    listed = client.get("/judge").text
    address = unescape(re.search(r'<a href="(/judge\?q=[^"]*)"', listed)[1])
    assert address == f"/judge?q={quote_plus(question)}"
    page = client.get(address).text
    typed = unescape(re.search(r'id="q"[^>]* value="([^"]*)"', page)[1])
    assert typed.isprintable() and typed != question  # what the page's own form asks for next
    for shown in (page, client.get("/judge", params={"q": typed}).text):
        assert_harmless(shown)
        assert "yes" in judged(shown) and shown.count('aria-current="true"') == 1
        action = unescape(re.search(r'action="(/judge/mark[^"]*node=b)"', shown)[1])
        assert "no" in judged(client.post(action, data={"form_token": form_token_of(shown), "grade": "0"}).text)
        assert retriever.learning.judgements() == [(question, "a", 1.0), (question, "b", 0.0)]


def test_two_questions_that_look_the_same_are_two(client, retriever):
    retriever.learning.feedback("東京\u3000apple", "a", True)
    retriever.learning.feedback("東京 apple", "a", False)
    assert "yes" in judged(client.get("/judge", params={"q": "東京\u3000apple"}).text)
    assert "no" in judged(client.get("/judge", params={"q": "東京 apple"}).text)


def test_a_question_of_nothing_that_shows_is_none(client):
    assert not judged(client.get("/judge", params={"q": "\ufeff\u202e\x00"}).text)
