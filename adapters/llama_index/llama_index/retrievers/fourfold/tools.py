"""Graph questions as LlamaIndex FunctionTools, and their answers as nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool

from fourfold import FourfoldError, Retriever
from fourfold.errors import without_address
from fourfold.questions import Answer, Questions, callables


def as_tools(source: Questions | Retriever) -> list[FunctionTool]:
    """Return the graph questions as FunctionTools for an agent.

    A tool's output is the answer as text. What cannot be answered, such as an unknown node, comes back as a sentence
    with the nearest names, not as an exception.

    Args:
        source: the questions, or the retriever whose graph is asked.

    """
    questions = source if isinstance(source, Questions) else Questions(source)
    return [
        FunctionTool.from_defaults(_answering(function, questions.retriever.path)) for function in callables(questions)
    ]


def answer_nodes(answer: Answer) -> list[NodeWithScore]:
    """Return the nodes of an answer, best first, with what the answer says of each under ``fourfold``.

    ``score`` and ``fourfold`` are kept out of the prompt and of the embedding text.
    """
    hidden = ["score", "fourfold"]
    return [
        NodeWithScore(
            node=TextNode(
                id_=document.id,
                text=document.text,
                metadata=dict(document.metadata),
                excluded_llm_metadata_keys=hidden,
                excluded_embed_metadata_keys=hidden,
            ),
            score=float(document.metadata["score"]),
        )
        for document in answer.as_documents()
    ]


def _answering(function: Callable[..., Answer], path: str) -> Callable[..., str]:
    @wraps(function)
    def tool(*args: Any, **kwargs: Any) -> str:
        try:
            return str(function(*args, **kwargs))
        except FourfoldError as error:
            return without_address(error, path)

    tool.__annotations__ = {**function.__annotations__, "return": "str"}
    return tool
