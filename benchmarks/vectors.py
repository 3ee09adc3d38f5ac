"""How fast are the best vectors found beside the dense product, and how many of them? By size, filter and first stage.

    python benchmarks/vectors.py [--sizes 10000 30000 100000 1000000] [--kinds faiss numpy] [--json vectors.json]

The vectors are those of the texts of the collections that FOURFOLD_DATASETS names, whole and cut into passages, by the
model in the package; beyond these, mixtures of two of them (weights between .5 and .95, as the mean over the words of a
longer text is) with noise of length .1. Questions are those of the collections. Every figure is a ratio to the float32
matrix–vector product and top-k (numpy, one thread) over the same rows, the systems taking turns question by question;
medians of the processor's time of this thread, which other programs disturb least.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402  threads are counted when it is imported
from numpy.typing import NDArray  # noqa: E402
from shared import facts, figure, folders, markdown_table  # noqa: E402

from fourfold.embed.static import bundled  # noqa: E402
from fourfold.evaluate import load_collection  # noqa: E402
from fourfold.index.base import Allowed  # noqa: E402
from fourfold.index.vectors import FirstStageSettings, Vectors, VectorSegment, merge  # noqa: E402

COUNT = 10
POOL = 60
FILTERS = {"10 %": 10, ".1 %": 1000}


def timed(step: Callable[[], object]) -> float:
    start = time.thread_time()
    step()
    return time.thread_time() - start


def unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def texts_and_questions() -> tuple[list[str], list[str]]:
    """Return the texts of all collections, whole and as passages of 20–49 words, and their questions."""
    whole: dict[str, None] = {}
    passages: dict[str, None] = {}
    questions: dict[str, None] = {}
    for folder in folders(None):
        collection = load_collection(folder)
        for node in collection.nodes:
            whole[f"{node.name} {node.text}"] = None
            words = f"{node.name} {node.text}".split()
            for start in range(0, len(words), 20):
                passages[" ".join(words[start : start + 20 + start * 7 // 20 % 30])] = None
        questions |= dict.fromkeys(query.text for query in collection.judgements.queries)
    return [*whole, *passages], [*questions]


def fill(real: NDArray[np.float32], n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return n vectors in random order: real ones, and mixtures where these are too few."""
    vectors = np.empty((n, real.shape[1]), np.float32)
    kept = min(n, len(real))
    vectors[:kept] = real[rng.permutation(len(real))[:kept]]
    for start in range(kept, n, 50_000):
        m = min(50_000, n - start)
        share = rng.uniform(0.5, 0.95, (m, 1)).astype(np.float32)
        mixed = share * real[rng.integers(0, len(real), m)] + (1 - share) * real[rng.integers(0, len(real), m)]
        noise = rng.standard_normal(mixed.shape, np.float32) * np.float32(0.1 / np.sqrt(real.shape[1]))
        vectors[start : start + m] = unit(mixed + noise)
    rng.shuffle(vectors)
    return vectors


