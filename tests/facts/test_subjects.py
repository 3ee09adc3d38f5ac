"""What a question names: by a part of its name where all other names in it are words that ask for an edge."""

import pytest
from fact_graphs import graph_of

from fourfold import Edge, Node, Retriever

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


@pytest.fixture(scope="module")
def tables():
    """What a database of films holds: each node is a table, and says what its rows say."""
    columns = {"Film": "title, runtime, tagline", "Viewer": "name, email", "Studio": "name, address", "Genre": "name"}
    retriever = Retriever()
    retriever.add(
        [Node(name, name, text=f"Table of {name}. Columns: {own}") for name, own in columns.items()],
        [Edge("Viewer", "Film", "RATED"), Edge("Studio", "Film", "PRODUCED"), Edge("Film", "Genre", "IN_GENRE")],
    )
    return retriever


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("List the 5 films that were rated most.", "Film"),
        ("Find 3 films with a long tagline.", "Film"),
        ("What are the names of the first 3 studios that produced anything?", "Studio"),
        ("Which viewers rated more than ten of them?", "Viewer"),
    ],
)
def test_a_node_that_is_what_the_question_asks_for_is_the_answer(tables, question, answer):
    assert tables.search(question).ids[0] == answer


def test_what_is_named_beside_it_leads_there(tables):
    assert tables.search("Which viewers rated the film with the longest title?").ids[0] == "Viewer"


@pytest.fixture(scope="module")
def works():
    """Names that say of which kind works are, each with a text of its own: no node is what a question asks for."""
    texts = {
        "Beatles": "An English rock band of the sixties with four members from Liverpool.",
        "Ray Charles": "A pianist and singer, blind since childhood.",
        "Nolan": "A British filmmaker known for puzzles.",
        "German": "West Germanic language spoken by many million people.",
        "French": "A Romance language spoken in Paris and beyond.",
    }
    edges = [
        ("Help", "Beatles", "performed_by"), ("A Portrait", "Ray Charles", "performed_by"),
        ("Help", "Yesterday", "contains"), ("A Portrait", "Yesterday", "contains"),
        ("The Dark Knight", "Nolan", "directed_by"), ("American Psycho", "Mary Harron", "directed_by"),
        ("The Dark Knight", "Bale", "stars"), ("American Psycho", "Bale", "stars"),
        ("Goethe", "German", "writes_in"), ("Balzac", "French", "writes_in"),
        ("Goethe", "Berlin", "visited"), ("Balzac", "Berlin", "visited"),
    ]  # fmt: skip
    names = dict.fromkeys(name for source, target, _ in edges for name in (source, target))
    retriever = Retriever()
    retriever.add([Node(name, name, text=texts.get(name, "")) for name in names], [Edge(*edge) for edge in edges])
    return retriever


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what Nolan films star Bale", "The Dark Knight"),
        ("list the Nolan films that star Bale", "The Dark Knight"),
        ("which French authors visited Berlin", "Balzac"),
        ("which German authors visited Berlin", "Goethe"),
        ("which Beatles album contains Yesterday", "Help"),
        ("which Beatles albums contain the song Yesterday", "Help"),
    ],
)
def test_a_name_before_what_is_asked_for_says_which_of_them(works, question, answer):
    first, second = works.search(question).hits[:2]
    assert first.node.id == answer
    assert second.score < first.score / 4


def test_in_a_graph_of_facts_a_name_in_that_place_leads_on():
    graph = graph_of("Kim Oda|nationality|Ghanaian · Lee Vu|nationality|Welsh · Kim Oda|team|Ajax · Lee Vu|team|Leeds")
    assert graph.search("which Ghanaian scored most").ids[0] == "Kim Oda"


def test_from_a_name_that_a_phrase_begins_with_a_path_leads_on():
    people = "Ann Lee|Liberal|Oldham · Bo Roe|Labourite|Oldham · Cy Poe|Liberal|Luton · Di Moe|Labourite|Luton"
    facts, types = [], {"Liberal": "party", "Labourite": "party", "Oldham": "town", "Luton": "town"}
    for name, party, town in (one.split("|") for one in people.split(" · ")):
        facts += [f"{name}|party|{party}", f"{name}|represents|{town}"]
        types[name] = "politician"
    graph = graph_of(" · ".join(facts), types)
    assert graph.search("liberals in the council from Oldham").ids[0] == "Ann Lee"
    assert graph.search("labourites who represent Luton").ids[0] == "Di Moe"


