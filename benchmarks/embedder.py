"""What an embedder trained from the graph is worth, and what it costs.

    FOURFOLD_DATASETS=… python benchmarks/embedder.py quality [--collections cacm …] [--max-queries 300] [--seeds 0 1 2]
        [--set own_share=1 …] [--markdown FILE]
    python benchmarks/embedder.py cost [--nodes 5000] [--edges 15000] [--steps 300]

``quality`` trains on each collection's graph alone, never on its questions, and asks all questions of the static
embedder and of the trained one: nDCG@10 of all four components and of the cosine alone, whether the gate lets it pass
or not. ``--set`` changes numbers of ``fourfold.embed.contextual.Settings``: an ablation. ``cost`` trains on made-up
nodes and prints time and memory.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from shared import add_collection_options, facts, figure, folders, markdown_table

from fourfold import Edge, Node, RetrievalConfig, Retriever, Weights
from fourfold.embed.contextual.training import Settings
from fourfold.evaluate import Collection, load_collection
from fourfold.evaluate.metrics import measure
from fourfold.training import train_embedder

COSINE = {"mode": "embedding", "weights": Weights(1, 0, 0, 0)}
Scores = tuple[float, float]


def asked(retriever: Retriever, collection: Collection) -> Scores:
    """Measure nDCG@10 of all four components, and of the cosine alone."""
    ndcg = measure("ndcg@10")
    found = [
        float(np.mean([ndcg(retriever.search(q.text, k=10, **options).ids, q) for q in collection.judgements]))
        for options in ({}, COSINE)
    ]
    return found[0], found[1]


def on_collection(folder: Path, settings: Sequence[Settings], max_queries: int | None) -> list[list[str]]:
    """Train with each of the settings; a row of the table for each."""
    collection = load_collection(folder)
    collection = replace(collection, judgements=collection.judgements.first(max_queries))
    config = RetrievalConfig().replace(index={"cache_size": 0})
    with Retriever(config=config) as static:
        static.add(collection.nodes, collection.edges)
        before = asked(static, collection)
        rows = []
        for each in settings:
            began = time.perf_counter()
            found = train_embedder(static, settings=each, apply=False)
            took = time.perf_counter() - began
            with Retriever(config=config, embedder=found.embedder) as trained:
                trained.add(collection.nodes, collection.edges)
                after = asked(trained, collection)
            held_out = " ".join(
                f"{kind} {figure(numbers['before'])}→{figure(numbers['after'])}"
                for kind, numbers in found.facts["held_out"].items()
            )
            cells = [collection.name, str(each.seed), held_out, "open" if found.worthwhile else "closed"]
            for old, new in zip(before, after, strict=True):
                cells += [figure(old), figure(new), f"{new - old:+.3f}"]
            rows.append([*cells, str(found.trained.steps), f"{took:.0f}"])
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    return rows


def quality(options: argparse.Namespace) -> None:
    chosen = replace(Settings(), **dict(options.set or []))
    settings = [replace(chosen, seed=seed) for seed in options.seeds]
    head = ["collection", "seed", "held out", "gate", "hybrid", "trained", "", "cosine", "trained", "", "steps", "s"]
    rows = [head]
    for folder in folders(options.collections):
        rows += on_collection(folder, settings, options.max_queries)
    changed = ", ".join(f"{name}={value}" for name, value in options.set or []) or "default settings"
    table = f"{markdown_table(rows)}\n\nnDCG@10; {changed}; at most {options.max_queries} questions; {machine()}\n"
    print(table)
    if options.markdown:
        options.markdown.write_text(table, encoding="utf-8")


def machine() -> str:
    known = facts()
    return f"{known['cores']} cores, Python {known['python']}, numpy {known['packages']['numpy']}"


def cost(options: argparse.Namespace) -> None:
    """Train on made-up nodes of 40 words: time and the largest memory of the process."""
    chance = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(20_000)])
    texts = words[(20_000 * chance.random((options.nodes, 40)) ** 3).astype(int)]
    nodes = [Node(str(n), name=" ".join(row[:3]), text=" ".join(row[3:])) for n, row in enumerate(texts)]
    ends = chance.integers(0, options.nodes, (options.edges, 2))
    edges = [Edge(str(a), str(b), "near") for a, b in ends]
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        at_start = memory()
        began, cpu = time.perf_counter(), time.process_time()
        found = train_embedder(retriever, settings=Settings(steps=options.steps, patience=options.steps), apply=False)
    print(f"{options.nodes:,} nodes, {len(edges):,} edges, {options.steps} steps without early stopping; {machine()}")
    print(f"{time.perf_counter() - began:.1f} s on the clock, {time.process_time() - cpu:.1f} s of processor time")
    print(f"memory: {memory():.2f} GB at most, {at_start:.2f} GB before the training; best step {found.trained.steps}")


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    known = vars(Settings())
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
    return name, type(known[name])(float(value))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = parser.add_subparsers(required=True)
    worth = parts.add_parser("quality")
    add_collection_options(worth)
    worth.add_argument("--seeds", nargs="+", type=int, default=[0])
    worth.add_argument("--set", nargs="+", type=setting, metavar="NAME=VALUE")
    worth.add_argument("--markdown", type=Path)
    worth.set_defaults(run=quality)
    price = parts.add_parser("cost")
    price.add_argument("--nodes", type=int, default=5_000)
    price.add_argument("--edges", type=int, default=15_000)
    price.add_argument("--steps", type=int, default=300)
    price.set_defaults(run=cost)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
