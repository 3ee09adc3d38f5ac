"""Documents and texts become nodes, and come back as they were."""

import datetime
import uuid
from pathlib import Path

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever, FourfoldVectorStore, LangChainEmbedder

import fourfold
from fourfold import Edge, Retriever


def by_id(retriever, query="text", **options):
    return {document.id: document for document in retriever.invoke(query, k=99, **options)}


def test_documents_come_back_with_id_content_and_metadata():
    documents = [
        Document(id="a", page_content="A text.\nTwo lines.", metadata={"title": "First", "n": 1, "tags": ["x"]}),
        Document(id="b", page_content="Another text", metadata={"nested": {"deep": None}, "ok": True}),
    ]
    found = by_id(FourfoldRetriever.from_documents(documents))
    for document in documents:
        back = found[document.id]
        assert back.page_content == document.page_content
        assert {k: v for k, v in back.metadata.items() if k not in ("score", "fourfold")} == document.metadata


def test_a_document_without_id_gets_one_from_its_content(tmp_path):
    documents = [
        Document(page_content="same text", metadata={"page": 1, "lang": "en"}),
        Document(page_content="same text", metadata={"page": 2, "lang": "en"}),
        Document(page_content="same text", metadata={"lang": "en", "page": 1}),  # the first one again
    ]
    path = tmp_path / "docs.sqlite"
    first = FourfoldRetriever.from_documents(documents, path=path)
    assert len(first.retriever) == 2
    ids = set(by_id(first))
    again = FourfoldRetriever.from_documents(documents, path=path)
    assert len(again.retriever) == 2
    assert set(by_id(again)) == ids
    assert all(len(identity) == 32 for identity in ids)


def test_from_texts_keeps_ids_where_there_are_some():
    retriever = FourfoldRetriever.from_texts(["a text", "b text"], [{"n": 1}, None], ["a", None], k=5)
    found = by_id(retriever)
    assert found["a"].metadata["n"] == 1
    assert len(found) == 2
    assert retriever.k == 5


@pytest.mark.parametrize("columns", [{"metadatas": [{}]}, {"ids": ["a", "b", "c"]}])
def test_from_texts_with_columns_of_another_length(columns):
    with pytest.raises(fourfold.InvalidValueError, match="There are 2 texts and"):
        FourfoldRetriever.from_texts(["a", "b"], **columns)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (Document(id="a", page_content="text"), r"documents is one Document, 'a'; give a list of documents"),
        (None, "documents is None; it must be a list of documents"),
        ("text", "documents is 'text'; it must be a list of documents"),
    ],
)
def test_what_is_no_list_of_documents_is_refused_with_a_sentence(given, match):
    for take in (
        FourfoldRetriever.from_documents,
        FourfoldVectorStore().add_documents,
        lambda some: FourfoldVectorStore().add_documents(some, ids=["a"]),
        FourfoldDocumentIndex().upsert,
    ):
        with pytest.raises(fourfold.InvalidValueError, match=match):
            take(given)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ({"texts": None}, "texts is None; it must be a list of texts"),
        ({"texts": ["a", 5]}, "a text is 5; it must be a string"),
        ({"texts": ["a"], "metadatas": 5}, "metadatas is 5; it must be a list of metadatas"),
        ({"texts": ["a"], "metadatas": ["lang"]}, "The metadata of 'a' is 'lang'; it must be a mapping"),
        ({"texts": ["a"], "ids": "a"}, "ids is 'a'; it must be a list of ids"),
    ],
)
def test_what_is_no_list_of_texts_is_refused_with_a_sentence(columns, match):
    for take in (FourfoldRetriever.from_texts, FourfoldVectorStore().add_texts):
        with pytest.raises(fourfold.InvalidValueError, match=match):
            take(**columns)


def test_titles_become_names():
    document = Document(id="a", page_content="text", metadata={"title": "The title", "name": "n", "heading": "h"})
    untitled = Document(id="b", page_content="text", metadata={"title": 7, "name": "by name"})

    def names(**options):
        graph = FourfoldRetriever.from_documents([document, untitled], **options).retriever
        return [node.name for node in graph.get(["a", "b"])]

    assert names() == ["The title", "by name"]
    assert names(name_key="title") == ["The title", ""]
    assert names(name_key=["heading", "name"]) == ["h", "by name"]
    assert names(name_key=None) == ["", ""]
    with pytest.raises(fourfold.InvalidValueError, match="name_key is 7; it must be a list of strings"):
        names(name_key=7)


def test_edges_between_documents_count():
    documents = [Document(id=i, page_content=t) for i, t in (("a", "alpha"), ("b", "beta"), ("c", "gamma"))]
    retriever = FourfoldRetriever.from_documents(documents, edges=[Edge("a", "c", "requires")])
    assert by_id(retriever, "alpha")["c"].metadata["fourfold"]["components"]["graph"] > 0


def test_metadata_that_is_no_json_becomes_json():
    when = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
    metadata = {
        "when": when,
        "day": datetime.date(2024, 5, 1),
        "path": Path("a/b"),
        "uuid": uuid.UUID(int=1),
        "tags": ("x", "y"),
        "score_of": np.float32(0.5),
        "vector": np.arange(2),
    }
    retriever = FourfoldRetriever.from_texts(["text"], [metadata], ["a"])
    kept = by_id(retriever)["a"].metadata
    assert kept["when"] == "2024-05-01T00:00:00Z"
    assert (kept["day"], kept["path"], kept["tags"]) == ("2024-05-01", "a/b", ["x", "y"])
    assert (kept["score_of"], kept["vector"]) == (0.5, [0, 1])
    later = when + datetime.timedelta(days=1)
    assert retriever.invoke("text", filter={"when": {"$lt": later}})
    assert not retriever.invoke("text", filter={"when": {"$gt": later}})


