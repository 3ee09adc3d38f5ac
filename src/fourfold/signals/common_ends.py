"""What stands beside all that a question names, by any edge: "which Ghanaian plays for X", "the fee of X in 1996"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from fourfold import ordered
from fourfold.config import Paths
from fourfold.index.base import NO_NODES, Allowed, Nodes
from fourfold.language.meaning import Meaning
from fourfold.language.name_matching import Named, nodes_of
from fourfold.signals.walks import Walk, Walker
from fourfold.types import FloatArray

_WORTH = 0.7
"""What a node beside all that are named is worth, of the best by words."""

_MOST = 50
"""What more has in common with all that is named is not where a walk goes on."""


def single_steps(walker: Walker, named: Sequence[Named]) -> list[tuple[Named, Walk]]:
    """Return the walks of one step by whatever edge from each of several named nodes."""
    n_types = len(walker.numbers)
    any_edge = replace(Meaning.none(1, n_types), asked=np.ones((1, n_types)), trust=np.ones(1))
    one_step = replace(walker, settings=replace(walker.settings, steps=1, against=1.0))
    found = [(name, one_step.walk(name.nodes, any_edge)) for name in named]
    return [(name, one) for name, one in found if one is not None]


def cut_short(steps: Sequence[tuple[Named, Walk]], settings: Paths) -> tuple[list[Named], Allowed]:
    """Return which names have more edges than are followed, and what stands beside all others: there they may meet.

    "Who works on X and lives in Oslo": who is on X need not be among the first thousand of Oslo. ``steps`` are those of
    one step from each.
    """
    cut = [name for name, one in steps if len(one.nodes) >= settings.fan]
    others = [one.nodes for _, one in steps if len(one.nodes) < settings.fan]
    return (cut, Allowed(reduce(ordered.common, others))) if others else ([], Allowed(NO_NODES))


def preferred(
    nodes: Nodes, totals: FloatArray, walks: Sequence[tuple[Named, Walk]], steps: Sequence[tuple[Named, Walk]]
) -> tuple[Nodes, FloatArray]:
    """Return E where the named nodes that stand beside a node count as reaching it: "which Ghanaian plays for X".

    Where the words lead on from each of them, what no word leads to is none of it: "what do X and Y depend on" asks for
    no owner of both.
    """
    starts = sorted({name.start for name, _ in (*walks, *steps)})
    every = ordered.distinct(np.concatenate((nodes, *(one.nodes for _, one in steps))))
    beside, reached = np.zeros((len(starts), len(every)), bool), np.zeros((len(starts), len(every)), bool)
    for name, one in steps:
        beside[starts.index(name.start)] |= ordered.contains(one.nodes, every)
    for name, one in walks:
        reached[starts.index(name.start)] |= ordered.contains(one.nodes, every)
    found = np.zeros(len(every))
    found[every.searchsorted(nodes)] = totals
    top = float(found.max(initial=0.0)) or 1.0
    found *= (beside | reached).mean(axis=0)
    lifted = beside.all(axis=0) & (reached.any(axis=0) | ~reached.any(axis=1).all())
    return every, np.where(lifted, np.maximum(found, _WORTH * top), found)


def onward(
    walker: Walker, named: Sequence[Named], steps: Sequence[tuple[Named, Walk]], asked: Meaning
) -> list[tuple[Named, Walk]]:
    """Return the walks that go on from what stands beside all that is named: the fee of X in 1996, from one record.

    They go on by other types than those that lead there: who plays for X and Y is no step to a third team.
    """
    around = [one.nodes for _, one in steps]
    if not len(asked.trust) or not around or len(around) < len(named):
        return []
    own = nodes_of(named)
    common = ordered.without(reduce(ordered.common, around), own)
    if not 0 < len(common) <= _MOST:
        return []
    back = walker.edges.expand(common, weights="none", cap=walker.settings.fan)
    links = np.isin(walker.numbers, back.types[ordered.contains(own, back.targets)])
    found = walker.walk(common, replace(asked, asked=np.where(links, 0.0, asked.asked)))
    if found is None:
        return []
    found = found.after_another()
    return [(replace(name, nodes=common), found) for name in named] if len(found.nodes) else []
