"""The LangChain VectorStore: searches of every kind, and the wrappers that want one."""

import asyncio
import datetime
import json

import numpy as np
import pytest
from langchain_classic.chains.query_constructor.schema import AttributeInfo
from langchain_classic.retrievers import (
    EnsembleRetriever,
    MultiQueryRetriever,
    MultiVectorRetriever,
    ParentDocumentRetriever,
    SelfQueryRetriever,
    TimeWeightedVectorStoreRetriever,
)
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.stores import InMemoryStore
from langchain_core.structured_query import Comparison, Operation, StructuredQuery
from langchain_fourfold import FourfoldEmbeddings, FourfoldRetriever, FourfoldTranslator, FourfoldVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

import fourfold
from fourfold import Edge, Node, Retriever

DOCUMENTS = [
    Document(
        id="read", page_content="read_file reads a file and returns its text.", metadata={"lang": "en", "year": 2019}
    ),
    Document(id="write", page_content="write_file writes text to a file.", metadata={"lang": "en", "year": 2021}),
    Document(id="rome", page_content="Rome is the capital of Italy.", metadata={"lang": "en", "year": 2023}),
    Document(id="lire", page_content="lire lit un fichier (file).", metadata={"lang": "fr", "year": 2020}),
]


@pytest.fixture
def store():
    return FourfoldVectorStore.from_documents(DOCUMENTS, None)


def ids(documents):
    return [document.id for document in documents]


# -- searches ---------------------------------------------------------------------------------------------------------


def test_a_search_may_have_a_time_limit_and_a_reranker(store):
    def longest_first(query, texts):
        return [float(len(text)) for text in texts]

    retriever = store.as_retriever(search_kwargs={"k": 1, "rerank": longest_first})
    assert ids(retriever.invoke("Rome read_file")) == ["read"] and ids(store.similarity_search("Rome", k=1)) == ["rome"]
    assert ids(store.similarity_search("Italy", k=1, timeout=60)) == ["rome"]
    with pytest.raises(fourfold.InvalidValueError, match="timeout is 0"):
        store.similarity_search("Rome", timeout=0)


def test_documents_and_their_ids_may_be_any_iterables(store):
    given = store.add_documents((document for document in DOCUMENTS[:2]), ids=(name for name in ("a", "b")))
    assert given == ids(store.get_by_ids(["a", "b"])) == ["a", "b"]


def test_documents_are_plain_and_the_breakdown_is_there_on_demand(store):
    [best] = store.similarity_search("read a file", k=1)
    assert type(best) is Document and best.model_dump() == DOCUMENTS[0].model_dump()
    telling = FourfoldVectorStore(retriever=store.retriever, breakdown=True)
    [best] = telling.similarity_search("read a file", k=1)
    assert best == DOCUMENTS[0] and best.metadata["fourfold"]["why"]


@pytest.mark.parametrize(
    ("columns", "says"), [({"ids": ["1"]}, "2 texts and 1 ids"), ({"metadatas": [{}]}, "2 texts and 1 metadatas")]
)
def test_no_text_is_left_out_for_want_of_an_id(columns, says):
    store = FourfoldVectorStore()
    for add in (store.add_texts, lambda texts, **given: asyncio.run(store.aadd_texts(texts, **given))):
        with pytest.raises(fourfold.InvalidValueError, match=says):
            add(["one", "two"], **columns)
    with pytest.raises(fourfold.InvalidValueError, match=says):
        FourfoldVectorStore.from_texts(["one", "two"], **columns)
    assert store.similarity_search("one") == []


def test_texts_come_from_any_iterable_but_one_string():
    store = FourfoldVectorStore()
    assert store.add_texts((text for text in ("one", "two")), [{"n": 1}, {"n": 2}], ids=["1", "2"]) == ["1", "2"]
    assert asyncio.run(store.aadd_texts(iter(["three"]))) == ids(store.similarity_search("three", k=1))
    with pytest.raises(fourfold.InvalidValueError, match="'one' is one text; give a list of texts"):
        store.add_texts("one")
    assert len(store.similarity_search("one", k=9)) == 3


def test_the_four_signals_answer(store):
    store.retriever.add(
        [Node("disk", "disk", "resource")], [Edge("write", "disk", "requires"), Edge("read", "disk", "requires")]
    )
    expected = store.retriever.search("what does write_file need", k=3)
    found = store.similarity_search_with_score("what does write_file need", k=3)
    assert [(d.id, score) for d, score in found] == [(hit.node.id, hit.score) for hit in expected]
    assert "disk" in [d.id for d, _ in found] and {d.id: d.page_content for d, _ in found}["disk"] == "disk"


