"""The token part against dictionaries of sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.index.tokens import Tokens, TokenSegment

pieces = st.integers(0, 30) | st.sampled_from([70_000, 65_535, 65_536])
writes = st.lists(
    st.tuples(
        st.dictionaries(st.integers(1, 30), st.frozensets(pieces, max_size=5), max_size=10),
        st.lists(st.integers(1, 30), max_size=4),
        st.booleans(),
    ),
    max_size=5,
)


def built(nodes):
    nums = np.array(sorted(nodes), np.int64)
    rows = [sorted(nodes[num]) for num in nums.tolist()]
    starts = np.cumsum([0, *map(len, rows)])
    return TokenSegment.build(nums, starts, np.array([piece for row in rows for piece in row], np.int64))


@settings(max_examples=200, deadline=None)
@given(history=writes)
def test_any_writes_leave_what_is_there(history):
    known, segments = {}, []
    for added, deleted, merged in history:
        gone = np.array([*added, *deleted], np.int64)
        segments = [segment.without(gone) for segment in segments]
        known = {num: own for num, own in {**known, **added}.items() if num in added or num not in deleted}
        segments.append(TokenSegment.from_arrays(built(added).arrays()))
        if merged:
            segments = [TokenSegment.merge(segments)]
    tokens = Tokens(segments)
    assert tokens.size == len(known)
    nums = [*sorted(known, reverse=True), 31, 7, 7]
    starts, found = tokens.of(np.array(nums, np.int64))
    assert found.dtype == np.int32
    for place, num in enumerate(nums):
        assert found[starts[place] : starts[place + 1]].tolist() == sorted(known.get(num, ()))
    asked = [*range(31), 65_535, 65_536, 70_000, 100_000, -1]
    wanted = [sum(piece in own for own in known.values()) for piece in asked]
    assert tokens.frequency(np.array(asked)).tolist() == wanted


@pytest.mark.parametrize(("largest", "dtype"), [(65_535, np.uint16), (65_536, np.int32)])
def test_pieces_take_two_bytes_where_they_fit(largest, dtype):
    segment = built({1: {largest}, 2: set()})
    assert segment.pieces.dtype == dtype
    assert Tokens([segment]).of(np.array([1]))[1].tolist() == [largest]


def test_deletion_shares_the_pieces():
    segment = built({num: {num, 5} for num in range(1, 9)})
    without = segment.without(np.array([2, 3, 40]))
    assert without.pieces is segment.pieces
    assert segment.without(np.array([40])) is segment
    assert Tokens([without]).frequency(np.array([5, 2])).tolist() == [6, 0]
    assert Tokens([segment]).frequency(np.array([5, 2])).tolist() == [8, 1]


def test_many_nodes_are_merged_some_at_a_time(monkeypatch):
    monkeypatch.setattr("fourfold.index.tokens._AT_ONCE", 3)
    rng = np.random.default_rng(0)
    nodes = {num: frozenset(rng.integers(0, 40, rng.integers(0, 6)).tolist()) for num in range(1, 30)}
    parts = [built({num: own for num, own in nodes.items() if num % 3 == rest}) for rest in range(3)]
    merged = TokenSegment.merge([parts[0].without(np.array([3, 9])), *parts[1:]])
    expected = built({num: own for num, own in nodes.items() if num not in (3, 9)})
    for name, array in expected.arrays().items():
        assert np.array_equal(merged.arrays()[name], array) and merged.arrays()[name].dtype == array.dtype, name
