"""Whether asking text and embedding side by side pays, over texts that are made up.

    python benchmarks/side_by_side.py [--sizes 5000 50000] [--questions 200]

The time of the two parts alone, which is all that could run side by side: one after the other, by a thread for all of
one of them, and with the codes of vectors alone read in a thread (``index.base.Beginning``), which the retriever does
from a size on. Up to 20,000 vectors there are no codes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import numpy as np
from shared import markdown_table

from fourfold import Node, Retriever
from fourfold.index import vectors
from fourfold.index.base import Beginning
from fourfold.query import Query
from fourfold.refine import FIRST_CANDIDATES

WORDS, LENGTH, ASKED = 20_000, 40, 8


def graph(size: int) -> tuple[Retriever, list[str]]:
    dice = np.random.default_rng(0)
    often = 1.0 / np.arange(1, WORDS + 1)
    often /= often.sum()
    texts = [" ".join(f"w{n}" for n in dice.choice(WORDS, LENGTH, p=often)) for _ in range(size)]
    retriever = Retriever()
    retriever.add([Node(str(n), text=text) for n, text in enumerate(texts)])
    return retriever, [" ".join(text.split()[:ASKED]) for text in texts]


def timed(ask: Callable[[Query], object], queries: Sequence[Query]) -> float:
    """Return the median time of a question in milliseconds."""
    found = []
    for query in queries:
        start = time.perf_counter()
        ask(query)
        found.append(time.perf_counter() - start)
    return 1e3 * float(np.median(found))


def row(size: int, count: int) -> list[str]:
    retriever, questions = graph(size)
    with retriever:
        snapshot, prepared = retriever.analysis.prepare(questions[:count])
        with ThreadPoolExecutor(1) as pool:

            def text(query: Query) -> object:
                terms = snapshot.term_numbers([term for _, own in query.words for term in own])
                return snapshot.text.ask(dict.fromkeys(terms.values(), 1.0)).best(FIRST_CANDIDATES)

            def embedding(query: Query) -> object:
                assert query.vector is not None
                return snapshot.vectors.ask(query.vector).best(FIRST_CANDIDATES)

            def one_by_one(query: Query) -> object:
                return text(query), embedding(query)

            def side_by_side(query: Query) -> object:
                other = pool.submit(embedding, query)
                return text(query), other.result()

            def codes_beside(query: Query) -> object:
                assert query.vector is not None
                ranking = snapshot.vectors.ask(query.vector)
                if isinstance(ranking, Beginning):
                    ranking.begin(FIRST_CANDIDATES)
                return text(query), ranking.best(FIRST_CANDIDATES)

            times = [timed(ask, prepared) for ask in (text, embedding, one_by_one, side_by_side)]
            with patch.object(vectors, "_BESIDE", 0):
                times.append(timed(codes_beside, prepared))
    return [f"{size:,}", *(f"{value:.2f}" for value in times)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    rows = [["nodes", "text, ms", "embedding, ms", "one after the other, ms", "side by side, ms", "codes beside, ms"]]
    print(markdown_table([*rows, *(row(size, options.questions) for size in options.sizes)]))


if __name__ == "__main__":
    main()
