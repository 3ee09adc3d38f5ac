"""Words of a question that happen to be names of nodes, beside what it names: seen through whole questions."""

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.language.name_matching import Named
from fourfold.language.passing import left_out
from fourfold.tokenizer import make_tokenizer

FACTS = """
    Silent River|directed_by|Ada Keller · Silent River|starred_actors|Juri Novak · Silent River|written_by|Mei Tanaka
    · Silent River|starred_actors|Omar Haddad · Silent River|has_tags|flood · Silent River|release_year|1984
    · Golden Mirror|directed_by|Ada Keller · Golden Mirror|starred_actors|Omar Haddad · Golden Mirror|release_year|1991
    · Golden Mirror|written_by|Mei Tanaka · Golden Mirror|written_by|Rosa Lind · Golden Mirror|has_genre|Comedy
    · Broken Tide|directed_by|Hugo Silva · Broken Tide|starred_actors|Juri Novak
    · Broken Tide|written_by|Rosa Lind · Broken Tide|release_year|2003 · Broken Tide|has_genre|Thriller
    · Film|directed_by|Hugo Silva · Film|has_tags|film · Together|directed_by|Rosa Lind · Together|has_genre|Comedy
    · Fall|directed_by|Juri Novak · Fall|has_genre|Thriller · Starred|directed_by|Hugo Silva
    · Creator|starred_actors|Lena Ott · Creator|written_by|Lena Ott · Script|directed_by|Hugo Silva
    · Last Dance|starred_actors|Mina Roth · Last Dance|directed_by|Hugo Silva · The Last Movie|directed_by|Ada Keller
    · The Last Movie|starred_actors|Lena Ott · Dance|directed_by|Rosa Lind
"""


@pytest.fixture(scope="module")
def films():
    triples = [fact.strip().split("|") for fact in FACTS.split("·")]
    names = sorted({end for source, _, target in triples for end in (source, target)})
    with Retriever() as retriever:
        retriever.add([Node(name, name) for name in names], [Edge(s, t, kind) for s, kind, t in triples])
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what films was Rosa Lind a writer on", {"Golden Mirror", "Broken Tide"}),
        ("which films can be described by flood", {"Silent River"}),
        ("the movie Silent River starred who", {"Juri Novak", "Omar Haddad"}),
        ("who directed the film Golden Mirror", {"Ada Keller"}),
        ("who wrote films together with Mei Tanaka", {"Rosa Lind"}),
        ("what genres do the films written by Mei Tanaka fall under", {"Comedy"}),
        ("who is the creator of the script for Silent River", {"Mei Tanaka"}),
        ("the movie Last Dance starred who", {"Mina Roth"}),
    ],
)
def test_a_word_that_happens_to_be_a_name_takes_no_part_of_the_answer(films, question, answers):
    assert set(films.search(question).ids[: len(answers)]) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which comedy did Ada Keller direct", {"Golden Mirror"}),
        ("which films of the genre thriller were written by Rosa Lind", {"Broken Tide"}),
    ],
)
def test_a_word_that_has_to_do_with_what_else_is_named_is_meant(films, question, answers):
    assert set(films.search(question).ids[: len(answers)]) == answers


def test_where_nothing_else_is_named_the_word_is_a_name(films):
    assert films.search("who directed Fall").ids[0] == "Juri Novak"
    assert films.search("who directed Together").ids[0] == "Rosa Lind"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("the director of Silent River is also the director of which films", {"Golden Mirror", "The Last Movie"}),
        ("the director of Silent River also directed which movies", {"Golden Mirror", "The Last Movie"}),
        ("the actor of Broken Tide also starred in which films", {"Silent River"}),
        ("what are the films directed by the same director of Silent River", {"Golden Mirror", "The Last Movie"}),
        ("the writer Mei Tanaka co-wrote films with who", {"Rosa Lind"}),
        ("the writer Mei Tanaka wrote films together with who", {"Rosa Lind"}),
        ("who co-wrote films with Mei Tanaka", {"Rosa Lind"}),
        ("the actor Juri Novak is a co-star of who", {"Omar Haddad"}),
    ],
)
def test_a_step_that_is_led_back_along_is_asked_for_once(films, question, answers):
    assert set(films.search(question).ids[: len(answers)]) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who is listed as director of Rosa Lind written movies", {"Ada Keller", "Hugo Silva"}),
        ("the movies written by Mei Tanaka were directed by who", {"Ada Keller"}),
        ("the film Broken Tide was directed by whom", {"Hugo Silva"}),
    ],
)
def test_who_does_it_is_told_by_what_stands_behind_the_verb(films, question, answers):
    assert set(films.search(question).ids[: len(answers)]) == answers


def test_a_walk_goes_on_from_others_than_where_it_began(films):
    question = "what were the release years of the films that share directors with Silent River"
    assert films.search(question).ids[0] == "1991", "1984 is the year of Silent River itself"


@pytest.mark.parametrize("question", ["which words describe Silent River", "what terms are applicable to Silent River"])
def test_what_describes_a_node_are_its_tags(films, question):
    assert films.search(question).ids[0] == "flood"


@pytest.mark.parametrize(("word", "kept"), [("an", [0, 5]), ("this", [0])])
def test_a_word_of_several_parts_names_what_it_says_and_one_that_refers_back_nothing(films, word, kept):
    words = make_tokenizer("snowball-english").terms_of_words(f"JSONDecodeError: which call raises {word} exception")
    edges, error, other = films.analysis.snapshot().edges, np.array([0]), np.array([1])
    apart = [Named(error, 0, 1), Named(other, 5, 6)]
    written = {0: ("json", "jsondecodeerror"), 1: ("exception",)}
    found = left_out(apart, words, edges, lambda word, terms: False, lambda nodes: [written[n] for n in nodes.tolist()])
    assert [one.start for one in found] == kept
