"""Every constant of tool search, workflow suggestion and learning, in one frozen dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fourfold.arguments import constants
from fourfold.errors import InvalidValueError
from fourfold.tools.wording import EVERYDAY

Meaning = Literal["needs", "may_need", "needed_by", "before", "after", "apart", "link"]
"""What an edge from source to target says: the source needs (may need) the target, is needed by it, comes before or
after it; ``apart`` says that the two do not go together, ``link`` only that they do."""


@dataclass(frozen=True)
class ToolConfig:
    """The constants of a ToolCatalog. Change some with ``dataclasses.replace(config, …)``.

    The graph
        node_type: nodes of this type are tools; in a graph without any, every node is one.
        edge_meanings: what edge types mean where their names do not say it, see ``edge_meaning``.
        symmetric_from: a dependency type of at least that many edges, most of them in both directions, orders nothing
            and counts as a link.

    Search
        everyday: words of a request → what tools say for them, where nothing in the graph holds the word itself:
            ``{**EVERYDAY, "ring": "call"}`` (``fourfold.tools.wording``); ``{}`` for none.
        other_deed: a tool that does something else than the request asks for loses this share of its semantic score,
            by the verbs of its name and description (``fourfold.tools.deeds``).
        alpha_steps: (edges below which it holds, α), ascending; beyond the last, ``alpha_dense``.
        alpha_dense: α of a graph with many edges.
        context_hits: how many of the best semantic hits stand for the context when none is given; 0 is none.
        context_sharpness: such a hit counts ``exp(sharpness · (score / best − 1))``; 0 counts all alike.
        prerequisite_relatedness: relatedness of what a context tool needs by way of others.
        hub_boost, bridge_boost, usage_boost, success_boost: added to the score, times PageRank, betweenness, recent
            use (each divided by its maximum) and 2 · success rate − 1.
        fixed_semantic: share of the semantic score in the fixed-weight variant.

    Workflow
        tie: a tool this close to the best match, as a ratio of semantic scores, is also meant.
        loose_tie: the same in a graph whose edges order nothing, where nothing else can complete the list.
        max_goals: tools taken as directly meant, at most, for one clause of the request.
        max_prerequisites: tools brought in by dependencies, at most.
        max_cycle: a dependency cycle of at most that many tools is taken whole.
        min_dependency_weight: a dependency edge of less weight is no prerequisite (one of several providers).
        max_predecessors: a tool that usually runs before a chosen one joins it if there are no more than that many.
        least_match: how similar a tool must be to a part that the request sets apart ("then", a number); else the part
            is missing.
        lone_match: the same for a request of one part, of which the nearest tools are suggested all the same.
        joined_match: how similar one must be to a part cut at an "and"; else the part belongs to the one before it.
        max_suggested: tools offered beside the steps, at most.

    Learning
        forget: once a tool was used more than ``1 / forget`` times, each use counts that share of what is known.
        drop_below: a learned edge is deleted when its weight falls below this.
        half_life: seconds in which the weight of a use halves.

    Answers
        description_limit: characters of a description in an answer.
        max_limit: the largest ``limit`` that can be asked for.
    """

    node_type: str = "tool"
    edge_meanings: Mapping[str, Meaning] = field(default_factory=dict)
    symmetric_from: int = 20

    everyday: Mapping[str, str] = field(default_factory=lambda: EVERYDAY)
    other_deed: float = 0.3
    alpha_steps: tuple[tuple[int, float], ...] = ((1, 1.0), (50, 0.8), (200, 0.6))
    alpha_dense: float = 0.5
    context_hits: int = 3
    context_sharpness: float = 1.0
    prerequisite_relatedness: float = 1.0
    hub_boost: float = 0.1
    bridge_boost: float = 0.1
    usage_boost: float = 0.1
    success_boost: float = 0.05
    fixed_semantic: float = 0.7

    tie: float = 0.985
    loose_tie: float = 0.7
    max_goals: int = 5
    max_prerequisites: int = 50
    max_cycle: int = 8
    min_dependency_weight: float = 0.5
    max_predecessors: int = 2
    least_match: float = 0.25
    lone_match: float = 0.15
    joined_match: float = 0.5
    max_suggested: int = 3

    forget: float = 0.05
    drop_below: float = 0.05
    half_life: float = 30 * 86_400.0

    description_limit: int = 500
    max_limit: int = 100

    def __post_init__(self) -> None:
        """Refuse constants nothing can be computed with."""
        shares = ("alpha_dense", "prerequisite_relatedness", "fixed_semantic", "tie", "loose_tie", "forget")
        constants(self, "", **dict.fromkeys((*shares, "other_deed"), 1.0))
        for name in ("max_goals", "description_limit", "max_limit", "half_life", "max_cycle"):
            if not getattr(self, name) > 0:
                raise InvalidValueError(f"{name} is {getattr(self, name)!r}; it must be above 0.")

    def alpha(self, edge_count: int) -> float:
        """Return α, the weight of the semantic score, for a graph of that many edges."""
        return next((alpha for below, alpha in self.alpha_steps if edge_count < below), self.alpha_dense)
