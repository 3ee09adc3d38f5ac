"""How similar labels of edge types are to words of questions."""

import pytest
from fact_graphs import graph_of

from fourfold.embed.static import bundled
from fourfold.relations.labels import Labels
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english").terms


def labels(*names):
    return Labels(names, bundled().embed_documents, TERMS, bundled().is_word)


def test_of_a_label_that_is_a_path_the_last_part_counts():
    found = labels("/book/author/works_written", "/book/written_work/date_of_first_publication", "/people/person/dept.")
    similarity, _, best = found.similarity("wrote")
    assert best == similarity.max()
    assert similarity[0] >= 0.9 > similarity[1]
    assert found.similarity("department")[0][2] >= 0.9


def test_a_label_that_is_the_word_alone_comes_before_those_that_hold_it_beside_others():
    others = ["previous_mission", "crew", "rocket", "launch_site"]
    similarity, _, best = labels(*others, "mission").similarity("mission")
    assert best == similarity[4] > similarity[0] > similarity[1:4].max()
    similarity, _, best = labels(*others).similarity("mission")
    assert best == similarity[0] == 1.0


def test_without_word_boundaries_a_word_is_like_no_label_that_only_shares_characters_with_it():
    found = labels("发明日期", "分布", "女儿", "侄女")
    assert found.similarity("分发")[2] == 0.0
    assert found.similarity("女儿")[0].tolist().index(1.0) == 2
    assert found.words.within_by_character("什么时候发明的").tolist() == [0.5, 0.0, 0.0, 0.0]


OFFICES = graph_of("""
    Angria|previous head of government|Ada Bell · Angria|head of government|Cy Dorn · Ed Finch|head of state|Gil Hart
    · Ida Moor|member of sports team|Low Tide · Ida Moor|previous member of sports team|Alm Tide
    · Ida Moor|previous position held|captain · Ida Moor|position held|scout · Cy Dorn|place of birth|Altmar
    · Alm Tide|coachedBy|Karl Egger · Karl Egger|formerlyCoached|Low Tide
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who is the head of the government of Angria", "Cy Dorn"),
        ("who was the previous head of the government of Angria", "Ada Bell"),
        ("which team does Ida Moor play for", "Low Tide"),
        ("which position does Ida Moor hold currently", "scout"),
        ("which position did Ida Moor hold before the current position", "captain"),
        ("where was the head of government of Angria born", "Altmar"),
        ("which team did Karl Egger coach before", "Low Tide"),
    ],
)
def test_of_labels_of_which_one_has_more_words_that_is_meant_where_these_are_said(question, expected):
    assert OFFICES.search(question).ids[0] == expected
