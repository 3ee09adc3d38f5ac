"""The LlamaIndex vector store: as LlamaIndex's own, beside it, and in what wants one."""

import asyncio
import json
import pickle
import threading

import fsspec
import numpy as np
import pytest
from llama_index.core import MockEmbedding, Settings, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import VectorIndexAutoRetriever
from llama_index.core.schema import (
    Document,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
)
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataInfo,
    VectorStore,
    VectorStoreInfo,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQuerySpec,
)
from llama_index.retrievers.fourfold import (
    FourfoldEmbedding,
    FourfoldRetriever,
    FourfoldVectorStore,
    LlamaIndexEmbedder,
)

import fourfold
from fourfold import InvalidValueError, Retriever, StoreError
from fourfold.copying import copy
from fourfold.embed.static import bundled

ROWS = {
    "a": ([1.0, 0.0], {"weight": 1.0, "rank": "a", "quality": ["medium", "high"], "code": "6FTR78Yun"}),
    "b": ([0.0, 1.0], {"weight": 2.0, "rank": "c", "quality": ["medium"], "code": "6FTR78Ygl"}),
    "c": ([1.0, 1.0], {"weight": 3.0, "rank": "c", "quality": ["low", "medium", "high"], "code": "6FTR78Ztl"}),
}


def rows():
    return [
        TextNode(
            id_=id_,
            text="lorem ipsum",
            embedding=vector,
            metadata=metadata,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{id_}")},
        )
        for id_, (vector, metadata) in ROWS.items()
    ]


@pytest.fixture(params=[FourfoldVectorStore, SimpleVectorStore], ids=["fourfold", "simple"])
def store(request):
    """Each test holds for LlamaIndex's own store, too: that is what makes it a test of conformance."""
    store = request.param()
    store.add(rows())
    return store


def ask(store, *, k=3, **options):
    return store.query(VectorStoreQuery(query_embedding=[1.0, 1.0], similarity_top_k=k, **options)).ids


def where(*filters, condition=FilterCondition.AND):
    made = [
        f if isinstance(f, MetadataFilters) else MetadataFilter(key=f[0], operator=f[1], value=f[2]) for f in filters
    ]
    return MetadataFilters(filters=made, condition=condition)


# -- as LlamaIndex's own ----------------------------------------------------------------------------------------------


def test_class():
    assert BasePydanticVectorStore.__name__ in [cls.__name__ for cls in FourfoldVectorStore.__mro__]
    assert isinstance(FourfoldVectorStore(), VectorStore) and FourfoldVectorStore.class_name() == "FourfoldVectorStore"


def test_an_empty_store():
    assert FourfoldVectorStore().query(VectorStoreQuery(query_embedding=[1.0], query_str="x")).ids == []


def test_without_filters_all_by_similarity(store):
    assert sorted(ask(store)) == ["a", "b", "c"] and ask(store)[0] == "c" and ask(store, k=1) == ["c"]


Op = FilterOperator


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (where(("rank", Op.EQ, "c")), {"b", "c"}),
        (where(("rank", Op.NE, "c")), {"a"}),
        (where(("weight", Op.GT, 1.5)), {"b", "c"}),
        (where(("weight", Op.GTE, 1.0)), {"a", "b", "c"}),
        (where(("weight", Op.LT, 1.1)), {"a"}),
        (where(("weight", Op.LTE, 2.0)), {"a", "b"}),
        (where(("rank", Op.IN, ["a", "c"])), {"a", "b", "c"}),
        (where(("rank", Op.NIN, ["c"])), {"a"}),
        (where(("quality", Op.CONTAINS, "high")), {"a", "c"}),
        (where(("code", Op.TEXT_MATCH, "6FTR78Y")), {"a", "b"}),
        (where(("quality", Op.ANY, ["high", "low"])), {"a", "c"}),
        (where(("quality", Op.ALL, ["medium", "high"])), {"a", "c"}),
        (where(("missing", Op.IS_EMPTY, None)), {"a", "b", "c"}),
        (where(("missing", Op.EQ, "c")), set()),
        (where(("rank", Op.EQ, "c"), ("weight", Op.EQ, 2.0)), {"b"}),
        (where(("weight", Op.EQ, 2), ("weight", Op.EQ, 3)), set()),
        (where(("rank", Op.EQ, "c"), ("weight", Op.EQ, 1.0), condition=FilterCondition.OR), {"a", "b", "c"}),
        (where(("rank", Op.EQ, "a"), condition=FilterCondition.NOT), {"b", "c"}),
    ],
)
def test_filters(store, filters, expected):
    assert set(ask(store, filters=filters)) == expected
    if isinstance(store, FourfoldVectorStore):
        assert {node.node_id for node in store.get_nodes(filters=filters)} == expected
    store.delete_nodes(filters=filters)
    assert set(ask(store)) == ROWS.keys() - expected


