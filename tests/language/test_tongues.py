"""Questions and labels in other languages, word by word in English."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.language.tongues import in_another_tongue, in_english, labels_in_english
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english")


def read(question, names=()):
    return " ".join(word for word, _ in in_english(TERMS.terms_of_words(question), set(names), TERMS.terms))


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Wo wurde sie geboren?", "where was sie born"),
        ("Qui est le réalisateur de ce film ?", "who is the director of itself film"),
        ("¿Quién escribió el libro?", "who wrote the book"),
        ("Chi ha scritto il libro?", "who has written the book"),
        ("Quem escreveu o livro?", "who wrote the book"),
        ("Wie heeft het boek geschreven?", "who wrote the book has"),
        ("Wer hat das Buch geschrieben?", "who wrote the book has"),
        ("Welche Fluesse fliessen durch das Land?", "which river flows through the country"),
        ("Wie gross ist die Stadt?", "how large is the city"),
        ("Wie heisst die groesste Stadt?", "what is the largest city"),
    ],
)
def test_words_that_are_known_are_read_in_english(question, english):
    assert read(question) == english


@pytest.mark.parametrize(
    "question",
    [
        "who wrote War and Peace",
        "was Rome in a film",
        "die hard",
        "son of a gun",
        "les is more",
        "list of La Paz hotels in Van",
        "hat land man war",
        "",
    ],
)
def test_english_stays_as_it_is(question):
    assert not in_another_tongue(TERMS.terms_of_words(question))
    assert in_english(TERMS.terms_of_words(question), set(), TERMS.terms) == TERMS.terms_of_words(question)


def test_names_stay_as_they_are():
    assert read("Wer ist der Autor von Die Stadt", names=(5, 6)) == "who is the author of Die Stadt"


@pytest.mark.parametrize(
    ("label", "english"),
    [
        ("lieu de naissance", "place of birth"),
        ("fecha_de_nacimiento", "date of birth"),
        ("Geburtsort", "birthplace"),
        ("hatAutor", "has author"),
        ("directed_by", "directed_by"),
        ("film.film.directed_by", "film.film.directed_by"),
        ("was_born_in", "was_born_in"),
        ("réalise", "réalise"),
    ],
)
def test_labels_are_read_in_english_where_they_tell_their_language(label, english):
    assert labels_in_english([label]) == [english]


def test_a_label_that_tells_no_language_is_of_that_of_the_others():
    assert labels_in_english(["nato a", "regista"]) == ["born in", "director"]
    assert labels_in_english(["nato a", "director"]) == ["nato a", "director"]
    assert labels_in_english(["regista", "a", "b", "c", "d"]) == ["regista", "a", "b", "c", "d"]
    assert labels_in_english([]) == []


LABELS = {
    "german": ("Regisseur", "Geburtsort", "Hauptstadt"),
    "french": ("réalisateur", "lieu de naissance", "capitale"),
    "spanish": ("director", "lugar de nacimiento", "capital"),
    "italian": ("regista", "luogo di nascita", "capitale"),
    "portuguese": ("diretor", "local de nascimento", "capital"),
    "dutch": ("regisseur", "geboorteplaats", "hoofdstad"),
    "none": ("director", "birthplace", "capital"),
}

QUESTIONS = {
    "german": ("Wer ist der Regisseur von Tonar?", "Wo wurde Tonar geboren?", "Wie heißt die Hauptstadt von Tonar?"),
    "french": ("Qui est le réalisateur de Tonar ?", "Où est né Tonar ?", "Quelle est la capitale de Tonar ?"),
    "spanish": ("¿Quién es el director de Tonar?", "¿Dónde nació Tonar?", "¿Cuál es la capital de Tonar?"),
    "italian": ("Chi è il regista di Tonar?", "Dove è nato Tonar?", "Qual è la capitale di Tonar?"),
    "portuguese": ("Quem é o diretor de Tonar?", "Onde nasceu Tonar?", "Qual é a capital de Tonar?"),
    "dutch": ("Wie is de regisseur van Tonar?", "Waar is Tonar geboren?", "Wat is de hoofdstad van Tonar?"),
}


@pytest.mark.parametrize("labels", ["own", "none"])
@pytest.mark.parametrize("tongue", QUESTIONS)
def test_a_question_is_answered_over_labels_of_its_language_and_english_ones(tongue, labels):
    types = LABELS[tongue if labels == "own" else labels]
    with Retriever() as retriever:
        names = ("Tonar", "Velmo", "Quissa", "Brondel", "Halvin", "Zegra", "Ostrel", "Pindro")
        retriever.add(
            [Node(name, name=name) for name in names],
            [
                Edge(start, end, label)
                for start, ends in (("Tonar", names[2:5]), ("Velmo", names[5:]))
                for end, label in zip(ends, types, strict=True)
            ],
        )
        assert [retriever.search(question, k=1).ids for question in QUESTIONS[tongue]] == [
            ["Quissa"],
            ["Brondel"],
            ["Halvin"],
        ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Welches ist die größte Stadt in Norland?", "Bel"),
        ("Welches ist die groesste Stadt in Norland?", "Bel"),
        ("Wat is de grootste stad in Norland?", "Bel"),
    ],
)
def test_superlatives_of_german_and_dutch_are_read(question, answer):
    edges = [Edge(city, "Norland", "city_in") for city in ("Ala", "Bel", "Cir")]
    edges += [Edge(*one, "population") for one in (("Ala", "20000"), ("Bel", "910000"), ("Cir", "300000"))]
    with Retriever() as land:
        land.add([Node(name, name) for name in ("Ala", "Bel", "Cir", "Norland", "20000", "910000", "300000")], edges)
        assert land.search(question).ids[0] == answer


def test_how_long_something_lasts_asks_for_no_other_time():
    facts = (("Bannissement", "durée", "une minute"), ("Bannissement", "temps d'incantation", "une action"))
    facts += (("Bannissement", "école", "Abjuration"), ("Clone", "école", "Nécromancie"), ("Clone", "niveau", "huit"))
    with Retriever() as spells:
        names = dict.fromkeys(name for start, _, end in facts for name in (start, end))
        spells.add([Node(name, name) for name in names], [Edge(start, end, label) for start, label, end in facts])
        assert spells.search("combien de temps dure Bannissement ?").ids[0] == "une minute"
        assert spells.search("Quel est le temps d'incantation de Bannissement ?").ids[0] == "une action"
