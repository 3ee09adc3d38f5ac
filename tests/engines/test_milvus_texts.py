"""Arrays that Milvus keeps as texts: what was written is read, and no text unpacks to more than was ever written."""

import base64
import zlib

import numpy as np
import pytest

from fourfold.engines.milvus.array_text import packed, unpacked
from fourfold.errors import StoreError


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
