"""Content of LlamaIndex's indices taken over, and nodes kept up."""

import chromadb
import faiss
import pytest
from llama_index.core import MockEmbedding, PropertyGraphIndex, StorageContext, VectorStoreIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, ChunkNode, EntityNode, Relation
from llama_index.core.indices.property_graph import ImplicitPathExtractor
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document, IndexNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.retrievers.fourfold import FourfoldRetriever, FourfoldVectorStore
from llama_index.vector_stores.chroma import ChromaVectorStore
from llama_index.vector_stores.faiss import FaissVectorStore

from fourfold import EmbedderMismatchError, InvalidValueError, Retriever


class Counting(MockEmbedding):
    """An embedding model that counts the texts it embeds."""

    count: int = 0

    def _get_text_embedding(self, text):
        self.count += 1
        return [1.0 + text.count("a"), float(len(text)), text.count("o") + 0.5]

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    def _get_text_embeddings(self, texts):
        return [self._get_text_embedding(text) for text in texts]


def page(identity, text, title, doc):
    return TextNode(
        id_=identity, text=text, metadata={"title": title},
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)},
    )  # fmt: skip


PAGES = [page("ann", "Ann lives in New York.", "Ann", "d1"), page("bob", "Bob builds boats.", "Bob", "d1"),
         page("ny", "A city.", "New York (city)", "d2")]  # fmt: skip


def edges(retriever):
    engine = retriever.retriever
    return {(e.source, e.type, e.target) for e in engine.edges(engine.manifest())}


def test_a_vector_index_is_taken_over_without_embedding_again():
    model = Counting(embed_dim=3)
    index = VectorStoreIndex(PAGES, embed_model=model)
    before = model.count
    retriever = FourfoldRetriever.from_vector_index(index, similarity_top_k=2)
    assert model.count == before
    assert edges(retriever) == {("ann", "mentions", "ny")}
    found = retriever.retrieve("Who builds boats?")
    assert found[0].node.node_id == "bob" and found[0].node.ref_doc_id == "d1"
    assert retriever.retriever.info()["dimensions"] == 3


def test_a_property_graph_is_taken_over_with_its_relations():
    store = SimplePropertyGraphStore()
    store.upsert_llama_nodes(PAGES[:1])
    ann = EntityNode(name="Ann Lee", label="PERSON", properties={TRIPLET_SOURCE_KEY: "ann", "age": 40})
    city = EntityNode(name="NYC", label="CITY")
    store.upsert_nodes([ann, city])
    store.upsert_relations([Relation(label="LIVES_IN", source_id=ann.id, target_id=city.id)])
    index = PropertyGraphIndex.from_existing(
        store, embed_kg_nodes=False, llm=MockLLM(), embed_model=Counting(embed_dim=3), kg_extractors=[]
    )
    retriever = FourfoldRetriever.from_property_graph(index)
    assert edges(retriever) == {("Ann Lee", "LIVES_IN", "NYC"), ("ann", "mentions", "Ann Lee")}
    assert {n.node.node_id for n in retriever.retrieve("Ann")} == {"ann", "Ann Lee", "NYC"}


def test_texts_that_were_put_into_a_property_graph_by_hand_are_taken_over():
    store = SimplePropertyGraphStore()
    text = ChunkNode(id_="c", text="Ann lives in Oslo.", properties={"lang": "en"})
    store.upsert_nodes([text, EntityNode(name="Ann", label="PERSON")])
    store.upsert_llama_nodes([TextNode(id_="t", text="Bob builds boats.")])
    store.upsert_relations([Relation(label="NAMES", source_id="c", target_id="Ann")])
    index = PropertyGraphIndex.from_existing(store, llm=MockLLM(), embed_kg_nodes=False)
    retriever = FourfoldRetriever.from_property_graph(index)
    assert set(retriever.retriever.manifest()) == {"c", "t", "Ann"} and ("c", "NAMES", "Ann") in edges(retriever)
    [found] = [hit.node for hit in retriever.retrieve("who lives in Oslo") if hit.node.node_id == "c"]
    assert found.text == "Ann lives in Oslo." and found.metadata["lang"] == "en"


def test_what_a_prompt_shows_of_an_entity_is_its_own():
    store = SimplePropertyGraphStore()
    store.upsert_llama_nodes(PAGES[:1])
    store.upsert_nodes([EntityNode(name="Ann Lee", label="PERSON", properties={TRIPLET_SOURCE_KEY: "ann", "age": 40})])
    index = PropertyGraphIndex.from_existing(store, embed_kg_nodes=False, llm=MockLLM(), kg_extractors=[])
    found = {hit.node.node_id: hit.node for hit in FourfoldRetriever.from_property_graph(index).retrieve("Ann")}
    shown = found["Ann Lee"].get_content(MetadataMode.LLM)
    assert "age: 40" in shown and TRIPLET_SOURCE_KEY not in shown


