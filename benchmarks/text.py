"""How fast is the text part beside bm25s? Ratios over the same texts, and how they grow from 10,000 nodes.

    python benchmarks/text.py [--nodes 10000 100000 1000000] [--queries 200] [--json text.json]

Names of 1–4 words, texts of about 40 and questions of 3–8 are drawn from a Zipf vocabulary of 50,000 words, as in
``speed.py``, but as numbers: neither side's tokenizer is measured. An answer is the 30 best and the moments of all
scores; bm25s gives the 10 best. The first time a question is asked, words and pairs of words may be new to the
generation; the second time they are known. Times are the processor's, of one thread, the two sides in turn, question
by question.
Needs bm25s and rich beside fourfold.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized
from rich.console import Console
from rich.table import Table
from shared import facts

from fourfold import RetrievalConfig
from fourfold.index.base import Allowed
from fourfold.index.changes import FIELDS, TOKEN
from fourfold.index.text import Text, TextSegment

VOCABULARY = 50_000
CONFIG = RetrievalConfig().text
READINGS = tuple(tuple(FIELDS.index(column) for column in field.columns) for field in CONFIG.fields)
CONSTANTS: dict[str, Any] = {"weights": [field.weight for field in CONFIG.fields], "k1": CONFIG.k1, "b": CONFIG.b}


def seconds(step: Callable[[], object]) -> float:
    start = time.thread_time()
    step()
    return time.thread_time() - start


class Corpus:
    """Nodes with a name, a type that all share and a text; the words are numbers."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        weights /= weights.sum()

        def texts(count: int, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
            lengths = rng.integers(low, high + 1, count)
            return rng.choice(VOCABULARY, lengths.sum(), p=weights), np.repeat(np.arange(count), lengths)

        names, of_name = texts(n, 1, 4)
        bodies, of_body = texts(n, 30, 50)
        asked, of_query = texts(1000, 3, 8)
        terms = np.concatenate((names, np.full(n, VOCABULARY), bodies))
        nodes = np.concatenate((of_name, np.arange(n), of_body))
        fields = np.repeat([0, 1, 2], [len(names), n, len(bodies)])
        keys, counts = np.unique((nodes * 3 + fields) << 16 | terms, return_counts=True)
        self.nums = np.arange(1, n + 1)
        self.tokens = np.empty(len(keys), TOKEN)
        self.tokens["term"], self.tokens["field"], self.tokens["count"] = keys & 0xFFFF, (keys >> 16) % 3, counts
        self.token_counts = np.bincount((keys >> 16) // 3, minlength=n)
        order = np.argsort(np.concatenate((of_name, of_body)), kind="stable")
        words = np.concatenate((names, bodies))[order]
        self.documents = [text.tolist() for text in np.split(words, np.cumsum(np.bincount(nodes) - 1)[:-1])]
        self.queries = [text.tolist() for text in np.split(asked, np.flatnonzero(np.diff(of_query)) + 1)]

    def segment(self, nums: slice) -> TextSegment:
        """Return the postings of some of the nodes."""
        ends = np.concatenate(([0], np.cumsum(self.token_counts)))
        tokens = self.tokens[ends[nums.start] : ends[nums.stop]]
        return TextSegment.build(self.nums[nums], tokens, self.token_counts[nums], READINGS)


def counted(query: list[int]) -> dict[int, float]:
    return {word: float(query.count(word)) for word in query}


def answer(text: Text, query: list[int], allowed: Allowed | None = None) -> None:
    ranking = text.ask(counted(query))
    ranking.best(30, allowed)
    _ = ranking.moments


def measure(n: int, n_queries: int, seed: int) -> dict[str, float]:
    corpus = Corpus(n + 100, np.random.default_rng(seed))
    queries = corpus.queries[:n_queries]
    rival = bm25s.BM25()
    vocabulary = {str(word): word for word in range(VOCABULARY)}
    tokens = Tokenized(ids=corpus.documents[:n], vocab=vocabulary)
    indexing = seconds(lambda: rival.index(tokens, show_progress=False))
    built: list[TextSegment] = []
    building = seconds(lambda: built.append(corpus.segment(slice(0, n))))
    segment = built[0]
    text = Text([segment], **CONSTANTS)
    tenth, thousandth = (Allowed(np.arange(3, n, step)) for step in (10, 1000))
    systems: dict[str, Callable[[list[int]], object]] = {
        "bm25s": lambda query: rival.retrieve([[str(word) for word in query]], k=10, show_progress=False),
        "first": lambda query: answer(text, query),
        "again": lambda query: answer(text, query),
        "keeps 10 %": lambda query: answer(text, query, tenth),
        "keeps .1 %": lambda query: answer(text, query, thousandth),
    }
    times: dict[str, list[float]] = {name: [] for name in systems}
    for name in ("bm25s", "first"):  # the very first answer of each side also lays out its tables
        systems[name](queries[0])
    for query in queries:
        for name, system in systems.items():
            times[name].append(seconds(partial(system, query)))
    p50 = {name: float(np.median(values)) * 1000 for name, values in times.items()}
    mean = {name: float(np.mean(values)) * 1000 for name, values in times.items()}

    def add() -> None:
        Text([segment.without(corpus.nums[:0]), corpus.segment(slice(n, n + 100))], **CONSTANTS)

    adding = min(seconds(add) for _ in range(5))
    grown = Text([segment, corpus.segment(slice(n, n + 100))], **CONSTANTS)
    deleting = min(seconds(lambda: segment.without(corpus.nums[7:n:1000])) for _ in range(3))
    held = sum(array.nbytes for array in segment.arrays().values())
    own = segment.own_terms.nbytes + segment.own_starts.nbytes
    postings = int(segment.df[:, -1].sum())
    return {
        "nodes": n,
        "postings": postings,
        "bytes per posting": (held - own) / postings,
        "bytes per posting, with terms by node": held / postings,
        "build / bm25s": building / indexing,
        "build_s": building,
        "bm25s_ms": p50["bm25s"],
        "p50 first / bm25s": p50["first"] / p50["bm25s"],
        "p50 again / bm25s": p50["again"] / p50["bm25s"],
        "mean first / bm25s": mean["first"] / mean["bm25s"],
        "mean again / bm25s": mean["again"] / mean["bm25s"],
        "keeps 10 % / unfiltered": p50["keeps 10 %"] / p50["again"],
        "keeps .1 % / unfiltered": p50["keeps .1 %"] / p50["again"],
        "add 100 nodes_ms": adding * 1000,
        "first answer after that_ms": seconds(lambda: answer(grown, queries[0])) * 1000,
        "delete a thousandth_ms": deleting * 1000,
        "again_ms": p50["again"],
        "first_ms": p50["first"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    runs = [measure(n, options.queries, options.seed) for n in options.nodes]
    table = Table(*("", *(f"{run['nodes']:,}" for run in runs)))
    for name in list(runs[0])[1:]:
        table.add_row(name, *(f"{run[name]:,.3g}" if run[name] < 1000 else f"{run[name]:,.0f}" for run in runs))
    if len(runs) > 1:
        growth = runs[-1]["again_ms"] / runs[0]["again_ms"]
        table.caption = f"{runs[-1]['nodes'] / runs[0]['nodes']:.0f} × the nodes take {growth:.1f} × as long"
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps({**facts(), "runs": runs}, indent=2))


if __name__ == "__main__":
    main()
