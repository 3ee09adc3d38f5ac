"""PageRank and communities against networkx."""

# ruff: noqa: E501 (tables of cases read better on one line)

import time
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


def simple_of(graph, ids):
    """The undirected graph that the published method finds communities in, its nodes in the order of their ids."""
    simple = nx.Graph()
    simple.add_nodes_from(sorted({ids[node] for edge in graph.edges() for node in edge}))
    simple.add_edges_from((ids[a], ids[b]) for a, b in graph.edges())
    return simple


def relabelled(graph):
    """The same graph, its nodes numbered in the order they come in, and directed: some edges twice, some to themselves."""
    graph = nx.DiGraph(nx.convert_node_labels_to_integers(graph))
    graph.add_edges_from([(0, 0), (1, 0), (5, 5)])
    return graph


TIED = {  # most merges of the first hundreds gain as much as others
    "grid": nx.grid_2d_graph(9, 9),
    "tree": nx.balanced_tree(3, 4),
    "ring": nx.cycle_graph(50),
    "cliques": nx.connected_caveman_graph(12, 5),
    "parts": nx.disjoint_union_all([nx.complete_graph(4)] * 5 + [nx.path_graph(7)] * 4),
    "hub": nx.star_graph(60),
    "preferential": nx.barabasi_albert_graph(300, 2, seed=1),
    "random": nx.gnm_random_graph(300, 900, seed=2),
}


@pytest.mark.parametrize("kind", TIED)
def test_greedy_modularity_merges_in_the_order_of_networkx_also_where_gains_are_equal(kind):
    graph = relabelled(TIED[kind])
    n = len(graph)
    ids = [f"n{(7919 * node) % 10007:05}" for node in range(n)]
    theirs = nx.community.greedy_modularity_communities(simple_of(graph, ids))
    number = {node: number for number, members in enumerate(theirs) for node in members}
    assert greedy_modularity(pairs_of(graph), ids).tolist() == [number.get(ids[node], -1) for node in range(n)]


def test_greedy_modularity_takes_a_part_of_the_time_of_networkx():
    graph = nx.gnm_random_graph(1000, 3000, seed=3)
    pairs, ids = pairs_of(graph), [f"n{node:04}" for node in range(1000)]
    simple = simple_of(graph, ids)
    begun = time.process_time()
    nx.community.greedy_modularity_communities(simple)
    theirs, begun = time.process_time() - begun, time.process_time()
    greedy_modularity(pairs, ids)
    assert time.process_time() - begun < theirs / 2  # an eighth; of more nodes less


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
