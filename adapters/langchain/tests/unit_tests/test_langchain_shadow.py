"""Shadow mode: the old retriever answers as ever, Fourfold beside it, and the differences are told."""

import asyncio
import logging
import threading

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fourfold import FourfoldRetriever

from fourfold import FourfoldWarning

PAGES = [
    Document(id="0", page_content="Ann lives in New York.", metadata={"title": "Ann", "kind": "person"}),
    Document(id="1", page_content="A city.", metadata={"title": "New York (city)", "kind": "place"}),
    Document(id="2", page_content="Bob builds boats.", metadata={"title": "Bob", "kind": "person"}),
]


class Old(BaseRetriever):
    """Takes no options."""

    found: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.found


class OldWithK(Old):
    def _get_relevant_documents(self, query, *, run_manager, k=4, fetch=None):
        return self.found[:k]


class OldWithOptions(Old):
    asked: list = []

    def _get_relevant_documents(self, query, *, run_manager, **options):
        self.asked.append(options)
        return self.found


def shadowed(old, **fields):
    told = []
    return FourfoldRetriever.from_documents(PAGES, compare_with=old, on_comparison=told.append, **fields), told


async def test_the_old_retriever_answers_and_differences_are_logged(caplog):
    old = Old(found=[PAGES[1], Document(page_content="gone", id="gone")])
    retriever = FourfoldRetriever.from_documents(PAGES, compare_with=old, k=2)
    with caplog.at_level(logging.INFO, "langchain_fourfold.shadow"):
        assert retriever.invoke("Who builds boats?") == old.found
        assert await retriever.ainvoke("New York (city)") == old.found
    first, second = (record.comparison for record in caplog.records)
    assert first.gained[0][0] == "2" and "boats" in first.gained[0][1]
    assert "gone" in dict(first.lost) and "no node" in dict(first.lost)["gone"]
    assert second.shared == ("1",) and "of the first 2 in common" in str(second)


def test_comparisons_are_told_without_any_logging():
    retriever, told = shadowed(Old(found=PAGES))
    retriever.invoke("boats")
    [comparison] = told
    assert comparison.query == "boats" and comparison.overlap == 1


EVERY = {
    "k": 2,
    "filter": {"kind": "person"},
    "weights": {"text": 1.0},
    "intent": "debugging",
    "mode": "text",
    "min_score": 0.0,
    "group_by": "kind",
    "max_per_source": 3,
    "query_vector": [0.0] * 256,
}


@pytest.mark.parametrize("option", EVERY)
async def test_options_of_fourfold_do_not_reach_the_old_retriever(option):
    given = {option: EVERY[option]}
    for cls in (Old, OldWithK, OldWithOptions):
        old = cls(found=PAGES)
        retriever, told = shadowed(old)
        expected = PAGES[:2] if option == "k" else PAGES
        assert retriever.invoke("Who builds boats?", **given) == expected
        assert await retriever.ainvoke("Who builds boats?", verbose=True, **given) == expected
        assert len(told) == 2 and told[0].k == len(expected)
    assert old.asked == [{}, {}]


def test_options_of_the_old_retriever_reach_it():
    old = OldWithOptions(found=PAGES, asked=[])
    shadowed(old)[0].invoke("boats", fetch=7)
    assert old.asked == [{"fetch": 7}]


def test_a_vector_store_s_retriever_is_asked_in_its_own_words():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents(PAGES)
    retriever, told = shadowed(store.as_retriever(search_kwargs={"k": 2}))
    assert len(retriever.invoke("boats")) == 2 and told[-1].k == 2
    assert len(retriever.invoke("boats", k=1)) == 1 and told[-1].k == 1
    assert len(retriever.invoke("boats", filter={"kind": "person"})) == 2
    [only] = retriever.invoke("boats", filter=lambda document: document.metadata["kind"] == "place")
    assert only.id == "1" and told[-1].k == 1


