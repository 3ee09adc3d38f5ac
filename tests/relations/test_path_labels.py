"""How a label that is a path is cut."""

import pytest

from fourfold.relations.path_labels import PathLabel, parts_of


@pytest.mark.parametrize(
    ("edge_type", "parts"),
    [
        ("/film/actor/film./film/performance/film", PathLabel("film", "film", "actor")),
        ("film.actor.film..film.performance.film", PathLabel("film", "film", "actor")),
        ("people/cause_of_death/people", PathLabel("people", "", "cause_of_death")),
        ("http://rdf.freebase.com/ns/film.director.film", PathLabel("film", "", "director")),
        ("http://dbpedia.org/ontology/birthPlace", PathLabel("birthPlace")),
        ("dbo:Person/height", PathLabel("height", "", "Person")),
        ("dbo:starring", PathLabel("starring")),
        ("/people/person/dept.", PathLabel("dept.", "", "person")),
        ("orders.customer_id", PathLabel("customer_id", "", "orders")),
        ("position_played_on_team_/_speciality", PathLabel("position_played_on_team_/_speciality")),
        ("located in/on physical feature", PathLabel("located in/on physical feature")),
        ("directed_by", PathLabel("directed_by")),
        ("/", PathLabel("/")),
        ("", PathLabel("")),
    ],
)
def test_parts_of_a_path(edge_type, parts):
    assert parts_of(edge_type) == parts
