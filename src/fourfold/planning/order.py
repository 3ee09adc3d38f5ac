"""Steps → an order that keeps what needs what, and of the rest as much as goes together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourfold.lazy import load


@dataclass(frozen=True)
class Ordered:
    """Steps in order; steps of one stage do not wait for each other.

    ``after`` names, for each step, those right before it; ``cycles`` are the groups of steps that need each other:
    their order is a guess.
    """

    steps: list[int]
    stage: Mapping[int, int]
    after: Mapping[int, list[int]]
    cycles: list[list[int]]


def in_order(
    steps: Sequence[int],
    needs: Iterable[tuple[int, int]],
    usual: Iterable[tuple[int, int]] = (),
    *,
    guess: Callable[[int], Any],
    place: Callable[[int], Any],
) -> Ordered:
    """Return the steps in order.

    What ``needs`` says, as (first, then), is kept except within a cycle, of which ``guess`` sorts the steps; what is
    ``usual``, the surest first, as far as nothing kept before says otherwise. ``place`` sorts the steps of one stage.
    """
    nx = load("networkx", "Putting steps into order")
    links = nx.DiGraph()
    links.add_nodes_from(steps)
    links.add_edges_from((first, then) for first, then in needs if first != then and {first, then} <= links.nodes)
    cycles = sorted(sorted(group) for group in nx.strongly_connected_components(links) if len(group) > 1)
    for group in cycles:
        members = set(group)
        inside = [(a, b) for a, b in links.edges(group) if a in members and b in members]
        links.remove_edges_from((a, b) for a, b in inside if guess(a) >= guess(b))
    for first, then in usual:
        if first != then and {first, then} <= links.nodes and not nx.has_path(links, then, first):
            links.add_edge(first, then)
    stage: dict[int, int] = {}
    for step in nx.topological_sort(links):
        stage[step] = max((stage[before] + 1 for before in links.predecessors(step)), default=0)
    after = {step: sorted(links.predecessors(step)) for step in steps}
    return Ordered(sorted(steps, key=lambda step: (stage[step], place(step))), stage, after, cycles)
