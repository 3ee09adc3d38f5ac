"""How well the confidence of an answer tells questions the graph can answer from foreign ones.

    FOURFOLD_DATASETS=… python benchmarks/confidence.py [--collections scifact …] [--max-queries 100] [--results FOLDER]

Answerable are the first questions of a collection; foreign are ten questions of each other collection, drawn by a fixed
seed, and keyboard noise. Prints the area under the curve (1: every answerable question is surer than every foreign one;
.5: chance), and what is taken for unknown at ``types.UNKNOWN_BELOW``. Writes confidence.json.
"""

from __future__ import annotations

import argparse
import json
import random

import numpy as np
from shared import add_collection_options, facts, figure, folders, markdown_table

from fourfold import Retriever
from fourfold.evaluate import load_collection
from fourfold.types import UNKNOWN_BELOW

FROM_EACH, QUESTIONS = 10, 100
NOISE = (
    "asdf",
    "qwer zxcv",
    "hjkl jkl",
    "lorem ipsum dolor",
    "aaaa bbbb",
    "1234 5678",
    "sdfg dfgh",
    "xyzzy plugh",
    "jfjf kdkd",
    "asdfgh qwerty",
)


def area(answerable: list[float], foreign: list[float]) -> float:
    """Return how often an answerable question is surer than a foreign one, ties half."""
    more = np.subtract.outer(np.array(answerable), np.array(foreign))
    return float((more > 0).mean() + 0.5 * (more == 0).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_collection_options(parser)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    wanted = {folder.name for folder in folders(options.collections)}
    collections = {folder.name: load_collection(folder) for folder in folders(None)}
    rows = [("collection", "area", "known", "foreign found unknown", "noise found unknown")]
    found = {}
    for name in sorted(wanted):
        chance = random.Random(0)
        strange = [
            one.text
            for other, collection in sorted(collections.items())
            if other != name
            for one in chance.sample(list(collection.judgements), FROM_EACH)
        ]
        with Retriever() as retriever:
            retriever.add(collections[name].nodes, collections[name].edges)
            own = [one.text for one in collections[name].judgements.first(options.max_queries or QUESTIONS)]
            answerable, foreign, noise = (
                [retriever.search(text).confidence for text in texts] for texts in (own, strange, NOISE)
            )
        found[name] = {"answerable": answerable, "foreign": foreign, "noise": noise}
        unknown = [float(np.mean(np.array(values) < UNKNOWN_BELOW)) for values in (answerable, foreign, noise)]
        told = (area(answerable, foreign + noise), 1 - unknown[0], *unknown[1:])
        rows.append((name, *(figure(value, 3 if place == 0 else 2) for place, value in enumerate(told))))
    (options.results / "confidence.json").write_text(json.dumps({"facts": facts(), "confidence": found}), "utf-8")
    print(markdown_table(rows))


if __name__ == "__main__":
    main()