@pytest.fixture(scope="module")
def proposals():
    titles = {
        "PEP 8": "Style Guide for Python Code", "PEP 12": "Sample Template", "PEP 345": "Metadata for Packages 1.2",
        "PEP 566": "Metadata for Packages 2.1", "PEP 3000": "Python 3000",
    }  # fmt: skip
    about = "A proposal on what packages say of themselves, which goes beyond PEP 8 and PEP 12, and replaces others."
    nodes = [Node(code, f"{code} – {title}", text=f"{title}. {about}") for code, title in titles.items()]
    authors = {"PEP 8": "Ada Lund", "PEP 12": "Bo Reyes", "PEP 345": "Cy Holm", "PEP 566": "Di Moss", "PEP 3000": "Ed"}
    edges = [Edge(code, author, "author") for code, author in authors.items()]
    edges += [Edge("PEP 345", "PEP 566", "superseded_by"), Edge("PEP 566", "PEP 8", "requires")]
    retriever = Retriever()
    retriever.add([*nodes, *(Node(author, author) for author in authors.values())], edges)
    return retriever


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who wrote PEP 566?", "Di Moss"),
        ("Who is the author of PEP 8?", "Ada Lund"),
        ("What is PEP 345 superseded by?", "PEP 566"),
        ("Which PEPs does PEP 566 require?", "PEP 8"),
        ("Who wrote the PEP that PEP 345 was superseded by?", "Di Moss"),
        ("who wrote pep 566", "Di Moss"),
    ],
)
def test_what_a_name_begins_with_is_enough_where_that_is_a_code(proposals, question, answer):
    assert proposals.search(question).ids[0] == answer


def test_a_code_names_an_incident_beside_the_page_on_it():
    with Retriever() as retriever:
        pages = [Node(f"inc-{n}.md", f"INC-{n}: Shop down for {n} minutes", "document") for n in (7, 8)]
        incidents = [Node(f"INC-{n}", f"INC-{n} shop outage", "incident") for n in (7, 8)]
        people = [Node("Ada Lund", "Ada Lund", "person"), Node("Bo Reyes", "Bo Reyes", "person")]
        edges = [Edge("Ada Lund", "INC-7", "resolved"), Edge("Bo Reyes", "INC-8", "resolved")]
        retriever.add([*pages, *incidents, *people], [*edges, Edge("inc-7.md", "inc-8.md", "relates_to")])
        assert retriever.search("who resolved INC-7").ids[0] == "Ada Lund"


COUNTED = graph_of("""
    France|president|Louis Bonaparte · France|president|Emmanuel Macron · Spain|city|Barcelona · Spain|city|Madrid
    · 1st Infantry Division|based_in|Fort Riley · 1st Infantry Division|president|Ann Bo · France|city|Paris
    · 2nd Avenue Deli|city|New York · 2nd Avenue Deli|owner|Ann Bo · Friends|actor|Courteney Cox
    · Season 2 Finale|actor|Ann Bo · Jaws|written_by|Carl Gott · 3D Printing Handbook|written_by|Jane Roe
""")


@pytest.mark.parametrize(
    ("question", "another"),
    [
        ("who was the 1st president of France", "Ann Bo"),
        ("what is the 2nd largest city of Spain", "New York"),
        ("which city of Spain is 2nd", "New York"),
        ("who was an actor of Friends in season 2", "Ann Bo"),
        ("WHO WAS AN ACTOR OF FRIENDS IN SEASON 2", "Ann Bo"),
    ],
)
def test_figures_that_count_name_nothing(question, another):
    assert another not in COUNTED.search(question).ids[:3]


def test_nor_do_figures_with_letters_behind():
    assert COUNTED.search("who wrote films in 3D").ids[0] != "Jane Roe"


