"""The LlamaIndex retriever: in engines and fusions, with bundles, options, events and a beating event loop."""

import asyncio
import copy
import pickle
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import IndexNode, MetadataMode, QueryBundle, TextNode
from llama_index.retrievers.fourfold import FourfoldRetrievalEvent, FourfoldRetriever, LlamaIndexEmbedder

import fourfold
from fourfold import Edge, Node, RetrievalConfig, Retriever, Weights
from fourfold.embed.static import bundled

TEXTS = {
    "read": "read_file reads a file and returns its text.",
    "write": "write_file writes text to a file.",
    "delete": "delete_file removes a file from the disk.",
    "list": "list_files lists the files of a folder.",
    "rome": "Rome is the capital of Italy.",
}


MODEL = bundled()


class Static(BaseEmbedding):
    """The model that ships with Fourfold, as a LlamaIndex embedding model."""

    def _get_text_embedding(self, text):
        return MODEL.embed_query(text).tolist()

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def text_nodes():
    return [TextNode(id_=i, text=t, metadata={"lang": "en", "page": n}) for n, (i, t) in enumerate(TEXTS.items())]


@pytest.fixture(scope="module")
def retriever():
    return FourfoldRetriever.from_nodes(text_nodes())


def ids(found):
    return [hit.node.node_id for hit in found]


def test_class():
    assert BaseRetriever.__name__ in [cls.__name__ for cls in FourfoldRetriever.__mro__]


# -- results ----------------------------------------------------------------------------------------------------------


def test_a_node_tells_what_its_score_is_made_of(retriever):
    result = retriever.retriever.search("read a file")
    found = retriever.retrieve("read a file")
    assert ids(found) == result.ids
    for given_hit, hit in zip(found, result, strict=True):
        assert given_hit.score == hit.score
        assert type(given_hit.score) is float
        assert 0 <= given_hit.score <= 1
        told = given_hit.node.metadata["fourfold"]
        assert (told["intent"], told["weights"]) == (result.intent, result.weights.as_dict())
        assert told["components"] == hit.components.as_dict()
        assert (told["method"], told["why"], told["community"]) == (hit.method, hit.why, hit.community)
        assert type(told["intent"]) is str
        assert told["degraded"] == []


def test_every_call_hands_out_new_nodes(retriever):
    [first, *_] = retriever.retrieve("read a file")
    score = first.score
    first.score = 99.0
    first.node.metadata["fourfold"]["weights"]["text"] = 99.0
    first.node.metadata["lang"] = "xx"
    first.node.set_content("changed")
    [again, *_] = retriever.retrieve("read a file")
    assert again.score == score
    assert again.node is not first.node
    assert again.node == text_nodes()[0]
    assert again.node.metadata["fourfold"]["weights"]["text"] <= 1


def test_the_breakdown_is_in_no_text_and_no_hash(retriever):
    originals = {node.node_id: node for node in text_nodes()}
    for hit in retriever.retrieve("read a file"):
        original = originals[hit.node.node_id]
        for mode in MetadataMode:
            assert hit.node.get_content(metadata_mode=mode) == original.get_content(metadata_mode=mode)
            assert hit.node.get_metadata_str(mode) == original.get_metadata_str(mode)
        assert hit.node.hash == original.hash
        assert "fourfold" in hit.node.excluded_llm_metadata_keys
        assert "fourfold" in hit.node.excluded_embed_metadata_keys
        # what is made of a hit by serialisation is a plain node, and still keeps it out of prompts
        plain = TextNode.from_dict(hit.node.to_dict())
        assert type(plain) is TextNode
        assert plain.get_content(metadata_mode=MetadataMode.LLM) == original.get_content(metadata_mode=MetadataMode.LLM)
        assert plain.metadata["fourfold"]["why"]


