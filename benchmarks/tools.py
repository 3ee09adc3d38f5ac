"""What tool search and learning cost: 5,000 tools, 50,000 edges. With --quality, what they find.

    python benchmarks/tools.py [--tools 5000] [--edges 50000] [--rounds 200] [--json tools.json]
    FOURFOLD_DATASETS=… python benchmarks/tools.py --quality toollinkos restbench_tmdb

The graph part is timed apart from the retriever's own search (``rank`` over a ready generation); ``after a use`` is a
whole search right after ``record_use``, when the arrays of a new generation are built.

``--quality`` asks every question of the collections named and prints means over them: how often the main tool (the only
one of grade 2) is among the first 5 of ``search_tools``, the share of the gold tools among its first 10, and recall and
precision of ``suggest_workflow``; these once more over the questions whose main tool ranks first.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from shared import facts, figure, folders

from fourfold import Edge, Node, Retriever
from fourfold.evaluate import load_collection
from fourfold.tools import ToolCatalog
from fourfold.tools.search import rank

VERBS = [
    "read",
    "write",
    "list",
    "copy",
    "send",
    "fetch",
    "parse",
    "store",
    "delete",
    "move",
    "deploy",
    "build",
    "test",
    "convert",
    "merge",
    "split",
]
NOUNS = [
    "file",
    "mail",
    "page",
    "table",
    "image",
    "invoice",
    "ticket",
    "branch",
    "user",
    "key",
    "report",
    "chart",
    "queue",
    "bucket",
    "model",
    "token",
]
TYPES = ("depends_on", "followed_by", "co_used", "provides")


def make(path: Path, n_tools: int, n_edges: int) -> ToolCatalog:
    random = np.random.default_rng(0)
    words = random.integers(0, 16, (n_tools, 6))
    nodes = [
        Node(
            id=f"s{n % 97}:tool_{n}",
            name=f"{VERBS[row[0]]}_{NOUNS[row[1]]}_{n}",
            type="tool",
            text=" ".join(f"{VERBS[a]} the {NOUNS[b]}" for a, b in zip(row[2:4], row[4:6], strict=True)),
            metadata={"server": f"s{n % 97}"},
        )
        for n, row in enumerate(words)
    ]
    popularity = 1.0 / np.arange(1, n_tools + 1) ** 0.6  # some tools are hubs
    popularity /= popularity.sum()
    edges: dict[tuple[int, int, int], None] = {}
    while len(edges) < n_edges:
        columns = random.integers(0, n_tools, n_edges), random.choice(n_tools, n_edges, p=popularity)
        kinds = random.integers(0, len(TYPES), n_edges)
        edges |= {(int(a), int(b), int(k)): None for a, b, k in zip(*columns, kinds, strict=True) if a != b}
    retriever = Retriever(path)
    chosen = list(edges)[:n_edges]
    retriever.add(nodes=nodes, edges=[Edge(nodes[a].id, nodes[b].id, TYPES[k]) for a, b, k in chosen])
    return ToolCatalog(retriever)


def timed(times: list[tuple[float, float]], call: Callable[[], Any]) -> Any:
    """Call, and note milliseconds on the clock and of this thread's processor time (steadier on a busy machine)."""
    start, cpu = time.perf_counter(), time.thread_time()
    answer = call()
    times.append((1e3 * (time.perf_counter() - start), 1e3 * (time.thread_time() - cpu)))
    return answer


