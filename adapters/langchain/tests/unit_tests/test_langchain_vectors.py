"""Vectors taken over from a vector store: whose they are is remembered, and no other model is asked over them."""

import sys
from contextlib import nullcontext

import chromadb
import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fourfold import FourfoldDocumentIndex, FourfoldEmbeddings, FourfoldRetriever, FourfoldVectorStore

from fourfold import EmbedderMismatchError, InvalidValueError, Node, Retriever

TEXTS = ["a text about files", "another text about folders", "a third about disks"]


class Counting(Embeddings):
    """Letters counted; ``asked`` holds every text that was embedded."""

    def __init__(self, model, letters="abcdefgh"):
        self.model, self.letters, self.asked = model, letters, []

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        self.asked.append(text)
        return [float(text.count(letter)) for letter in self.letters]


@pytest.fixture
def own():
    return Counting("own")


@pytest.fixture
def store(own):
    store = InMemoryVectorStore(own)
    store.add_texts(TEXTS, ids=["1", "2", "3"])
    own.asked.clear()
    return store


def in_memory(own, folder):
    return InMemoryVectorStore.from_texts(TEXTS, own, ids=["1", "2", "3"])


def in_faiss(own, folder):
    with pytest.warns(DeprecationWarning) if "langchain_community" not in sys.modules else nullcontext():
        from langchain_community.vectorstores import FAISS
    return FAISS.from_texts(TEXTS, own, ids=["1", "2", "3"])


def in_chroma(own, folder):
    settings = chromadb.Settings(anonymized_telemetry=False, is_persistent=True, persist_directory=str(folder))
    return Chroma.from_texts(TEXTS, own, ids=["1", "2", "3"], client_settings=settings)


def in_fourfold(own, folder):
    return FourfoldVectorStore.from_texts(TEXTS, own, ids=["1", "2", "3"])


@pytest.mark.parametrize("kind", [in_memory, in_faiss, in_chroma, in_fourfold])
def test_the_models_name_is_stored_and_another_is_refused(tmp_path, own, kind):
    path, store = tmp_path / "kg.sqlite", kind(own, tmp_path)
    own.asked.clear()
    taken = FourfoldDocumentIndex.from_vectorstore(store, path=path)
    assert [node.text for node in taken.retriever.get(["1", "2", "3"])] == TEXTS
    assert taken.retriever.vectors(["2"])["2"].tolist() == [float(TEXTS[1].count(letter)) for letter in own.letters]
    assert own.asked == [] and taken.retriever.info()["embedder"] == "langchain:Counting:own"
    taken.retriever.close()
    with pytest.raises(EmbedderMismatchError, match="langchain:Counting:own.*langchain:Counting:other"):
        FourfoldRetriever(path=path, embedder=Counting("other"))
    with pytest.raises(EmbedderMismatchError, match="langchain:Counting:own"):
        FourfoldRetriever(path=path).invoke("a text")  # nor the model that ships with Fourfold
    again = FourfoldDocumentIndex(path=path, embedder=own)
    again.upsert([Document(id="4", page_content="a new one")])
    assert own.asked == ["a new one"] and again.retriever.info()["vectors"] == 4
    assert again.invoke("a text about files", k=1)[0].id == "1" and own.asked[-1] == "a text about files"
    again.retriever.close()


def test_vectors_are_not_taken_into_a_file_of_another_model(tmp_path, store):
    path = tmp_path / "kg.sqlite"
    other = Counting("other")
    FourfoldRetriever.from_texts(["a first text"], path=path, embedder=other).retriever.close()
    with pytest.raises(EmbedderMismatchError, match="other.*own"):
        FourfoldRetriever.from_vectorstore(store, path=path)
    unknown = tmp_path / "unknown.sqlite"
    with Retriever(unknown) as retriever:
        retriever.add([Node("a", vector=[1.0] * 8)])
    with pytest.raises(EmbedderMismatchError, match="Nobody knows.*langchain:Counting:own"):
        FourfoldRetriever.from_vectorstore(store, path=unknown)


@pytest.mark.parametrize("name", ["embeddings", "embedder"])
def test_another_model_embeds_anew(store, own, name):
    other = Counting("other", "ijklmnop")
    taken = FourfoldRetriever.from_vectorstore(store, **{name: other})
    assert sorted(other.asked) == sorted(TEXTS)
    best = taken.invoke("another text about folders", mode="embedding", k=1)[0]
    assert best.id == "2" and best.metadata["fourfold"]["components"]["embedding"] == pytest.approx(1)
    assert own.asked == [] and taken.retriever.info()["embedder"] == "langchain:Counting:other"


def test_the_same_model_in_so_many_words_takes_the_vectors(store, own):
    taken = FourfoldRetriever.from_vectorstore(store, embeddings=own)
    assert own.asked == [] and taken.retriever.info()["vectors"] == 3
    equal = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    equal.add_texts(TEXTS)
    assert FourfoldRetriever.from_vectorstore(equal, embeddings=DeterministicFakeEmbedding(size=8)).invoke("a text")


def test_two_names_of_one_argument(store, own):
    with pytest.raises(ValueError, match="two names of one argument"):
        FourfoldRetriever.from_vectorstore(store, embeddings=own, embedder=own)


def test_an_open_graph_takes_what_is_its_own_models(store, own):
    with Retriever() as graph:
        FourfoldRetriever.from_vectorstore(store, retriever=graph)
        assert graph.info()["embedder"] == graph.embedder.name != "langchain:Counting:own"
        assert graph.search("folders", k=1).ids == ["2"]


def test_a_store_that_does_not_tell_its_model_is_embedded_anew(own):
    class Silent(InMemoryVectorStore):
        embeddings = None

    store = Silent(own)
    store.add_texts(TEXTS, ids=["1", "2", "3"])
    taken = FourfoldRetriever.from_vectorstore(store)
    assert taken.retriever.info()["embedder"] == taken.retriever.embedder.name
    assert taken.retriever.info()["dimensions"] == 256


def test_chunks_of_a_fourfold_store_are_taken_over_joined():
    cut = [Document(page_content=f"chunk {n}", metadata={"source": "a.md", "start_index": n}) for n in range(3)]
    taken = FourfoldRetriever.from_vectorstore(FourfoldVectorStore.from_documents(cut, None))
    assert len(taken.retriever) == 4 and sorted(
        d.page_content for d in taken.context(taken.invoke("chunk 1")[0], 9, 9)
    ) == [d.page_content for d in cut]


def test_vectors_of_the_model_of_fourfold_are_taken_over():
    """They were made again: only those of LangChain's own models were taken."""
    calls = []

    def embed(texts):
        calls.append(len(texts))
        return [[1.0, len(text)] for text in texts]

    store = InMemoryVectorStore(FourfoldEmbeddings(embed))
    store.add_documents([Document(page_content="a file", id="a"), Document(page_content="a folder", id="b")])
    assert len(FourfoldRetriever.from_vectorstore(store).retriever) == 2 and calls == [2]


def test_a_retriever_in_the_place_of_its_store_is_refused_with_where_the_store_is(own, tmp_path):
    """The sentence asked for ids or documents, which the store below has."""
    with pytest.raises(InvalidValueError, match=r"VectorStoreRetriever is a retriever.*give the store below it"):
        FourfoldRetriever.from_vectorstore(in_memory(own, tmp_path).as_retriever())
