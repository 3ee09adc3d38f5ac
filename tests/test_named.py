"""What one of the best passages names is found by that, where nobody has linked the texts."""

import pytest

from fourfold import Edge, Node, Retriever

FILLER = [Node(f"n{place}", f"Item {place}", text=f"Stock number {place} of the store.") for place in range(40)]
FILM = Node("film", "The Silver Harbour", text="A drama of 1931, directed by Quentza Morhault, with music by Zelbrook.")
MAN = Node(
    "man", "Quentza Morhault", text="He was a native of Uppsala, and made drawings before he came to the screen."
)
OTHER = Node(
    "other", "Quentza Almberg", text="He was a native of Uppsala, and made drawings before he came to the screen."
)
QUESTION = "Where was the director of The Silver Harbour born?"


@pytest.fixture
def texts():
    with Retriever() as retriever:
        retriever.add([FILM, MAN, OTHER, *FILLER])
        yield retriever


def test_the_page_of_whom_a_passage_names_comes_next(texts):
    hits = texts.search(QUESTION).hits
    assert [hit.node.id for hit in hits[:2]] == ["film", "man"]
    assert "named in The Silver Harbour" in hits[1].why
    told = [item for item in hits[1].evidence if item.kind == "named"]
    assert [(item.component, item.path[0].source) for item in told] == [("bridge", "film")]
    assert sum(item.value for item in hits[1].evidence) == pytest.approx(hits[1].score, abs=1e-6)
    assert not any("named in" in hit.why for hit in hits if hit.node.id != "man"), "a name held in part leads nowhere"


def test_the_constant_turns_it_off(texts):
    config = texts.config.replace(graph={"bridge": {"named": 0.0}})
    with Retriever(config=config) as plain:
        plain.add([FILM, MAN, OTHER, *FILLER])
        assert "named" not in {item.kind for hit in plain.search(QUESTION).hits for item in hit.evidence}


def test_texts_that_are_linked_are_read_by_their_links(texts):
    texts.add([], [Edge("film", "n1", "mentions")])
    assert "named" not in {item.kind for hit in texts.search(QUESTION).hits for item in hit.evidence}


def test_a_name_that_is_no_longer_there_leads_nowhere(texts):
    texts.search(QUESTION)
    texts.delete(["man"])
    assert "man" not in texts.search(QUESTION).ids
    texts.add([Node("woman", "Quentza Morhault", text="A painter from the north.")])
    assert "named in The Silver Harbour" in {hit.node.id: hit.why for hit in texts.search(QUESTION).hits}["woman"]
