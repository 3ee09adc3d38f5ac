"""Quality beside today's retrievers, on every collection of a folder.

    FOURFOLD_DATASETS=… python benchmarks/quality.py [--systems default bm25s …] [--collections scifact …]
        [--max-queries 300] [--results FOLDER]

All systems read the same texts (title and text), and those that embed use the model that ships with fourfold. Prints
nDCG@10, R@5 and R@10 (linear gain), the mean time of a query, and the machine; writes quality.json beside the cached
rankings of the other retrievers, which never change. Needs: bm25s PyStemmer rank_bm25 faiss-cpu langchain-classic
langchain-community llama-index-core llama-index-retrievers-bm25.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from fourfold import RetrievalConfig, Retriever, Weights
from fourfold.embed.static import bundled
from fourfold.evaluate import Collection, load_collection
from fourfold.evaluate.metrics import measure

K = 10
MEASURES = ("ndcg@10", "recall@5", "recall@10")
Search = Callable[[str], list[str]]


def text_of(node: Any) -> str:
    return f"{node.name}\n{node.text}".strip()


# -- ours ---------------------------------------------------------------------------------------------------------


def ours(retriever: Retriever, **options: Any) -> Search:
    return lambda query: retriever.search(query, k=K, **options).ids


def our_systems(collection: Collection, wanted: Sequence[str]) -> dict[str, Search]:
    """Fourfold as it comes, and with components left out."""
    names = {"default", "two-signal", "embedding", "bm25"}.intersection(wanted)
    if not names:
        return {}
    config = replace(RetrievalConfig(), cache_size=0)
    full = Retriever(config=config)
    full.add(collection.nodes, collection.edges)
    systems = {"default": ours(full)}
    bare = full
    if collection.edges:
        bare = Retriever(config=config)
        bare.add(collection.nodes)
    systems["two-signal"] = ours(bare)
    systems["embedding"] = ours(bare, weights=Weights(1, 0, 0, 0), mode="embedding")
    systems["bm25"] = ours(bare, weights=Weights(0, 1, 0, 0), mode="text", intent="default")
    return {name: systems[name] for name in wanted if name in names}


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


PEERS: dict[str, Callable[[Collection], Search]] = {
    "bm25s": bm25s_search,
    "langchain-ensemble": langchain_ensemble,
    "llamaindex-relative": llama_index_fusion("relative_score"),
    "llamaindex-rrf": llama_index_fusion("reciprocal_rerank"),
}
OURS = ("default", "two-signal", "embedding", "bm25")


# -- measuring ----------------------------------------------------------------------------------------------------


def run(search: Search, collection: Collection) -> dict[str, Any]:
    rankings, seconds = {}, []
    search(collection.judgements.queries[0].text)
    for query in collection.judgements:
        start = time.perf_counter()
        rankings[query.id] = list(dict.fromkeys(search(query.text)))
        seconds.append(time.perf_counter() - start)
    return {"rankings": rankings, "ms": 1000 * float(np.median(seconds))}


def cached_run(name: str, collection: Collection, folder: Path) -> dict[str, Any]:
    """Run another retriever, or read what it found the last time on the same texts and queries."""
    content = [text_of(node) for node in collection.nodes], [(q.id, q.text) for q in collection.judgements]
    key = hashlib.blake2b(json.dumps(content).encode(), digest_size=6).hexdigest()
    path = folder / f"{collection.name}-{name}-{key}.json"
    if not path.is_file():
        path.write_text(json.dumps(run(PEERS[name](collection), collection)), encoding="utf-8")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def scores_of(found: dict[str, Any], collection: Collection) -> dict[str, float]:
    scores = {}
    for name in MEASURES:
        of = measure(name)
        scores[name] = float(np.mean([of(found["rankings"][query.id], query) for query in collection.judgements]))
    return scores | {"ms": found["ms"]}


def table(results: dict[str, dict[str, dict[str, float]]], systems: Sequence[str], value: str) -> str:
    width = max(len(name) for name in (*results, "collection"))
    lines = [f"{value:{width}} " + " ".join(f"{name:>19}" for name in systems)]
    for name, row in results.items():
        lines.append(f"{name:{width}} " + " ".join(f"{row[s][value]:19.3f}" for s in systems))
    means = [float(np.mean([row[s][value] for row in results.values()])) for s in systems]
    lines.append(f"{'mean':{width}} " + " ".join(f"{mean:19.3f}" for mean in means))
    return "\n".join(lines)


def facts() -> dict[str, Any]:
    packages = ("fourfold", "numpy", "bm25s", "langchain-classic", "langchain-community", "llama-index-core")
    installed = {d.metadata["Name"].lower() for d in metadata.distributions() if d.metadata["Name"]}
    return {
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in packages if name in installed},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=[*OURS, *PEERS], default=[*OURS, *PEERS])
    parser.add_argument("--collections", nargs="+")
    parser.add_argument("--max-queries", type=int, default=None)
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "fourfold-quality")
    options = parser.parse_args()
    if "FOURFOLD_DATASETS" not in os.environ:
        print("FOURFOLD_DATASETS names no folder of collections; there is nothing to measure.")
        return
    warnings.simplefilter("ignore")
    folders = sorted(path.parent for path in Path(os.environ["FOURFOLD_DATASETS"]).glob("*/corpus.jsonl"))
    options.results.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, dict[str, float]]] = {}
    for folder in folders:
        if options.collections and folder.name not in options.collections:
            continue
        whole = load_collection(folder)
        collection = replace(whole, judgements=whole.judgements.first(options.max_queries))
        row = {
            name: scores_of(run(s, collection), collection)
            for name, s in our_systems(collection, options.systems).items()
        }
        for name in options.systems:
            if name in PEERS:
                row[name] = scores_of(cached_run(name, collection, options.results), collection)
        results[collection.name] = row
        print(collection.name, {name: round(scores["ndcg@10"], 3) for name, scores in row.items()}, flush=True)
    for value in (*MEASURES, "ms"):
        print("\n" + table(results, options.systems, value))
    print("\n" + json.dumps(facts()))
    report = {"facts": facts(), "max_queries": options.max_queries, "results": results}
    (options.results / "quality.json").write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
