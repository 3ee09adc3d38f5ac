"""What is asked for, beside the words that lead there, seen through whole questions over small graphs."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold.config import Paths
from fourfold.embed.static import bundled
from fourfold.language.name_matching import Named
from fourfold.relations.asked_types import Reader
from fourfold.relations.relations import Relations
from fourfold.tokenizer import make_tokenizer

PATHS = graph_of("""
    krautrock|/music/genre/artists|Juri Lenn · Juri Lenn|/people/person/spouse_s./people/marriage/type_of_union|civil
    · Juri Lenn|/common/topic/webpage./common/webpage/category|fan page · Tide|/film/film/genre|Western
    · Tide|/common/topic/webpage./common/webpage/category|fan page · Tide|/film/film/produced_by|Ada Keller
    · Salt|/film/film/produced_by|Ada Keller · Salt|/film/film/film_format|reel · Tide|/film/film/film_format|reel
    · Salt|/film/film/music|Juri Lenn · Salt|/film/film/featured_film_locations|Zadar · Omnia|/film/actor/film|Tide
    · Mei Roe|/people/person/profession|pilot · Gale|/film/film/music|Mei Roe · Gale|/film/film/film_format|tape
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what kind of music does Juri Lenn sing", {"krautrock"}),
        ("what type of film is Tide", {"Western"}),
        ("Ada Keller produced what film?", {"Tide", "Salt"}),
        ("what is the name of a film that was produced by Ada Keller", {"Tide", "Salt"}),
    ],
)
def test_what_is_asked_for_and_its_kind_are_read_from_paths(question, expected):
    assert set(PATHS.search(question).ids[: len(expected)]) == expected


SINGERS = graph_of("""
    Eddy Voss|record label|Blast Records · Ann Vey|record label|Blast Records · Eddy Voss|genre|death metal
    · Ann Vey|genre|death metal · Eddy Voss|instrument|saxophone · Eddy Voss|position played on team|striker
    · Nat Cole|place of burial|Cole Hill · Nat Cole|place of birth|Montgomery · Nat Cole|place of death|Santa Rosa
    · Nat Cole|languages spoken, written or signed|Angrian · Angria|languages|Angrian
    · Angria|field of work|Zamorna · Angria|continent|Boreas · Angria|capital|Sneachie
    · Noon|genre|melodrama film · Noon|record label|Blast Records
    · Dusk|performer|Music Film · Cy Moe|occupation|Film producer
    · Dusk|producer|Ann Vey · Noon|producer|Ann Vey · Bo Vey|occupation|Film producer · Bo Vey|sibling|Ann Vey
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which artists are signed with Blast Records", {"Eddy Voss", "Ann Vey", "Noon"}),
        ("name someone who played the saxophone", {"Eddy Voss"}),
        ("where was Nat Cole from", {"Montgomery"}),
        ("what is a film produced by Ann Vey", {"Dusk", "Noon"}),
        ("What Is A Film Produced By Ann Vey", {"Dusk", "Noon"}),
    ],
)
def test_what_is_asked_for_is_the_end_of_one_step(question, expected):
    assert set(SINGERS.search(question).ids[: len(expected)]) == expected


def read(question, types, start, end):
    """Return what the words of a question mean whose words from one place to another name a node."""
    tokenizer = make_tokenizer("snowball-english")
    relations = Relations(types, range(len(types)), bundled().embed_documents, tokenizer.terms, bundled().is_word)
    return Reader(relations, tokenizer.terms_of_words(question), [Named(np.array([0]), start, end)], Paths()).meaning()


def test_a_word_that_only_says_which_is_the_first_of_several_asks_for_nothing():
    meaning = read("what is the main language of Angria", ["languages", "major_field_of_study"], 6, 7)
    assert not meaning.trust[3] and meaning.trust[4] == 1.0


def test_what_is_asked_for_is_no_step_behind_the_one_that_ends_there():
    types = ["/film/film/produced_by", "/film/film/film_format", "/film/actor/film", "/music/artist/origin"]
    meaning = read("Keller produced what film", types, 0, 1)
    assert not meaning.trust[3] and meaning.turned[1, 0]


DRAMAS = graph_of("""
    Noon|genre|melodrama film · Dusk|genre|melodrama film
    · Noon|language of work or name|Angrian · Noon|named after|Angria
    · Dusk|language of work or name|Angrian · Angria|named after|Gondal
""")


def test_the_name_of_a_sort_of_thing_asks_for_one_of_that_sort():
    found = DRAMAS.search("which is the name of a melodrama film released in 1920")
    assert set(found.ids[:2]) == {"Noon", "Dusk"}


LANDS = graph_of("""
    Angria|government|monarchy · Gondal|government|republic · Angria|type|state · Gondal|type|province
    · Angria|currency|mark · Gondal|currency|crown · Ada Roe|school|Dunmere · Ada Roe|type|person
    · Dunmere|type|college · Zamorna|country|Angria · Regina|country|Gondal
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what type of government has Angria", "monarchy"),  # not what Angria is
        ("what type of school has Ada Roe", "college"),
        ("Zamorna lies in which country whose currency is?", "mark"),
    ],
)
def test_what_is_asked_for_stands_behind_what_only_says_which(question, answer):
    assert LANDS.search(question).ids[0] == answer
