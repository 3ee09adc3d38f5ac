"""What is told next: order and factors, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from fourfold.signals.coverage import reordered


@pytest.mark.parametrize("seed", range(200))
def test_scores_descend_and_nothing_new_is_worth_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, asked = int(rng.integers(2, 11)), int(rng.integers(1, 9))
    covered = rng.random((n, asked)).astype(np.float32)
    covered[n // 2 :] = covered[0]  # once the first is told, these add nothing
    weights = rng.random(asked).astype(np.float32)
    weights /= weights.sum()
    totals = np.sort(rng.random(n))[::-1]
    totals[n // 2 :] = totals[n // 2]
    order, factors = reordered(totals, covered, weights, 2.0)
    final = (totals * factors)[order]
    assert np.all(final[1:] <= final[:-1])
    assert factors.min() >= 1.0
    told = np.zeros(asked, np.float32)
    for place in order.tolist():
        added = np.maximum(covered[place].astype(np.float64) - told, 0.0) @ weights
        assert factors[place] == pytest.approx(1.0 + 2.0 * added, rel=1e-6)
        assert added or factors[place] == 1.0
        told = np.maximum(told, covered[place])
