"""Those who share something with what is named are found by what they share."""

import pytest
from fact_graphs import graph_of

from fourfold.language.peers import with_co_apart
from fourfold.relations.asked_types import Reader

SPORT = graph_of("""
    Ann Moe|plays for|Rovers · Bo Weiss|plays for|Rovers · Cy Lund|plays for|United · Ann Moe|born in|Altmar
    · Cy Lund|born in|Altmar · Bo Weiss|born in|Weston · Rovers|coach|Di Poe · United|coach|Ed Fox
    · Ann Moe|nationality|Norway · Cy Lund|nationality|Norway · Bo Weiss|nationality|Sweden
    · Ann Moe|educated at|Hill School · Di Poe|educated at|Hill School · Gil Orr|educated at|Dale School
""")
WORK = graph_of("""
    Ann Moe|works at|Acme · Bo Weiss|works at|Acme · Cy Lund|works at|Globex · Acme|industry|steel
    · Globex|industry|paper · Initech|industry|steel · Ann Moe|reports to|Bo Weiss · Cy Lund|reports to|Bo Weiss
    · Ann Moe|lives in|Altmar · Cy Lund|lives in|Altmar · Ann Moe|plays with|Hal Orm
""")

BAND = graph_of("""
    Ann Moe|member of|The Larks · Di Poe|member of|The Larks · Dusk|recorded by|The Larks · Dawn|recorded by|The Larks
    · Dusk|label|Oak · Noon|label|Oak · Ann Moe|birthplace|Altmar · Cy Lund|birthplace|Altmar
    · Ann Moe|year of birth|1950 · Di Poe|year of birth|1950
""")


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (SPORT, "who are the teammates of Ann Moe", "Bo Weiss"),
        (SPORT, "Ann Moe's teammates", "Bo Weiss"),
        (SPORT, "who is a team mate of Ann Moe?", "Bo Weiss"),
        (SPORT, "compatriots of Ann Moe", "Cy Lund"),
        (SPORT, "classmates of Ann Moe", "Di Poe"),
        (SPORT, "where was Ann Moe's teammate born", "Weston"),
        (SPORT, "who plays with Ann Moe", "Bo Weiss"),
        (SPORT, "who studied with Ann Moe", "Di Poe"),
        (SPORT, "who went to school with Ann Moe", "Di Poe"),
        (SPORT, "who plays for the same team as Ann Moe", "Bo Weiss"),
        (SPORT, "who was born in the same place as Ann Moe", "Cy Lund"),
        (WORK, "who are Ann Moe's colleagues", "Bo Weiss"),
        (WORK, "coworkers of Ann Moe", "Bo Weiss"),
        (WORK, "who else works at Ann Moe's company", "Bo Weiss"),
        (WORK, "who reports to the same boss as Ann Moe", "Cy Lund"),
        (WORK, "competitors of Acme", "Initech"),
        (WORK, "who works with Ann Moe", "Bo Weiss"),
        (WORK, "neighbors of Cy Lund", "Ann Moe"),
        (BAND, "bandmates of Ann Moe", "Di Poe"),
        (BAND, "who else was a member of Ann Moe's band", "Di Poe"),
        (BAND, "other albums by the band that recorded Dusk", "Dawn"),
        (BAND, "other albums by whoever recorded Dusk", "Dawn"),
        (BAND, "albums from the same label as Dusk", "Noon"),
        (BAND, "who else was born in the same town as Ann Moe", "Cy Lund"),
    ],
)
def test_they_are_found_by_what_they_share(graph, question, answer):
    assert graph.search(question).ids[0] == answer


def test_what_does_nothing_itself_is_what_others_do_it_at():
    assert set(SPORT.search("who plays with Rovers").ids[:2]) == {"Ann Moe", "Bo Weiss"}


def test_a_label_that_says_with_whom_is_followed():
    assert WORK.search("who plays with Ann Moe").ids[0] == "Hal Orm"


def test_co_is_a_word_of_its_own_but_in_names():
    words = [(word, (word,)) for word in "coauthors coach coworker".split()]
    apart, _ = with_co_apart(words, [], lambda word: [word], lambda phrase: False)
    assert [word for word, _ in apart] == ["co", "authors", "coach", "co", "worker"]


def test_a_question_of_many_such_words_is_read_a_few_times_only(monkeypatch):
    read, times = Reader.meaning, []
    monkeypatch.setattr(Reader, "meaning", lambda *given: times.append(1) or read(*given))
    SPORT.search("who are the " + "teammates colleagues classmates " * 7 + "of Di Poe")
    assert 1 < len(times) < 20


def test_alongside_is_what_a_label_says_by_it():
    facts = """
        Ellen Moss|alongside|Hugo Lane · Hugo Lane|predecessor|Ida Frost · Ellen Moss|predecessor|Max Toll
        Hugo Lane|spouse|Jo Lane · Max Toll|alongside|Nils Ray
    """
    with graph_of(facts) as senate:
        assert senate.search("who is the predecessor of the one who is alongside Ellen Moss?").ids[0] == "Ida Frost"
