"""A request → the tools that serve it, what those need, in the order in which to call them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import networkx as nx

from fourfold.tools.config import ToolConfig
from fourfold.tools.graph import ToolGraph, row

_SEQUENCE = re.compile(
    r";|\n|\b(?:and\s+then|after\s+that|afterwards|subsequently|then|finally)\b|^[^\S\n]*\d+[.)]",
    re.IGNORECASE | re.MULTILINE,
)
_AROUND = string.whitespace + ",."
_MOST_CLAUSES = 20
_LONGEST_BRIDGE = 3
_REQUIRED_STEP = 0.95
_POSSIBLE_STEP = 0.8


@dataclass(frozen=True, slots=True)
class Chosen:
    """Why a tool is in a workflow. ``kind``: goal, needed, maybe_needed, before or between; ``other`` is whom for."""

    kind: str
    other: int = -1
    confidence: float = 1.0


@dataclass(frozen=True)
class Plan:
    """Tools in order, by index position: why each is there, its stage, what it waits for; and cycles among them."""

    order: list[int]
    why: Mapping[int, Chosen]
    stage: Mapping[int, int]
    after: Mapping[int, list[int]]
    cycles: list[list[int]] = field(default_factory=list)


def clauses(request: str) -> list[str]:
    """Split a request where it says itself that one thing follows another: "then", ";", lines, numbered steps.

    Each part is searched for, so the last of many holds all that is left.
    """
    parts = [part.strip(_AROUND) for part in _SEQUENCE.split(request)]
    kept = [part for part in parts if len(part.split()) > 1]
    if len(kept) > _MOST_CLAUSES:
        kept[_MOST_CLAUSES - 1 :] = [" ".join(kept[_MOST_CLAUSES - 1 :])]
    return kept if len(kept) > 1 else [request]


def plan(goals: Mapping[int, float], candidates: Iterable[int], graph: ToolGraph, config: ToolConfig) -> Plan:
    """Complete the goals by what they need and what comes before them, and put all into order.

    Args:
        goals: the tools directly meant, with their confidence.
        candidates: what tool search found, best first; a predecessor must be among it.
        graph: the tool graph.
        config: the constants.

    """
    why = {goal: Chosen("goal", confidence=confidence) for goal, confidence in goals.items()}
    _add_bridges(why, list(goals), graph)
    _add_prerequisites(why, graph, config)
    _add_predecessors(why, set(candidates), graph, config)
    _add_prerequisites(why, graph, config)
    links = nx.DiGraph()
    links.add_nodes_from(why)
    for tool in why:
        for matrix in (graph.needs, graph.may_need):
            links.add_edges_from((other, tool) for other, _ in row(matrix, tool) if other in why)
    cycles = sorted(sorted(group) for group in nx.strongly_connected_components(links) if len(group) > 1)
    depth = _depths(why)
    for group in cycles:  # within a cycle, what was brought in last comes first
        members = set(group)
        inside = [(a, b) for a, b in links.edges(group) if a in members and b in members]
        links.remove_edges_from((a, b) for a, b in inside if (-depth[a], a) >= (-depth[b], b))
    for tool in why:
        for other, _ in sorted(row(graph.after, tool), key=lambda pair: (-pair[1], pair[0])):
            if other in why and not nx.has_path(links, tool, other):
                links.add_edge(other, tool)
    stage: dict[int, int] = {}
    for tool in nx.lexicographical_topological_sort(links):
        stage[tool] = max((stage[before] + 1 for before in links.predecessors(tool)), default=0)
    order = sorted(why, key=lambda tool: (stage[tool], -why[tool].confidence, tool))
    after = {tool: sorted(links.predecessors(tool)) for tool in why}
    return Plan(order, why, stage, after, cycles)


def reason(position: int, found: Plan, names: Mapping[int, str]) -> str:
    """Say in words why a tool is in the plan."""
    chosen = found.why[position]
    other = names.get(chosen.other, "")
    if chosen.kind == "goal":
        return "matched the request"
    if chosen.kind == "needed":
        return f"required by {other}"
    if chosen.kind == "maybe_needed":
        return f"may be needed by {other}"
    before = [names[p] for p in found.after[position] if p in names]
    return f"follows {before[0]}" if before else f"usually comes before {other}"


def _add_prerequisites(why: dict[int, Chosen], graph: ToolGraph, config: ToolConfig) -> None:
    """Bring in what the chosen tools need; what was itself brought in as needed has had its turn."""
    start = [tool for tool, chosen in why.items() if chosen.kind in ("goal", "between", "before")]
    for found in graph.prerequisites(start, config).values():
        share = _POSSIBLE_STEP if found.optional else _REQUIRED_STEP
        kind = "maybe_needed" if found.optional else "needed"
        why.setdefault(found.position, Chosen(kind, found.parent, why[found.parent].confidence * share))


def _add_bridges(why: dict[int, Chosen], goals: list[int], graph: ToolGraph) -> None:
    """Bring in the tools on the way from one goal to the next: at most two, along what usually follows."""
    for goal in goals:
        trail: dict[int, int] = {goal: goal}
        level = [goal]
        for _ in range(_LONGEST_BRIDGE):
            following = []
            for tool in level:
                for before, _ in row(graph.after, tool):
                    if before not in trail:
                        trail[before] = tool
                        following.append(before)
            reached = [tool for tool in following if tool in goals]
            for tool in reached:
                step = trail[tool]
                while step != goal:
                    why.setdefault(step, Chosen("between", goal, why[goal].confidence * _REQUIRED_STEP))
                    step = trail[step]
            if reached:
                break
            level = following


def _add_predecessors(why: dict[int, Chosen], candidates: set[int], graph: ToolGraph, config: ToolConfig) -> None:
    """Bring in what usually runs right before a goal, where that is clear and the search found it too."""
    for goal in [tool for tool, chosen in why.items() if chosen.kind == "goal"]:
        before = list(row(graph.after, goal))
        if any(tool in why for tool, _ in before) or len(before) > config.max_predecessors:
            continue
        for tool, weight in before:
            if tool in candidates and weight >= config.min_dependency_weight:
                why.setdefault(tool, Chosen("before", goal, why[goal].confidence * _POSSIBLE_STEP))


def _depths(why: Mapping[int, Chosen]) -> dict[int, int]:
    """Return how many steps each tool is away from its goal."""
    depths: dict[int, int] = {}
    for tool in why:
        steps, at = 0, tool
        while why[at].kind != "goal" and steps <= len(why):
            at, steps = why[at].other, steps + 1
        depths[tool] = steps
    return depths