def test_node_ids_and_the_number_asked_for(store):
    assert ask(store, node_ids=["c", "unknown"]) == ["c"]
    assert ask(store, node_ids=["a", "b"], k=1) in (["a"], ["b"])
    assert ask(store, node_ids=["a"], filters=where(("rank", Op.EQ, "c"))) == []


def test_deleted_by_source_document_and_by_id(store):
    store.delete("doc-b")
    store.delete("unknown")
    assert set(ask(store)) == {"a", "c"}
    if isinstance(store, FourfoldVectorStore):
        store.delete_nodes("ac")
        assert set(ask(store)) == {"a", "c"}
    store.delete_nodes(["a", "unknown"])
    assert ask(store) == ["c"]
    store.clear()
    assert ask(store) == []


def test_marginal_relevance(store):
    options = {"mode": VectorStoreQueryMode.MMR, "similarity_top_k": 2, "query_embedding": [1.0, 0.1]}
    assert set(store.query(VectorStoreQuery(**options), mmr_threshold=0.1).ids) == {"a", "b"}
    assert set(store.query(VectorStoreQuery(**options), mmr_threshold=1.0).ids) == {"a", "c"}


async def test_asynchronously(store):
    await store.async_add([TextNode(id_="d", text="x", embedding=[5.0, 5.1])])
    assert (await store.aquery(VectorStoreQuery(query_embedding=[5.0, 5.1], similarity_top_k=1))).ids == ["d"]
    await store.adelete("doc-a")
    await store.adelete_nodes(["b"])
    assert set(ask(store)) == {"c", "d"}
    await store.aclear()
    assert ask(store) == []


# -- beyond it --------------------------------------------------------------------------------------------------------


@pytest.fixture
def fourfold_store():
    store = FourfoldVectorStore()
    store.add(rows())
    return store


def test_nodes_come_back_as_they_were_given(fourfold_store):
    given = [
        *rows(),
        IndexNode(id_="i", index_id="x", text="an index", embedding=[0.5, 0.25]),
        ImageNode(id_="p", image_path="p.png", text="a picture", embedding=[0.25, 0.5]),
    ]
    fourfold_store.add(given[3:])
    found = {node.node_id: node for node in fourfold_store.get_nodes()}
    assert [found[node.node_id].model_dump() for node in given] == [node.model_dump() for node in given]
    assert [node.node_id for node in fourfold_store.get_nodes(["c", "unknown", "a"])] == ["c", "a"]
    result = fourfold_store.query(VectorStoreQuery(query_embedding=[1.0, 1.0], similarity_top_k=5))
    plain = {node.node_id: node.model_copy(update={"embedding": None}) for node in given}
    assert {node.node_id: node for node in result.nodes} == plain and all(
        type(n) is type(plain[n.node_id]) for n in result.nodes
    )
    assert all(0 <= score <= 1 for score in result.similarities)


def test_the_breakdown_on_demand():
    store = FourfoldVectorStore(breakdown=True)
    store.add(rows())
    [node] = store.query(VectorStoreQuery(query_embedding=[1.0, 1.0], query_str="lorem")).nodes
    assert node.metadata["fourfold"]["why"] and node == rows()[2].model_copy(update={"embedding": None})


