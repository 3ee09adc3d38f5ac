"""The LangChain retriever: options, per call and by configuration, results, async, tracing."""

import asyncio
import copy
import json
import pickle
import threading

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import ConfigurableField
from langchain_core.tools import create_retriever_tool
from langchain_core.tracers.base import BaseTracer
from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever
from pydantic import ValidationError

import fourfold
from fourfold import Edge, Node, RetrievalConfig, Retriever, Weights

NODES = [
    Node(id="read", name="read_file", type="tool", text="Reads a file and returns its text.", metadata={"lang": "en"}),
    Node(id="write", name="write_file", type="tool", text="Writes text to a file.", metadata={"lang": "en", "size": 3}),
    Node(id="lire", name="lire", type="tool", text="Lit un fichier (file).", metadata={"lang": "fr"}),
    Node(id="disk", name="disk", type="resource", metadata={"lang": "en"}),
]
EDGES = [Edge("read", "disk", "requires"), Edge("write", "disk", "requires")]


@pytest.fixture(scope="module")
def graph():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield retriever


@pytest.fixture
def retriever(graph):
    return FourfoldRetriever(retriever=graph)


def ids(documents):
    return [document.id for document in documents]


# -- results ----------------------------------------------------------------------------------------------------------


def test_a_document_tells_what_its_score_is_made_of(graph, retriever):
    result = graph.search("read a file")
    documents = retriever.invoke("read a file")
    assert ids(documents) == result.ids
    for document, hit in zip(documents, result, strict=True):
        assert document.metadata["score"] == hit.score
        assert type(document.metadata["score"]) is float
        told = document.metadata["fourfold"]
        assert told["intent"] == result.intent
        assert told["weights"] == result.weights.as_dict()
        assert told["components"] == hit.components.as_dict()
        assert (told["method"], told["why"], told["community"]) == (hit.method, hit.why, hit.community)
        assert (told["name"], told["type"], told["degraded"]) == (hit.node.name, hit.node.type, [])
        assert document.metadata["lang"] == hit.node.metadata["lang"]


def test_the_metadata_is_plain_json(retriever):
    document = retriever.invoke("read a file")[0]
    assert json.loads(json.dumps(document.metadata)) == document.metadata
    assert type(document.metadata["fourfold"]["intent"]) is str
    leaves = [document.metadata["score"], *document.metadata["fourfold"]["components"].values()]
    assert all(type(leaf) is float for leaf in leaves)
    assert Document.model_validate_json(document.model_dump_json()) == document


def test_results_are_fresh_on_every_call(retriever):
    first = retriever.invoke("read a file")[0]
    first.metadata["fourfold"]["weights"]["text"] = 99
    first.metadata.clear()
    assert retriever.invoke("read a file")[0].metadata["fourfold"]["weights"]["text"] != 99


def test_a_node_without_text_shows_its_name(retriever):
    assert {d.id: d.page_content for d in retriever.invoke("disk")}["disk"] == "disk"


def test_name_in_content(graph):
    documents = FourfoldRetriever(retriever=graph, name_in_content=True).invoke("write_file")
    assert documents[0].page_content == "write_file\nWrites text to a file."
    assert FourfoldRetriever(retriever=graph).invoke("write_file")[0].page_content == "Writes text to a file."


def test_own_score_and_fourfold_keys_are_kept_inside_the_breakdown():
    own = {"score": 7, "fourfold": "mine", "lang": "en"}
    retriever = FourfoldRetriever.from_texts(["one text"], [own])
    metadata = retriever.invoke("text")[0].metadata
    assert metadata["fourfold"]["metadata"] == {"score": 7, "fourfold": "mine"}
    assert 0 < metadata["score"] <= 1
    assert retriever.invoke("text", filter={"score": 7})


# -- options ----------------------------------------------------------------------------------------------------------


