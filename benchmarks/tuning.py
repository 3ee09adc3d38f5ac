"""What tuning is worth on queries it was not learnt from, that it leaves noise alone, and how long it takes.

    FOURFOLD_DATASETS=… python benchmarks/tuning.py quality [--collections toollinkos …] [--max-queries 300]
    FOURFOLD_DATASETS=… python benchmarks/tuning.py random [--trials 100] [--labels dealt]
    python benchmarks/tuning.py power [--gains 0 .02 .05 .1] [--sizes 50 100 300 1000] [--trials 10]
    python benchmarks/tuning.py speed [--nodes 5000] [--queries 300]

``quality`` prints, for each collection, the config in force and the tuned one on held-out folds, and what the gate let
pass; ``random`` labels at random and counts how often anything would be applied: ``drawn`` gives every query any nodes,
``dealt`` the answers of other queries, so that popular answers stay popular; ``power`` counts how often the gate lets a
planted gain pass;
``speed`` times tuning on a made-up graph, and evaluating against searching. Results are written as JSON (--results).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from shared import MEASURES, add_collection_options, facts, folders, held_out

from fourfold import Edge, Node, Retriever
from fourfold.evaluate import JudgedQuery, Judgements, evaluate, load_collection, summarise, tune
from fourfold.evaluate.tune import answer_groups, evidence, make_folds, passes


def quality(options: argparse.Namespace) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for folder in folders(options.collections):
        collection = load_collection(folder)
        queries = collection.judgements.first(options.max_queries).queries
        with Retriever() as retriever:
            retriever.add(collection.nodes, collection.edges)
            default = evaluate(retriever, queries)
            start, cpu = time.perf_counter(), time.process_time()
            result = tune(retriever, queries)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        row: dict[str, Any] = {"queries": len(queries), "lower": result.lower, "applied": result.worthwhile}
        runs = {"default": default, "tuned": held_out(result, default, gated=False), "gated": held_out(result, default)}
        for kind, run in runs.items():
            row |= {f"{kind} {name}": float(run.values(queries, name).mean()) for name in MEASURES}
        rows[folder.name] = row | {"seconds": seconds, "cpu_seconds": cpu, "changes": result.changes}
        print(folder.name, {k: round(v, 4) if isinstance(v, float) else v for k, v in rows[folder.name].items()})
        write(options, {"quality": rows})
    if rows:
        print_table(rows)
    return rows


def print_table(rows: dict[str, Any]) -> None:
    columns = [f"{kind} {name}" for name in MEASURES for kind in ("default", "tuned", "gated")]
    print("\n" + f"{'':20}" + "".join(f"{column:>18}" for column in columns) + "  applied")
    for name, row in rows.items():
        print(f"{name:20}" + "".join(f"{row[column]:18.3f}" for column in columns) + f"  {row['applied']}")
    print(f"{'mean':20}" + "".join(f"{np.mean([row[c] for row in rows.values()]):18.3f}" for c in columns))


def dealt_out(judged: Sequence[JudgedQuery], ids: Sequence[str], labels: str, trial: int) -> list[JudgedQuery]:
    """Return the queries with labels that have nothing to do with them."""
    dice = np.random.default_rng(trial)
    if labels == "dealt":
        order = dice.permutation(len(judged)).tolist()
        return [replace(query, relevant=judged[other].relevant) for query, other in zip(judged, order, strict=True)]
    return [
        replace(query, relevant=dict.fromkeys(dice.choice(ids, len(query.relevant), replace=False), 1.0))
        for query in judged
    ]


def random(options: argparse.Namespace) -> dict[str, Any]:
    rows = {}
    for folder in folders(options.collections or ["restbench_tmdb"]):
        collection = load_collection(folder)
        judged = collection.judgements.first(options.max_queries).queries
        ids = [node.id for node in collection.nodes]
        applied, gains, largest = 0, [], 0.0
        with Retriever() as retriever:
            retriever.add(collection.nodes, collection.edges)
            for trial in range(options.trials):
                result = tune(retriever, dealt_out(judged, ids, options.labels, trial), seed=trial)
                applied += result.worthwhile
                gains.append(result.gain.mean)
                largest = max(largest, result.lower)
                rows[folder.name] = {
                    "labels": options.labels,
                    "trials": trial + 1,
                    "applied": applied,
                    "mean gain": float(np.mean(gains)),
                    "largest gain": float(np.max(gains)),
                    "largest lower bound": largest,
                }
                if (trial + 1) % 10 == 0:
                    print(folder.name, rows[folder.name], flush=True)
                    write(options, {"random": rows})
    return rows


RANKS = np.array([1, 2, 3, 4, 6, 9, 11])  # 11: not found
RANK_SHARES = np.array([0.4, 0.12, 0.08, 0.06, 0.07, 0.07, 0.2])
NODES, SHAKEN = 400, 0.2


def planted(gain: float, count: int, dice: np.random.Generator) -> bool:
    """Plant a gain in made-up answers, put it to the gate, and return whether it passes.

    Answers are shared as people ask: the n-th node is asked for in proportion to 1 / n. Of the queries, ``SHAKEN``
    change places at random; of all some are lifted to the first place, so many that the mean nDCG@10 rises by ``gain``.
    """
    popularity = 1.0 / np.arange(1, NODES + 1)
    answers = dice.choice(NODES, count, p=popularity / popularity.sum()).tolist()
    queries = [JudgedQuery(str(place), f"q {place}", {f"n{answer}": 1.0}) for place, answer in enumerate(answers)]
    discounts = np.where(RANKS > 10, 0.0, 1.0 / np.log2(RANKS + 1))
    before = dice.choice(len(RANKS), count, p=RANK_SHARES)
    after = np.where(dice.random(count) < SHAKEN, dice.choice(len(RANKS), count, p=RANK_SHARES), before)
    after[dice.random(count) < gain / float(RANK_SHARES @ (discounts[0] - discounts))] = 0
    rankings = []
    for answer, place in zip(answers, after.tolist(), strict=True):
        listed = [f"n{other}" for other in dice.choice(NODES, 11, replace=False).tolist() if other != answer][:10]
        if RANKS[place] <= 10:
            listed.insert(int(RANKS[place]) - 1, f"n{answer}")
        rankings.append(listed[:10])
    fold_of, _ = make_folds(answer_groups(queries), 5, 0)
    own = discounts[before]
    bound, chance = evidence(queries, own, rankings, fold_of)
    return passes(float((discounts[after] - own).mean()), bound, chance, count)


def power(options: argparse.Namespace) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for gain in options.gains:
        for size in options.sizes:
            passed = sum(planted(gain, size, np.random.default_rng(trial)) for trial in range(options.trials))
            rows[f"{gain:g} {size}"] = {"planted": gain, "labels": size, "passed": passed, "trials": options.trials}
            print(rows[f"{gain:g} {size}"], flush=True)
            write(options, {"power": rows})
    return rows


def speed(options: argparse.Namespace) -> dict[str, Any]:
    dice = np.random.default_rng(0)
    words = [f"{a}{b}" for a in ("ba", "be", "bi", "bo", "du") for b in ("lan", "mer", "nis", "ton", "rug", "kel")]
    words += [f"{word}{end}" for word in words for end in ("a", "o", "us", "ix", "en")]
    weights = 1.0 / np.arange(1, len(words) + 1)
    weights /= weights.sum()
    nodes = [
        Node(f"n{i}", name=" ".join(dice.choice(words, 2)), text=" ".join(dice.choice(words, 40, p=weights)))
        for i in range(options.nodes)
    ]
    ends = dice.integers(0, options.nodes, (4 * options.nodes, 2))
    kinds = ("requires", "part_of", "relates_to", "follows")
    edges = [Edge(f"n{a}", f"n{b}", kinds[i % 4]) for i, (a, b) in enumerate(ends.tolist()) if a != b]
    queries = []
    for i, place in enumerate(dice.integers(0, options.nodes, options.queries).tolist()):
        target = f"n{dice.integers(0, options.nodes)}"
        queries.append(JudgedQuery(str(i), " ".join(nodes[place].text.split()[:6]), {f"n{place}": 1.0, target: 1.0}))
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        retriever.search("warm up")
        start, cpu = time.perf_counter(), time.process_time()
        tune(retriever, queries)
        row = {
            "nodes": len(nodes),
            "edges": len(edges),
            "queries": len(queries),
            "tune_seconds": time.perf_counter() - start,
            "tune_cpu_seconds": time.process_time() - cpu,
        }
        thousand = Judgements("speed", tuple(replace(queries[i % len(queries)], id=str(i)) for i in range(1000)))
        ratios = []
        for _ in range(3):
            start = time.process_time()
            for query in thousand:
                retriever.maintenance.forget_answers()
                retriever.search(query.text)
            searching = time.process_time() - start
            distinct = [replace(query, text=f"{query.text} {i}") for i, query in enumerate(thousand)]
            start = time.process_time()
            summarise(evaluate(retriever, distinct), distinct)
            ratios.append((time.process_time() - start) / searching)
        row["evaluate_over_search"] = float(np.median(ratios))
    print(row)
    return {"speed": row}


def write(options: argparse.Namespace, found: dict[str, Any]) -> None:
    options.results.mkdir(parents=True, exist_ok=True)
    path = options.results / f"tuning-{options.what}.json"
    path.write_text(json.dumps({"facts": facts(), "max_queries": options.max_queries, **found}, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "random", "power", "speed"])
    add_collection_options(parser)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--labels", choices=["drawn", "dealt"], default="drawn", help="of random")
    parser.add_argument("--gains", type=float, nargs="+", default=[0.0, 0.02, 0.05, 0.1])
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 100, 300, 1000])
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args()
    found = {"quality": quality, "random": random, "power": power, "speed": speed}[options.what](options)
    write(options, {options.what: found})
    print(json.dumps(facts()))


if __name__ == "__main__":
    main()
