"""Nodes of LlamaIndex become nodes and edges of the graph, and come back as they were."""

import copy
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
from llama_index.core.schema import (
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MediaResource,
    MetadataMode,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.retrievers.fourfold import FourfoldRetriever, FourfoldVectorStore
from PIL import Image

import fourfold
from fourfold import Edge, Retriever, filters


def back(*nodes, **options):
    """Return the nodes as they come back, by id."""
    options = {"embedder": lambda texts: [[1.0, 2.0]] * len(texts), **options}
    retriever = FourfoldRetriever.from_nodes(nodes, similarity_top_k=max(len(nodes), 1), **options)
    return {hit.node.node_id: hit.node for hit in retriever.retrieve("text")}


RICH = TextNode(
    id_="rich",
    text="A text.\nTwo lines.",
    metadata={"title": "Title", "z": 1, "a": [1, "x", None], "nested": {"deep": {"er": 2.5}}, "none": None, "ok": True},
    excluded_llm_metadata_keys=["z"],
    excluded_embed_metadata_keys=["a", "title"],
    metadata_template="{key} is {value}",
    metadata_separator="; ",
    text_template="{metadata_str} :: {content}",
    start_char_idx=3,
    end_char_idx=21,
    mimetype="text/markdown",
    relationships={
        NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc", node_type="4", metadata={"file": "a.md"}, hash="abc"),
        NodeRelationship.NEXT: RelatedNodeInfo(node_id="next"),
        NodeRelationship.CHILD: [RelatedNodeInfo(node_id="c1"), RelatedNodeInfo(node_id="c2", metadata={"n": 1})],
    },
)


@pytest.mark.parametrize(
    "node",
    [
        RICH,
        TextNode(id_="plain", text="text"),
        TextNode(id_="empty", text=""),
        Document(id_="document", text="whole text", metadata={"a": 1}),
        Node(id_="node", text_resource=MediaResource(text="text", mimetype="text/plain")),
        Node(id_="blank", text_resource=MediaResource(text="")),
        Node(id_="media", image_resource=MediaResource(url="http://example.com/a.png", mimetype="image/png")),
        ImageNode(id_="image", text="text", image_url="http://example.com/a.png", image_mimetype="image/png"),
        IndexNode(id_="index", text="text", index_id="elsewhere"),
    ],
    ids=lambda node: node.id_,
)
def test_a_node_comes_back_equal(node):
    before = copy.deepcopy(node)
    found = back(node)[node.node_id]
    assert node == before
    assert found == node
    assert node == found
    assert isinstance(found, type(node))
    assert found.class_name() == node.class_name()
    assert found.hash == node.hash
    assert found.relationships == node.relationships
    for mode in MetadataMode:
        assert found.get_content(metadata_mode=mode) == node.get_content(metadata_mode=mode)
    assert found.metadata["fourfold"]["method"]
    assert {k: v for k, v in found.metadata.items() if k != "fourfold"} == node.metadata
    assert pickle.loads(pickle.dumps(found)) == node
    assert copy.deepcopy(found) == node
    assert back(found)[node.node_id] == node  # a hit can be added again
    other = TextNode(id_=node.id_, text="another text")
    assert found != other
    assert other != found


def test_an_image_document_comes_back_equal(tmp_path):
    path = tmp_path / "a.png"
    Image.new("RGB", (2, 2)).save(path)
    document = ImageDocument(id_="a", text="text", image_path=str(path))
    found = back(document)["a"]
    assert found == document
    assert isinstance(found, ImageDocument)
    assert found.image_path == document.image_path


metadata = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    ),
    max_size=4,
)


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(max_size=40), own=metadata, excluded=st.lists(st.text(max_size=5).filter(lambda k: k != "fourfold"))
)
def test_any_text_node_comes_back_equal(text, own, excluded):
    node = TextNode(id_="a", text=text, metadata=own, excluded_llm_metadata_keys=excluded)
    found = back(node)
    if text.strip() or found:
        assert found["a"] == node
        assert found["a"].hash == node.hash


def test_an_own_fourfold_key_is_kept_inside_the_breakdown():
    node = TextNode(id_="a", text="text", metadata={"fourfold": "mine", "b": 1})
    found = back(node)["a"]
    assert found.metadata["fourfold"]["metadata"] == {"fourfold": "mine"}
    assert found == node
    assert found.hash == node.hash