def test_nodes_that_did_not_come_from_llama_index_show_name_and_type():
    graph = Retriever()
    graph.add(
        [
            Node(id="a", name="read_file", type="tool", text="Reads a file.", metadata={"lang": "en"}),
            Node(id="b", name="file", type="resource", metadata={"type": "mine"}),
        ],
        [Edge("a", "b", "requires")],
    )
    found = {hit.node.node_id: hit.node for hit in FourfoldRetriever(retriever=graph).retrieve("read file")}
    prompt = found["a"].get_content(metadata_mode=MetadataMode.LLM)
    assert prompt == "name: read_file\ntype: tool\nlang: en\n\nReads a file."
    assert found["b"].get_content(metadata_mode=MetadataMode.LLM) == "type: mine\n\nfile"
    assert found["b"].metadata["fourfold"]["components"]["graph"] > 0


# -- in engines and fusions -------------------------------------------------------------------------------------------


async def test_in_a_query_engine_with_a_postprocessor(retriever):
    scores = [hit.score for hit in retriever.retrieve("read a file")]
    cutoff = (scores[0] + scores[1]) / 2
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(), node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=cutoff)]
    )
    for answer in (engine.query("read a file"), await engine.aquery("read a file")):
        assert isinstance(answer, Response)
        assert ids(answer.source_nodes) == ["read"]
        prompt = str(answer)  # the mock model answers with its prompt
        assert TEXTS["read"] in prompt
        assert "page: 0" in prompt
        for word in ("fourfold", "components", "community", "embedding", "degraded"):
            assert word not in prompt


@pytest.mark.parametrize("mode", list(FUSION_MODES))
@pytest.mark.parametrize("use_async", [True, False])
def test_fusion_beside_another_retriever_tells_duplicates(retriever, mode, use_async):
    index = VectorStoreIndex(text_nodes(), embed_model=Static(model_name="static"))
    fusion = QueryFusionRetriever(
        [retriever, index.as_retriever(similarity_top_k=5)],
        llm=MockLLM(),
        mode=mode,
        num_queries=1,
        similarity_top_k=10,
        use_async=use_async,
    )
    for _ in range(2):  # fusion changes the scores of what it is given
        found = fusion.retrieve("read a file")
        assert sorted(ids(found)) == sorted(TEXTS)
        assert ids(found)[0] == "read"


def test_index_nodes_are_retrieved_from():
    class Engine(CustomQueryEngine):
        def custom_query(self, query_str):
            return Response(response=f"asked {query_str}", metadata={})

    inner = FourfoldRetriever.from_nodes(text_nodes(), similarity_top_k=1)
    nodes = [
        IndexNode(id_="files", text="everything about files", index_id="files", obj=inner),
        IndexNode(id_="cities", text="everything about cities", index_id="cities", obj=Engine()),
        IndexNode(id_="nothing", text="an index without an object", index_id="nothing"),
    ]
    outer = FourfoldRetriever.from_nodes(nodes)
    found = outer.retrieve("read a file")
    assert "read" in ids(found)
    assert "asked read a file" in [hit.node.get_content() for hit in found]
    assert "nothing" in ids(found)


def test_an_index_node_of_score_0_does_not_get_1():
    vectors = [[1.0, 0.0]] * 30 + [[-1.0, 0.0]]
    nodes = [TextNode(id_=f"{n}", text="", embedding=vector) for n, vector in enumerate(vectors)]
    nodes[-1] = IndexNode(
        id_="far", text="", index_id="far", obj=TextNode(id_="inside", text="inside"), embedding=vectors[-1]
    )
    retriever = FourfoldRetriever.from_nodes(
        nodes, embedder=lambda texts: [[1.0, 0.0]] * len(texts), similarity_top_k=31
    )
    [inside] = [hit for hit in retriever.retrieve("query") if hit.node.node_id == "inside"]
    assert inside.score < 1e-9


# -- query bundles ----------------------------------------------------------------------------------------------------


def test_the_embedding_of_a_bundle_is_used(retriever):
    vector = MODEL.embed_query("capital of Italy").tolist()
    found = FourfoldRetriever(retriever=retriever.retriever, mode="embedding").retrieve(
        QueryBundle("read a file", embedding=vector)
    )
    assert ids(found)[0] == "rome"
    with pytest.raises(fourfold.DimensionError, match="3 dimensions.*256"):
        retriever.retrieve(QueryBundle("read a file", embedding=[1.0, 2.0, 3.0]))


