"""The comparison of `benchmarks/` runs from end to end on small collections, and its figures are what they say."""

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from fourfold.embed.static import bundled
from fourfold.evaluate import Run, bootstrap_interval, load_collection
from fourfold.evaluate.tune import answer_groups

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
SYSTEMS = ["default", "tuned", "tuned-ungated", "bm25s", "rank-bm25"]
ENDS = ("lan", "mer", "nis", "ton", "rug", "kel", "dov", "fim")
WORDS = [start + end for start in ("ba", "che", "gru") for end in ENDS]

pytest.importorskip("bm25s")
pytest.importorskip("rank_bm25")


def write_collection(folder, *, answers_are_linked):
    """Write a graph in BEIR form: every node has a name of its own and an edge to the next one.

    Questions name a node; what answers them is that node, or the one it is linked to.
    """
    folder.mkdir(parents=True)
    count = len(WORDS)
    nodes = [{"_id": w, "title": w, "text": f"{w} is number {i} of the list"} for i, w in enumerate(WORDS)]
    edges = [{"source": w, "target": WORDS[(i + 1) % count], "type": "feeds_into"} for i, w in enumerate(WORDS)]
    queries = [{"_id": f"q{i}", "text": f"what comes with {w}"} for i, w in enumerate(WORDS)]
    for name, records in (("corpus", nodes), ("edges", edges), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    shift = 1 if answers_are_linked else 0
    judged = [f"q{i}\t{WORDS[(i + shift) % count]}\t1\n" for i in range(count)]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged))


