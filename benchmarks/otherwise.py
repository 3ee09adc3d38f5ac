"""What it costs to ask a question otherwise: nDCG@10, with what reads it switched off and on.

    FOURFOLD_DATASETS=... python benchmarks/otherwise.py courtesy [--collections scifact] [--max-queries 200]

"slips": in each question one word of five letters or more, chosen by chance, has one slip within it: two letters that
change places, one left out, one too many, or another; "off" is ``text.spelling`` switched off. "courtesy": something
is said to whoever answers, before the question or behind it, or it stands in a prompt; "off" is ``text.topic`` off.
Where no collections are named, the small graphs of facts.py are asked, too, and tell their hit@1.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from string import ascii_lowercase

import facts
import numpy as np
from numpy.typing import NDArray
from shared import folders

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.evaluate import JudgedQuery, evaluate, load_collection

FACTS = (
    (facts.TWENTY, facts.written),
    (facts.EVERYDAY, facts.written),
    (facts.SHARED, facts.written),
    (facts.TOPICS, facts.of_texts),
    (facts.ASSISTANTS, facts.of_texts),
)
COLLECTIONS = ("scifact", "fiqa_pool", "hotpotqa_train100", "musique_train100", "toollinkos", "pathquestion")
SEED = 3

Form = Callable[[str, random.Random], str]
"""A question as typed → as it is asked instead."""


def misspelt(slip: Callable[[str, int, str], str], question: str, dice: random.Random) -> str:
    """Return a question with one slip in it; as it is where no word is long enough."""
    words = question.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if long:
        place = dice.choice(long)
        words[place] = slip(words[place], dice.randrange(1, len(words[place]) - 1), dice.choice(ascii_lowercase))
    return " ".join(words)


def within(said: str, question: str, dice: random.Random) -> str:
    """Return a question within what is said beside it."""
    return said.format(question)


SLIPS: dict[str, Callable[[str, int, str], str]] = {
    "as written": lambda word, at, letter: word,
    "changed places": lambda word, at, letter: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    "left out": lambda word, at, letter: word[:at] + word[at + 1 :],
    "too many": lambda word, at, letter: word[:at] + letter + word[at:],
    "another": lambda word, at, letter: word[:at] + letter + word[at + 1 :],
}
SAID = {
    "as written": "{}",
    "please": "Hi! Could you please tell me: {}",
    "wish": "I would like to know {}",
    "thanks": "{} Thanks in advance!",
    "prompt": "Use the knowledge base to answer the following question. Question: {} Answer:",
}
FORMS: dict[str, tuple[str, Mapping[str, Form]]] = {
    "slips": ("spelling", {name: partial(misspelt, slip) for name, slip in SLIPS.items()}),
    "courtesy": ("topic", {name: partial(within, said) for name, said in SAID.items()}),
}
"""Ways to ask otherwise, with the constant of ``RetrievalConfig.text`` that reads them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("forms", choices=FORMS)
    parser.add_argument("--collections", nargs="*", default=())
    parser.add_argument("--max-queries", type=int, default=200)
    options = parser.parse_args()
    constant, forms = FORMS[options.forms]
    print("| collection | " + " | ".join(f"{name}: off | on" for name in forms) + " |")
    print("|---|" + "---|" * (2 * len(forms)))
    for folder in folders(options.collections or COLLECTIONS):
        collection = load_collection(folder)
        queries = list(collection.judgements.first(options.max_queries))
        values = measured(collection.nodes, collection.edges, queries, forms, constant, "ndcg@10")
        print(row(folder.name, values), flush=True)
    for written_down, read in () if options.collections else FACTS:
        for name, graphs in json.loads(written_down.read_text(encoding="utf-8")).items():
            asked = [(nodes, edges, list(chain(*sets.values()))) for nodes, edges, sets in map(read, graphs.values())]
            print(row(name, np.hstack([measured(*one, forms, constant, "hit@1") for one in asked])), flush=True)


def row(name: str, values: NDArray[np.float64]) -> str:
    """Return the line of a collection."""
    return f"| {name} | " + " | ".join(f"{off:.3f} | {on:.3f}" for off, on in values.mean(1).reshape(-1, 2)) + " |"


def measured(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    queries: Sequence[JudgedQuery],
    forms: Mapping[str, Form],
    constant: str,
    measure: str,
) -> NDArray[np.float64]:
    """Return what each question is worth, by form, with the constant of ``RetrievalConfig.text`` off and on."""
    found = []
    off, on = (RetrievalConfig().replace(text={constant: switch}) for switch in (False, True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.sqlite"
        with Retriever(path, config=off) as without:
            without.add(nodes, edges)
            with Retriever(path, config=on) as with_it:
                for form in forms.values():
                    dice = random.Random(SEED)
                    asked = [replace(query, text=form(query.text, dice)) for query in queries]
                    found += [evaluate(each, asked).values(asked, measure) for each in (without, with_it)]
    return np.array(found)


if __name__ == "__main__":
    main()
