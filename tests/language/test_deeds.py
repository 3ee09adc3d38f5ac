"""Deeds and nouns of one word, and what only measures, seen through whole questions over small graphs."""

import pytest
from fact_graphs import graph_of

PERSON = graph_of("""
    Ada Weiss|employer|Omnia · Ada Weiss|field of work|optics · Ada Weiss|work location|Zadar
    · Ada Weiss|occupation|clerk · Ada Weiss|notable work|Almanac · Ada Weiss|residence|Marn
    · Ada Weiss|native language|Selkish · Ada Weiss|languages spoken, written or signed|Borduric
    · Ada Weiss|position held|senator
""")
LAND = graph_of("""
    Borduria|head of government|Di Poe · Borduria|basic form of government|republic
    · Borduria|shares border with|Carpathia · Borduria|office held by head of government|premiership
    · Borduria|population|4,100,000 · Borduria|inception|1871 · Borduria|dissolved, abolished or demolished|1999
    · Borduria|number of households|900,000
""")
FIRM = graph_of("""
    Omnia|employees|5,200 · Omnia|phone number|555-0199 · Omnia|number of shares|900
    · Omnia|director / manager|Flo Tan · Omnia|chief executive officer|Ann Moe
    · Lighthouse|project_manager|Greta Moll · Teo Ruz|member of sports team|Marn FC
    · Teo Ruz|position played on team / speciality|midfielder · The Joker|character_created_by|Bob Fane
    · The Joker|organizations_founded|Grin Gang
""")


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (PERSON, "who does Ada Weiss work for", "Omnia"),
        (PERSON, "which company does Ada Weiss work at", "Omnia"),
        (PERSON, "in what field did Ada Weiss work", "optics"),
        (PERSON, "what is the notable work of Ada Weiss", "Almanac"),
        (LAND, "who governs Borduria", "Di Poe"),
        (LAND, "what form of government does Borduria have", "republic"),
        (FIRM, "who manages Omnia", "Flo Tan"),
        (FIRM, "who manages Lighthouse", "Greta Moll"),
        (FIRM, "who does Teo Ruz play for", "Marn FC"),
        (FIRM, "who created the Joker", "Bob Fane"),
    ],
)
def test_a_verb_asks_for_no_label_that_has_it_for_a_noun_beside_others(graph, question, answer):
    assert graph.search(question).ids[0] == answer


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (PERSON, "what does Ada Weiss do for work", "clerk"),
        (PERSON, "what does Ada Weiss do for a living", "clerk"),
        (PERSON, "where did Ada Weiss live", "Marn"),
        (PERSON, "in which town does Ada Weiss live", "Marn"),
        (PERSON, "what languages does Ada Weiss speak", "Borduric"),
        (LAND, "who is the mayor of Borduria", "Di Poe"),
        (LAND, "which country shares a common border with Borduria", "Carpathia"),
        (LAND, "when did Borduria end", "1999"),
        (LAND, "when was Borduria founded", "1871"),
    ],
)
def test_everyday_words_for_what_labels_call_otherwise(graph, question, answer):
    assert graph.search(question).ids[0] == answer


CREW = graph_of("""
    Treaty of Lorne|signed_at|Lorne Abbey · Treaty of Lorne|signatory|Casimir Ruhl · Ida Voss|REPORTS_TO|Edgar Lind
    · Ida Voss|MENTORS|Kofi Brandl · Ida Voss|MANAGES|Team Walrus · Mila Sutter|ON_CALL_FOR|Paygate
    · INC-7|AFFECTED|Paygate
    · INC-7|LASTED|95 minutes · Paygate|HAS_REPO|paygate-svc · Paygate|WRITTEN_IN|Kotlin · Hav|eats|Tolvin
    · Tolvin|eats|Wrenlet · Inspector Crake|appeared_in|Hollowmere · Inspector Crake|portrayed_by|Lorcan Shea
    · Hollowmere|number_of_seasons|5 · Hollowmere|viewers|3.9 million · Hollowmere|program_creator|Agneta Sorley
""")


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (CREW, "Who signed the Treaty of Lorne?", "Casimir Ruhl"),
        (CREW, "where was the Treaty of Lorne signed", "Lorne Abbey"),
        (CREW, "Who plays Inspector Crake?", "Lorcan Shea"),
        (CREW, "what did Inspector Crake appear in", "Hollowmere"),
        (CREW, "What preys on the Tolvin?", "Hav"),
        (CREW, "what does the Tolvin prey on", "Wrenlet"),
        (CREW, "Who does Ida Voss answer to?", "Edgar Lind"),
        (CREW, "Who is Ida Voss coaching?", "Kofi Brandl"),
        (CREW, "Who do I page when Paygate is down?", "Mila Sutter"),
        (CREW, "What did INC-7 break?", "Paygate"),
        (CREW, "Where is the source code of Paygate?", "paygate-svc"),
        (CREW, "How many people watched Hollowmere?", "3.9 million"),
        (CREW, "Who came up with Hollowmere?", "Agneta Sorley"),
    ],
)
def test_who_does_it_is_not_where_it_is_done_and_a_verb_may_have_a_preposition(graph, question, answer):
    assert graph.search(question).ids[0] == answer


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (FIRM, "what is the number of employees of Omnia", "5,200"),
        (FIRM, "how many people work at Omnia", "5,200"),
        (FIRM, "what is the number of shares of Omnia", "900"),
        (FIRM, "what is the phone number of Omnia", "555-0199"),
        (LAND, "how many inhabitants does Borduria have", "4,100,000"),
        (LAND, "how many households does Borduria have", "900,000"),
    ],
)
def test_a_number_is_that_of_what_is_counted(graph, question, answer):
    assert graph.search(question).ids[0] == answer
