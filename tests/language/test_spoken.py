"""The words of a question as they are read: as one says them, and without what says nothing."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold.language.name_matching import Named
from fourfold.language.spoken import read_aloud, without_co

GRAPH = graph_of("""
    Tide|produced by|Ada Keller · Tide|film format|reel · Ada Keller|other film|Salt · Salt|film format|reel
    · Tide (opera)|written by|Mei Roe · Angria|continent|Boreas · Angria|part of|League · Angria|capital|Sneachie
    · Angria|administrative region|Glass · Part of the World|written by|Mei Roe · Nat Cole|field of work|jazz
    · Nat Cole|place of birth|Montgomery · Nat Cole|father|Ed Coles · Nat Cole|mother|Perlina Adams
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who produced tide (film)", "Ada Keller"),
        ("who wrote Tide (opera)", "Mei Roe"),
        ("whats the name of a jazz singer", "Nat Cole"),
        ("what part of the world is Angria located in", "Boreas"),
        ("what is the administrative center of Angria", "Sneachie"),
        ("who wrote Part of the World", "Mei Roe"),
        ("who was Nat Cole's mom", "Perlina Adams"),
        ("dad of Nat Cole", "Ed Coles"),
    ],
)
def test_words_are_read_as_they_are_said(question, answer):
    assert GRAPH.search(question).ids[0] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did produce() of Tide() cost, and who produced Tide()", "Ada Keller"),
        ("Tide :( who produced it", "Ada Keller"),
        ("Tide (producer)", "Ada Keller"),
        ("who wrote Tide (opera) (and where was she born)", "Mei Roe"),
        ("did Mei Roe write Part of the World", "Mei Roe"),
    ],
)
def test_brackets_that_say_not_which_is_meant_are_read(question, answer):
    assert GRAPH.search(question).ids[0] == answer


@pytest.mark.parametrize("question", ["who produced Tide()?", "who produced Tide ()?", "Tide() was produced by whom"])
def test_a_call_of_a_function_silences_nothing(question):
    plain = GRAPH.search(question.replace("()", "").replace(" ?", "?"))
    assert GRAPH.search(question).ids[0] == plain.ids[0] == "Ada Keller"


def test_a_name_in_brackets_is_meant_too():
    words = [("paris", ("paris",)), ("texas", ("texas",)), ("grows", ("grow",))]
    named = [Named(np.array([1]), 0, 1), Named(np.array([2]), 1, 2)]
    assert read_aloud("paris (texas) grows", words, named, lambda text: [text], lambda phrase: False) == (words, named)


FIRM = graph_of("""
    Omnia|founded by|Bo Weiss · Omnia|founded by|Cy Lund · Zeta|founded by|Bo Weiss · Zeta|founded by|Di Poe
    · Omnia|owner|Big Fund · Omnia|headquarters location|Altmar · Omnia|ceo|Ann Moe · Tower|material used|granite
    · Tower|main building contractor|Stone Bros · Tide|starred_actors|Juri Novak · Tide|starred_actors|Omar Haddad
    · Mirror|starred_actors|Juri Novak · Mirror|written_by|Mei Roe · Tide|written_by|Mei Roe · Mirror|written_by|Pim Ros
    · Mei Roe|pseudonym|M. R. Moss
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who is the co-founder of Omnia", {"Bo Weiss", "Cy Lund"}),
        ("who co-founded Omnia", {"Bo Weiss", "Cy Lund"}),
        ("who are Omnia's co-founders", {"Bo Weiss", "Cy Lund"}),
        ("what was Omnia co-founded by?", {"Bo Weiss", "Cy Lund"}),
        ("who is Omnia co-owned by", {"Big Fund"}),
        ("what companies did Bo Weiss co-found?", {"Omnia", "Zeta"}),
        ("who co-founded a company with Cy Lund", {"Bo Weiss"}),
        ("who co-wrote Mirror", {"Mei Roe", "Pim Ros"}),
        ("who are the co-writers of Mirror", {"Mei Roe", "Pim Ros"}),
        ("who are the co-writers of Pim Ros", {"Mei Roe"}),
        ("who co-starred in Tide", {"Juri Novak", "Omar Haddad"}),
        ("who are the co-stars of Omar Haddad", {"Juri Novak"}),
        ("Omar Haddad's co-stars", {"Juri Novak"}),
    ],
)
def test_co_leads_back_where_what_is_named_does_it_itself(question, answers):
    assert FIRM.search(question).ids[0] in answers


def test_co_is_left_out_of_words_but_not_of_names_nor_before_with():
    words = [(word, (word,)) for word in "who co founded Omnia".split()]
    named = [Named(np.array([7]), 3, 4)]
    plain, moved = without_co(words, named)
    assert [word for word, _ in plain] == ["who", "founded", "Omnia"]
    assert [(one.start, one.end) for one in moved] == [(2, 3)]
    assert without_co([*words, ("with", ())], named) is None
    assert without_co(words, [Named(np.array([7]), 1, 4)]) is None


SPEAR = graph_of("Spear|made of|ash · Spear|material|wood class · Spear|wielded by|Ida Holm")


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (FIRM, "where is the head office of Omnia", "Altmar"),
        (FIRM, "what is Tower made of", "granite"),
        (FIRM, "what is Tower built from", "granite"),
        (FIRM, "what is the pen name of Mei Roe", "M. R. Moss"),
        (SPEAR, "what is Spear made of", "ash"),
        (SPEAR, "what is Spear made from", "ash"),
    ],
)
def test_phrases_ask_for_what_one_word_calls_unless_a_label_has_one_of_them(graph, question, answer):
    assert graph.search(question).ids[0] == answer


CAFE = graph_of("""
    Toast|on_menu|Brunch Menu · Bagel|on_menu|Lunch Menu · Bagel|made_by|Ida · Toast|made_by|Ola
    · Brunch Menu|printed_by|Sol · Harbour|has|Kiosk · Harbour|near|Old Town · Harbour|run_by|Port Trust
    · Airport|has|Lounge
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what's on the brunch menu", "Toast"),
        ("whats on the lunch menu?", "Bagel"),
        ("what does the Harbour have", "Kiosk"),
    ],
)
def test_what_is_on_something_and_what_it_has_is_asked_of_labels_that_say_so(question, answer):
    assert CAFE.search(question).ids[0] == answer
