"""Whether the graph knows anything of a question: on hits, on answers, and as what cuts them."""

import copy
import json
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest

from fourfold import Edge, InvalidValueError, Node, RetrievalConfig, Retriever, grounds, pipeline
from fourfold.calibration import Calibrator
from fourfold.engines.sqlite import parts
from fourfold.index import files
from fourfold.index.base import NodeValues
from fourfold.questions import Questions
from fourfold.signals.ways import Ways
from fourfold.types import UNKNOWN_BELOW

CRAFTS = "bread boat chair candle basket kite drum violin kettle saddle mirror clock ladder glove tent broom".split()
PLACES = "river meadow harbour village market chapel orchard quarry".split()


def crafts() -> list[Node]:
    return [
        Node(f"{craft}-{place}", f"{craft} maker", "person", f"Makes a {craft} by hand near the {place} since {year}.")
        for year, craft in enumerate(CRAFTS, 1800)
        for place in PLACES
    ]


@pytest.fixture(scope="module")
def graph():
    with Retriever() as retriever:
        nodes = crafts()
        links = [Edge(a.id, b.id, "knows") for a, b in zip(nodes, nodes[9:], strict=False)]
        retriever.add(nodes, links)
        yield retriever


def test_what_the_graph_knows_is_told_from_what_it_does_not(graph):
    known = [
        graph.search(text).confidence for text in ("who makes a violin by hand", "kettle near the harbour", "boat")
    ]
    foreign = [graph.search(text).confidence for text in ("asdf", "xyzzy plugh", "interest rates of central banks")]
    assert min(known) > 0.5 > UNKNOWN_BELOW > max(foreign)


def test_the_answer_has_the_evidence_of_its_best_and_each_hit_its_own(graph):
    result = graph.search("violin near the quarry zzzz")
    hit = next(hit for hit in result.hits if hit.node.id == "violin-quarry")
    assert hit.grounds.covered < 1, "nobody holds zzzz, and that counts"
    assert hit.grounds.cosine == pytest.approx(next(e.cosine for e in hit.evidence if e.kind == "similarity"), abs=1e-6)
    assert result.confidence == pytest.approx(max(hit.confidence for hit in result.hits))
    assert all(0 <= hit.confidence <= 1 for hit in result.hits)
    assert result.as_dict()["grounds"]["confidence"] == result.confidence
    assert result.hits[0].as_dict()["grounds"].keys() == {"confidence", "cosine", "covered"}


def test_min_confidence_cuts_what_is_less_sure(graph):
    everything = graph.search("violin near the quarry", k=40)
    middle = sorted(hit.confidence for hit in everything.hits)[20]
    kept = graph.search("violin near the quarry", k=40, min_confidence=middle)
    assert kept.ids == [hit.node.id for hit in everything.hits if hit.confidence >= middle]
    assert kept.confidence == everything.confidence
    assert graph.search("asdf").hits and not graph.search("asdf", min_confidence=UNKNOWN_BELOW).hits
    assert len(graph.search("violin", k=3, min_confidence=0.0)) == 3


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), True, "much"])
def test_a_confidence_that_is_none_is_refused(graph, value):
    with pytest.raises(InvalidValueError, match="min_confidence"):
        graph.search("violin", min_confidence=value)


def test_an_answer_stays_a_plain_value(graph):
    result = graph.search("violin near the quarry")
    assert pickle.loads(pickle.dumps(result)) == result == copy.deepcopy(result)
    with pytest.raises(AttributeError):
        result.hits[0].grounds.confidence = 1.0


def test_a_node_reached_by_an_edge_stands_on_what_it_was_reached_from():
    with Retriever() as retriever:
        others = [Node(f"n{place}", f"item {place}", "thing", f"stock number {place}") for place in range(30)]
        retriever.add(
            [Node("x", "Anna Karlsson", "person"), Node("y", "Uppsala", "town"), *others], [Edge("x", "y", "born in")]
        )
        hits = {hit.node.id: hit for hit in retriever.search("where was Anna Karlsson born").hits}
        assert hits["y"].confidence > 0.5
        assert hits["y"].grounds.covered < 0.5


def test_what_little_came_by_edges_makes_no_neighbour_sure():
    texts = """Boats float on water and carry cargo.|Bread is baked from flour in an oven.|Violins are tuned in fifths.
        Volcanoes erupt lava and ash.|Chess is played on sixty-four squares.|Bees make honey from nectar.
        Glaciers carve valleys slowly.|Trains run on steel rails.|Coffee grows in the shade.
        Comets have long tails of dust.""".replace("\n", "|").split("|")
    with Retriever() as retriever:
        chunks = [Node(f"c{place}", text=text.strip()) for place, text in enumerate(texts)]
        parts = [Edge(chunk.id, "almanac", "part_of") for chunk in chunks]
        order = [Edge(a.id, b.id, "followed_by") for a, b in zip(chunks, chunks[1:], strict=False)]
        retriever.add([Node("almanac", "almanac", "source"), *chunks], [*parts, *order])
        result = retriever.search("how do bees make honey")
        assert {hit.node.id for hit in result.hits if hit.confidence >= 0.5} == {"c5"}
        assert result.confidence == result.hits[0].confidence


