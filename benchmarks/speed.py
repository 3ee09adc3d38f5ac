"""How fast is it beside its own ingredients? 100,000 nodes, 300,000 edges, 256 dimensions; every figure is a ratio.

    python benchmarks/speed.py [--nodes 10000 100000] [--queries 200] [--busy 2] [--pause .05] [--json speed.json]

Several sizes are measured one after the other, each in a process of its own, and end in a table of how figures grow.

Texts of about 40 words and names of 1–4 are drawn from a Zipf vocabulary of 50,000 words. The baseline of a search is
bm25s retrieval + one matrix–vector product + top-k over the same texts and vectors, measured in turn with it, query by
query, in one process: just after the file was opened, when mapped files are checked where they are first touched and
communities are found in another thread, which slows the baseline, too, and again once that is done. The baseline of a
build is Model2Vec's ``encode`` + bm25s indexing + inserting the same rows and FTS5 entries, or with our own embedder,
which makes the same vectors sooner, in the place of ``encode``. The first use of a filter, less the same search again,
stands beside SQLite's own query for the rows that it keeps. With ``--busy`` so many other processes do nothing but
count meanwhile, as on a server whose cores are all taken. OpenBLAS's threads go on spinning for some 25 ms after the
baseline's product and hold a core that a search could use; after ``--pause`` seconds they do no more. Needs bm25s
beside fourfold; memory is read from /proc.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from model2vec import StaticModel
from shared import facts, markdown_table

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.embed.static import BUNDLED_FOLDER, StaticEmbedder, bundled
from fourfold.signals.late import token_table

EDGE_TYPES = ("depends_on", "part_of", "relates_to", "enables", "mentions")


def seconds(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def processor_seconds(step: Callable[[], object]) -> float:
    start = time.thread_time()
    step()
    return time.thread_time() - start


def megabytes(kind: str) -> float:
    """Return resident memory: ``RssAnon`` is held, ``RssFile`` are mapped pages that the system may drop."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024


def apart(function: Callable[..., Any], *given: object) -> Any:
    """Return what a function returns in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(function, *given).result()


@contextmanager
def company(count: int) -> Iterator[None]:
    """Keep so many other processes busy."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def corpus(n: int, rng: np.random.Generator) -> tuple[list[Node], list[Edge], list[str]]:
    """Return nodes without vectors, edges, and a function's worth of query texts."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(sorted({"".join(rng.choice(letters, rng.integers(3, 10))) for _ in range(60_000)})[:50_000])
    rng.shuffle(words)
    weights = 1.0 / np.arange(1, len(words) + 1)
    weights /= weights.sum()

    def texts(count: int, low: int, high: int) -> list[str]:
        lengths = rng.integers(low, high + 1, count)
        drawn = words[rng.choice(len(words), lengths.sum(), p=weights)]
        ends = np.cumsum(lengths)
        return [" ".join(drawn[end - length : end]) for end, length in zip(ends, lengths, strict=True)]

    names, bodies, queries = texts(n, 1, 4), texts(n, 30, 50), texts(1000, 3, 8)
    nodes = [
        Node(f"n{i:06d}", name, "thing", body, {"bucket": i % 10, "thousandth": i % 1000})
        for i, (name, body) in enumerate(zip(names, bodies, strict=True))
    ]
    ends = rng.integers(0, n, (3 * n, 2))
    types = rng.integers(0, len(EDGE_TYPES), 3 * n)
    edges = {(a, b, t): None for a, b, t in zip(*ends.T.tolist(), types.tolist(), strict=True) if a != b}
    return nodes, [Edge(nodes[a].id, nodes[b].id, EDGE_TYPES[t]) for a, b, t in edges], queries


def build_baseline(
    nodes: list[Node], edges: list[Edge], folder: Path
) -> tuple[dict[str, float], bm25s.BM25, np.ndarray]:
    """Time embedding by Model2Vec's own ``encode``, bm25s indexing and plain inserts of the same rows."""
    texts = [f"{node.name} {node.text}" for node in nodes]
    model = StaticModel.from_pretrained(BUNDLED_FOLDER, force_download=False)
    model.encode(["warm"])
    times = {}
    start = time.perf_counter()
    vectors = np.asarray(model.encode(texts), np.float32)
    times["embed"] = time.perf_counter() - start
    own = StaticEmbedder(BUNDLED_FOLDER)  # one that remembers no word yet
    own.embed_query("warm")
    times["embed_own"] = seconds(lambda: own.embed_documents(texts))
    start = time.perf_counter()
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    times["bm25s"] = time.perf_counter() - start

    def insert() -> None:
        connection = sqlite3.connect(folder / "baseline.sqlite", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE nodes (num INTEGER PRIMARY KEY, id TEXT UNIQUE, name, type, text, metadata)")
        connection.execute("CREATE TABLE vectors (node INTEGER PRIMARY KEY, vector BLOB)")
        connection.execute("CREATE TABLE edges (source, target, type, weight, UNIQUE (source, target, type))")
        connection.execute("CREATE VIRTUAL TABLE fts USING fts5 (name, type, text, tokenize='porter unicode61')")
        connection.execute("BEGIN")
        rows = [(i, n.id, n.name, n.type, n.text, json.dumps(dict(n.metadata))) for i, n in enumerate(nodes)]
        connection.executemany("INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO vectors VALUES (?, ?)", ((i, v.tobytes()) for i, v in enumerate(vectors)))
        connection.executemany(
            "INSERT INTO fts (rowid, name, type, text) VALUES (?, ?, ?, ?)", ((r[0], *r[2:5]) for r in rows)
        )
        connection.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?)", ((e.source, e.target, e.type, e.weight) for e in edges)
        )
        connection.execute("COMMIT")
        connection.close()

    times["insert"] = seconds(insert)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return times, retriever, vectors / np.where(norms > 0, norms, 1)


