"""The structural methods against plain networkx on random typed multigraphs: self loops, parallel edges, islands."""

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import Edge, Node, Retriever
from fourfold.questions import Questions

TYPES = ("requires", "feeds_into", "part_of")
IDS = ("m", "b", "x", "a", "q", "d", "z", "c", "k")
WORDS = ("read", "write", "file", "mail")


@st.composite
def graphs(draw):
    ids = draw(st.permutations(IDS))[: draw(st.integers(1, len(IDS)))]
    nodes = [
        Node(
            identity,
            " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=3))),
            draw(st.sampled_from(("", "tool", "doc"))),
            vector=[1.0, 0.0],
        )
        for identity in ids
    ]
    ends = st.sampled_from(ids)
    weight = st.sampled_from((0.0, 0.25, 0.5, 1.0, 2.0))  # exact in float32
    edges = draw(st.lists(st.builds(Edge, ends, ends, st.sampled_from(TYPES), weight), max_size=25))
    return nodes, list({(e.source, e.target, e.type): e for e in edges}.values())


def asked(graph):
    retriever = Retriever()
    retriever.add(*graph)
    return Questions(retriever)


def simple(graph):
    """The distinct undirected neighbours, without self loops."""
    nodes, edges = graph
    reference = nx.Graph()
    reference.add_nodes_from(node.id for node in nodes)
    reference.add_edges_from((e.source, e.target) for e in edges if e.source != e.target)
    return reference


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data(), st.integers(0, 6), st.booleans())
def test_trace_path(graph, data, max_depth, directed):
    nodes, edges = graph
    a, b = (data.draw(st.sampled_from([n.id for n in nodes])) for _ in range(2))
    reference = nx.DiGraph() if directed else nx.Graph()
    reference.add_nodes_from(n.id for n in nodes)
    reference.add_edges_from((e.source, e.target) for e in edges)
    answer = asked(graph).trace_path(a, b, max_depth, directed=directed)
    try:
        best = min(nx.all_shortest_paths(reference, a, b))
    except nx.NetworkXNoPath:
        assert not answer.found and answer.path == () and answer.connected is not True
        return
    if len(best) - 1 > max_depth:
        assert not answer.found and answer.connected is None
        return
    assert answer.length == len(best) - 1
    assert answer.ids == best
    for one, two, hop in zip(best[:-1], best[1:], answer.hops, strict=True):
        ends = {(one, two)} if directed else {(one, two), (two, one)}
        between = [e for e in edges if (e.source, e.target) in ends]
        assert list(hop.edges) == sorted(between, key=lambda e: (e.source != one, -e.weight, e.type))
        assert hop.along == (hop.edges[0].source == one)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data(), st.sampled_from(("downstream", "upstream", "both", "dependents")), st.integers(0, 4))
def test_impact_analysis(graph, data, direction, max_depth):
    nodes, edges = graph
    start = data.draw(st.sampled_from([n.id for n in nodes]))
    answer = asked(graph).impact_analysis(start, direction, max_depth)

    steps = []  # (from, to, edge)
    for edge in edges:
        along = direction in ("downstream", "both") or (direction == "dependents" and edge.type == "feeds_into")
        against = direction in ("upstream", "both") or (direction == "dependents" and edge.type == "requires")
        steps += [(edge.source, edge.target, edge)] * along + [(edge.target, edge.source, edge)] * against
    walked = nx.DiGraph((one, two) for one, two, _ in steps)
    walked.add_node(start)
    depth = nx.single_source_shortest_path_length(walked, start, cutoff=max_depth)
    centrality = nx.degree_centrality(simple(graph))
    via, parent, risk, branch = {}, {}, {}, {start: 0.0}
    for node, d in sorted(depth.items(), key=lambda item: item[1]):
        if node == start:
            continue
        one, _, edge = min(
            ((s, t, e) for s, t, e in steps if t == node and depth.get(s) == d - 1),
            key=lambda step: (-step[2].weight, step[0], step[2].type, step[2].target != node),
        )
        via[node], parent[node] = edge, one
        risk[node] = 1 / d * edge.weight * centrality[node]
        branch[node] = branch[one] + risk[node]

    assert {t.node.id: (t.depth, t.via) for t in answer.touched} == {n: (depth[n], via[n]) for n in via}
    assert {t.node.id: t.risk for t in answer.touched} == pytest.approx(risk)
    ranked = [(t.risk, t.node.id) for t in answer.touched]
    assert ranked == sorted(ranked, key=lambda pair: (-pair[0], pair[1]))
    assert answer.total == len(via) and sum(answer.levels) == len(via)
    if not via:
        assert answer.critical_path == ()
        return
    path = [node.id for node in answer.critical_nodes]
    assert branch[path[-1]] == pytest.approx(max(value for node, value in branch.items() if node != start))
    assert path[0] == start and all(parent[two] == one for one, two in zip(path, path[1:], strict=False))
    assert list(answer.critical_path) == [via[node] for node in path[1:]]


