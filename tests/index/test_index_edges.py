"""Edge segments answer as one list of edges does, in whatever order they were written and merged."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.index.base import Allowed
from fourfold.index.edge_segment import EdgeSegment, merge
from fourfold.index.edges import Edges
from fourfold.index.segments import grown

TYPES = ("a", "b", "c")
NODES = 12


def ids_of(nodes):
    return [f"n{num:03d}" for num in nodes.tolist()]


def segment(edges):
    """Return a segment of (num, source, target, type, weight) rows."""
    columns = [np.array([edge[place] for edge in edges]) for place in range(5)]
    kinds = (np.int64, np.int64, np.int64, np.int32, np.float32)
    return EdgeSegment.build(*(column.astype(kind) for column, kind in zip(columns, kinds, strict=True)))


NO_EDGES = segment([])

edge = st.tuples(
    st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.integers(0, 2), st.sampled_from([0.5, 1.0, 2.0])
)
write = st.tuples(st.lists(edge, max_size=8), st.lists(st.integers(0, 30), max_size=4))


def played(writes):
    """Return (segments, {num: edge}) after writes of (new edges, places of edges to delete)."""
    segments, known, following = (), {}, 1
    for added, deleted in writes:
        nums = sorted(known)
        gone = [nums[place] for place in deleted if place < len(nums)]
        for num in gone:
            known.pop(num, None)
        rows = []
        for source, target, kind, weight in added:
            same = [n for n, e in known.items() if e[:3] == (source, target, kind)]
            num = same[0] if same else following
            following += not same
            gone += same
            known[num] = (source, target, kind, weight)
            rows = [row for row in rows if row[0] != num] + [(num, source, target, kind, weight)]
        segments = grown(segments, np.array(gone, np.int64), segment(rows), merge)
    return segments, known


def steps_of(edges, nodes, **options):
    found = edges.expand(np.array(nodes, np.int64), **options)
    rows = zip(found.origin.tolist(), found.targets.tolist(), found.types.tolist(), found.weights.tolist(), strict=True)
    return sorted(rows)


def reference(known, nodes, *, forward, worth=None, weights="raw", cap=None, allowed=None):
    rows = []
    for place, node in enumerate(nodes):
        mine = []
        for source, target, kind, weight in known.values():
            here, there = (source, target) if forward else (target, source)
            value = (1.0 if worth is None else float(worth[kind])) * (weight if weights == "raw" else 1.0)
            if here == node and (worth is None or worth[kind] > 0) and (allowed is None or there in allowed.nodes):
                factor = weight if weights == "raw" else 1.0
                mine.append((-value, ids_of(np.array([there]))[0], TYPES[kind], (place, there, kind, factor)))
        rows += [row for *_, row in sorted(mine)[:cap]]
    return sorted(rows)


@given(st.lists(write, max_size=8), st.lists(st.integers(0, NODES), min_size=1, max_size=6, unique=True))
@settings(max_examples=100, deadline=None)
def test_both_directions_at_once_are_each_by_itself(writes, nodes):
    edges = Edges(played(writes)[0], TYPES, ids_of)
    against, along = np.array([1.0, 0.0, 0.5]), np.array([0.0, 0.3, 2.0])
    for cap in (None, 1, 3):
        both = edges.expand(np.array(nodes, np.int64), worth=np.stack((against, along)), cap=cap)
        for forward, worth in ((True, along), (False, against)):
            own = both.of(both.along == forward)
            found = sorted(zip(own.origin.tolist(), own.targets.tolist(), own.types.tolist(), strict=True))
            assert found == [row[:3] for row in steps_of(edges, nodes, forward=forward, worth=worth, cap=cap)]


@given(st.lists(write, max_size=8), st.lists(st.integers(0, NODES), min_size=1, max_size=6, unique=True), st.booleans())
@settings(max_examples=200, deadline=None)
def test_segments_answer_as_all_edges_do(writes, nodes, forward):
    segments, known = played(writes)
    edges = Edges(segments, TYPES, ids_of)
    worth = np.array([1.0, 0.0, 0.5])
    assert len(edges) == len(known)
    assert edges.types_in_use == {edge[2] for edge in known.values()}
    assert steps_of(edges, nodes, forward=forward) == reference(known, nodes, forward=forward)
    for cap, weights in ((1, "raw"), (2, "none")):
        options = {"forward": forward, "worth": worth, "weights": weights, "cap": cap}
        assert steps_of(edges, nodes, **options) == reference(known, nodes, **options)
    degree = [sum(node == end for e in known.values() for end in e[:2]) for node in nodes]
    assert edges.degree(np.array(nodes)).tolist() == degree
    assert [tuple(pair) for pair in edges.pairs().tolist()] == sorted({e[:2] for e in known.values()})


@given(
    st.lists(write, min_size=2, max_size=8),
    st.lists(st.lists(st.integers(0, NODES), unique=True), min_size=1, max_size=3),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_a_filter_keeps_the_strongest_of_what_it_allows(writes, filters, forward):
    segments, known = played(writes)
    edges, nodes = Edges(segments, TYPES, ids_of), list(range(NODES))
    options = {"forward": forward, "worth": np.array([1.0, 0.0, 0.5])}
    for kept in (*filters, *filters):  # what is remembered of a hub serves every filter
        allowed = Allowed(np.array(kept, np.int64))
        for cap in (1, 2, None):
            expected = reference(known, nodes, allowed=allowed, cap=cap, **options)
            assert steps_of(edges, nodes, allowed=allowed, cap=cap, **options) == expected
            whole = reference(known, nodes, cap=cap, **options)
            assert steps_of(edges, nodes, cap=cap, **options) == whole


def test_a_capped_hub_keeps_its_strongest_edges_whatever_was_written_first():
    rows = [(num, 0, num, 0, 1.0 + (num == 9)) for num in range(1, 10)]
    expected = [(0, 1, 0, 1.0), (0, 2, 0, 1.0), (0, 9, 0, 2.0)]
    for order in (rows, rows[::-1]):
        renumbered = [(place, *row[1:]) for place, row in enumerate(order, 1)]
        edges = Edges((segment(renumbered[:4]), segment(renumbered[4:])), TYPES, ids_of)
        assert steps_of(edges, [0], forward=True, worth=np.ones(3), cap=3) == expected


def test_what_is_remembered_of_a_hub_holds_what_any_question_keeps():
    """The best of a hub are chosen of few, however many edges it has, whatever types count and was written since."""
    chosen = np.random.default_rng(4)
    rows = [
        (num, 0, int(end), int(kind), float(weight)) if num % 3 else (num, int(end), 0, int(kind), float(weight))
        for num, end, kind, weight in zip(
            range(1, 400),
            chosen.integers(0, 90, 399),
            chosen.integers(0, 3, 399),
            chosen.integers(1, 4, 399),
            strict=True,
        )
    ]
    rows = list({row[1:4]: row for row in rows}.values())
    edges, known = Edges((segment(rows),), TYPES, ids_of), {row[0]: row[1:] for row in rows}
    for round_ in range(12):
        for worth in (np.array([1.0, 0.0, 0.5]), np.array([0.3, 0.3, 0.3]), chosen.random(3)):
            for cap, weights in ((2, "raw"), (7, "raw"), (5, "none")):
                for forward in (True, False):
                    options = {"forward": forward, "worth": worth, "weights": weights, "cap": cap}
                    assert steps_of(edges, [5, 0, 7], **options) == reference(known, [5, 0, 7], **options)
        degree = [sum(node == end for row in known.values() for end in row[:2]) for node in (0, 5, 7)]
        assert edges.degree(np.array([0, 5, 7])).tolist() == degree
        gone = chosen.choice(sorted(known), 15, replace=False)
        known = {num: row for num, row in known.items() if num not in gone}
        more = {1000 * round_ + 1000 + place: (0, 200 + 20 * round_ + place, place % 3, 3.0) for place in range(20)}
        known |= more
        segments = [each.without(gone) for each in edges.segments]
        edges = Edges((*segments, segment([(num, *row) for num, row in more.items()])), TYPES, ids_of, edges)


def test_of_a_hub_that_was_asked_for_few_edges_are_read():
    hub = segment([(num, 0, num, 0, 1.0) for num in range(1, 20_000)])
    edges = Edges((hub,), TYPES, ids_of)
    options = {"worth": np.ones(3), "cap": 5}
    first = edges.expand(np.array([0, 1]), **options)
    read, take = [], hub.order.take

    class Order:
        def take(self, places):
            read.append(len(places))
            return take(places)

    object.__setattr__(hub, "order", Order())
    assert edges.expand(np.array([0, 1]), **options).targets.tolist() == first.targets.tolist()
    assert sum(read) < 20


def test_the_ids_at_the_ends_of_a_hub_are_read_once():
    """To order the edges of a hub the ids at their ends are read, of which there may be 300,000.

    They were read again for each question that weighed types otherwise, and after each edge that a hub was given.
    """
    asked = []

    def ids(nodes):
        asked.append(len(nodes))
        return [f"n{node * 7919 % 10_007:05d}" for node in nodes.tolist()]  # in another order than the numbers

    def best(edges, worth):
        asked.clear()
        steps = edges.expand(np.array([0]), forward=True, worth=np.array([worth, 0.1, 0.1]), cap=3)
        return sorted(ids_by_number(steps.targets)), sum(asked)

    def ids_by_number(nodes):
        return [f"n{node * 7919 % 10_007:05d}" for node in nodes.tolist()]

    hub = segment([(num, 0, num, 0, 1.0) for num in range(1, 2000)])
    first = Edges((hub,), TYPES, ids)
    expected = sorted(ids_by_number(np.arange(1, 2000)))[:3]
    assert best(first, 1.0) == (expected, 1999)
    assert best(first, 0.7) == (expected, 0)
    elsewhere = Edges((hub, segment([(5000, 5, 6, 0, 9.0)])), TYPES, ids, Edges((hub,), TYPES, ids, first))
    assert best(elsewhere, 1.0) == (expected, 0)
    grown = (hub, segment([(5001, 0, 4000, 0, 1.0), (5002, 0, 4001, 0, 1.0)]))
    known = np.concatenate((np.arange(1, 2000), [4000, 4001]))
    found, read = best(Edges(grown, TYPES, ids, elsewhere), 1.0)
    assert found == sorted(ids_by_number(known))[:3]
    assert 0 < read < 30
    fewer = hub.without(np.array([1, 2, 3]))
    assert best(Edges((fewer,), TYPES, ids, elsewhere), 1.0) == (sorted(ids_by_number(np.arange(4, 2000)))[:3], 0)


def test_which_types_are_in_use_is_counted_once_for_a_segment_not_for_every_generation():
    """Each search after a write of an edge went through the types of all edges."""
    read = []

    class Types:
        def __getitem__(self, key):
            read.append(key)
            return old.types[key]

    old = segment([(1, 0, 1, 0, 1.0), (2, 1, 2, 2, 1.0)])
    base = dataclasses.replace(old, types=Types())
    assert Edges([base], TYPES, ids_of).types_in_use == {0, 2}
    assert Edges([base, segment([(3, 1, 2, 1, 1.0)])], TYPES, ids_of).types_in_use == {0, 1, 2}
    assert len(read) == 1
    without = base.without(np.array([2, 2])).without(np.array([2, 9]))
    assert Edges([without], TYPES, ids_of).types_in_use == {0} and Edges([], TYPES, ids_of).types_in_use == set()
    assert without.without(np.array([1])).types_in_use == set() and without.without(np.array([2])) is without
    assert len([key for key in read if isinstance(key, slice)]) == 1, "of what was deleted alone, the types are read"


def test_a_merge_drops_what_is_gone():
    whole = segment([(1, 0, 1, 0, 1.0), (2, 1, 2, 1, 1.0), (3, 2, 0, 2, 1.0)])
    merged = merge([whole.without(np.array([2])), segment([(4, 5, 6, 0, 3.0)])])
    assert merged.dead is None
    assert merged.nums[:].tolist() == [1, 3, 4]
    assert EdgeSegment.from_arrays(merged.arrays()).around(np.array([5])).steps.targets.tolist() == [6]


@pytest.mark.parametrize("nodes", [[], [99]])
def test_nodes_without_edges_lead_nowhere(nodes):
    for edges in (Edges((), TYPES, ids_of), Edges((segment([(1, 0, 1, 0, 1.0)]),), TYPES, ids_of)):
        assert steps_of(edges, nodes, forward=True, cap=3) == []
        assert edges.degree(np.array(nodes, np.int64)).tolist() == [0] * len(nodes)


def test_the_same_nodes_asked_again_have_the_same_edges():
    edges = Edges([segment([(1, 0, 1, 0, 1.0), (2, 1, 2, 1, 2.0), (3, 2, 0, 2, 1.0)])], TYPES, ids_of)
    seeds, others = np.array([1, 9]), np.array([0])
    first = edges.expand(seeds)
    for nodes in (seeds, others, seeds, np.array([2]), np.array([1]), seeds):
        anew = Edges(edges.segments, TYPES, ids_of)
        assert edges.degree(nodes).tolist() == anew.degree(nodes.copy()).tolist()
        assert edges.expand(nodes, worth=np.array([0.0, 1.0, 1.0])).targets.tolist() == (
            anew.expand(nodes.copy(), worth=np.array([0.0, 1.0, 1.0])).targets.tolist()
        )
    assert edges.expand(seeds).targets.tolist() == first.targets.tolist()
    assert len(edges._asked_last) == 2


def test_equal_nodes_have_their_edges_read_once(monkeypatch):
    read = []
    around = EdgeSegment.around
    monkeypatch.setattr(EdgeSegment, "around", lambda self, nodes: read.append(nodes.tolist()) or around(self, nodes))
    edges = Edges([segment([(1, 0, 1, 0, 1.0), (2, 1, 2, 1, 2.0), (3, 2, 0, 2, 1.0)])], TYPES, ids_of)
    for nodes in ([0, 1], [0, 1], [0, 2], [0, 1]):
        edges.expand(np.array(nodes))
        edges.degree(np.array(nodes))
    assert read == [[0, 1], [0, 2]]
