"""What each of the eight intents brings on the questions read as it: patterns, tilt, edge types, turns of two sides.

    FOURFOLD_DATASETS=… python benchmarks/intents.py [--collections cacm …] [--max-queries 40] [--results FOLDER]

Judged questions come from every collection, at most so many of one intent from each, and from intents.jsonl, which asks
the standard library's graph (``fourfold demo``). Each is answered by the default, and by the default with one part of
the intents left out; what the part brings is the paired difference in nDCG@10, with its 95 % interval. That of the tilt
and the patterns is over all questions of the intent; edge types, and the turns that the sides of a comparison take, can
bring something only where a graph has such edges or names: over the graphs where they change any answer, with the
number of their questions. Prints Markdown and writes intents.json.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from shared import add_collection_options, difference_cell, facts, figure, folders, markdown_table

from fourfold import Edge, Node, RetrievalConfig, Retriever, demo
from fourfold.evaluate import Collection, Variant, bootstrap_interval, load_collection, load_judgements, run_variants
from fourfold.evaluate.tune import answer_groups
from fourfold.intent import classify
from fourfold.types import FloatArray, Intent

PROBES = Path(__file__).parent / "intents.jsonl"
MEASURE = "ndcg@10"
OF_EACH = 40
EVERYWHERE = ("patterns", "tilt")


def variants(config: RetrievalConfig) -> list[Variant]:
    """Return the default, and the default without each part of the intents."""
    specs = config.intents.specs
    unread = tuple(replace(spec, patterns=()) for spec in specs)
    no_types = tuple(replace(spec, edge_types=()) for spec in specs)
    return [
        Variant("whole", config),
        Variant("patterns", config.replace(intents={"specs": unread})),
        Variant("tilt", config.replace(fusion={"intent_tilt": 0.0})),
        Variant("edge types", config.replace(intents={"specs": no_types})),
        Variant("sides", config.replace(diversity={"sides": False})),
    ]


def library() -> Collection:
    """Return the standard library's graph with its questions."""
    nodes = tuple(Node(**node) for node in demo.nodes())
    edges = tuple(Edge(**edge) for edge in demo.edges())
    known = {node.id for node in nodes}
    return Collection("the standard library", nodes, edges, load_judgements(PROBES).known_to(known.__contains__))


def collections(names: Sequence[str] | None) -> Iterator[Collection]:
    yield library()
    yield from map(load_collection, folders(names))


Values = dict[str, dict[str, FloatArray]]
"""Of each intent and graph, nDCG@10 of its questions under each variant, (n_questions, n_variants)."""


def measured(
    config: RetrievalConfig, tried: Sequence[Variant], options: argparse.Namespace
) -> tuple[Values, dict[str, list[str]]]:
    """Return the values, and for each intent the answers that its questions share: such are resampled as one."""
    values: Values = defaultdict(dict)
    groups: dict[str, list[str]] = defaultdict(list)
    for collection in collections(options.collections):
        of_intent = defaultdict(list)
        for query in collection.judgements:
            of_intent[str(classify(query.text, config.intents.specs))].append(query)
        chosen = [query for found in of_intent.values() for query in found[: options.max_queries or OF_EACH]]
        if not chosen:
            continue
        with Retriever(config=config) as retriever:
            retriever.add(collection.nodes, collection.edges)
            runs = run_variants(retriever, chosen, tried)
        found = np.stack([run.values(chosen, MEASURE) for run in runs], axis=1)
        read = np.array([runs[0].intents[query.id] for query in chosen])
        same = np.array(answer_groups(chosen))
        for intent in dict.fromkeys(read.tolist()):
            values[intent][collection.name] = found[read == intent]
            groups[intent] += [f"{collection.name} {group}" for group in same[read == intent]]
    return values, groups


def cell(each: Mapping[str, FloatArray], groups: Sequence[str], place: int, *, everywhere: bool) -> str:
    """Return what a part brings: the default less the variant at that place."""
    gained = [found[:, 0] - found[:, place] for found in each.values()]
    counts = [everywhere or bool(one.any()) for one in gained]
    kept = np.repeat(counts, [len(one) for one in gained])
    if not kept.any() or not np.concatenate(gained).any():
        return "–"
    own = [group for group, stays in zip(groups, kept.tolist(), strict=True) if stays]
    told = difference_cell(bootstrap_interval(np.concatenate(gained)[kept], groups=own))
    return told if everywhere else f"{told} of {int(kept.sum())}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_collection_options(parser)
    options = parser.parse_args()
    config = RetrievalConfig()
    tried = variants(config)
    values, groups = measured(config, tried, options)
    rows = [("intent", "questions", "graphs", MEASURE, *(variant.name for variant in tried[1:]))]
    for intent in map(str, Intent):
        if each := values.get(intent):
            mean = float(np.concatenate([found[:, 0] for found in each.values()]).mean())
            cells = [
                cell(each, groups[intent], place, everywhere=tried[place].name in EVERYWHERE)
                for place in range(1, len(tried))
            ]
            rows.append((intent, str(len(groups[intent])), str(len(each)), figure(mean), *cells))
    options.results.mkdir(parents=True, exist_ok=True)
    told = {intent: {name: found.tolist() for name, found in each.items()} for intent, each in values.items()}
    report = {"facts": facts(), "variants": [variant.name for variant in tried], "values": told}
    (options.results / "intents.json").write_text(json.dumps(report), encoding="utf-8")
    print(markdown_table(rows))


if __name__ == "__main__":
    main()
