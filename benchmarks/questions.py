"""What each query method costs, in searches of the same graph, on 100,000 nodes and 300,000 edges.

Run: ``python benchmarks/questions.py [--nodes N] [--edges M] [--rounds R] [--output FILE]``. Every figure is a ratio
of 95th percentiles measured in one run, searches and questions taking turns, the answer cache off.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import tracemalloc
from pathlib import Path

import numpy as np

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.questions import Questions

TYPES = (
    "enables",
    "requires",
    "optimizes",
    "has_limitation",
    "has_workaround",
    "feeds_into",
    "conflicts_with",
    "part_of",
)
ALLOWED = {"similar_to": 25.0, "impact_analysis": 25.0}


def words(rng: np.random.Generator, count: int, size: int = 20_000) -> list[str]:
    return [f"w{int(rank)}" for rank in np.minimum(rng.zipf(1.3, count), size)]


def build(n_nodes: int, n_edges: int, hub: int) -> Retriever:
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(n_nodes, 64)).astype(np.float32)
    nodes = [
        Node(
            f"n{i:06}",
            f"{a}_{b} {i}",
            f"kind{i % 12}",
            " ".join(text),
            {"cost": i % 1000, "lang": f"l{i % 7}"},
            vectors[i],
        )
        for i, (a, b, *text) in enumerate(np.array_split(words(rng, n_nodes * 22), n_nodes))
    ]
    popular = rng.permutation(n_nodes)
    targets = popular[np.minimum(rng.zipf(1.6, n_edges) - 1, n_nodes - 1)]  # few nodes are the target of many edges
    targets = np.where(rng.random(n_edges) < 0.7, rng.integers(0, n_nodes, n_edges), targets)
    sources = rng.integers(0, n_nodes, n_edges)
    kinds = rng.integers(0, len(TYPES), n_edges)
    targets[:hub], sources[:hub] = 0, rng.permutation(n_nodes - 1)[:hub] + 1
    retriever = Retriever(
        config=RetrievalConfig().replace(index={"cache_seconds": 0}),
        embedder=lambda texts: rng.normal(size=(len(texts), 64)),
    )
    retriever.add(nodes)
    retriever.add(
        edges=[
            Edge(f"n{s:06}", f"n{t:06}", TYPES[k], float(w))
            for s, t, k, w in zip(sources, targets, kinds, rng.random(n_edges) + 0.5, strict=True)
        ]
    )
    return retriever


def measure(retriever: Retriever, rounds: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(11)
    asked = Questions(retriever)
    n = len(retriever)
    ids = [f"n{i:06}" for i in range(n)]
    spent: dict[str, list[float]] = {}
    for round_ in range(-3, rounds):  # the first three warm up
        one, two, *seeds = (ids[i] for i in rng.integers(0, n, 7))
        text = " ".join(words(rng, 5))
        goal = " and then ".join(" ".join(words(rng, 2)) for _ in range(3))
        calls = {
            "search": lambda text=text: retriever.search(text),
            "intent_search": lambda text=text: asked.intent_search(f"find a tool for {text}"),
            "ask": lambda one=one: asked.ask(f"what depends on the {one} node"),
            "want_to": lambda text=text: asked.want_to(text, 10),
            "can_it": lambda text=text: asked.can_it(text),
            "compose_for": lambda goal=goal: asked.compose_for(goal, 5),
            "similar_to": lambda one=one: asked.similar_to(one, 10),
            "impact_analysis": lambda one=one: asked.impact_analysis(one, "both", 3),
            "dimension_filter": lambda r=round_: asked.dimension_filter(
                {"cost": {"min": r % 900, "max": r % 900 + 5}}, 20
            ),
            "classify_intent": lambda text=text: asked.classify_intent(text),
            "trace_path": lambda one=one, two=two: asked.trace_path(one, two),
            "explore_smart": lambda one=one: asked.explore_smart(one, 2),
            "keyword_match": lambda text=text: asked.keyword_match(text),
            "edge_type_boost": lambda seeds=seeds: asked.edge_type_boost(seeds, ["enables", "requires"]),
        }
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if round_ >= 0:
                spent.setdefault(name, []).append(time.perf_counter() - start)
    return spent


def depth_memory(retriever: Retriever) -> dict[int, int]:
    """Return the peak of memory in bytes by depth, over what holds already."""
    asked = Questions(retriever)
    asked.impact_analysis("n000001", "both", 2)
    peaks = {}
    for depth in (3, 5, 10, 100, 1000):
        tracemalloc.start()
        asked.impact_analysis("n000001", "both", depth)
        peaks[depth] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peaks


def hub(retriever: Retriever) -> dict[str, dict[str, object]]:
    """Return what each method does at the hub: milliseconds, and whether it says that it was bounded."""
    asked = Questions(retriever)
    asked.explore_smart("n000001", 1)  # what is made once per generation is made
    report = {}
    for name, call in {
        "similar_to": lambda: asked.similar_to("n000000"),
        "impact_analysis": lambda: asked.impact_analysis("n000000", "both", 3),
        "explore_smart": lambda: asked.explore_smart("n000000"),
        "edge_type_boost": lambda: asked.edge_type_boost(["n000000"], TYPES),
        "trace_path": lambda: asked.trace_path("n000000", "n000001"),
    }.items():
        start = time.perf_counter()
        answer = call()
        report[name] = {"ms": round(1000 * (time.perf_counter() - start), 1), "truncated": answer.truncated}
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    retriever = build(options.nodes, options.edges, 0)
    spent = measure(retriever, options.rounds)
    p95 = {name: float(np.percentile(times, 95)) for name, times in spent.items()}
    report = {
        "nodes": options.nodes,
        "edges": options.edges,
        "rounds": options.rounds,
        "machine": f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}",
        "search_p95_ms": round(1000 * p95["search"], 2),
        "ratio": {name: round(value / p95["search"], 2) for name, value in p95.items() if name != "search"},
        "peak_bytes_by_depth": depth_memory(retriever),
    }
    retriever.close()
    star = build(options.nodes, options.edges, options.nodes // 2)
    report[f"hub_of_{options.nodes // 2}"] = hub(star)
    print(f"One search: {report['search_p95_ms']} ms (95th percentile), {report['machine']}")
    print("| method | searches (p95 ratio) | allowed |\n|---|---|---|")
    for name, ratio in report["ratio"].items():
        print(f"| {name} | {ratio} | {ALLOWED.get(name, 5.0):.0f} |")
    print(json.dumps({key: value for key, value in report.items() if "hub" in key or "peak" in key}))
    if options.output:
        options.output.write_text(json.dumps(report, indent=2) + "\n")
    over = [name for name, ratio in report["ratio"].items() if ratio > ALLOWED.get(name, 5.0)]
    if over:
        raise SystemExit(f"Over what is allowed: {', '.join(over)}.")


if __name__ == "__main__":
    main()
