"""Documents kept up by id, and vector stores taken over."""

from types import SimpleNamespace

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever

from fourfold import InvalidValueError

PAGES = [
    Document(page_content="Ann lives in New York.", metadata={"title": "Ann", "source": "people"}),
    Document(page_content="A city.", metadata={"title": "New York (city)", "source": "places"}),
    Document(page_content="Bob builds boats.", metadata={"title": "Bob", "source": "people"}),
]


class Counting(Embeddings):
    """A real embedding model that counts the documents it embeds."""

    def __init__(self):
        self.inner, self.documents = DeterministicFakeEmbedding(size=8), 0

    def embed_documents(self, texts):
        self.documents += len(texts)
        return self.inner.embed_documents(texts)

    def embed_query(self, text):
        return self.inner.embed_query(text)


def mentions(retriever):
    engine = retriever.retriever
    names = {n.id: n.name for n in engine.get(engine.manifest())}
    return {(names[e.source], names[e.target]) for e in engine.edges(names) if e.type == "mentions"}


def test_langchain_s_index_keeps_a_document_index_in_step_with_its_source():
    destination = FourfoldDocumentIndex()
    records = InMemoryRecordManager("test")
    records.create_schema()

    def run(documents, cleanup="incremental"):
        return index(documents, records, destination, cleanup=cleanup, source_id_key="source", key_encoder="sha256")

    assert run(PAGES)["num_added"] == 3
    assert run(PAGES) == {"num_added": 0, "num_updated": 0, "num_skipped": 3, "num_deleted": 0}
    assert mentions(destination) == {("Ann", "New York (city)")}
    changed = [Document(page_content="Ann has moved.", metadata=PAGES[0].metadata), *PAGES[1:]]
    result = run(changed)
    assert (result["num_added"], result["num_deleted"]) == (1, 1)
    assert mentions(destination) == set()
    assert run(changed[:1], cleanup="full")["num_deleted"] == 2
    assert [d.page_content for d in destination.invoke("Ann")] == ["Ann has moved."]


def test_delete_by_source():
    destination = FourfoldDocumentIndex()
    destination.upsert(PAGES)
    assert destination.delete(sources=["people"])["num_deleted"] == 2
    assert len(destination.retriever) == 1


def test_documents_that_name_each_other_are_linked():
    assert mentions(FourfoldRetriever.from_documents(PAGES)) == {("Ann", "New York (city)")}


def test_graph_documents_bring_entities_relations_and_their_source():
    def entity(identity, kind, **properties):
        return SimpleNamespace(id=identity, type=kind, properties=properties)

    ann, city = entity("Ann", "Person", age=40), entity("NYC", "City", name="New York")
    graph = SimpleNamespace(
        nodes=[ann, city],
        relationships=[SimpleNamespace(source=ann, target=city, type="LIVES_IN", properties={})],
        source=Document(id="p", page_content="Ann lives in New York."),
    )
    destination = FourfoldDocumentIndex()
    destination.add_graph_documents([graph])
    engine = destination.retriever
    assert {(e.source, e.type, e.target) for e in engine.edges(["Ann", "NYC"])} == {
        ("Ann", "LIVES_IN", "NYC"), ("p", "mentions", "Ann"), ("p", "mentions", "NYC"),
    }  # fmt: skip
    assert engine.get(["NYC"])[0].name == "New York" and engine.get(["Ann"])[0].metadata == {"age": 40}


def found_in(source=None, nodes=(), relations=()):
    def entity(identity, kind="Node", **properties):
        return SimpleNamespace(id=identity, type=kind, properties=properties)

    return SimpleNamespace(
        nodes=[entity(*given[:2], **given[2]) for given in nodes],
        relationships=[
            SimpleNamespace(source=entity(source), target=entity(target), type=kind, properties={})
            for source, kind, target in relations
        ],
        source=source,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"nodes": [("Ann", "Person", {}), ("Bo", "Person", {"born": print})]},
        {"nodes": [("", "Person", {})]},
        {"nodes": [("Ann", 3, {})]},
        {"relations": [("Ann", None, "Bo")]},
    ],
)
def test_graph_documents_that_cannot_be_stored_leave_nothing_behind(wrong):
    """Their source was written before the entities were looked at."""
    destination = FourfoldDocumentIndex()
    with pytest.raises(InvalidValueError):
        destination.add_graph_documents([found_in(Document(id="p", page_content="Ann knows Bo."), **wrong)])
    assert not len(destination.retriever)