def test_the_embedding_strings_of_a_bundle_are_embedded_and_averaged(retriever):
    strings = ["The capital of Italy is Rome.", "Rome"]
    embedding = FourfoldRetriever(retriever=retriever.retriever, mode="embedding")
    found = embedding.retrieve(QueryBundle("read a file", custom_embedding_strs=strings))
    mean = Static(model_name="static").get_agg_embedding_from_queries(strings)
    expected = embedding.retrieve(QueryBundle("read a file", embedding=mean))
    assert ids(found)[0] == "rome"
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected])


def test_an_embedder_that_fails_on_them_leaves_text_and_says_so():
    class Failing(Static):
        def _get_query_embedding(self, query):
            raise TimeoutError("no answer")

    retriever = FourfoldRetriever.from_nodes(text_nodes(), embed_model=Failing(model_name="static"))
    for bundle in (QueryBundle("read a file"), QueryBundle("read a file", custom_embedding_strs=["Rome"])):
        [hit, *_] = retriever.retrieve(bundle)
        assert hit.node.node_id == "read"
        assert hit.node.metadata["fourfold"]["degraded"] == ["embedding"]


def test_embedding_strings_with_another_embedder_than_the_files(tmp_path):
    FourfoldRetriever.from_nodes(text_nodes(), path=tmp_path / "kg", embed_model=Static(model_name="static"))
    with pytest.raises(fourfold.EmbedderMismatchError, match="llama_index:"):
        FourfoldRetriever(tmp_path / "kg").retrieve(QueryBundle("read", custom_embedding_strs=["Rome"]))


