"""A LangChain chain over a knowledge graph of the standard library, with a fake model in the model's place.

    python examples/langchain_rag.py stdlib.sqlite "how do I compress a file to save space"

The file is built when it is not there yet, which takes some seconds; any other graph that Fourfold made will do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_fourfold import FourfoldRetriever

from fourfold import Edge, Node, Retriever

QUESTION = "how do I compress a file to save space"

PROMPT = ChatPromptTemplate.from_template(
    "Answer from what the standard library's documentation says.\n\n{context}\n\nQuestion: {question}"
)


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


def as_context(documents: list[Document]) -> str:
    """Return what the model is shown: each node's content under a number."""
    return "\n\n".join(f"[{n}] {document.page_content}" for n, document in enumerate(documents, 1))


def main(path: Path, question: str) -> None:
    """Ask the question, and show the answer and why the documents were chosen."""
    retriever = FourfoldRetriever(retriever=open_graph(path), k=5, min_confidence=0.25, name_in_content=True)
    model = FakeListChatModel(responses=["Open it with gzip or zipfile, in write mode. [1]"])
    answer = PROMPT | model | StrOutputParser()
    chain = RunnablePassthrough.assign(
        documents=lambda asked: retriever.invoke(asked["question"]),
    ).assign(context=lambda asked: as_context(asked["documents"])) | RunnablePassthrough.assign(answer=answer)

    told = chain.invoke({"question": question})
    if not told["documents"]:
        print(f"Question: {question}\nAnswer:   not found; the graph knows nothing of it.")
        return
    print(f"Question: {question}\nAnswer:   {told['answer']}\n")
    first = told["documents"][0].metadata["fourfold"]
    print(f"Intent: {first['intent']}, weights: {first['weights']}\n")
    for document in told["documents"]:
        breakdown = document.metadata["fourfold"]
        print(f"{document.metadata['score']:.3f}  {document.id}  [{breakdown['method']}]  {breakdown['why']}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python langchain_rag.py GRAPH.sqlite [QUESTION]")
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else QUESTION)
