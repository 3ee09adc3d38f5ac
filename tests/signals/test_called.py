"""What a question calls by its name is meant, however common its words are."""

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.language.name_matching import Named
from fourfold.signals.called import MOST, called
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer(RetrievalConfig().text.tokenizer_name)


def meant(question, *names, best_of=lambda nodes: int(nodes[0])):
    """Return what a question calls by its name, of nodes that have these names."""
    words = TOKENIZER.terms_of_words(question)
    terms = [sorted(TOKENIZER.terms(name)) for name in names]
    asked = [(place, own) for place, (_, found) in enumerate(words) for own in found]
    spans = [
        Named(np.array([n for n, own in enumerate(terms) if own == held]), asked[a][0], asked[b - 1][0] + 1)
        for a in range(len(asked))
        for b in range(a + 1, len(asked) + 1)
        if (held := sorted(own for _, own in asked[a:b])) in terms
    ]

    def written_of(nodes):
        return [tuple(word for word, _ in TOKENIZER.terms_of_words(names[node])) for node in nodes.tolist()]

    found = called(spans, words, written_of, best_of)
    return dict(zip(found.nodes.tolist(), found.names, strict=True))


@pytest.mark.parametrize(
    ("question", "name", "typed"),
    [
        ("Which is older, Good People (film) or X?", "Good People (film)", "Good People film"),
        ("Who wrote She Wants Me?", "She Wants Me", "She Wants Me"),
        ("She Wants Me is by whom", "She Wants Me", "She Wants Me"),
        ("who directed The Night of Nights", "The Night of Nights", "The Night of Nights"),
        ("where is Apollo 13 set", "Apollo 13", "Apollo 13"),
        ("when did 12 Monkeys come out", "12 Monkeys", "12 Monkeys"),
        ("Is Jean de la Fontaine read today?", "Jean de La Fontaine", "Jean de la Fontaine"),
        ("the author of Émile Zola", "Émile Zola", "Émile Zola"),
    ],
)
def test_a_page_that_is_written_as_names_are_is_called(question, name, typed):
    assert meant(question, name) == {0: typed}


@pytest.mark.parametrize(
    ("question", "name", "typed"),
    [
        ("which is older, good people (film) or x?", "Good People (film)", "good people film"),
        ("who wrote she wants me?", "She Wants Me", "she wants me"),
        ("WHO DIRECTED THE NIGHT OF NIGHTS", "The Night of Nights", "THE NIGHT OF NIGHTS"),
        ("when did 12 monkeys come out", "12 Monkeys", "12 monkeys"),
    ],
)
def test_letters_of_one_case_tell_nothing_but_how_the_page_is_named_does(question, name, typed):
    assert meant(question, name) == {0: typed}
    assert meant(question, name.capitalize()) == {}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what is the place of birth of the director", "Place of birth"),
        ("Place of birth of the director", "Place of birth"),
        ("Who sings good people", "Good People"),
        ("Metallica was formed where", "Metallica"),
        ("where was Metallica formed", "Metallica"),
        ("Good People", "Good People"),  # the question is the name: nothing else is asked
        ("are Good old People nice", "Good People"),
        ("are People Good at this", "Good People"),
        ("who made A Mirror", "The Mirror"),
    ],
)
def test_what_is_no_name_calls_nothing(question, name):
    assert meant(question, name) == {}


def test_of_several_of_one_name_the_best_is_meant_and_of_two_lengths_the_longer():
    assert meant("is Good People old", "Good People", "Good People", best_of=lambda nodes: int(nodes[-1])) == {
        1: "Good People"
    }
    assert meant("is Good People old", "Good People", best_of=lambda nodes: None) == {}
    assert meant("who made The Mirror", "The Mirror", "Mirror") == {0: "The Mirror"}


def test_no_more_than_so_many_are_called():
    names = [f"Page Number{n}" for n in range(MOST + 2)]
    assert len(meant("compare " + " and ".join(names), *names)) == MOST


def films():
    """Return pages of which the question's words say little, and many that hold more of them."""
    rival = "director of the film, born in a country whose nationality the film has"
    nodes = [
        Node("first", "Good People", text="A play by Ann Rost. It was staged once."),
        Node("second", "The Marseille Contract", text="A thriller by Otto Wahl."),
        Node("ann", "Ann Rost", text="Ann Rost was born in Lund."),
        Node("otto", "Otto Wahl", text="Otto Wahl was born in Riga."),
        *(Node(f"r{n}", f"People of film {n}", text=f"The good {rival} {n}.") for n in range(40)),
    ]
    edges = [Edge("first", "ann", "mentions"), Edge("second", "otto", "mentions")]
    return nodes, edges


QUESTION = "Which film has the director who was born first, Good People or The Marseille Contract?"


def test_what_is_called_and_what_it_leads_to_answer_a_comparison():
    nodes, edges = films()
    with Retriever() as retriever, Retriever(config=RetrievalConfig().replace(text={"called": False})) as without:
        retriever.add(nodes, edges)
        without.add(nodes, edges)
        found = retriever.search(QUESTION, k=4)
        assert set(found.ids) == {"first", "second", "ann", "otto"}
        assert set(without.search(QUESTION, k=4).ids) != {"first", "second", "ann", "otto"}
        hits = {hit.node.id: hit for hit in found.hits}
        assert "is called 'Good People'" in hits["first"].why
        assert hits["first"].components.text == hits["second"].components.text == 1.0
        for hit in found.hits:
            assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
        text = retriever.explain(QUESTION, "first").text
        assert "the name 'Good People'" in text


def test_a_filter_and_the_modes_hold_for_what_is_called():
    nodes, edges = films()
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        assert "first" not in retriever.search(QUESTION, k=4, filter={"$id": {"$in": ["second", "ann", "r1"]}}).ids
        for mode in ("text", "embedding"):
            found = retriever.search(QUESTION, k=10, mode=mode)
            for hit in found.hits:
                assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)


def test_the_published_method_calls_nothing_by_its_name():
    assert not RetrievalConfig.published().text.called
    assert not RetrievalConfig.two_signal().text.called
