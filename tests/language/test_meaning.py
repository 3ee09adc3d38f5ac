"""Questions over graphs of facts that once were answered wrong: what their words ask for, alone and together."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold import Edge, Node, Retriever
from fourfold.language.name_matching import Named
from fourfold.language.syntax import Sentence
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")


STUDIO = graph_of("""
    Paper Comet | filming_location | Kyoto
    Paper Comet | directed_by | Yuki Sato
    Paper Comet | award | Lantern Prize
    Paper Comet | genre | Animation
    Glass Orchard | filming_location | Jordan Valley
    Glass Orchard | directed_by | Noor Haddad
    Glass Orchard | genre | Thriller
    Ninth Ferry | directed_by | Noor Haddad
    Ninth Ferry | genre | Drama
    Ninth Ferry | filming_location | Bergen
    webrunner | depends_on | sockloop
    webrunner | license | MIT
    sqlbridge | depends_on | sockloop
    sqlbridge | license | Apache
    Jan Kral | plays_for | United Graz
    Kofi Mensah | plays_for | United Graz
    Kofi Mensah | citizen | Ghanaian
    Luka Petric | citizen | Ghanaian
    Luka Petric | plays_for | Athletic Vigo
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who directed the film that won the Lantern Prize", {"Yuki Sato"}),  # a film is no filming location
        ("list films directed by Noor Haddad", {"Glass Orchard", "Ninth Ferry"}),
        ("which players play for United Graz", {"Jan Kral", "Kofi Mensah"}),  # one step, told twice
        ("what is the gerne of Paper Comet", {"Animation"}),
        ("who dircted Paper Comet", {"Yuki Sato"}),
        ("which lisence does webrunner have", {"MIT"}),
        ("what does webrunner need", {"sockloop"}),
        ("which packages require sockloop", {"webrunner", "sqlbridge"}),
    ],
)
def test_kinds_misspelt_words_and_words_of_a_role(question, expected):
    assert STUDIO.search(question).ids[0] in expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which Ghanaian plays for United Graz", "Kofi Mensah"),
        ("Which Drama did Noor Haddad direct?", "Ninth Ferry"),
        ("A Thriller by Noor Haddad", "Glass Orchard"),
    ],
)
def test_what_several_named_nodes_stand_beside_is_meant(question, expected):
    assert STUDIO.search(question).ids[0] == expected


def test_the_path_told_is_that_of_the_words_where_one_led_there():
    hit = STUDIO.search("which Ghanaian plays for United Graz").hits[0]
    told = next(item for item in hit.evidence if item.kind == "path" and item.component == "intent")
    assert [(step.source, step.type, step.target) for step in told.path] == [
        ("United Graz", "plays_for", "Kofi Mensah")
    ]


def test_one_or_the_other_is_no_conjunction():
    words = TOKENIZER.terms_of_words
    assert Sentence(words("which Ghanaian plays for Graz"), ()).joins()
    assert not Sentence(words("is Petra male or female"), ()).joins()
    assert not Sentence(words("did Noor direct Blue Tram"), ()).joins()


def test_a_first_person_need_asks_for_no_edge():
    before = STUDIO.search("sockloop").ids[0]
    assert STUDIO.search("I need sockloop").ids[0] == before == "sockloop"


VERBS = graph_of("""
    Alpha | offers | Beta
    Beta | offers | Gamma
    Alpha | covers | Delta
    Delta | covers | Epsilon
    Alpha | kind | thing
    Beta | kind | thing
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Beta offer?", "Gamma"),
        ("What offers Beta?", "Alpha"),
        ("What is offered by Beta?", "Gamma"),
        ("What does Delta cover?", "Epsilon"),
        ("What covers Delta?", "Alpha"),
    ],
)
def test_a_verb_that_ends_like_a_doer_is_none(question, expected):
    assert VERBS.search(question).ids[0] == expected


def test_what_is_of_the_kind_asked_for_comes_first():
    facts = """
        Bank of Merrin | issues | Crown
        Tarn | uses_currency | Crown
        Tarn | exports | Wool
        Bank of Merrin | based_in | Merrin
    """
    kinds = {"Tarn": "country", "Bank of Merrin": "bank", "Merrin": "city"}
    assert graph_of(facts, kinds).search("Which countries have to do with the Crown?").ids[0] == "Tarn"


@pytest.mark.parametrize(
    ("question", "name", "kinds"),
    [
        ("Paper Comet director", "Paper Comet", []),  # a name is no kind
        ("list films by Noor Haddad", "Noor Haddad", ["films"]),
        ("a thriller by Noor Haddad", "Noor Haddad", ["thriller"]),
        ("in which city was Paper Comet made", "Paper Comet", ["city"]),
        ("who made Paper Comet", "Paper Comet", []),
    ],
)
def test_which_words_say_what_kind_of_answer_is_asked_for(question, name, kinds):
    words = TOKENIZER.terms_of_words(question)
    start = question.split().index(name.split()[0])
    sentence = Sentence(words, [Named(np.array([7]), start, start + 2)])
    assert [sentence.words[place] for place in sentence.kinds()] == kinds


def test_a_name_at_the_beginning_prefers_no_end_that_holds_its_words():
    found = Retriever()
    names = {"comet": "Paper Comet", "a": "Yuki Sato", "b": "Carla Ricci", "o": "Glass Orchard", "h": "Noor Haddad"}
    found.add(
        [Node(id, name, text="likes paper comet clips" if id == "b" else "") for id, name in names.items()],
        [Edge("comet", "a", "directed_by"), Edge("comet", "b", "directed_by"), Edge("o", "h", "edited_by")],
    )
    hits = {hit.node.id: hit for hit in found.search("Paper Comet directed by").hits}
    assert hits["a"].components.intent == pytest.approx(hits["b"].components.intent)


def test_the_path_begins_at_the_namesake_it_goes_through():
    nodes = [
        Node("m1", "Mercury"),
        Node("m2", "Mercury"),
        Node("b", "Bulsara"),
        Node("z", "Stone Town"),
        Node("v", "Venus"),
    ]
    found = Retriever()
    found.add(nodes, [Edge("m2", "b", "spouse"), Edge("m2", "z", "born_in"), Edge("m1", "v", "neighbour_of")])
    hit = found.search("who is the spouse of Mercury").hits[0]
    assert hit.node.id == "b"
    paths = [item.path for item in hit.evidence if item.component == "intent" and item.path]
    assert paths and all((step.source, step.target) == ("m2", "b") for path in paths for step in path)