def test_words_and_vector_both_count(fourfold_store):
    fourfold_store.add([TextNode(id_="d", text="Rome is a city.", embedding=[-1.0, -1.0])])

    def best(**options):
        query = VectorStoreQuery(query_embedding=[1.0, 1.0], query_str="Rome", **options)
        return fourfold_store.query(query).ids[0]

    assert best(mode=VectorStoreQueryMode.TEXT_SEARCH) == best(mode=VectorStoreQueryMode.SPARSE) == "d"
    assert best(mode=VectorStoreQueryMode.HYBRID, alpha=0.0) == "d"
    assert best(mode=VectorStoreQueryMode.SEMANTIC_HYBRID, alpha=1.0) == "c"
    query = VectorStoreQuery(query_embedding=[1.0, 1.0], query_str="Rome", similarity_top_k=4, hybrid_top_k=2)
    for mode, count in ((VectorStoreQueryMode.HYBRID, 2), (VectorStoreQueryMode.DEFAULT, 4)):
        query.mode = mode
        assert len(fourfold_store.query(query).ids) == count
    with pytest.raises(fourfold.InvalidValueError, match="alpha is 2; it must be a finite number from 0 to 1"):
        best(mode=VectorStoreQueryMode.HYBRID, alpha=2)
    with pytest.raises(fourfold.InvalidValueError, match="SVM.*default, hybrid"):
        best(mode=VectorStoreQueryMode.SVM)
    with pytest.raises(fourfold.DimensionError, match="3 dimensions"):
        fourfold_store.query(VectorStoreQuery(query_embedding=[1.0, 1.0, 1.0]))
    with pytest.raises(fourfold.InvalidValueError, match="mmr_threshold is 2"):
        fourfold_store.query(VectorStoreQuery(query_embedding=[1.0, 1.0], mode="mmr"), mmr_threshold=2)


def test_nested_filters(fourfold_store):
    inner = where(("weight", Op.EQ, 3.0), ("rank", Op.EQ, "a"), condition=FilterCondition.OR)
    assert ask(fourfold_store, filters=where(("weight", Op.GT, 1.0), inner)) == ["c"]


def test_doc_ids(fourfold_store):
    assert set(ask(fourfold_store, doc_ids=["doc-a", "doc-b"])) == {"a", "b"}
    assert ask(fourfold_store, doc_ids=["missing"]) == ask(fourfold_store, doc_ids=[]) == []


def test_the_model_of_fourfold_embeds_for_an_index():
    model = FourfoldEmbedding()
    store = FourfoldVectorStore()
    nodes = [TextNode(text="a file is read"), TextNode(text="Rome is a capital")]
    index = VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=model)
    assert index.as_retriever(similarity_top_k=1).retrieve("read")[0].text == "a file is read"
    assert model.get_query_embedding("a") == model.embedder.embed_query("a").tolist()
    taken = FourfoldRetriever.from_vector_index(VectorStoreIndex([TextNode(text="a file")], embed_model=model))
    assert taken.retriever.embedder is model.embedder


def test_vectors_of_the_model_of_fourfold_are_known_to_be_its(tmp_path):
    """They were of unknown origin: what came later got no vector, and another model was not refused."""
    model, nodes = FourfoldEmbedding(), [TextNode(text="a file is read"), TextNode(text="Rome is a capital")]
    taken = FourfoldRetriever.from_vector_index(VectorStoreIndex(nodes[:1], embed_model=model))
    taken.insert_nodes(nodes[1:])
    beside = FourfoldRetriever.from_vector_index(VectorStoreIndex(nodes, embed_model=model), retriever=Retriever())
    store = FourfoldVectorStore(tmp_path / "kg.sqlite", embed_model=model)
    VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=model)
    for graph in (taken.retriever, beside.retriever, store.client):
        assert (graph.info()["vectors"], graph.info()["embedder"]) == (2, model.embedder.name)


def test_whose_embeddings_they_are(tmp_path):
    path, own = tmp_path / "kg.sqlite", MockEmbedding(embed_dim=2, model_name="own")
    with pytest.raises(fourfold.StoreError, match="There is no file"):
        FourfoldVectorStore(path, must_exist=True)
    store = FourfoldVectorStore(path, embed_model=own)
    store.add(rows())
    assert store.client.info()["embedder"] == LlamaIndexEmbedder(own).name
    store.client.close()
    with pytest.raises(fourfold.EmbedderMismatchError, match="own.*other"):
        FourfoldVectorStore(path, embed_model=MockEmbedding(embed_dim=2, model_name="other"))
    reads = FourfoldVectorStore(path, embed_model=own, read_only=True)
    assert len(reads.get_nodes()) == 3
    with pytest.raises(fourfold.StoreError, match="read-only"):
        reads.clear()
    reads.client.close()
    unknown = FourfoldVectorStore()
    unknown.add(rows())
    assert unknown.client.info()["embedder"] is None


