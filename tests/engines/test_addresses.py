"""Which engine an address belongs to: in one place, imported when needed, and a sentence where it cannot be had."""

import sys

import pytest

from fourfold import InvalidValueError, MissingExtraError, Retriever, StoreError, engines


def test_paths_and_memory_are_sqlite_files(tmp_path):
    for path in (":memory:", str(tmp_path / "kg.sqlite"), tmp_path / "c:odd" / ".." / "a b?c#d.sqlite"):
        (tmp_path / "c:odd").mkdir(exist_ok=True)
        with Retriever(path) as retriever:
            assert retriever.backend.capabilities.engine == "sqlite"
            assert retriever.backend.address == retriever.path == str(path)


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


def test_what_must_exist_is_not_begun(tmp_path):
    with pytest.raises(StoreError, match="no file"):
        Retriever(tmp_path / "kg.sqlite", must_exist=True)
    assert not list(tmp_path.iterdir())
