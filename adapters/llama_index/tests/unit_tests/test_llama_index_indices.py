"""Content of LlamaIndex's indices taken over, and nodes kept up."""

import pytest
from llama_index.core import MockEmbedding, PropertyGraphIndex, StorageContext, VectorStoreIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, EntityNode, Relation
from llama_index.core.llms import MockLLM
from llama_index.core.schema import Document, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.retrievers.fourfold import FourfoldRetriever

# LlamaIndex imports langchain-community where it happens to be installed, and that warns of its end.
pytestmark = pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning")


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
    retriever.delete_nodes(["ny", "unknown"])
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