def test_an_entity_found_again_keeps_what_was_known_of_it():
    ann = ("Ann", "Person", {"description": "A builder of boats.", "name": "Ann Lee", "born": 1950})
    again = found_in(nodes=[("Ann", "Person", {"born": 1951})], relations=[("Ann", "LIVES_IN", "Oslo")])
    city = found_in(nodes=[("Oslo", "City", {"description": "The capital of Norway."})])
    for calls in ([[found_in(nodes=[ann])], [again], [city], [again]], [[found_in(nodes=[ann]), again, city, again]]):
        destination = FourfoldDocumentIndex(k=1)
        for graphs in calls:
            destination.add_graph_documents(graphs)
        known, oslo = destination.retriever.get(["Ann", "Oslo"])
        assert (known.name, known.type, known.text) == ("Ann Lee", "Person", "A builder of boats.")
        assert known.metadata == {"description": "A builder of boats.", "name": "Ann Lee", "born": 1951}
        assert (oslo.type, oslo.text) == ("City", "The capital of Norway.")
        assert destination.invoke("who builds boats")[0].id == "Ann"


def test_an_entity_with_the_id_of_a_document_leaves_its_text():
    destination = FourfoldDocumentIndex()
    destination.upsert([Document(id="Ann", page_content="Ann builds boats.", metadata={"lang": "en"})])
    destination.add_graph_documents([found_in(nodes=[("Ann", "Person", {"born": 1950})])])
    [document] = destination.get(["Ann"])
    assert document.page_content == "Ann builds boats." and document.metadata == {"lang": "en", "born": 1950}


def test_chunks_in_which_entities_were_found_stay_joined():
    chunks = [
        Document(id=f"c{place}", page_content=text, metadata={"source": "boats.md", "start_index": 20 * place})
        for place, text in enumerate(["Ann founded it.", "It builds boats.", "They float."])
    ]
    graphs = [found_in(chunk, nodes=[("Ann", "Person", {})]) for chunk in chunks]
    alone, beside = FourfoldDocumentIndex(), FourfoldDocumentIndex()
    beside.upsert(chunks)
    for destination in (alone, beside):
        destination.add_graph_documents(graphs)
        assert [document.id for document in destination.context("c1")] == ["c0", "c1", "c2"]
        mentioned = {e.source for e in destination.retriever.edges(["Ann"]) if e.type == "mentions"}
        assert mentioned == {"c0", "c1", "c2"}


def vectorstore(kind, embeddings):
    if kind == "memory":
        return InMemoryVectorStore.from_documents(PAGES, embeddings)
    pytest.importorskip("faiss")
    from langchain_community.vectorstores import FAISS

    return FAISS.from_documents(PAGES, embeddings)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", ["memory", "faiss"])
def test_a_vector_store_is_taken_over_without_embedding_again(kind):
    embeddings = Counting()
    store = vectorstore(kind, embeddings)
    before = embeddings.documents
    retriever = FourfoldRetriever.from_vectorstore(store)
    assert embeddings.documents == before
    assert mentions(retriever) == {("Ann", "New York (city)")}
    query = PAGES[2].page_content
    old = store.similarity_search(query, k=1)[0]
    (new,) = retriever.invoke(query, k=1, mode="embedding")
    assert new.page_content == old.page_content == query and new.id == old.id
    assert new.metadata["title"] == "Bob"


def test_some_ids_of_a_store_that_cannot_list_what_it_holds():
    class Opaque(InMemoryVectorStore.__mro__[1]):
        def __init__(self, inner):
            self.inner = inner

        embeddings = property(lambda self: self.inner.embeddings)

        def get_by_ids(self, ids, /):
            return self.inner.get_by_ids(ids)

        def similarity_search(self, query, k=4, **options):
            return self.inner.similarity_search(query, k)

        @classmethod
        def from_texts(cls, *given, **named):
            raise NotImplementedError

    inner = InMemoryVectorStore.from_documents(PAGES, Counting(), ids=["a", "b", "c"])
    with pytest.raises(ValueError, match="give ids="):
        FourfoldRetriever.from_vectorstore(Opaque(inner))
    assert len(FourfoldRetriever.from_vectorstore(Opaque(inner), ids=["a", "c"]).retriever) == 2
    inner.add_texts(["A page of its own."], ids=["page"])
    for store in (inner, Opaque(inner)):  # a string is one id
        assert list(FourfoldRetriever.from_vectorstore(store, ids="page").retriever.manifest()) == ["page"]