def test_an_open_graph_is_shared():
    with Retriever() as graph:
        assert FourfoldVectorStore(retriever=graph).client is graph
        for option in (
            {"path": "x"},
            {"embed_model": len},
            {"config": fourfold.RetrievalConfig()},
            {"read_only": True},
        ):
            with pytest.raises(fourfold.InvalidValueError, match="belong to the retriever"):
                FourfoldVectorStore(retriever=graph, **option)
        with pytest.raises(fourfold.InvalidValueError, match="give it as retriever="):
            FourfoldVectorStore(graph)
        for other in ("kg.sqlite", FourfoldRetriever(retriever=graph)):
            with pytest.raises(fourfold.InvalidValueError, match=r"retriever is .+; it must be a fourfold.Retriev"):
                FourfoldVectorStore(retriever=other)


# -- chunks -----------------------------------------------------------------------------------------------------------

TEXT = " ".join(f"Sentence number {n} is about boats." for n in range(20))


class Static(MockEmbedding):
    """The model that ships with Fourfold, as a LlamaIndex embedding model."""

    def __init__(self):
        super().__init__(embed_dim=256, model_name="static")

    def _get_query_embedding(self, query):
        return bundled().embed_query(query).tolist()

    def _get_text_embedding(self, text):
        return bundled().embed_query(text).tolist()

    def _get_text_embeddings(self, texts):
        return bundled().embed_documents(texts).tolist()


SPLITTER = SentenceSplitter(chunk_size=40, chunk_overlap=0)


def chunks(*documents):
    nodes = SPLITTER.get_nodes_from_documents(list(documents))
    for node in nodes:
        node.embedding = bundled().embed_query(node.text).tolist()
    return nodes


def assert_joined(store, *documents):
    text = {node.id: node.text for node in store.client.get(store.client.manifest())}
    edges = store.client.edges(text)
    texts = [[node.text for node in document] for document in documents]
    found = {}
    for edge in edges:
        if edge.type == "part_of":
            found.setdefault(edge.target, []).append(text[edge.source])
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, texts))
    followed = sorted((text[e.source], text[e.target]) for e in edges if e.type == "followed_by")
    assert followed == sorted(p for document in texts for p in zip(document, document[1:], strict=False))


def test_chunks_are_joined_in_whatever_batches_they_come():
    boats, ships = chunks(Document(id_="b", text=TEXT)), chunks(Document(id_="s", text=TEXT.replace("boats", "ships")))
    assert len(boats) > 3
    store = FourfoldVectorStore()
    store.add(boats[2:])
    store.add([*ships, *boats[:1]])
    store.add(boats[1:2])
    assert_joined(store, boats, ships)
    assert len(store.get_nodes()) == len(boats) + len(ships)
    store.delete_nodes([boats[1].node_id])
    assert_joined(store, [boats[0], *boats[2:]], ships)
    store.delete("b")
    assert_joined(store, ships)
    store.delete("s")
    assert not len(store.client)


@pytest.mark.parametrize("through", ["store", "retriever"])
def test_context_gives_the_nodes_around_one(through):
    nodes = chunks(Document(id_="b", text=TEXT))
    store = FourfoldVectorStore()
    if through == "store":
        store.add(nodes)
        retriever = FourfoldRetriever(retriever=store.client)
    else:
        retriever = FourfoldRetriever.from_nodes(nodes)
    [found] = retriever.retrieve("Sentence number 9")[:1]
    place = [node.node_id for node in nodes].index(found.node.node_id)
    ids = [node.node_id for node in nodes]
    around = retriever.context(found, before=2, after=1)
    assert [node.node_id for node in around] == ids[max(place - 2, 0) : place + 2]
    assert around[0].metadata == nodes[0].metadata and type(around[0]) is TextNode
    assert [node.node_id for node in retriever.context(ids[0])] == ids[:2]
    with pytest.raises(fourfold.UnknownNodeError, match="'unknown'"):
        retriever.context("unknown")


# -- in what wants a vector store -------------------------------------------------------------------------------------


