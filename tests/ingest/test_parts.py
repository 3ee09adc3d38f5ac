"""Parts that others have cut: joined to their document and to each other, whenever they come and go."""

import pytest

from fourfold import InvalidValueError, Node, Retriever
from fourfold.ingest import Cut, add_linked, add_parts, delete_documents, delete_linked

TEXTS = ["Ann lives here.", "She builds boats.", "They float.", "They are sold."]


def part(n, text=None, **metadata):
    return Node(f"p{n}", text=text or TEXTS[n], metadata=metadata)


def edges(retriever):
    return {(e.source, e.type, e.target) for e in retriever.edges(retriever.manifest())}


def joined(*parts, document="doc"):
    return {(a, "followed_by", b) for a, b in zip(parts, parts[1:], strict=False)} | {
        (p, "part_of", document) for p in parts
    }


@pytest.fixture
def retriever():
    with Retriever() as retriever:
        yield retriever


def context(retriever, part):
    return [node.id for node in retriever.context(part, before=9, after=9)]


def test_parts_are_joined_and_the_document_is_no_answer(retriever):
    add_parts(retriever, [Cut("doc", [part(n) for n in range(3)], title="Boats", source="boats.md")])
    assert edges(retriever) == joined("p0", "p1", "p2") and context(retriever, "p1") == ["p0", "p1", "p2"]
    assert "doc" not in retriever.search("Boats", k=10).ids
    assert retriever.get(["doc"])[0].name == "Boats"


def test_parts_that_come_later_join_those_there_are(retriever):
    add_parts(retriever, [Cut("doc", [part(0), part(1)])])
    add_parts(retriever, [Cut("doc", [part(2), part(1, "She builds ships.")])])
    assert edges(retriever) == joined("p0", "p1", "p2")
    assert retriever.get(["p1"])[0].text == "She builds ships."


def test_parts_are_ordered_by_their_places_where_all_have_one(retriever):
    def place(node):
        return node.metadata.get("at")

    add_parts(retriever, [Cut("doc", [part(2, at=30), part(0, at=10)])], place=place)
    add_parts(retriever, [Cut("doc", [part(1, at=20)])], place=place)
    assert context(retriever, "p0") == ["p0", "p1", "p2"] and edges(retriever) == joined("p0", "p1", "p2")
    add_parts(retriever, [Cut("doc", [part(3)])], place=place)  # does not say: as they came
    assert context(retriever, "p0") == ["p0", "p1", "p2", "p3"]
    add_parts(
        retriever,
        [Cut("other", [Node("q0", text="x", metadata={"at": 1}), Node("q1", text="y", metadata={"at": 1})])],
        place=place,
    )
    assert context(retriever, "q0") == ["q0", "q1"]  # one place for two says nothing


def test_nodes_in_the_graph_become_parts(retriever):
    add_linked(retriever, [part(0)])
    add_parts(retriever, [Cut("doc", [part(1)], joined=["p0"])])
    assert edges(retriever) == joined("p0", "p1") and context(retriever, "p1") == ["p0", "p1"]


def test_a_deleted_part_leaves_no_gap_and_the_last_takes_the_document_along(retriever):
    add_parts(retriever, [Cut("doc", [part(n) for n in range(4)])])
    assert delete_linked(retriever, ["p1", "unknown"]) == ["p1"]
    assert edges(retriever) == joined("p0", "p2", "p3") and context(retriever, "p2") == ["p0", "p2", "p3"]
    delete_linked(retriever, ["p0", "p2", "p3"])
    assert not len(retriever)


def test_a_document_goes_with_its_parts(retriever):
    add_parts(retriever, [Cut("doc", [part(0), part(1)], source="a.md"), Cut("two", [part(2), part(3)], source="b.md")])
    assert delete_documents(retriever, sources=["a.md"]) == 1
    assert sorted(retriever.manifest()) == ["p2", "p3", "two"]
    delete_linked(retriever, ["two"])
    assert not len(retriever)


def test_texts_name_the_document_by_its_title(retriever):
    add_parts(retriever, [Cut("doc", [part(0), part(1)], title="Boat Works")])
    add_linked(retriever, [Node("other", text="Ann founded Boat Works.")])
    assert ("other", "mentions", "doc") in edges(retriever)
    delete_linked(retriever, ["p0"])
    assert ("other", "mentions", "doc") in edges(retriever)


def test_vectors_of_parts_are_taken_and_nothing_is_embedded(retriever):
    vectors = [Node(f"p{n}", text=TEXTS[n], vector=[float(n), 1.0]) for n in range(2)]
    add_parts(retriever, [Cut("doc", vectors)], vectors_by="mine")
    assert retriever.info()["vectors"] == 3 and retriever.info()["embedder"] == "mine"
    assert retriever.vectors(["p1", "doc", "unknown"])["p1"].tolist() == [1.0, 1.0]
    assert retriever.vectors(["doc"])["doc"].tolist() == [0.5, 1.0]


def test_what_cannot_be_stored_stops_all(retriever):
    with pytest.raises(InvalidValueError, match="metadata"):
        add_parts(retriever, [Cut("doc", [part(0), Node("bad", text="x", metadata={"set": {1}})])])
    assert not len(retriever)
    add_parts(retriever, [])


def test_writing_again_changes_nothing(retriever):
    cuts = [Cut("doc", [part(n) for n in range(3)], title="Boats")]
    add_parts(retriever, cuts)
    before = edges(retriever), retriever.manifest()
    add_parts(retriever, cuts)
    assert (edges(retriever), retriever.manifest()) == before
