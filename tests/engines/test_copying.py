"""``fourfold copy``: the same graph in another engine, whatever happens on the way."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from fourfold import Edge, Node, RetrievalConfig, Retriever, copying
from fourfold.checking import check
from fourfold.cli import create_app
from fourfold.copying import copy
from fourfold.engines.usage import Usage
from fourfold.errors import FourfoldWarning, StoreError
from fourfold.testing import sample
from fourfold.testing.compared import Both
from fourfold.testing.graphs import QUESTIONS

CONFIG = RetrievalConfig().replace(text={"phrase": "never"}, limit=7)


@pytest.fixture
def filled(tmp_path):
    path = str(tmp_path / "kg.sqlite")
    with Retriever(path) as retriever:
        retriever.add(*sample())
        retriever.learning.apply_config(CONFIG)
        retriever.learning.feedback("deploy", "n1", 0.5)
        with retriever.backend.transaction(moves=False) as writer:
            writer.put_usage({"n2": Usage(2, 1, 1.5, 1e9)})
        yield retriever


def test_to_another_engine_and_back(filled, pg_url, tmp_path):
    back = str(tmp_path / "back.sqlite")
    steps = []
    with Retriever(pg_url) as postgres:
        there = copy(filled, postgres, progress=lambda done, total: steps.append((done, total)))
    with Retriever(pg_url) as postgres, Retriever(back) as sqlite:
        assert copy(postgres, sqlite) == there
    with Retriever(pg_url) as postgres, Retriever(back) as sqlite:
        assert sqlite.manifest() == postgres.manifest() == filled.manifest()
        assert sqlite.config == postgres.config == CONFIG
        for one in (postgres, sqlite):
            assert one.learning.judgements() == [("deploy", "n1", 0.5)]
            assert one.backend.usage() == {"n2": Usage(2, 1, 1.5, 1e9)}
            own, other = one.vectors(filled.manifest()), filled.vectors(filled.manifest())
            assert own.keys() == other.keys()
            assert all(np.array_equal(own[identity], other[identity]) for identity in own)
            for question in QUESTIONS:
                Both(one, filled).agree(question)
    assert (there.nodes, there.edges) == (len(filled), filled.backend.counts()["edges"])
    assert steps == sorted(steps) and steps[-1][0] == steps[-1][1] == 2 * there.nodes


class Cut(Exception):
    """The copy was cut short."""


def test_a_copy_that_was_cut_short_goes_on(filled, pg_url, monkeypatch):
    monkeypatch.setattr("fourfold.copying._BATCH", 20)

    def cut(done, total):
        if done >= 60:
            raise Cut

    with Retriever(pg_url) as target:
        with pytest.raises(Cut):
            copy(filled, target, progress=cut)
        begun = len(target)
        assert 60 <= begun < len(filled)
        filled.add([Node("late", "late"), Node("n1", "changed")], [Edge("late", "n1", "t")])  # the source goes on
        filled.delete(["n2"])
        result = copy(filled, target)
        assert result.sent <= len(filled) - begun + 2
        assert target.manifest() == filled.manifest()
        Both(target, filled).same_state()
        with pytest.raises(StoreError, match="already"):
            copy(filled, target)


def test_check_tells_a_copy_that_was_cut_short(filled, tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.copying._BATCH", 20)
    half = str(tmp_path / "half.sqlite")

    def cut(done, total):
        if done >= 60:
            raise Cut

    with Retriever(half) as target, pytest.raises(Cut):
        copy(filled, target, progress=cut)
    (problem,) = check(half).problems
    assert problem.startswith(f"It is the beginning of a copy of {filled.path!r}; fourfold copy")
    with Retriever(half) as target:
        copy(filled, target)
    assert check(half).sound


def test_what_is_written_meanwhile_comes_along(filled, pg_url, monkeypatch):
    monkeypatch.setattr("fourfold.copying._BATCH", 20)
    written = []

    def write(done, total):
        if done > 40 and not written:
            written.append(
                filled.add([Node("n1", "changed meanwhile"), Node("new", "new")], [Edge("new", "n1", "t", 2.0)])
            )
            filled.delete(["n3"])

    with Retriever(pg_url) as target:
        copy(filled, target, progress=write)
        assert written
        Both(target, filled).same_state()


def test_a_source_that_is_written_all_the_time_ends_the_copy_with_a_sentence(filled, tmp_path):
    writes = []

    def write(done, total):
        if len(writes) < 1_000:  # else a copy that does not end would not end here
            writes.append(filled.add([Node(f"new{len(writes) % 3}", f"written {len(writes)} times")]))

    with Retriever(tmp_path / "there.sqlite") as target:
        with pytest.raises(StoreError, match="is written faster than it is copied"):
            copy(filled, target, progress=write)
        assert len(writes) < 1_000
        copied = copy(filled, target)
        assert copied.nodes == len(filled) and target.manifest() == filled.manifest()


def test_what_is_written_while_both_are_compared_comes_along(filled, tmp_path, monkeypatch):
    real, written = copying._hash, []

    def write_and_hash(backend):
        if not written:
            written.append(filled.add([Node("late", "written while the copy was compared")]))
        return real(backend)

    monkeypatch.setattr(copying, "_hash", write_and_hash)
    with Retriever(tmp_path / "there.sqlite") as target:
        copy(filled, target)
        assert target.manifest() == filled.manifest() and "late" in target.manifest()


def test_another_graph_is_not_mixed_in(filled, pg_url, tmp_path):
    with Retriever(pg_url) as target, Retriever(str(tmp_path / "other.sqlite")) as other:
        target.add([Node("theirs", "theirs")])
        with pytest.raises(StoreError, match="1 nodes already"):
            copy(filled, target)
        target.delete(["theirs"])
        other.add([Node("x", "x")])
        monkey = {"from": other.path}
        with target.backend.transaction() as writer:
            writer.set_meta("copying", json.dumps(monkey))
        with pytest.raises(StoreError, match="another copy"):
            copy(filled, target)


def test_documents_are_told_to_stay(pg_url, tmp_path):
    from fourfold.ingest import index_paths

    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("# Alpha\n\nWords.\n")
    with Retriever(str(tmp_path / "kg.sqlite")) as source, Retriever(pg_url) as target:
        index_paths(source, [tmp_path / "texts"])
        with pytest.warns(FourfoldWarning, match=r"books .*maintenance\.save\(path\)"):
            copy(source, target)
        assert target.manifest() == source.manifest()


def test_the_command(filled, pg_url):
    path = filled.path
    filled.close()
    result = CliRunner().invoke(create_app(), ["copy", path, pg_url, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["nodes"] == 150
    result = CliRunner().invoke(create_app(), ["copy", path, pg_url])
    assert result.exit_code == 1
    assert "already" in result.stderr
    result = CliRunner().invoke(create_app(), ["copy", f"{path}.missing", pg_url])
    assert result.exit_code == 1
    assert "no file" in result.stderr
