"""Names told by a part: a run of words, a third of the letters, and no other node meant as well."""

import numpy as np
import pytest

from fourfold.signals import names
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")
NAMES = [
    ("phys220", "electromagnetism"),
    ("battle", "of", "fontenoy"),
    ("søren", "kierkegaard"),
    ("paul", "wittgenstein"),
    ("ludwig", "wittgenstein"),
    ("a", "very", "long", "name", "with", "map", "in", "it"),
]


@pytest.mark.parametrize(
    ("question", "expected", "words"),
    [
        ("prerequisites of Electromagnetism", 0, (2, 3)),
        ("who was victorious at Fontenoy", 1, (4, 5)),
        ("books by Kierkegaard", 2, (2, 3)),
        ("Kierkegaard's books", 2, (0, 1)),
        ("job of Wittgenstein", None, None),  # which of two?
        ("the map of the world", None, None),  # three letters of twenty-five
        ("of with in it", None, None),  # says nothing
        ("who knows", None, None),
    ],
)
def test_a_part_names_a_node_where_it_is_large_enough_and_no_other_has_it(question, expected, words):
    found = names.partly(TOKENIZER.terms_of_words(question), np.arange(len(NAMES)), NAMES)
    assert (found and (found.nodes.tolist(), (found.start, found.end), found.whole)) == (
        None if expected is None else ([expected], words, " ".join(NAMES[expected]))
    )


def test_of_nobody_nobody_is_named():
    assert names.partly(TOKENIZER.terms_of_words("books"), np.arange(0), []) is None
