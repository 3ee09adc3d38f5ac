"""Families of words and compounds."""

import pytest

from fourfold.language import lexicon
from fourfold.language.lexicon import Families, Parts, is_past
from fourfold.tokenizer import make_tokenizer

FAMILIES = Families(make_tokenizer("snowball-english").terms)
TERMS = make_tokenizer("snowball-english").terms


def family(word):
    return FAMILIES.of(TERMS(word)[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wrote", "written"),
        ("writer", "written"),
        ("directed", "director"),
        ("died", "death"),
        ("born", "birth"),
        ("chair", "chairperson"),
        ("chairwoman", "chairman"),
    ],
)
def test_forms_of_one_word_are_a_family(one, other):
    assert family(one) == family(other)


@pytest.mark.parametrize(
    ("one", "other"), [("wrote", "read"), ("actor", "author"), ("hammer", "hamlet"), ("lead", "leaf"), ("woman", "wo")]
)
def test_others_are_not(one, other):
    assert family(one) != family(other)


@pytest.mark.parametrize(
    ("word", "part"),
    [("screenwriter", "writer"), ("birthplace", "birth"), ("birthplace", "place"), ("nation", "nationality")],
)
def test_parts_of_compounds(word, part):
    assert Parts([part]).of(word) == {part}


@pytest.mark.parametrize(("word", "part"), [("country", "count"), ("import", "port"), ("art", "artist")])
def test_what_only_looks_like_a_part(word, part):
    assert not Parts([part]).of(word)


@pytest.mark.parametrize("word", ["directed", "wrote", "ran", "born"])
def test_verbs_of_the_past(word):
    assert is_past(word, TERMS(word))


@pytest.mark.parametrize("word", ["need", "breed", "seed", "red", "run", "birth", "director"])
def test_what_is_no_verb_of_the_past(word):
    assert not is_past(word, TERMS(word))


def test_a_short_word_is_no_doer_of_what_is_left_of_it():
    assert family("deer") != family("de") and family("tier") != family("ti")
    assert family("player") == family("play") and family("actor") == family("act")


@pytest.mark.parametrize(
    ("part", "word", "is_word", "expected"),
    [
        ("dept", "department", True, True),
        ("bldg", "building", False, True),
        ("mgr", "manager", False, True),
        ("lect", "lecturer", False, True),
        ("prereq", "prerequisites", False, True),
        ("part", "partner", True, False),  # a word itself
        ("role", "responsible", True, False),  # two vowels
        ("dept", "depth", True, False),  # hardly shorter
        ("bldg", "bilding", False, True),
        ("xept", "department", False, False),
        ("de", "department", False, False),
        ("set", "student", True, False),  # three letters that are a word
        ("best", "belfast", True, False),  # a word that the other does not begin with
    ],
)
def test_labels_are_cut_short(part, word, is_word, expected):
    assert lexicon.abbreviated(part, word, is_word=is_word) is expected


@pytest.mark.parametrize(
    "name", ["2021-03-04", "17 January 2025", "1871", "year 412", "02:30 UTC", "9th century", "c. 1900"]
)
def test_dates(name):
    assert lexicon.is_date([word.lower() for word, _ in make_tokenizer("snowball-english").terms_of_words(name)])


@pytest.mark.parametrize("name", ["", "May", "of the year", "Apollo 11", "90 minutes", "Line 12"])
def test_what_is_no_date(name):
    assert not lexicon.is_date([word.lower() for word, _ in make_tokenizer("snowball-english").terms_of_words(name)])
