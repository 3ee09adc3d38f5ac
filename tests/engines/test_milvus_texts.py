"""Arrays that Milvus keeps as texts: what was written is read, and no text unpacks to more than was ever written."""

import base64
import math
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from fourfold.errors import StoreError

pytest.importorskip("pymilvus", reason="pymilvus is not installed; make test-engines installs it, where it can.")

from fourfold.engines.milvus.array_text import packed, unpacked  # noqa: E402
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