def test_the_documents_of_implicit_paths_have_no_text_and_are_no_hits():
    text = "Ann Lee founded Boat Works. " * 3 + "Boats are made of wood. " * 40
    index = PropertyGraphIndex.from_documents(
        [Document(id_="d1", text=text)],
        kg_extractors=[ImplicitPathExtractor()],
        embed_model=MockEmbedding(embed_dim=8),
        llm=MockLLM(),
        transformations=[SentenceSplitter(chunk_size=100, chunk_overlap=0)],
    )
    assert any(node.id == "d1" for node in index.property_graph_store.get())
    retriever = FourfoldRetriever.from_property_graph(index)
    found = retriever.retrieve("boats made of wood")
    assert all(len(hit.node.get_content()) > 20 and hit.node.ref_doc_id == "d1" for hit in found)
    assert len(found) == len(retriever.retriever) > 2
    assert {kind for _, kind, _ in edges(retriever)} == {"followed_by"}


@pytest.mark.parametrize(
    ("given", "match"),
    [("a text", r"'a text' is a string; .* TextNode\(text=…\)"), (5, "TextNode, not int"), ({}, "TextNode, not dict")],
)
def test_what_is_no_node_is_refused_with_a_sentence(given, match):
    with pytest.raises(InvalidValueError, match=match):
        FourfoldRetriever.from_nodes([given])


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (TextNode(id_="a", text="text"), "nodes is one TextNode, 'a'; give a list of nodes"),
        (None, "nodes is None; it must be a list of nodes"),
        ("a text", "nodes is 'a text'; it must be a list of nodes"),
    ],
)
def test_what_is_no_list_of_nodes_is_refused_with_a_sentence(given, match):
    for take in (FourfoldRetriever.from_nodes, FourfoldRetriever().insert_nodes, FourfoldVectorStore().add):
        with pytest.raises(InvalidValueError, match=match):
            take(given)


def test_what_is_no_index_is_refused_with_a_sentence():
    for take, wanted in (
        (FourfoldRetriever.from_vector_index, "VectorStoreIndex"),
        (FourfoldRetriever.from_property_graph, "PropertyGraphIndex"),
    ):
        with pytest.raises(InvalidValueError, match=f"index is a FourfoldVectorStore; it must be a {wanted}"):
            take(FourfoldVectorStore())


def test_nodes_are_inserted_and_deleted_by_source_document():
    retriever = FourfoldRetriever.from_nodes(PAGES[:2])
    assert not edges(retriever)
    retriever.insert_nodes(PAGES[2:])
    assert edges(retriever) == {("ann", "mentions", "ny")}
    retriever.insert_nodes([page("ann", "Ann has moved.", "Ann", "d1")])
    assert not edges(retriever)
    retriever.delete_ref_doc("d1")
    retriever.delete_ref_doc("unknown")
    assert list(retriever.retriever.manifest()) == ["ny"]
    retriever.delete_nodes(id_ for id_ in ("ny", "unknown"))  # of which nothing was deleted: it was read twice
    assert not len(retriever.retriever)


def test_deleting_a_source_document_that_is_a_node_itself():
    retriever = FourfoldRetriever.from_nodes([Document(id_="d1", text="Everything."), *PAGES])
    assert ("bob", "part_of", "d1") in edges(retriever)
    retriever.delete_ref_doc("d1")
    assert list(retriever.retriever.manifest()) == ["ny"]


def test_nodes_that_live_in_the_vector_store():
    from llama_index.core.vector_stores import SimpleVectorStore

    class Holding(SimpleVectorStore):
        stores_text: bool = True

        def get_nodes(self, node_ids=None, filters=None):
            return [node.model_copy(update={"embedding": [1.0, 2.0, 3.0]}) for node in PAGES]

    context = StorageContext.from_defaults(vector_store=Holding())
    index = VectorStoreIndex.from_vector_store(Holding(), embed_model=Counting(embed_dim=3), storage_context=context)
    assert len(FourfoldRetriever.from_vector_index(index).retriever) == 3


# -- whose vectors they are -------------------------------------------------------------------------------------------


def simple(folder):
    return SimpleVectorStore()


def in_faiss(folder):
    return FaissVectorStore(faiss_index=faiss.IndexFlatL2(3))


def in_chroma(folder):
    chroma = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
    return ChromaVectorStore(chroma.create_collection("pages"))


def in_fourfold(folder):
    return FourfoldVectorStore(folder / "store.sqlite")


@pytest.mark.parametrize("override", [False, True])
@pytest.mark.parametrize("kind", [simple, in_faiss, in_chroma, in_fourfold])
def test_what_is_in_the_docstore_hides_no_nodes_and_adds_none(tmp_path, kind, override):
    table = IndexNode(id_="table", text="A table of boats.", index_id="boats")
    storage = StorageContext.from_defaults(vector_store=kind(tmp_path))
    storage.docstore.add_documents([Document(id_="parent", text="Ann lives in New York. Bob builds boats.")])
    model = Counting(embed_dim=3)
    index = VectorStoreIndex(
        [*PAGES, table], embed_model=model, storage_context=storage, store_nodes_override=override
    )  # fmt: skip
    before = model.count
    taken = FourfoldRetriever.from_vector_index(index).retriever
    assert set(taken.manifest()) == {"ann", "bob", "ny", "table"} and model.count == before