def measured(
    vectors: NDArray[np.float32], questions: NDArray[np.float32], kind: str, timings: int
) -> dict[str, object]:
    """Return the figures of one size and first stage."""
    n = len(vectors)
    nums = np.arange(n)
    settings = FirstStageSettings(exact=kind == "exact", kind="auto" if kind == "exact" else kind)
    made: list[VectorSegment] = []
    build = timed(lambda: made.append(VectorSegment.build(nums, vectors, first_stage=settings)))
    part = Vectors(made)
    rng = np.random.default_rng(0)
    filters = {name: Allowed(np.flatnonzero(rng.integers(0, every, n) == 0)) for name, every in FILTERS.items()}
    correlated = {
        f"{name}, correlated": Allowed(np.argsort(-(vectors @ questions[0]))[: n // every])
        for name, every in FILTERS.items()
    }
    for allowed in (filters | correlated).values():
        part.ask(questions[1]).best(COUNT, allowed)

    def search(question: NDArray[np.float32], count: int, allowed: Allowed | None = None) -> None:
        ranking = part.ask(question)
        _ = ranking.best(count, allowed), ranking.moments

    def dense(question: NDArray[np.float32]) -> None:
        scores = vectors @ question
        np.argpartition(scores, n - COUNT)

    systems: dict[str, Callable[[NDArray[np.float32]], object]] = {
        "dense": dense,
        f"best {COUNT}": lambda q: search(q, COUNT),
        f"best {POOL}": lambda q: search(q, POOL),
        **{f"filter {name}": (lambda q, a=a: search(q, POOL, a)) for name, a in (filters | correlated).items()},
    }
    times: dict[str, list[float]] = {name: [] for name in systems}
    for question in questions[:timings]:
        for name, system in systems.items():
            times[name].append(timed(lambda system=system, question=question: system(question)))
    median = {name: float(np.median(values)) for name, values in times.items()}

    hits = {COUNT: 0.0, POOL: 0.0}
    ten = filters["10 %"]
    filtered = 0.0
    for question in questions:
        scores = vectors @ question
        ranking = part.ask(question)
        for count in hits:
            worst = np.partition(scores, n - count)[n - count]
            hits[count] += min(float((ranking.best(count).values >= worst - 1e-6).sum()) / count, 1.0)
        worst = np.sort(scores[ten.nodes])[-COUNT]
        filtered += min(float((ranking.best(COUNT, ten).values >= worst - 1e-6).sum()) / COUNT, 1.0)
    small = VectorSegment.build(nums[:100], vectors[:100], first_stage=settings)
    other = VectorSegment.build(nums[100:200], vectors[100:200], first_stage=settings)
    writes = {
        "insert 100, ms": lambda: VectorSegment.build(nums[:100], vectors[:100], first_stage=settings),
        "remove 100, ms": lambda: made[0].without(nums[:100]),
        "merge 100 + 100, ms": lambda: merge([small, other], first_stage=settings),
    }
    stage = made[0].first_stage
    return {
        "n": n,
        "kind": kind,
        "build_s": build,
        "milliseconds": {name: seconds * 1000 for name, seconds in median.items()},
        "ratio": {name: median[name] / median["dense"] for name in systems},
        f"recall@{COUNT}": hits[COUNT] / len(questions),
        f"recall@{POOL}": hits[POOL] / len(questions),
        f"recall@{COUNT}, filter 10 %": filtered / len(questions),
        "own recall": stage.recall if stage else 1.0,
        "rescored": stage.rescored if stage else 0,
        "bytes of codes per vector": part.info().code_bytes / n,
        **{name: float(np.median([timed(step) for _ in range(9)])) * 1000 for name, step in writes.items()},
    }


def table(figures: Sequence[dict[str, object]]) -> str:
    """Return the figures as a table; ratios to the dense product."""
    ratios = list(figures[0]["ratio"])[1:]
    rows = [["n", "first stage", "dense, ms", *ratios, "recall@10", "@60", "@10, 10 %", "own", "rescored", "built, s"]]
    for f in figures:
        milliseconds = f["milliseconds"]["dense"]
        recalls = [figure(f[key], 4) for key in ("recall@10", "recall@60", "recall@10, filter 10 %", "own recall")]
        shares = [figure(f["ratio"][name]) for name in ratios]
        counts = [str(f["rescored"]), f"{f['build_s']:.1f}"]
        rows.append([f"{f['n']:,}", str(f["kind"]), f"{milliseconds:.2f}", *shares, *recalls, *counts])
    return markdown_table(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", choices=("exact", "faiss", "numpy"), default=["exact", "faiss", "numpy"])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--timings", type=int, default=60, help="of the questions, so many are timed")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts, asked = texts_and_questions()
    if not texts:
        return
    rng = np.random.default_rng(0)
    embedder = bundled()
    real = unit(np.asarray(embedder.embed_documents(texts), np.float32))
    questions = unit(np.asarray(embedder.embed_documents(asked), np.float32))
    questions = questions[rng.permutation(len(questions))[: options.questions]]
    figures = []
    for n in options.sizes:
        vectors = fill(real, n, rng)
        for kind in options.kinds:
            figures.append(measured(vectors, questions, kind, options.timings))
            print(json.dumps(figures[-1]), flush=True)
    print(f"\n{len(real):,} of the vectors are of real texts.\n")
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps({**facts(), "real": len(real), "figures": figures}, indent=2))


if __name__ == "__main__":
    main()