PRIZES = graph_of("""
    Guglielmo Marconi|born in|Bologna · Guglielmo Marconi|prize|Physics · Guglielmo Marconi|awarded in|1909
    · Guglielmo Marconi|affiliated with|Marconi Wireless Telegraph and Signal Company · Ferdinand Braun|prize|Physics
    · Ferdinand Braun|awarded in|1909 · Ferdinand Braun|affiliated with|Strasbourg University
    · Strasbourg University|located in|Strasbourg · Max Planck|prize|Physics · Max Planck|awarded in|1918
    · Edwin Hubble|born in|Marshfield · Hubble Space Telescope|named for|Edwin Hubble
    · Marconi Wireless Telegraph and Signal Company|located in|London
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where was Marconi born?", "Bologna"),  # the company has the name, too, as a small part of its own
        ("Who shared the physics prize of 1909 with Braun?", "Guglielmo Marconi"),
        ("Did Planck get the prize of 1918 in which field?", "Physics"),
        ("Where did Ferdinand Braun work?", "Strasbourg University"),  # not where that is
    ],
)
def test_a_surname_names_who_bears_it_also_beside_others(question, answer):
    assert PRIZES.search(question).ids[0] == answer


def test_of_several_names_that_have_a_part_those_are_meant_that_have_the_edge_asked_for():
    assert PRIZES.search("Where was Hubble born?").ids[0] == "Marshfield"
    assert PRIZES.search("Who is Hubble named for?").ids[0] == "Edwin Hubble"


def test_capitals_of_a_question_that_has_no_small_letters_tell_no_name():
    assert PRIZES.search("WHO SHARED THE PRIZE OF 1909 WITH BRAUN").ids[0] == "Ferdinand Braun"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("好的。时光漫步怀旧主题酒店(北京雍和宫店)的价格是多少？", "1063"),
        ("就选时光漫步怀旧主题酒店(北京国子监店)吧，它的价格是多少？", "980"),
        (
            "Who wrote On the Slow Decay of Very Small Radiant Bodies in Cold Dark Water near Large Northern Islands?",
            "Ida Falk",
        ),
    ],
)
def test_a_name_too_long_for_the_index_of_names_is_known_where_it_is_written_in_full(question, answer):
    facts = """
        时光漫步怀旧主题酒店(北京雍和宫店)|价格|1063 · 时光漫步怀旧主题酒店(北京国子监店)|价格|980 · 雍和宫|价格|25
        On the Slow Decay of Very Small Radiant Bodies in Cold Dark Water near Large Northern Islands|author|Ida Falk
        Cold Dark Water|author|Bo Rask
    """
    with graph_of(facts) as graph:
        assert graph.search(question).ids[0] == answer


def test_of_a_label_parts_may_stand_apart_and_words_of_every_question_name_nothing():
    facts = "车馆|周边餐馆|小吃店 · 车馆|周边景点|酒馆 · 车馆|周边酒店|宾馆一 · 其他|评分|4 · 没有|评分|5"
    with graph_of(facts) as town:
        assert town.search("车馆周边还有其他景点吗？").ids[0] == "酒馆"
        assert town.search("车馆周边有什么住的地方吗？").ids[0] == "宾馆一"


def test_a_name_that_is_a_word_with_the_is_not_meant_by_the_word_with_another_article():
    facts = "The Place|area|west · Bell Inn|price|cheap · Oak Inn|price|dear · Bell Inn|area|west · Oak Inn|area|west"
    with graph_of(facts, {"Bell Inn": "hotel", "Oak Inn": "hotel"}) as town:
        assert town.search("I am looking for a cheap place to stay").ids[0] == "Bell Inn"
        assert town.search("Which area is The Place in?").ids[0] == "west"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who approved Graduate daemon sets to stable?", "Ora Lund"),
        ("Who approved Sidecar containers?", "Ben Ash"),
        ("Who approved KEP-548?", "Ora Lund"),
        ("Who approved Sidecar?", "Sidecar"),
    ],
)
def test_a_name_is_known_without_the_code_that_it_begins_with(question, answer):
    long = "A proposal with a text of its own, on containers that run beside others, and what becomes of them."
    names = ("KEP-548: Graduate daemon sets to stable", "KEP-753: Sidecar containers")
    others = ("Ora Lund", "Ben Ash", "sig-node", "sig-apps", "Sidecar")
    with Retriever() as proposals:
        proposals.add(
            [Node(name, name, text=long) for name in names] + [Node(name, name) for name in others],
            [
                Edge(names[0], "Ora Lund", "approver"),
                Edge(names[1], "Ben Ash", "approver"),
                Edge(names[0], "sig-apps", "owning_group"),
                Edge(names[1], "sig-node", "owning_group"),
            ],
        )
        assert proposals.search(question).ids[0] == answer


KITCHEN = """
    Borscht|cook|Ana · Pilaf|cook|Ben · Ramen|cook|Cem · Borscht|made_with|Beet · Pilaf|made_with|Saffron
    Ramen|made_with|Miso · Tonic|made_with|Saffron · Ana|knows|Cem
"""
KITCHEN_TYPES = {
    **dict.fromkeys(("Borscht", "Pilaf", "Ramen"), "dish"),
    **dict.fromkeys(("Ana", "Ben", "Cem"), "person"),
    **dict.fromkeys(("Beet", "Saffron", "Miso"), "ingredient"),
    "Tonic": "medicine",
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who cooks the dish with saffron", "Ben"),
        ("who cooks the dishes that have miso", "Cem"),
    ],
)
def test_what_of_a_type_stands_beside_a_name_leads_the_way(question, answer):
    with graph_of(KITCHEN, KITCHEN_TYPES) as kitchen:
        assert kitchen.search(question).ids[0] == answer
