"""How many questions in six other languages find their answer first, over labels of their own and over English ones.

    python benchmarks/tongues.py [--failures]

``tongues.json`` has, for each language, 24 labels as people name them, what they are in English, and two questions for
each, written by somebody who had not seen ``fourfold.language.glosses``. Names are made of syllables, so that nothing
but the labels tells an answer; each question is asked of two nodes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from shared import figure, markdown_table

from fourfold import Edge, Node, Retriever

SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu tra ble kno dro vel mor quin zan fel gor".split()
)
THINGS, SHARE, ASKED = 30, 0.7, 2


def names(chance: random.Random) -> Iterator[str]:
    """Give names of two words of three syllables."""
    while True:
        yield " ".join("".join(chance.choices(SYLLABLES, k=3)).capitalize() for _ in range(2))


def hits(labels: dict[str, str], questions: list[list[str]], *, failures: bool) -> float:
    """Return the share of questions that find their answer first; ``labels`` are those of the edges, by their own."""
    chance = random.Random(1)
    name = names(chance)
    nodes, edges, answers = [], [], {label: [] for label in labels}
    for place in range(THINGS):
        thing = Node(f"thing {place}", name=next(name))
        nodes.append(thing)
        for label, called in labels.items():
            if chance.random() < SHARE:
                end = Node(f"{label} of {place}", name=next(name))
                nodes.append(end)
                edges.append(Edge(thing.id, end.id, called))
                answers[label].append((thing.name, end.id))
    found = []
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        for question, label in questions:
            for thing, answer in answers[label][:ASKED]:
                asked = question.replace("{}", thing)
                found.append(retriever.search(asked, k=1).ids == [answer])
                if failures and not found[-1]:
                    print(f"{labels[label]}: {asked}")
    return float(np.mean(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", action="store_true", help="print the questions that fail")
    options = parser.parse_args()
    rows = [("language", "its own labels", "English labels")]
    for language, given in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items():
        own, english = dict.fromkeys(given["labels"]), given["english_labels"]
        found = [
            hits(labels, given["questions"], failures=options.failures)
            for labels in ({label: label for label in own}, english)
        ]
        rows.append((language, *map(figure, found)))
    print(markdown_table(rows))


if __name__ == "__main__":
    main()
