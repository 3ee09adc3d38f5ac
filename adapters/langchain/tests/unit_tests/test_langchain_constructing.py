"""What a newcomer writes to construct the LangChain retriever opens a graph, or gets a sentence."""

from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fourfold import FourfoldEmbeddings, FourfoldRetriever, FourfoldVectorStore
from pydantic import ValidationError

from fourfold import InvalidValueError, Node, Retriever


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", text="Rome is the capital of Italy.")])
    return path


@pytest.mark.parametrize("kind", [str, Path])
def test_the_path_needs_no_name(file, kind):
    retriever = FourfoldRetriever(kind(file), k=1)
    assert [document.id for document in retriever.invoke("capital of Italy")] == ["a"]
    assert FourfoldRetriever.model_validate({"path": kind(file)}).path == retriever.path == str(file)


def test_nothing_but_the_path_stands_without_a_name(file):
    with pytest.raises(InvalidValueError, match="3 stands without a name; only the path does: k=…"):
        FourfoldRetriever(file, 3)
    with pytest.raises(ValidationError, match="path is an open Retriever; give it as retriever="), Retriever() as graph:
        FourfoldRetriever(graph)


@pytest.mark.parametrize("path", [None, 3, b"kg.sqlite", "", "a\x00b"])
def test_what_is_no_path_gets_a_sentence(path):
    with pytest.raises(ValidationError, match="1 validation error.*\n.*The path is .*; it must be the path of a file"):
        FourfoldRetriever(path)


@pytest.mark.parametrize("given", ["kg.sqlite", Path("kg.sqlite"), None])
def test_what_is_no_open_graph_gets_a_sentence(given):
    with pytest.raises(ValidationError, match="retriever is .*; it must be a fourfold.Retriever, such as Retriever"):
        FourfoldRetriever(retriever=given)


def _from_vectorstore(documents, **options):
    store = InMemoryVectorStore(FourfoldEmbeddings())
    store.add_documents(documents)
    return FourfoldRetriever.from_vectorstore(store, **options)


@pytest.mark.parametrize(
    "make", [FourfoldRetriever.from_documents, FourfoldVectorStore.from_documents, _from_vectorstore]
)
def test_a_graph_that_could_not_be_filled_is_closed_and_one_that_was_given_stays_open(tmp_path, make):
    bad = [Document(id="a", page_content="Rome", metadata={"n": object()})]
    with pytest.raises(InvalidValueError) as refused:
        make(bad, path=tmp_path / "kg.sqlite")
    assert refused and not (tmp_path / "kg.sqlite-wal").exists()
    with Retriever() as graph:
        with pytest.raises(InvalidValueError):
            make(bad, retriever=graph)
        assert len(graph) == 0
