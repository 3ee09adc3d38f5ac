"""Names told by a part: a run of words, a quarter of the letters, and no other node meant as well."""

import time

import numpy as np
import pytest

from fourfold.index.names import LONGEST
from fourfold.language import name_matching
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")
NAMES = [
    ("phys220", "electromagnetism"),
    ("battle", "of", "fontenoy"),
    ("søren", "kierkegaard"),
    ("paul", "wittgenstein"),
    ("ludwig", "wittgenstein"),
    ("a", "very", "long", "name", "with", "map", "in", "it"),
    ("ysolde", "vane"),
    ("mother", "cinder"),
]


def asks(word, terms):
    return word == "mother"


@pytest.mark.parametrize(
    ("question", "expected", "words"),
    [
        ("prerequisites of Electromagnetism", 0, (2, 3)),
        ("who was victorious at Fontenoy", 1, (4, 5)),
        ("books by Kierkegaard", 2, (2, 3)),
        ("Kierkegaard's books", 2, (0, 1)),
        ("job of Wittgenstein", None, None),  # which of two?
        ("the map of the world", None, None),  # three letters of twenty-three
        ("of with in it", None, None),  # says nothing
        ("who knows", None, None),
        ("mother of Ysolde", 6, (2, 3)),  # "mother" asks for an edge
    ],
)
def test_a_part_names_a_node_where_it_is_large_enough_and_no_other_has_it(question, expected, words):
    found = name_matching.partly(TOKENIZER.terms_of_words(question), np.arange(len(NAMES)), NAMES, asks)
    assert (found and (found.nodes.tolist(), (found.start, found.end), found.whole)) == (
        None if expected is None else ([expected], words, " ".join(NAMES[expected]))
    )


def test_of_nobody_nobody_is_named():
    assert name_matching.partly(TOKENIZER.terms_of_words("books"), np.arange(0), [], asks) is None


def test_names_as_long_as_texts_are_no_matter_of_seconds():
    words = [(f"w{number % 50}", (f"w{number % 50}",)) for number in range(800)]
    long = [tuple(f"w{number * 7 % 50}" for number in range(size)) for size in (30, 1000) for _ in range(4)]
    begun = time.thread_time()
    assert name_matching.partly(words, np.arange(len(long)), long, asks) is None
    assert time.thread_time() - begun < 2.0  # it took 27 s


def test_of_a_name_longer_than_any_no_part_is_read():
    name = tuple(f"w{number}" for number in range(4 * LONGEST + 1))
    words = [(word, (word,)) for word in name]
    assert name_matching.partly(words, np.arange(1), [name], asks) is None
    assert name_matching.partly(words, np.arange(1), [name[1:]], asks).end == len(words)


WRITTEN = [("noël", "coward"), ("harry", "nilsson"), ("odetta",), ("otto",), ("leonardo", "dicaprio"), ("noel", "gay")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("the job of Noel Coward", 0),
        ("the job of Noël Coward's", 0),
        ("the job of Harry Nilson", 1),
        ("the job of Hary Nilson", None),  # two letters are wrong
        ("the job of Odeta", 2),
        ("the job of Oto", None),  # too short for a letter to be wrong
        ("the job of Leonardo DiCaprio", 4),  # three terms of two words
        ("the job of Noel", None),
        ("the job of", None),
    ],
)
def test_a_name_is_told_without_accents_or_with_one_letter_wrong(question, expected):
    words = TOKENIZER.terms_of_words(question)
    found = name_matching.nearly(words, np.arange(len(WRITTEN)), WRITTEN, lambda place: False)
    assert (found and found.nodes.tolist()) == (None if expected is None else [expected])


def test_what_the_graph_has_word_for_word_is_no_misspelt_name():
    words = TOKENIZER.terms_of_words("the genre of Odeta and Harry Nilsson")
    assert name_matching.nearly(words, np.arange(len(WRITTEN)), WRITTEN, lambda place: True) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (("Kim", "Basinger"), True),
        (("Rosewood",), True),
        (("NATO",), True),
        (("1931",), True),
        (("the", "Silver", "harbour"), True),
        (("東京",), True),
        (("თბილისი",), True),  # for which Unicode has capitals that nobody writes names with
        (("აკაკი", "წერეთელი"), True),
        (("Größe",), True),
        (("extract",), False),
        (("web2", "search"), False),
        (("playSong",), False),
        (("handover_to_agent",), False),
        (("ProjectApi", "update_project"), False),
        (("html", "to", "markdown"), False),
        ((), False),
    ],
)
def test_texts_say_names_word_by_word_and_identifiers_in_one_piece(name, expected):
    assert name_matching.said_in_words(name) is expected


@pytest.mark.parametrize(
    ("question", "spans", "place"),
    [("france cities", [(0, 1)], 1), ("cities new france", [(1, 3)], 0), ("france", [(0, 1)], -1)]
    + [("big france cities", [(1, 2)], -1), ("france italy cities", [(0, 1), (1, 2)], -1), ("cities", [], -1)],
)
def test_the_one_word_beside_a_name(question, spans, place):
    words = [(word, (word,)) for word in question.split()]
    named = [name_matching.Named(np.array([n]), start, end) for n, (start, end) in enumerate(spans)]
    assert name_matching.word_beside(words, named) == place