def test_as_many_of_both_are_compared():
    many = [Document(id=f"old{n}", page_content=f"text {n}") for n in range(20)]
    retriever, told = shadowed(Old(found=many), k=2)
    assert len(retriever.invoke("Who builds boats?")) == 20
    assert (told[-1].k, len(told[-1].gained), len(told[-1].lost)) == (2, 2, 2)
    retriever, told = shadowed(Old(found=PAGES[:1]))
    retriever.invoke("Who builds boats?")
    assert (told[-1].k, len(told[-1].gained), len(told[-1].lost)) == (1, 1, 1)
    retriever, told = shadowed(Old(found=[]))
    retriever.invoke("Who builds boats?")
    assert len(told[-1].gained) == 3  # what only Fourfold found


def test_a_lost_document_is_explained_by_the_options_of_the_question():
    retriever, told = shadowed(Old(found=PAGES[1:2]))
    retriever.invoke("New York (city)", filter={"kind": "person"})
    alone = retriever.retriever.explain("New York (city)", "1", filter={"kind": "person"}).score
    assert dict(told[-1].lost)["1"].startswith(f"score {alone:.3f}")


class Meeting(Old):
    """Answers only while Fourfold is answering."""

    meeting: threading.Barrier

    model_config = {"arbitrary_types_allowed": True}

    def _get_relevant_documents(self, query, *, run_manager):
        self.meeting.wait()
        return self.found

    async def _aget_relevant_documents(self, query, *, run_manager):
        await asyncio.to_thread(self.meeting.wait)
        return self.found


async def test_both_answer_at_the_same_time():
    meeting = threading.Barrier(2, timeout=60)

    def embed(texts):
        if list(texts) == ["boats"]:
            meeting.wait()
        return [[1.0, float(len(text))] for text in texts]

    retriever, told = shadowed(Meeting(found=PAGES, meeting=meeting), embeddings=embed)
    assert retriever.invoke("boats") == PAGES
    retriever.retriever.maintenance.forget_answers()
    assert await retriever.ainvoke("boats") == PAGES
    assert len(told) == 2


async def test_a_failure_in_the_shadow_is_seen_and_does_not_reach_the_caller(caplog):
    retriever, told = shadowed(Old(found=PAGES))
    retriever.retriever.close()
    with pytest.warns(FourfoldWarning, match="answered 'boats'; Fourfold, in its shadow, failed: .*closed"):
        assert retriever.invoke("boats") == PAGES
    with pytest.warns(FourfoldWarning, match="in its shadow"):
        assert await retriever.ainvoke("boats") == PAGES
    assert "Fourfold failed on 'boats'" in caplog.text and told == []
    assert retriever.invoke("boats") == PAGES  # warnings are errors in tests


async def test_what_cannot_be_meant_fails_in_the_shadow_only():
    retriever, told = shadowed(Old(found=PAGES))
    for options in ({"k": 0}, {"weights": {"txet": 1}}, {"filter": {"kind": {"$near": 1}}}):
        with pytest.warns(FourfoldWarning, match="in its shadow"):
            assert retriever.invoke("boats", **options) == PAGES
    assert told == []


class Broken(Old):
    def _get_relevant_documents(self, query, *, run_manager):
        raise LookupError("the old one is down")


async def test_a_failure_of_the_old_retriever_is_the_caller_s():
    retriever, told = shadowed(Broken(found=[]))
    with pytest.raises(LookupError, match="down"):
        retriever.invoke("boats")
    with pytest.raises(LookupError, match="down"):
        await retriever.ainvoke("boats")
    assert told == []


def test_what_the_listener_raises_does_not_reach_the_caller():
    def listener(comparison):
        raise LookupError("nobody listens")

    retriever = FourfoldRetriever.from_documents(PAGES, compare_with=Old(found=PAGES), on_comparison=listener)
    with pytest.warns(FourfoldWarning, match=r"'boats'; on_comparison, .*, failed: nobody listens\.$"):
        assert retriever.invoke("boats") == PAGES


def test_the_old_retriever_answers_where_no_thread_can_be_started(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    retriever, told = shadowed(old := Old(found=[PAGES[2]]))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert retriever.invoke("Who builds boats?") == old.found
    assert told[0].shared[0] == "2"
