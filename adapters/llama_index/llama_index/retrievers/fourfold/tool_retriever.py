"""A tool retriever for LlamaIndex agents: ``FunctionAgent(tool_retriever=FourfoldToolRetriever(tools), llm=…)``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from llama_index.core.objects import ObjectRetriever
from llama_index.core.schema import QueryBundle, QueryType
from llama_index.core.tools import BaseTool

from fourfold.arguments import whole_number
from fourfold.tools import ToolCatalog, ToolConfig


class FourfoldToolRetriever(ObjectRetriever[BaseTool]):
    """Finds the tools that matter for a message, with those they need.

    Args:
        tools: the tools to choose from.
        catalog: a catalogue that knows them by name, with its edges; None makes one of the tools.
        similarity_top_k: how many tools the search keeps.
        with_prerequisites: also return what the tools found need, by the catalogue's dependency edges.

    Raises:
        InvalidValueError: ``similarity_top_k`` is no number of tools.

    """

    def __init__(
        self,
        tools: Iterable[BaseTool],
        catalog: ToolCatalog | None = None,
        *,
        similarity_top_k: int = 10,
        with_prerequisites: bool = True,
    ) -> None:
        given = list(tools)
        config = ToolConfig() if catalog is None else catalog.config
        self._limit = whole_number(similarity_top_k, "similarity_top_k", most=config.max_limit)
        self._tools = {tool.metadata.get_name(): tool for tool in given}
        self._catalog = ToolCatalog() if catalog is None else catalog
        if catalog is None:
            self._catalog.add_tools(given)
        self._with_prerequisites = with_prerequisites

    @property
    def catalog(self) -> ToolCatalog:
        """The catalogue: add edges or templates to it, or record what was used."""
        return self._catalog

    def retrieve(self, str_or_query_bundle: QueryType) -> list[BaseTool]:
        """Return the tools for a message, best first, then what they need."""
        bundle = str_or_query_bundle
        query = bundle.query_str if isinstance(bundle, QueryBundle) else bundle
        names = [tool.name for tool in self._catalog.search_tools(query, self._limit)]
        if self._with_prerequisites:
            names += [step.name for step in self._catalog.suggest_workflow(query, self._limit).steps]
        return [self._tools[name] for name in dict.fromkeys(names) if name in self._tools]

    async def aretrieve(self, str_or_query_bundle: QueryType) -> list[BaseTool]:
        """Return the tools for a message without blocking the event loop."""
        return await asyncio.to_thread(self.retrieve, str_or_query_bundle)
