"""The evidence of every hit adds up to its score, and ``why`` names only edges that gave something.

    FOURFOLD_DATASETS=… python benchmarks/evidence.py [--collections cacm …] [--max-queries 50] [--preset published]

Searches for the first questions of each collection and tells how many hits there were, the largest difference between a
score and the sum of its evidence, and how many ways were told in vain. Ends with 1 if a sum is further off than 1e-6,
or a way told is none of the graph's.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from shared import add_collection_options, folders

from fourfold import Hit, Retriever
from fourfold.evaluate import load_collection
from fourfold.present.words import path_in_words
from fourfold.presets import PRESETS, preset

TOLERANCE = 1e-6


@dataclass
class Found:
    """What was seen over one collection: ``vain`` are ways that gave nothing, or go along an edge that is not there."""

    questions: int = 0
    hits: int = 0
    pieces: int = 0
    furthest: float = 0.0
    vain: int = 0

    @property
    def holds(self) -> bool:
        return self.furthest <= TOLERANCE and not self.vain

    def add(self, hit: Hit, edges: set[tuple[str, str, str]]) -> None:
        """Take in one hit; ``edges`` are those of the collection, by source, target and type."""
        self.hits += 1
        self.pieces += len(hit.evidence)
        self.furthest = max(self.furthest, abs(sum(item.value for item in hit.evidence) - hit.score))
        ways = [item for item in hit.evidence if item.kind == "path"]
        for item in ways:
            ends = [(s.source, s.target, s.type) if s.along else (s.target, s.source, s.type) for s in item.path]
            self.vain += item.value <= 0 or not edges.issuperset(ends)
        gave = [f"reached {path_in_words(item.path)}" for item in ways if item.value > 0]
        self.vain += "reached from " in hit.why and not any(way in hit.why for way in gave)


def measured(folder: Path, max_queries: int, preset_name: str) -> Found:
    collection = load_collection(folder)
    edges = {(edge.source, edge.target, edge.type) for edge in collection.edges}
    found = Found()
    with Retriever(config=preset(preset_name)) as retriever:
        retriever.add(collection.nodes, collection.edges)
        for query in collection.judgements.first(max_queries):
            found.questions += 1
            for hit in retriever.search(query.text, k=10).hits:
                found.add(hit, edges)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_collection_options(parser)
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.set_defaults(max_queries=50)
    options = parser.parse_args()
    print("| collection | questions | hits | pieces of evidence | furthest from the score | ways in vain |")
    print("|---|---|---|---|---|---|")
    held = True
    for folder in folders(options.collections):
        found = measured(folder, options.max_queries, options.preset)
        held = held and found.holds
        cells = (folder.name, found.questions, found.hits, found.pieces, f"{found.furthest:.1e}", found.vain)
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return not held


if __name__ == "__main__":
    sys.exit(main())