def test_options_and_filters(store):
    assert ids(store.similarity_search("file", k=4, filter={"lang": "fr"})) == ["lire"]
    assert "rome" not in ids(store.similarity_search("file", filter={"year": {"$lt": 2022}}))
    assert ids(store.similarity_search("capital of Italy", k=1, weights={"text": 1.0}, mode="text")) == ["rome"]
    with pytest.raises(fourfold.InvalidValueError, match="'fetch'.*k, filter, weights"):
        store.similarity_search("file", fetch=3)
    with pytest.raises(fourfold.FilterError, match=r"\$near"):
        store.similarity_search("file", filter={"lang": {"$near": 1}})


def test_as_retriever_by_similarity(store):
    assert ids(store.as_retriever(search_kwargs={"k": 2}).invoke("read a file"))[0] == "read"
    assert len(store.as_retriever(search_kwargs={"k": 2}).invoke("read a file", k=3)) == 3
    assert ids(store.as_retriever(search_kwargs={"filter": {"lang": "fr"}}).invoke("read a file")) == ["lire"]


def test_as_retriever_by_a_threshold(store):
    scores = {d.id: score for d, score in store.similarity_search_with_relevance_scores("read a file", k=4)}
    assert all(0 <= score <= 1 for score in scores.values())
    threshold = sorted(scores.values())[-2]
    by_score = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"k": 4, "score_threshold": threshold}
    )
    assert set(ids(by_score.invoke("read a file"))) == {id_ for id_, score in scores.items() if score >= threshold}


def test_as_retriever_by_marginal_relevance():
    texts = ["boats float on water", "boats float on water!", "boats float on water?", "trains run on rails"]
    vectors = {"q": [1, 0], texts[0]: [1, 0.1], texts[1]: [1, 0.11], texts[2]: [1, 0.12], texts[3]: [0.6, -0.8]}
    store = FourfoldVectorStore(lambda given: [vectors.get(text, [1, 0]) for text in given])
    store.add_texts(texts, ids=["a", "b", "c", "d"])
    assert set(ids(store.similarity_search("boats float", k=2))) <= {"a", "b", "c"}
    mmr = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "fetch_k": 4, "lambda_mult": 0.1})
    best, other = ids(mmr.invoke("boats float"))
    assert best in "abc" and other == "d"
    same = store.max_marginal_relevance_search("boats float", k=4, lambda_mult=1)
    assert ids(same) == ids(store.similarity_search("boats float", k=4))
    assert ids(store.max_marginal_relevance_search_by_vector([1, 0], k=2, lambda_mult=0.1))[1] == "d"
    assert len(store.max_marginal_relevance_search("boats", k=3, fetch_k=1)) == 3
    with pytest.raises(fourfold.InvalidValueError, match="lambda_mult is 2"):
        store.max_marginal_relevance_search("boats", lambda_mult=2)
    assert FourfoldVectorStore().max_marginal_relevance_search("boats") == []


def test_by_vector(store):
    vector = store.embeddings.embed_query("Rome is the capital of Italy.")
    [(best, score)] = store.similarity_search_with_score_by_vector(vector, k=1)
    assert best.id == "rome" and 0 < score <= 1 and ids(store.similarity_search_by_vector(vector, k=1)) == ["rome"]
    with pytest.raises(fourfold.DimensionError, match="2 dimensions"):
        store.similarity_search_by_vector([1.0, 2.0])


async def test_asynchronously(store):
    assert ids(await store.asimilarity_search("read a file", k=1)) == ["read"]
    assert ids(await store.amax_marginal_relevance_search("read a file", k=1)) == ["read"]
    assert ids(await store.as_retriever(search_kwargs={"k": 1}).ainvoke("read a file")) == ["read"]
    made = await FourfoldVectorStore.afrom_texts(["a text"], DeterministicFakeEmbedding(size=4))
    assert len(await made.asimilarity_search("text")) == 1


async def test_a_threshold_cuts_on_the_confidence_asynchronously_too(store):
    told = store.similarity_search_with_relevance_scores("read a file", k=4)
    assert await store.asimilarity_search_with_relevance_scores("read a file", k=4) == told
    assert [score for _, score in told] != [s for _, s in store.similarity_search_with_score("read a file", k=4)]
    sure = store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.25})
    assert sure.invoke("zxqv wkjh") == await sure.ainvoke("zxqv wkjh") == []
    assert sure.invoke("read a file") == await sure.ainvoke("read a file") != []


# -- making and keeping -----------------------------------------------------------------------------------------------