def measure(catalog: ToolCatalog, rounds: int) -> dict[str, list[tuple[float, float]]]:
    random = np.random.default_rng(1)
    ids = catalog.state().ids
    queries = [f"{VERBS[a]} the {NOUNS[b]} and {VERBS[c]}" for a, b, c in random.integers(0, 16, (rounds, 3))]
    times: dict[str, list[tuple[float, float]]] = {
        name: []
        for name in (
            "first search (builds everything)",
            "the retriever's own scores",
            "graph part of search_tools",
            "graph part, 5 context tools",
            "search_tools",
            "suggest_workflow",
            "record_use of 3 tools",
            "search_tools after a use",
        )
    }
    first, own, graph, context_graph, whole, workflow, use, after = times.values()
    timed(first, lambda: catalog.search_tools(queries[0]))
    state = catalog.state()
    for query in queries:
        request, scores = timed(own, lambda: catalog.retriever.analysis.scores(query, state.nodes, k=10))  # noqa: B023
        context = random.integers(0, len(ids), 5).tolist()
        timed(graph, lambda: rank(state, scores, request, catalog.config, limit=10))  # noqa: B023
        timed(context_graph, lambda: rank(state, scores, request, catalog.config, limit=10, context=context))  # noqa: B023
        timed(whole, lambda: catalog.search_tools(query))  # noqa: B023
        timed(workflow, lambda: catalog.suggest_workflow(query))  # noqa: B023
    for number, query in enumerate(queries):
        used = [ids[p] for p in random.integers(0, len(ids), 3)]
        timed(use, lambda: catalog.record_use(used, success=number % 5 > 0))  # noqa: B023
        if number % 10 == 0:
            timed(after, lambda: catalog.search_tools(query))  # noqa: B023
    return times


def quality(folder: Path) -> dict[str, float | None]:
    collection = load_collection(folder)
    values: dict[str, list[float]] = {
        name: []
        for name in (
            "main tool among the first 5",
            "search_tools R@10",
            "workflow recall",
            "workflow precision",
            "workflow recall, main tool first",
            "workflow precision, main tool first",
        )
    }
    hit, found_10, recall, precision, first_recall, first_precision = values.values()
    with Retriever() as retriever:
        retriever.add(collection.nodes, collection.edges)
        catalog = ToolCatalog(retriever)
        for query in collection.judgements:
            gold = {tool for tool, grade in query.relevant.items() if grade > 0}
            main = [tool for tool, grade in query.relevant.items() if grade == 2]
            found, chosen = catalog.search_tools(query.text).ids, set(catalog.suggest_workflow(query.text).tools)
            found_10.append(len(gold & set(found)) / len(gold))
            recall.append(len(gold & chosen) / len(gold))
            precision.append(len(gold & chosen) / max(len(chosen), 1))
            if len(main) == 1:
                hit.append(main[0] in found[:5])
                if found[:1] == main:
                    first_recall.append(recall[-1])
                    first_precision.append(precision[-1])
    return {"questions": len(recall), **{name: float(np.mean(each)) if each else None for name, each in values.items()}}


def print_quality(names: list[str]) -> None:
    rows = {folder.name: quality(folder) for folder in folders(names)}
    if not rows:
        return
    print("| | " + " | ".join(rows) + " |\n|---" + "|---" * len(rows) + "|")
    for name in next(iter(rows.values())):
        cells = [row[name] for row in rows.values()]
        shown = ["–" if cell is None else f"{cell:,}" if name == "questions" else figure(cell) for cell in cells]
        print(f"| {name} | {' | '.join(shown)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=5_000)
    parser.add_argument("--edges", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quality", nargs="+", metavar="NAME", help="what is found in these collections")
    given = parser.parse_args()
    if given.quality:
        print_quality(given.quality)
        return
    with tempfile.TemporaryDirectory() as folder:
        catalog = make(Path(folder) / "tools.sqlite", given.tools, given.edges)
        times = measure(catalog, given.rounds)
        catalog.retriever.close()
    rows = {
        name: {
            f"{kind} p{p}": round(float(np.percentile(np.array(pairs)[:, column], p)), 2)
            for column, kind in enumerate(("clock", "cpu"))
            for p in (50, 95)
        }
        for name, pairs in times.items()
    }
    machine = {**facts(), "load": round(os.getloadavg()[0], 1)}
    print(f"{given.tools} tools, {given.edges} edges, {machine}\n")
    print("| milliseconds | clock p50 | clock p95 | cpu p50 | cpu p95 |\n|---|---|---|---|---|")
    for name, numbers in rows.items():
        print(f"| {name} | {' | '.join(map(str, numbers.values()))} |")
    if given.json:
        result = {"tools": given.tools, "edges": given.edges, "machine": machine, "milliseconds": rows}
        given.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
