"""Quality beside today's retrievers, on every collection of a folder: intervals, times, ours with and without tuning.

    FOURFOLD_DATASETS=… python benchmarks/quality.py [--systems default bm25s …] [--no-tuned] [--collections scifact …]
        [--max-queries 300] [--results FOLDER] [--markdown FILE] [--rival minilm]

All systems read the same texts (title and text), and those that embed use the model that ships with fourfold. Prints
nDCG@10 with its 95 % interval, the paired difference from the best other retriever of each collection, R@5 and R@10
(linear gain), the median time of a query, and the machine, as Markdown; ``--markdown`` writes it to a file as well.
quality.json, in the folder of results, has the scores of each query. The answers of the other retrievers are kept there
with their times, as runs that ``fourfold compare`` reads, until texts, queries, model or packages change.

``tuned`` answers each query by a config learnt from the other folds, where the gate of ``fourfold tune`` lets it pass,
else by the default; ``tuned-ungated`` always by what was learnt. Both are slow: ``--no-tuned`` leaves them out.

``--rival minilm`` measures the default beside a transformer's hybrid, and over the same transformer's vectors, see
``rival.py``; it needs torch as well.

Needs: pip install "fourfold[bench]".
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.util
import json
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import rival
from shared import (
    MEASURES,
    K,
    Search,
    add_collection_options,
    difference_cell,
    facts,
    figure,
    folders,
    held_out,
    markdown_table,
    signed,
    text_of,
)
from tqdm import tqdm

from fourfold import RetrievalConfig, Retriever, Weights
from fourfold.embed.static import bundled
from fourfold.evaluate import Collection, Run, bootstrap_interval, compare, load_collection, tune
from fourfold.evaluate.tune import answer_groups

MAIN = MEASURES[0]
OTHER_CONFIGS = {
    "published": RetrievalConfig.published(),
    "first-stage": RetrievalConfig().replace(index={"exact": False}),  # compressed codes choose whom cosines compare
}
OURS = ("default", *OTHER_CONFIGS, "tuned", "tuned-ungated", "two-signal", "embedding", "bm25", rival.OVER_ITS_VECTORS)
UNUSUAL = ("first-stage", *rival.SYSTEMS)
TUNED = ("tuned", "tuned-ungated")
COMPARED = ("default", "tuned")
TUNE_FACTS = ("applied", "verdict", "changes")
TUNE_STEPS = 7  # what tune() reports of five folds
FEWEST_COLLECTIONS = 5


# -- ours ---------------------------------------------------------------------------------------------------------


def ours(retriever: Retriever, **options: Any) -> Search:
    return lambda query: retriever.search(query, k=K, **options).ids


def our_runs(collection: Collection, wanted: Sequence[str], bar: tqdm[Any]) -> dict[str, Run]:
    """Run Fourfold as it comes, with components left out, and tuned."""
    config = RetrievalConfig().replace(index={"cache_size": 0})
    full = bare = Retriever(config=config)
    full.add(collection.nodes, collection.edges)
    if collection.edges and {"two-signal", "embedding", "bm25"}.intersection(wanted):
        bare = Retriever(config=config)
        bare.add(collection.nodes)
    searches = {
        "default": ours(full),
        "two-signal": ours(bare),
        "embedding": ours(bare, weights=Weights(1, 0, 0, 0), mode="embedding"),
        "bm25": ours(bare, weights=Weights(0, 1, 0, 0), mode="text", intent="default"),
    }
    for name in set(OTHER_CONFIGS).intersection(wanted):
        other = Retriever(config=OTHER_CONFIGS[name].replace(index={"cache_size": 0}))
        other.add(collection.nodes, collection.edges)
        searches[name] = ours(other)
    to_tune = set(TUNED).intersection(wanted)
    if rival.OVER_ITS_VECTORS in wanted:
        searches[rival.OVER_ITS_VECTORS] = ours(rival.over_its_vectors(collection, config))
    runs = {}
    for name, search in searches.items():
        if name in wanted or (name == "default" and to_tune):
            runs[name] = run(name, search, collection)
            bar.update()
    if to_tune:
        runs |= tuned_runs(full, runs["default"], collection, bar)
    return runs


def tuned_runs(retriever: Retriever, default: Run, collection: Collection, bar: tqdm[Any]) -> dict[str, Run]:
    """Tune, and return the held-out answers, through the gate and past it.

    A held-out answer comes from cached components, so its time says nothing; the times are those of searches with the
    config learnt from all queries, which is what a user would have.
    """
    result = tune(retriever, collection.judgements.queries, k=K, progress=lambda *_: bar.update())
    retriever.learning.apply_config(result.config)
    seconds = run("tuned", ours(retriever), collection).seconds
    found = {"applied": result.worthwhile, "verdict": result.verdict, "changes": result.changes}
    gated, ungated = held_out(result, default), held_out(result, default, gated=False)
    return {
        "tuned": replace(gated, system="tuned", seconds=seconds if result.worthwhile else default.seconds, facts=found),
        "tuned-ungated": replace(ungated, system="tuned-ungated", seconds=seconds, facts=found),
    }


# -- theirs -------------------------------------------------------------------------------------------------------


def bm25s_search(collection: Collection) -> Search:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    texts = [text_of(node) for node in collection.nodes]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    ids = [node.id for node in collection.nodes]

    def search(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(tokens, k=min(K, len(ids)), show_progress=False)
        return [ids[place] for place, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def rank_bm25_search(collection: Collection) -> Search:
    import bm25s
    import Stemmer
    from rank_bm25 import BM25Okapi

    stemmer = Stemmer.Stemmer("english")

    def words(texts: list[str]) -> list[list[str]]:  # it has none of its own; splitting at blanks would do it wrong
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)

    index = BM25Okapi(words([text_of(node) for node in collection.nodes]))
    ids = [node.id for node in collection.nodes]

    def search(query: str) -> list[str]:
        scores = index.get_scores(words([query])[0])
        return [ids[place] for place in np.argsort(-scores, kind="stable")[:K] if scores[place] > 0]

    return search


def langchain_ensemble(collection: Collection) -> Search:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import FAISS
    from langchain_core.embeddings import Embeddings

    class Static(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return np.asarray(bundled().embed_documents(texts)).tolist()

        def embed_query(self, text: str) -> list[float]:
            return np.asarray(model.embed_query(text)).tolist()

    model = bundled()
    texts = [text_of(node) for node in collection.nodes]
    known = [{"id": node.id} for node in collection.nodes]
    lexical = BM25Retriever.from_texts(texts, metadatas=known, k=K)
    vector = FAISS.from_texts(texts, Static(), metadatas=known).as_retriever(search_kwargs={"k": K})
    ensemble = EnsembleRetriever(retrievers=[lexical, vector], weights=[0.5, 0.5], id_key="id")
    return lambda query: [document.metadata["id"] for document in ensemble.invoke(query)][:K]


def llama_index_fusion(mode: str) -> Callable[[Collection], Search]:
    def build(collection: Collection) -> Search:
        from llama_index.core import VectorStoreIndex
        from llama_index.core.base.embeddings.base import BaseEmbedding
        from llama_index.core.llms import MockLLM
        from llama_index.core.retrievers import QueryFusionRetriever
        from llama_index.core.schema import TextNode
        from llama_index.retrievers.bm25 import BM25Retriever

        model = bundled()

        class Static(BaseEmbedding):
            def _get_text_embedding(self, text: str) -> list[float]:
                return np.asarray(model.embed_query(text)).tolist()

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                vectors = np.array(model.embed_documents(texts))
                vectors[~vectors.any(axis=1), 0] = 1e-9  # its cosine of a text without words would be NaN
                return vectors.tolist()

            def _get_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

            async def _aget_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

        nodes = [TextNode(id_=node.id, text=text_of(node) or " ") for node in collection.nodes]
        k = min(K, len(nodes))
        vector = VectorStoreIndex(nodes, embed_model=Static(embed_batch_size=2048)).as_retriever(similarity_top_k=k)
        lexical = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=k, language="en")
        fusion = QueryFusionRetriever(
            [vector, lexical], llm=MockLLM(), mode=mode, similarity_top_k=k, num_queries=1, use_async=False
        )
        return lambda query: [hit.node.node_id for hit in fusion.retrieve(query)][:K]

    return build


@dataclass(frozen=True)
class Peer:
    """Another retriever: how to build it over a collection, and the modules it needs."""

    build: Callable[[Collection], Search]
    modules: tuple[str, ...]

    def missing(self) -> list[str]:
        """Return the modules that are not installed."""
        return [name for name in self.modules if not importable(name)]


def importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of its parent
        return False


LANGCHAIN = ("langchain_classic", "langchain_community", "faiss", "rank_bm25")
LLAMA_INDEX = ("llama_index.core", "llama_index.retrievers.bm25")
PEERS = {
    "bm25s": Peer(bm25s_search, ("bm25s", "Stemmer")),
    "rank-bm25": Peer(rank_bm25_search, ("rank_bm25", "bm25s", "Stemmer")),
    "langchain-ensemble": Peer(langchain_ensemble, LANGCHAIN),
    "llamaindex-relative": Peer(llama_index_fusion("relative_score"), LLAMA_INDEX),
    "llamaindex-rrf": Peer(llama_index_fusion("reciprocal_rerank"), LLAMA_INDEX),
    rival.COSINE: Peer(rival.cosine_search, ("torch",)),
    rival.HYBRID: Peer(rival.hybrid_search, ("torch", "bm25s", "Stemmer")),
}


# -- measuring ----------------------------------------------------------------------------------------------------


def run(name: str, search: Search, collection: Collection) -> Run:
    """Search for every query, after one that nobody times."""
    rankings, seconds = {}, {}
    search(collection.judgements.queries[0].text)
    for query in collection.judgements:
        start = time.perf_counter()
        rankings[query.id] = list(dict.fromkeys(search(query.text)))
        seconds[query.id] = time.perf_counter() - start
    return Run(name, collection.name, rankings, seconds=seconds)


def cached_run(name: str, collection: Collection, folder: Path) -> Run:
    """Run another retriever, or read what it found the last time on the same collection, model and packages."""
    texts = [text_of(node) for node in collection.nodes]
    judged = [(query.id, query.text, dict(query.relevant)) for query in collection.judgements]
    packages = {package: version for package, version in facts()["packages"].items() if package != "fourfold"}
    content = json.dumps([texts, judged, bundled().name, packages])
    path = folder / f"{collection.name}-{name}-{hashlib.blake2b(content.encode(), digest_size=6).hexdigest()}.json"
    if not path.is_file():
        found = run(name, PEERS[name].build(collection), collection)
        replace(found, facts={m: values_by_query(found, collection, m) for m in MEASURES}).save(path)
    return Run.load(path)


def values_by_query(found: Run, collection: Collection, measure: str) -> dict[str, float]:
    values = found.values(collection.judgements, measure).tolist()
    return {query.id: value for query, value in zip(collection.judgements, values, strict=True)}


def scores_of(found: Run, collection: Collection) -> dict[str, Any]:
    """Return mean, interval and the score of each query by measure, and the times.

    Queries with the same answers are resampled as one, as tuning does it: they are no independent evidence.
    """
    groups = answer_groups(collection.judgements.queries)
    scores: dict[str, Any] = {}
    for name in MEASURES:
        interval = bootstrap_interval(found.values(collection.judgements, name), groups=groups)
        scores[name] = asdict(interval) | {"by_query": values_by_query(found, collection, name)}
    return scores | found.latency() | {name: found.facts[name] for name in TUNE_FACTS if name in found.facts}


def against_best(runs: Mapping[str, Run], collection: Collection) -> dict[str, Any]:
    """Compare ours, query by query, with the other retriever that is best on this collection."""
    queries = collection.judgements.queries
    values = {name: run.values(queries, MAIN) for name, run in runs.items()}
    others = [name for name in values if name in PEERS]
    compared = [name for name in COMPARED if name in values]
    if not others or not compared:
        return {}
    best = max(others, key=lambda name: float(values[name].mean()))
    found = compare(values[best], [values[name] for name in compared], groups=answer_groups(queries))
    return {"best": best, MAIN: float(values[best].mean()), **dict(zip(compared, found, strict=True))}


# -- tables -------------------------------------------------------------------------------------------------------


def report(results: Mapping[str, Any], systems: Sequence[str], options: argparse.Namespace) -> str:
    """Return everything as Markdown of at most 120 columns: ours and the others in tables of their own."""
    halves = [[name for name in systems if name in group] for group in (OURS, PEERS)]
    halves = [half for half in halves if half]
    parts = [f"### {label(MAIN)}: mean and 95 % interval"]
    parts += [table(results, half, lambda scores: scores[MAIN]["mean"], cell=interval_cell) for half in halves]
    if all(row["against"] for row in results.values()):
        parts += ["### Ours − the best other retriever, paired: mean and 95 % interval", comparison_table(results)]
    if all(row["rival"] for row in results.values()):
        parts += ["### Beside a transformer, paired: nDCG@10, mean and 95 % interval", rival.table(results)]
    for name in MEASURES[1:]:
        parts.append(f"### {label(name)}")
        parts += [table(results, half, lambda scores, name=name: scores[name]["mean"]) for half in halves]
    parts.append("### Time of a query: median, in milliseconds")
    parts += [table(results, half, lambda scores: scores["p50_ms"], "{:.2f}".format) for half in halves]
    return "\n\n".join([*parts, provenance(options)]) + "\n"


def table(
    results: Mapping[str, Any],
    systems: Sequence[str],
    number: Callable[[Any], float],
    form: Callable[[float], str] = figure,
    cell: Callable[[Any], str] | None = None,
) -> str:
    """Return one number of some systems, a row for each collection, and its mean over the collections."""
    cell = cell or (lambda scores: form(number(scores)))
    rows = [[name, *(cell(row["systems"][system]) for system in systems)] for name, row in results.items()]
    means = [np.mean([number(row["systems"][system]) for row in results.values()]) for system in systems]
    return markdown_table([["collection", *systems], *rows, ["mean", *(form(float(mean)) for mean in means)]])


def comparison_table(results: Mapping[str, Any]) -> str:
    """Return the differences, a row for each collection.

    The interval of their mean resamples the collections; where there are too few to resample, there is none.
    """
    against = [row["against"] for row in results.values()]
    compared = [name for name in COMPARED if name in against[0]]
    verdicts = "tuned" in compared
    rows = [["collection", "best other", label(MAIN), *compared, *(["tuning applied"] if verdicts else [])]]
    for (name, row), found in zip(results.items(), against, strict=True):
        cells = [difference_cell(found[system].difference) for system in compared]
        applied = ["yes" if row["systems"]["tuned"]["applied"] else "no"] if verdicts else []
        rows.append([name, found["best"], figure(found[MAIN]), *cells, *applied])
    cells = []
    for system in compared:
        mean = bootstrap_interval([found[system].difference.mean for found in against])
        cells.append(difference_cell(mean) if len(against) >= FEWEST_COLLECTIONS else signed(mean.mean))
    best = float(np.mean([found[MAIN] for found in against]))
    return markdown_table([*rows, ["mean", "the best of each", figure(best), *cells, *([""] if verdicts else [])]])


def interval_cell(scores: Mapping[str, Any]) -> str:
    found = scores[MAIN]
    return f"{figure(found['mean'])} {figure(found['lower'], 2)}–{figure(found['upper'], 2)}"


def label(measure: str) -> str:
    return measure.replace("ndcg", "nDCG").replace("recall", "R")


def provenance(options: argparse.Namespace) -> str:
    """Return how, when and on what the figures came about."""
    known = facts()
    given = {"--rival": options.rival, "--max-queries": options.max_queries}
    command = " ".join(["benchmarks/quality.py", *(f"{name} {value}" for name, value in given.items() if value)])
    packages = ", ".join(f"{name} {version}" for name, version in known["packages"].items())
    text = (
        f"`python {command}`, {datetime.date.today()}; model {bundled().name}; "
        f"{known['machine']}, {known['cores']} cores, {known['system']}, Python {known['python']}; {packages}."
    )
    return textwrap.fill(text, 120, break_on_hyphens=False)


# -- the command --------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*OURS, *PEERS]
    usual = [name for name in everything if name not in UNUSUAL]
    parser.add_argument("--systems", nargs="+", choices=everything, default=usual, metavar="SYSTEM")
    parser.add_argument("--rival", choices=["minilm"], help="beside a transformer's hybrid, and over its vectors")
    parser.add_argument("--no-tuned", action="store_true", help="leave out what takes longest")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    add_collection_options(parser)
    options = parser.parse_args(arguments)
    wanted = folders(options.collections)
    chosen = rival.COMPARED if options.rival else options.systems
    systems = available(name for name in chosen if not (options.no_tuned and name in TUNED))
    if not wanted or not systems:
        return
    warnings.simplefilter("ignore")
    options.results.mkdir(parents=True, exist_ok=True)
    steps = steps_of(systems)
    results: dict[str, Any] = {}
    with tqdm(total=steps * len(wanted), smoothing=0, leave=False, disable=None) as bar:
        for done, folder in enumerate(wanted, 1):
            bar.set_description(folder.name)
            collection = load_collection(folder)
            collection = replace(collection, judgements=collection.judgements.first(options.max_queries))
            if not collection.judgements:
                tqdm.write(f"{folder} has no judged query and is left out.", sys.stderr)
                continue
            results[collection.name] = found = measured(collection, systems, options.results, bar)
            scores = {name: round(scores[MAIN]["mean"], 3) for name, scores in found["systems"].items()}
            tqdm.write(f"{collection.name} {scores} {found['seconds']:.0f} s", sys.stdout)
            write(options, results, systems)  # after each, so that whoever stops it keeps what there is
            bar.update(steps * done - bar.n)
    if results:
        print("\n" + report(results, systems, options))


def steps_of(systems: Sequence[str]) -> int:
    """Return how often the bar moves for a collection; tuning measures the default as well."""
    plain = set(systems) - set(TUNED)
    return len(plain) if plain == set(systems) else len(plain | {"default"}) + TUNE_STEPS


def available(names: Iterable[str]) -> list[str]:
    """Return the systems that can be measured here; a sentence says what the others need."""
    found = []
    for name in names:
        missing = PEERS[name].missing() if name in PEERS else rival.missing(name)
        if missing:
            needed = ", ".join(missing)
            print(f'{name} is left out: it needs {needed}; pip install "fourfold[bench]".', file=sys.stderr)
        else:
            found.append(name)
    return found


def measured(collection: Collection, systems: Sequence[str], folder: Path, bar: tqdm[Any]) -> dict[str, Any]:
    """Run all systems on a collection and return their scores."""
    start = time.perf_counter()
    runs = our_runs(collection, systems, bar)
    for name in systems:
        if name in PEERS:
            runs[name] = cached_run(name, collection, folder)
            bar.update()
    runs = {name: runs[name] for name in systems}
    return {
        "queries": len(collection.judgements),
        "seconds": time.perf_counter() - start,
        "systems": {name: scores_of(found, collection) for name, found in runs.items()},
        "against": against_best(runs, collection),
        "rival": rival.compared(runs, collection),
    }


def write(options: argparse.Namespace, results: Mapping[str, Any], systems: Sequence[str]) -> None:
    content = {"facts": facts(), "model": bundled().name, "max_queries": options.max_queries, "results": results}
    path = options.results / "quality.json"
    path.write_text(json.dumps(content, indent=1, default=asdict), encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(report(results, systems, options), encoding="utf-8")


if __name__ == "__main__":
    main()
