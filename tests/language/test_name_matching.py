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
    ("question", "named"),
    [
        ("who wrote PEP 8", ["pep 8 style guide"]),
        ("PEP 8 and RFC 2616", ["pep 8 style guide", "rfc 2616 http"]),
        ("who wrote PEP 8 1", []),
        ("who wrote PEP 81", []),
        ("CS101 lecturer", ["cs101 introduction"]),
        ("Article 6", []),
        ("what happened in 2014", []),
        ("Apollo 11", []),
    ],
)
def test_a_code_at_the_beginning_of_one_name_names_it(question, named):
    written = [
        ("pep", "8", "style", "guide"), ("rfc", "2616", "http"), ("cs101", "introduction"), ("article", "6", "scope"),
        ("article", "6", "fines"), ("2014", "games"), ("apollo", "11"),
    ]  # fmt: skip
    words = [(word, (word.lower(),)) for word in question.split()]
    found = name_matching.by_code(words, np.arange(len(written)), written, [""] * len(written))
    assert [one.whole for one in found] == named


@pytest.mark.parametrize(
    ("types", "named"),
    [
        (["incident", "page", "page"], [[0]]),
        (["incident", "page", "review"], [[0, 1, 2]]),
        (["page", "page", "page"], []),
    ],
)
def test_a_code_that_nodes_of_several_types_begin_with_names_one_of_each(types, named):
    written = [("INC", "7", "outage"), ("INC", "7", "down"), ("INC", "7", "review")]
    words = [(word, (word.lower(),)) for word in "who resolved INC 7".split()]
    found = name_matching.by_code(words, np.arange(3), written, types)
    assert [one.nodes.tolist() for one in found] == named


@pytest.mark.parametrize(
    ("question", "alone", "named"),
    [
        ("who wrote ISO 9001", False, ["iso 9001 quality"]),
        ("who wrote EN ISO 9001", False, ["en iso 9001 translated"]),  # the longest
        ("who wrote iso 9001", False, []),
        ("who wrote iso 9001", True, ["iso 9001 quality"]),
        ("who starred in season 2", True, []),
        ("WHO STARRED IN SEASON 2", True, []),
        ("who visited the World War 2 memorial", False, []),
        ("the 2nd city and the 2ND", True, []),
        ("films in 3D", True, []),
        ("who directed 3D films", True, []),
        ("who found comet 67P", True, ["67p churyumov gerasimenko"]),
        ("who found comet 67P", False, []),
    ],
)
def test_a_code_is_written_in_capitals(question, alone, named):
    names = "ISO 9001 Quality · EN ISO 9001 Translated · Season 2 Finale · World War 2 Museum · War 2 Game"
    names += " · 2nd Avenue Deli · 3D Printing Handbook · 67P Churyumov Gerasimenko"
    written = [tuple(name.split()) for name in names.split(" · ")]
    words = [(word, () if word in {"in", "who", "the"} else (word.lower(),)) for word in question.split()]
    found = name_matching.by_code(words, np.arange(len(written)), written, [""] * len(written), alone=alone)
    assert [one.whole for one in found] == named