def test_nobody_stands_on_the_evidence_of_a_node_that_gave_it_nothing():
    with Retriever() as retriever:
        nodes = [
            Node("doc", "Harbour rules", text="Rule number 1 of the harbour forbids fishing."),
            Node("boats", "Boats", text="Boats float."),
            Node("engine", "Engine", text="The engine is a diesel. It needs oil."),
            Node("home", "Home", text="Welcome. See Boats and Engine."),
            Node("kite", "Kites", text="About kites."),
        ]
        edges = [Edge("home", "boats", "mentions"), Edge("home", "engine", "mentions"), Edge("boats", "engine", "near")]
        retriever.add(nodes, edges)
        confidence = {hit.node.id: hit.confidence for hit in retriever.search("harbour fishing").hits}
        assert confidence["doc"] > 0.9
        assert confidence["engine"] < 0.1


def test_what_only_fills_the_answer_up_is_not_sure():
    with Retriever() as retriever:
        nodes = [
            Node("users", "users", "table", "Customer accounts."),
            Node("orders", "orders", "table", "Orders placed by customers."),
            Node("invoices", "invoices", "table", "Invoices for orders."),
            Node("api", "billing API", "service", "Serves invoices over HTTP."),
            Node("mail", "mailer", "service", "Sends e-mail to customers."),
            Node("auth", "auth service", "service", "Logs people in."),
            Node("limit", "no refunds", "limitation", "Refunds cannot be made through the billing API."),
            Node("ann", "Ann Lee", "person", "Head of billing."),
        ]
        edges = [
            Edge("orders", "users", "depends_on"),
            Edge("invoices", "orders", "depends_on"),
            Edge("api", "invoices", "uses"),
            Edge("mail", "users", "uses"),
            Edge("auth", "users", "requires"),
            Edge("api", "limit", "has_limitation"),
            Edge("ann", "api", "owns"),
        ]
        retriever.add(nodes, edges)
        hits = retriever.search("can't the mailer send e-mail?", k=20).hits
        assert hits[0].node.id == "mail" and hits[0].confidence > 0.9
        least = [hit for hit in hits if hit.score < 1e-3 * hits[0].score]
        assert least and all(hit.confidence < 0.1 for hit in least)


@pytest.mark.parametrize(
    ("question", "node"), [("The Who", "who"), ("it", "it"), ("to be or not to be", "be"), ("茶", "tea"), ("us?", "us")]
)
def test_a_name_word_for_word_is_known_whatever_its_words(question, node):
    with Retriever() as retriever:
        nodes = [
            Node("who", "The Who", "band", "An English rock band."),
            Node("it", "It", "novel", "A horror novel by Stephen King."),
            Node("us", "Us", "film", "A film of 2019."),
            Node("be", "To Be or Not to Be", "film", "A comedy of 1942."),
            Node("tea", "茶", "plant", "Its leaves are brewed."),
            Node("beatles", "The Beatles", "band", "A band from Liverpool."),
        ]
        retriever.add(nodes)
        result = retriever.search(question)
        assert result.known
        assert next(hit for hit in result.hits if hit.node.id == node).confidence > 0.5
        assert not Questions(retriever).ask(question).headline().startswith("Nothing")
        assert not retriever.search("what is it that they were").known, "a name among other words is no such name"
        assert all(hit.confidence < 0.5 for hit in result.hits if hit.node.id != node)


def test_without_vectors_and_without_words_there_is_a_confidence_too(graph):
    assert graph.search("makes a violin by hand", mode="text").confidence > 0.5
    assert graph.search("makes a violin by hand", mode="text").hits[0].grounds.cosine is None
    assert graph.search("makes a violin by hand", mode="embedding").confidence > 0.5
    assert graph.search("").confidence == 0
    with Retriever() as empty:
        assert empty.search("anything").confidence == 0
        assert not empty.search("anything").known


def test_a_tiny_graph_knows_its_own():
    with Retriever() as retriever:
        retriever.add(
            [Node("a", "write_file", text="Save text to a file."), Node("b", "send_mail", text="Mail people.")]
        )
        assert retriever.search("save a file").confidence > 0.5
        assert not retriever.search("asdf").known


def test_fitted_once_for_a_size_and_by_the_graph_alone(graph, monkeypatch):
    fits = []
    fit = Calibrator._fit
    monkeypatch.setattr(Calibrator, "_fit", lambda self, snapshot: fits.append(snapshot.size) or fit(self, snapshot))
    with Retriever() as retriever:
        nodes = crafts()
        retriever.add(nodes[:64])
        retriever.search("violin")
        retriever.add(nodes[64:70])
        retriever.search("violin")
        retriever.add(nodes[70:])
        retriever.search("violin")
        assert fits == [64, 128]
        same = retriever.search("violin near the quarry").confidence
    assert graph.search("violin near the quarry").confidence == pytest.approx(same, abs=0.05)


