"""What one generation of a catalogue knows: its tools, their graph, how important and how much used each is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from fourfold import arguments, filters
from fourfold.arguments import shown
from fourfold.errors import UnknownNodeError
from fourfold.index.base import Nodes, TextPart
from fourfold.index.snapshot import Snapshot
from fourfold.ordered import common, distinct, places
from fourfold.plain_text import plain_text
from fourfold.retriever import Retriever
from fourfold.threads import begun
from fourfold.tools.config import ToolConfig
from fourfold.tools.graph import Importance, ToolGraph, build_graph, measure

logger = logging.getLogger(__name__)

_INLINE_EDGES = 5_000
"""Up to so many edges among tools importance is measured anew with every generation; beyond, off the query path."""

_INLINE_ALL = 50_000
"""The same of all edges, those of nodes that are no tools among them."""

_LOOKED_THROUGH = 5_000
"""Up to so many nodes are looked through sooner than the snapshot after a write is taken."""

_NAMED = 5
"""So many tools of one name are named where it tells none of them."""


@dataclass(frozen=True)
class State:
    """One generation as a config reads it; a tool is known by its place among them, and arrays are (n_tools,).

    ``usage`` is the recent use of each tool divided by the largest, ``success_rate`` lies in [0, 1] and is ½ for a
    tool never used; ``successes`` counts.
    """

    snapshot: Snapshot
    config: ToolConfig
    nodes: Nodes
    ids: tuple[str, ...]
    graph: ToolGraph
    importance: Importance
    usage: NDArray[np.float64]
    success_rate: NDArray[np.float64]
    successes: NDArray[np.int64]

    def places_of(self, nodes: Nodes) -> list[int]:
        """Return the places of those of these nodes that are tools, each once, ascending."""
        place, here = places(self.nodes, nodes)
        found: list[int] = distinct(place[here]).tolist()
        return found


class Knowledge:
    """Keeps the state of a catalogue up to date. Safe to use from threads."""

    def __init__(self, retriever: Retriever, config: Callable[[], ToolConfig], clock: Callable[[], float]) -> None:
        self._retriever = retriever
        self._config = config
        self._clock = clock
        self._lock = threading.Lock()
        self._state: State | None = None
        self._importance: Importance | None = None
        self._carried: Importance | None = None
        """That of which the present state has its importance."""
        self._measuring: threading.Thread | None = None
        self._typed: tuple[TextPart, str, bool] | None = None
        """The texts and the type of which it was asked last whether there are tools by type, and the answer."""

    def present(self) -> State:
        """Return the state of the present generation, building it when the graph has changed, or is read anew."""
        return self._retriever.analysis.from_whole_files(self._present)

    def _present(self) -> State:
        snapshot = self._retriever.analysis.snapshot()
        with self._lock:
            state = self._state
            if state is None or state.snapshot is not snapshot or state.config is not self._config():
                self._state = state = self._built(snapshot, state)
            elif self._importance is not self._carried:  # it was measured anew
                self._state = state = replace(state, importance=self._carry(state.nodes))
            return state

    def tools(self) -> Nodes:
        """Return the numbers of the nodes that are tools, as the store has them now."""
        nodes = self._nodes({"$type": self._config().node_type})
        if not len(nodes):  # a graph that was not made by ``add_tools``: every node is a tool
            nodes = self._nodes({})
        return nodes

    def described(self) -> Nodes:
        """Return the tools that have schemas; in a graph without tools every node is one, few of which do."""
        schemas = [{key: {"$exists": True}} for key in ("inputs", "outputs")]
        typed, found = self._nodes({"$type": self._config().node_type}), self._nodes({"$or": schemas})
        return common(found, typed) if len(typed) else found

    def positions(self, state: State, tools: Iterable[str]) -> list[int]:
        """Return the places of tools given by id, or by a name that only one tool has.

        Raises:
            UnknownNodeError: there is no such tool, or there are several.

        """
        given = arguments.strings(tools, "tools")
        known = self.places_in(state, given)
        named = self.resolve([tool for tool in given if tool not in known], strict=True)
        known |= self.places_in(state, list(named.values()))
        found = [known.get(named.get(tool, tool)) for tool in given]
        if None in found:  # added after this state was made
            raise UnknownNodeError(f"There is no tool {shown(given[found.index(None)])} in this catalogue.")
        return [place for place in found if place is not None]

    def places_in(self, state: State, ids: Sequence[str]) -> dict[str, int]:
        """Return the place of each of these ids that is a tool's."""
        numbers = self._retriever.backend.nums(ids) if ids else {}
        found, here = places(state.nodes, np.fromiter(numbers.values(), np.int64, len(numbers)))
        return dict(zip(compress(numbers, here), found[here].tolist(), strict=True))

    def resolve(self, names: Iterable[str], *, strict: bool) -> dict[str, str]:
        """Return the id each name stands for: an id, or the name of one tool alone.

        Raises:
            UnknownNodeError: a name of no tool or of several, if ``strict``; others are left out.

        """
        wanted = list(dict.fromkeys(names))
        kind, nodes = self._config().node_type, self._retriever.get(wanted)
        if any(node.type != kind for node in nodes) and self._are_typed(kind):
            nodes = [node for node in nodes if node.type == kind]  # the others are no tools
        known = {node.id: node.id for node in nodes}
        left = [name for name in wanted if name not in known]
        called = self._called(left) if left else {}
        for name in left:
            candidates = called.get(name, [])
            if len(candidates) == 1:
                known[name] = candidates[0]
            elif strict:
                raise _not_one(name, candidates)
        return known

    def _are_typed(self, kind: str) -> bool:
        """Whether any node is of the type of tools; of many it is asked once for all generations that share them."""
        if self._state is None or len(self._state.nodes) <= _LOOKED_THROUGH:
            return bool(len(self._nodes({"$type": kind})))
        text = self._retriever.analysis.snapshot().text
        known = self._typed
        if known is None or known[0] is not text or known[1] != kind:
            self._typed = known = text, kind, bool(len(self._nodes({"$type": kind})))
        return known[2]

    def _called(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of the tools of each of these names."""
        state = self.present()
        called: dict[str, list[str]] = {}
        places = state.places_of(self._nodes({"$name": {"$in": names}}))
        for node in self._retriever.get([state.ids[place] for place in places]):
            called.setdefault(node.name, []).append(node.id)
        return called

    def _built(self, snapshot: Snapshot, before: State | None) -> State:
        config = self._config()
        if before is not None and not self._retriever.backend.knows(*before.snapshot.write):  # it is another file's
            before = self._importance = None
        if before is not None and before.config is not config:
            before = None
        if before is not None and before.snapshot.text is snapshot.text:  # no node was written since
            nodes, known = before.nodes, before.ids
        else:
            nodes, known = self._listed(snapshot, before)
        more = None if before is None or before.snapshot.edges is not snapshot.edges else _added(before.nodes, nodes)
        if before is None or more is None or snapshot.edges.degree(more).any():
            graph = build_graph(snapshot.edges, nodes, config)
        else:
            graph = before.graph.widened(len(more)) if len(more) else before.graph
        return State(snapshot, config, nodes, known, graph, self._important(snapshot, nodes, graph), *self._used(nodes))

    def _listed(self, snapshot: Snapshot, before: State | None) -> tuple[Nodes, tuple[str, ...]]:
        """Return the nodes that are tools, and their ids."""
        nodes = self.tools()
        if before is not None and (new := _added(before.nodes, nodes)) is not None:
            ids = snapshot.ids(new)
            there = [identity != "" for identity in ids]  # the others were deleted meanwhile
            if not any(there):
                return before.nodes, before.ids
            return np.concatenate((before.nodes, new[there])), (*before.ids, *compress(ids, there))
        found = np.empty(len(nodes), object)
        unknown = np.ones(len(nodes), bool)
        if before is not None:  # an id keeps its number
            place, here = places(before.nodes, nodes)
            found[here], unknown = np.array(before.ids, object)[place[here]], ~here
        found[unknown] = snapshot.ids(nodes[unknown])
        alive = found != ""
        return nodes[alive], tuple(found[alive].tolist())

    def _nodes(self, condition: filters.Filter) -> Nodes:
        return self._retriever.backend.allowed(filters.parse(condition)).nodes

    def _used(self, nodes: Nodes) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return recent use divided by the largest, success rates, and successes, (n_tools,) each."""
        recent, rate, successes = np.zeros(len(nodes)), np.full(len(nodes), 0.5), np.zeros(len(nodes), np.int64)
        now, half_life = self._clock(), self._config().half_life
        usage = self._retriever.backend.usage()
        used = self._retriever.backend.nums(list(usage))
        found, here = places(nodes, np.fromiter(used.values(), np.int64, len(used)))
        for place, own in zip(found[here].tolist(), compress(map(usage.__getitem__, used), here), strict=True):
            recent[place], rate[place] = own.recent_at(now, half_life), own.success_rate
            successes[place] = own.successes
        return recent / (recent.max(initial=0.0) or 1.0), rate, successes

    def _important(self, snapshot: Snapshot, nodes: Nodes, graph: ToolGraph) -> Importance:
        """Measure importance: at once for small graphs and the first time, else the last known serves meanwhile."""
        few = graph.edge_count <= _INLINE_EDGES and len(snapshot.edges) <= _INLINE_ALL
        if self._importance is None or few:
            self._importance = measure(snapshot, nodes, graph, self._importance)
            return self._carry(nodes)
        if self._measuring is None or not self._measuring.is_alive():

            def refresh() -> None:
                try:
                    self._importance = measure(snapshot, nodes, graph, self._importance)
                except Exception:  # most likely the graph was closed meanwhile
                    logger.info("Importance could not be measured; the last known serves on", exc_info=True)

            self._measuring = begun(threading.Thread(target=refresh), "fourfold-tools")
        return self._carry(nodes)

    def _carry(self, nodes: Nodes) -> Importance:
        """Return the last known importance, of these nodes."""
        self._carried = known = self._importance
        assert known is not None
        return known.carried_to(nodes)


def _added(before: Nodes, now: Nodes) -> Nodes | None:
    """Return the numbers that came after all others; None where that is not all that changed."""
    return now[len(before) :] if np.array_equal(now[: len(before)], before) else None


def _not_one(name: str, candidates: Sequence[str]) -> UnknownNodeError:
    """Return the refusal of a name that no tool has, or several."""
    if not candidates:
        return UnknownNodeError(f"There is no tool {shown(name)} in this catalogue.")
    first = ", ".join(plain_text(each, 200) for each in sorted(candidates)[:_NAMED])
    more = f" and {len(candidates) - _NAMED:,} more" if len(candidates) > _NAMED else ""
    return UnknownNodeError(f"Several tools are called {shown(name)}: {first}{more}; give the id of one.")