def first_uses(retriever: Retriever, path: Path, queries: list[str]) -> dict[str, float]:
    """Return what the first search behind a filter costs beyond the second, beside SQLite's own query for its rows.

    In the processor's time of this thread: the difference of two searches drowns in what else a machine does.
    """
    connection = sqlite3.connect(path)
    sql = "SELECT node FROM attributes WHERE key = 'bucket' AND value = ? ORDER BY node"
    ours, own = [], []
    for value, query in zip((0, 1, 2, 4, 5, 6, 7, 8, 9), queries, strict=False):  # 3 was asked for before
        search = partial(retriever.search, query, filter={"bucket": value})
        retriever.search(query)  # its words are read
        query_rows = partial(connection.execute, sql, (value,))
        own.append(processor_seconds(lambda query_rows=query_rows: query_rows().fetchall()))
        first = processor_seconds(search)
        ours.append(first - float(np.median([processor_seconds(search) for _ in range(5)])))
    connection.close()
    return {
        "ours_ms": float(np.median(ours)) * 1000,
        "sqlite_ms": float(np.median(own)) * 1000,
        "ratio": float(np.median(ours) / np.median(own)),
    }


def grown_by(path: Path, queries: list[str]) -> tuple[float, float]:
    """Return the memory that a graph holds, and that it maps, in a process that has opened it and searched, in MB."""
    token_table()  # of which, as of the embedder, a process has one
    bundled().embed_query("warm")
    held, mapped = megabytes("RssAnon"), megabytes("RssFile")
    retriever = Retriever(path)
    for query in queries:
        retriever.search(query)
    time.sleep(2)
    return megabytes("RssAnon") - held, megabytes("RssFile") - mapped


