"""A word a letter away from one of the graph is read as that one, and the answer says so."""

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.reading.marks import with_one, with_two
from fourfold.reading.spelling import put_right
from fourfold.word_breaks import without_marks

FILMS = {
    "The Terminator": "A machine from the future hunts a waitress. Directed by James Cameron.",
    "Alien": "A crew meets a creature on a distant moon. Directed by Ridley Scott.",
    "Metropolis": "Workers below a city rise. Directed by Fritz Lang in Babelsberg.",
    "Nosferatu": "A count from the mountains brings the plague. Directed by Friedrich Murnau.",
    "Amarcord": "A year in a town by the sea. Directed by Federico Fellini in Cinecitta.",
}


def retriever_of(**text):
    retriever = Retriever(config=RetrievalConfig().replace(text=text))
    retriever.add(Node(name, name, "film", plot) for name, plot in FILMS.items())
    return retriever


@pytest.fixture(scope="module")
def films():
    with retriever_of() as retriever:
        yield retriever


def asked(retriever, question):
    result = retriever.search(question, k=3)
    return result.ids, [round(hit.score, 9) for hit in result]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Terminatr", "Terminator"),  # a letter left out
        ("Nosfferatu", "Nosferatu"),  # one twice
        ("Nosferattu", "Nosferatu"),
        ("Metropolsi", "Metropolis"),  # two that changed places
        ("Metropalis", "Metropolis"),  # another letter
        ("Amarxcord", "Amarcord"),  # one too many
        ("alein", "alien"),
        ("FELINI", "FELLINI"),
    ],
)
def test_a_misspelt_word_is_read_as_that_of_the_graph(films, typed, meant):
    question = "who has made the film {} and where?"
    result = films.search(question.format(typed), k=3)
    assert result.notes == (f"No text has the word '{typed}'; it was read as '{meant}'.",)
    assert asked(films, question.format(typed)) == asked(films, question.format(meant))


@pytest.mark.parametrize(
    "question",
    [
        "who made Terminator",  # right
        "who made the film Xerminator",  # the first letter is another
        "who made the film Trminatr",  # two slips
        "who made Alion",  # a short word where any letter may be wrong
        'who made the film "Terminatr"',  # to be read as it is
        "terminator husbend",  # a word of English, but nothing tells that the question is
        "combien de films",  # not English, and near to "combine"
        "chi ha fatto il film Terminatr e dove lavorava il regista allora",  # not English
        "who made films about waiters",  # an English word that the graph does not hold as it is
        "a crow on a distant mood",  # words of the language, a letter from words of the graph
    ],
)
def test_what_may_be_meant_as_it_is_written_stays(films, question):
    assert films.search(question).notes == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("Gerard", "Gérard"), ("Jose", "José"), ("Zürich", "Zurich"), ("Malmo", "Malmö"), ("Sao", "São")],
)
def test_marks_of_letters_may_be_left_out_in_every_language(typed, meant):
    with Retriever() as retriever:
        retriever.add([Node("x", f"{meant} Oury", text="dirige le film"), Node("y", "Bernard Oury", text="acteur")])
        result = retriever.search(f"quel film a fait {typed} Oury", k=1)
        assert result.ids == ["x"]
        assert result.notes == (f"No text has the word '{typed}'; it was read as '{meant}'.",)


@pytest.mark.parametrize(
    ("typed", "name", "word"),
    [
        ("dvorak", "Antonín Dvořák", "dvořák"),  # two letters of one word
        ("walesa", "Lech Wałęsa", "wałęsa"),  # one mark is a part of its letter
        ("Djokovic", "Novak Djoković", "Djoković"),
        ("Soren", "Søren Aabye", "Søren"),
        ("Beyonce", "Beyoncé Knowles", "Beyoncé"),  # a word that the model has, with a capital
        ("Mueller", "Gerd Müller", "Müller"),
        ("Nguyen", "Nguyễn Du", "Nguyễn"),
        ("Walęsa", "Lech Walesa", "Walesa"),  # one too many
    ],
)
def test_words_typed_without_a_key_for_their_marks_are_read(typed, name, word):
    """A part of a name without its marks named nobody, and was answered by whoever came next."""
    with Retriever() as retriever:
        people = [Node("x", name), *(Node(f"p{n}", other) for n, other in enumerate(["Bernard Oury", "Ann Smith"]))]
        towns = [Node(f"t{n}", town) for n, town in enumerate(["Kutna", "Lisbon", "Quito"])]
        ends = zip([node.id for node in people], [node.id for node in towns], strict=True)
        retriever.add([*people, *towns], [Edge(person, town, "born_in") for person, town in ends])
        result = retriever.search(f"where was {typed} born", k=1)
        assert result.ids == ["t0"]
        assert result.notes == (f"No text has the word '{typed}'; it was read as '{word}'.",)


@pytest.mark.parametrize("word", ["a" * 10, "aeiouaeiou", "strzescczz", "o" * 30])
def test_a_word_has_a_bounded_number_of_marks_to_be_given_back(word):
    found = list(with_two(word))
    assert len(found) <= 480
    assert (len(word) <= 10) is bool(found)
    assert {without_marks(one) for one in found} <= {word}
    assert len(list(with_one(word))) <= 40 * len(word)