def test_a_file_is_opened_again_with_its_model(tmp_path):
    path, own = tmp_path / "kg.sqlite", DeterministicFakeEmbedding(size=8)
    with pytest.raises(fourfold.StoreError, match="There is no file"):
        FourfoldVectorStore(own, path=path, must_exist=True)
    made = FourfoldVectorStore.from_documents(DOCUMENTS, own, path=path)
    assert made.embeddings is own
    made.retriever.close()
    with pytest.raises(fourfold.EmbedderMismatchError, match="langchain:DeterministicFakeEmbedding"):
        FourfoldVectorStore(FourfoldEmbeddings(), path=path)
    again = FourfoldVectorStore(own, path=path, read_only=True)
    assert len(again.similarity_search("read a file")) == 4
    with pytest.raises(fourfold.StoreError, match="read-only"):
        again.add_texts(["more"])
    again.retriever.close()


def test_an_open_graph_is_shared():
    with Retriever() as graph:
        store = FourfoldVectorStore(retriever=graph)
        assert store.retriever is graph and isinstance(store.embeddings, FourfoldEmbeddings)
        for option in ({"path": "x"}, {"embedding": len}, {"config": fourfold.RetrievalConfig()}, {"read_only": True}):
            with pytest.raises(fourfold.InvalidValueError, match="belong to the retriever"):
                FourfoldVectorStore(retriever=graph, **option)
        for other in ("kg.sqlite", FourfoldRetriever(retriever=graph)):
            with pytest.raises(fourfold.InvalidValueError, match=r"retriever is .+; it must be a fourfold.Retriev"):
                FourfoldVectorStore(retriever=other)


def test_the_model_that_ships_with_fourfold_as_embeddings(store):
    embeddings = FourfoldEmbeddings()
    assert np.shape(embeddings.embed_documents(["a", "b"])) == (2, 256) and len(embeddings.embed_query("a")) == 256
    assert embeddings.model == store.embeddings.model == store.retriever.embedder.name
    assert FourfoldVectorStore(embeddings).retriever.embedder is embeddings.embedder


def test_ids_and_metadata_as_many_as_documents(store):
    with pytest.raises(ValueError, match="2 documents and 1 ids"):
        store.add_documents(DOCUMENTS[:2], ids=["1"])
    with pytest.raises(ValueError, match="2 texts and 1 metadatas"):
        store.add_texts(["a", "b"], [{}])
    original = [Document(page_content="x", metadata={"at": datetime.date(2020, 1, 2)})]
    [made] = store.add_documents(original)
    assert original[0].id is None and store.get_by_ids([made])[0].metadata == {"at": "2020-01-02"}


def test_delete_all(store):
    store.delete(["unknown"])
    assert len(store.retriever) == 4
    store.delete()
    assert len(store.retriever) == 0 and store.similarity_search("file") == []


def test_langchain_s_index_keeps_it_in_step_with_its_source(store):
    records = InMemoryRecordManager("test")
    records.create_schema()
    store.delete()

    def run(*documents):
        return index(documents, records, store, cleanup="full", source_id_key="lang", key_encoder="sha256")

    assert run(*DOCUMENTS)["num_added"] == 4
    assert run(*DOCUMENTS)["num_skipped"] == 4
    assert run(*DOCUMENTS[1:])["num_deleted"] == 1 and len(store.retriever) == 3


def test_taken_over_by_a_retriever_of_its_own(store):
    [best] = FourfoldRetriever(retriever=store.retriever).invoke("read a file", k=1)
    assert best.metadata["fourfold"]["intent"] and best == DOCUMENTS[0]


@pytest.mark.parametrize("given", ["kg.sqlite", ":memory:", "notes.db", "KG.SQLITE"])
def test_a_path_is_no_embedding_model(given):
    """A string that comes first is the model's name, and the graph of a path that stood there was in memory."""
    with pytest.raises(fourfold.InvalidValueError, match=rf"'{given}', a file and no .+ path='{given}'"):
        FourfoldVectorStore(given)
    with pytest.raises(fourfold.InvalidValueError, match="an address and no embedding model") as refused:
        FourfoldVectorStore("postgresql://me:hunter2@host/kg")
    assert "hunter2" not in str(refused.value)
    with Retriever() as graph, pytest.raises(fourfold.InvalidValueError, match="give it as retriever="):
        FourfoldVectorStore(graph)


# -- wrappers ---------------------------------------------------------------------------------------------------------


