"""The ladder, each part switched off, each constant as published: on every collection of a folder.

    FOURFOLD_DATASETS=… python benchmarks/ablation.py [--collections cacm …] [--max-queries 300] [--results FOLDER]
        [--tables ladder] [--preset published] [--over minilm]

``--tables shares`` moves weight between embedding and text; ``--over minilm`` searches over all-MiniLM-L6-v2's vectors.
Prints one Markdown table for each, nDCG@10 by collection; beside what is switched off or as published its worth, the
default less it: the mean over the collections, with a 95 % interval that resamples the questions within each. Writes
ablation.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rival import over_its_vectors
from shared import add_collection_options, difference_cell, facts, figure, folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import Collection, Interval, Variant, ablations, ladder, load_collection, run_variants
from fourfold.presets import PRESETS, preset
from fourfold.weighting import over_encoder

MEASURE = "ndcg@10"
DRAWS = 2000
USUAL = ["ladder", "ablation", "published"]
Table = dict[str, dict[str, list[float]]]
"""Of each collection and variant, nDCG@10 of each question."""


def as_published(config: RetrievalConfig) -> list[Variant]:
    """Return the config, and the same with each constant that differs from the published method as that has it.

    The steps that the published method has not are those of ``ablations``; limits that change no score are left out.
    """
    old = RetrievalConfig.published()
    graph, text, fusion = old.graph, old.text, old.fusion
    changes: dict[str, dict[str, Any]] = {
        "text.fields: name and type": {"text": {"fields": text.fields}},
        "text.tokenizer: suffix": {"text": {"tokenizer": text.tokenizer}},
        "text.keyword_boost = 5": {"text": {"keyword_boost": text.keyword_boost}},
        "text.keyword_boost = 5 by stem": {"text": {"keyword_boost": text.keyword_boost, "keyword_prefix": False}},
        "text.topic: off": {"text": {"topic": text.topic}},
        "text.phrase_nodes: none": {"text": {"phrase_nodes": text.phrase_nodes}},
        "text.called: off": {"text": {"called": text.called}},
        "text.spelling: off": {"text": {"spelling": text.spelling}},
        "embedding: name once, with type": {"embedding": old.embedding},
        "fusion.weights: published": {"fusion": {"weights": fusion.weights}},
        "fusion.foreign = 1": {"fusion": {"foreign": fusion.foreign}},
        "fusion.intent_tilt: full profiles": {"fusion": {"intent_tilt": None}, "intents": {"specs": old.intents.specs}},
        "intents.specs: published": {"intents": {"specs": old.intents.specs}},
        "seeds.sharpness: none": {"seeds": {"sharpness": None}},
        "graph.type_weights: published": {"graph": {"type_weights": graph.type_weights, "related_types": False}},
        "graph.edge_weights: none": {"graph": {"edge_weights": graph.edge_weights}},
        "graph.degree_exponent = 0": {"graph": {"degree_exponent": graph.degree_exponent}},
        "graph.bridge.named = 0": {"graph": {"bridge": {"named": 0.0}}},
        "graph.hub_cap: none": {"graph": {"hub_cap": graph.hub_cap}},
        "graph.second_hop: published": {"graph": {"second_hop": 0.0, "published_second_hop": True}},
        "graph.pagerank_share = .3": {"graph": {"pagerank_share": graph.pagerank_share}},
        "intents.chosen_types = 0": {"intents": {"chosen_types": 0.0}},
        "fusion.scaling: own maxima": {"fusion": {"scaling": "max"}},
        "diversity.exact_communities": {"diversity": {"exact_communities": True}},
        "diversity.sides: off": {"diversity": {"sides": False}},
    }
    return [Variant("whole", config), *(Variant(name, config.replace(**each)) for name, each in changes.items())]


def shares(config: RetrievalConfig) -> list[Variant]:
    """Return the config, and the same with other shares of the embedding in what it and the text have together."""
    weights = config.fusion.weights
    both = weights.embedding + weights.text
    variants = [Variant("whole", config)]
    for percent in (50, 55, 60, 65, 70, 80):
        moved = replace(weights, embedding=both * percent / 100, text=both * (100 - percent) / 100)
        if round(100 * weights.embedding / both) != percent:
            variants.append(Variant(f"embedding {percent} %", config.replace(fusion={"weights": moved})))
    return variants


def late_on_embedding(config: RetrievalConfig) -> list[Variant]:
    """Return the config, and the same where late interaction counts otherwise on embedding, in graphs of documents."""
    powers = (0.0, 0.25, 0.5, 0.75, 1.0)
    return [
        Variant("whole", config),
        *(Variant(f"power {power:g}", config.replace(fusion={"late": {"on_embedding": power}})) for power in powers),
    ]


TABLES = {
    "ladder": ladder,
    "ablation": ablations,
    "published": as_published,
    "shares": shares,
    "late": late_on_embedding,
}


def measured(
    folder: Path, max_queries: int | None, kinds: Sequence[str], config: RetrievalConfig, over: str | None = None
) -> dict[str, dict[str, list[float]]]:
    collection = load_collection(folder)
    judged = collection.judgements.first(max_queries)
    config = over_encoder(config) if over else config
    variants = {kind: TABLES[kind](config) for kind in kinds}
    runs: dict[str, dict[str, list[float]]] = {kind: {} for kind in kinds}
    for read, of_reading in by_reading(variants.values()).items():
        with retriever_of(collection, of_reading, over) as retriever:
            for kind, some in variants.items():
                found = run_variants(retriever, judged, [one for one in some if reading(one.config) == read])
                runs[kind] |= {run.system: run.values(judged, MEASURE).tolist() for run in found}
    return runs


def retriever_of(collection: Collection, config: RetrievalConfig, over: str | None) -> Retriever:
    """Return the collection's graph, with vectors by the model in the package or by a transformer."""
    if over:
        return over_its_vectors(collection, config)
    retriever = Retriever(config=config)
    retriever.add(collection.nodes, collection.edges)
    return retriever


def reading(config: RetrievalConfig) -> tuple[object, ...]:
    """Return what the words and vectors of an index depend on, and those of a question."""
    return config.text.tokenizer_name, config.text.topic, config.embedding


def by_reading(variants: Iterable[Sequence[Variant]]) -> dict[tuple[object, ...], RetrievalConfig]:
    """Return a config for each way of reading nodes: each needs an index of its own."""
    return {reading(one.config): one.config for some in variants for one in some}


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
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=USUAL, help="only these")
    parser.add_argument("--over", choices=["minilm"], help="over a transformer's vectors")
    parser.add_argument("--preset", choices=PRESETS, default="default", help="whose ladder")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Any] = {}
    for folder in folders(options.collections):
        tables[folder.name] = measured(
            folder, options.max_queries, options.tables, preset(options.preset), options.over
        )
        report = {"facts": facts(), "measure": MEASURE, "max_queries": options.max_queries, "tables": tables}
        (options.results / "ablation.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        print(folder.name, {kind: len(table) for kind, table in tables[folder.name].items()}, flush=True)
    for kind in options.tables if tables else ():
        print("\n" + markdown(tables, kind))


if __name__ == "__main__":
    main()
