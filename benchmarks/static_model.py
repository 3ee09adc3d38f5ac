"""How well static models retrieve by cosine alone: nDCG@10 over the development collections.

    FOURFOLD_DATASETS=… python benchmarks/static_model.py MODEL [MODEL …] [--json scores.json]

Each MODEL is a Model2Vec folder, or `label=folder`; each collection a folder in BEIR form (`corpus.jsonl`,
`queries.jsonl`, `qrels.tsv`).
A document's text is its title, a space and its text; every query that has judgements counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray

DEPTH = 10

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Collection:
    """One judged collection; `gains[i]` maps document positions to the linear gain they have for query i."""

    name: str
    documents: list[str]
    queries: list[str]
    gains: list[dict[int, float]]


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def read_collection(folder: Path) -> Collection:
    """Read a collection in BEIR form, reduced to the queries that have a judgement above zero."""
    position: dict[str, int] = {}
    documents: list[str] = []
    for row in read_jsonl(folder / "corpus.jsonl"):
        position[row["_id"]] = len(documents)
        title = row.get("title") or ""
        documents.append(f"{title} {row['text']}" if title else row["text"])

    judged: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if float(score) > 0 and document in position:
            judged[query][position[document]] = float(score)

    rows = [row for row in read_jsonl(folder / "queries.jsonl") if row["_id"] in judged]
    return Collection(folder.name, documents, [row["text"] for row in rows], [judged[row["_id"]] for row in rows])


def dcg(gains: Sequence[float]) -> float:
    """Sum the discounted gain, linear in the gain: Σ gain / log2(rank + 1) over the first ten."""
    return float(sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains[:DEPTH])))


def normalised(vectors: Vectors) -> Vectors:
    """Scale rows to length one; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = vectors / np.maximum(lengths, 1e-12)
    return scaled


def ndcg(model: StaticModel, collection: Collection) -> float:
    """Measure the mean nDCG@10 of ranking the documents by cosine; equal scores keep the order of the file."""
    documents = normalised(np.asarray(model.encode(collection.documents), dtype=np.float32))
    queries = normalised(np.asarray(model.encode(collection.queries), dtype=np.float32))
    scores = []
    for query, gains in zip(queries, collection.gains, strict=True):
        best = np.argsort(-(documents @ query), kind="stable")[:DEPTH]
        ideal = dcg(sorted(gains.values(), reverse=True))
        scores.append(dcg([gains.get(int(document), 0.0) for document in best]) / ideal)
    return float(np.mean(scores))


def size_in_bytes(folder: Path) -> int:
    """Add up what a model weighs on disk: weights, tokenizer and configuration."""
    return sum((folder / name).stat().st_size for name in ("model.safetensors", "tokenizer.json", "config.json"))


def table(names: Sequence[str], columns: dict[str, dict[str, float]]) -> str:
    """Lay the scores out: collections down, models across, the mean last."""
    width = max(len(name) for name in names)
    head = " ".join(f"{label:>12}" for label in columns)
    rows = [f"{name:<{width}} " + " ".join(f"{column[name]:>12.4f}" for column in columns.values()) for name in names]
    mean = " ".join(f"{np.mean(list(column.values())):>12.4f}" for column in columns.values())
    return "\n".join([f"{'nDCG@10':<{width}} {head}", *rows, f"{'mean':<{width}} {mean}"])


def labelled(argument: str) -> tuple[str, Path]:
    """Read `label=folder`, or a folder whose own name is the label."""
    label, _, folder = argument.rpartition("=")
    return label or Path(folder).resolve().name, Path(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, write JSON where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="+", type=labelled, help="Model2Vec folders, each as FOLDER or LABEL=FOLDER")
    parser.add_argument("--json", type=Path, help="where to write the scores and the machine's facts")
    options = parser.parse_args(arguments)

    root = os.environ.get("FOURFOLD_DATASETS")
    if not root:
        print("Skipped: FOURFOLD_DATASETS is not set; it names the folder that holds the collections.")
        return 0

    collections = [read_collection(path.parent) for path in sorted(Path(root).glob("*/qrels.tsv"))]
    names = [collection.name for collection in collections]
    columns: dict[str, dict[str, float]] = {}
    facts: dict[str, dict[str, float]] = {}
    for label, folder in options.models:
        model = StaticModel.from_pretrained(folder, force_download=False)
        started = time.perf_counter()
        columns[label] = {collection.name: ndcg(model, collection) for collection in collections}
        facts[label] = {"bytes": size_in_bytes(folder), "seconds": round(time.perf_counter() - started, 2)}

    print(table(names, columns))
    if options.json:
        report = {
            "measure": f"nDCG@{DEPTH}, cosine alone",
            "machine": {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()},
            "models": {
                label: {**facts[label], "mean": float(np.mean(list(scores.values()))), "collections": scores}
                for label, scores in columns.items()
            },
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
