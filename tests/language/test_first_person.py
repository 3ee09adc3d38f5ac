"""Where a question speaks of who asks."""

import pytest

from fourfold.language.first_person import first_person
from fourfold.tokenizer import make_tokenizer

WORDS = make_tokenizer("snowball-english").terms_of_words


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("what am I allergic to", 2),
        ("my manager", 0),
        ("who manages me", 2),
        ("I like ships", 0),
        ("what is the user allergic to", 3),
        ("tell me where I live", 3),
        ("show me ships", -1),
        ("who was Elizabeth I", -1),
        ("Elizabeth I", -1),
        ("which user is it", -1),
        ("", -1),
    ],
)
def test_places(question, place):
    assert first_person(WORDS(question), ()) == place


def test_what_belongs_to_a_name_speaks_of_nobody():
    assert first_person(WORDS("who sang My Way"), {2, 3}) == -1
