"""PageRank and communities against networkx."""

# ruff: noqa: E501 (tables of cases read better on one line)

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from fourfold.index.communities import greedy_modularity, label_propagation
from fourfold.index.pagerank import pagerank
from fourfold.index.structure import Structure


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


def grouped(labels, names):
    return {frozenset(names[i] for i in np.nonzero(labels == c)[0]) for c in set(labels.tolist()) - {-1}}


def propagated_by_asking_all(graph):
    """Label propagation as its source has it, every node asked in every round: {node: label}."""
    around = {n: sorted(set(nx.all_neighbors(graph, n)) - {n}) for n in range(graph.number_of_nodes())}
    labels = {n: n for n, others in around.items() if others}
    for _ in range(20):
        before = dict(labels)
        for parity in (0, 1):
            votes = {}
            for node in labels:
                if node % 2 == parity:
                    counts = Counter(labels[other] for other in around[node])
                    votes[node] = min(counts, key=lambda c, n=node, k=counts: (-2 * k[c] - (c == labels[n]), c))
            labels |= votes
        if labels == before:
            break
    return labels


@pytest.mark.parametrize("seed", range(12))
def test_label_propagation_asks_again_only_where_a_vote_can_change(seed):
    n, edges = 60, (0.02, 0.04, 0.08)[seed % 3]
    graph = nx.MultiDiGraph(nx.gnp_random_graph(n, edges, seed=seed, directed=True))
    graph.add_edges_from([(3, 3), (0, 1), (1, 0)])
    found, expected = label_propagation(pairs_of(graph), n), propagated_by_asking_all(graph)
    assert {node for node in range(n) if found[node] >= 0} == set(expected)
    wanted = np.array([expected.get(node, -1) for node in range(n)])
    assert grouped(found, range(n)) == grouped(wanted, range(n))


def test_communities_depend_on_the_graph_alone_not_on_the_order_of_its_nodes():
    rng = np.random.default_rng(1)
    graph = nx.MultiDiGraph(nx.connected_caveman_graph(6, 6))
    n = graph.number_of_nodes()
    ids = [f"n{node:02}" for node in range(n)]
    order = rng.permutation(n)  # node i stands at position order[i]
    moved_ids = [ids[node] for node in np.argsort(order)]

    def found(graph, ids):
        structure = Structure(Pairs(pairs_of(graph)), lambda nodes: [ids[node] for node in nodes])
        communities = structure.communities(exact=False)
        return grouped(communities.of(np.arange(n)), ids)

    first = found(graph, ids)
    assert first == found(nx.relabel_nodes(graph, dict(enumerate(order.tolist()))), moved_ids)
    assert 2 <= len(first) <= 12


class Pairs:
    def __init__(self, found):
        self.found = found

    def __len__(self):
        return len(self.found)

    def pairs(self):
        return self.found
