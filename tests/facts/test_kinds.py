"""What kind of thing is asked for: what edges lead to by another word for it, and what types say."""

import pytest
from fact_graphs import graph_of

from fourfold import Edge, Node, Retriever
from fourfold.engines.sqlite.store import Store

FILMS = graph_of("""
    Tara Lane|actor/performance/film|Moonrise · Tara Lane|actor/performance/film|Dry Season
    · Moonrise|film/release/film_release_region|Canada · Dry Season|film/release/film_release_region|Canada
    · Moonrise|film/featured_film_locations|Vancouver · Dry Season|film/featured_film_locations|Vancouver
    · Dry Season|film/edited_by|Jim Clark · Moonrise|film/genre|fantasy · Jim Clark|person/profession|editor
    · Jim Clark|actor/performance/film|Old Song · Tara Lane|person/profession|singer
    · Moonrise|film/other_crew/film_crew_role|Sound Mixer · Dry Season|film/other_crew/film_crew_role|Sound Mixer
    · Tara Lane|actor/performance/film|Big Boat · Big Boat|film/release/film_release_region|Canada
    · Tara Lane|person/nationality|Canada · Jim Clark|person/nationality|Canada
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what movie featuring Tara Lane was edited by Jim Clark", {"Dry Season"}),
        ("what silent movies has Tara Lane played in", {"Moonrise", "Dry Season", "Big Boat"}),
        ("which Tara Lane film was edited by Jim Clark", {"Dry Season"}),
        ("what profession has Tara Lane", {"singer"}),
    ],
)
def test_what_is_called_by_another_word_for_the_kind_asked_for_comes_first(question, answers):
    assert set(FILMS.search(question).ids[: len(answers)]) == answers


WARDS = graph_of("""
    Ward A|head physician|Elena Ruiz · Ward B|head physician|Sam Holt · Aoife Byrne|works on|Ward A
    · Aoife Byrne|works on|Ward B · Mark Chen|works on|Ward A · Ward A|on floor|third · Merin|country|Valdor
    · River Sel|flows_through|Merin · River Aum|flows_through|Tarn · Valdor|capital|Merin
    · Red Film|directed_by|Ada Kell · Red Film|has_genre|Comedy · Old Film|has_genre|Drama
    · Bo Kell|spouse|Ada Kell · Ada Kell|gender|female · Old Film|directed_by|Ada Kell
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("doctors working on both Ward A and Ward B", {"Aoife Byrne"}),
        ("which river flows through the capital of Valdor", {"River Sel"}),
        ("what types are the films directed by Ada Kell", {"Comedy", "Drama"}),
        ("what sex is the spouse of Bo Kell", {"female"}),
    ],
)
def test_what_words_explain_is_not_put_behind_little_that_is_of_the_kind(question, answers):
    assert set(WARDS.search(question).ids[: len(answers)]) == answers


@pytest.fixture(scope="module")
def park():
    people = {name: "customers" for name in ("Ana Roe", "Bo Lund", "Cy Holm")}
    kinds = people | {"Castle": "tourist_attractions", "Maze": "tourist_attractions", "cash": "", "card": "", "bus": ""}
    kinds |= {"o1": "orders", "o2": "orders", "o3": "orders", "toys": "", "shade": "", "Museum": "locations"}
    kinds |= {"12 Hill Road": "", "9 Lake Street": "", "Harbour": "locations", "Pier": "locations"}
    edges = [("Ana Roe", "cash", "payment_method"), ("Bo Lund", "cash", "payment_method")]
    edges += [("Cy Holm", "card", "payment_method"), ("o1", "Ana Roe", "customer"), ("o2", "Bo Lund", "customer")]
    edges += [("o3", "Cy Holm", "customer"), ("Castle", "bus", "how_to_get_there"), ("Maze", "shade", "features")]
    edges += [("Castle", "shade", "tourist_attraction_features"), ("Castle", "toys", "tourist_attraction_features")]
    edges += [("Museum", "12 Hill Road", "address"), ("Harbour", "9 Lake Street", "address")]
    edges += [("Museum", "Harbour", "location"), ("Harbour", "Pier", "location"), ("Ana Roe", "Pier", "location")]
    with Retriever() as retriever:
        retriever.add([Node(name, name, kind) for name, kind in kinds.items()], [Edge(*edge) for edge in edges])
        yield retriever


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what are the names of customers who use payment method cash", {"Ana Roe", "Bo Lund"}),
        ("which tourist attractions can we get to by bus", {"Castle"}),
        ("find the address of the location named Museum", {"12 Hill Road"}),
        ("what is the address of the location with name Harbour", {"9 Lake Street"}),
    ],
)
def test_what_is_of_the_type_asked_for_is_the_answer_not_what_the_word_leads_on_to(park, question, answers):
    assert set(park.search(question).ids[: len(answers)]) == answers


