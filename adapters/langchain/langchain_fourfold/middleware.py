"""Agent middleware: before each call of the model, keep only the tools that matter for the conversation.

Needs the ``langchain`` package (``pip install langchain-fourfold[agents]``), which holds agents and middleware.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool

from fourfold.arguments import shown, strings, whole_number
from fourfold.errors import InvalidValueError, MissingExtraError
from fourfold.handle import Shared
from fourfold.tools import ToolCatalog, ToolConfig

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ImportError as error:
    raise MissingExtraError(
        "Agent middleware needs the langchain package; install it with: pip install langchain-fourfold[agents]"
    ) from error


_KEPT = 8
"""Catalogues made of requests' tools that are kept: several agents may share one selector."""


_READ_BACK = 3
"""Questions that are read at most, from the last one back, until tools serve one."""


class FourfoldToolSelector(Shared, AgentMiddleware[Any, Any]):
    """Offers the model the tools found for the last question, with those they need.

    Where the last question is one that no tool serves, such as *yes, please* or *the second one*, the tools for the one
    before stay, too. Tools already called in the conversation stay, and are the context of the search. Provider tools
    given as dictionaries are never taken away.

    Args:
        catalog: a catalogue that knows the agent's tools by name; tools it does not know are always offered. None makes
            one of each request's tools, and keeps the last few.
        limit: how many tools the search keeps.
        always: names of tools that always stay.

    Raises:
        InvalidValueError: an argument is not of its kind.

    """

    def __init__(self, catalog: ToolCatalog | None = None, *, limit: int = 10, always: Iterable[str] = ()) -> None:
        super().__init__()
        if not isinstance(catalog, ToolCatalog | None):
            raise InvalidValueError(f"catalog is {shown(catalog)}; it must be a ToolCatalog, or None.")
        self._catalog = catalog
        self._made: OrderedDict[tuple[object, ...], ToolCatalog] = OrderedDict()
        self._known: tuple[ToolCatalog, tuple[int, str], dict[str, str]] | None = None
        self._lock = threading.Lock()
        self._limit = whole_number(limit, "limit", most=(catalog.config if catalog else ToolConfig()).max_limit)
        self._always = frozenset(strings(always, "always"))

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
        questions = _questions(request.messages)
        if len(named) <= self._limit or not questions:
            return request
        catalog = self._catalogue_of(named)
        used = _called(request.messages)
        known = self._ids_in(catalog)
        ids = [known[tool] for tool in used if tool in known]
        wanted = set(used)
        for question in questions:
            plan = catalog.suggest_workflow(question, self._limit, ids)
            wanted.update(tool.name for tool in catalog.search_tools(question, self._limit, ids))
            wanted.update(step.name for step in plan.steps)
            if not plan.missing:
                break
        if not wanted.intersection(tool.name for tool in named):  # nothing matched: better all than none
            return request
        kept = wanted | self._always | ({tool.name for tool in named} - known.keys())
        return request.override(tools=[tool for tool in request.tools if isinstance(tool, dict) or tool.name in kept])

    def _catalogue_of(self, tools: Sequence[BaseTool]) -> ToolCatalog:
        """Return the catalogue that was given, or one of these very tools: agents change theirs as they run."""
        if self._catalog is not None:
            return self._catalog
        key = tuple((tool.name, tool.description, _parameters(tool)) for tool in tools)
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
            catalog = ToolCatalog()
            catalog.add_tools(list(tools))
            self._made[key] = catalog
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
            return catalog

    def _ids_in(self, catalog: ToolCatalog) -> Mapping[str, str]:
        """Return the id of each node of a catalogue by its name and by its id, read once for each write."""
        write = catalog.retriever.backend.write()
        kept = self._known
        if kept is None or kept[0] is not catalog or kept[1] != write:
            nodes = catalog.retriever.get(catalog.retriever.manifest())
            kept = catalog, write, {node.name: node.id for node in nodes} | {node.id: node.id for node in nodes}
            self._known = kept
        return kept[2]


def _parameters(tool: BaseTool) -> tuple[object, ...]:
    """Return what tells a tool's parameters from others, without making its JSON schema, which takes long."""
    schema = tool.args_schema
    if isinstance(schema, dict):
        return (json.dumps(schema.get("properties", {}), default=str),)
    fields: Mapping[str, Any] = getattr(schema, "model_fields", {})
    return tuple((name, field.description, str(field.annotation)) for name, field in fields.items())


def _questions(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the texts of the last things a person said, the last one first."""
    said = (str(message.text) for message in reversed(messages) if isinstance(message, HumanMessage))
    return list(islice(filter(None, said), _READ_BACK))


def _called(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the names of the tools called so far, in order."""
    calls = (call["name"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
    return list(dict.fromkeys(calls))