def test_the_ids_of_all_that_is_touched_are_not_looked_up():
    leaves = [Node(f"leaf {number}", vector=[1.0]) for number in range(300)]
    heavy = [Edge("hub", leaf.id, "feeds_into", weight) for weight, leaf in enumerate(leaves)]
    questions = asked(([Node("hub", vector=[1.0]), *leaves], heavy))
    answer = questions.impact_analysis("hub", "downstream", limit=5)
    assert answer.total == 300 and answer.critical_path == (heavy[-1],)
    assert len(questions._view().graph._ids) < 20


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data(), st.integers(1, 5))
def test_similar_to(graph, data, k):
    nodes, _ = graph
    here = data.draw(st.sampled_from(nodes))
    reference = simple(graph)
    own = set(reference[here.id])
    expected = {}
    for other in nodes:
        theirs = set(reference[other.id])
        if other.id == here.id or not own & theirs:
            continue
        jaccard = len(own & theirs) / len(own | theirs)
        words, their_words = set(here.name.split()), set(other.name.split())
        names = len(words & their_words) / len(words | their_words) if words | their_words else 0.0
        expected[other.id] = 0.70 * jaccard + 0.20 * (here.type == other.type != "") + 0.10 * names
    answer = asked(graph).similar_to(here.id, k)
    order = sorted(expected, key=lambda identity: (-round(expected[identity], 9), identity))[:k]
    assert answer.total == len(expected) and not answer.truncated
    assert sorted((round(s.score, 9) for s in answer.similar), reverse=True) == [round(expected[i], 9) for i in order]
    assert {s.node.id: s.score for s in answer.similar} == pytest.approx(
        {s.node.id: expected[s.node.id] for s in answer.similar}
    )


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data(), st.integers(0, 4), st.integers(1, 4))
def test_explore_smart(graph, data, depth, width):
    nodes, edges = graph
    start = data.draw(st.sampled_from([n.id for n in nodes]))
    reference = simple(graph)
    centrality = nx.degree_centrality(reference)
    n_types = max(len({e.type for e in edges}), 1)
    types = {n.id: {e.type for e in edges if n.id in (e.source, e.target)} for n in nodes}
    score = {n: 0.6 * centrality[n] + 0.4 * len(types[n]) / n_types for n in reference}
    seen, frontier, levels = {start}, [start], []
    for _ in range(depth):
        found = {}
        for above in frontier:  # the frontier is ranked, so the first one above is the best
            for below in reference[above]:
                if below not in seen:
                    found.setdefault(below, above)
        if not found:
            break
        seen |= set(found)
        mean = sum(reference.degree[n] for n in found) / len(found)
        frontier = sorted(found, key=lambda n: (-score[n], n))[:width]
        levels.append([(n, found[n], reference.degree[n] > 2 * mean) for n in frontier])
    answer = asked(graph).explore_smart(start, depth, width=width)
    assert [[(b.node.id, b.parent, b.hub) for b in level] for level in answer.levels] == levels
    for level in answer.levels:
        assert [b.score for b in level] == pytest.approx([score[b.node.id] for b in level])
        assert all({b.via.source, b.via.target} == {b.node.id, b.parent} for b in level)
    assert answer.truncated == any(
        total > len(level) for total, level in zip(answer.totals, answer.levels, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data(), st.sets(st.sampled_from(TYPES)))
def test_edge_type_boost(graph, data, types):
    nodes, edges = graph
    seeds = data.draw(st.lists(st.sampled_from([n.id for n in nodes]), max_size=4))
    gained = Counter()
    for edge in edges:
        if edge.type in types and edge.source != edge.target:
            gained[edge.target] += 0.5 * (edge.source in seeds)
            gained[edge.source] += 0.3 * (edge.target in seeds)
    top = max(gained.values(), default=0)
    expected = {node: gain / top for node, gain in gained.items() if gain}
    answer = asked(graph).edge_type_boost(seeds, sorted(types))
    assert {b.node.id: b.score for b in answer.boosted} == pytest.approx(expected)
    ranked = [(round(b.score, 9), b.node.id) for b in answer.boosted]
    assert ranked == sorted(ranked, key=lambda pair: (-pair[0], pair[1]))
