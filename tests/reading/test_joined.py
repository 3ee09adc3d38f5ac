"""What a question writes in one word finds what the graph writes in two, and the other way round."""

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever

TEXTS = {
    "github": "Log in with your GitHub account.",
    "torch": "Connect the pytorch model.",
    "brien": "A letter to O'Brien.",
    "mail": "Send an e-mail over Wi-Fi.",
    "chain": "LangChain has chains.",
    "tube": "Videos on YouTube.",
    "file": "Give the file name, or a user_name.",
    "doctor": "The therapist said so.",
    "node": "Servers run Node.js programs.",
    "kitten": "Kit ten is a model of a car; kit and ten are words.",
}


@pytest.fixture
def retriever():
    made = Retriever()
    made.add(
        [Node(name, "", "", text) for name, text in TEXTS.items()] + [Node(f"n{i}", f"Note {i}") for i in range(9)]
    )
    return made


@pytest.mark.parametrize(
    ("question", "node", "typed", "read"),
    [
        ("How do I open a github account?", "github", "github", "GitHub"),
        ("PyTorch", "torch", "PyTorch", "pytorch"),
        ("py-torch please", "torch", "py-torch", "pytorch"),
        ("is there wifi?", "mail", "wifi", "Wi-Fi"),
        ("a letter to obrien", "brien", "obrien", "O'Brien"),
        ("an EMAIL", "mail", "EMAIL", "e-mail"),
        ("what is langchain", "chain", "langchain", "LangChain"),
        ("youtube", "tube", "youtube", "YouTube"),
        ("filename", "file", "filename", "file name"),
        ("what is nodejs", "node", "nodejs", "Node.js"),
        ("the username", "file", "username", "user_name"),
    ],
)
def test_a_word_is_read_as_the_graph_writes_it(retriever, question, node, typed, read):
    found = retriever.search(question)
    assert found.hits[0].node.id == node
    assert found.hits[0].components.text == 1.0
    assert found.notes == (f"No text has the word {typed!r}; it was read as {read!r}.",)
    assert retriever.explain(question, node).score == pytest.approx(found.hits[0].score)


@pytest.mark.parametrize(
    "question",
    [
        *("GitHub", "the rapist", "gitlab", "tentkit", "kittens", '"github"', "nothing here is written so"),
        *("e-mail", "LangChain", "file name", "user_name", "", "?"),
    ],
)
def test_what_the_graph_writes_so_or_not_at_all_is_read_as_it_is(retriever, question):
    assert retriever.search(question).notes in ((), ("The question is empty; ask it in words, or by query_vector.",))


def test_a_name_is_found_and_an_edge_followed():
    made = Retriever()
    edges = [Edge("yt", "hurley", "founded_by"), Edge("yt", "google", "owned_by")]
    made.add([Node("yt", "YouTube"), Node("hurley", "Chad Hurley"), Node("google", "Google"), Node("x", "X")], edges)
    assert made.search("who founded youtube?").hits[0].node.id == "hurley"


def test_it_is_off_with_spelling_and_in_the_published_method(retriever):
    plain = Retriever(config=RetrievalConfig().replace(text={"spelling": False}))
    plain.add(list(retriever.get(TEXTS)))
    assert plain.search("github").notes == ()
    assert plain.search("github").hits[0].components.text == 0.0
    assert not RetrievalConfig.published().text.spelling
