"""What is learned when tools are used: how often and with what success, what goes together, what comes next.

A learned edge's weight is a conditional frequency: how often the target was used with (``co_used``) or right after
(``followed_by``) the source, of the source's successful uses; a plain mean at first, an exponentially forgetting one
after ``1 / forget`` uses. Edges that have faded are deleted. A failed use counts as a use and teaches no edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fourfold.engines.usage import Usage
from fourfold.tools.config import ToolConfig
from fourfold.types import Edge

CO_USED = "co_used"
FOLLOWED_BY = "followed_by"
TYPES = (CO_USED, FOLLOWED_BY)


@dataclass(frozen=True)
class Lesson:
    """What a use changes: usage by id, edges to write and edges to delete."""

    usage: dict[str, Usage]
    changed: list[Edge] = field(default_factory=list)
    faded: list[Edge] = field(default_factory=list)


def learn(
    used: Sequence[str], success: bool, known: dict[str, Usage], edges: Sequence[Edge], now: float, config: ToolConfig
) -> Lesson:
    """Return what using these tools, in this order, changes.

    ``known`` is the usage so far by id, ``edges`` are all of the learned types that leave one of the tools. A tool used
    twice counts once for co-use.
    """
    tools = list(dict.fromkeys(used))
    usage = {}
    for tool in tools:
        before = known.get(tool, Usage())
        recent = before.recent_at(now, config.half_life) + 1.0
        usage[tool] = Usage(before.uses + 1, before.successes + success, recent, now)
    if not success:
        return Lesson(usage)
    weights = {(e.source, e.target, e.type): e.weight for e in edges}
    seen = {(a, b, CO_USED) for a in tools for b in tools if a != b}
    seen |= {(a, b, FOLLOWED_BY) for a, b in pairwise(used) if a != b}
    lesson = Lesson(usage)
    for key in sorted(seen | weights.keys()):
        rate = max(1.0 / usage[key[0]].successes, config.forget)
        weight = weights.get(key, 0.0)
        weight += rate * ((key in seen) - weight)
        if weight >= config.drop_below:
            lesson.changed.append(Edge(*key, weight))
        elif key in weights:
            lesson.faded.append(Edge(*key))
    return lesson