@pytest.mark.parametrize(
    "anything",
    [
        *(5, [], {}, {"ref_doc_id": "x"}, {"class": "X"}, {"class": ["TextNode"]}, {"class": "TextNode", "node": []}),
        *({"class": "TextNode", "node": [each]} for each in ({"id_": "x"}, {"text": 5}, {"relationships": {"9": 5}})),
        {"class": "TextNode", "node": [{"excluded_llm_metadata_keys": 5}]},
        {"class": "Node", "node": [{"text_resource": 5}]},
        {"class": "IndexNode", "node": [{}]},
    ],
)
def test_what_another_wrote_under_the_adapters_key_is_passed_over(anything):
    graph = Retriever()
    graph.add([fourfold.Node("a", text="boats float", metadata={"_fourfold": anything, "year": 1998})])
    [hit] = FourfoldRetriever(retriever=graph).retrieve("boats")
    assert (hit.node.get_content(), hit.node.metadata["year"]) == ("boats float", 1998)
    store = FourfoldVectorStore(retriever=graph)
    document = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="x")}
    store.add([TextNode(id_=id_, text=id_, relationships=document) for id_ in ("b", "c")])
    assert [node.node_id for node in store.get_nodes()] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "more", [{"metadata": 5}, {"labels": ["name"]}, {"labels": [], "text": 5, "name": "", "type": ""}]
)
def test_what_is_like_a_breakdown_and_cannot_be_one_is_the_user_s_own(more):
    own = {"fourfold": {**dict.fromkeys(("intent", "weights", "components", "method", "why"), "x"), **more}}
    retriever = FourfoldRetriever.from_nodes([TextNode(id_="a", text="boats float", metadata=own)])
    [hit] = retriever.retrieve("boats")
    assert hit.node.metadata["fourfold"]["metadata"] == own
    retriever.insert_nodes([hit.node])
    assert retriever.context("a")[0].metadata == own


def test_a_node_of_an_own_class_comes_back_as_the_class_above_it():
    class Mine(TextNode):
        extra: str = "e"

    found = back(Mine(id_="a", text="text", extra="x"))["a"]
    assert found == TextNode(id_="a", text="text")


def test_embeddings_become_vectors():
    nodes = [TextNode(id_="a", text="text", embedding=[1.0, 0.0]), TextNode(id_="b", text="text", embedding=[0.0, 1.0])]
    retriever = FourfoldRetriever.from_nodes(nodes, embedder=lambda texts: [[0.1, 0.9]] * len(texts), mode="embedding")
    assert retriever.retrieve("text")[0].node.node_id == "b"
    assert retriever.retriever.info()["vectors"] == 2
    with pytest.raises(fourfold.DimensionError, match="3 dimensions"):
        FourfoldRetriever.from_nodes([*nodes, TextNode(id_="c", text="text", embedding=[1.0, 2.0, 3.0])])


def test_titles_become_names():
    node = TextNode(id_="a", text="text", metadata={"title": "T", "name": "N", "heading": "H", "number": 7})

    def name(**options):
        return FourfoldRetriever.from_nodes([node], **options).retriever.get(["a"])[0].name

    assert [name(), name(name_key="name"), name(name_key=["number", "heading"]), name(name_key=None)] == [
        "T",
        "N",
        "H",
        "",
    ]
    with pytest.raises(fourfold.InvalidValueError, match="name_key is 7; it must be a list of strings"):
        name(name_key=7)


def test_metadata_can_be_searched_with_the_text():
    node = TextNode(
        id_="a", text="text", metadata={"author": "Ada", "secret": "x"}, excluded_embed_metadata_keys=["secret"]
    )
    other = TextNode(id_="b", text="text")
    plain = FourfoldRetriever.from_nodes([node, other], mode="text")
    with_metadata = FourfoldRetriever.from_nodes([node, other], mode="text", metadata_mode=MetadataMode.EMBED)
    assert not plain.retrieve("Ada")
    [found] = with_metadata.retrieve("Ada")
    assert found.node == node
    assert found.node.text == "text"
    assert not with_metadata.retrieve("secret x")


def test_metadata_that_cannot_become_json():
    with pytest.raises(fourfold.InvalidValueError, match="metadata of the node 'a'"):
        FourfoldRetriever.from_nodes([TextNode(id_="a", text="text", metadata={"bad": object()})])


STORED = """
from llama_index.core.schema import TextNode
from llama_index.retrievers.fourfold.nodes import to_graph_node
tags = {"red", "green", "blue", "black", "white"}
print(to_graph_node(TextNode(id_="a", text="text", metadata={"tags": tags, "deep": [{"er": (frozenset(tags),)}]})))
"""


