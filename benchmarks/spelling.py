"""What a slip of the keyboard costs: nDCG@10 of questions with one letter wrong, read as written and as meant.

    FOURFOLD_DATASETS=... python benchmarks/spelling.py [--collections scifact fiqa_pool] [--max-queries 200]

In each question one word of five letters or more, chosen by chance, has one slip within it: two letters that change
places, one left out, one too many, or another. "off" is ``text.spelling`` switched off.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

from shared import folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import JudgedQuery, evaluate, load_collection

COLLECTIONS = ("scifact", "fiqa_pool", "hotpotqa_train100", "musique_train100", "toollinkos", "pathquestion")
SEED = 3

SLIPS: dict[str, Callable[[str, int, str], str]] = {
    "as written": lambda word, at, letter: word,
    "changed places": lambda word, at, letter: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    "left out": lambda word, at, letter: word[:at] + word[at + 1 :],
    "too many": lambda word, at, letter: word[:at] + letter + word[at:],
    "another": lambda word, at, letter: word[:at] + letter + word[at + 1 :],
}


def misspelt(question: str, slip: Callable[[str, int, str], str], dice: random.Random) -> str:
    """Return a question with one slip in it; as it is where no word is long enough."""
    words = question.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if long:
        place = dice.choice(long)
        words[place] = slip(words[place], dice.randrange(1, len(words[place]) - 1), dice.choice(ascii_lowercase))
    return " ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--max-queries", type=int, default=200)
    options = parser.parse_args()
    print("| collection | " + " | ".join(f"{name}: off | on" for name in SLIPS) + " |")
    print("|---|" + "---|" * (2 * len(SLIPS)))
    for folder in folders(options.collections):
        collection = load_collection(folder)
        queries = list(collection.judgements.first(options.max_queries))
        with tempfile.TemporaryDirectory() as folder_of_graph:
            path = Path(folder_of_graph) / "graph.sqlite"
            with Retriever(path) as retriever:
                retriever.add(collection.nodes, collection.edges)
            figures = {on: measured(path, queries, on) for on in (False, True)}
        cells = [f"{off:.3f} | {on:.3f}" for off, on in zip(figures[False], figures[True], strict=True)]
        print(f"| {folder.name} | " + " | ".join(cells) + " |", flush=True)


def measured(path: Path, queries: Sequence[JudgedQuery], on: bool) -> list[float]:
    """Return nDCG@10 by slip, with ``text.spelling`` on or off."""
    found = []
    with Retriever(path, config=RetrievalConfig().replace(text={"spelling": on})) as retriever:
        for slip in SLIPS.values():
            dice = random.Random(SEED)
            asked = [replace(query, text=misspelt(query.text, slip, dice)) for query in queries]
            found.append(float(evaluate(retriever, asked).values(asked, "ndcg@10").mean()))
    return found


if __name__ == "__main__":
    main()
