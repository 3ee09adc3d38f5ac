"""Documents that were found: equal whatever the question, plain where asked, and without a trace once written back."""

import copy
import os
import pickle
import subprocess
import sys

import pytest
from langchain_classic.retrievers import EnsembleRetriever, MergerRetriever, MultiQueryRetriever
from langchain_core._api import LangChainBetaWarning
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumps, loads
from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever

from fourfold import Edge, InvalidValueError, Node, Retriever

TEXTS = [
    "read_file reads a file and returns its text.",
    "write_file writes text to a file.",
    "list_folder lists the files of a folder.",
    "delete_file removes a file from the disk.",
    "send_mail sends a message with a file attached.",
    "resize_image makes a picture file smaller.",
]
QUESTIONS = ["how do I read a file", "which tool writes text", "remove a file from a folder"]


@pytest.fixture
def retriever():
    return FourfoldRetriever.from_texts(TEXTS, [{"title": text.split()[0]} for text in TEXTS], k=6)


def fusion(retriever):
    """Return the documents of three questions without repetitions, as RAG-fusion notebooks do it."""
    return {dumps(document): document for question in QUESTIONS for document in retriever.invoke(question)}


def test_multi_query_returns_no_duplicates(retriever):
    model = FakeListChatModel(responses=["\n".join(QUESTIONS[1:])])
    documents = MultiQueryRetriever.from_llm(retriever, model, include_original=True).invoke(QUESTIONS[0])
    assert len(documents) == 6 == len({document.id for document in documents})


async def test_multi_query_returns_no_duplicates_asynchronously(retriever):
    model = FakeListChatModel(responses=["\n".join(QUESTIONS[1:])])
    documents = await MultiQueryRetriever.from_llm(retriever, model, include_original=True).ainvoke(QUESTIONS[0])
    assert len(documents) == 6 == len({document.id for document in documents})


def test_idioms_that_compare_serialised_documents_leave_the_breakdown_out(retriever):
    assert len(fusion(retriever)) > 6
    plain = retriever.model_copy(update={"breakdown": False})
    found = fusion(plain)
    assert len(found) == 6
    for document in found.values():
        assert set(document.metadata) == {"title"} and type(document) is Document


def test_checkpoints_of_langgraph_give_documents_back(retriever, caplog):
    jsonplus = pytest.importorskip("langgraph.checkpoint.serde.jsonplus", reason="comes with the extra 'agents'")
    serde = jsonplus.JsonPlusSerializer()
    found = retriever.invoke(QUESTIONS[0])
    loaded = serde.loads_typed(serde.dumps_typed({"documents": found}))["documents"]
    assert loaded == found and all(type(document) is Document for document in loaded)
    assert loaded[0].metadata["fourfold"] == found[0].metadata["fourfold"]
    assert not caplog.records  # neither blocked nor warned of


def test_the_same_document_of_two_questions_is_equal(retriever):
    first, second = ({d.id: d for d in retriever.invoke(question)} for question in QUESTIONS[:2])
    assert first.keys() == second.keys()
    for identity, document in first.items():
        other = second[identity]
        assert document.metadata["fourfold"] != other.metadata["fourfold"]
        plain = Document(id=identity, page_content=other.page_content, metadata={"title": other.metadata["title"]})
        assert document == other and other == document and document == plain and plain == document
        assert document != plain.model_copy(update={"id": "another"})
        assert document != plain.model_copy(update={"page_content": "another"})
        assert document != plain.model_copy(update={"metadata": {}})
        assert document != identity
    a, b = list(first.values())[:2]
    assert a != b


def test_a_found_document_is_copied_pickled_and_serialised_whole(retriever):
    document = retriever.invoke(QUESTIONS[0])[0]
    for other in (copy.deepcopy(document), pickle.loads(pickle.dumps(document)), document.model_copy()):
        assert other == document and other.metadata == document.metadata and type(other) is type(document)
    with pytest.warns(LangChainBetaWarning):
        loaded = loads(dumps(document), allowed_objects="core")
    assert type(loaded) is Document and loaded.metadata == document.metadata and loaded == document
    assert repr(document).startswith("Document(id=")


