"""Numbers are found where they stand, and nowhere else, with and without gaps."""

import numpy as np
import pytest

from fourfold.index.places import Places


@pytest.mark.parametrize("nums", [[], [5], [3, 4, 5, 6], [3, 5, 6, 9], [0, 2**40]])
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_places(nums, kind):
    wanted = [-1, 0, 2, 3, 4, 5, 6, 7, 9, 10, 2**31 - 1]
    found = Places(np.array(nums, np.int64)).of(np.array(wanted, kind))
    assert found.dtype == np.int64
    assert found.tolist() == [nums.index(number) if number in nums else -1 for number in wanted]
    assert not len(Places(np.array(nums, np.int64)).of(np.empty(0, np.int64)))