@pytest.fixture
def models(monkeypatch):
    monkeypatch.setattr(Settings, "_embed_model", Static())
    monkeypatch.setattr(Settings, "_llm", MockLLM())


DOCUMENTS = [
    Document(id_="files", text="read_file reads a file and returns its text.", metadata={"lang": "en"}),
    Document(id_="rome", text="Rome is the capital of Italy.", metadata={"lang": "en", "title": "Rome"}),
    Document(id_="lire", text="lire lit un fichier (file).", metadata={"lang": "fr"}),
]


def test_vector_store_index(models, tmp_path):
    store = FourfoldVectorStore(tmp_path / "kg.sqlite")
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex.from_documents(DOCUMENTS, storage_context=context)
    assert index.as_retriever(similarity_top_k=1).retrieve("what is the capital")[0].node.ref_doc_id == "rome"
    french = index.as_retriever(filters=where(("lang", Op.EQ, "fr"))).retrieve("a file")
    assert [hit.node.ref_doc_id for hit in french] == ["lire"]
    assert len(index.as_retriever(vector_store_query_mode="mmr", similarity_top_k=2).retrieve("a file")) == 2
    hybrid = index.as_retriever(vector_store_query_mode="hybrid", alpha=0.5, similarity_top_k=1)
    assert hybrid.retrieve("read_file")[0].node.ref_doc_id == "files"
    assert "capital of Italy" in str(index.as_query_engine(similarity_top_k=1).query("what is the capital"))
    index.insert(Document(id_="new", text="Oslo is the capital of Norway."))
    index.delete_ref_doc("rome", delete_from_docstore=True)
    found = index.as_retriever(similarity_top_k=1).retrieve("what is the capital")
    assert found[0].node.ref_doc_id == "new"
    context.persist(str(tmp_path / "storage"))
    store.client.close()
    again = VectorStoreIndex.from_vector_store(FourfoldVectorStore(tmp_path / "kg.sqlite"))
    assert again.as_retriever(similarity_top_k=1).retrieve("what is the capital")[0].node.ref_doc_id == "new"
    again.vector_store.client.close()


@pytest.mark.parametrize("store", [FourfoldVectorStore, SimpleVectorStore])
def test_image_and_index_nodes_hide_no_texts(models, store):
    nodes = [
        TextNode(id_="whales", text="Whales sing songs in the sea."),
        TextNode(id_="cats", text="Cats sleep all day."),
        IndexNode(id_="trains", text="A table of train times.", index_id="table"),
        ImageNode(id_="boat", text="A boat in the sea.", image="aGk="),
    ]
    index = VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=store()))

    def found():
        return {hit.node.node_id for hit in index.as_retriever(similarity_top_k=4).retrieve("a song of the sea")}

    assert found() == {"whales", "cats", "trains", "boat"}
    index.delete_nodes(["boat"])  # the index goes on naming it
    assert found() == {"whales", "cats", "trains"}


@pytest.mark.parametrize("delete", ["delete_nodes", "delete_ref_doc", "clear", "through a retriever"])
def test_an_index_whose_image_and_index_nodes_are_all_deleted_hides_no_texts(models, tmp_path, delete):
    nodes = [
        TextNode(id_="cats", text="Cats sleep all day."),
        IndexNode(id_="trains", text="A table of train times.", index_id="table"),
        ImageNode(id_="boat", text="A boat in the sea.", image="aGk="),
    ]
    for node in nodes[1:]:
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="album")
    storage = StorageContext.from_defaults(vector_store=FourfoldVectorStore(tmp_path / "kg.sqlite"))
    index = VectorStoreIndex(nodes, storage_context=storage)
    if delete == "delete_nodes":
        index.delete_nodes(["boat"])
        index.delete_nodes(["trains"])
    elif delete == "delete_ref_doc":
        index.delete_ref_doc("album", delete_from_docstore=True)
    elif delete == "clear":
        index.vector_store.clear()
    else:
        FourfoldRetriever(retriever=index.vector_store.client).delete_nodes(["boat", "trains"])
    index.insert_nodes([TextNode(id_="dogs", text="Dogs bark all day.")])

    def found(index):
        return {hit.node.node_id for hit in index.as_retriever(similarity_top_k=4).retrieve("all day")}

    expected = {"dogs"} if delete == "clear" else {"cats", "dogs"}
    assert found(index) == expected
    assert not index.vector_store.query(VectorStoreQuery(query_str="day", node_ids=["nowhere"])).ids
    storage.persist(str(tmp_path / "storage"))
    storage.vector_store.client.close()
    opened = FourfoldVectorStore(tmp_path / "kg.sqlite")
    again = StorageContext.from_defaults(vector_store=opened, persist_dir=str(tmp_path / "storage"))
    assert found(load_index_from_storage(again)) == expected
    opened.client.close()


