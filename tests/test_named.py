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
    assert "all words of its name are in The Silver Harbour" in hits[1].why
    told = [item for item in hits[1].evidence if item.kind == "named"]
    assert [(item.component, item.path[0].source) for item in told] == [("bridge", "film")]
    assert sum(item.value for item in hits[1].evidence) == pytest.approx(hits[1].score, abs=1e-6)
    assert not any("its name" in hit.why for hit in hits if hit.node.id != "man"), "a name held in part leads nowhere"


def test_the_constant_turns_it_off(texts):
    config = texts.config.replace(graph={"bridge": {"named": 0.0}})
    with Retriever(config=config) as plain:
        plain.add([FILM, MAN, OTHER, *FILLER])
        assert "named" not in {item.kind for hit in plain.search(QUESTION).hits for item in hit.evidence}


def test_a_passage_that_is_linked_is_read_by_its_links(texts):
    texts.add([], [Edge("n2", "n1", "mentions")])
    assert "named" in {item.kind for hit in texts.search(QUESTION).hits for item in hit.evidence}
    texts.add([], [Edge("film", "n1", "mentions")])
    assert "named" not in {item.kind for hit in texts.search(QUESTION).hits for item in hit.evidence}


def test_graphs_with_other_edges_are_read_by_these(texts):
    texts.add([], [Edge("n2", "n1", "relates_to")])
    assert "named" not in {item.kind for hit in texts.search(QUESTION).hits for item in hit.evidence}


def test_what_a_filter_hides_changes_nothing():
    open_to = {"filter": {"open": True}}
    with Retriever() as alone:
        shown = [Node(one.id, one.name, one.type, one.text, {"open": True}) for one in (FILM, OTHER, *FILLER)]
        hidden = [Node(MAN.id, MAN.name, MAN.type, MAN.text, {"open": False})]
        alone.add([*shown, *hidden])
        hits = alone.search(QUESTION, **open_to).hits
    assert "man" not in [hit.node.id for hit in hits]
    assert {item.component for hit in hits for item in hit.evidence}.isdisjoint({"coverage"})
    assert not any(item.kind == "named" for hit in hits for item in hit.evidence)


def test_a_name_that_is_no_longer_there_leads_nowhere(texts):
    assert any(item.component == "coverage" for hit in texts.search(QUESTION).hits for item in hit.evidence)
    texts.delete(["man"])
    hits = texts.search(QUESTION).hits
    assert not any(item.component == "coverage" for hit in hits for item in hit.evidence), "nobody there is named"
    texts.add([Node("woman", "Quentza Morhault", text="A painter from the north.")])
    assert "all words of its name" in {hit.node.id: hit.why for hit in texts.search(QUESTION).hits}["woman"]


def test_common_words_that_happen_to_be_a_name_lead_nowhere():
    """A title of two words that many texts hold is held by chance, however few names have them."""
    title = Node("title", "Library Materials", text="Steel shelves, and what they carry.")
    with Retriever() as papers:
        stocks = [
            Node(f"n{place}", f"Item {place}", text=f"Stock {place}: materials that a library lends.")
            for place in range(40)
        ]
        film = Node("film", FILM.name, text=f"{FILM.text} Shot in a library, of materials at hand.")
        papers.add([film, MAN, title, *stocks])
        hits = papers.search(QUESTION).hits
    assert [hit.node.id for hit in hits[:2]] == ["film", "man"]
    assert [hit.node.id for hit in hits if any(one.kind == "named" for one in hit.evidence)] == ["man"]


@pytest.mark.parametrize("name", ["play_song", "playSong", "song"])
def test_an_identifier_is_not_named_by_the_words_it_is_made_of(name):
    asked = Node("list", "Playlist", "tool", "Can play any song of the albums of an artist, in shuffled order.")
    with Retriever() as tools:
        tools.add([asked, Node("one", name, "tool", "Starts the media player."), *FILLER])
        hits = tools.search("shuffled albums of an artist").hits
    assert hits[0].node.id == "list"
    assert "named" not in {item.kind for hit in hits for item in hit.evidence}
