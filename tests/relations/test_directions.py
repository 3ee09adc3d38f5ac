"""Which way a word goes along edges is told of each type by its own label, seen through whole questions."""

import pytest
from fact_graphs import graph_of

PATHS = graph_of("""
    Ida Moor|/film/actor/film./film/performance/film|Red Harbour · Tom Reeve|/film/director/film|Red Harbour
    · Tom Reeve|/film/actor/film./film/performance/film|Low Tide · Ada Quill|/film/director/film|Low Tide
    · pleurisy|/people/cause_of_death/people|Ida Moor · Ida Moor|/people/deceased_person/place_of_death|Marrow Bay
    · klezmer|/music/genre/artists|Nils Bran · Cobalt House|/music/record_label/artist|Nils Bran
    · Dunmere|/education/educational_institution/students_graduates./education/education/student|Ida Moor
    · Red Harbour|/film/film/language|Frisian · Red Harbour|/film/film/country|Carpathia
    · Low Tide|/film/film/edited_by|Bo Lamm · Low Tide|/film/film/music|Nils Bran
    · Nils Bran|/people/person/place_of_birth|Altmar · Tom Reeve|/people/person/nationality|Borduria
    · Red Harbour|/film/film/story_by|Wim Oss · Low Tide|/film/film/release_region|Borduria
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who acted in Red Harbour", "Ida Moor"),
        ("who was the director of Red Harbour", "Tom Reeve"),
        ("who directed Red Harbour", "Tom Reeve"),
        ("what did Tom Reeve direct", "Red Harbour"),
        ("what did Tom Reeve act in", "Low Tide"),
        ("what did Ida Moor die of", "pleurisy"),
        ("what was Ida Moor's cause of death", "pleurisy"),
        ("where did Ida Moor die", "Marrow Bay"),
        ("who died of pleurisy", "Ida Moor"),
        ("what is the genre of Nils Bran", "klezmer"),
        ("which label is Nils Bran signed to", "Cobalt House"),
        ("which artists play klezmer", "Nils Bran"),
        ("where did Ida Moor study", "Dunmere"),
        ("who studied at Dunmere", "Ida Moor"),
        ("what language is the film Red Harbour in", "Frisian"),
    ],
)
def test_what_stands_before_the_last_part_of_a_path_asks_for_where_its_edges_begin(question, expected):
    assert PATHS.search(question).ids[0] == expected


BOTH_WAYS = graph_of("""
    Ada Bell|dbo:influencedBy|Cy Dorn · Ada Bell|dbp:influenced|Ed Finch · Gil Hart|dbo:predecessor|Ida Jonas
    · Gil Hart|dbp:succeeded|Max Noor · Kim Lund|dbp:succeeded|Gil Hart
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who did Ada Bell influence", "Ed Finch"),
        ("who was Ada Bell influenced by", "Cy Dorn"),
        ("who influenced Ada Bell", "Cy Dorn"),
        ("who succeeded Gil Hart", "Kim Lund"),
        ("who did Gil Hart succeed", "Max Noor"),
    ],
)
def test_of_labels_in_both_directions_each_is_followed_its_own_way(question, expected):
    assert BOTH_WAYS.search(question).ids[0] == expected


DEEDS = graph_of("""
    Ann Moe|acquired|Betasoft · Betasoft|acquired|Gammanet · Betasoft|founder|Sol Ek · Sol Ek|killed|Kim Doe
    · John Poe|killed|Sol Ek · Kim Doe|killed|Rex Lund · Rex Lund|played_by|Ida Moor
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("by whom was Sol Ek killed", "John Poe"),
        ("by which company was Gammanet acquired", "Betasoft"),
        ("who killed the founder of Betasoft", "John Poe"),
        ("who killed a founder of Betasoft", "John Poe"),
        ("who killed the character played by Ida Moor", "Kim Doe"),
        ("whom did the founder of Betasoft kill", "Kim Doe"),
    ],
)
def test_a_deed_is_done_to_what_stands_behind_it_or_before_it_with_by(question, expected):
    assert DEEDS.search(question).ids[0] == expected


STRENGTHS = graph_of("""
    Ember|strong_against|Fern · Brook|strong_against|Ember · Ember|weak_to|Brook · Kim Doe|allergic_to|pollen
    · Altmar|capital_of|Borduria · Borduria|capital|Zadar · Ann Moe|reports_to|Kim Doe · Kim Doe|reports_to|John Poe
    · Brook|has_kind|water · Fern|has_kind|grass
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("against what is Ember strong", "Fern"),
        ("what is Ember strong against", "Fern"),
        ("to what is Ember weak", "Brook"),
        ("to what is Kim Doe allergic", "pollen"),
        ("to whom does Kim Doe report", "John Poe"),
        ("of which country is Altmar the capital", "Borduria"),
    ],
)
def test_a_preposition_before_what_is_asked_for_belongs_to_the_last_word(question, expected):
    assert STRENGTHS.search(question).ids[0] == expected
