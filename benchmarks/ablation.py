"""The ladder, each part switched off, each constant as published, a caller's weights: on every collection of a folder.

    FOURFOLD_DATASETS=… python benchmarks/ablation.py [--collections cacm …] [--max-queries 300] [--results FOLDER]
        [--tables ladder] [--preset published]

Prints one Markdown table for each, nDCG@10 by collection; beside what is switched off or as published its worth, the
default less it: the mean over the collections, with a 95 % interval that resamples the questions within each. Writes
ablation.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from shared import add_collection_options, difference_cell, facts, figure, folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import Interval, Variant, ablations, ladder, load_collection, run_variants
from fourfold.presets import PRESETS, preset

MEASURE = "ndcg@10"
DRAWS = 2000
Table = dict[str, dict[str, list[float]]]
"""Of each collection and variant, nDCG@10 of each question."""


def as_published(config: RetrievalConfig) -> list[Variant]:
    """Return the config, and the same with each constant that differs from the published method as that has it.

    The steps that the published method has not are those of ``ablations``; what the embedder reads is left out, as it
    would need other vectors, and so are limits and bounds that change no score.
    """
    old = RetrievalConfig.published()
    graph, text = old.graph, old.text
    changes: dict[str, dict[str, Any]] = {
        "text.fields: name and type": {"text": {"fields": text.fields}},
        "text.k1 = 1.5": {"text": {"k1": text.k1}},
        "text.keyword_boost = 5": {"text": {"keyword_boost": text.keyword_boost}},
        "fusion.intent_tilt: full profiles": {"fusion": {"intent_tilt": None}, "intents": {"specs": old.intents.specs}},
        "intents.specs: published": {"intents": {"specs": old.intents.specs}},
        "seeds.sharpness: none": {"seeds": {"sharpness": None}},
        "graph.type_weights: published": {"graph": {"type_weights": graph.type_weights, "related_types": False}},
        "graph.edge_weights: none": {"graph": {"edge_weights": graph.edge_weights}},
        "graph.degree_exponent = 0": {"graph": {"degree_exponent": graph.degree_exponent}},
        "graph.second_hop: published": {"graph": {"second_hop": 0.0, "published_second_hop": True}},
        "graph.pagerank_share = .3": {"graph": {"pagerank_share": graph.pagerank_share}},
        "intents.chosen_types = 0": {"intents": {"chosen_types": 0.0}},
        "fusion.scaling: own maxima": {"fusion": {"scaling": "max"}},
    }
    return [Variant("whole", config), *(Variant(name, config.replace(**each)) for name, each in changes.items())]


def callers(config: RetrievalConfig) -> list[Variant]:
    """Return what ``search(weights={"graph": 0})`` does, and what it would if the other weights stayed as they were."""
    kept = replace(config.fusion.weights, graph=0.0)
    filled = replace(config.fusion.partial_weights, graph=0.0)
    alone: dict[str, Any] = {"intents": {"paths": {"weight": 0.0}}}
    return [
        Variant("whole", config),
        Variant("weights={'graph': 0}", config.replace(fusion={"weights": filled, "intent_tilt": 0.0}, **alone)),
        Variant("the others as they were", config.replace(fusion={"weights": kept, "intent_tilt": 0.0}, **alone)),
    ]


TABLES = {"ladder": ladder, "ablation": ablations, "published": as_published, "caller": callers}


def measured(
    folder: Path, max_queries: int | None, kinds: Sequence[str], config: RetrievalConfig
) -> dict[str, dict[str, list[float]]]:
    collection = load_collection(folder)
    judged = collection.judgements.first(max_queries)
    with Retriever(config=config) as retriever:
        retriever.add(collection.nodes, collection.edges)
        runs = {kind: run_variants(retriever, judged, TABLES[kind](config)) for kind in kinds}
    return {kind: {run.system: run.values(judged, MEASURE).tolist() for run in found} for kind, found in runs.items()}


def worth(whole: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> Interval:
    """Return the mean over the collections of whole − other, with an interval over the questions of each."""
    dice = np.random.default_rng(0)
    gains = [np.array(a) - np.array(b) for a, b in zip(whole, other, strict=True)]
    drawn = [gain[dice.integers(0, len(gain), (DRAWS, len(gain)))].mean(axis=1) for gain in gains]
    low, high = np.percentile(np.mean(drawn, axis=0), (2.5, 97.5)).tolist()
    return Interval(float(np.mean([gain.mean() for gain in gains])), low, high)


def markdown(tables: dict[str, Table], kind: str) -> str:
    names = list(dict.fromkeys(system for table in tables.values() for system in table[kind]))
    compared = kind != "ladder"
    head = [kind, *tables, "mean", *(["worth"] if compared else [])]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name in names:
        # a variant that changes nothing in a config is left out of its table: it is the whole
        values = [table[kind].get(name, table[kind].get("whole") if compared else None) for table in tables.values()]
        means = [None if value is None else float(np.mean(value)) for value in values]
        known = [mean for mean in means if mean is not None]
        cells = ["–" if mean is None else figure(mean) for mean in means]
        cells.append(figure(float(np.mean(known))) if len(known) == len(means) else "–")
        if compared:
            told = worth([table[kind]["whole"] for table in tables.values()], [value for value in values if value])
            cells.append("" if name == "whole" else difference_cell(told))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
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
        print(folder.name, {kind: len(table) for kind, table in tables[folder.name].items()}, flush=True)
    for kind in options.tables if tables else ():
        print("\n" + markdown(tables, kind))


if __name__ == "__main__":
    main()
