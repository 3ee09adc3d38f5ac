"""A transformer's hybrid as a rival: all-MiniLM-L6-v2 and bm25s, each from 0 to 1 over all nodes, half and half.

And the default over the same transformer's vectors, beside that hybrid and beside the better of the two signals that
both have: the transformer's cosine alone, and BM25 alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shared import MEASURES, K, Search, difference_cell, figure, markdown_table, signed, text_of
from transformer import Transformer

from fourfold import RetrievalConfig, Retriever
from fourfold.evaluate import Collection, Run, bootstrap_interval, compare
from fourfold.evaluate.tune import answer_groups

MAIN = MEASURES[0]
OVER_ITS_VECTORS, COSINE, HYBRID = "default-minilm", "minilm", "minilm-bm25s"
SYSTEMS = (OVER_ITS_VECTORS, COSINE, HYBRID)
COMPARED = ("default", OVER_ITS_VECTORS, "bm25", COSINE, HYBRID)
SINGLE = ("bm25", COSINE)


@cache
def transformer() -> Transformer:
    """Return the model; its weights and vectors are kept beside the results of other retrievers."""
    return Transformer(Path(gettempdir()) / "fourfold-quality")


def missing(system: str) -> list[str]:
    """Return the modules that Fourfold over the transformer's vectors needs and that are not installed."""
    needed = system == OVER_ITS_VECTORS and importlib.util.find_spec("torch") is None
    return ["torch"] if needed else []


def over_its_vectors(collection: Collection, config: RetrievalConfig) -> Retriever:
    """Return Fourfold with the vectors that the rival has."""
    vectors = transformer().embed_documents([text_of(node) for node in collection.nodes])
    nodes = [replace(node, vector=vector) for node, vector in zip(collection.nodes, vectors, strict=True)]
    retriever = Retriever(config=config, embedder=transformer())
    retriever.add(nodes, collection.edges, vectors_by=transformer().name)
    return retriever


def cosine_search(collection: Collection) -> Search:
    """Return the transformer's cosine alone."""
    ids = [node.id for node in collection.nodes]
    cosines = _cosines(collection)
    return lambda query: [ids[place] for place in np.argsort(-cosines(query), kind="stable")[:K]]


def hybrid_search(collection: Collection) -> Search:
    """Return min–max over all nodes, half and half."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    texts = [text_of(node) for node in collection.nodes]
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    ids = [node.id for node in collection.nodes]
    cosines = _cosines(collection)

    def search(query: str) -> list[str]:
        (tokens,) = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
        words = index.get_scores(tokens) if tokens else np.zeros(len(ids))
        both = _min_max(cosines(query)) + _min_max(words)
        return [ids[place] for place in np.argsort(-both, kind="stable")[:K]]

    return search


def _cosines(collection: Collection) -> Any:
    vectors = transformer().embed_documents([text_of(node) for node in collection.nodes])
    transformer().embed_documents([query.text for query in collection.judgements])  # all at once, as it is quicker
    return lambda query: vectors @ transformer().embed_query(query)


def _min_max(values: NDArray[Any]) -> NDArray[Any]:
    spread = np.ptp(values)
    return (values - values.min()) / spread if spread > 0 else np.zeros_like(values)


def compared(runs: Mapping[str, Run], collection: Collection) -> dict[str, Any]:
    """Compare ours with the hybrid, and ours over the transformer's vectors with its better signal; empty without them.

    The better of the two signals is chosen after the fact, on the same questions; that errs in its favour.
    """
    if not set(COMPARED) <= set(runs):
        return {}
    queries = collection.judgements.queries
    values = {name: runs[name].values(queries, MAIN) for name in COMPARED}
    groups = answer_groups(queries)
    single = max(SINGLE, key=lambda name: float(values[name].mean()))
    ours, over = compare(values[HYBRID], [values["default"], values[OVER_ITS_VECTORS]], groups=groups)
    (beside,) = compare(values[single], [values[OVER_ITS_VECTORS]], groups=groups)
    means = {name: float(found.mean()) for name, found in values.items()}
    return {"means": means, "single": single, "default": ours, "over": over, "beside": beside}


def table(results: Mapping[str, Any]) -> str:
    """Return the comparisons, a row for each collection; the last resamples the collections."""
    rows: list[Sequence[str]] = [
        ["collection", "hybrid", "default", "− hybrid", "over MiniLM", "− hybrid", "best signal", "− best signal"]
    ]
    found = {name: row["rival"] for name, row in results.items()}
    for name, row in found.items():
        means, single = row["means"], row["single"]
        rows.append(
            [
                name,
                figure(means[HYBRID]),
                figure(means["default"]),
                difference_cell(row["default"].difference),
                figure(means[OVER_ITS_VECTORS]),
                difference_cell(row["over"].difference),
                f"{figure(means[single])} {'text' if single == 'bm25' else 'cosine'}",
                difference_cell(row["beside"].difference),
            ]
        )
    of = {key: float(np.mean([row["means"][key] for row in found.values()])) for key in COMPARED}
    best = float(np.mean([row["means"][row["single"]] for row in found.values()]))
    cells = [_of_all([row[key].difference.mean for row in found.values()]) for key in ("default", "over", "beside")]
    rows.append(
        [
            "mean",
            figure(of[HYBRID]),
            figure(of["default"]),
            cells[0],
            figure(of[OVER_ITS_VECTORS]),
            cells[1],
            figure(best),
            cells[2],
        ]
    )
    return markdown_table(rows)


def _of_all(differences: Sequence[float]) -> str:
    mean = bootstrap_interval(differences)
    return difference_cell(mean) if len(differences) >= 5 else signed(mean.mean)
