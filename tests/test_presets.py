"""A graph under a preset, by name: made for it, copied for it, in the library and in every command."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourfold import Edge, FourfoldWarning, InvalidValueError, Node, RetrievalConfig, Retriever, StoreError
from fourfold.cli import create_app
from fourfold.evaluate import ladder
from fourfold.learning import Learning
from fourfold.presets import PRESETS, copied, open_under, preset
from fourfold.session import Session

NODES = [
    Node("w", "write_file", "tool", "Saves data to a file.", {"lang": "en"}),
    Node("r", "read_file", "tool", "Reads a file.", {"lang": "en"}),
    Node("p", "path", "idea", "Where a file is."),
]
EDGES = [Edge("w", "p", "requires", 2.0), Edge("r", "p", "requires")]


@pytest.fixture
def path(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(NODES, EDGES)
    return tmp_path / "kg.sqlite"


def run(*arguments):
    return CliRunner().invoke(create_app(), list(map(str, arguments)))


@pytest.mark.parametrize("brought", [False, True])
def test_a_copy_in_memory_holds_a_part_of_the_graph_beside_it(tmp_path, monkeypatch, brought):
    """All nodes, edges and vectors at once were half of what a copy of a large graph took."""
    at_once, write = [], Session.write

    def spy(session, nodes, edges, **options):
        at_once.append(max(len(nodes), len(edges)))
        return write(session, nodes, edges, **options)

    monkeypatch.setattr("fourfold.presets._TOGETHER", 10, raising=False)
    nodes = [Node(f"n{i:02d}", f"node {i}", text=f"text of {i}", metadata={"n": i}) for i in range(35)]
    if brought:  # the first ten have none
        nodes = [replace(node, vector=[0.5, i] if i > 12 else None) for i, node in enumerate(nodes)]
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(
            nodes, [Edge(f"n{i:02d}", f"n{i * 7 % 35:02d}", ("next", "uses")[i % 2], i / 7) for i in range(35)]
        )
        monkeypatch.setattr(Session, "write", spy)
        with copied(retriever, RetrievalConfig.published()) as copy:
            ids = list(retriever.manifest())
            assert copy.manifest() == retriever.manifest() and copy.edges(ids) == retriever.edges(ids)
            assert copy.backend.edge_type_names() == retriever.backend.edge_type_names()
            own, theirs = copy.vectors(ids), retriever.vectors(ids)
            assert own.keys() == theirs.keys() and len(own) == (22 if brought else 35)
            assert not brought or all((own[identity] == theirs[identity]).all() for identity in own)
    assert max(at_once) == 10


def test_presets_are_the_configs_of_that_name():
    assert [preset(name) for name in PRESETS] == [
        RetrievalConfig(),
        RetrievalConfig.published(),
        RetrievalConfig.two_signal(),
    ]
    with pytest.raises(InvalidValueError, match="no preset 'publisht'; there are default, published, two-signal"):
        preset("publisht")


def test_every_constant_that_differs_from_the_published_one_is_named_with_its_worth():
    told = (Path(__file__).parents[1] / "docs" / "defaults.md").read_text("utf-8")
    default, published = RetrievalConfig().as_dict(), RetrievalConfig.published().as_dict()
    differ = {f"{group}.{name}" for group in default if isinstance(default[group], dict) for name in default[group]}
    differ = {name for name in differ if _at(default, name) != _at(published, name)}
    assert len(differ) > 20
    assert not [name for name in sorted(differ) if f"`{name}" not in told]


def _at(config, name):
    group, constant = name.split(".")
    return config[group][constant]


def test_a_config_stands_for_a_preset_and_not_beside_one(path):
    with open_under(None, path, config=RetrievalConfig(limit=3)) as retriever:
        assert retriever.config.limit == 3
    with pytest.raises(InvalidValueError, match="preset and config are two names of one thing"):
        open_under("default", path, config=RetrievalConfig())


@pytest.mark.parametrize("name", PRESETS)
def test_a_graph_made_under_a_preset_keeps_it(tmp_path, name):
    with open_under(name, tmp_path / "kg.sqlite") as retriever:
        retriever.add(NODES, EDGES)
        expected = retriever.search("save a file").as_dict()
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        assert retriever.config == preset(name)
        assert retriever.search("save a file").as_dict() == expected


def test_a_graph_that_cannot_keep_its_preset_is_closed(tmp_path, monkeypatch):
    """It was held open for as long as the error was."""

    def refuse(*args, **options):
        raise StoreError("The disk is full.")

    closed, close = [], Retriever.close
    monkeypatch.setattr(Learning, "apply_config", refuse)
    monkeypatch.setattr(Retriever, "close", lambda retriever: closed.append(retriever.path) or close(retriever))
    with pytest.raises(StoreError, match="disk is full"):
        open_under("published", tmp_path / "kg.sqlite")
    assert closed == [str(tmp_path / "kg.sqlite")]


def test_another_graph_is_copied_and_answers_as_one_made_so(path, tmp_path):
    before = path.read_bytes()
    with open_under("published", tmp_path / "made.sqlite") as made:
        made.add(NODES, EDGES)
        expected = made.search("save a file")
    with (
        pytest.warns(FourfoldWarning, match="was not made for the preset 'published': a copy of its 3 nodes"),
        open_under("published", path, read_only=True) as scratch,
    ):
        found = scratch.search("save a file")
        assert scratch.path == ":memory:"
    assert (found.ids, found.intent, found.weights) == (expected.ids, expected.intent, expected.weights)
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected])
    assert path.read_bytes() == before


def test_where_nothing_has_to_be_read_anew_nothing_is_copied(path):
    with open_under("two-signal", path, read_only=True) as retriever:
        assert retriever.path == str(path) and retriever.config == RetrievalConfig.two_signal()
    with open_under(None, path, read_only=True) as retriever:
        assert retriever.config == RetrievalConfig()
        assert retriever.learning.config_versions() == []


def test_vectors_of_a_caller_are_taken_over():
    with Retriever() as source:
        source.add([Node("a", "alpha", vector=[1, 0, 0]), Node("b", "beta", vector=[0, 1, 0])])
        with copied(source, RetrievalConfig.published()) as scratch:
            assert scratch.search("", query_vector=[0, 1, 0], mode="embedding").ids[0] == "b"


@pytest.mark.filterwarnings("ignore::fourfold.FourfoldWarning")
def test_every_command_takes_a_preset(path, tmp_path):
    graph = tmp_path / "graph.jsonl"
    graph.write_text("\n".join(json.dumps({"id": n.id, "name": n.name, "text": n.text}) for n in NODES))
    made = tmp_path / "made.sqlite"
    assert run("index", graph, "--db", made, "--preset", "published").exit_code == 0
    with Retriever(made, read_only=True) as retriever:
        assert retriever.info()["tokenizer"] == "suffix"
    (tmp_path / "q.jsonl").write_text(json.dumps({"query": "save data", "expected": ["w"]}))
    for command in (
        ("search", "save data"),
        ("explain", "save data", "w"),
        ("ask", "save data"),
        ("eval", tmp_path / "q.jsonl"),
        ("ablate", tmp_path / "q.jsonl"),
    ):
        for db in (made, path):
            done = run(*command, "--db", db, "--preset", "published", "--json")
            assert done.exit_code == 0, (command, done.output)
            json.loads(done.stdout)
    assert "is none of default, published" in run("search", "x", "--db", path, "--preset", "other").stderr
    refused = run("tune", tmp_path / "q.jsonl", "--db", path, "--preset", "published", "--apply")
    assert refused.exit_code == 1 and "nothing of it can be applied there" in refused.stderr


@pytest.mark.filterwarnings("ignore::fourfold.FourfoldWarning")
def test_nothing_is_indexed_into_a_copy_that_is_gone_afterwards(path, tmp_path):
    (tmp_path / "more.jsonl").write_text('{"id": "new"}')
    refused = run("index", tmp_path / "more.jsonl", "--db", path, "--preset", "published")
    assert refused.exit_code == 1 and "index into a new file" in refused.stderr and not refused.stdout
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A")
    assert run("index", tmp_path / "notes", "--db", path, "--preset", "published").exit_code == 1
    assert run("index", tmp_path / "more.jsonl", "--db", path, "--preset", "two-signal").exit_code == 0
    with Retriever(path, read_only=True) as retriever:
        assert len(retriever) == 4


@pytest.mark.filterwarnings("ignore::fourfold.FourfoldWarning")
def test_lens_keeps_no_judgement_in_a_copy(path, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "fourfold.lens.Lens", lambda retriever, **options: shown.append(options["read_only"]) or Shown()
    )
    for name in ("published", "two-signal"):
        run("lens", "--db", path, "--preset", name)
    assert shown == [True, False]


class Shown:
    def serve(self, **options):
        pass


@pytest.mark.parametrize("name", PRESETS)
def test_the_ladder_of_each_preset_begins_with_bm25_alone_and_ends_with_itself(name):
    steps = ladder(preset(name))
    assert [step.name for step in steps[:2]] == ["BM25", "embedding"]
    assert steps[-1].config == preset(name)
    assert (steps[0].mode, steps[1].mode) == ("text", "embedding")
