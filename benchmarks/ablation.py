"""The ladder and each part switched off, on every collection of a folder.

    FOURFOLD_DATASETS=… python benchmarks/ablation.py [--collections cacm …] [--max-queries 300] [--results FOLDER]
        [--tables ladder] [--preset published]

Prints one Markdown table for each of the two, nDCG@10 by collection, and writes ablation.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from shared import add_collection_options, facts, figure, folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import ablations, ladder, load_collection, run_variants
from fourfold.presets import PRESETS, preset

MEASURE = "ndcg@10"
TABLES = {"ladder": ladder, "ablation": ablations}
Table = dict[str, dict[str, float]]


def measured(
    folder: Path, max_queries: int | None, kinds: Sequence[str], config: RetrievalConfig
) -> dict[str, dict[str, float]]:
    collection = load_collection(folder)
    judged = collection.judgements.first(max_queries)
    with Retriever(config=config) as retriever:
        retriever.add(collection.nodes, collection.edges)
        runs = {kind: run_variants(retriever, judged, TABLES[kind](config)) for kind in kinds}
    return {
        kind: {run.system: float(run.values(judged, MEASURE).mean()) for run in found} for kind, found in runs.items()
    }


def markdown(tables: dict[str, Table], kind: str) -> str:
    names = list(dict.fromkeys(system for table in tables.values() for system in table[kind]))
    lines = [f"| {kind} | " + " | ".join(tables) + " | mean |", "|---" * (len(tables) + 2) + "|"]
    for name in names:
        values = [table[kind].get(name) for table in tables.values()]
        cells = ["–" if value is None else figure(value) for value in values]
        known = [value for value in values if value is not None]
        mean = figure(float(np.mean(known))) if len(known) == len(values) else "–"
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {mean} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_collection_options(parser)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES), help="only these")
    parser.add_argument("--preset", choices=PRESETS, default="default", help="whose ladder")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Any] = {}
    for folder in folders(options.collections):
        tables[folder.name] = measured(folder, options.max_queries, options.tables, preset(options.preset))
        report = {"facts": facts(), "measure": MEASURE, "max_queries": options.max_queries, "tables": tables}
        (options.results / "ablation.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        print(folder.name, json.dumps(tables[folder.name]), flush=True)
    for kind in options.tables if tables else ():
        print("\n" + markdown(tables, kind))


if __name__ == "__main__":
    main()
