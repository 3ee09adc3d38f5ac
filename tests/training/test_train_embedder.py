"""Training an embedder from a real graph file: the gate, the file, kill and resume, bad input, the command."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourfold import Edge, EmbedderMismatchError, InvalidValueError, Node, Retriever, StoreError, UnsupportedError
from fourfold.cli import create_app
from fourfold.embed.contextual.training import Settings
from fourfold.embed.static import bundled
from fourfold.training import train_embedder
from fourfold.training.embedder import judge

QUICK = Settings(steps=60, edges=64, nodes=32)
QUESTION = "what stands near it"


def graph(groups=40, seed=0):
    """Nodes in groups; half of a group says one thing, half another, and edges lead from one half to the other.

    Nothing but the edges tells that the two sets of words belong together.
    """
    vocabulary = json.loads(bundled().token_vectors()[0])["model"]["vocab"]
    words = sorted(word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 4)
    chance = np.random.default_rng(seed)
    words = chance.choice(words, 5 * groups, replace=False).tolist()
    shared = words[4 * groups :]
    nodes, edges = [], []
    for group in range(groups):
        halves = words[4 * group : 4 * group + 2], words[4 * group + 2 : 4 * group + 4]
        for number in range(6):
            name, other = chance.permutation(halves[number % 2])
            text = " ".join([other, *chance.choice(shared, 4, replace=False)])
            nodes.append(Node(id=f"{group}-{number}", name=name, text=text))
        edges += [Edge(f"{group}-{a}", f"{group}-{b}", "near") for a in (0, 2, 4) for b in (1, 3, 5)]
    return nodes, edges


@pytest.fixture
def path(tmp_path):
    nodes, edges = graph()
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes, edges)
    return tmp_path / "kg.sqlite"


def test_what_helps_is_kept_in_the_file(path):
    with Retriever(path) as retriever:
        before = retriever.search(QUESTION).ids
        found = train_embedder(retriever, settings=QUICK)
        assert found.worthwhile, found.verdict
        assert found.generation == retriever.generation
        assert retriever.embedder.name == found.embedder.name
        answers = retriever.search(QUESTION)
        assert answers.ids
        assert not answers.degraded
    assert before
    with Retriever(path) as opened:  # the model lives in the file
        assert opened.embedder.name == found.embedder.name
        assert opened.search(QUESTION).ids == answers.ids
        info = opened.info()
        assert info["embedder"] == found.embedder.name
        assert info["embedder_training"]["steps"] == found.trained.steps
        opened.add([Node(id="new", name="anchor rope", text="wharf tide")])
        assert "new" in opened.search("anchor rope").ids
        opened.maintenance.reembed()  # and goes with its vectors
        assert "embedder_training" not in opened.info()
    with Retriever(path) as opened:
        assert opened.embedder.name.startswith("static:")
        assert opened.backend.model(found.embedder.name) is None
    assert not Path(f"{path}.training").exists()


def test_node_vectors_know_their_neighbours(path):
    with Retriever(path) as retriever:
        found = train_embedder(retriever, settings=QUICK)
        ids = list(retriever.manifest())
        place = {identity: number for number, identity in enumerate(ids)}
        nodes = retriever.get(ids)
        texts = np.asarray(found.embedder.embed_documents([retriever.analysis.text_of(node) for node in nodes]))
        texts /= np.linalg.norm(texts, axis=1, keepdims=True)
        joined = np.zeros((len(nodes), len(nodes)))
        for edge in retriever.edges(ids):
            joined[place[edge.source], place[edge.target]] += 1
            joined[place[edge.target], place[edge.source]] += 1
        totals = joined.sum(axis=1, keepdims=True)
        share = QUICK.own_share
        expected = share * texts + (1 - share) * joined @ texts / totals
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        nums = retriever.backend.nums(ids)
        found_at = retriever.analysis.snapshot().vectors.at(np.array([nums[identity] for identity in ids]))
        np.testing.assert_allclose(found_at, expected, atol=1e-5)


def test_two_trainings_with_one_seed_are_equal_to_the_byte(path):
    with Retriever(path) as retriever:
        once, again = (train_embedder(retriever, settings=QUICK, apply=False) for _ in range(2))
    assert once.embedder.to_bytes() == again.embedder.to_bytes()


def test_a_dry_run_changes_nothing(path):
    with Retriever(path) as retriever:
        generation = retriever.generation
        assert train_embedder(retriever, settings=QUICK, apply=False).generation is None
        assert retriever.generation == generation
        assert retriever.embedder.name.startswith("static:")


def test_edges_at_random_teach_nothing_and_are_refused(tmp_path):
    nodes, _ = graph()
    chance = np.random.default_rng(1)
    edges = [Edge(nodes[a].id, nodes[b].id, "near") for a, b in chance.integers(0, len(nodes), (400, 2)) if a != b]
    bare = [Node(id=node.id, text=f"{number:04d} {number * 7919 % 10007:05d}") for number, node in enumerate(nodes)]
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(bare, edges)
        found = train_embedder(retriever, settings=QUICK)
        assert not found.worthwhile
        assert found.verdict.startswith("Nothing was changed")
        assert retriever.embedder.name.startswith("static:")


KILLED = """
import sys, time
from fourfold import Retriever
from fourfold.embed.contextual.training import Settings
from fourfold.embed.static import bundled
from fourfold.training import train_embedder

def waiting(what, done, total):
    print(what, done, flush=True)
    if done >= 20:
        time.sleep(600)  # to be killed here, however late that comes

with Retriever(sys.argv[1]) as retriever:
    train_embedder(retriever, settings=Settings(steps=60, edges=64, nodes=32), progress=waiting)
