"""The second hop that the question conditions, and the order by what is not yet covered."""

import numpy as np
import pytest

from fourfold.config import Bridge
from fourfold.errors import InvalidValueError
from fourfold.index.base import Shared
from fourfold.signals import bridge, coverage
from fourfold.signals.bridge import Pairs


def pairs(*links):
    passages, nodes, values = zip(*links, strict=True)
    return Pairs(np.array(passages), np.array(nodes), np.array(values, float))


def test_rare_terms_are_in_few_nodes():
    assert [Bridge().most(size) for size in (0, 100, 500, 100_000)] == [2, 2, 5, 20]


def test_passages_are_linked_by_the_rare_terms_they_share():
    passages = np.array([5, 9])
    # passage 5 holds a term of {5, 7} and one of {5, 7, 9}; passage 9 the latter
    shared = Shared(
        np.array([0, 0, 1]), np.array([2, 3, 3]), np.array([0, 2, 5, 8]), np.array([5, 7, 5, 7, 9, 5, 7, 9])
    )
    found = bridge.shared_terms(passages, shared, size=100)
    two, three = np.log(100 / 2) / np.log(100), np.log(100 / 3) / np.log(100)
    assert found.passages.tolist() == [0, 0, 1, 1]
    assert found.nodes.tolist() == [7, 9, 5, 7]
    added = np.array([two + three, three, three, three])
    np.testing.assert_allclose(found.links, added / (added + 1))


def test_without_rare_terms_there_is_no_link():
    none = np.empty(0, np.int64)
    assert len(bridge.shared_terms(np.array([1]), Shared(none, none, np.array([0]), none), size=10)) == 0


def test_of_two_links_between_the_same_nodes_the_stronger_counts():
    found = bridge.joined(pairs((0, 7, 0.4), (1, 7, 0.2)), pairs((0, 7, 1.0), (0, 3, 1.0)))
    assert list(zip(found.passages, found.nodes, found.links, strict=True)) == [(0, 3, 1.0), (0, 7, 1.0), (1, 7, 0.2)]


def test_the_most_promising_links_are_chosen():
    links = pairs((0, 1, 0.5), (0, 2, 0.5), (1, 3, 1.0))
    promise = bridge.promised(links, np.array([1.0, 0.1]), np.array([0.0, 0.9, 0.9]), Bridge())
    kept = bridge.chosen(links, promise, 2, lambda nodes: [str(node) for node in nodes])
    assert kept.nodes.tolist() == [1, 2]
    assert bridge.chosen(links, promise, 3, lambda nodes: pytest.fail("nothing is cut")) is links


def test_equally_promising_links_are_cut_by_id():
    links = pairs((0, 1, 0.5), (0, 2, 0.5), (0, 3, 0.5), (0, 4, 0.6))
    names = {1: "c", 2: "a", 3: "b"}
    kept = bridge.chosen(links, links.links, 3, lambda nodes: [names[node] for node in nodes.tolist()])
    assert kept.nodes.tolist() == [2, 3, 4]


def test_a_node_gains_what_of_the_question_it_adds_to_the_passage():
    links = pairs((0, 4, 0.5), (0, 6, 1.0), (1, 6, 1.0))
    of_passages = np.array([[1.0, 0.0], [0.0, 0.0]], np.float32)
    of_nodes = np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], np.float32)
    weights = np.array([0.6, 0.4], np.float32)
    found = bridge.gains(links, np.array([1.0, 0.2]), of_passages, of_nodes, weights, np.zeros(2))
    assert found.nodes.tolist() == [6], "what the passage already covers adds nothing"
    np.testing.assert_allclose(found.values, [0.5 * 0.4])
    assert found.passages.tolist() == [0]


def test_what_a_passage_names_in_full_is_what_it_leads_on_to():
    links = pairs((0, 4, 0.99), (0, 6, 1.0))
    nothing = np.zeros((1, 1), np.float32), np.zeros((2, 1), np.float32)
    found = bridge.gains(links, np.array([0.5]), *nothing, np.ones(1, np.float32), np.array([0.1]))
    assert (found.nodes.tolist(), found.named.tolist()) == ([6], [True])
    np.testing.assert_allclose(found.values, [0.5 * 0.1])
    assert not len(bridge.gains(links, np.array([0.5]), *nothing, np.ones(1, np.float32), np.zeros(1)).nodes)


def test_what_rounding_leaves_is_no_gain():
    passage = np.array([[0.4, 0.7]], np.float32)
    node = np.nextafter(passage, np.float32(1), dtype=np.float32)
    found = bridge.gains(pairs((0, 4, 1.0)), np.ones(1), passage, node, np.ones(2, np.float32), np.zeros(1))
    assert len(found.nodes) == 0


def test_passages_lead_on_by_their_score():
    np.testing.assert_allclose(bridge.strengths(np.array([0.5, 0.25]), 8.0), [1.0, np.exp(-4)])
    assert bridge.strengths(np.zeros(2), 8.0).tolist() == [1, 1]
    assert len(bridge.strengths(np.zeros(0), 8.0)) == 0


def test_constants_no_search_can_use_are_refused():
    with pytest.raises(InvalidValueError, match=r"bridge\.weight is -1"):
        Bridge(weight=-1)


def test_what_is_not_yet_covered_comes_next():
    totals = np.array([1.0, 0.9, 0.7])
    covered = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    weights = np.array([0.5, 0.5], np.float32)
    order, factors = coverage.reordered(totals, covered, weights, 2.0)
    assert order.tolist() == [0, 2, 1]
    np.testing.assert_allclose(factors, [2.0, 1.0, 2.0])
    assert (np.diff((totals * factors)[order]) <= 0).all()


def test_a_weight_of_zero_keeps_the_order():
    order, factors = coverage.reordered(np.array([3.0, 2.0]), np.ones((2, 1), np.float32), np.ones(1, np.float32), 0.0)
    assert order.tolist() == [0, 1]
    assert factors.tolist() == [1, 1]