def test_of_what_may_be_of_the_kind_asked_for_only_the_types_are_read(park, monkeypatch):
    park.search("the first question of all reads nodes to learn what evidence is worth")
    read = []
    nodes = Store.nodes
    monkeypatch.setattr(Store, "nodes", lambda self, nums: read.extend(nums) or nodes(self, nums))
    assert park.search("which tourist attractions can we get to by bus", k=1).ids == ["Castle"]
    assert len(read) == 1


def test_the_kind_is_the_word_that_edges_call_though_others_stand_before_it():
    """ "Which football team" asks for a team, as "which team" does: before, for a football, which nothing is."""
    players = {f"Player {num}": ("Lyonesse", f"FC {'ABC'[num % 3]}") for num in range(60)}
    with Retriever() as retriever:
        names = ["Lyonesse", "FC A", "FC B", "FC C", "Football", *players]
        retriever.add(
            [Node(name, name) for name in names],
            [Edge(name, land, "plays_for_country") for name, (land, _) in players.items()]
            + [Edge(name, club, "plays_in_club") for name, (_, club) in players.items()],
        )
        for question in ("which team has a player from Lyonesse", "which football team has a player from Lyonesse"):
            assert set(retriever.search(question, k=3).ids) == {"FC A", "FC B", "FC C"}, question


LEAGUE = graph_of(
    "Arsenal|plays_at|The Emirates · Chelsea|plays_at|Stamford Bridge · The Emirates|located_in|London"
    "· Stamford Bridge|located_in|London · Everton|plays_at|Goodison Park · Goodison Park|located_in|Liverpool",
    {"Arsenal": "team", "Chelsea": "team", "Everton": "team", "London": "city", "Liverpool": "city"}
    | dict.fromkeys(("The Emirates", "Stamford Bridge", "Goodison Park"), "stadium"),
)


@pytest.mark.parametrize("question", ["Which clubs are from London?", "Which teams are from London?"])
def test_another_noun_for_the_type_asked_for_calls_it_too(question):
    assert set(LEAGUE.search(question).ids[:2]) == {"Arsenal", "Chelsea"}


COUNTRIES = "Paris|located_in|France · Lyon|located_in|France · Turin|located_in|Italy · Ann Vey|lives_in|Lyon"
OF_COUNTRIES = {
    **dict.fromkeys(("Paris", "Lyon", "Turin"), "city"),
    **dict.fromkeys(("France", "Italy"), "country"),
    "Ann Vey": "person",
}


@pytest.mark.parametrize(
    ("search", "answers"),
    [
        ("france cities", {"Paris", "Lyon"}),
        ("cities france", {"Paris", "Lyon"}),
        ("lyon country", {"France"}),
        ("country Lyon", {"France"}),
        ("France's cities", {"Paris", "Lyon"}),
    ],
)
def test_a_name_and_a_type_ask_for_what_is_of_it_beside_the_named(search, answers):
    """No word of these searches asks for an edge: the named node was the first hit."""
    with graph_of(COUNTRIES, OF_COUNTRIES) as graph:
        assert set(graph.search(search).ids[: len(answers)]) == answers


@pytest.mark.parametrize("search", ["lyon city", "city Lyon", "France country", "what is Lyon", "Lyon"])
def test_what_is_of_the_type_itself_is_meant_itself(search):
    with graph_of(COUNTRIES, OF_COUNTRIES) as graph:
        assert graph.search(search, k=1).ids[0].lower() in search.lower()


@pytest.mark.parametrize("typed", ["package", ""])
def test_a_word_that_is_no_type_beside_a_name_asks_for_nothing(typed):
    """Where all edges are of one type, a package's dependencies are no answer to "flask tutorial"."""
    edges = "flask|depends_on|werkzeug · flask|depends_on|jinja2 · requests|depends_on|urllib3"
    names = ("flask", "werkzeug", "jinja2", "requests", "urllib3")
    with graph_of(edges, dict.fromkeys(names, typed)) as packages:
        assert packages.search("flask tutorial", k=1).ids == ["flask"]
        assert packages.search("requests documentation", k=1).ids == ["requests"]
