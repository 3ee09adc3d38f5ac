"""A LlamaIndex query engine over a knowledge graph of the standard library, with a mock model in the model's place.

    python examples/llamaindex_query_engine.py stdlib.sqlite "how do I compress a file to save space"

The file is built when it is not there yet, which takes some seconds; any other graph that Fourfold made will do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.retrievers.fourfold import FourfoldRetriever

from fourfold import Edge, Node, Retriever

QUESTION = "how do I compress a file to save space"


def open_graph(path: Path) -> Retriever:
    """Open the graph; build it first if the file holds none."""
    retriever = Retriever(path)
    if not len(retriever):
        import stdlib_graph

        retriever.add(
            (Node(**node) for node in stdlib_graph.nodes()),
            (Edge(**edge) for edge in stdlib_graph.edges()),
        )
    return retriever


def main(path: Path, question: str) -> None:
    """Ask the question, and show the prompt and why the nodes were chosen."""
    engine = RetrieverQueryEngine.from_args(
        FourfoldRetriever(retriever=open_graph(path), similarity_top_k=5, min_confidence=0.25),
        llm=MockLLM(),  # answers with its prompt
    )
    response = engine.query(question)
    if not response.source_nodes:
        print(f"Question: {question}\n\nnot found; the graph knows nothing of it.")
        return
    print(f"Question: {question}\n\n{response}\n")
    first = response.source_nodes[0].node.metadata["fourfold"]
    print(f"Intent: {first['intent']}, weights: {first['weights']}\n")
    for hit in response.source_nodes:
        breakdown = hit.node.metadata["fourfold"]
        print(f"{hit.score:.3f}  {hit.node.node_id}  [{breakdown['method']}]  {breakdown['why']}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python llamaindex_query_engine.py GRAPH.sqlite [QUESTION]")
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else QUESTION)
