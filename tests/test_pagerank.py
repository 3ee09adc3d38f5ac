"""PageRank and communities against networkx."""

# ruff: noqa: E501 (tables of cases read better on one line)

import networkx as nx
import numpy as np
import pytest

from fourfold.index.communities import greedy_modularity, label_propagation
from fourfold.index.pagerank import pagerank


def pairs_of(graph):
    return np.unique(np.array(list(graph.edges()), np.int64).reshape(-1, 2)[:, :2], axis=0)


@pytest.mark.parametrize("seed", range(5))
def test_pagerank_equals_networkx(seed):
    n = 120
    graph = nx.MultiDiGraph(nx.gnp_random_graph(n, 0.02, seed=seed, directed=True))
    graph.add_edges_from([(0, 1), (0, 1), (3, 3), (1, 0)])  # parallel, loop, reciprocal
    ours = pagerank(pairs_of(graph), n)
    simple = nx.DiGraph(graph)
    simple.remove_nodes_from(list(nx.isolates(simple)))
    theirs = nx.pagerank(simple, alpha=0.85, max_iter=100)
    assert ours.sum() == pytest.approx(1.0)
    for node in range(n):
        assert ours[node] == pytest.approx(theirs.get(node, 0.0), abs=1e-9)


def test_pagerank_without_edges_is_zero():
    assert pagerank(pairs_of(nx.MultiDiGraph()), 4).tolist() == [0.0] * 4


@pytest.mark.parametrize("seed", range(3))
def test_greedy_modularity_equals_networkx(seed):
    n = 40
    graph = nx.MultiDiGraph(nx.gnp_random_graph(n, 0.06, seed=seed, directed=True))
    ids = [f"n{(7 * node) % n:02}" for node in range(n)]
    found = greedy_modularity(pairs_of(graph), ids)
    undirected = nx.Graph()
    ends = sorted({ids[node] for edge in graph.edges() for node in edge})
    undirected.add_nodes_from(ends)
    undirected.add_edges_from(sorted((ids[a], ids[b]) for a, b in graph.edges()))
    expected = {frozenset(community) for community in nx.community.greedy_modularity_communities(undirected)}
    ours = {frozenset(ids[node] for node in np.nonzero(found == number)[0]) for number in set(found.tolist()) - {-1}}
    assert ours == expected
    assert all((found[node] == -1) == (ids[node] not in ends) for node in range(n))


def by_id(labels, names):
    return {frozenset(names[i] for i in np.nonzero(labels == c)[0]) for c in set(labels.tolist())}


def test_label_propagation_depends_on_the_graph_alone():
    rng = np.random.default_rng(1)
    graph = nx.MultiDiGraph(nx.connected_caveman_graph(6, 6))
    n = graph.number_of_nodes()
    ids = [f"n{node:02}" for node in range(n)]
    first = label_propagation(pairs_of(graph), ids)
    order = rng.permutation(n)  # node i stands at position order[i]
    moved = nx.relabel_nodes(graph, dict(enumerate(order.tolist())))
    second = label_propagation(pairs_of(moved), [ids[node] for node in np.argsort(order)])
    assert by_id(first, ids) == by_id(second, [ids[node] for node in np.argsort(order)])
    assert 2 <= len(set(first.tolist())) <= 12
