"""Agent middleware: before each call of the model, keep only the tools that matter for the conversation.

Needs the ``langchain`` package (``pip install langchain-fourfold[agents]``), which holds agents and middleware.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from fourfold.errors import MissingExtraError
from fourfold.tools import ToolCatalog

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ImportError as error:
    raise MissingExtraError(
        "Agent middleware needs the langchain package; install it with: pip install langchain-fourfold[agents]"
    ) from error


class FourfoldToolSelector(AgentMiddleware[Any, Any]):
    """Offers the model the tools found for the last question, with those they need.

    Tools already called in the conversation stay, and are the context of the search. Provider tools given as
    dictionaries are never taken away.

    Args:
        catalog: a catalogue that knows the agent's tools by name; None makes one of the first request's tools.
        limit: how many tools the search keeps.
        always: names of tools that always stay.

    """

    def __init__(self, catalog: ToolCatalog | None = None, *, limit: int = 10, always: Iterable[str] = ()) -> None:
        super().__init__()
        self._catalog = catalog
        self._limit = limit
        self._always = frozenset(always)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with the tools found."""
        return handler(self._narrowed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Call the model with the tools found, without blocking the event loop."""
        return await handler(await asyncio.to_thread(self._narrowed, request))

    def _narrowed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        named = [tool for tool in request.tools if not isinstance(tool, dict)]
        question = _last_question(request.messages)
        if len(named) <= self._limit or not question:
            return request
        if self._catalog is None:
            self._catalog = ToolCatalog()
            self._catalog.add_tools(named)
        used = _called(request.messages)
        ids = [tool for tool in used if self._catalog.retriever.get([tool])]
        found = [tool.name for tool in self._catalog.search_tools(question, self._limit, ids)]
        needed = [step.name for step in self._catalog.suggest_workflow(question, self._limit, ids).steps]
        kept = self._always | set(used) | set(found) | set(needed)
        if not kept.intersection(tool.name for tool in named):  # nothing matched: better all than none
            return request
        return request.override(tools=[tool for tool in request.tools if isinstance(tool, dict) or tool.name in kept])


def _last_question(messages: Sequence[BaseMessage]) -> str:
    """Return the text of the last thing a person said."""
    return next((str(m.text) for m in reversed(messages) if isinstance(m, HumanMessage)), "")


def _called(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the names of the tools called so far, in order."""
    calls = (call["name"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
    return list(dict.fromkeys(calls))
