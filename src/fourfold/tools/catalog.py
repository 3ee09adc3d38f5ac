"""ToolCatalog: what agents hold to find the tools that matter, those the request does not name among them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fourfold import arguments
from fourfold.arguments import finite_number, shown, whole_number
from fourfold.engines.base import Writer
from fourfold.engines.usage import Usage
from fourfold.errors import InvalidValueError, UnknownNodeError
from fourfold.handle import Closing
from fourfold.retriever import Retriever
from fourfold.tools import learning, linking
from fourfold.tools.config import ToolConfig
from fourfold.tools.finding import Finder
from fourfold.tools.schema import field_record, fields, parameter_text
from fourfold.tools.search import Weighting
from fourfold.tools.sources import read_tools
from fourfold.tools.state import Knowledge, State
from fourfold.tools.types import Tool, ToolAnswer, Workflow
from fourfold.types import Edge, Node

_MOST_USED_AT_ONCE = 100


class ToolCatalog(Closing):
    """Tools and their graph over a Retriever.

    Args:
        retriever: an open Retriever, or the file to open. In a graph that was not made by ``add_tools`` every node of
            type "tool" is a tool, or every node if there is none of that type; its id is the tool's id.
        config: the constants of search, workflow and learning.
        clock: seconds since the epoch; use fades with it.

    """

    def __init__(
        self,
        retriever: Retriever | str | Path = ":memory:",
        *,
        config: ToolConfig | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config or ToolConfig()
        self._own = not isinstance(retriever, Retriever)
        self.retriever = retriever if isinstance(retriever, Retriever) else Retriever(retriever)
        self._given_clock = clock
        self._clock: Callable[[], float] = lambda: finite_number(clock(), "What clock tells", least=0)  # it is stored
        self._knowledge = Knowledge(self.retriever, lambda: self.config, self._clock)
        self._finder = Finder(self.retriever, self._knowledge, lambda: self.config)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a catalogue over the same graph, opened again."""
        made = partial(type(self), config=self.config, clock=self._given_clock)
        return made, (self.retriever,), {"_own": self._own}

    def __repr__(self) -> str:
        """Name the graph without reading it."""
        return f"<{type(self).__name__} {self.retriever.path!r}>"

    # -- filling ------------------------------------------------------------------------------------------------

    def add_tools(self, tools: object, *, server: str = "", schema_edges: bool = True) -> list[str]:
        """Add or replace tools.

        Args:
            tools: what ``read_tools`` reads: MCP ``tools/list`` results, OpenAPI documents, LangChain or LlamaIndex
                tools, dictionaries, Tools.
            server: whose tools they are, where they do not say so themselves.
            schema_edges: link tools whose output fits another's required input.

        Returns:
            The ids, in order.

        Raises:
            InvalidValueError: something is no tool, or two different tools in it have the same id.

        """
        given = read_tools(tools, server=server)
        by_id: dict[str, Tool] = {}
        for tool in given:
            if by_id.setdefault(tool.id, tool) != tool:
                raise InvalidValueError(
                    f"Two different tools have the id {shown(tool.id)}; give each its server to tell them apart."
                )
        self.retriever.add(nodes=[_node(tool, self.config.node_type) for tool in by_id.values()])
        if schema_edges and by_id:
            self.link_by_schema()
        return list(by_id)

    def link_by_schema(self) -> int:
        """Make the ``provides`` and ``requires`` edges that JSON schemas suggest anew; return how many there are.

        Those made before that no schema suggests any more are taken back. Edges given by hand between the same tools
        stay: an edge of a known (source, target, type) that was not made here is left alone.

        Raises:
            StoreError: the file is read-only, or another application's.

        """
        backend, made = self.retriever.backend, 0

        def relink(writer: Writer) -> None:
            nonlocal made
            described = backend.nodes(self._knowledge.described().tolist()).values()
            tools = self._knowledge.tools
            made = linking.relink(backend, writer, {node.id: node for node in described}, lambda: backend.ids(tools()))

        self.retriever.add(also=relink)
        return made

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add typed edges between tools, by id; what their types mean for order is read from their names."""
        given = list(arguments.many(edges, "edges", "edges"))
        self.retriever.add(edges=given, also=(lambda writer: linking.give(writer, given)) if given else None)

    def bootstrap_from_templates(
        self, templates: Iterable[Sequence[str] | Mapping[str, Any]], *, skip_unknown: bool = False
    ) -> int:
        """Add ``followed_by`` edges from known workflows: tools in their order. Known edges stay as they are.

        Args:
            templates: each a list of tools, or a mapping that holds one under ``tools`` or ``steps``; a tool by its
                id, or by its name if only one tool has it.
            skip_unknown: leave out tools that are not in the catalogue, instead of refusing.

        Returns:
            How many edges were added.

        Raises:
            UnknownNodeError: a template names a tool that does not exist; nothing was added.

        """
        listed = [_steps_of(template) for template in arguments.many(templates, "templates", "templates")]
        known = self._knowledge.resolve([name for names in listed for name in names], strict=not skip_unknown)
        edges = []
        for names in listed:
            ids = [known[name] for name in names if name in known]
            edges += [Edge(a, b, learning.FOLLOWED_BY) for a, b in pairwise(ids) if a != b]
        added = 0

        def add(writer: Writer) -> None:  # another process may have learned of some meanwhile
            nonlocal added
            writer.put_edges(new := self._unknown(edges))
            added = len(new)

        if self._unknown(edges):
            self.retriever.add(also=add)
        return added

    def record_use(self, tools: Sequence[str], success: bool = True) -> None:
        """Learn from a use: counts, success rate, what goes together and what comes next (see ``learning``).

        Args:
            tools: ids (or unique names) in the order of use.
            success: whether they did what was asked; a failed use teaches no edges.

        Raises:
            UnknownNodeError: a tool that does not exist; nothing was learned.
            StoreError: the file is read-only, or another application's: its next change would erase what was learned.

        """
        given, success = arguments.strings(tools, "tools"), arguments.boolean(success, "success")
        if not given or len(given) > _MOST_USED_AT_ONCE:
            raise InvalidValueError(f"A use names 1 to {_MOST_USED_AT_ONCE} tools; this one names {len(given)}.")
        known = self._knowledge.resolve(given, strict=True)
        used = [known[name] for name in given]
        backend = self.retriever.backend

        def teach(writer: Writer) -> None:  # what is read inside the transaction is what the write is based on
            before = backend.usage(used)
            edges = backend.edges_from(used, learning.TYPES)
            lesson = learning.learn(used, success, before, edges, self._clock(), self.config)
            writer.put_usage(lesson.usage)
            writer.put_edges(lesson.changed)
            writer.delete_edges(lesson.faded)

        self.retriever.add(also=teach)

    # -- finding ------------------------------------------------------------------------------------------------

    def search_tools(
        self,
        query: str,
        limit: int = 10,
        context_tools: Iterable[str] = (),
        *,
        weighting: Weighting = "adaptive",
    ) -> ToolAnswer:
        """Return the best ``limit`` tools for a query, without a threshold.

        Args:
            query: plain words.
            limit: 1 to ``config.max_limit``.
            context_tools: tools already in use, by id or by a name that only one tool has; others are left out and
                named in ``notes`` and ``meta``.
            weighting: ``"adaptive"`` (α by the size of the graph) or ``"fixed"`` (0.7 semantic + 0.3 graph importance).

        Raises:
            InvalidValueError: an argument that cannot be meant.

        """
        limit = self._checked_limit(limit)
        arguments.one_of(weighting, "weighting", ("adaptive", "fixed"))
        context = arguments.strings(context_tools, "context_tools")
        query = arguments.question(query)
        search = self._finder.search
        return self.retriever.analysis.from_whole_files(lambda: search(query, limit, context, weighting))

    def suggest_workflow(self, request: str, limit: int = 10, context_tools: Iterable[str] = ()) -> Workflow:
        """Return the tools for a request, with what they need, in the order in which to call them.

        Args:
            request: plain words; its parts ("clone it and deploy it", "deploy after cloning", a numbered list) are
                answered one by one, and what usually comes before them comes along.
            limit: how many candidates tool search gives.
            context_tools: tools already in use, as for ``search_tools``.

        """
        request, limit = arguments.question(request, "The request"), self._checked_limit(limit)
        context = arguments.strings(context_tools, "context_tools")
        return self.retriever.analysis.from_whole_files(lambda: self._finder.workflow(request, limit, context))

    # -- looking around -----------------------------------------------------------------------------------------

    def get(self, tool: str) -> Node:
        """Return a tool's node, by its id or a name that only one has; ``metadata`` holds its server and schemas.

        Raises:
            UnknownNodeError: there is no such tool, or there are several.

        """
        known = self._knowledge.resolve([arguments.string(tool, "tool")], strict=True)
        found = self.retriever.get(known.values())
        if not found:
            raise UnknownNodeError(f"There is no tool {shown(tool)} in this catalogue.")
        return found[0]

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self._knowledge.present().ids)

    def state(self) -> State:
        """Return the arrays of the current generation: graph, importance and usage."""
        return self._knowledge.present()

    def edge_count(self) -> int:
        """Return the number of edges between tools: what α depends on."""
        return self._knowledge.present().graph.edge_count

    def neighbors(self, tool: str, direction: str = "both") -> list[str]:
        """Return the distinct tools an edge leads to (``"out"``), comes from (``"in"``), or either, sorted by id."""
        arguments.one_of(direction, "direction", ("in", "out", "both"))
        ways = {"out": (True,), "in": (False,), "both": (True, False)}[direction]

        def found() -> list[str]:
            state = self._knowledge.present()
            (position,) = self._knowledge.positions(state, [tool])
            here, edges = state.nodes[[position]], state.snapshot.edges
            ends = [edges.expand(here, forward=forward).targets for forward in ways]
            return sorted(state.ids[p] for p in state.places_of(np.concatenate(ends)) if p != position)

        return self.retriever.analysis.from_whole_files(found)

    def adamic_adar(self, tool: str, limit: int = 10) -> list[tuple[str, float]]:
        """Return the tools that share most neighbours with a tool, best first: Σ 1 / ln(degree) of what they share."""
        state = self._knowledge.present()
        (position,) = self._knowledge.positions(state, [tool])
        values = state.graph.adamic_adar([position])[0]
        ids = state.ids
        found = [(ids[p], float(values[p])) for p in np.nonzero(values)[0].tolist()]
        ranked = sorted(found, key=lambda pair: (-round(pair[1], 12), pair[0]))  # equal sums may differ in the last bit
        return ranked[: self._checked_limit(limit)]

    def adamic_adar_between(self, a: str, b: str) -> float:
        """Return Σ over common neighbours of 1 / ln(degree); 0 without any."""
        state = self._knowledge.present()
        first, second = self._knowledge.positions(state, [a, b])
        return float(state.graph.adamic_adar([first])[0, second])

    def relatedness(self, tool: str, context_tools: Iterable[str]) -> float:
        """Return how related a tool is to others, in [0, 1].

        The largest of the pairwise values: 1.0 for a direct edge (or the tool itself), otherwise Adamic–Adar divided
        by the largest value that any tool has with the context.
        """
        state = self._knowledge.present()
        (position,) = self._knowledge.positions(state, [tool])
        context = self._knowledge.positions(state, arguments.strings(context_tools, "context_tools"))
        if not context:
            return 0.0
        if position in context or state.graph.neighbours[context, position].sum() > 0:
            return 1.0
        values = state.graph.adamic_adar(context)
        return float(values[:, position].max() / (values.max() or 1.0))

    def usage(self, tool: str) -> Usage:
        """Return uses, successes and success rate of a tool."""
        known = self.get(tool)
        return self.retriever.backend.usage([known.id]).get(known.id, Usage())

    def close(self) -> None:
        """Close the file, if the catalogue opened it; a second call does nothing."""
        if self._own:
            self.retriever.close()

    # -- how it is done -----------------------------------------------------------------------------------------

    def _unknown(self, edges: Sequence[Edge]) -> list[Edge]:
        """Return those of these ``followed_by`` edges that are not there yet, each once."""
        sources = list({edge.source for edge in edges})
        there = self.retriever.backend.edges_from(sources, [learning.FOLLOWED_BY])
        known = {(edge.source, edge.target) for edge in there}
        return list({ends: e for e in edges if (ends := (e.source, e.target)) not in known}.values())

    def _checked_limit(self, limit: int) -> int:
        return whole_number(limit, "limit", most=self.config.max_limit)


def _node(tool: Tool, node_type: str) -> Node:
    """Return a tool as a node: what it says, its parameters and its server, by which people call it, are its text."""
    inputs, outputs = fields(tool.input_schema), fields(tool.output_schema)
    parts = (tool.description, parameter_text(tool.input_schema), tool.server)
    return Node(
        id=tool.id,
        name=tool.name,
        type=node_type,
        text=" ".join(filter(None, parts)),
        metadata={
            "server": tool.server,
            "description": tool.description,
            "inputs": field_record(inputs),
            "outputs": field_record(outputs),
        },
    )


def _steps_of(template: Sequence[str] | Mapping[str, Any]) -> list[str]:
    steps: Any = template.get("tools", template.get("steps")) if isinstance(template, Mapping) else template
    if isinstance(steps, str) or not isinstance(steps, Sequence) or not all(isinstance(s, str) for s in steps):
        raise InvalidValueError(
            f"A template is a list of tools, or holds one under 'tools' or 'steps': {shown(template)}."
        )
    return list(steps)
