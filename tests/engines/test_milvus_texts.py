"""Arrays that Milvus keeps as texts: what was written is read, and no text unpacks to more than was ever written."""

import base64
import math
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from fourfold.errors import StoreError

pytest.importorskip("pymilvus", reason="pymilvus is not installed; make test-engines installs it, where it can.")

from fourfold.engines.milvus import words  # noqa: E402
from fourfold.engines.milvus.array_text import packed, unpacked, unpacked_pieces, unpacked_terms  # noqa: E402
from fourfold.engines.milvus.json_text import mapping, values  # noqa: E402
from fourfold.engines.milvus.state import State  # noqa: E402


def test_an_array_is_read_as_it_was_written():
    for rows in (0, 3, 8):
        array = np.arange(rows * 7, dtype="<i4").reshape(rows, 7)
        assert np.array_equal(unpacked(packed(array), "<i4", 7, 8), array)


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(zlib.compress(bytes(100_000_000), 9)).decode(),
        packed(np.zeros((9, 7), "<i4")),
        packed(np.zeros(3, "<i4")),
        packed(np.zeros((8, 7), "<i4"))[:-8],
        base64.b64encode(b"no array").decode(),
        "\u00e9",
        "abc",
    ],
)
def test_a_text_that_was_not_made_of_such_an_array_is_refused(text):
    with pytest.raises(StoreError, match="is not as it was written"):
        unpacked(text, "<i4", 7, 8)


@pytest.mark.parametrize(
    "value",
    [
        "no JSON",
        "[]",
        "{}",
        '{"ticket": "1", "time": NaN}',
        '{"format": "x"}',
        '{"format": 1, "strange": 1}',
        "9" * 5_000,
    ],
)
@pytest.mark.parametrize("row", [0, -5])
def test_a_commit_that_was_not_written_so_is_told_of_in_a_sentence(row, value):
    link = SimpleNamespace(path="milvus://kg", rows=lambda *asked: [{"row": row, "value": value}])
    if row == -5 and value.startswith("{"):
        assert State.read(link) == (
            State(),
            {-5: {"ticket": None, "time": math.inf}},
        )  # waited for as for a clock ahead
        return
    with pytest.raises(StoreError, match="'milvus://kg' is damaged, a row of its commits"):
        State.read(link)


@pytest.mark.parametrize("text", ["", "x", "-1", "[]", "null", "[" * 2_000, '["a", "b"]', '["a", 1, true]'])
def test_what_a_row_keeps_in_no_version_is_told_of_in_a_sentence(text):
    for read in (mapping, lambda text: values(text, str, int, int)):
        with pytest.raises(StoreError, match="A row of the graph in Milvus is not as it was written"):
            read(text)
    assert mapping('{"a": [1]}') == {"a": [1]} and values('["a", 1, 2]', str, int, int) == ["a", 1, 2]


@pytest.mark.parametrize("content", [b"", b"\0" * 11, b"\0" * 13, b"\0" * 12 + b"\0\0\0\0\x03\0\0"])
def test_terms_that_no_version_packs_are_told_of_in_a_sentence(content):
    with pytest.raises(StoreError, match="A row of the graph in Milvus is not as it was written"):
        unpacked_terms([base64.b64encode(content).decode()])


@pytest.mark.parametrize("text", ["A", "AA==", "\u00e9"])
def test_wordpieces_that_no_version_packs_are_told_of_in_a_sentence(text):
    with pytest.raises(StoreError, match="A row of the graph in Milvus is not as it was written"):
        unpacked_pieces(text)


def test_what_a_question_has_read_of_words_is_not_forgotten_under_it(monkeypatch):
    """Another question that read many others meanwhile made its own a KeyError."""
    monkeypatch.setattr(words, "_REMEMBERED", 0)
    turns, link = [], SimpleNamespace()
    known = words.Words(link, SimpleNamespace(visible="true", next_node=1))

    def search(*asked):
        if turns:
            known.holders({turns.pop(): 1.0})
        return []

    link.search = search
    known.holders({1: 1.0})
    known._kept, turns[:] = 1, [3]
    assert set(known.holders({1: 1.0, 2: 1.0}).best) == {1, 2}
