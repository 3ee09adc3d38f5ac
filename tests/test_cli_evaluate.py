"""The commands that measure and learn, from a graph file to an applied config and back."""

import json
import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from fourfold import Edge, Node, Retriever
from fourfold.cli import create_app
from fourfold.cli import evaluate as cli_evaluate
from fourfold.evaluate import JudgedQuery, Run, load_judgements, save_probes, tune


def run(*args, code=0):
    result = CliRunner().invoke(create_app(), [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measured")
    herbs = "amber basil cedar dahlia elder fennel ginger hazel iris juniper kale lotus maple".split()
    names = [f"{a} {b}" for a in herbs for b in herbs if a < b]
    nodes = [Node(f"n{i:03}", name, text=herbs[i % 13]) for i, name in enumerate(names)]
    edges = [Edge(f"n{i:03}", f"n{77 - i:03}", "requires") for i in range(39)]
    edges += [Edge(f"n{i:03}", f"n{(5 * i + 3) % 78:03}", "near") for i in range(78) if (5 * i + 3) % 78 != i]
    queries = [JudgedQuery(str(i), f"what goes with {names[i]}", {f"n{77 - i:03}": 1.0}) for i in range(39)]
    with Retriever(folder / "kg.sqlite") as retriever:
        retriever.add(nodes, edges)
    save_probes(folder / "probes.jsonl", queries)
    return folder / "kg.sqlite", folder / "probes.jsonl"


@pytest.fixture
def few(graph, tmp_path):
    """The first twelve probes, for what takes its time for each."""
    path = tmp_path / "few.jsonl"
    path.write_text("".join(graph[1].read_text().splitlines(keepends=True)[:12]))
    return path


def test_eval_prints_measures_and_keeps_the_run(graph, tmp_path):
    db, probes = graph
    shown = run("eval", probes, "--db", db, "--save", tmp_path / "a.json", "--trec", tmp_path / "a.txt")
    assert "ndcg@10" in shown.stdout and "39 queries of probes" in shown.stdout
    assert Run.load(tmp_path / "a.json").rankings == Run.load(tmp_path / "a.txt").rankings
    found = json.loads(run("eval", probes, "--db", db, "-m", "recall@5", "--json").stdout)
    assert set(found["measures"]) == {"recall@5"} and found["queries"] == 39
    compared = json.loads(run("compare", tmp_path / "a.json", tmp_path / "a.txt", "--queries", probes, "--json").stdout)
    assert compared[0]["ties"] == 39 and compared[0]["p_holm"] == 1.0
    assert "two or more" in run("compare", tmp_path / "a.json", "--queries", probes, code=1).stderr


@pytest.mark.parametrize("command", [("eval",), ("ablate",), ("eval", "--each-intent")])
def test_a_measure_that_there_is_not_is_refused_before_anything_is_searched_for(graph, few, command, monkeypatch):
    monkeypatch.setattr(Retriever, "search", lambda *_, **__: pytest.fail("searched"))
    told = run(*command, few, "--db", graph[0], "-m", "ndgc@10", code=1).stderr
    assert "There is no measure 'ndgc@10'" in told


def test_runs_of_one_system_are_told_apart_by_their_files(graph, tmp_path):
    db, probes = graph
    (tmp_path / "later").mkdir()
    before, after = tmp_path / "before.json", tmp_path / "later" / "after.json"
    run("eval", probes, "--db", db, "--save", before)
    shutil.copy(before, after)
    shutil.copy(before, same := tmp_path / "later" / "before.json")
    shown = run("compare", before, after, "--queries", probes, "--html", tmp_path / "page.html").stdout
    assert "before.json" in shown and "after.json" in shown and "fourfold" not in shown
    assert "Against before.json" in (tmp_path / "page.html").read_text()
    told = json.loads(run("compare", before, same, after, "--queries", probes, "--json").stdout)
    assert [one["run"] for one in told] == [str(same), "after.json"]
    Run("rival", "", Run.load(before).rankings).save(after)
    told = json.loads(run("compare", before, after, "--queries", probes, "--json").stdout)
    assert [one["run"] for one in told] == ["rival"]


def test_a_run_of_other_queries_is_not_compared(graph, few, tmp_path):
    db, probes = graph
    run("eval", few, "--db", db, "--save", tmp_path / "few.json")
    run("eval", probes, "--db", db, "--save", tmp_path / "all.json")
    pair = (tmp_path / "all.json", tmp_path / "few.json")
    told = run("compare", *pair, "--queries", probes).stderr
    assert "few.json has no answer to 27 of the 39 queries of probes, such as '12'; that counts 0." in " ".join(
        told.split()
    )
    save_probes(tmp_path / "others.jsonl", [JudgedQuery("q1", "amber", {"n001": 1.0})])
    told = run("compare", *pair, "--queries", tmp_path / "others.jsonl", code=1).stderr
    assert "all.json answers none of the 1 query of others" in " ".join(told.split())


def test_queries_that_no_run_answers_are_left_out_of_a_comparison(graph, few, tmp_path):
    """Those that eval leaves out, as their answers are not in the graph, counted 0: its mean was another one."""
    db, both = graph[0], tmp_path / "both.jsonl"
    both.write_text(few.read_text() + '{"query": "lost", "expected": ["gone"]}\n')
    mean = json.loads(run("eval", both, "--db", db, "--save", tmp_path / "a.json", "--json").stdout)["measures"]
    shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
    compared = run("compare", tmp_path / "a.json", tmp_path / "b.json", "--queries", both)
    assert "No run has an answer to 1 of the 13 queries of both, such as '13'; these are left out." in " ".join(
        compared.stderr.split()
    )
    assert f"{mean['ndcg@10']['mean']:.3f}".removeprefix("0") in compared.stdout


def test_a_ladder_has_a_line_for_each_step_at_80_columns(graph, few, monkeypatch):
    """The interval, and the names of steps with it, stood in two or three lines each."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("ablate", few, "--db", graph[0]).stdout
    assert shown.index("ablation:") and all(" [" in line for line in shown.splitlines() if line.startswith("+ "))


def test_tune_applies_nothing_over_what_somebody_else_applied_meanwhile(graph, tmp_path, monkeypatch):
    probes, db = graph[1], shutil.copy(graph[0], tmp_path)

    def slow(retriever, *args, **options):
        with Retriever(db) as other:
            other.learning.apply_config(other.config.replace(limit=7))
        config = retriever.config.replace(limit=8)
        return replace(tune(retriever, load_judgements(probes).first(2), folds=2), config=config, worthwhile=True)

    monkeypatch.setattr("fourfold.cli.tuning.tune", slow)
    told = run("tune", probes, "--db", db, "--apply", code=1).stderr
    assert "tune again" in " ".join(told.split())
    with Retriever(db) as retriever:
        assert retriever.config.limit == 7


def test_unknown_ids_are_told(graph, tmp_path):
    db, _ = graph
    (tmp_path / "p.jsonl").write_text(
        '{"query": "amber", "expected": ["n001", "gone"]}\n{"query": "x", "expected": ["lost"]}'
    )
    answer = run("eval", tmp_path / "p.jsonl", "--db", db, "--json")
    assert (
        "ids are not in the graph: 2 ('gone', 'lost'). Queries left out, as they had no other judgement: 1."
        in answer.stderr
    )
    assert json.loads(answer.stdout)["unknown"] == ["gone", "lost"]
    assert run("eval", tmp_path / "p.jsonl", "--db", db).stdout.startswith("1 query of p ")
    for text, says in (
        ("", "'p' holds no judged query"),
        ('{"query": "x", "expected": ["lost"]}', "in the graph: 1 ('lost')"),
    ):
        (tmp_path / "p.jsonl").write_text(text)
        assert says in run("eval", tmp_path / "p.jsonl", "--db", db, code=1).stderr


def test_ablate_shows_ladder_and_ablation(graph, few, tmp_path):
    db, _ = graph
    report = tmp_path / "r.html"
    found = json.loads(run("ablate", few, "--db", db, "--html", report, "--json").stdout)
    assert [step["system"] for step in found["ladder"]][-1] == "+ paths"
    assert found["ablation"][0]["system"] == "whole"
    assert report.read_text().count("data:image/png") == 4


def test_tune_applies_only_when_told_and_can_be_taken_back(graph, few, monkeypatch):
    db, probes = graph
    learnt = []

    def once(*args, **options):  # what is learnt does not change between the two calls, and learning takes seconds
        learnt.append(learnt[0] if learnt else tune(*args, **options))
        return learnt[0]

    monkeypatch.setattr("fourfold.cli.tuning.tune", once)
    dry = json.loads(run("tune", probes, "--db", db, "--json").stdout)
    assert dry["verdict"].startswith("Better") and dry["applied"] is None
    assert dry["in force"]["lower"] <= dry["in force"]["mean"] < dry["in force"]["mean"] + dry["gain"]  # numbers all
    assert json.loads(run("info", "--db", db, "--json").stdout)["config_version"] == 0
    shown = run("tune", probes, "--db", db, "--apply").stdout
    assert "Better" in shown
    facts = json.loads(run("info", "--db", db, "--json").stdout)
    assert facts["config_version"] == 1 and facts["config_changes"]
    assert json.loads(run("ablate", few, "--db", db, "--json").stdout)["ladder"][-1]["system"] == "+ tuned"
    history = json.loads(run("tune", "--history", "--db", db, "--json").stdout)
    assert history["in_force"] == 1 and history["versions"][0]["evidence"]["queries"] == 39
    assert "version 0" in run("tune", "--rollback", "--db", db).stderr
    assert json.loads(run("info", "--db", db, "--json").stdout)["config_changes"] == {}


def test_tune_can_be_told_to_apply_what_the_gate_withholds(graph, few):
    db, _ = graph
    assert "say --apply --force" in run("tune", few, "--db", db, "--force", code=1).stderr
    held_back = json.loads(run("tune", few, "--db", db, "--apply", "--json").stdout)
    assert held_back["applied"] is None and held_back["learnt"]
    assert any(note.startswith("Seen on them") for note in held_back["notes"])
    forced = json.loads(run("tune", few, "--db", db, "--apply", "--force", "--json").stdout)
    assert forced["applied"]
    history = json.loads(run("tune", "--history", "--db", db, "--json").stdout)
    assert history["versions"][-1]["evidence"]["forced"] is True
    assert history["versions"][-1]["evidence"]["verdict"].startswith("Not applied")
    told = " ".join(run("tune", "--history", "--db", db).stdout.split())
    assert forced["verdict"].startswith("Applied by force, against the verdict: on queries")
    assert "against the verdict" in told and "Not applied" not in told
    run("tune", "--rollback", "--db", db)


def test_each_intent_is_tried_on_every_probe(graph, few):
    db, probes = graph
    found = json.loads(run("eval", probes, "--db", db, "--each-intent", "--json").stdout)
    assert found["measure"] == "ndcg@10" and len(found["queries"]) == 39
    assert {"as read", "default", "workflow", "semantic"} <= set(found["means"])
    one = found["queries"][0]
    most = max(value for name, value in one["values"].items() if name != "as read")
    assert all(one["values"][name] == pytest.approx(most) for name in one["best"])
    shown = run("eval", few, "--db", db, "--each-intent").stdout
    assert "served best by" in shown and "as read" in shown


@pytest.mark.parametrize("command", [("eval",), ("eval", "--each-intent"), ("ablate",)])
def test_measures_that_look_further_than_the_hits_asked_for_are_told(graph, few, command):
    said = run(*command, few, "--db", graph[0], "-k", "3", "-m", "ndcg@10", "--json").stderr
    assert "Each query is asked for 3 hits (-k)" in said and "of these: ndcg@10." in said
    assert "asked for" not in run(*command, few, "--db", graph[0], "-k", "3", "-m", "hit@3").stderr


@pytest.mark.parametrize(
    "option", [("--save", "kept"), ("--trec", "kept"), ("--html", "kept"), ("-m", "mrr", "-m", "map")]
)
def test_each_intent_refuses_to_keep_what_it_does_not_keep(graph, few, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    assert "leave " in run("eval", few, "--db", graph[0], "--each-intent", *option, code=1).stderr


@pytest.mark.parametrize("two", [("--apply", "--rollback"), ("--apply", "--history"), ("--rollback", "--history")])
def test_tune_does_one_thing_at_a_time(graph, few, two):
    assert f"{' and '.join(two)} are done one at a time." in run("tune", few, "--db", graph[0], *two, code=1).stderr


def test_tune_without_labels_says_where_to_get_them(graph):
    db, _ = graph
    assert "holds no feedback" in run("tune", "--db", db, code=1).stderr


def test_an_interrupted_tune_says_that_nothing_was_applied(graph, monkeypatch):
    db, probes = graph

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fourfold.cli.tuning.tune", interrupted)
    assert "nothing was applied" in run("tune", probes, "--db", db, "--apply", code=130).stderr


def test_probes_are_written_and_called_synthetic(graph, tmp_path):
    db, _ = graph
    answer = run("probes", "--db", db, "--count", 10, "--out", tmp_path / "s.jsonl")
    assert "10 synthetic probes" in answer.stderr
    assert all(query.synthetic for query in load_judgements(tmp_path / "s.jsonl"))
    assert "synthetic" in run("eval", tmp_path / "s.jsonl", "--db", db).stderr
    assert (
        len(json.loads(run("probes", "--db", db, "--count", 10, "--out", tmp_path / "t.jsonl", "--json").stdout)) == 10
    )


def test_what_is_trained_and_applied_by_force_is_not_said_to_be_unchanged(graph, monkeypatch):
    told = "Nothing was changed: it is not sure that what was held out is found better."
    facts = {"held_out": {}, "forced": True, "verdict": told}

    def trained(*args, apply, **options):
        return SimpleNamespace(
            verdict=told, facts=facts, embedder=SimpleNamespace(name="own"), worthwhile=False, generation=apply or None
        )

    monkeypatch.setattr("fourfold.cli.embedder.train_embedder", trained)
    assert "Nothing was changed" in run("train-embedder", "--db", graph[0]).stdout
    shown = run("train-embedder", "--db", graph[0], "--apply", "--force").stdout
    assert "against the verdict" in shown and "Nothing was changed" not in shown
    assert ["applied", "yes"] in map(str.split, shown.splitlines())  # it was 1


@pytest.mark.parametrize("command", [("eval", "--save"), ("eval", "--trec"), ("eval", "--html"), ("ablate", "--html")])
def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(graph, few, tmp_path, monkeypatch, command):
    name, option = command
    monkeypatch.setattr(cli_evaluate, "evaluate", pytest.fail)
    monkeypatch.setattr(cli_evaluate, "run_variants", pytest.fail)
    lost = tmp_path / "no" / "kept"
    said = run(name, few, "--db", graph[0], option, lost, code=2).stderr
    assert f"there is no folder {str(lost.parent)!r} to write 'kept' in." in said
    assert "is a folder; give the path of a file." in run(name, few, "--db", graph[0], option, tmp_path, code=2).stderr


def test_a_report_without_matplotlib_is_refused_before_anything_is_measured(graph, few, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(cli_evaluate, "run_variants", pytest.fail)
    said = run("ablate", few, "--db", graph[0], "--html", tmp_path / "r.html", code=1).stderr
    assert "pip install 'fourfold[report]'" in said
