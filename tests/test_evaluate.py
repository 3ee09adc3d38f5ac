"""Runs, ladder, ablations, synthetic probes and the report, on a small graph with real searches."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import Edge, InvalidValueError, MissingExtraError, Node, RetrievalConfig, Retriever, Weights
from fourfold.evaluate import (
    JudgedQuery,
    Judgements,
    Run,
    Variant,
    ablations,
    evaluate,
    known_to,
    ladder,
    run_variants,
    save_probes,
    suggest_probes,
    summarise,
    tune,
    weight_sweep,
    write_report,
)
from fourfold.evaluate.statistics import p_in_words
from fourfold.ingest import Document, add_documents

NODES = [
    Node("w", "write_file", "tool", "Writes text to a file on disk. Fails if the folder is missing."),
    Node("r", "read_file", "tool", "Reads a file from disk and returns its text."),
    Node("m", "make_folder", "tool", "Creates a folder and all folders above it."),
    Node("d", "delete_file", "tool", "Removes a file from disk for good."),
    Node("p", "permission error", "limitation", "The user may not change this place."),
    Node("<b>x</b>", "<script>alert(1)</script>", "tool", "Shows a message & more."),
]
EDGES = [Edge("w", "m", "requires"), Edge("w", "p", "has_limitation"), Edge("d", "p", "has_limitation")]
QUERIES = Judgements(
    "small",
    (
        JudgedQuery("1", "save text to disk", {"w": 2.0, "m": 1.0}, {"m": ("d",)}),
        JudgedQuery("2", "why does writing fail", {"p": 1.0}, intent="debugging"),
        JudgedQuery("3", "show <script>message", {"<b>x</b>": 1.0}),
        JudgedQuery("4", "zzz", {"r": 1.0}),
    ),
)


@pytest.fixture(scope="module")
def retriever():
    with Retriever(":memory:") as opened:
        opened.add(NODES, EDGES)
        yield opened


def test_a_run_is_what_search_answers(retriever):
    run = evaluate(retriever, QUERIES, k=3)
    for query in QUERIES:
        result = retriever.search(query.text, k=3)
        assert run.rankings[query.id] == result.ids
        assert run.scores[query.id] == [hit.score for hit in result.hits]
        assert run.intents[query.id] == result.intent
    summary = summarise(run, QUERIES, measures=["recall@3", "semantic_recall@3"])
    assert summary.measures["recall@3"].mean == pytest.approx(run.values(QUERIES, "recall@3").mean())
    assert summary.measures["semantic_recall@3"].mean >= summary.measures["recall@3"].mean
    assert summary.counts["debugging"] == 1  # the author's word counts more than the pattern's
    json.dumps(summary.as_dict())


def test_evaluating_asks_each_question_once_after_one_that_loads_all_and_remembers_none(retriever, monkeypatch):
    many = Judgements("many", tuple(JudgedQuery(str(i), f"save {i} files", {"w": 1.0}) for i in range(300)))
    asked, search = [], retriever.search
    monkeypatch.setattr(retriever, "search", lambda text, **options: asked.append(text) or search(text, **options))
    for _ in range(2):
        run = evaluate(retriever, many)
        assert set(run.seconds) == {query.id for query in many} and all(run.seconds.values())
    assert asked == [many.queries[0].text, *(query.text for query in many)] * 2


def test_what_the_first_search_of_a_process_loads_is_no_answer_s_time(monkeypatch):
    asked, day, clock = [], 86_400.0, time.perf_counter
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + day * bool(asked))

    def slow_at_first(texts):
        asked.extend(texts)
        return [[1.0, len(text) % 7, text.count("o")] for text in texts]

    with Retriever(":memory:", embedder=slow_at_first) as retriever:
        retriever.add([Node("a", text="a text", vector=[1.0, 2.0, 0.0])])
        run = evaluate(retriever, [JudgedQuery("1", "which text", {"a": 1.0})])
    assert asked == ["which text"] * 2 and run.latency()["p95_ms"] < 1000 * day


def test_a_query_without_an_answer_counts_zero():
    run = Run("x", "", {"1": ["w"]})
    assert run.values(QUERIES, "hit@1").tolist() == [1.0, 0.0, 0.0, 0.0]


names = st.text(st.sampled_from("aä%2{ \t\n\r\x1c\x85\xa0\u2028\u3000\ufeff"), max_size=4)
ids = st.lists(names, unique=True, min_size=1)


@given(st.dictionaries(names, ids, max_size=3))
def test_runs_survive_both_forms(tmp_path_factory, rankings):
    folder = tmp_path_factory.mktemp("runs")
    scores = {query: [float(len(found) - place) for place in range(len(found))] for query, found in rankings.items()}
    run = Run("my system", "c", rankings, scores)
    run.save(folder / "run.json")
    assert Run.load(folder / "run.json") == run
    run.save_trec(folder / "run.txt")
    again = Run.load(folder / "run.txt")
    assert again.rankings == rankings and again.scores == scores
    assert again.system == ("my system" if rankings else "run")


def test_a_file_that_is_no_run_is_refused(tmp_path):
    for content in ('{"a": 1}', "1 Q0 x", "{"):
        (tmp_path / "run").write_text(content)
        with pytest.raises(InvalidValueError, match="run"):
            Run.load(tmp_path / "run")


@pytest.mark.parametrize("line", ["<html>" * 10_000, "q Q0 a 1 nan s", "q Q0 a 1 inf s"])
def test_a_line_that_is_none_of_a_run_is_shown_no_longer_than_a_sentence_holds(tmp_path, line):
    (tmp_path / "run.txt").write_text(f"q Q0 b 1 3 s\n{line}\n")
    with pytest.raises(InvalidValueError, match=r"run.txt, line 2 is no line of a TREC run") as raised:
        Run.load(tmp_path / "run.txt")
    assert len(str(raised.value)) < 500 + len(str(tmp_path))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("q Q0 a 1 3 s\n\nq Q0 b 2 2 s\nq Q0 a 3 1 s\n", "line 4: the query 'q' was answered with 'a' before"),
        ('{"system": "s", "collection": "", "rankings": {"q": ["a", "b", "a"]}}', "'q' was answered with 'a' before"),
    ],
)
def test_a_run_that_names_an_id_twice_is_refused(tmp_path, content, complaint):
    (tmp_path / "run").write_text(content)
    with pytest.raises(InvalidValueError, match=complaint):
        Run.load(tmp_path / "run")


@pytest.mark.parametrize("measure", ["ndcg@10", "map@10", "precision@2", "recall@2"])
def test_an_id_that_is_named_twice_counts_once(measure):
    query = JudgedQuery("q", "?", {"a": 1.0, "b": 1.0})
    twice, once = (Run("s", "", {"q": ids}).values([query], measure)[0] for ids in (["a", "a", "b"], ["a", "b"]))
    assert twice == once == 1.0


@pytest.mark.parametrize(
    ("queries", "sentence"),
    [
        (["save"], "'save' is no JudgedQuery"),
        ([QUERIES.queries[0]] * 2, "the id '1' is that of 2 queries"),
        ([JudgedQuery("1", "save", ["w"])], r"relevant of '1' is \['w'\]; it must be node ids with their grades"),
        ([JudgedQuery("1", "save", {"w": float("nan")})], "the grade of 'w' is nan"),
    ],
)
def test_what_is_no_judged_query_is_refused_wherever_it_is_given(retriever, queries, sentence, tmp_path):
    empty = Run("x", "", {})
    for ask in (
        lambda: evaluate(retriever, queries),
        lambda: run_variants(retriever, queries, ladder(retriever.config)[:1]),
        lambda: tune(retriever, queries),
        lambda: summarise(empty, queries),
        lambda: save_probes(tmp_path / "probes.jsonl", queries),
    ):
        with pytest.raises(InvalidValueError, match=sentence):
            ask()
    assert not list(tmp_path.iterdir())


def test_one_measure_is_a_name_and_a_confidence_is_below_1():
    run = Run("x", "", {"1": ["w"]})
    assert set(summarise(run, QUERIES, measures="hit@1").measures) == {"hit@1"}
    with pytest.raises(InvalidValueError, match="confidence is 95; it must be between 0 and 1"):
        summarise(run, QUERIES, confidence=95)


def test_unknown_ids_are_listed_and_skipped(retriever):
    extra = replace(QUERIES, queries=(*QUERIES.queries, JudgedQuery("5", "q", {"nowhere": 1.0})))
    judged = known_to(retriever, extra)
    assert judged.unknown == ("nowhere",) and len(judged) == 4
    with pytest.raises(InvalidValueError, match="No judged query"):
        known_to(retriever, Judgements("x", extra.queries[4:]))


@pytest.fixture(scope="module")
def library():
    texts = {
        "w": "Whales are mammals that live in the sea and sing songs. " * 300,
        "c": "Cats are small predators kept as pets.",
        "t": "Trains run on rails.",
    }
    with Retriever(":memory:") as opened:
        add_documents(opened, [Document(id=name, title=name, text=text) for name, text in texts.items()])
        assert len(opened) > 10
        yield opened


def both_ways(retriever, queries, k):
    whole = Variant("whole", retriever.config)
    return [evaluate(retriever, queries, k=k), *run_variants(retriever, queries, [whole], k=k)]


def test_a_chunk_that_is_found_finds_its_document(library):
    queries = [
        JudgedQuery("1", "do whales sing songs in the sea?", {"w": 1.0}),
        JudgedQuery("2", "whales that sing beside cats", {"c": 1.0}),
    ]
    for run in both_ways(library, queries, 2):
        assert run.rankings["1"][0] == "w" and run.values(queries, "hit@1")[0] == 1
        assert set(run.rankings["2"]) == {"w", "c"}  # the other chunks take no places
        assert all(len(run.scores[query.id]) == len(run.rankings[query.id]) for query in queries)


def test_judgements_that_name_chunks_are_answered_by_chunks(library):
    text = "do whales sing songs in the sea?"
    found = library.search(text, k=3).ids
    for others in ([], [JudgedQuery("2", text, {"w": 1.0})]):
        for run in both_ways(library, [JudgedQuery("1", text, {found[2]: 1.0}), *others], 3):
            assert run.rankings["1"] == found
    both = JudgedQuery("1", text, {"w": 1.0, found[2]: 1.0})
    for run in both_ways(library, [both], 2):
        assert run.rankings["1"] == ["w", found[2]]


def test_tuning_says_that_it_cannot_follow_documents_in_chunks(library):
    asked = [JudgedQuery("1", "whales", {"w": 1.0}), JudgedQuery("2", "cats", {"c": 1.0})]
    assert "1 queries name documents that are in chunks, such as 'w'" in tune(library, asked).notes[0]
    assert not any("chunks" in note for note in tune(library, asked[1:]).notes)


def test_the_ladder_climbs_to_the_config_in_force(retriever):
    steps = ladder(RetrievalConfig())
    assert [step.name for step in steps][:3] == ["BM25", "embedding", "+ BM25"]
    assert [step.name for step in steps][6::5] == ["+ intents", "+ paths"]
    assert steps[-1].config == RetrievalConfig() and len({step.config for step in steps}) == len(steps)
    assert steps[6].config.fusion.late.depth == 0 and steps[7].config.fusion.late.depth > 0
    tuned = RetrievalConfig().replace(fusion={"weights": Weights(0.1, 0.2, 0.3, 0.4)})
    assert ladder(tuned)[-1].config is tuned
    runs = run_variants(retriever, QUERIES, steps)
    own = evaluate(retriever, QUERIES)
    assert runs[-1].rankings == own.rankings and runs[-1].scores == own.scores
    assert [step.mode for step in steps[:3]] == ["text", "embedding", "hybrid"]
    alone = evaluate(retriever, QUERIES, weights=Weights(1, 0, 0, 0), mode="embedding")
    assert runs[1].rankings["1"] == alone.rankings["1"]


def test_an_ablated_component_plays_no_part(retriever):
    by_name = {variant.name: variant.config for variant in ablations(RetrievalConfig())}
    assert by_name["whole"] == RetrievalConfig()
    assert by_name["− graph"].fusion.weights.graph == 0 and by_name["− graph"].fusion.weights.text > 0
    published = {variant.name: variant.config for variant in ablations(RetrievalConfig.published())}
    assert all(spec.profile.text == 0 for spec in published["− text"].intents.specs)
    for variant in ablations(RetrievalConfig()):
        assert len(run_variants(retriever, QUERIES, [variant])[0].rankings) == 4
    assert weight_sweep(RetrievalConfig(), "graph", [0.7])[0].config.fusion.weights.graph == 0.7


def test_more_hits_than_a_number_of_the_engine_can_hold_may_be_asked_for(retriever):
    (whole, *_), (few, *_) = (run_variants(retriever, QUERIES, ladder(retriever.config), k=k) for k in (10**30, 100))
    assert whole.rankings == few.rankings


def test_probes_of_the_graph_are_marked_synthetic_and_name_its_nodes(retriever):
    probes = suggest_probes(retriever, count=12)
    assert probes == suggest_probes(retriever, count=12)
    assert 3 <= len(probes) <= 12 and all(probe.synthetic for probe in probes)
    ids = {node.id for node in NODES}
    assert all(set(probe.relevant) <= ids for probe in probes)
    texts = {probe.text for probe in probes}
    assert "write_file" in texts and "Writes text to a file on disk." in texts
    assert any("requires" in text or "has limitation" in text for text in texts)
    with Retriever(":memory:") as empty, pytest.raises(InvalidValueError, match="no nodes"):
        suggest_probes(empty)


@pytest.mark.parametrize("bad", [{"seed": -5}, {"seed": 1.5}, {"count": 0}, {"count": "x"}])
def test_probes_of_a_seed_or_a_count_that_cannot_be_meant_are_refused(bad):
    with Retriever() as retriever, pytest.raises(InvalidValueError, match=f"{next(iter(bad))} is .*whole number"):
        retriever.add([Node("a", "alpha", text="The first letter of all.")])
        suggest_probes(retriever, **bad)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.ids.add(values.get("id"))
        if tag == "a":
            self.links.append(values["href"])


def test_the_report_shows_plots_and_explains_wins_and_losses(retriever, tmp_path):
    runs = run_variants(retriever, QUERIES, ladder(RetrievalConfig()))
    worse = replace(runs[-1], system="backwards", rankings={q: r[::-1] for q, r in runs[-1].rankings.items()})
    swept = run_variants(retriever, QUERIES, weight_sweep(RetrievalConfig(), "graph", (0.0, 0.5)))
    sweeps = {"graph": dict(zip((0.0, 0.5), swept, strict=True))}
    write_report(tmp_path / "r.html", QUERIES, [worse, *runs], retriever=retriever, sweeps=sweeps)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.tags.count("img") == 4 and text.count("data:image/png;base64,") == 4
    assert page.links and all(link.removeprefix("#") in page.ids for link in page.links)
    assert "script" not in page.tags and 'src="http' not in text


def test_the_report_of_one_run_lists_the_questions_it_answers_worst(retriever, tmp_path):
    (run,) = run_variants(retriever, QUERIES, ladder(RetrievalConfig())[:1])
    failed = {**run.rankings, QUERIES.queries[1].id: ()}
    write_report(
        tmp_path / "r.html",
        QUERIES,
        [replace(run, rankings=failed)],
        retriever=retriever,
        main_measure="recall@3",
        measures=["hit@1"],
    )
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert "<th>recall@3</th><th>hit@1</th><th>median ms</th>" in text and "ndcg" not in text
    worst = text.partition("<h2>Answered worst</h2>")[2]
    assert worst.index("0.000") < worst.index(QUERIES.queries[1].text)
    assert page.links and all(link.removeprefix("#") in page.ids for link in page.links)


def test_a_report_says_of_what_is_not_in_the_graph_that_it_is_not(retriever, tmp_path):
    """One judged node that was deleted since, or a question with half a character, and there was no report."""
    judged = Judgements(
        "two", (JudgedQuery("1", "write a file", {"gone": 1.0, "r": 1.0}), JudgedQuery("2", "\ud800", {}))
    )
    run = Run("before", "", {"1": ["lost", "r"], "2": []})
    write_report(tmp_path / "r.html", judged, [run], retriever=retriever)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<p>gone is not in the graph.</p>" in text and "<p>lost is not in the graph.</p>" in text
    assert "read_file" in text


def test_a_p_value_is_never_0():
    assert [p_in_words(p) for p in (0.5, 0.00012, 0.00005, 0.0)] == ["0.5000", "0.0001", "< .0001", "< .0001"]


def test_plots_say_which_extra_they_need():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.figure'] = None\n"
        "from fourfold.evaluate import *\n"
        "write_report('x.html', Judgements('s', (JudgedQuery('1', 'q', {'a': 1}),)), [Run('r', '', {'1': ['a']})])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "MissingExtraError: Plots need matplotlib; run: pip install 'fourfold[report]'" in found.stderr
    assert issubclass(MissingExtraError, ImportError)
