"""The command line as its users meet it: what it prints, its exit codes, and one sentence instead of a traceback."""

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console
from typer.main import get_command
from typer.testing import CliRunner

from fourfold import Components, Edge, Evidence, Hit, Node, Retriever, SearchResult, Weights, __version__, cli
from fourfold.cli import GROUPS, create_app, output
from fourfold.plain_text import plain_text
from fourfold.questions import Questions

LINES = [
    {"kind": "node", "id": "save", "name": "write_file", "type": "tool", "text": "Save data to disk."},
    {"kind": "node", "id": "open", "name": "open_file", "type": "tool", "text": "Open a file.", "metadata": {"n": 1}},
    {"id": "disk", "name": "disk", "type": "place", "text": "Where files live.", "metadata": {"n": 2}},
    {"kind": "edge", "source": "save", "target": "open", "type": "requires", "weight": 0.5},
    {"source": "open", "target": "disk", "type": "depends_on"},
]


def run(*args, **options):
    return CliRunner().invoke(create_app(), [str(arg) for arg in args], **options)


def write(path: Path, lines) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    path = folder / "kg.sqlite"
    result = run("index", write(folder / "g.jsonl", LINES), "--db", path)
    assert result.exit_code == 0, result.output
    return path


def sentence(result, code: int) -> str:
    """Return what stands on stderr, which must be one line; nothing may stand on stdout."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    line = result.stderr.removesuffix("\n")
    assert line.startswith("fourfold: ") and line.endswith((".", "lowest", "help.")), line
    assert "\n" not in line and "Traceback" not in line
    return line


def test_every_command_is_there_and_has_help():
    listed = run("--help").stdout
    for name in ("demo", "index", "search", "explain", "info"):
        assert name in listed
        answer = run(name, "--help")
        assert answer.exit_code == 0 and "--json" in answer.stdout, name


@pytest.mark.parametrize("group", GROUPS)
def test_a_command_loads_its_own_module_only(group):
    for command in GROUPS[group]:
        assert set(get_command(create_app(command)).commands) == set(GROUPS[group])


def test_the_help_breaks_no_line_of_its_own():
    for command in create_app().registered_commands:
        assert command.help
        assert not any("\n" in paragraph for paragraph in command.help.split("\n\n")), command.name


def test_version():
    assert run("--version").stdout == f"fourfold {__version__}\n"


def test_index_says_what_it_added(tmp_path):
    path = write(tmp_path / "g.jsonl", ["\ufeff" + json.dumps(LINES[0]), "", *LINES[1:]])
    answer = run("index", path, "--db", tmp_path / "kg.sqlite")
    assert "Nodes added: 3, edges added: 2." in answer.stdout
    assert answer.stdout.endswith("now holds 3 nodes and 2 edges.\n")
    one = run("index", write(tmp_path / "one.jsonl", [{"id": "a"}]), "--db", tmp_path / "one.sqlite")
    assert one.stdout.endswith("now holds 1 node and 0 edges.\n")
    copied = run("copy", tmp_path / "one.sqlite", tmp_path / "two.sqlite").stdout
    assert "holds 1 node, 0 edges and 1 vector, the same" in copied
    assert "1 node and 0 edges are as" in run("check", "--db", tmp_path / "two.sqlite").stdout
    again = json.loads(run("index", path, "--db", tmp_path / "kg.sqlite", "--json").stdout)
    assert again["added"] == {"nodes": 3, "edges": 2}
    assert (again["nodes"], again["edges"]) == (3, 2)


def test_an_index_that_fails_leaves_no_new_file(tmp_path, db):
    lost = write(tmp_path / "g.jsonl", [LINES[0], {"source": LINES[0]["id"], "target": "nobody"}])
    assert "nobody" in sentence(run("index", lost, "--db", tmp_path / "new.sqlite"), 1)
    assert not list(tmp_path.glob("new.sqlite*"))
    before = json.loads(run("info", "--db", db, "--json").stdout)
    sentence(run("index", lost, "--db", db), 1)
    assert json.loads(run("info", "--db", db, "--json").stdout) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no JSON"),
        ("[1, 2]", "[1, 2]"),
        ('{"kind": "thing", "id": "x"}', '"thing"'),
        ('{"kind": ["node"], "id": "x"}', '["node"]'),
        ('{"name": "no id"}', "no id"),
        ('{"id": ""}', "no id"),
        ('{"id": 7}', "is 7"),
        ('{"id": "x", "colour": "red"}', "'colour'"),
        ('{"id": "x", "metadata": [1]}', "metadata"),
        ('{"id": "x", "metadata": {"a": NaN}}', "NaN"),
        ('{"id": "x", "vector": "1 2"}', "vector"),
        ('{"source": "save"}', "no target"),
        ('{"source": "save", "target": "open", "weight": true}', "weight"),
        ('{"source": "save", "target": "open", "weight": -1}', "-1"),
        ('{"source": "save", "target": "open", "weight": 1e999}', "inf"),
        ("[" * 100_000, "nested"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_malformed_line_is_named_and_nothing_is_written(tmp_path, line, said):
    path = tmp_path / "g.jsonl"
    path.write_bytes(json.dumps(LINES[0]).encode() + b"\n" + (line if isinstance(line, bytes) else line.encode()))
    told = sentence(run("index", path, "--db", tmp_path / "kg.sqlite"), 1)
    assert f"{path}, line 2: " in told
    assert said in told
    assert not (tmp_path / "kg.sqlite").exists()


def test_an_edge_to_nowhere_leaves_the_graph_as_it_was(tmp_path, db):
    before = json.loads(run("info", "--db", db, "--json").stdout)
    path = write(tmp_path / "g.jsonl", [{"id": "new"}, {"source": "new", "target": "nowhere"}])
    assert "'nowhere'" in sentence(run("index", path, "--db", db), 1)
    assert json.loads(run("info", "--db", db, "--json").stdout) == before


def test_a_file_that_is_missing_or_empty(tmp_path):
    target = ("--db", tmp_path / "kg.sqlite")
    assert "missing.jsonl" in sentence(run("index", tmp_path / "missing.jsonl", *target), 1)
    assert "no node" in sentence(run("index", write(tmp_path / "g.jsonl", []), *target), 1)


def test_search_shows_score_components_and_why(db):
    shown = run("search", "save data", "--db", db).stdout
    assert "intent goal_based" in shown
    assert all(name in shown for name in ("embedding", "text", "graph", "write_file", "id save", "matches save"))
    assert max(map(len, shown.splitlines())) <= 80


def test_search_json_is_the_result_itself(db):
    answer = json.loads(run("search", "save data", "--db", db, "--json").stdout)
    assert answer["hits"][0]["id"] == "save"
    assert set(answer["hits"][0]["components"]) == {"embedding", "text", "graph", "intent"}
    assert answer["hits"][0]["why"]


def test_search_options_reach_the_retriever(db):
    def ids(*options):
        answer = json.loads(run("search", "file disk", "--db", db, "--json", *options).stdout)
        return [hit["id"] for hit in answer["hits"]]

    assert len(ids("-k", "1")) == 1
    assert ids("--filter", '{"n": {"$gte": 2}}') == ["disk"]
    assert ids("--min-score", "1.1") == []
    assert len(ids("--group-by", "n")) == 3
    answer = json.loads(run("search", "disk", "--db", db, "--json", "--intent", "workflow", "--mode", "text").stdout)
    assert (answer["intent"], answer["mode"]) == ("workflow", "text")
    weights = json.loads(
        run("search", "disk", "--db", db, "--json", "--weights", "embedding=0,text=1,graph=0,intent=0").stdout
    )["weights"]
    assert weights == {"embedding": 0, "text": 1, "graph": 0, "intent": 0}


def test_explain_adds_up(db):
    answer = json.loads(run("explain", "save data", "open", "--db", db, "--json").stdout)
    assert sum(part["value"] for part in answer["contributions"]) == pytest.approx(answer["score"])
    shown = run("explain", "save data", "open", "--db", db).stdout
    assert "rank 2" in shown and "requires" in shown and f"{answer['score']:.4f}" in shown


def test_explain_takes_a_name_offers_the_nearest_and_explains_a_search_of_any_length(db):
    by_id = run("explain", "save data", "open", "--db", db).stdout
    assert run("explain", "save data", "OPEN_FILE", "--db", db).stdout == by_id
    assert "the nearest are 'open'" in sentence(run("explain", "save data", "opne", "--db", db), 1)
    for k in ("1", "2"):
        hits = json.loads(run("search", "save data", "-k", k, "--db", db, "--json").stdout)["hits"]
        told = json.loads(run("explain", "save data", hits[0]["id"], "-k", k, "--db", db, "--json").stdout)
        assert told["score"] == hits[0]["score"]
    assert '"rank": null' in run("explain", "save data", "open", "-k", "1", "--db", db, "--json").stdout


def test_info(db):
    facts = json.loads(run("info", "--db", db, "--json").stdout)
    assert (facts["nodes"], facts["edges"], facts["dimensions"]) == (3, 2, 256)
    assert "requires, depends_on" in run("info", "--db", db).stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-k", "0"], "k is 0"),
        (["--filter", '{"n": {"$near": 1}}'], "$near"),
        (["--weights", "text=-1"], "-1"),
        (["--weights", "embedding=0,text=0,graph=0,intent=0"], "0"),
        (["--intent", "gossip"], "gossip"),
    ],
)
def test_a_value_that_cannot_be_meant_is_an_error(db, options, said):
    assert said in sentence(run("search", "x", "--db", db, *options), 1)


@pytest.mark.parametrize(
    "args",
    [
        ["bogus"],
        ["serch"],
        ["search"],
        ["search", "x"],
        ["search", "x", "--db", "x", "--bogus"],
        ["search", "x", "--db", "x", "-k", "many"],
        ["search", "x", "--db", "x", "--filter", "{"],
        ["search", "x", "--db", "x", "--filter", "[]"],
        ["search", "x", "--db", "x", "--filter", '{"n": {"$gte": 1}, "n": {"$lt": 2}}'],
        ["search", "x", "--db", "x", "--weights", "text=1,text=2"],
        ["search", "x", "--db", "x", "--filter", '{"a":' * 5_000],
        ["search", "x", "--db", "x", "--filter", '{"a": ' + "9" * 5_000 + "}"],
        ["search", "x", "--db", "x", "--weights", "text"],
        ["search", "x", "--db", "x", "--weights", "words=1"],
        ["search", "x", "--db", "x", "--mode", "psychic"],
        ["explain", "x"],
        ["--bogus"],
    ],
)
def test_a_wrong_call_is_exit_code_2(args):
    told = sentence(run(*args), 2)
    assert "--help" in told and len(told) < 500 and "?." not in told


def test_a_search_that_can_have_no_hit_says_why(db, tmp_path):
    empty = tmp_path / "empty.sqlite"
    Retriever(empty).close()
    assert "The graph is empty; fourfold index" in run("search", "save", "--db", empty).stdout
    for wanted, says in ({"langg": "en"}, "No node passes the filter"), ({}, "matches"):
        told = [
            run("search", "save", "--db", db, "--filter", json.dumps(wanted), *more).stdout
            for more in ((), ("--json",))
        ]
        assert all(says in text for text in told)
    assert "Nothing that was found passes min_score 2." in run("search", "save", "--db", db, "--min-score", "2").stdout


def test_hits_of_a_question_that_nothing_is_known_of_are_called_the_nearest(db):
    told = run("search", "interest rates of central banks", "--db", db).stdout
    assert "nothing of this (confidence 0." in told and "); nearest to it:\n" in told
    assert " 1 0." in told and "Nothing:" not in told
    told = run("search", "interest rates of central banks", "--db", db, "--min-confidence", "0.9").stdout
    assert "Nothing that was found passes min_confidence 0.9." in told and "nearest to it" not in told


def test_files_that_cannot_be_searched(tmp_path, db):
    missing = tmp_path / "missing.sqlite"
    for args in (["info"], ["search", "x"], ["explain", "x", "y"], ["check"], ["check", "--json"]):
        assert "missing.sqlite" in sentence(run(*args, "--db", missing), 1)
    assert not missing.exists()
    text = write(tmp_path / "text", ["this is no database"])
    assert str(text) in sentence(run("info", "--db", text), 1)
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE invoices (total)")
    connection.close()
    assert "foreign.sqlite" in sentence(run("info", "--db", foreign), 1)
    assert "'nobody'" in sentence(run("explain", "x", "nobody", "--db", db), 1)


def test_a_bar_is_as_long_as_the_score():
    weights = Weights(0.25, 0.25, 0.25, 0.25)
    hit = Hit(Node(id="a", name="[bold]name[/bold]"), 1.0, Components(1.0, 1.0, 1.0, 1.0), "embedding")
    half = Hit(Node(id="b"), 0.525, Components(1.0, 1.0, 0.0, 0.0), "embedding")
    console = Console(file=io.StringIO(), width=80)
    output.show_result(console, SearchResult("q", (hit, half), "semantic", weights))
    shown = console.file.getvalue()
    assert "[bold]name[/bold]" in shown  # text of a node is data, not markup
    assert "█" * 6 + "▓" * 6 + "▒" * 6 + "░" * 6 in shown
    assert "█" * 6 + "▓" * 6 + "+" in shown


def test_a_bar_and_its_legend_show_what_came_on_top_and_was_taken_off():
    weights = Weights(0.25, 0.25, 0.25, 0.25)
    taken = (Evidence("bridge", "bridge", 0.25), Evidence("coverage", "coverage", -0.625))
    hit = Hit(Node(id="a"), 0.125, Components(1.0, 1.0, 0.0, 0.0), "embedding", evidence=taken)
    raised = Hit(Node(id="b"), 0.5, Components(1.0, 0.0, 0.0, 0.0), "embedding", evidence=taken[:1])
    shown = io.StringIO()
    console = Console(file=shown, width=80)
    for hits in ((hit,), (raised,), ()):
        result = SearchResult("q", hits, "semantic", weights)
        output.show_result(console, result)
        output.show_legend(console, [result])
    first, second, third = shown.getvalue().split("a piece of a bar")[:3]
    assert "███" + "·" * 15 + " " in first and "· taken off again" in first and "+ other" not in first
    assert "█" * 6 + "+" * 6 + " " in second and "+ other" in second and "taken off" not in second
    assert "+ other" not in third


def fourfold(*args, **options):
    """Run the command in a process of its own."""
    env = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "fourfold", *map(str, args)], capture_output=True, timeout=120, env=env, **options
    )


def test_a_real_process_speaks_plainly(db):
    done = fourfold("search", "save data", "--db", db, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and b"write_file" in done.stdout and done.stderr == b""
    bad = fourfold("search", b"caf\xff".decode(errors="surrogateescape"), "--db", db, "--json")
    assert bad.returncode == 0, bad.stderr
    json.loads(bad.stdout)
    wrong = fourfold("search", "x", "--db", "nowhere.sqlite")
    assert wrong.returncode == 1 and wrong.stdout == b"" and wrong.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are no bytes there")
def test_what_was_typed_in_a_locale_of_ascii_is_read_as_utf_8(tmp_path):
    db = tmp_path / "größe.sqlite"
    with Retriever(db) as retriever:
        nodes = [Node("größe", "Zürich", metadata={"ä": "ö"}), Node("b", "Bern"), Node("東", "東京")]
        retriever.add(nodes, [Edge("größe", "東", "neben")])
    ascii_only = {"PYTHONUTF8": "0", "LC_ALL": "C"}
    asked = [
        ("search", "Zürich", "--filter", '{"ä": "ö"}', "--group-by", "ä"),
        ("explain", "Zürich", "größe"),
        ("path", "Zürich", "東京"),
        ("ask", "is it near?", "--node", "größe", "--to", "東"),
    ]
    for command in asked:
        expected, found = run(*command, "--db", db, "--json"), fourfold(*command, "--db", db, "--json", env=ascii_only)
        assert found.returncode == 0, found.stderr
        assert json.loads(found.stdout) == json.loads(expected.stdout)
    unknown = fourfold("search", "Zürich", "--db", db, "--intent", "ü", env=ascii_only)
    assert unknown.returncode == 1 and b"udc" not in unknown.stderr


STOPPED = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell makes what it runs beside itself deaf
from fourfold import cli
from fourfold.cli import graph

def wait(self, *args, **options):
    print("here", flush=True)
    while True:
        time.sleep(0.05)

graph.Retriever.add = wait
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process is ended otherwise there")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_says_so_and_leaves_nothing_half_written(tmp_path, number, code):
    lines = write(tmp_path / "g.jsonl", LINES)
    command = [sys.executable, "-c", STOPPED, "index", lines, "--db", tmp_path / "new.sqlite"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as stopped:
        assert stopped.stdout.readline() == "here\n"
        stopped.send_signal(number)
        out, said = stopped.communicate(timeout=60)
    assert (stopped.returncode, out, said) == (code, "", "fourfold: Stopped.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["g.jsonl"]


def test_the_command_runs_in_a_thread_of_another_program_too():
    """It ended in a ValueError there: only the main thread may say what becomes of signals."""
    program = (
        "import signal, sys, threading; from fourfold import cli\n"
        "sys.argv[1:] = ['--version']\n"
        "thread = threading.Thread(target=cli.main); thread.start(); thread.join()\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"fourfold {__version__}\n", "")


def test_a_reader_that_goes_away_is_no_error(db):
    process = subprocess.Popen(
        [sys.executable, "-m", "fourfold", "search", "disk", "--db", db], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=120)
    assert b"Traceback" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the platform has no full disk to write to")
def test_a_disk_that_is_full_is_a_sentence(db):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fourfold", "info", "--db", db], stdout=full, stderr=subprocess.PIPE, timeout=120
        )
    assert (done.returncode, done.stderr) == (1, b"fourfold: No space left on device.\n")


def test_without_typer_a_sentence_names_the_extra():
    code = "import sys; sys.modules['typer'] = None; from fourfold.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "pip install 'fourfold[cli]'" in done.stderr


def test_ctrl_c_while_packages_load_is_no_traceback(monkeypatch):
    def stopped(command):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "create_app", stopped)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130


def test_the_demo(tmp_path):
    done = fourfold("demo", "--db", tmp_path / "stdlib.sqlite", "--json", "-k", "3")
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert told["graph"]["nodes"] > 3000 and told["graph"]["edges"] > 6000
    assert [result["intent"] for result in told["results"]] == [
        "workflow",
        "comparison",
        "exploratory",
        "exact_match",
        "goal_based",
        "goal_based",
    ]
    assert [result["total"] for result in told["results"]] == [3, 3, 3, 3, 3, 0], "asdf is answered by nothing"
    assert [hit["id"] for hit in told["results"][0]["hits"]][1] == "argparse.ArgumentParser"
    assert {"threading", "multiprocessing"} <= {hit["id"] for hit in told["results"][1]["hits"]}
    assert told["results"][3]["hits"][0]["id"] == "zipfile.ZipFile"
    assert told["explanation"]["rank"] is not None
    kept = run("search", "json", "--db", tmp_path / "stdlib.sqlite", "-k", "1", "--json")
    assert json.loads(kept.stdout)["hits"][0]["id"] == "json"
    same_library = told["graph"]["nodes"] == 4270  # that of another Python is another graph
    root = Path(__file__).parent.parent
    readme, measured = [(root / page).read_text(encoding="utf-8") for page in ("README.md", "docs/measured.md")]
    pictures = [part.partition("```")[0].splitlines() for part in readme.split("```text\n")[1:]]
    asked = (["search", pictures[0][0], "-k", "3"], ["explain", "how to parse command line arguments", "argparse"])
    for picture, command in zip(pictures, asked, strict=True):
        shown = [line.rstrip() for line in run(*command, "--db", tmp_path / "stdlib.sqlite").stdout.splitlines()]
        weights = next(line for line in picture if line.startswith("intent "))
        assert weights in shown, "the README shows the answer of other weights"
        assert shown == picture or not same_library, "the README shows what was answered before"
    measures = ("recall@5", "semantic_recall@5", "ndcg@10")
    asked = [part for name in measures for part in ("--measure", name)]
    probes = Path(__file__).parent / "data" / "stdlib_probes.jsonl"
    told = json.loads(run("eval", probes, "--db", tmp_path / "stdlib.sqlite", *asked, "--json").stdout)["measures"]
    whole = " | ".join(f"{told[name]['mean']:.3f}".removeprefix("0") for name in measures)
    shown = f"| + paths | {whole} |" in measured
    assert shown or not same_library, "the last row of the ladder in docs/measured.md is that of other weights"


def test_only_index_and_demo_make_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries = write(tmp_path / "queries.jsonl", [{"query": "a file", "expected": ["save"]}])
    calls = {
        "search": [["q"]],
        "explain": [["q", "n"]],
        "ask": [["q"]],
        "path": [["a", "b"]],
        "impact": [["a"]],
        "info": [[]],
        "reembed": [[]],
        "train-embedder": [[]],
        "eval": [[queries]],
        "ablate": [[queries]],
        "tune": [[queries], [queries, "--apply"], ["--rollback"], ["--history"]],
        "probes": [[]],
        "lens": [["--no-browser"]],
    }
    assert set(get_command(create_app()).commands) == {*calls, "index", "demo", "compare", "copy", "check"}
    for command, variants in calls.items():
        for arguments in variants:
            result = run(command, *arguments, "--db", "mistyped.sqlite")
            assert result.exit_code == 1, (command, result.output)
            assert "There is no file 'mistyped.sqlite'" in result.stderr
            assert not list(tmp_path.glob("mistyped*")), command


def test_a_graph_of_another_model_is_asked_by_its_name(tmp_path, monkeypatch):
    db = tmp_path / "kg.sqlite"
    with Retriever(db) as retriever:
        vectors = [[1.0, 0.0], [0.0, 1.0]]
        nodes = [Node(n, n, text="A text.", vector=v) for n, v in zip("ab", vectors, strict=True)]
        retriever.add(nodes, vectors_by="gemini:gemini-embedding-001:2")
    queries = write(tmp_path / "queries.jsonl", [{"query": "a text", "expected": ["a"]}])
    calls = {"search": ["a text"], "explain": ["a text", "a"], "ask": ["a text"], "eval": [queries], "tune": [queries]}
    for command, arguments in calls.items():
        result = run(command, *arguments, "--db", db)
        assert result.exit_code == 1, (command, result.output)
        assert "--model gemini:gemini-embedding-001:2" in result.stderr
        assert run(command, *arguments, "--db", db, "--model", "nowhere").exit_code == 1
        assert "--model" in run(command, "--help").output


def test_a_hit_shows_the_passage_that_fits():
    text = "Nothing of interest. " * 20 + "It charges cards.\x1b[31m " + "Nothing else. " * 20
    hit = Hit(Node(id="pay", name="Payments", text=text), 0.5, Components(1.0, 1.0, 0.0, 0.0), "embedding")
    console = Console(file=io.StringIO(), width=100)
    output.show_result(console, SearchResult("who charges cards", (hit,), "semantic", Weights(1, 1, 1, 1)))
    shown = console.file.getvalue()
    assert "It charges cards." in shown and "\x1b[31m" not in shown and len(shown) < 1000


EVIL = "\x1b]0;pwned\x07 \u202eeman \x9b31m\x00"[:-1]


@pytest.fixture
def evil(tmp_path):
    path = str(tmp_path / "evil.sqlite")
    with Retriever(path) as graph:
        nodes = [Node(f"x{EVIL}", f"evil {EVIL} zip", f"t{EVIL}", f"zip {EVIL}"), Node("y", "zip")]
        graph.add(nodes, [Edge("y", f"x{EVIL}", f"re{EVIL}q")])
    return path


@pytest.mark.parametrize(
    "command",
    [
        *(["search", "zip"], ["search", "zip", "--json"], ["explain", "zip", f"x{EVIL}"], ["info"], ["ask", "zip"]),
        *(
            ["path", "y", f"x{EVIL}"],
            ["impact", f"x{EVIL}"],
            ["path", "y", f"x{EVIL}", "--mermaid"],
            ["path", "y", EVIL],
        ),
    ],
)
def test_nothing_that_a_graph_holds_steers_the_terminal(evil, command):
    done = run(*command, "--db", evil)
    shown = done.stdout + done.stderr
    assert shown and not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n" for c in shown)
    if "--json" in command:
        assert any(hit["id"] == f"x{EVIL}" for hit in json.loads(done.stdout)["hits"])


def test_nothing_that_a_graph_holds_steers_the_terminal_of_python(evil):
    with Retriever(evil) as graph:
        questions = Questions(graph)
        answers = (
            graph.search("zip"),
            graph.explain("zip", "y"),
            questions.ask("zip"),
            questions.trace_path("y", f"x{EVIL}"),
        )
        for answer in answers:
            assert plain_text(str(answer)) == str(answer)


@pytest.fixture()
def theirs(tmp_path):
    """A file that another application keeps a graph in."""
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, description TEXT);"
            "CREATE TABLE relations (source_id INTEGER, target_id INTEGER, rel_type TEXT);"
            "INSERT INTO entities VALUES (1, 'write_file', 'tool', 'Save data to disk');"
            "INSERT INTO entities VALUES (2, 'permission', 'concept', '');"
            "INSERT INTO relations VALUES (1, 2, 'requires');"
        )
    connection.close()
    return path


@pytest.mark.parametrize(
    "command, found",
    [
        (["search", "save data"], "reached from write_file via requires"),
        (["explain", "save data", "write_file"], "at rank 1"),
        (["ask", "what does write_file require?"], "permission"),
        (["path", "write_file", "permission"], "requires"),
        (["impact", "permission"], "write_file"),
        (["info"], "nodes           2"),
        (["probes"], "synthetic question"),
    ],
)
def test_commands_that_only_read_read_the_tables_of_another_application(theirs, command, found):
    refused = sentence(run(*command, "--db", theirs), 1)
    assert "--foreign" in refused and not theirs.with_name("theirs.db.fourfold").exists()
    before = theirs.read_bytes()
    done = run(*command, "--db", theirs, "--foreign")
    assert done.exit_code == 0 and found in done.stdout, done.output
    assert theirs.read_bytes() == before and theirs.with_name("theirs.db.fourfold").exists()


def test_answers_from_the_tables_of_another_application_are_measured(theirs, tmp_path):
    queries = write(tmp_path / "queries.jsonl", [{"query": "save data", "expected": ["1"]}])
    done = run("eval", queries, "--db", theirs, "--foreign", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["measures"]["ndcg@10"]["mean"] == 1.0


@pytest.mark.parametrize("name", ["notes[old].sqlite", "a[/b].sqlite", ":warning:[bold].sqlite"])
def test_brackets_and_colons_in_a_path_are_shown_as_they_are(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    write(tmp_path / "g.jsonl", LINES)
    made = run("index", "g.jsonl", "--db", name)
    assert made.exit_code == 0 and f"{name} now holds 3 nodes" in made.output
    assert f"{name}: 3 nodes" in run("check", "--db", name).output


def test_what_a_file_notes_of_its_configs_is_shown_as_it_is(db):
    with Retriever(db) as retriever:
        retriever.learning.apply_config(retriever.config.replace(graph={"hub_cap": 10}), evidence={"by": "[/me] :x:"})
    shown = run("tune", "--history", "--db", db)
    assert shown.exit_code == 0 and "[/me] :x:" in shown.output


def test_a_place_that_is_no_folder_is_told_as_such(tmp_path):
    """What was to be taken away again was told instead: Not a directory."""
    graph = write(tmp_path / "graph.jsonl", [{"id": "a"}])
    said = sentence(run("index", graph, "--db", tmp_path / "graph.jsonl" / "kg.sqlite"), 1)
    assert "there is no folder" in said