def test_only_whole_words_are_put_right():
    """Before, the "Sao" of a longer word was read so, too, and "vitamin e" as an é in every word that has an e."""
    with Retriever() as retriever:
        retriever.add(
            [Node("x", "São Bento é", text="uma praia"), Node("y", "Saobento", text="vitamin tests are free")]
        )
        result = retriever.search("is Sao near Saobento")
        assert result.notes == ("No text has the word 'Sao'; it was read as 'São'.",)
        assert "matches Saobento" in {hit.node.id: hit.why for hit in result}["y"]
        assert retriever.search("vitamin e tests").notes == ()
    assert put_right("Sao, Saobento's Sao_1 and SAO", {"Sao": "São"}) == "São, Saobento's Sao_1 and SAO"


def test_words_of_edge_types_need_stand_in_no_text():
    """Before, they were not what a misspelt word may mean."""
    with Retriever() as retriever:
        retriever.add([Node("a", "Vestibulum"), Node("b", "Falcon")], [Edge("a", "b", "kestrol_of")])
        assert retriever.search("what is kestrol of Vestibulum").notes == ()
        assert "'kestrol'" in retriever.search("what is kestrul of Vestibulum").notes[0]


def test_short_words_are_meant_where_an_edge_type_has_them():
    with Retriever() as retriever:
        retriever.add([Node("a", "Orwell", text="of glass"), Node("b", "Burmese Days")], [Edge("a", "b", "wrote")])
        assert "'wrote'" in retriever.search("who wroe Burmese Days").notes[0]
        assert retriever.search("the glss in Burmese Days").notes == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("whihc film did Fritz Lang make", "which"),  # words that ask stand in no text
        ("Wehre is Fritz Lang from", "Where"),
        ("aout the plague", "about"),
        ("who wrrote a book on the plague", "wrote"),  # nor does what the language in general has
        ("the husbend of Fritz Lang", "husband"),
        ("who liives in Babelsberg", "lives"),
    ],
)
def test_words_that_no_node_holds_are_read_as_english(films, typed, meant):
    """Before, only words of the graph were meant: "whihc" and "husbend" asked for nothing."""
    assert f"it was read as '{meant}'." in films.search(typed).notes[0]


def test_a_name_is_no_word_of_english(films):
    assert films.search("what did Husbend film in Babelsberg").notes == ()


def test_a_word_of_the_graph_is_meant_before_one_of_english():
    question = "which service listns to orders"
    for text, meant in (("it listens to orders", "'listens'"), ("a service for orders", "'lists'")):
        with Retriever() as retriever:
            retriever.add([Node("a", "Mailer", text=text)])
            assert meant in retriever.search(question).notes[0]


def test_it_can_be_switched_off_and_the_published_method_has_none():
    with retriever_of(spelling=False) as retriever:
        assert retriever.search("who made Terminatr").notes == ()
    assert not RetrievalConfig.published().text.spelling
    assert not RetrievalConfig.two_signal().text.spelling


def test_a_text_is_no_question(films):
    assert films.search("who made Terminatr " + "and what else " * 50).notes == ()


def test_of_several_words_the_likelier_slip_is_meant_then_the_more_frequent_word():
    with Retriever() as retriever:
        words = ["Karolin", "Karolina", "Karolina", "Karolini"]
        retriever.add(Node(f"n{num}", word) for num, word in enumerate(words))
        assert "'Karolina'" in retriever.search("where is Karolna today").notes[0]
        assert "'Karolin'" in retriever.search("where is Karoiln today").notes[0]


def test_words_of_texts_that_are_gone_are_not_meant():
    with retriever_of() as retriever:
        retriever.delete(["Nosferatu"])
        assert retriever.search("who made the film Nosferato").notes == ()


@pytest.mark.parametrize(("word", "looked_at"), [("qz" * 15, True), ("qz" * 20, False)])
def test_what_is_no_word_of_any_language_is_left_alone(films, monkeypatch, word, looked_at):
    """A letter away from a word of 1,000 letters are 53,000 others."""
    asked = []
    terms = films._session.tokenizer.terms_of_word
    monkeypatch.setattr(films._session.tokenizer, "terms_of_word", lambda own: asked.append(own) or terms(own))
    films.search(f"what is the meaning of {word} and where is it from?")
    slips = [own for own in asked if own.startswith("qz")]
    assert len(slips) <= 70 * len(word)
    assert bool(slips) is looked_at


def test_words_that_nobody_wrote_are_not_remembered(films):
    known = films._session.tokenizer._known
    films.search("who made the film Nosferato")
    before = len(known)
    films.search("who made the film Metropilis")
    assert len(known) <= before + 2  # what was typed and what was meant


def test_explanations_tell_the_word_that_was_meant(films):
    explanation = films.explain("who made Terminatr", "The Terminator")
    assert "Terminator" in [item.word for item in explanation.evidence if item.kind == "term"]
