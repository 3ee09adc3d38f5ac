"""The tools that serve a request → what those need and what usually comes before them, in the order to call them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fourfold.planning import Ordered, in_order
from fourfold.tools.config import ToolConfig
from fourfold.tools.graph import ToolGraph, row
from fourfold.tools.types import StepKind

_LONGEST_BRIDGE = 3
_LONGEST_CHAIN = 20
_REQUIRED_STEP = 0.95
_POSSIBLE_STEP = 0.8
_SHARED_NEIGHBOURS = 2
"""So many neighbours must two tools share for the one to be suggested beside the other: one may be anybody's."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Why a tool is in a workflow, and ``other``, whom for; ``share`` of whose uses it came before, if known."""

    kind: StepKind
    other: int = -1
    confidence: float = 1.0
    share: float | None = None


@dataclass(frozen=True)
class Plan:
    """Tools in order, by index position, why each is there, and those that are only suggested, best first."""

    ordered: Ordered
    why: Mapping[int, Chosen]
    suggested: Mapping[int, Chosen] = field(default_factory=dict)


def plan(
    goals: Mapping[int, float],
    graph: ToolGraph,
    config: ToolConfig,
    *,
    successes: NDArray[np.int64],
    in_turn: bool = False,
) -> Plan:
    """Complete the goals by what they need and what comes before them, and put all into order.

    ``goals`` are the tools directly meant, with their confidence; with ``in_turn`` the request names them in the order
    in which they are to be reached. ``successes`` (n_nodes,) says how often each tool was used with success.
    """
    why = {goal: Chosen("goal", confidence=confidence) for goal, confidence in goals.items()}
    _add_bridges(why, list(goals), graph)
    _add_prerequisites(why, graph, config)
    _add_predecessors(why, graph, config, successes)
    _add_prerequisites(why, graph, config)
    depth = _depths(why)
    usual = sorted(
        ((tool, other, weight) for tool in why for other, weight in row(graph.after, tool) if other in why),
        key=lambda found: (-found[2], found[0], found[1]),
    )
    ordered = in_order(
        list(why),
        [(other, tool) for tool in why for matrix in (graph.needs, graph.may_need) for other, _ in row(matrix, tool)],
        [*((other, tool) for tool, other, _ in usual), *(pairwise(goals) if in_turn else ())],
        guess=lambda tool: (-depth[tool], tool),  # within a cycle, what was brought in last comes first
        place=lambda tool: (-why[tool].confidence, tool),
    )
    return Plan(ordered, why, _suggested(why, graph, config))


def reason(position: int, found: Plan, names: Mapping[int, str]) -> str:
    """Say in words why a tool is in the plan, or suggested beside it."""
    chosen = found.why[position] if position in found.why else found.suggested[position]
    other = names.get(chosen.other, "")
    if chosen.kind == "suggested":
        if chosen.share is None:
            return f"has neighbours in common with {other}"
        return f"used together with {other} in {chosen.share:.0%} of its uses"
    if chosen.kind == "goal":
        return "matched the request"
    if chosen.kind == "needed":
        return f"required by {other}"
    if chosen.kind == "maybe_needed":
        return f"may be needed by {other}"
    if chosen.kind == "before" and chosen.share is not None:
        return f"comes before {other} in {chosen.share:.0%} of its uses"
    before = [names[p] for p in found.ordered.after[position] if p in names]
    if chosen.kind == "between" and before:
        return f"follows {before[0]}"
    return f"usually comes before {other}"


def _add_prerequisites(why: dict[int, Chosen], graph: ToolGraph, config: ToolConfig) -> None:
    """Bring in what the chosen tools need; what was itself brought in as needed has had its turn."""
    start = [tool for tool, chosen in why.items() if chosen.kind in ("goal", "between", "before")]
    for found in graph.prerequisites(start, config).values():
        share = _POSSIBLE_STEP if found.optional else _REQUIRED_STEP
        kind: StepKind = "maybe_needed" if found.optional else "needed"
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


def _add_predecessors(
    why: dict[int, Chosen], graph: ToolGraph, config: ToolConfig, successes: NDArray[np.int64]
) -> None:
    """Bring in what usually runs before a step, and before that, to the beginning, as far as it is clear."""
    queue = deque((tool, 0) for tool, chosen in why.items() if chosen.kind != "maybe_needed")
    while queue and len(why) < config.max_prerequisites:
        tool, steps = queue.popleft()
        before = list(row(graph.after, tool))
        if any(other in why for other, _ in before) or len(before) > config.max_predecessors:
            continue
        for other, weight in before:
            share = _share(weight, int(successes[other]), int(successes[tool]))
            if (weight if share is None else share) >= config.min_dependency_weight and steps < _LONGEST_CHAIN:
                why[other] = Chosen("before", tool, why[tool].confidence * _POSSIBLE_STEP, share)
                queue.append((other, steps + 1))


def _share(weight: float, earlier: int, later: int) -> float | None:
    """Return the share of the later tool's uses that the earlier one came right before; None if neither was used.

    The weight of a learnt edge is the share of the earlier tool's uses that the later one followed.
    """
    return min(weight * earlier / later, 1.0) if earlier and later else None


def _suggested(why: Mapping[int, Chosen], graph: ToolGraph, config: ToolConfig) -> dict[int, Chosen]:
    """Return tools that go together with steps and of which nothing says that they are needed, or when.

    Those used together with a step in half of its uses come first, then those of the largest Adamic–Adar value.
    """
    steps = [tool for tool, chosen in why.items() if chosen.kind in ("goal", "before", "between")]
    found = list(_beside(steps, graph, config)) if steps else []
    largest = max((value for used, value, _, _ in found if not used), default=1.0)
    chosen: dict[int, Chosen] = {}
    for used, value, step, other in sorted(found, key=lambda entry: (not entry[0], -entry[1], entry[3])):
        if other not in why and other not in chosen and len(chosen) < config.max_suggested:
            worth = value if used else 0.5 * value / largest
            confidence = why[step].confidence * _POSSIBLE_STEP * worth
            chosen[other] = Chosen("suggested", step, confidence, value if used else None)
    return chosen


def _beside(steps: Sequence[int], graph: ToolGraph, config: ToolConfig) -> Iterator[tuple[bool, float, int, int]]:
    """Yield (whether they are used together, how often or how near, step, tool) for what goes together with steps."""
    shared = (graph.neighbours[steps] @ graph.neighbours).toarray() >= _SHARED_NEIGHBOURS
    near = np.where(shared & (graph.neighbours[steps].toarray() == 0), graph.adamic_adar(steps), 0.0)
    for place, step in enumerate(steps):
        best = np.argsort(-near[place], kind="stable")[: config.max_suggested].tolist()
        yield from ((False, float(near[place, other]), step, other) for other in best if near[place, other] > 0)
        together = row(graph.together, step)
        yield from ((True, weight, step, tool) for tool, weight in together if weight >= config.min_dependency_weight)


def _depths(why: Mapping[int, Chosen]) -> dict[int, int]:
    """Return how many steps each tool is away from its goal."""
    depths: dict[int, int] = {}
    for tool in why:
        steps, at = 0, tool
        while why[at].kind != "goal" and steps <= len(why):
            at, steps = why[at].other, steps + 1
        depths[tool] = steps
    return depths