def test_a_copy_knows_which_nodes_of_an_index_are_gone(models):
    nodes = [
        TextNode(id_="cats", text="Cats sleep all day."),
        IndexNode(id_="trains", text="A table of train times.", index_id="table"),
    ]
    index = VectorStoreIndex(
        nodes, storage_context=StorageContext.from_defaults(vector_store=FourfoldVectorStore(":memory:"))
    )
    index.delete_nodes(["trains"])
    with Retriever(":memory:") as target, pytest.warns(fourfold.FourfoldWarning, match="books of the documents"):
        copy(index.vector_store.client, target)
        moved = FourfoldVectorStore(retriever=target)
        assert moved.query(VectorStoreQuery(query_str="all day", node_ids=["trains"])).ids == ["cats"]


def test_node_ids_that_are_meant_bind_beside_image_and_index_nodes(fourfold_store):
    fourfold_store.add(
        [
            IndexNode(id_="i", text="one", index_id="x", embedding=[1.0, 1.0]),
            ImageNode(id_="j", text="two", embedding=[1.0, 0.5]),
        ]
    )
    for wanted in (["i"], ["i", "a"], ["i", "j", "a"], ["a"]):
        assert set(ask(fourfold_store, k=9, node_ids=wanted)) <= set(wanted)
    assert ask(fourfold_store, node_ids=["nowhere"]) == []


@pytest.mark.parametrize("vector", [None, [0.0] * 256])
def test_an_auto_retriever_that_leaves_a_filter_only(models, vector):
    index = VectorStoreIndex.from_documents(
        DOCUMENTS, storage_context=StorageContext.from_defaults(vector_store=FourfoldVectorStore())
    )
    about = VectorStoreInfo(content_info="texts", metadata_info=[MetadataInfo(name="lang", type="str", description="")])
    spec = VectorStoreQuerySpec(query="", filters=[MetadataFilter(key="lang", value="en")])
    retriever = VectorIndexAutoRetriever(
        index, about, default_empty_query_vector=vector, empty_query_top_k=10, similarity_top_k=10
    )
    inner, bundle = retriever._build_retriever_from_spec(spec)
    found = inner.retrieve(bundle)
    assert [hit.node.ref_doc_id for hit in found] == ["files", "rome"] and {hit.score for hit in found} == {0.0}
    assert index.as_retriever().retrieve(QueryBundle("", embedding=vector)) == []
    for bounds in ({"doc_ids": ["lire"]}, {"node_ids": [found[0].node.node_id]}):
        assert len(index.vector_store.query(VectorStoreQuery(query_embedding=vector, **bounds)).ids) == 1


def test_a_vector_store_index_is_taken_over(models):
    store = FourfoldVectorStore()
    index = VectorStoreIndex.from_documents(DOCUMENTS, storage_context=StorageContext.from_defaults(vector_store=store))
    taken = FourfoldRetriever.from_vector_index(index)
    assert taken.retriever.info()["vectors"] == 3 and taken.retrieve("capital of Italy")[0].node.ref_doc_id == "rome"


def test_ingestion_pipeline_with_upserts_and_deletions(models):
    store = FourfoldVectorStore(embed_model=Settings.embed_model)
    pipeline = IngestionPipeline(
        transformations=[SPLITTER, Settings.embed_model],
        vector_store=store,
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
    )
    boats = Document(id_="b", text=TEXT)
    made = pipeline.run(documents=[boats, *DOCUMENTS])
    assert len(store.get_nodes()) == len(made)
    assert_joined(store, [node for node in made if node.ref_doc_id == "b"])
    assert pipeline.run(documents=[boats, *DOCUMENTS]) == []
    changed = Document(id_="b", text=TEXT.replace("number 3", "No. 3"))
    again = pipeline.run(documents=[changed, *DOCUMENTS[1:]])
    held = {node.node_id: node for node in store.get_nodes()}
    assert {node.ref_doc_id for node in held.values()} == {"b", "rome", "lire"}
    assert {n for n, node in held.items() if node.ref_doc_id == "b"} == {node.node_id for node in again}
    assert_joined(store, again)


