"""Where a question leads that names a node and asks for something else by the words of edge types.

"Who directed the films that X wrote" starts at X, goes against ``written_by`` and along ``directed_by``. A node gains
by how much of the question the best path to it explains: the words beside the name are read outwards from it, each
counts once and for one step, in the order of the walk, over up to four edges (``walks``).
A step has a price, so that a second one needs a word of its own. Where several nodes are named, the answer is what all
of them reach, by the words or by an edge that no word asks for. The named node itself is no answer: it steps back as
far as the words are sure.

    E(n)      = min(1, Σ over named nodes of what is explained) − prices, times the share of them that reach n
    P(n)      = exp(sharpness · (E(n) / max E − 1))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import Paths
from fourfold.edge_types import PART_OF
from fourfold.index.base import NO_NODES, Allowed, EdgePart, Nodes, Steps, only
from fourfold.language.meaning import SAME_FAMILY, Meaning
from fourfold.language.name_matching import Named
from fourfold.signals.walks import Step, Walk, walk
from fourfold.types import FloatArray

_MOST_NAMED = 4
"""Of more named nodes those with the longest names are followed."""

_IN_COMMON, _SURE_IN_COMMON = 0.7, 0.6
"""What a node beside all that are named is worth, of the best by words; and how sure that is where no word asks."""

_MOST_IN_COMMON = 50
"""What more has in common with all that is named is not where a walk goes on."""

_MOST_AROUND = 1000
"""Where more stands beside the named node, each is followed only by words."""

_MOST_PARTS = 100
"""Of a longer document that is asked for so many parts are, those with the smallest ids."""

_NAMESAKES = 100
"""Of more nodes of one name all are meant: their edges are not looked at."""

_MOST_ASKING = 64
"""Of more words that ask for an edge, those nearest to the named node are read: the tables grow with their square."""


@dataclass(frozen=True)
class Answer:
    """What a question asks for by paths.

    ``nodes`` (ascending) and ``values`` (float64 in [0, 1]) are P; ``sure`` in [0, 1] says how far the words are to be
    trusted; ``named`` (ascending) are all nodes of the names in the question; ``walks`` from which of them each walk
    began, and ``steps`` likewise those of one step that no word asks for. ``behind``: of nodes that stand one step
    behind the end of a path, that end and the step.
    """

    nodes: Nodes
    values: FloatArray
    sure: float
    named: Nodes
    walks: tuple[tuple[Named, Walk], ...]
    steps: tuple[tuple[Named, Walk], ...] = ()
    behind: Mapping[int, tuple[int, Step]] = field(default_factory=dict)

    @property
    def explained(self) -> float:
        """The largest share of the words that a path explains, in [0, 1]."""
        return max((one.explained for _, one in self.walks), default=0.0)

    def path(self, node: int) -> tuple[int, list[Step]]:
        """Return the named node and the steps of the path that explains most of the question by leading to a node."""
        if node in self.behind:
            before, last = self.behind[node]
            begin, steps = self.path(before)
            return begin, [*steps, last]
        for walks in (self.walks, self.steps):  # a step that no word asks for is told where no word led there
            start, steps = _best_path(walks, node)
            if start >= 0 and start not in self.named:  # such a step comes before what words ask for
                before, first = _best_path(self.steps, start)
                return before, [*first, *steps]
            if start >= 0:
                return start, steps
        return -1, []

    def best(self, within: float) -> Nodes:
        """Return the ends that are worth so much less than the best at most."""
        best: Nodes = self.nodes[self.values >= self.values.max(initial=0.0) - within]
        return best

    def first(self, of_it: NDArray[np.bool_], others: float) -> Answer:
        """Return the answer with some of its ends before the others, which are worth ``others`` then."""
        values = np.where(of_it, self.values / self.values[of_it].max(), 0.0)
        rest = self.values[~of_it].max(initial=0.0)
        if rest:
            values[~of_it] = others * self.values[~of_it] / max(rest, self.values[of_it].max())
        return replace(self, values=values)

    def extended(self, ends: Nodes, steps: Steps, values: FloatArray, others: float = 1.0) -> Answer:
        """Return the answer with what stands one step behind some of its ends.

        Args:
            ends: some of ``nodes``.
            steps: from places of ``ends``; to none of ``nodes``.
            values: (len(steps),) what their ends are worth.
            others: what those that were the answer are worth then, of what they were.

        """
        first = np.sort(np.unique(steps.targets, return_index=True)[1])
        steps, values = steps.of(first), values[first]
        targets, whence = steps.targets.tolist(), ends[steps.origin].tolist()
        last = [Step(*one) for one in zip(targets, steps.types.tolist(), steps.along.tolist(), strict=True)]
        nodes = np.concatenate((self.nodes, steps.targets))
        values = np.concatenate((others * self.values, values))
        order = nodes.argsort()
        behind = {**self.behind, **dict(zip(targets, zip(whence, last, strict=True), strict=True))}
        return replace(self, nodes=nodes[order], values=values[order], behind=behind)

    def in_parts(self, edges: EdgePart, cut: Nodes, allowed: Allowed | None) -> Answer:
        """Return the answer with the parts of documents that were cut beside these, which are no hits themselves."""
        ends = self.nodes[ordered.contains(cut, self.nodes)] if len(cut) else NO_NODES
        if not len(ends):
            return self
        part_of = only(edges, PART_OF)
        steps = edges.expand(ends, forward=False, worth=part_of, weights="none", cap=_MOST_PARTS, allowed=allowed)
        steps = steps.of(~ordered.contains(self.nodes, steps.targets))
        return self.extended(ends, steps, self.values[self.nodes.searchsorted(ends)][steps.origin])


def _best_path(walks: Sequence[tuple[Named, Walk]], node: int) -> tuple[int, list[Step]]:
    """Return where the walk to a node begins that explains most, and its steps; −1 where none leads there."""
    values = [float(one.values[one.nodes == node].max(initial=-1.0)) for _, one in walks]
    if max(values, default=-1.0) <= 0:
        return -1, []
    named, best = walks[values.index(max(values))]
    begin, steps = best.path(node)
    return int(named.nodes[begin]), steps


def nothing(named: Sequence[Named]) -> Answer:
    """Return the answer to a question whose words ask for no edge."""
    return Answer(NO_NODES, np.empty(0), 0.0, _nodes_of(named), ())


def answer(
    edges: EdgePart,
    named: Sequence[Named],
    meaning: Meaning,
    numbers: NDArray[np.int64],
    content: NDArray[np.bool_],
    settings: Paths,
    allowed: Allowed | None = None,
    *,
    together: bool = True,
    unsaid: bool = False,
    clause: int = -1,
    onward: bool = False,
    ids: Callable[[Nodes], Sequence[str]],
) -> Answer | None:
    """Return what the question asks for, or None where it names no node or asks for no edge.

    Args:
        edges: the graph.
        named: the nodes that the question names, by places in ``meaning``.
        meaning: what each word of the question asks for, in the order of the question.
        numbers: (n_types,) the numbers of the edge types that ``meaning`` is about.
        content: (n_words,) which words of the question are no stop words.
        settings: the constants.
        allowed: nodes that may be reached and passed through.
        together: whether all that is named is meant, not one thing or another.
        unsaid: whether a first step may be taken that no word asks for.
        clause: where a clause begins that goes on behind the names, -1: nowhere.
        onward: whether the words may lead on from what all that is named has in common.
        ids: nodes → their ids, by which equally good ends are told apart where not all can be followed.

    """
    called = _meant(named, meaning)
    named = _told_apart(edges, called, content | (meaning.trust > 0), settings)
    taken = np.zeros(len(meaning.trust), bool)
    for name in named:
        taken[name.start : name.end] = True
    free = np.nonzero(~taken)[0]
    beside = int((content[free] | (meaning.trust[free] > 0)).sum())
    told = float(meaning.trust[free].sum()) / max(beside, 1)
    clear = min(1.0, told / settings.clear) if settings.clear else 1.0
    asking = free[meaning.trust[free] > 0]
    kinds = meaning.kind & (meaning.trust >= SAME_FAMILY)  # "where" is no step behind those that it asks about

    def follow(nodes: Nodes, words: Meaning) -> Walk | None:
        found = walk(edges, nodes, words, numbers, settings, allowed, ids=ids)
        return found if found is not None and len(found.nodes) else None

    walks = []
    together, unsaid = together and len(named) > 1, unsaid and len(named) == 1
    steps = single_steps(edges, named, numbers, settings, allowed, ids) if together or unsaid else []
    for name in named:
        asked = [meaning.of(words[:_MOST_ASKING]) for words in _orders(name, asking, kinds, clause)]
        walks += [(name, one) for words in asked if (one := follow(name.nodes, words)) is not None]
        if unsaid:
            around = _around(name, steps)
            found = (follow(around.nodes, words) for words in asked)
            walks += [(around, one) for one in map(Walk.after_another, filter(None, found)) if len(one.nodes)]
    shared = steps if together else []
    if onward:
        words = meaning.of(asking.tolist()[:_MOST_ASKING])
        walks += _from_in_common(edges, named, shared, words, numbers, follow, settings)
    if not walks and not shared:
        return None
    nodes, totals = _together(walks)
    if shared:
        nodes, totals = _in_common(nodes, totals, walks, shared)
    itself = settings.itself if len(named) == 1 else 0.0
    totals = np.where(ordered.contains(_nodes_of(named), nodes), itself * totals, totals)
    top = float(totals.max())
    if top <= 0:
        return None
    kept = totals > 0
    sure = _SURE_IN_COMMON
    if walks:
        sure = max(one.explained for _, one in walks) * float(meaning.trust[asking].max()) * clear
    values = np.exp(settings.sharp_ends * (totals[kept] / top - 1.0))
    return Answer(nodes[kept], values, sure, _nodes_of(called), tuple(walks), tuple(steps))


def _orders(name: Named, asking: NDArray[np.int64], kinds: NDArray[np.bool_], clause: int) -> list[list[int]]:
    """Return the orders in which the words beside a name, which are at the places ``asking``, are read from there."""
    right, left = asking[asking >= name.end].tolist(), asking[asking < name.start][::-1].tolist()
    orders = [right + left, left + right]
    if right and kinds[left[-1:]].any():  # "in what country was the director of X born"
        orders.append(left[:-1] + right + left[-1:])
    if right and 0 <= clause < name.start:  # "the capital of the country where the author of X died"
        orders.append([p for p in left if p > clause] + right + [p for p in left if p <= clause])
    return orders


def _nodes_of(named: Sequence[Named]) -> Nodes:
    return ordered.distinct(np.concatenate([name.nodes for name in named]))


def _meant(named: Sequence[Named], meaning: Meaning) -> list[Named]:
    """Leave out names that are words of edge types ("position"), where others remain; keep the longest of many."""
    kept = [name for name in named if (meaning.trust[name.start : name.end] < SAME_FAMILY).any()] or list(named)
    return sorted(sorted(kept, key=lambda name: name.start - name.end)[:_MOST_NAMED], key=lambda name: name.start)


def _told_apart(edges: EdgePart, named: Sequence[Named], says: NDArray[np.bool_], settings: Paths) -> list[Named]:
    """Keep, of nodes of one name, those beside what is named next to it: "the team of Smith of Leeds".

    Args:
        edges: the graph.
        named: what the question names, in its order.
        says: (n_words,) which words say something: where one stands between two names, a path may lead from one to it.
        settings: the constants.

    """
    found = list(named)
    for place, name in enumerate(named):
        near = [other for other in named if other is not name and not says[_between(name, other)].any()]
        if not near or not 1 < len(name.nodes) <= _NAMESAKES:
            continue
        steps = edges.expand(name.nodes, weights="none", cap=settings.fan)
        beside = ordered.distinct(steps.origin[ordered.contains(_nodes_of(near), steps.targets)])
        if len(beside):
            found[place] = replace(name, nodes=name.nodes[beside])
    return found


def _between(one: Named, other: Named) -> slice:
    return slice(one.end, other.start) if one.end <= other.start else slice(other.end, one.start)


def _around(name: Named, steps: Sequence[tuple[Named, Walk]]) -> Named:
    """Return what stands beside a named node, in its place; nothing where that is very much."""
    nodes = ordered.without(np.concatenate([name.nodes[:0], *(one.nodes for _, one in steps)]), np.sort(name.nodes))
    return replace(name, nodes=nodes if len(nodes) <= _MOST_AROUND else nodes[:0])


def single_steps(
    edges: EdgePart,
    named: Sequence[Named],
    numbers: NDArray[np.int64],
    settings: Paths,
    allowed: Allowed | None,
    ids: Callable[[Nodes], Sequence[str]],
) -> list[tuple[Named, Walk]]:
    """Return the walks of one step by whatever edge from each of several named nodes."""
    any_edge = replace(Meaning.none(1, len(numbers)), asked=np.ones((1, len(numbers))), trust=np.ones(1))
    one_step = replace(settings, steps=1, against=1.0)
    found = [(name, walk(edges, name.nodes, any_edge, numbers, one_step, allowed, ids=ids)) for name in named]
    return [(name, one) for name, one in found if one is not None and len(one.nodes)]


def beside(
    steps: Sequence[tuple[Named, Walk]], named: Sequence[Named], of_it: Callable[[Nodes], NDArray[np.bool_]]
) -> Answer | None:
    """Return what of some kind stands beside the named nodes, all of them if anything does; None where nothing does.

    Args:
        steps: the walks of one step from each of them.
        named: the nodes that the question names.
        of_it: nodes → which are of the kind.

    """
    around = [one.nodes for _, one in steps]
    nodes = ordered.distinct(np.concatenate(around)) if around else NO_NODES
    nodes = ordered.without(nodes, _nodes_of(named))
    nodes = nodes[of_it(nodes)]
    if not len(nodes):
        return None
    shared = np.mean([ordered.contains(one, nodes) for one in around], axis=0)
    nodes = nodes[shared == shared.max()]
    return Answer(nodes, np.ones(len(nodes)), 0.0, _nodes_of(named), (), tuple(steps))


def _in_common(
    nodes: Nodes, totals: FloatArray, walks: Sequence[tuple[Named, Walk]], steps: Sequence[tuple[Named, Walk]]
) -> tuple[Nodes, FloatArray]:
    """Return E where the named nodes that stand beside a node count as reaching it: "which Ghanaian plays for X"."""
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
    return every, np.where(beside.all(axis=0), np.maximum(found, _IN_COMMON * top), found)


def _from_in_common(
    edges: EdgePart,
    named: Sequence[Named],
    steps: Sequence[tuple[Named, Walk]],
    asked: Meaning,
    numbers: NDArray[np.int64],
    follow: Callable[[Nodes, Meaning], Walk | None],
    settings: Paths,
) -> list[tuple[Named, Walk]]:
    """Return the walks that go on from what stands beside all that is named: the fee of X in 1996, from one record.

    They go on by other types than those that lead there: who plays for X and Y is no step to a third team.
    """
    around = [one.nodes for _, one in steps]
    if not len(asked.trust) or not around or len(around) < len(named):
        return []
    own = _nodes_of(named)
    common = ordered.without(reduce(ordered.common, around), own)
    if not 0 < len(common) <= _MOST_IN_COMMON:
        return []
    back = edges.expand(common, weights="none", cap=settings.fan)
    links = np.isin(numbers, back.types[ordered.contains(own, back.targets.astype(np.int64))])
    found = follow(common, replace(asked, asked=np.where(links, 0.0, asked.asked)))
    if found is None:
        return []
    found = found.after_another()
    return [(replace(name, nodes=common), found) for name in named] if len(found.nodes) else []


def _together(walks: Sequence[tuple[Named, Walk]]) -> tuple[Nodes, FloatArray]:
    """Return E of every node that a walk reaches.

    Walks from several named nodes explain the same words: together no more than all of them, each at its own price.
    """
    if not walks:
        return NO_NODES, np.empty(0)
    starts = sorted({name.start for name, _ in walks})
    nodes = ordered.distinct(np.concatenate([one.nodes for _, one in walks]))
    values, prices = np.zeros((len(starts), len(nodes))), np.zeros((len(starts), len(nodes)))
    for name, one in walks:
        row = starts.index(name.start)
        place = np.searchsorted(nodes, one.nodes)
        better = one.values / one.total > values[row, place]
        values[row, place[better]] = one.values[better] / one.total
        prices[row, place[better]] = one.price * one.lengths[better] / one.total
    explained = np.minimum((values + prices).sum(axis=0), 1.0)
    return nodes, (explained - prices.sum(axis=0)) * (values > 0).mean(axis=0)
