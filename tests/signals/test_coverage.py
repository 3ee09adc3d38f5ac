"""What is told next: order and factors, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
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


def test_scores_descend_where_sums_above_1_are_cut() -> None:
    rng = np.random.default_rng(1)
    words = "read write file show deploy table index graph cloud river stone paper".split()
    titles = [" ".join(rng.choice(words, int(rng.integers(1, 6)), replace=False)) for _ in range(40)]
    nodes = [Node(f"n{place}", title, "page") for place, title in enumerate(titles)]
    edges = [Edge(f"n{n}", f"n{(7 * n + 1) % 40}", "mentions") for n in range(40)]
    config = RetrievalConfig().replace(diversity={"bonus": 0.5})
    questions = [" ".join(rng.choice(words, 5, replace=False)) for _ in range(100)]
    questions += [f"compare {titles[n % 40]} with {titles[(3 * n + 1) % 40]}" for n in range(100)]
    cut = 0
    with Retriever(config=config, embedder=lambda texts: [[1.0, len(t) % 7, t.count("e")] for t in texts]) as graph:
        graph.add(nodes, edges)
        for question in questions:
            found = graph.search(question, weights={"text": 1})
            scores = [hit.score for hit in found]
            assert scores == sorted(scores, reverse=True)
            for hit in found:
                assert sum(one.value for one in hit.evidence) == pytest.approx(hit.score, abs=1e-9)
                assert hit.score <= 1.0
                cut += any(one.kind == "clipped" for one in hit.evidence)
    assert cut


def test_a_mention_elsewhere_changes_no_answer() -> None:
    texts = "read a file line by line", "write a file at once", "close a file", "a line of text", "lines and columns"
    nodes = [Node(f"n{place}", text, "page", text) for place, text in enumerate(texts)]
    answers = []
    for mentions in ([], [Edge("odd", "even", "mentions")]):
        with Retriever() as graph:
            graph.add([*nodes, Node("odd", "zzz"), Node("even", "yyy")], [Edge("n0", "n1", "uses"), *mentions])
            found = graph.search("read and write lines of a file")
            assert len(found) >= 4
            answers.append([hit.node.id for hit in found])
            assert not any(one.kind == "coverage" for hit in found for one in hit.evidence)
    assert answers[0] == answers[1]
