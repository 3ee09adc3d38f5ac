"""What a larger embedding model is worth beside the one in the package: nDCG@10, and what it costs per text.

    FOURFOLD_DATASETS=… python benchmarks/larger_model.py MODEL [--collections toollinkos …] [--max-queries 300]
        [--json scores.json]

MODEL is a name or folder that sentence-transformers loads, on one CPU thread. Needs: sentence-transformers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fourfold import RetrievalConfig, Retriever, Weights
from fourfold.embed import as_embedder
from fourfold.evaluate import Collection, load_collection
from fourfold.evaluate.metrics import measure

K = 10


def scores(collection: Collection, embedder: Any) -> dict[str, float]:
    """Measure the cosine alone and all four components; times are milliseconds of CPU for one text."""
    made = as_embedder(embedder)
    made.embed_query("the first text loads the model")
    began = time.process_time()
    with Retriever(config=RetrievalConfig().replace(index={"cache_size": 0}), embedder=made) as retriever:
        retriever.add(collection.nodes, collection.edges)
        took = {"add_ms": (time.process_time() - began) * 1e3 / len(collection.nodes)}
        queries = collection.judgements.queries
        began = time.process_time()
        for query in queries[:100]:
            made.embed_query(query.text)
        took["question_ms"] = (time.process_time() - began) * 1e3 / len(queries[:100])
        ndcg = measure("ndcg@10")
        options: dict[str, dict[str, Any]] = {
            "cosine": {"mode": "embedding", "weights": Weights(1, 0, 0, 0)},
            "hybrid": {},
        }
        found = {
            name: float(np.mean([ndcg(retriever.search(q.text, k=K, **given).ids, q) for q in queries]))
            for name, given in options.items()
        }
    return {**found, **took}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--collections", nargs="+", default=["toollinkos", "spider_tables", "metatool_single"])
    parser.add_argument("--max-queries", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not (root := os.environ.get("FOURFOLD_DATASETS")):
        print("Skipped: FOURFOLD_DATASETS is not set; it names the folder that holds the collections.")
        return

    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    models = {"in the package": None, Path(options.model).name: SentenceTransformer(options.model, device="cpu")}
    results: dict[str, dict[str, dict[str, float]]] = {}
    print("| collection | model | cosine alone | hybrid | CPU ms per node added | CPU ms per question |")
    print("|---|---|---|---|---|---|")
    for name in options.collections:
        whole = load_collection(Path(root) / name)
        collection = replace(whole, judgements=whole.judgements.first(options.max_queries))
        for label, model in models.items():
            row = results.setdefault(name, {})[label] = scores(collection, model)
            numbers = f"{row['cosine']:.3f} | {row['hybrid']:.3f} | {row['add_ms']:.1f} | {row['question_ms']:.1f}"
            print(f"| {name} | {label} | {numbers} |", flush=True)
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()}
        options.json.write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