def test_parent_document_retriever(store):
    store.delete()
    parents = [
        Document(page_content="Boats float. " * 30 + "The red boat is called Ann.", metadata={"source": "boats.md"}),
        Document(page_content="Trains run on rails. " * 30, metadata={"source": "trains.md"}),
    ]
    retriever = ParentDocumentRetriever(
        vectorstore=store,
        docstore=InMemoryStore(),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=100, chunk_overlap=0),
    )
    retriever.add_documents(parents)
    best = retriever.invoke("what is the red boat called")[0]
    assert best.page_content == parents[0].page_content
    assert {e.type for e in store.retriever.edges(store.retriever.manifest())} >= {"followed_by", "part_of"}


def test_multi_vector_retriever(store):
    store.delete()
    retriever = MultiVectorRetriever(vectorstore=store, docstore=InMemoryStore(), id_key="doc_id")
    summaries = [
        ("a", "About boats that float."),
        ("a", "About the colours of boats."),
        ("b", "About trains on rails."),
    ]
    store.add_documents([Document(page_content=text, metadata={"doc_id": id_}) for id_, text in summaries])
    whole = {"a": Document(page_content="All of boats."), "b": Document(page_content="All of trains.")}
    retriever.docstore.mset(list(whole.items()))
    assert retriever.invoke("colours of boats")[0] == whole["a"]
    retriever.search_type = "mmr"
    assert set(d.page_content for d in retriever.invoke("trains on rails")) == {"All of boats.", "All of trains."}
    retriever.search_type, retriever.search_kwargs = "similarity_score_threshold", {"score_threshold": 0.0}
    assert retriever.invoke("trains on rails")[0] == whole["b"]


FIELDS = [AttributeInfo(name="lang", description="language", type="string")]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('eq("lang", "fr")', {"lire"}),
        ('ne("lang", "en")', {"lire"}),
        ('and(eq("lang", "en"), gt("year", 2020))', {"write", "rome"}),
        ('or(lt("year", 2020), gte("year", 2023))', {"read", "rome"}),
        ('not(lte("year", 2020))', {"write", "rome"}),
        ('in("year", [2019, 2020])', {"read", "lire"}),
        ('nin("year", [2019, 2020])', {"write", "rome"}),
        ('like("lang", "%F%")', {"lire"}),
        ('contain("lang", "e")', {"read", "write", "rome"}),
        ("NO_FILTER", {"read", "write", "rome", "lire"}),
    ],
)
def test_self_query_retriever(store, condition, expected):
    answer = "```json\n" + json.dumps({"query": "file", "filter": condition}) + "\n```"
    fields = [*FIELDS, AttributeInfo(name="year", description="year", type="integer")]
    retriever = SelfQueryRetriever.from_llm(
        FakeListLLM(responses=[answer]),
        store,
        "Texts",
        fields,
        structured_query_translator=FourfoldTranslator(),
        search_kwargs={"k": 10},
    )
    assert set(ids(retriever.invoke("anything"))) == expected


@pytest.mark.parametrize("query", ["", " "])
def test_a_self_query_that_leaves_a_filter_only(store, query):
    answer = "```json\n" + json.dumps({"query": query, "filter": 'gt("year", 2020)'}) + "\n```"
    field = AttributeInfo(name="year", description="year", type="integer")
    model, translator = FakeListLLM(responses=[answer]), FourfoldTranslator()
    retriever = SelfQueryRetriever.from_llm(model, store, "Texts", [field], structured_query_translator=translator)
    assert retriever.invoke("what came after 2020?") == [DOCUMENTS[1], DOCUMENTS[2]]
    late = {"year": {"$gt": 2018}}
    assert ids(store.similarity_search(query, k=2, filter=late)) == ["read", "write"]
    assert ids(store.similarity_search(query, filter=late, group_by="lang")) == ["read", "lire"]
    assert {score for _, score in store.similarity_search_with_score(query, filter=late)} == {0.0}
    assert len(store.max_marginal_relevance_search(query, k=3, filter=late)) == 3
    told = FourfoldVectorStore(retriever=store.retriever, breakdown=True).similarity_search(query, filter=late)
    assert "passes the filter" in told[0].metadata["fourfold"]["why"]
    for none in ({}, {"filter": {}}, {"filter": late, "min_score": 0.1}, {"filter": late, "min_confidence": 0.1}):
        assert store.similarity_search(query, **none) == []
    assert store.similarity_search_with_relevance_scores(query, filter=late, score_threshold=0.25) == []


def test_a_function_as_a_filter_is_refused_with_what_a_filter_is(store):
    retriever = FourfoldRetriever(retriever=store.retriever)
    for search in (store.similarity_search, lambda query, **options: retriever.invoke(query, **options)):
        with pytest.raises(fourfold.FilterError, match="A filter is a mapping of metadata keys to conditions, not <"):
            search("file", filter=lambda document: True)