def test_a_store_in_memory_is_persisted_and_read_back(tmp_path):
    model = MockEmbedding(embed_dim=8)
    storage = StorageContext.from_defaults(vector_store=FourfoldVectorStore(embed_model=model))
    index = VectorStoreIndex([TextNode(id_="a", text="Cats purr.")], storage_context=storage, embed_model=model)
    for number in range(2):  # once more over what was kept before
        storage.persist(str(tmp_path / "kept"))
        opened = FourfoldVectorStore.from_persist_dir(tmp_path / "kept", embed_model=model)
        again = StorageContext.from_defaults(persist_dir=str(tmp_path / "kept"), vector_store=opened)
        index_again = load_index_from_storage(again, embed_model=model)
        found = index_again.as_retriever(similarity_top_k=5).retrieve("cats")
        assert {hit.node.node_id for hit in found} == {"a", "b"} if number else {"a"}
        assert opened.client.embedder.name == storage.vector_store.client.embedder.name
        opened.client.close()
        index.insert_nodes([TextNode(id_="b", text="Cats hiss.")])
    with pytest.raises(StoreError, match="there is no 'default__vector_store.sqlite'"):
        FourfoldVectorStore.from_persist_dir(tmp_path)
    with pytest.raises(InvalidValueError, match="folder of this machine only"):
        storage.persist("kept", fs=fsspec.filesystem("memory"))
    with pytest.raises(StoreError, match=r"The folder '.*default__vector_store.sqlite' cannot be made: File exists"):
        storage.vector_store.persist(str(tmp_path / "kept" / "default__vector_store.sqlite" / "store.json"))
    storage.vector_store.client.close()


def test_a_store_with_a_file_is_persisted_there_alone(tmp_path):
    store = FourfoldVectorStore(tmp_path / "kg.sqlite")
    store.persist(str(tmp_path / "kept" / "default__vector_store.json"))
    assert not (tmp_path / "kept").exists()
    store.client.close()


def test_a_pickle_opens_the_file_again_and_of_a_store_in_memory_there_is_none(tmp_path):
    store = FourfoldVectorStore(tmp_path / "kg.sqlite")
    store.add([TextNode(id_="cat", text="the cat sat")])
    assert pickle.loads(pickle.dumps(store)).query(VectorStoreQuery(query_str="cat")).ids == ["cat"]
    with pytest.raises(StoreError, match="in memory cannot be pickled"):
        pickle.dumps(FourfoldVectorStore())


@pytest.mark.parametrize("through", [lambda data: data, lambda data: json.loads(json.dumps(data))])
def test_a_dictionary_opens_the_file_again_with_the_settings_of_the_store(tmp_path, through):
    model = MockEmbedding(embed_dim=8)
    store = FourfoldVectorStore(
        tmp_path / "kg.sqlite", embed_model=model, breakdown=True, name_key="heading", metadata_mode=MetadataMode.EMBED
    )
    store.add([TextNode(id_="cat", text="the cat sat", embedding=[1.0] * 8)])
    held = through(store.to_dict())
    again = FourfoldVectorStore.from_dict(held, embed_model=model)
    assert (again.breakdown, again.name_key, again.metadata_mode) == (True, "heading", MetadataMode.EMBED)
    assert again.query(VectorStoreQuery(query_str="cat")).ids == ["cat"]
    assert through(again.to_dict()) == held
    reading = FourfoldVectorStore.from_dict(held, embed_model=model, read_only=True, breakdown=False)
    assert FourfoldVectorStore.from_json(reading.to_json(), embed_model=model).to_dict() == reading.to_dict()
    assert (reading.read_only, reading.breakdown) == (True, False)
    store.client.close()
    (tmp_path / "kg.sqlite").rename(tmp_path / "other.sqlite")
    with pytest.raises(StoreError, match="no file"):
        FourfoldVectorStore.from_dict(held, embed_model=model)