def quality(*arguments, datasets=None):
    """Run the script in this process and return what it printed; loading it again for each test takes too long."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        patch.syspath_prepend(BENCHMARKS)
        patch.delenv("FOURFOLD_DATASETS", raising=False)
        if datasets:
            patch.setenv("FOURFOLD_DATASETS", str(datasets))
        importlib.import_module("quality").main([str(argument) for argument in arguments])
    return printed.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quality")


@pytest.fixture(scope="module")
def done(folder):
    """Return what the script printed about two collections, after it wrote its results."""
    write_collection(folder / "data" / "linked", answers_are_linked=True)
    write_collection(folder / "data" / "named", answers_are_linked=False)
    options = ("--systems", *SYSTEMS, "--results", folder, "--markdown", folder / "table.md")
    return quality(*options, datasets=folder / "data")


@pytest.fixture(scope="module")
def results(done, folder):
    return json.loads((folder / "quality.json").read_text())["results"]


def test_it_prints_markdown_with_intervals_that_fits_120_columns(done, folder):
    table = (folder / "table.md").read_text()
    assert table.strip() in done
    assert max(map(len, table.splitlines())) <= 120
    for title in ("nDCG@10: mean and 95 % interval", "best other retriever", "R@5", "R@10", "Time of a query"):
        assert title in table
    assert all(name in table for name in SYSTEMS)
    assert table.count("| mean ") == 9  # of each measure ours and the others, and the differences


def test_intervals_are_those_of_the_scores_of_each_query(results, folder):
    groups = answer_groups(load_collection(folder / "data" / "linked").judgements.queries)
    for scores in results["linked"]["systems"].values():
        found = scores["ndcg@10"]
        expected = bootstrap_interval(list(found["by_query"].values()), groups=groups)
        assert (found["mean"], found["lower"], found["upper"]) == (expected.mean, expected.lower, expected.upper)
        assert scores["p50_ms"] > 0


def test_tuned_is_what_the_gate_lets_pass(results):
    linked, named = results["linked"]["systems"], results["named"]["systems"]
    assert linked["tuned"]["applied"] and not named["tuned"]["applied"]
    assert linked["tuned"]["ndcg@10"] == linked["tuned-ungated"]["ndcg@10"]
    assert linked["tuned"]["ndcg@10"]["lower"] > linked["default"]["ndcg@10"]["mean"]
    assert named["tuned"]["ndcg@10"] == named["default"]["ndcg@10"]


def test_ours_is_compared_with_the_best_other_retriever(results):
    for row in results.values():
        means = {name: scores["ndcg@10"]["mean"] for name, scores in row["systems"].items()}
        best = row["against"]["best"]
        assert means[best] == max(means["bm25s"], means["rank-bm25"])
        for name in ("default", "tuned"):
            assert row["against"][name]["difference"]["mean"] == pytest.approx(means[name] - means[best])


def test_answers_of_others_are_kept_as_runs_and_read_again(done, folder, results):
    cached = list(folder.glob("linked-bm25s-*.json"))
    run = Run.load(cached[0])
    assert run.facts["ndcg@10"] == results["linked"]["systems"]["bm25s"]["ndcg@10"]["by_query"]
    options = ("--no-tuned", "--systems", *SYSTEMS, "--collections", "linked", "--results", folder)
    again = quality(*options, datasets=folder / "data")
    assert list(folder.glob("linked-bm25s-*.json")) == cached and Run.load(cached[0]) == run
    assert "bm25s" in again and "tuned" not in again and "named" not in again


def test_without_collections_the_command_says_so():
    environment = {name: value for name, value in os.environ.items() if name != "FOURFOLD_DATASETS"}
    found = subprocess.run(
        [sys.executable, str(BENCHMARKS / "quality.py")], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == "FOURFOLD_DATASETS names no folder of collections; there is nothing to measure.\n"


def test_an_unknown_collection_is_an_error_in_one_sentence(done, folder):
    with pytest.raises(SystemExit, match="holds no collection named nope; it holds linked, named"):
        quality("--collections", "nope", datasets=folder / "data")


def test_vectors_are_measured_beside_the_dense_product(tmp_path):
    write_collection(tmp_path / "data" / "linked", answers_are_linked=True)
    options = ["--sizes", "400", "--questions", "8", "--timings", "2", "--json", str(tmp_path / "vectors.json")]
    found = subprocess.run(
        [sys.executable, str(BENCHMARKS / "vectors.py"), *options],
        env=os.environ | {"FOURFOLD_DATASETS": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=True,
    )
    figures = json.loads((tmp_path / "vectors.json").read_text())["figures"]
    assert [f["kind"] for f in figures] == ["exact", "faiss", "numpy"]
    assert all(f["ratio"]["dense"] == 1 and f["n"] == 400 for f in figures)
    assert figures[0]["recall@10"] == figures[0]["recall@60"] == 1
    assert "| 400 | faiss " in found.stdout


def test_a_transformer_is_a_rival_by_its_hybrid_and_by_its_vectors(done, folder, tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("")  # the model in the package stands in for the transformer
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(importlib.import_module("rival"), "transformer", bundled)
    found = quality("--rival", "minilm", "--results", tmp_path, datasets=folder / "data")
    assert "Beside a transformer" in found and "quality.py --rival minilm" in found
    rows = json.loads((tmp_path / "quality.json").read_text())["results"]
    for row in rows.values():
        means = {name: scores["ndcg@10"]["mean"] for name, scores in row["systems"].items()}
        beside = row["rival"]
        assert beside["means"] == pytest.approx(means)
        assert means[beside["single"]] == max(means["bm25"], means["minilm"])
        assert beside["over"]["difference"]["mean"] == pytest.approx(means["default-minilm"] - means["minilm-bm25s"])


def test_questions_are_made_of_facts_in_one_step_and_two(tmp_path):
    folder = tmp_path / "data" / "worldcup2014"
    write_collection(folder, answers_are_linked=False)
    kinds = {"feeds_into": "plays_in_club"}
    edges = [json.loads(line) for line in (folder / "edges.jsonl").read_text().splitlines()]
    players = [edge | {"type": kinds[edge["type"]]} for edge in edges[::2]]
    places = [edge | {"type": "is_in_country"} for edge in edges[1::2]]
    (folder / "edges.jsonl").write_text("".join(json.dumps(edge) + "\n" for edge in players + places))
    command = [sys.executable, str(BENCHMARKS / "facts.py"), "--max-queries", "10", "--results", str(tmp_path)]
    environment = os.environ | {"FOURFOLD_DATASETS": str(tmp_path / "data")}
    found = subprocess.run(
        [*command, "--collections", "worldcup2014"], env=environment, capture_output=True, text=True, check=True
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in found.stdout.splitlines()[2:]]
    assert [row[1:3] for row in rows] == [["its own", "10"], ["of one step", "10"], ["of two steps", "10"]]
    questions = json.loads((tmp_path / "facts.json").read_text())["questions"]["worldcup2014, of two steps"]
    following = {edge["source"]: edge["target"] for edge in edges}
    for text, told in questions.items():
        (start,) = [word for word in WORDS if word in text]
        assert told["answers"] == [following[following[start]]]


def test_tools_are_judged_by_the_gold_of_their_collection(tmp_path, monkeypatch, capsys):
    write_collection(tmp_path / "tools", answers_are_linked=False)
    qrels = tmp_path / "tools" / "qrels.tsv"
    qrels.write_text(qrels.read_text().replace("\t1\n", "\t2\n", 1))  # only the first question has a main tool
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setenv("FOURFOLD_DATASETS", str(tmp_path))
    tools = importlib.import_module("tools")
    values = tools.quality(tmp_path / "tools")
    assert values["questions"] == len(WORDS)
    assert values["main tool among the first 5"] == values["search_tools R@10"] == values["workflow recall"] == 1.0
    assert 0.0 < values["workflow precision"] <= 1.0
    tools.print_quality(["tools"])
    assert f"| questions | {len(WORDS)} |\n| main tool among the first 5 | 1.000 |" in capsys.readouterr().out