def test_what_was_fitted_is_laid_with_the_derived_files_for_the_next_process(tmp_path, monkeypatch):
    fits = []
    fit = Calibrator._fit
    monkeypatch.setattr(Calibrator, "_fit", lambda self, snapshot: fits.append(snapshot.size) or fit(self, snapshot))
    monkeypatch.setattr(parts, "_DERIVED_FROM", 10)
    nodes = crafts()

    def confidence(**options):
        with Retriever(tmp_path / "kg.sqlite", **options) as retriever:
            return retriever.search("violin near the quarry").confidence

    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes[:40])
        first = retriever.search("violin near the quarry").confidence
    assert fits == [40]
    assert confidence() == confidence(read_only=True) == first
    assert fits == [40]

    confidence(config=RetrievalConfig().replace(text={"k1": 0.5}))  # other constants
    assert (list(fits), confidence()) == ([40, 40], first)
    assert fits == [40, 40, 40]  # for the latest stands there
    (note,) = (tmp_path / "kg.sqlite.index").glob("*/calibration.json")
    for content in (note.read_text()[:-9], ""):  # truncated
        note.write_text(content)
        assert confidence() == first
    assert fits == [40] * 5
    assert confidence() == first
    assert fits == [40] * 5

    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes[40:])
        retriever.search("violin")
        assert fits[-1] == 128  # grown: what stands there is too old
    shutil.rmtree(tmp_path / "kg.sqlite.index")
    confidence()
    assert fits[5:] == [128, 128]


@pytest.mark.parametrize(
    "strange",
    [
        *[{"calibration": value} for value in (None, [], {}, {"slope": 1.0}, 5, "x")],
        *[{"calibration": {"slope": s, "middle": -1.5, "chance": 0.0}} for s in ("2", None, [], float("nan"), -1.0)],
        *[{"calibration": {"slope": 2.5, "middle": m, "chance": c}} for m, c in ((1e999, 0.0), (-1.5, 1.0), (True, 0))],
        *[{"size": value} for value in (None, "x", [], 1e999, float("nan"))],
        *[{"key": value} for value in (None, 5)],
    ],
)
def test_a_note_that_says_strange_things_is_fitted_anew(tmp_path, monkeypatch, strange):
    monkeypatch.setattr(parts, "_DERIVED_FROM", 10)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(crafts()[:40])
        first = retriever.search("violin near the quarry").confidence
    (note,) = (tmp_path / "kg.sqlite.index").glob("*/calibration.json")
    said = files.read_note(note.parent, "calibration")
    for content in (said | strange, [5], "x"):
        files.write_note(note.parent, "calibration", {})
        note.write_text(files._sealed(json.dumps(content)))
        with Retriever(tmp_path / "kg.sqlite") as retriever:
            assert retriever.search("violin near the quarry").confidence == first
        assert files.read_note(note.parent, "calibration") == said
    note.write_text(files._sealed("[" * 100_000))
    assert files.read_note(note.parent, "calibration") is None


def test_a_model_that_may_cost_is_not_asked_for_it():
    asked = []

    def model(texts):
        asked.extend(texts)
        rng = np.random.default_rng(1)
        return [rng.normal(size=8) + 3 + len(text) % 3 for text in texts]

    with Retriever(embedder=model) as retriever:
        retriever.add(crafts()[:40])
        asked.clear()
        result = retriever.search("violin")
        assert asked == ["violin"]
        assert 0 <= result.confidence <= 1
        assert retriever._session.present()[1].calibrator.of(retriever.analysis.snapshot()).chance > 0.5


def test_ask_says_that_nothing_is_known(graph):
    answer = Questions(graph).ask("asdf")
    assert answer.headline().startswith("Nothing: the graph seems to know nothing of 'asdf'")
    assert not answer.ids
    assert Questions(graph).ask("violin near the quarry").ids


def test_sums_as_small_as_floats_are_no_fault():
    with Retriever() as retriever:
        retriever.add([Node("a", "deploy"), Node("b", "deploy again")], [Edge("a", "b", "uses")])
        snapshot, (query,) = retriever.analysis.prepare(["deploy"])
        scores = pipeline.run(snapshot, query, retriever.config)
    scores.table = replace(scores.table, total=np.full(len(scores.table.nodes), 5e-324))  # a quarter of it is 0
    with np.errstate(divide="raise", invalid="raise"):
        ways = Ways((scores.graph_proximity, scores.intent_proximity), scores.table.nodes)
        owed = grounds._owed(scores, ways, scores.table.nodes, NodeValues(scores.table.nodes, np.ones(2)))
    assert np.isfinite(owed).all()
