"""Time the LangChain adapter beside EnsembleRetriever(BM25Retriever, FAISS) over the same 20,000 documents.

    python benchmarks/langchain_speed.py [--documents 20000] [--queries 30]

Both embed with the model in the package; queries are asked in turn, one of each, in one process. Needs rank_bm25,
faiss-cpu, langchain-classic and langchain-community beside langchain-fourfold.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_fourfold import FourfoldRetriever
from speed import corpus

from fourfold import RetrievalConfig
from fourfold.embed.static import bundled

K = 10


class Bundled(Embeddings):
    """The model in the package, as LangChain sees it."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector per text."""
        return np.asarray(bundled().embed_documents(texts)).tolist()

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return np.asarray(bundled().embed_query(text)).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=30)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_classic.retrievers import EnsembleRetriever
        from langchain_community.retrievers import BM25Retriever
        from langchain_community.vectorstores import FAISS
    nodes, _, queries = corpus(options.documents, np.random.default_rng(0))
    documents = [Document(f"{node.name}\n{node.text}", id=node.id) for node in nodes]
    lexical = BM25Retriever.from_documents(documents, k=K)
    vectors = FAISS.from_documents(documents, Bundled()).as_retriever(search_kwargs={"k": K})
    systems = {
        "EnsembleRetriever": EnsembleRetriever(retrievers=[lexical, vectors], weights=[0.5, 0.5]),
        "FourfoldRetriever": FourfoldRetriever.from_documents(
            documents, k=K, config=RetrievalConfig().replace(index={"cache_size": 0})
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in systems}
    for round_, query in enumerate([queries[0], *queries[: options.queries]]):
        for name, system in systems.items():
            start = time.perf_counter()
            system.invoke(query)
            if round_:
                times[name].append(time.perf_counter() - start)
    median = {name: float(np.median(values)) * 1000 for name, values in times.items()}
    ratio = median["EnsembleRetriever"] / median["FourfoldRetriever"]
    print(json.dumps({"documents": len(documents), "p50_ms": median, "times as fast": ratio}, indent=2))


if __name__ == "__main__":
    main()