def test_a_store_over_documents_or_texts_needs_no_model():
    made = FourfoldVectorStore.from_documents(DOCUMENTS)
    assert ids(made.similarity_search("the capital of Italy", k=1)) == ["rome"]
    assert ids(FourfoldVectorStore.from_documents(DOCUMENTS[:2], ids=["a", "b"]).get_by_ids(["b"])) == ["b"]
    later = asyncio.run(FourfoldVectorStore.afrom_documents(DOCUMENTS))
    assert later.get_by_ids(["lire"]) == DOCUMENTS[3:]
    texts = asyncio.run(FourfoldVectorStore.afrom_texts(["a text"], ids=["t"]))
    assert ids(texts.get_by_ids(["t"])) == ["t"]


def test_the_translator_alone():
    translator = FourfoldTranslator()

    def translated(filter, query="q"):
        return translator.visit_structured_query(StructuredQuery(query=query, filter=filter, limit=None))

    date = {"date": "2020-01-02", "type": "date"}
    assert translated(None) == ("q", {})
    assert translated(Comparison(comparator="lt", attribute="at", value=date)) == (
        "q",
        {"filter": {"at": {"$lt": "2020-01-02"}}},
    )
    time = {"datetime": "2020-01-02T10:00:00", "type": "datetime"}
    assert translated(Comparison(comparator="in", attribute="at", value=[date, time, "x"]))[1]["filter"] == {
        "at": {"$in": ["2020-01-02", "2020-01-02T10:00:00", "x"]}
    }
    two = [Comparison(comparator="eq", attribute=name, value=1) for name in "ab"]
    assert translated(Operation(operator="not", arguments=two))[1]["filter"] == {
        "$not": {"$or": [{"a": {"$eq": 1}}, {"b": {"$eq": 1}}]}
    }
    for value in ("a%b", 5):
        with pytest.raises(fourfold.FilterError, match="like on 'a' takes a text"):
            translated(Comparison(comparator="like", attribute="a", value=value))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('gt("at", "2020-01-02T10:00:00")', ["late"]),
        ('lte("at", 2020-01-02T10:00:00)', ["early", "noon"]),
        ('in("at", ["2020-01-02T10:00:00"])', ["noon"]),
        ('gte("at", 2020-01-03)', ["late"]),
    ],
)
def test_self_query_by_dates_and_times(condition, expected):
    times = {"early": (1, 9), "noon": (2, 10), "late": (3, 11)}
    store = FourfoldVectorStore.from_texts(
        ["a file", "a file", "a file"],
        metadatas=[{"at": datetime.datetime(2020, 1, day, hour)} for day, hour in times.values()],
        ids=list(times),
    )
    answer = "```json\n" + json.dumps({"query": "file", "filter": condition}) + "\n```"
    retriever = SelfQueryRetriever.from_llm(
        FakeListLLM(responses=[answer]),
        store,
        "Texts",
        [AttributeInfo(name="at", description="time", type="datetime")],
        structured_query_translator=FourfoldTranslator(),
    )
    assert sorted(ids(retriever.invoke("anything"))) == sorted(expected)


def test_multi_query_and_ensemble(store):
    retriever = store.as_retriever(search_kwargs={"k": 4})
    model = FakeListChatModel(responses=["write text\nread text"])
    assert len(MultiQueryRetriever.from_llm(retriever, model, include_original=True).invoke("a file")) == 4
    assert len(EnsembleRetriever(retrievers=[retriever, retriever]).invoke("a file")) == 4


def test_time_weighted_retriever(store):
    store.delete()
    retriever = TimeWeightedVectorStoreRetriever(vectorstore=store, decay_rate=0.01, k=1)
    retriever.add_documents(DOCUMENTS[:2])
    assert retriever.invoke("read a file")[0].page_content == DOCUMENTS[0].page_content


@pytest.mark.parametrize("wrong", [{"k": "a"}, {"k": None}, {"fetch_k": "a"}, {"fetch_k": -1}])
def test_numbers_of_documents_that_cannot_be_meant_are_told_by_their_names(wrong):
    ((name, value),) = wrong.items()
    store = FourfoldVectorStore.from_texts(["Read a file", "Write a file"])
    with pytest.raises(fourfold.InvalidValueError, match=f"^{name} is {value!r}; it must be a whole number"):
        store.max_marginal_relevance_search("a file", **wrong)


def test_it_is_shown_with_its_graph():
    assert repr(FourfoldVectorStore()) == "<FourfoldVectorStore ':memory:'>"