def measure(count: int, asked: int, seed: int, pause: float) -> dict[str, Any]:
    """Return every figure for one size."""
    rng = np.random.default_rng(seed)
    nodes, edges, queries = corpus(count, rng)
    queries = queries[:asked]
    figures: dict[str, Any] = {
        **facts(),
        "nodes": len(nodes),
        "edges": len(edges),
        "pause_s": pause,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        baseline, lexical, vectors = build_baseline(nodes, edges, folder)
        config = RetrievalConfig().replace(index={"cache_size": 0})

        retriever = Retriever(folder / "kg.sqlite", config=config)
        retriever.embedder.embed_query("warm")
        added = seconds(lambda: retriever.add(nodes, edges))
        first = seconds(lambda: retriever.search(queries[0]))
        build = added + first
        retriever.close()
        figures["build"] = {
            "ours_s": build,
            "add_s": added,
            "first_search_s": first,
            "baseline_s": baseline,
            "ratio": build / sum(took for part, took in baseline.items() if part != "embed_own"),
            "ratio_own_embedder": build / sum(took for part, took in baseline.items() if part != "embed"),
        }

        grown, mapped = apart(grown_by, folder / "kg.sqlite", queries[:5])
        retriever = Retriever(folder / "kg.sqlite", config=config)
        retriever.embedder.embed_query("warm")
        reopened = seconds(lambda: retriever.search(queries[0]))
        postings = sum(len(segment.nodes) for segment in retriever.backend.snapshots._state.parts.text)
        held = (vectors.nbytes + 8 * postings) / 1e6
        figures["reopen"] = {"s": reopened, "share_of_build": reopened / build}
        figures["memory"] = {
            "grown_mb": grown,
            "mapped_mb": mapped,
            "vectors_and_postings_mb": held,
            "ratio": grown / held,
        }
        figures["vectors"] = dataclasses.asdict(retriever.analysis.snapshot().vectors.info())

        k = 10

        def peer(query: str) -> None:
            scores = lexical.get_scores(bm25s.tokenize(query, stopwords="en", show_progress=False, return_ids=False)[0])
            np.argpartition(scores, len(scores) - k)
            vector = embedder.embed_query(query)
            cosines = vectors @ vector
            np.argpartition(cosines, len(cosines) - k)

        def peer_retrieve(query: str) -> None:
            tokens = bm25s.tokenize(query, stopwords="en", show_progress=False)
            lexical.retrieve(tokens, k=k, show_progress=False)
            cosines = vectors @ embedder.embed_query(query)
            np.argpartition(cosines, len(cosines) - k)

        embedder = retriever.embedder
        systems: dict[str, Callable[[str], object]] = {
            "baseline": peer_retrieve,
            "ours": retriever.search,
            "ours, filter keeps 10 %": lambda q: retriever.search(q, filter={"bucket": 3}),
            "ours, filter keeps .1 %": lambda q: retriever.search(q, filter={"thousandth": 3}),
        }

        def in_turn() -> dict[str, list[float]]:
            times: dict[str, list[float]] = {name: [] for name in systems}
            for query in queries:
                for name, system in systems.items():
                    time.sleep(pause)
                    times[name].append(seconds(partial(system, query)))
            return times

        for query in queries[:5]:
            for system in systems.values():
                system(query)
        opened = {name: float(np.median(values)) for name, values in in_turn().items()}
        while retriever.analysis.snapshot().structure.busy:  # communities are found beside the first questions
            time.sleep(0.1)
        times = in_turn()
        median = {name: float(np.median(values)) * 1000 for name, values in times.items()}
        figures["search"] = {
            "p50_ms": median,
            "p95_ms": {name: float(np.percentile(values, 95)) * 1000 for name, values in times.items()},
            "ours / baseline": median["ours"] / median["baseline"],
            "ours / baseline, just opened": opened["ours"] / opened["baseline"],
            "filter of 10 % / unfiltered": median["ours, filter keeps 10 %"] / median["ours"],
            "filter of .1 % / unfiltered": median["ours, filter keeps .1 %"] / median["ours"],
        }
        figures["first use of a filter"] = first_uses(retriever, folder / "kg.sqlite", queries)
        more = [replace(node, id=f"new{i}") for i, node in enumerate(nodes[:100])]
        grown = seconds(lambda: (retriever.add(more), retriever.search(queries[1])))
        figures["add 100 and search"] = {"s": grown, "share_of_build": grown / build}
        retriever.close()
    return figures


GROWING = (
    ("search", "ours / baseline"),
    ("search", "ours / baseline, just opened"),
    ("search", "filter of 10 % / unfiltered"),
    ("search", "filter of .1 % / unfiltered"),
    ("first use of a filter", "ratio"),
    ("reopen", "share_of_build"),
    ("add 100 and search", "share_of_build"),
    ("build", "ratio"),
    ("build", "ratio_own_embedder"),
    ("memory", "ratio"),
    ("search", "ours_ms"),
    ("reopen", "s"),
    ("add 100 and search", "s"),
)
"""What the table of several sizes shows; the last ones are times, whose growth says more than they do."""


def growth(measured: list[dict[str, Any]]) -> str:
    """Return a table: a figure a row, a size a column, and by what power of the size it grows."""
    sizes = [each["nodes"] for each in measured]
    rows = [["", *(f"{size:,}" for size in sizes), "grows by nodes to the"]]
    for group, name in GROWING:
        values = [each["search"]["p50_ms"]["ours"] if name == "ours_ms" else each[group][name] for each in measured]
        positive = len(sizes) > 1 and values[0] > 0 and values[-1] > 0
        power = np.log(values[-1] / values[0]) / np.log(sizes[-1] / sizes[0]) if positive else np.nan
        rows.append([f"{group}: {name}", *(f"{value:.4g}" for value in values), f"{power:.2f}"])
    return markdown_table(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    measured = []
    for count in options.nodes:  # memory that one size has left behind is not to be counted for the next
        with company(options.busy):
            measured.append(apart(measure, count, options.queries, options.seed, options.pause))
        print(json.dumps(measured[-1], indent=2), flush=True)
    if len(measured) > 1:
        print(growth(measured))
    if options.json:
        options.json.write_text(json.dumps(measured if len(measured) > 1 else measured[0], indent=2))


if __name__ == "__main__":
    main()
