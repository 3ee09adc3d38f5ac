"""By which steps walks came to nodes."""

import numpy as np

from fourfold.index.base import NO_VALUES, NodeValues
from fourfold.signals.graph import Hop, Proximity
from fourfold.signals.ways import Ways


def hop(*steps):
    """Return a hop of (source, target, type, along, gain)."""
    kinds = (np.int64, np.int64, np.int32, bool, np.float64)
    return Hop(*(np.array(column, kind) for column, kind in zip(zip(*steps, strict=True), kinds, strict=True)))


FIRST = hop((1, 5, 0, True, 0.2), (2, 5, 1, True, 0.6), (2, 9, 1, False, 0.1))
SECOND = hop((5, 9, 2, True, 0.3), (9, 5, 2, False, 0.05))
WALKS = (Proximity((FIRST, SECOND), NO_VALUES), Proximity((hop((1, 9, 3, True, 0.4)),), NO_VALUES))
NODES = np.array([9, 5, 7])


def test_the_strongest_way_of_each_walk_is_told_and_the_others_are_summed_up():
    ways, others = Ways(WALKS, NODES).strongest(1)
    assert ways == [
        [(0.3, ((2, 5, 1, True), (5, 9, 2, True)))],
        [(0.6, ((2, 5, 1, True),))],
        [],
        [(0.4, ((1, 9, 3, True),))],
        [],
        [],
    ]
    assert np.allclose(others, [0.1, 0.25, 0, 0, 0, 0])


def test_what_came_is_worth_what_the_seeds_are_by_what_each_gave():
    worth = Ways(WALKS, NODES).worth(NodeValues(np.array([1, 2]), np.array([1.0, 0.5])))
    of_5 = (0.2 * 1.0 + 0.6 * 0.5) / 0.8
    wanted = [
        [(0.1 * 0.5 + 0.3 * of_5) / 0.4, (0.2 * 1.0 + 0.6 * 0.5 + 0.05 * 0.5) / 0.85, 0],
        [1.0, 0, 0],
    ]
    assert np.allclose(worth, wanted)


def test_where_no_walk_came_there_is_nothing():
    for walks in ((Proximity.none(), Proximity.none()), WALKS):
        ways = Ways(walks, np.array([7]))
        assert ways.strongest(5) == ([[], []], [0.0, 0.0])
        assert not ways.worth(NO_VALUES).any()
