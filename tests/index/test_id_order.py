"""Ranks of ids: what is known is not read again, and every answer is that of sorting all ids."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.index import id_order
from fourfold.index.id_order import IdOrder


def name(node):
    return f"n{node * 7919 % 10_007:05d}"


def reference(nodes):
    return sorted(range(len(nodes)), key=lambda place: (name(nodes[place]), place))


@given(st.lists(st.lists(st.integers(1, 300), min_size=1, max_size=80), min_size=1, max_size=6), st.data())
@settings(max_examples=200, deadline=None)
def test_ranks_are_those_of_all_ids_whatever_was_asked_before(asked, data):
    gone = set()
    order = IdOrder(lambda nodes: ["" if node in gone else name(node) for node in nodes.tolist()])
    few, id_order._FEW = id_order._FEW, data.draw(st.sampled_from((0, 1, 32)))
    try:
        for nodes in asked:
            living = [place for place, node in enumerate(nodes) if node not in gone]
            ranks = order.ranks(np.array(nodes, np.int64))  # of what a search found before somebody deleted it, too
            assert len(set(ranks.tolist())) == len(set(nodes))
            assert np.argsort(ranks[living], kind="stable").tolist() == reference([nodes[place] for place in living])
            gone |= set(data.draw(st.lists(st.sampled_from(nodes), max_size=3)))
    finally:
        id_order._FEW = few


def test_what_is_gone_before_it_was_read_has_a_rank_all_the_same():
    order = IdOrder(lambda nodes: ["" for _ in nodes])
    assert sorted(order.ranks(np.array([3, 1, 2])).tolist()) == [0, 1, 2]
