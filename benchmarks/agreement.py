"""Whether an engine answers as a SQLite file does: the same ids in the same order, on whole collections.

    python benchmarks/agreement.py ADDRESS [--collections cacm toollinkos] [--max-queries 50]

ADDRESS is a place for empty graphs in which ``{}`` stands for the collection's name, such as
``milvus:///tmp/{}.db`` or ``postgresql://me@host/db?schema={}``. Phrases, which only SQLite ranks, are left out.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from shared import add_collection_options, folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import load_collection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    add_collection_options(parser)
    options = parser.parse_args()
    config = RetrievalConfig().replace(text={"phrase": "never"}, index={"cache_seconds": 0.0})
    print(
        "| collection | nodes | edges | questions | same ids in the same order | largest difference of a score | ms |"
    )
    print("|---|---|---|---|---|---|---|")
    for folder in folders(options.collections):
        collection = load_collection(folder)
        questions = [query.text for query in collection.judgements][: options.max_queries]
        address = options.address.format(folder.name)
        with Retriever(address, config=config) as engine, Retriever(":memory:", config=config) as sqlite:
            for one in (engine, sqlite):
                one.add(collection.nodes, collection.edges)
                settled(one)
            same, largest, seconds = compared(engine, sqlite, questions)
        row = (folder.name, len(collection.nodes), len(collection.edges), len(questions), same, f"{largest:.1e}")
        print("|", " | ".join(map(str, row)), "|", f"{1000 * np.median(seconds):.0f} |", flush=True)


def settled(retriever: Retriever) -> None:
    """Wait until the communities of the graph are found."""
    structure = retriever.analysis.snapshot().structure
    structure.communities(exact=False)
    while structure.busy:
        time.sleep(0.1)


def compared(engine: Retriever, sqlite: Retriever, questions: list[str]) -> tuple[int, float, list[float]]:
    """Return how many answers have the same ids in the same order, the largest difference, and the engine's times."""
    same, largest, seconds = 0, 0.0, []
    for question in questions:
        begun = time.perf_counter()
        own = engine.search(question)
        seconds.append(time.perf_counter() - begun)
        other = sqlite.search(question)
        if own.ids == other.ids:
            same += 1
            pairs = zip(own.hits, other.hits, strict=True)
            largest = max(largest, *(abs(hit.score - twin.score) for hit, twin in pairs), 0.0)
        else:
            print(f"Not the same: {question!r}: {own.ids} and {other.ids}")
    return same, largest, seconds


if __name__ == "__main__":
    main()