# -- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"mode": "graph"}, "mode is 'graph'"),
        ({"weights": {"txt": 1.0}}, "Unknown weights 'txt'"),
        ({"min_confidence": 2.0}, "min_confidence is 2"),
        ({"timeout": 0.0}, "timeout is 0"),
        ({"rerank": 5}, "rerank is 5"),
        ({"filters": {"n": {"$bad": 1}}}, r"operator '\$bad'"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_a_file_is_made(option, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        FourfoldRetriever(path=tmp_path / "kg.sqlite", **option)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("k", [0, -1, True, 2.5, None])
def test_a_similarity_top_k_that_cannot_be_meant(k):
    with pytest.raises(ValueError, match="similarity_top_k is"):
        FourfoldRetriever(similarity_top_k=k)


def test_options_of_a_search(retriever):
    def with_options(**options):
        return FourfoldRetriever(retriever=retriever.retriever, **options).retrieve("read a file")

    assert len(with_options(similarity_top_k=2)) == 2
    assert with_options(intent="debugging")[0].node.metadata["fourfold"]["intent"] == "debugging"
    for weights in (Weights(0, 1, 0, 0), {"embedding": 0, "text": 1, "graph": 0, "intent": 0}):
        assert with_options(weights=weights)[0].node.metadata["fourfold"]["weights"]["text"] == 1
    best = with_options()[0].score
    assert ids(with_options(min_score=best)) == ["read"]
    assert len(with_options(group_by="lang")) == 1
    assert len(with_options(group_by="lang", max_per_source=3)) == 3
    assert with_options(mode="text")[0].node.metadata["fourfold"]["components"]["embedding"] == 0
    with pytest.raises(ValueError, match="daydreaming"):
        with_options(intent="daydreaming")
    with pytest.raises(ValueError, match="-1"):
        with_options(weights={"text": -1})


def test_a_retriever_comes_without_path_embedder_and_config(retriever):
    for name, value in (
        ("path", "x"),
        ("embedder", len),
        ("embed_model", len),
        ("config", RetrievalConfig()),
        ("read_only", True),
    ):
        with pytest.raises(fourfold.InvalidValueError, match="belongs to the retriever"):
            FourfoldRetriever(retriever=retriever.retriever, **{name: value})
    with pytest.raises(fourfold.InvalidValueError, match="two names"):
        FourfoldRetriever(embedder=len, embed_model=len)
    for other in ("kg.sqlite", retriever):
        with pytest.raises(fourfold.InvalidValueError, match=r"retriever is .+; it must be a fourfold.Retriever"):
            FourfoldRetriever(retriever=other)


def test_a_mistyped_path_makes_no_file(tmp_path):
    path = tmp_path / "mistyped.sqlite"
    for option in ({"must_exist": True}, {"read_only": True}):
        with pytest.raises(fourfold.StoreError, match=r"There is no file '.*mistyped.sqlite'"):
            FourfoldRetriever(path, **option)
    assert not list(tmp_path.iterdir())
    FourfoldRetriever.from_nodes(text_nodes(), path=path).retriever.close()
    assert FourfoldRetriever(path, must_exist=True).retrieve("read a file")
    reads = FourfoldRetriever(path, read_only=True)
    assert reads.retrieve("read a file")
    with pytest.raises(fourfold.StoreError, match="read-only"):
        reads.insert_nodes([TextNode(text="A new one.")])


@pytest.mark.parametrize("path", [123, fourfold.Retriever, ["kg.sqlite"]])
def test_a_path_is_a_path(tmp_path, monkeypatch, retriever, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fourfold.InvalidValueError, match="must be the path of a file"):
        FourfoldRetriever(path)
    with pytest.raises(fourfold.InvalidValueError, match="give it as retriever="):
        FourfoldRetriever(retriever.retriever)
    assert not list(tmp_path.iterdir())


def test_a_path_is_opened_with_the_config(tmp_path):
    FourfoldRetriever.from_nodes(text_nodes(), path=tmp_path / "kg").retriever.close()
    retriever = FourfoldRetriever(tmp_path / "kg", config=RetrievalConfig().replace(fusion={"intent_tilt": 0.0}))
    assert ids(retriever.retrieve("read a file"))[0] == "read"
    assert retriever.retriever.config.fusion.intent_tilt == 0.0


def test_the_arguments_of_the_base_class():
    manager = CallbackManager()
    node = IndexNode(index_id="i", text="t", obj=TextNode(text="x"))
    retriever = FourfoldRetriever(callback_manager=manager, objects=[node], verbose=True)
    assert retriever.callback_manager is manager
    assert set(retriever.object_map) == {"i"}
    assert set(FourfoldRetriever(object_map={"j": node}).object_map) == {"j"}


# -- embedding models -------------------------------------------------------------------------------------------------


def test_a_base_embedding_makes_the_vectors():
    retriever = FourfoldRetriever.from_nodes(text_nodes(), embed_model=Static(model_name="static"))
    embedder = retriever.retriever.embedder
    assert isinstance(embedder, LlamaIndexEmbedder)
    assert embedder.name == "llama_index:base_component:static"
    assert embedder.embed_documents(["a", "b"]).shape == (2, 256)
    bundle = FourfoldRetriever.from_nodes(text_nodes(), config=retriever.retriever.config)  # its weights, too
    expected = [hit.score for hit in bundle.retrieve("read a file")]
    assert [hit.score for hit in retriever.retrieve("read a file")] == pytest.approx(expected, abs=1e-6)
    assert LlamaIndexEmbedder(Static(), name="mine").name == "mine"


# -- async and instrumentation ----------------------------------------------------------------------------------------


async def test_aretrieve_answers_as_retrieve_does(retriever):
    expected = retriever.retrieve("read a file")
    found = await retriever.aretrieve("read a file")
    assert [(hit.node, hit.score) for hit in found] == [(hit.node, hit.score) for hit in expected]


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


async def test_aretrieve_does_not_block_the_event_loop():
    meeting = Meeting()

    class Waits(Static):
        def _get_query_embedding(self, query):
            meeting.wait()
            return super()._get_query_embedding(query)

    retriever = FourfoldRetriever.from_nodes(text_nodes(), embed_model=Waits(model_name="waits"))
    for bundle in (QueryBundle("read a file"), QueryBundle("read a file", custom_embedding_strs=["Rome"])):
        meeting = Meeting()
        await asyncio.gather(retriever.aretrieve(bundle), meeting.keep())
        assert meeting.met


class Recorder(BaseEventHandler):
    """Keeps the events."""

    events: list = []  # noqa: RUF012

    def handle(self, event, **kwargs):
        self.events.append(event)


async def test_an_event_carries_intent_and_components(retriever):
    recorder = Recorder(events=[])
    root = get_dispatcher()
    root.add_event_handler(recorder)
    try:
        found = retriever.retrieve("read a file")
        await retriever.aretrieve("read a file")
    finally:
        root.event_handlers.remove(recorder)
    names = [event.class_name() for event in recorder.events]
    assert names == ["RetrievalStartEvent", "FourfoldRetrievalEvent", "RetrievalEndEvent"] * 2
    for event in recorder.events[1::3]:
        assert isinstance(event, FourfoldRetrievalEvent)
        assert (event.query, event.degraded) == ("read a file", [])
        assert event.intent == found[0].node.metadata["fourfold"]["intent"]
        assert [hit["id"] for hit in event.hits] == ids(found)
        assert event.hits[0]["components"] == found[0].node.metadata["fourfold"]["components"]
        assert event.span_id is not None
        assert FourfoldRetrievalEvent.model_validate_json(event.model_dump_json()).hits == event.hits


@settings(max_examples=25, deadline=None)
@given(query=st.text())
def test_any_query_has_an_answer(retriever, query):
    for hit in retriever.retrieve(query):
        assert 0 <= hit.score <= 1


def test_copies_share_the_open_graph_and_a_pickle_opens_its_file_again(tmp_path):
    made = FourfoldRetriever.from_nodes(text_nodes(), path=tmp_path / "kg.sqlite", similarity_top_k=2)
    assert copy.deepcopy(made).retriever is made.retriever
    again = pickle.loads(pickle.dumps(made))
    assert ids(again.retrieve("read a file")) == ids(made.retrieve("read a file")) and again.similarity_top_k == 2
    for opened in (made, again):
        opened.retriever.close()
    with pytest.raises(fourfold.StoreError, match="in memory cannot be pickled"):
        pickle.dumps(FourfoldRetriever.from_nodes(text_nodes()))


def test_a_preset_by_name():
    published = FourfoldRetriever(preset="published")
    assert published.retriever.config == fourfold.RetrievalConfig.published()
    with pytest.raises(fourfold.InvalidValueError, match="two names of one thing"):
        FourfoldRetriever(preset="published", config=fourfold.RetrievalConfig())


def test_a_timeout_is_an_option():
    retriever = FourfoldRetriever.from_nodes([TextNode(id_="a", text="files are compressed")], timeout=30)
    assert len(retriever.retrieve("files")) == 1
    retriever.timeout = -1
    with pytest.raises(fourfold.InvalidValueError, match="timeout is -1"):
        retriever.retrieve("files")


def test_a_reranker_puts_nodes_in_order_and_their_breakdown_says_so():
    nodes = [TextNode(id_=str(i), text=f"files are compressed {'by gzip ' * i}") for i in range(4)]
    retriever = FourfoldRetriever.from_nodes(nodes, rerank=lambda query, texts: [-len(text) for text in texts])
    found = retriever.retrieve("compress files by gzip")
    assert [one.node.node_id for one in found] == ["0", "1", "2", "3"]
    assert "moved by the reranker" in found[0].node.metadata["fourfold"]["why"]


def test_the_path_is_told_and_stays(tmp_path):
    """Nothing followed a path that was set later: the answers came from the first graph."""
    own = FourfoldRetriever(tmp_path / "kg.sqlite")
    with pytest.raises(AttributeError, match="path"):
        own.path = "other.sqlite"
    assert own.path == str(tmp_path / "kg.sqlite")


def test_a_graph_that_could_not_be_filled_is_closed_and_one_that_was_given_stays_open(tmp_path):
    bad = [TextNode(id_="a", text="Rome", metadata={"n": object()})]
    with pytest.raises(fourfold.InvalidValueError) as refused:
        FourfoldRetriever.from_nodes(bad, path=tmp_path / "kg.sqlite")
    assert refused and not (tmp_path / "kg.sqlite-wal").exists()
    with Retriever() as graph:
        with pytest.raises(fourfold.InvalidValueError):
            FourfoldRetriever.from_nodes(bad, retriever=graph)
        assert len(graph) == 0