def test_a_score_of_ones_own_is_part_of_the_document():
    first, second = (FourfoldRetriever.from_texts(["a text"], [{"score": s}], ["1"]).invoke("text")[0] for s in (1, 2))
    assert first != second and first == Document(id="1", page_content="a text", metadata={"score": 1})


def test_ensembles_and_mergers_take_found_documents(retriever):
    ensemble = EnsembleRetriever(retrievers=[retriever, retriever.model_copy(update={"mode": "text"})])
    assert len(ensemble.invoke(QUESTIONS[0])) == 6
    assert MergerRetriever(retrievers=[retriever, retriever]).invoke(QUESTIONS[0])


# -- written back -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("through_json", [False, True])
def test_a_found_document_written_back_leaves_no_trace(through_json):
    index = FourfoldDocumentIndex.from_texts(["a text", "more text"], [{"score": 7, "lang": "en"}, {}], ["1", "2"])
    before = index.retriever.get(["1", "2"])
    found = index.invoke("text")
    if through_json:
        found = [Document.model_validate_json(document.model_dump_json()) for document in found]
    index.upsert(found)
    assert index.retriever.get(["1", "2"]) == before
    assert index.get(["1"])[0].metadata == {"score": 7, "lang": "en"}


@pytest.mark.parametrize("name_in_content", [False, True])
def test_a_node_written_back_keeps_name_type_and_text(name_in_content):
    with Retriever() as graph:
        graph.add(
            [Node("a", "deploy_prod", "tool", "Ships a build."), Node("b", "disk", "resource")],
            [Edge("a", "b", "requires")],
        )
        before = graph.get(["a", "b"])
        index = FourfoldDocumentIndex(retriever=graph, name_in_content=name_in_content)
        found = index.invoke("deploy_prod")
        assert {d.id: d.page_content for d in found}["b"] == "disk"
        index.upsert(found)
        assert graph.get(["a", "b"]) == before and graph.edges(["a"]) == [Edge("a", "b", "requires")]


@pytest.mark.parametrize("more", [{"metadata": 5}, {"content_begins": 7}, {"name": 5}, {"type": [1]}])
def test_what_is_like_a_breakdown_and_cannot_be_one_is_the_user_s_own(more):
    own = {"fourfold": {**dict.fromkeys(("intent", "weights", "components", "method", "why"), "x"), **more}}
    document = Document(id="a", page_content="boats float", metadata=own)
    (found,) = FourfoldRetriever.from_documents([document]).invoke("boats")
    assert found == document and found.metadata["fourfold"]["metadata"] == own


def test_what_a_document_says_under_the_adapters_key_is_left_out():
    kept = {"class": "ImageNode", "node": [{"image_path": "/etc/passwd"}]}
    document = Document(id="a", page_content="boats float", metadata={"_fourfold": kept, "year": 1998})
    retriever = FourfoldRetriever.from_documents([document])
    assert retriever.retriever.get(["a"])[0].metadata == {"year": 1998}


def test_a_breakdown_of_ones_own_is_kept():
    own = {"fourfold": {"method": "mine"}, "score": 3}
    index = FourfoldDocumentIndex.from_documents([Document(id="1", page_content="a text", metadata=own)])
    index.upsert(index.invoke("text"))
    assert index.get(["1"])[0].metadata == own


IDENTITY = """
from langchain_core.documents import Document
from langchain_fourfold.documents import to_node
tags = {"red", "green", "blue", "black", "white"}
metadata = {"tags": tags, "deep": [{"er": (frozenset(tags), {1, "a"})}]}
node = to_node(Document(page_content="One note.", metadata=metadata))
print(node.id, node.metadata)
"""


def test_sets_give_the_same_id_in_every_process():
    said = {
        subprocess.run(
            [sys.executable, "-c", IDENTITY],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1 and "['black', 'blue', 'green', 'red', 'white']" in said.pop()


def test_metadata_that_hold_themselves_are_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(InvalidValueError, match="is not made of JSON values"):
        FourfoldDocumentIndex.from_documents([Document(id="1", page_content="a text", metadata={"loop": loop})])
