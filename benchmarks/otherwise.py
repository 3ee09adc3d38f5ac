"""What it costs to ask a question otherwise: nDCG@10, with what reads it switched off and on.

    FOURFOLD_DATASETS=... python benchmarks/otherwise.py courtesy [--collections scifact] [--max-queries 200]

"slips": in each question one word of five letters or more, chosen by chance, has one slip within it: two letters that
change places, one left out, one too many, or another; "off" is ``text.spelling`` switched off. "courtesy": something
is said to whoever answers, before the question or behind it, or it stands in a prompt; "off" is ``text.topic`` off.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import ascii_lowercase

from shared import folders

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import JudgedQuery, evaluate, load_collection

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
    parser.add_argument("--collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--max-queries", type=int, default=200)
    options = parser.parse_args()
    constant, forms = FORMS[options.forms]
    print("| collection | " + " | ".join(f"{name}: off | on" for name in forms) + " |")
    print("|---|" + "---|" * (2 * len(forms)))
    for folder in folders(options.collections):
        collection = load_collection(folder)
        queries = list(collection.judgements.first(options.max_queries))
        with tempfile.TemporaryDirectory() as folder_of_graph:
            path = Path(folder_of_graph) / "graph.sqlite"
            with Retriever(path) as retriever:
                retriever.add(collection.nodes, collection.edges)
            off, on = (measured(path, queries, forms, {constant: on}) for on in (False, True))
        cells = [f"{without:.3f} | {with_it:.3f}" for without, with_it in zip(off, on, strict=True)]
        print(f"| {folder.name} | " + " | ".join(cells) + " |", flush=True)


def measured(
    path: Path, queries: Sequence[JudgedQuery], forms: Mapping[str, Form], text: Mapping[str, bool]
) -> list[float]:
    """Return nDCG@10 by form, with constants of ``RetrievalConfig.text``."""
    found = []
    with Retriever(path, config=RetrievalConfig().replace(text=text)) as retriever:
        for form in forms.values():
            dice = random.Random(SEED)
            asked = [replace(query, text=form(query.text, dice)) for query in queries]
            found.append(float(evaluate(retriever, asked).values(asked, "ndcg@10").mean()))
    return found


if __name__ == "__main__":
    main()