@pytest.mark.parametrize("value", [object(), float("nan"), {"deep": [object()]}])
def test_metadata_that_cannot_become_json(value):
    with pytest.raises(fourfold.InvalidValueError, match="metadata of the document 'a'"):
        FourfoldRetriever.from_texts(["text"], [{"bad": value}], ["a"])


def test_metadata_of_another_adapter_is_not_shown():
    retriever = FourfoldRetriever.from_texts(["text"], [{"_fourfold": {"class": "TextNode"}, "lang": "en"}])
    assert set(retriever.invoke("text")[0].metadata) == {"lang", "score", "fourfold"}


def test_no_documents_at_all():
    assert FourfoldRetriever.from_documents([]).invoke("anything") == []


# -- embeddings -------------------------------------------------------------------------------------------------------


class Letters(Embeddings):
    """Counts letters; queries are told from documents by a third number."""

    def __init__(self, model="letters-1"):
        self.model = model

    def embed_documents(self, texts):
        return [[text.count("a"), text.count("b"), 0.0] for text in texts]

    def embed_query(self, text):
        return [text.count("a"), text.count("b"), 1.0]


def test_langchain_embeddings_make_the_vectors_of_documents_and_of_queries():
    retriever = FourfoldRetriever.from_texts(["aaa", "bbb"], ids=["a", "b"], embeddings=Letters())
    embedder = retriever.retriever.embedder
    assert isinstance(embedder, LangChainEmbedder)
    assert embedder.name == "langchain:Letters:letters-1"
    assert embedder.embed_query("ab").tolist() == [1, 1, 1]
    assert embedder.embed_documents(["ab"]).tolist() == [[1, 1, 0]]
    assert retriever.invoke("bb", mode="embedding")[0].id == "b"
    assert retriever._get_ls_params()["ls_embedding_provider"] == "Letters"
    assert retriever._get_ls_params()["ls_embedding_model"] == "langchain:Letters:letters-1"


def test_the_embedder_is_part_of_the_file(tmp_path):
    path = tmp_path / "kg.sqlite"
    FourfoldRetriever.from_texts(["aaa"], path=path, embeddings=Letters()).retriever.close()
    with pytest.raises(fourfold.EmbedderMismatchError, match="letters-1.*letters-2"):
        FourfoldRetriever(path=path, embedder=Letters("letters-2"))
    assert FourfoldRetriever(path=path, embedder=Letters()).invoke("a")


def test_embedder_and_embeddings_are_one_argument():
    assert FourfoldRetriever.from_texts(["aaa"], embedder=Letters()).retriever.embedder.name.startswith("langchain:")
    with pytest.raises(fourfold.InvalidValueError, match="two names"):
        FourfoldRetriever.from_texts(["aaa"], embedder=Letters(), embeddings=Letters())


def test_a_class_that_does_not_tell_its_model_can_be_named():
    assert LangChainEmbedder(DeterministicFakeEmbedding(size=3)).name == "langchain:DeterministicFakeEmbedding"
    named = LangChainEmbedder(DeterministicFakeEmbedding(size=3), name="mine")
    assert FourfoldRetriever.from_texts(["text"], embedder=named).retriever.info()["embedder"] == "mine"


def test_failing_embeddings_leave_text_and_say_so():
    class Failing(Letters):
        def embed_query(self, text):
            raise TimeoutError("no answer")

    retriever = FourfoldRetriever.from_texts(["aaa", "bbb"], embeddings=Failing())
    [document] = retriever.invoke("aaa")
    assert document.metadata["fourfold"]["degraded"] == ["embedding"]


def test_a_callable_is_an_embedder_as_in_the_core():
    retriever = FourfoldRetriever(embedder=lambda texts: [[1.0, 2.0] for _ in texts])
    retriever.retriever.add([fourfold.Node(id="a", text="text")])
    assert retriever.retriever.info()["dimensions"] == 2


def test_two_retrievers_over_one_file_see_each_others_writes(tmp_path):
    path = tmp_path / "kg.sqlite"
    first = FourfoldRetriever.from_texts(["old text"], path=path)
    with Retriever(path) as second:
        second.add([fourfold.Node(id="new", text="new text")])
    assert "new" in by_id(first)


def test_nothing_is_written_where_one_document_cannot_be():
    store = FourfoldVectorStore()
    with pytest.raises(fourfold.InvalidValueError, match="node 'bad' holds a lone surrogate"):
        store.add_documents([Document(id="ok", page_content="good"), Document(id="bad", page_content="bad \ud800")])
    assert not len(store.retriever)


def test_a_document_that_became_empty_replaces_the_old_one():
    store = FourfoldVectorStore()
    store.add_documents([Document(id="x", page_content="the password is swordfish", metadata={"v": 1})])
    store.add_documents([Document(id="x", page_content="", metadata={"v": 2})])
    assert store.get_by_ids(["x"]) == [Document(id="x", page_content="", metadata={"v": 2})]


def test_a_string_alone_is_one_id():
    store = FourfoldVectorStore()
    store.add_documents([Document(id=name, page_content=f"text {name}") for name in ("1", "2", "12")])
    store.delete("12")
    index = FourfoldDocumentIndex(retriever=store.retriever)
    assert index.delete("2")["succeeded"] == ["2"]
    assert list(store.retriever.manifest()) == ["1"]