@pytest.mark.parametrize("kind", [simple, in_chroma, in_fourfold])
def test_the_objects_of_an_index_are_retrieved_from(tmp_path, kind):
    model = Counting(embed_dim=3)
    inner = FourfoldRetriever.from_nodes([TextNode(id_="deep", text="Trains leave at nine.")], embed_model=model)
    table = IndexNode(id_="table", text="A table of train times.", index_id="trains", obj=inner)
    storage = StorageContext.from_defaults(vector_store=kind(tmp_path))
    index = VectorStoreIndex(objects=[table], embed_model=model, storage_context=storage)
    for retriever in (index.as_retriever(), FourfoldRetriever.from_vector_index(index)):
        assert [hit.node.node_id for hit in retriever.retrieve("train times")] == ["deep"]


class Unlisted(SimpleVectorStore):
    """A vector store that does not tell what it holds, as PGVectorStore where it is asked for all."""

    stores_text: bool = True

    def get_nodes(self, node_ids=None, filters=None):
        assert node_ids is not None or filters is not None, "Either node_ids or filters must be provided"


def test_a_store_that_does_not_list_its_nodes():
    table = IndexNode(id_="table", text="A table of boats.", index_id="boats")
    storage = StorageContext.from_defaults(vector_store=Unlisted())
    index = VectorStoreIndex([*PAGES, table], embed_model=Counting(embed_dim=3), storage_context=storage)
    with pytest.raises(InvalidValueError, match="Unlisted does not list the nodes it holds; give them to from_nodes"):
        FourfoldRetriever.from_vector_index(index)
    storage.docstore.add_documents(PAGES)
    assert len(FourfoldRetriever.from_vector_index(index).retriever) == 4


@pytest.mark.parametrize("kind", [simple, in_faiss, in_chroma, in_fourfold])
def test_the_models_name_is_stored_and_another_is_refused(tmp_path, kind):
    path = tmp_path / "kg.sqlite"
    own, other = Counting(embed_dim=3, model_name="own"), Counting(embed_dim=3, model_name="other")
    storage = StorageContext.from_defaults(vector_store=kind(tmp_path))
    index = VectorStoreIndex(PAGES, embed_model=own, storage_context=storage)
    before = own.count
    taken = FourfoldRetriever.from_vector_index(index, path=path)
    assert own.count == before and taken.retriever.info()["embedder"].endswith(":own")
    found = {node.id: node for node in taken.retriever.get(["ann", "bob", "ny"])}
    assert {id_: node.name for id_, node in found.items()} == {n.node_id: n.metadata["title"] for n in PAGES}
    assert taken.retriever.vectors(["bob"])["bob"].tolist() == own.get_text_embedding("title: Bob\n\nBob builds boats.")
    taken.retriever.close()
    with pytest.raises(EmbedderMismatchError, match=r":own'.*:other'"):
        FourfoldRetriever(path, embed_model=other)
    with pytest.raises(EmbedderMismatchError, match=":own"):
        FourfoldRetriever(path).retrieve("boats")  # nor by the model that ships with Fourfold
    again = FourfoldRetriever(path, embed_model=own)
    before = own.count
    again.insert_nodes([TextNode(id_="new", text="A new one.")])
    assert own.count == before + 1 and again.retriever.info()["vectors"] == 4
    again.retriever.close()


def test_another_model_embeds_the_nodes_anew():
    own, other = Counting(embed_dim=3, model_name="own"), Counting(embed_dim=3, model_name="other")
    index = VectorStoreIndex(PAGES, embed_model=own)
    taken = FourfoldRetriever.from_vector_index(index, embed_model=other)
    assert other.count == 3 and taken.retriever.info()["embedder"].endswith(":other")
    with Retriever() as graph:
        FourfoldRetriever.from_vector_index(index, retriever=graph)
        assert len(graph) == 3 and graph.info()["embedder"] == graph.embedder.name and graph.info()["dimensions"] == 256


def test_embeddings_of_nodes_are_the_given_models_or_of_unknown_origin(tmp_path):
    embedded = [TextNode(id_="a", text="alpha", embedding=[1.0, 2.0, 3.0]), TextNode(id_="b", text="beta")]
    model = Counting(embed_dim=3, model_name="own")
    made = FourfoldRetriever.from_nodes(embedded, embed_model=model)
    assert made.retriever.info()["embedder"].endswith(":own") and model.count == 1
    unknown = FourfoldRetriever.from_nodes(embedded)
    assert unknown.retriever.info()["embedder"] is None and unknown.retriever.info()["vectors"] == 1