def test_sets_in_the_metadata_are_stored_alike_in_every_process():
    said = {
        subprocess.run(
            [sys.executable, "-c", STORED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1 and "['black', 'blue', 'green', 'red', 'white']" in said.pop()


# -- relationships ----------------------------------------------------------------------------------------------------


def related(identity):
    return RelatedNodeInfo(node_id=identity)


def test_relationships_become_edges():
    nodes = [
        TextNode(id_="doc", text="doc", relationships={NodeRelationship.CHILD: [related("a"), related("b")]}),
        TextNode(
            id_="a",
            text="a",
            relationships={NodeRelationship.NEXT: related("b"), NodeRelationship.SOURCE: related("doc")},
        ),
        TextNode(
            id_="b",
            text="b",
            relationships={
                NodeRelationship.PREVIOUS: related("a"),
                NodeRelationship.PARENT: related("doc"),
                NodeRelationship.NEXT: related("missing"),
            },
        ),
    ]
    graph = FourfoldRetriever.from_nodes(nodes).retriever
    assert graph.edges(["doc", "a", "b"]) == [
        Edge("a", "b", "followed_by"),
        Edge("a", "doc", "part_of"),
        Edge("b", "doc", "part_of"),
    ]


def test_relationships_reach_into_what_the_file_already_holds(tmp_path):
    first = TextNode(id_="a", text="a", relationships={NodeRelationship.NEXT: related("b")})
    second = TextNode(id_="b", text="b", relationships={NodeRelationship.PREVIOUS: related("a")})
    assert not FourfoldRetriever.from_nodes([first], path=tmp_path / "kg").retriever.edges(["a"])
    later = FourfoldRetriever.from_nodes([second], path=tmp_path / "kg").retriever
    assert later.edges(["a"]) == [Edge("a", "b", "followed_by")]


def test_what_llama_index_splits_comes_back_with_its_neighbours():
    text = " ".join(f"Sentence number {n} of a long document about files." for n in range(60))
    document = Document(id_="doc", text=text, metadata={"title": "Long"})
    chunks = SentenceSplitter(chunk_size=64, chunk_overlap=0).get_nodes_from_documents([document])
    assert len(chunks) > 5
    found = back(*chunks)
    assert {chunk.node_id for chunk in chunks} == set(found)
    for chunk in chunks:
        assert found[chunk.node_id] == chunk
        assert found[chunk.node_id].ref_doc_id == "doc"
    graph = FourfoldRetriever.from_nodes([document, *chunks]).retriever
    types = [edge.type for edge in graph.edges([chunk.node_id for chunk in chunks])]
    assert types.count("followed_by") == len(chunks) - 1
    assert types.count("part_of") == len(chunks)


def test_chunks_of_more_documents_come_than_a_filter_may_have_values(monkeypatch):
    monkeypatch.setattr(filters, "MOST_VALUES", 2)
    texts = ("about files", "about nodes")
    cuts = [
        TextNode(
            id_=f"{n}-{place}",
            text=f"{text} {n}",
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc{n}")},
        )
        for place, text in enumerate(texts)
        for n in range(5)
    ]
    store = FourfoldVectorStore()
    store.add(cuts[:5])
    store.add(cuts[5:])  # joined to those that were there
    types = [edge.type for edge in store.client.edges([node.node_id for node in cuts])]
    assert types.count("part_of") == 10


def test_a_hierarchy_of_nodes_becomes_edges():
    text = " ".join(f"Sentence number {n} of a long document about files." for n in range(60))
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[256, 64], chunk_overlap=0)
    nodes = parser.get_nodes_from_documents([Document(id_="doc", text=text)])
    found = back(*nodes)
    assert all(found[node.node_id] == node for node in nodes)
    graph = FourfoldRetriever.from_nodes(nodes).retriever
    parents = {(node.node_id, node.parent_node.node_id) for node in nodes if node.parent_node}
    assert parents
    edges = graph.edges([node.node_id for node in nodes])
    assert {(edge.source, edge.target) for edge in edges if edge.type == "part_of"} >= parents


# -- written back -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("through_json", [False, True])
@pytest.mark.parametrize("into", ["retriever", "store"])
def test_found_nodes_written_back_leave_no_trace(through_json, into):
    with Retriever() as graph:
        graph.add(
            [
                fourfold.Node("a", "deploy_prod", "tool", "Ships a build.", {"name": "mine"}),
                fourfold.Node("b", "disk", "resource"),
            ],
            [Edge("a", "b", "requires")],
        )
        retriever = FourfoldRetriever(retriever=graph)
        own = {"title": "Builds", "fourfold": 3}
        retriever.insert_nodes([TextNode(id_="c", text="A text of builds.", metadata=own)])
        before = graph.get(["a", "b", "c"])
        found = [hit.node for hit in retriever.retrieve("what does deploy_prod need to build")]
        assert {node.node_id for node in found} == {"a", "b", "c"}
        if through_json:
            found = [TextNode.from_json(node.to_json()) for node in found]
        if into == "retriever":
            retriever.insert_nodes(found)
        else:
            FourfoldVectorStore(retriever=graph).add(found)
        assert graph.get(["a", "b", "c"]) == before and Edge("a", "b", "requires") in graph.edges(["a"])