def test_a_dictionary_of_a_store_in_memory_says_what_to_do():
    store = FourfoldVectorStore(breakdown=True)
    store.add([TextNode(id_="cat", text="the cat sat")])
    with pytest.raises(StoreError, match=r"make the store with a path.*from_dict\(data, retriever=store.client\)"):
        FourfoldVectorStore.from_dict(store.to_dict())
    again = FourfoldVectorStore.from_dict(store.to_dict(), retriever=store.client)
    assert again.breakdown and again.query(VectorStoreQuery(query_str="cat")).ids == ["cat"]


def test_a_store_is_validated_by_sentences_and_its_dump_opens_it_again(tmp_path):
    store = FourfoldVectorStore(tmp_path / "kg.sqlite", breakdown=True)
    store.add(rows())
    again = FourfoldVectorStore.model_validate(store.model_dump())
    assert len(again.client) == 3 and again.breakdown
    with pytest.raises(StoreError, match="A graph in memory is in no dictionary"):
        FourfoldVectorStore.model_validate(FourfoldVectorStore().model_dump())
    with pytest.raises(ValueError, match="FourfoldVectorStore has no argument 'pth'; the arguments are path, "):
        FourfoldVectorStore.model_validate({"pth": "kg.sqlite"})
    with pytest.raises(ValueError, match="has no argument 'brekdown'; the arguments are .*breakdown"):
        FourfoldVectorStore.model_validate({**store.model_dump(), "brekdown": True})
    assert FourfoldVectorStore.model_validate(store.to_dict()).breakdown


def test_what_a_store_was_opened_with_stays(tmp_path):
    store = FourfoldVectorStore(tmp_path / "kg.sqlite")
    for name, value in (("path", "other.sqlite"), ("read_only", True)):
        with pytest.raises(InvalidValueError, match=f"{name} is that of the graph .+ make another FourfoldVectorStore"):
            setattr(store, name, value)
        with pytest.raises(InvalidValueError, match=f"{name} is that of the graph"):
            store.model_copy(update={name: value})
        setattr(store, name, getattr(store, name))
    assert store.model_copy(update={"breakdown": True}).breakdown and not store.breakdown
    store.breakdown = True
    assert store.path == store.client.path and store.breakdown


@pytest.mark.parametrize(
    ("said", "asked", "options"),
    [
        ("similarity_top_k is 0", {"similarity_top_k": 0}, {}),
        ("similarity_top_k is 0", {"similarity_top_k": 0, "mode": "mmr"}, {}),
        ("hybrid_top_k is -1", {"hybrid_top_k": -1, "mode": "hybrid"}, {}),
        ("mmr_prefetch_k is 'x'", {"mode": "mmr"}, {"mmr_prefetch_k": "x"}),
        ("mmr_prefetch_k is -3", {"mode": "mmr"}, {"mmr_prefetch_k": -3}),
    ],
)
def test_a_number_of_nodes_that_cannot_be_meant_is_told_by_the_name_it_was_given_by(said, asked, options):
    store = FourfoldVectorStore()
    store.add([TextNode(id_=id_, text="Read a file") for id_ in "ab"])
    with pytest.raises(InvalidValueError, match=said):
        store.query(VectorStoreQuery(query_str="a file", **asked), **options)
    retriever = FourfoldRetriever(retriever=store.client)
    retriever.similarity_top_k = 0
    with pytest.raises(InvalidValueError, match="similarity_top_k is 0"):
        retriever.retrieve("a file")
    ids = store.query(VectorStoreQuery(query_str="a file", similarity_top_k=None, mode="mmr")).ids
    assert set(ids) == {"a", "b"}, "none at all is that of the config"


def test_texts_are_embedded_together_and_off_the_event_loop():
    """LlamaIndex's own embeds in the event loop, a text at a time."""
    calls = []

    def embed(texts):
        calls.append((len(texts), threading.current_thread()))
        return np.ones((len(texts), 3), np.float32)

    async def embedded():
        model = FourfoldEmbedding(embed)
        await model.aget_text_embedding("one")
        await model.aget_text_embedding_batch(["two", "three"])
        await model.aget_query_embedding("four")
        return threading.current_thread()

    loop = asyncio.run(embedded())
    assert [count for count, _ in calls] == [1, 2, 1]
    assert loop not in [thread for _, thread in calls]