"""


def test_a_killed_training_resumes_to_the_same_bytes(path, tmp_path):
    with Retriever(path) as retriever:
        whole = train_embedder(retriever, settings=QUICK, apply=False)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert child.stdout is not None
    lines = [child.stdout.readline().split() for _ in range(2)]
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert lines[0] == ["training", "10"]
    assert Path(f"{path}.training").exists()
    steps = []
    with Retriever(path) as retriever:
        found = train_embedder(retriever, settings=QUICK, progress=lambda what, done, total: steps.append((what, done)))
    assert steps[0][1] > 10  # it did not begin again
    assert found.embedder.to_bytes() == whole.embedder.to_bytes()


def test_a_state_of_another_graph_is_not_continued(path):
    with Retriever(path) as retriever:
        whole = train_embedder(retriever, settings=QUICK, apply=False)
        Path(f"{path}.training").write_bytes(b"the state of something else")
        again = train_embedder(retriever, settings=QUICK, apply=False)
    assert again.embedder.to_bytes() == whole.embedder.to_bytes()


def test_a_state_that_cannot_be_kept_is_told_in_a_sentence(path):
    Path(f"{path}.training").mkdir()
    with Retriever(path) as retriever, pytest.raises(StoreError, match=r"The state of the training .*\.training'"):
        train_embedder(retriever, settings=QUICK, apply=False)


@pytest.mark.parametrize("nodes", [[], [Node(id="a")], [Node(id="a", name="one"), Node(id="b", name="two")]])
def test_a_graph_that_teaches_nothing(nodes):
    with Retriever() as retriever:
        retriever.add(nodes)
        with pytest.raises(InvalidValueError, match="holds no edges, titles or texts"):
            train_embedder(retriever, settings=QUICK)


def test_one_node_and_no_edges():
    with Retriever() as retriever:
        retriever.add([Node(id="a", name="a name", text="some text of more than four words")])
        found = train_embedder(retriever, settings=QUICK)
        assert not found.worthwhile
        assert "could be held out" in found.verdict


def test_a_file_that_cannot_be_written_is_refused_before_the_work(path):
    with Retriever(path, read_only=True) as retriever:
        steps = []
        with pytest.raises(StoreError, match="read-only"):
            train_embedder(retriever, settings=QUICK, progress=lambda *step: steps.append(step))
        assert not steps
        assert train_embedder(retriever, settings=QUICK, apply=False).worthwhile


def test_edges_alone():
    with Retriever() as retriever:
        retriever.add([Node(id=str(n)) for n in range(30)], [Edge(str(n), str((n + 1) % 30)) for n in range(30)])
        assert not train_embedder(retriever, settings=QUICK).worthwhile
        forced = train_embedder(retriever, settings=QUICK, force=True)
        assert forced.generation is not None and not forced.worthwhile
        assert retriever.info()["embedder_training"]["forced"] is True


def test_a_graph_changed_by_another_retriever_says_so(path):
    with Retriever(path, embedder=None) as one, Retriever(path) as other:
        one.search(QUESTION)
        found = train_embedder(other, settings=QUICK)
        assert found.worthwhile
        assert one.search(QUESTION).ids == other.search(QUESTION).ids  # it takes the model from the file


def test_another_embedder_is_refused(path):
    with Retriever(path) as retriever:
        train_embedder(retriever, settings=QUICK)
    with pytest.raises(EmbedderMismatchError, match=r"contextual:.*fourfold reembed"):
        Retriever(path, embedder=lambda texts: np.ones((len(texts), 3)))


def test_the_gate():
    def measured(**means):
        chance = np.random.default_rng(0)
        return {kind: np.clip(mean + 0.05 * chance.normal(size=60), 0, 1) for kind, mean in means.items()}

    same = measured(edges=0.3, titles=0.5)
    assert not judge(same, same)[0]
    assert judge(same, measured(edges=0.4, titles=0.5))[0]
    worse = judge(same, measured(edges=0.5, titles=0.4))
    assert not worse[0]
    assert "held-out titles are found worse" in worse[1]
    assert not judge({}, {})[0]


def test_the_command(path, tmp_path):
    runner = CliRunner()
    missing = runner.invoke(create_app(), ["train-embedder", "--db", str(tmp_path / "none.sqlite")])
    assert missing.exit_code == 1
    assert not (tmp_path / "none.sqlite").exists()
    dry = runner.invoke(create_app(), ["train-embedder", "--db", str(path), "--steps", "60", "--json"])
    assert dry.exit_code == 0, dry.output
    assert json.loads(dry.stdout)["applied"] is False
    real = runner.invoke(create_app(), ["train-embedder", "--db", str(path), "--steps", "60", "--apply", "--json"])
    facts = json.loads(real.stdout)
    assert facts["applied"] is True, facts
    assert facts["embedder"] == json.loads(dry.stdout)["embedder"]
    shown = runner.invoke(create_app(), ["info", "--db", str(path)])
    assert facts["embedder"] in shown.output.replace("\n", "")


@pytest.mark.parametrize("apply", [True, False])
def test_an_engine_that_keeps_no_trained_embedder_is_told_so_before_the_work(path, monkeypatch, apply):
    steps = []
    with Retriever(path) as retriever:
        kept = replace(retriever.backend.capabilities, models=False)
        monkeypatch.setattr(type(retriever.backend), "capabilities", kept)
        with pytest.raises(UnsupportedError, match="keeps no embedder that was trained .* in a SQLite file"):
            train_embedder(retriever, settings=QUICK, apply=apply, progress=lambda *step: steps.append(step))
    assert not steps