def test_k_per_call_and_as_a_field(graph, retriever):
    assert len(retriever.invoke("file", k=1)) == 1
    assert len(FourfoldRetriever(retriever=graph, k=2).invoke("file")) == 2
    assert len(FourfoldRetriever(retriever=graph, k=2).invoke("file", k=3)) == 3
    assert len(retriever.invoke("file")) <= RetrievalConfig().limit


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "3"])
def test_a_k_that_cannot_be_meant(graph, retriever, k):
    with pytest.raises(ValidationError, match="whole number of at least 1"):
        FourfoldRetriever(retriever=graph, k=k)
    with pytest.raises(ValueError, match="whole number of at least 1"):
        retriever.invoke("file", k=k)


def test_filter_per_call_replaces_the_field_and_an_empty_one_lifts_it(graph):
    french = FourfoldRetriever(retriever=graph, filter={"lang": "fr"})
    assert ids(french.invoke("file")) == ["lire"]
    assert "lire" not in ids(french.invoke("file", filter={"lang": "en"}))
    assert {"lire", "read"} <= set(ids(french.invoke("file", filter={})))


def test_a_filter_that_cannot_be_read(graph, retriever):
    with pytest.raises(ValidationError, match=r"\$near"):
        FourfoldRetriever(retriever=graph, filter={"lang": {"$near": 1}})
    with pytest.raises(fourfold.FilterError, match=r"\$near"):
        retriever.invoke("file", filter={"lang": {"$near": 1}})


def test_weights_per_call_and_as_a_field(graph, retriever):
    only_text = {"embedding": 0.0, "text": 1.0, "graph": 0.0, "intent": 0.0}
    for documents in (
        retriever.invoke("file", weights=only_text),
        retriever.invoke("file", weights=Weights(0, 1, 0, 0)),
        FourfoldRetriever(retriever=graph, weights=only_text).invoke("file"),
        FourfoldRetriever(retriever=graph, weights=Weights(0, 1, 0, 0)).invoke("file"),
    ):
        assert documents[0].metadata["fourfold"]["weights"] == only_text
    with pytest.raises(ValueError, match="-1"):
        retriever.invoke("file", weights={"text": -1})
    with pytest.raises(ValueError, match="txet"):
        retriever.invoke("file", weights={"txet": 1})


def test_intent_per_call_and_as_a_field(graph, retriever):
    def intent(documents):
        return documents[0].metadata["fourfold"]["intent"]

    assert intent(retriever.invoke("file", intent="debugging")) == "debugging"
    assert intent(retriever.invoke("file", intent=fourfold.Intent.WORKFLOW)) == "workflow"
    assert intent(FourfoldRetriever(retriever=graph, intent="comparison").invoke("file")) == "comparison"
    with pytest.raises(ValueError, match="daydreaming"):
        retriever.invoke("file", intent="daydreaming")


def test_the_other_options_of_a_search(graph, retriever):
    assert len(retriever.invoke("file", group_by="lang")) == 2
    assert len(FourfoldRetriever(retriever=graph, group_by="lang", max_per_source=2).invoke("file")) == 3
    assert all(d.metadata["fourfold"]["components"]["embedding"] == 0 for d in retriever.invoke("file", mode="text"))
    best = retriever.invoke("read file")[0].metadata["score"]
    assert ids(FourfoldRetriever(retriever=graph, min_score=best).invoke("read file")) == ["read"]
    vector = graph.embedder.embed_query("write text")
    assert retriever.invoke("file", query_vector=vector)[0].id == graph.search("file", query_vector=vector).ids[0]


def test_an_unknown_option_is_no_option(graph, retriever):
    with pytest.raises(ValueError, match="'top_k'.*k, filter"):
        retriever.invoke("file", top_k=3)
    with pytest.raises(ValidationError, match="'top_k'.*path, embedder"):
        FourfoldRetriever(retriever=graph, top_k=3)
    assert retriever.invoke("file", verbose=False)


