"""What a question names: by a part of its name where all other names in it are words that ask for an edge."""

import pytest
from fact_graphs import graph_of

PLAYERS = graph_of("""
    Lionel Messi|position played|forward · Lionel Messi|member of team|Barca · Neymar Jr|member of team|Santos FC
    · Neymar Jr|position played|winger · Play|performer|Bobby Ferrin · Play|genre|comedy
    · Mother|performer|Ana Gray · Ivan Pushkin|mother|Nadja Osipova · Ivan Pushkin|genre|comedy
    · Scotland|capital|Edinburgh · Ana Gray|birthPlace|Scotland · Bobby Ferrin|birthPlace|Edinburgh
    · Football Cup|genre|contest · Football Cup|unitary Scotland|Barca
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what position does Messi play", "forward"),
        ("what position does Neymar play", "winger"),
        ("who was Pushkin's mother", "Nadja Osipova"),
        ("which football player was born in Scotland", "Ana Gray"),
        ("who is the performer of Play", "Bobby Ferrin"),
        ("name someone born in Edinburgh", "Bobby Ferrin"),
    ],
)
def test_a_part_of_a_name_is_meant_where_the_other_names_are_words_that_ask_for_an_edge(question, answer):
    assert PLAYERS.search(question).ids[0] == answer


SINGERS = graph_of("""
    Noël Coward|occupation|playwright · Noël Coward|birthplace|Teddington · Harry Nilsson|occupation|songwriter
    · Harry Nilsson|birthplace|Brooklyn · Leonardo DiCaprio|birthplace|Hollywood · Leonardo Vega|birthplace|Quito
    · Leonardo DiCaprio|occupation|actor · Odetta|genre|folk · Odetta|birthplace|Birmingham · Otto|genre|polka
    · Harry Chapin|occupation|singer · Harry Belafonte|occupation|dancer
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what was the occupation of Noel Coward", "playwright"),
        ("Where was Harry Nilson born?", "Brooklyn"),
        ("occupation of Harry Nislson", "songwriter"),
        ("where was leonardo dicaprio born", "Hollywood"),
        ("what is the genre of Odeta", "folk"),
    ],
)
def test_a_name_is_known_without_its_accents_and_with_a_letter_wrong(question, answer):
    assert SINGERS.search(question).ids[0] == answer


def test_another_word_is_no_misspelt_name():
    assert SINGERS.search("what was the occupation of Henry Nilbert").ids[0] not in {"songwriter", "Brooklyn"}
