"""Graph questions as LangChain tools, and their answers as documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from langchain_core.documents import Document
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from fourfold import FourfoldError, Retriever
from fourfold.errors import without_address
from fourfold.questions import Answer, Questions, callables


def as_tools(source: Questions | Retriever) -> list[BaseTool]:
    """Return the graph questions as tools for an agent.

    A tool's content is the answer as text, its artifact the answer in plain JSON types. What cannot be answered, such
    as an unknown node, comes back as a sentence with the nearest names, not as an exception.

    Args:
        source: the questions, or the retriever whose graph is asked.

    """
    questions = source if isinstance(source, Questions) else Questions(source)
    return [
        StructuredTool.from_function(
            _answering(function, questions.retriever.path),
            response_format="content_and_artifact",
            handle_tool_error=True,
        )
        for function in callables(questions)
    ]


def answer_documents(answer: Answer) -> list[Document]:
    """Return the nodes of an answer as documents, best first, with ``score`` and ``fourfold`` in the metadata."""
    return [
        Document(page_content=document.text, id=document.id, metadata=dict(document.metadata))
        for document in answer.as_documents()
    ]


def _answering(function: Callable[..., Answer], path: str) -> Callable[..., tuple[str, dict[str, Any]]]:
    @wraps(function)
    def tool(*args: Any, **kwargs: Any) -> tuple[str, dict[str, Any]]:
        try:
            answer = function(*args, **kwargs)
        except FourfoldError as error:
            raise ToolException(without_address(error, path)) from error
        return str(answer), answer.as_dict()

    return tool
