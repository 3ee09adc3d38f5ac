"""Which engine an address belongs to: in one place, imported when needed, and a sentence where it cannot be had."""

import json
import os
import pickle
import sys

import pytest
from typer.testing import CliRunner

from fourfold import InvalidValueError, MissingExtraError, Node, Retriever, StoreError, engines
from fourfold.checking import check
from fourfold.cli import create_app


def test_paths_and_memory_are_sqlite_files(tmp_path):
    for path in (":memory:", str(tmp_path / "kg.sqlite"), tmp_path / "c:odd" / ".." / "a b?c#d.sqlite"):
        (tmp_path / "c:odd").mkdir(exist_ok=True)
        with Retriever(path) as retriever:
            assert retriever.backend.capabilities.engine == "sqlite"
            assert retriever.backend.address == retriever.path == str(path)


def test_a_relative_path_is_the_same_file_wherever_the_process_goes(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Retriever("kg.sqlite") as retriever:
        retriever.add([Node("a", "alpha")])
        with Retriever("kg.sqlite", read_only=True) as reader:
            monkeypatch.chdir("elsewhere")
            retriever.add([Node("b", "beta")])
            with pickle.loads(pickle.dumps(retriever)) as again:
                assert len(again) == len(reader) == len(reader.search("alpha beta")) == 2
        retriever.maintenance.compact()
        assert retriever.path == "kg.sqlite" and os.listdir() == []


def test_an_unknown_scheme_is_told_without_its_password():
    with pytest.raises(InvalidValueError, match="mysql://, for which there is no engine; give the path") as caught:
        Retriever("mysql://me:secret@host/db")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["postgresql://host/db", "postgres://host/db", "milvus://host:19530/db"])
def test_a_missing_extra_is_a_sentence_that_names_it(address, monkeypatch):
    engine = engines.ENGINES[address.partition(":")[0]]

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            if name == f"fourfold.engines.{engine}":
                raise ModuleNotFoundError("No module named 'driver'", name="driver")

    for name in [name for name in sys.modules if name.startswith(f"fourfold.engines.{engine}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Refuse(), *sys.meta_path])
    with pytest.raises(MissingExtraError, match=rf"'driver'.+pip install 'fourfold\[{engine}\]'"):
        Retriever(address)


@pytest.mark.parametrize("address", ["postgresql://me:secret@[::1/db", "milvus://me:secret@[::1/db"])
def test_an_address_that_cannot_be_read_is_a_sentence_without_its_password(address):
    pytest.importorskip("psycopg" if address.startswith("postgresql") else "pymilvus")
    with pytest.raises(StoreError, match="The address .*://… cannot be read: ") as caught:
        Retriever(address)
    assert "secret" not in str(caught.value)


SECRETS = ["sec/ret", "sec#ret", "sec?ret", "1/sec", "1#sec", "1?sec", "sec%zz", "sec ret", "%00sec", "p@ss/sec"]


@pytest.mark.parametrize("scheme", ["postgresql", "milvus"])
@pytest.mark.parametrize("password", SECRETS)
def test_a_password_that_is_not_written_with_percent_is_not_shown(scheme, password):
    pytest.importorskip("psycopg" if scheme == "postgresql" else "pymilvus")
    with pytest.raises(StoreError, match=f"The address {scheme}://… cannot be read: .* with percent") as caught:
        Retriever(f"{scheme}://me:{password}@localhost:1/db")
    assert "sec" not in f"{caught.value}{caught.value.__cause__}"


@pytest.mark.parametrize(
    "address",
    [
        " postgresql://me:secret@localhost:1/db",
        "postgresql:/me:secret@localhost:1/db",
        "milvus:me:secret@localhost:1/db",
        "postgresql://me:secret@localhost:1/db?schema=a\0b",
        "postgresql://me:secret@localhost:1/db?schema=\ud800",
        "mysql://me:sec?ret@localhost:1/db",
    ],
)
def test_an_address_that_is_nearly_one_is_refused_without_its_password(address):
    with pytest.raises(InvalidValueError) as caught:
        Retriever(address)
    assert "sec" not in str(caught.value)


def test_what_an_address_is_made_of_shows_no_password():
    address = pytest.importorskip("fourfold.engines.postgres.address")
    assert "secret" not in repr(address.Address.of("postgresql://me:secret@a:1,b:2,[::1]:3/db%40x?user=a@b"))
    assert "secret" not in repr(address.ForeignAddress.of("postgresql://me:secret@host/db"))
    for wrong in ("postgresql://me@host/db?password=secret%00", "postgresql://me@host/db&password=secret"):
        with pytest.raises(StoreError) as caught:
            address.Address.of(wrong)
        assert "secret" not in str(caught.value)


def test_what_must_exist_is_not_begun(tmp_path):
    with pytest.raises(StoreError, match="no file"):
        Retriever(tmp_path / "kg.sqlite", must_exist=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("default")
def test_no_command_shows_the_password_of_an_address(pg_server, tmp_path):
    def run(*words):
        done = CliRunner().invoke(create_app(), list(map(str, words)))
        shown.append(done.output)
        return done

    url, shown = pg_server.url("told_by_commands", user="postgres:s3cret"), []
    place = "postgresql://postgres@/postgres?schema=told_by_commands"
    graph = tmp_path / "graph.jsonl"
    graph.write_text('{"id": "a", "name": "Cats"}')
    assert f"{place} now holds 1 node" in run("index", graph, "--db", url).output
    assert f"{place} now holds" in run("reembed", "--db", url).output
    assert f"{place}: " in run("check", "--db", url).output
    assert json.loads(run("check", "--db", url, "--json").output)["path"] == place
    for words in (["search", "cats"], ["tune", "--apply"], ["index", graph]):
        told = run(*words, "--db", url, "--preset", "published").output
        assert f"{place} was not made for the preset 'published'" in told.replace("\n", " ")
    assert "s3cret" not in "".join(shown)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a b/kg.sqlite", "a b/kg.sqlite"),
        ("milvus://me:s3cret@host:1/db?graph=kg", "milvus://me@host:1/db"),
        ("postgresql://me@host:1/db?password=s3cret", "postgresql://me@host:1/db"),
        ("postgresql://me:s3cret/s@host:1/db", "postgresql://…"),
        ("postgresql:/me:s3cret@host:1/db", "…"),
    ],
)
def test_a_place_that_could_not_be_looked_at_is_told_without_its_password(given, shown):
    assert engines.shown_address(given) == shown
    assert check(given).path == shown