def test_batch_takes_the_options_too(retriever):
    answers = retriever.batch(["read a file", "write text"], k=1)
    assert [ids(answer) for answer in answers] == [["read"], ["write"]]


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"mode": "graph"}, "mode is 'graph'"),
        ({"weights": {"txt": 1.0}}, "Unknown weights 'txt'"),
        ({"min_confidence": 2.0}, "min_confidence is 2"),
        ({"timeout": 0.0}, "timeout is 0"),
        ({"rerank": 5}, "rerank is 5"),
        ({"filter": {"n": {"$bad": 1}}}, r"operator '\$bad'"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_a_file_is_made(option, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        FourfoldRetriever(path=tmp_path / "kg.sqlite", **option)
    assert not list(tmp_path.iterdir())


async def test_ainvoke_and_abatch_answer_as_invoke_does(retriever):
    assert await retriever.ainvoke("read a file", k=2) == retriever.invoke("read a file", k=2)
    queries = ["read a file", "write text"]
    assert await retriever.abatch(queries, filter={"lang": "en"}) == retriever.batch(queries, filter={"lang": "en"})
    with pytest.raises(ValueError, match="whole number of at least 1"):
        await retriever.ainvoke("file", k=0)


def test_bind(retriever):
    assert len(retriever.bind(k=1).invoke("file")) == 1


# -- configurable fields: LangChain makes a copy of the retriever for each call ---------------------------------------


def test_configurable_fields_share_the_engine(retriever):
    configurable = retriever.configurable_fields(
        k=ConfigurableField(id="k"),
        filter=ConfigurableField(id="filter"),
        weights=ConfigurableField(id="weights"),
        intent=ConfigurableField(id="intent"),
    )
    chosen = {"k": 1, "filter": {"lang": "fr"}, "weights": {"text": 1.0}, "intent": "workflow"}
    documents = configurable.invoke("file", {"configurable": chosen})
    assert ids(documents) == ["lire"]
    assert documents[0].metadata["fourfold"]["intent"] == "workflow"
    assert len(configurable.invoke("file")) > 1
    prepared, _ = configurable._prepare({"configurable": {"k": 1}})
    assert prepared.retriever is retriever.retriever
    assert configurable.config_schema().model_json_schema()
    with pytest.raises(ValueError, match="whole number of at least 1"):
        configurable.invoke("file", {"configurable": {"k": 0}})


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_its_fields_are_told_as_a_schema(mode):
    fields = FourfoldRetriever.model_json_schema(mode=mode)["properties"]
    assert {"path", "k", "filter", "weights"} <= fields.keys()
    assert not {"retriever", "on_comparison"} & fields.keys()


def test_configurable_fields_over_a_path_in_memory():
    retriever = FourfoldRetriever.from_texts(["one file", "two files"], config=RetrievalConfig(), k=2)
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
    assert len(configurable.invoke("file", {"configurable": {"k": 1}})) == 1


def test_model_copy_shares_the_engine(retriever):
    copy = retriever.model_copy(update={"k": 1})
    assert copy.retriever is retriever.retriever
    assert len(copy.invoke("file")) == 1


# -- opening ----------------------------------------------------------------------------------------------------------


def test_path_is_opened_with_the_config(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as graph:
        graph.add(NODES, EDGES)
    retriever = FourfoldRetriever(path=path, config=RetrievalConfig(limit=1))
    assert ids(retriever.invoke("read a file")) == ["read"]
    assert str(retriever.path) == str(path)


def test_a_retriever_comes_without_path_embedder_and_config(graph):
    assert FourfoldRetriever(retriever=graph, path=":memory:").retriever is graph
    given = {"path": "other.sqlite", "embedder": len, "config": RetrievalConfig(limit=3), "read_only": True}
    for name, value in given.items():
        with pytest.raises(ValidationError, match=f"{name} belongs to the retriever"):
            FourfoldRetriever(retriever=graph, **{name: value})


def test_a_file_that_is_no_graph(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no database at all, and long enough to tell" * 10)
    with pytest.raises(fourfold.StoreError, match=r"notes\.txt"):
        FourfoldRetriever(path=path)


def test_a_mistyped_path_makes_no_file(tmp_path):
    path = tmp_path / "mistyped.sqlite"
    for option in ({"must_exist": True}, {"read_only": True}):
        with pytest.raises(fourfold.StoreError, match=r"There is no file '.*mistyped.sqlite'"):
            FourfoldRetriever(path=path, **option)
    assert not list(tmp_path.iterdir())
    FourfoldRetriever.from_texts(["a text"], path=path).retriever.close()
    assert FourfoldRetriever(path=path, must_exist=True).invoke("text")
    reads = FourfoldDocumentIndex(path=path, read_only=True)
    assert reads.invoke("text") and len(reads.configurable_fields(k=ConfigurableField(id="k")).invoke("text")) == 1
    with pytest.raises(fourfold.StoreError, match="read-only"):
        reads.upsert([Document(page_content="more")])


@pytest.mark.parametrize("path", [None, 123, Retriever, ["kg.sqlite"]])
def test_a_path_is_a_path(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValidationError, match="path"):
        FourfoldRetriever(path=path)
    with pytest.raises(ValidationError, match="The path is <class 'fourfold.retriever.Retriever'>; it must be"):
        FourfoldRetriever(Retriever)
    assert not list(tmp_path.iterdir())


def test_repr_and_serialisation_leave_the_engine_out(retriever):
    assert "Retriever object" not in repr(retriever)
    assert set(retriever.model_dump()).isdisjoint({"retriever", "embedder", "config"})
    json.dumps(retriever.model_dump(mode="json"))


def test_what_is_read_back_from_a_dump_opens_the_graph_and_begins_none(graph, tmp_path):
    made = FourfoldRetriever.from_texts(["Save a file."], ids=["write"], path=tmp_path / "kg.sqlite", k=3)
    (found,) = FourfoldRetriever.model_validate(made.model_dump()).invoke("save")
    assert found.id == "write"
    with pytest.raises(fourfold.StoreError, match=r"memory is gone .+ keep it in a file: Retriever\('kg.sqlite'\)"):
        FourfoldRetriever.model_validate_json(FourfoldRetriever(retriever=graph).model_dump_json())
    moved = made.model_dump() | {"path": str(tmp_path / "moved.sqlite")}
    with pytest.raises(fourfold.StoreError, match="There is no file '.*moved.sqlite' to open"):
        FourfoldRetriever.model_validate(moved)
    assert not (tmp_path / "moved.sqlite").exists()
    assert not made.must_exist  # the field is as it was given


# -- tracing and callbacks --------------------------------------------------------------------------------------------


class Recorder(BaseCallbackHandler):
    """Keeps what LangChain tells about retrievals."""

    def __init__(self):
        self.starts, self.ends, self.errors = [], [], []

    def on_retriever_start(self, serialized, query, **kwargs):
        self.starts.append((query, kwargs["name"], kwargs["metadata"], kwargs["tags"]))

    def on_retriever_end(self, documents, **kwargs):
        self.ends.append(documents)

    def on_retriever_error(self, error, **kwargs):
        self.errors.append(error)


def test_callbacks_and_tracing_parameters(graph):
    recorder = Recorder()
    retriever = FourfoldRetriever(retriever=graph, tags=["kg"], metadata={"team": "search"})
    documents = retriever.invoke("read a file", {"callbacks": [recorder]})
    [(query, name, metadata, tags)] = recorder.starts
    assert (query, name, tags) == ("read a file", "FourfoldRetriever", ["kg"])
    assert metadata["ls_retriever_name"] == "fourfold"
    assert metadata["ls_vector_store_provider"] == "fourfold"
    assert metadata["ls_embedding_provider"] == "StaticEmbedder"
    assert metadata["ls_embedding_model"] == graph.embedder.name
    assert metadata["team"] == "search"
    assert recorder.ends == [documents]
    with pytest.raises(ValueError, match="k is 0"):
        retriever.invoke("read a file", {"callbacks": [recorder]}, k=0)
    assert len(recorder.errors) == 1


def test_a_run_can_be_persisted_as_json(retriever):
    class Tracer(BaseTracer):
        def _persist_run(self, run):
            self.run = run

    tracer = Tracer()
    retriever.invoke("read a file", {"callbacks": [tracer]})
    outputs = json.loads(json.dumps([d.model_dump() for d in tracer.run.outputs["documents"]]))
    assert isinstance(outputs[0]["metadata"]["score"], float)


def test_as_a_tool_with_artifacts(retriever):
    tool = create_retriever_tool(retriever, "graph", "Looks things up.", response_format="content_and_artifact")
    message = tool.invoke({"name": "graph", "args": {"query": "read a file"}, "id": "1", "type": "tool_call"})
    assert message.content.startswith("Reads a file and returns its text.")
    assert message.artifact[0].metadata["fourfold"]["why"]


# -- the event loop ---------------------------------------------------------------------------------------------------


class Meeting:
    """What waits in a thread for the event loop; on the loop itself it would wait in vain."""

    def __init__(self):
        self.begun, self.come, self.met = threading.Event(), threading.Event(), False

    def wait(self):
        self.begun.set()
        self.met = self.come.wait(30)

    async def keep(self):
        while not self.begun.is_set():
            await asyncio.sleep(0.001)
        self.come.set()


async def test_ainvoke_does_not_block_the_event_loop():
    meeting = None

    def waits(texts):
        if meeting is not None:
            meeting.wait()
        return [[1.0, float(len(text))] for text in texts]

    retriever = FourfoldRetriever.from_texts(["one text", "another text"], embedder=waits)
    meeting = Meeting()
    documents, _ = await asyncio.gather(retriever.ainvoke("text"), meeting.keep())
    assert len(documents) == 2
    assert meeting.met


# -- copies -----------------------------------------------------------------------------------------------------------


def test_a_deep_copy_shares_the_open_graph(retriever):
    copied = copy.deepcopy({"retriever": retriever})["retriever"]
    assert copied is not retriever and copied.retriever is retriever.retriever
    assert copied.invoke("read a file") == retriever.invoke("read a file")


def test_a_pickle_opens_the_file_again(tmp_path):
    made = FourfoldRetriever.from_texts(["a text", "more text"], path=tmp_path / "kg.sqlite", k=1, filter={})
    again = pickle.loads(pickle.dumps(made))
    assert again.invoke("text") == made.invoke("text") and (again.k, again.filter) == (1, {})
    assert again.path == made.path and again.embedder.name == made.embedder.name and again.config == made.config
    assert len(again.configurable_fields(k=ConfigurableField(id="k")).invoke("text", {"configurable": {"k": 2}})) == 2
    for opened in (made, again):
        opened.retriever.close()


def test_a_graph_in_memory_is_not_pickled(retriever):
    with pytest.raises(fourfold.StoreError, match="in memory cannot be pickled"):
        pickle.dumps(retriever)


# -- presets ----------------------------------------------------------------------------------------------------------


def test_a_preset_by_name(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as made:
        made.add(NODES, EDGES)
    with pytest.warns(fourfold.FourfoldWarning, match="a copy of its 4 nodes"):
        published = FourfoldRetriever(path=tmp_path / "kg.sqlite", preset="published")
    assert published.retriever.config == RetrievalConfig.published()
    assert published.invoke("read a file")[0].id == "read"
    assert FourfoldRetriever(preset="two-signal").retriever.config == RetrievalConfig.two_signal()
    with pytest.raises(ValidationError, match="two names of one thing"):
        FourfoldRetriever(preset="published", config=RetrievalConfig())
    with pytest.raises(ValidationError, match="no preset 'x'"):
        FourfoldRetriever(preset="x")
    with pytest.raises(ValidationError, match="preset belongs to the retriever that was given"):
        FourfoldRetriever(retriever=Retriever(), preset="published")
    configurable = published.configurable_fields(k=ConfigurableField(id="k"))
    assert len(configurable.invoke("read a file", {"configurable": {"k": 2}})) == 2


def test_a_timeout_is_a_field_and_an_option_of_a_call():
    retriever = FourfoldRetriever.from_texts(["files are compressed"], timeout=30)
    assert len(retriever.invoke("files")) == 1
    with pytest.raises(fourfold.InvalidValueError, match="timeout is -1"):
        retriever.invoke("files", timeout=-1)


def test_a_cross_encoder_of_langchain_puts_documents_in_order():
    from langchain_core.cross_encoders import BaseCrossEncoder

    class Shortest(BaseCrossEncoder):
        def score(self, text_pairs):
            return [-len(text) for _, text in text_pairs]

    texts = ["files are compressed by gzip", "compress files", "files and folders can be compressed by zipfile"]
    retriever = FourfoldRetriever.from_texts(texts, rerank=Shortest())
    found = retriever.invoke("compress files by gzip")
    assert [len(document.page_content) for document in found] == sorted(len(text) for text in texts)
    given = retriever.invoke("compress files by gzip", rerank=lambda query, texts: [len(text) for text in texts])
    assert given == found[::-1]


def test_a_config_applied_to_the_graph_is_followed_by_configurable_copies_too(tmp_path):
    path = tmp_path / "kg.sqlite"
    retriever = FourfoldRetriever.from_texts(["a file", "another file", "a third file"], path=path)
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
    with Retriever(path) as other:
        other.learning.apply_config(RetrievalConfig(limit=1))
    assert len(retriever.invoke("file")) == len(configurable.invoke("file")) == 1
    assert len(configurable.invoke("file", {"configurable": {"k": 2}})) == 2
    assert len(retriever.model_copy().invoke("file")) == 1


def test_what_the_graph_was_opened_with_stays(tmp_path):
    """Nothing followed a path that was set later: the answers came from the first graph."""
    own = FourfoldRetriever(path=tmp_path / "kg.sqlite")
    for name, value in (("path", "other.sqlite"), ("embedder", len), ("read_only", True), ("retriever", Retriever())):
        with pytest.raises(fourfold.InvalidValueError, match=f"{name} is that of the graph .+ make another"):
            setattr(own, name, value)
        with pytest.raises(fourfold.InvalidValueError, match=f"{name} is that of the graph"):
            own.model_copy(update={name: value})
        setattr(own, name, getattr(own, name))
    assert (own.model_copy(update={"k": 2}).k, own.k) == (2, None)
    own.k = 3
    assert (own.path, own.k) == (str(tmp_path / "kg.sqlite"), 3)
    with pytest.raises(ValidationError, match="path is an open Retriever; give it as retriever="):
        FourfoldRetriever(path=own.retriever)


def test_nothing_of_the_graph_is_read_in_the_event_loop(tmp_path, monkeypatch):
    """What tracing is told was: of a graph on a server, or one that another thread reads, the loop stood still."""
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(NODES, EDGES)
        recorder = Recorder()
        answering, embedder = FourfoldRetriever(retriever=retriever), retriever.embedder.name
        reading, loop = type(retriever.backend).reading, threading.current_thread()

        def apart(store):
            assert threading.current_thread() is not loop
            return reading(store)

        monkeypatch.setattr(type(retriever.backend), "reading", apart)
        assert asyncio.run(answering.ainvoke("read a file", {"callbacks": [recorder]}))[0].id == "read"
        monkeypatch.undo()
    assert recorder.starts[0][2]["ls_embedding_model"] == embedder
