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
from fourfold.index.base import NO_NODES, Allowed, EdgePart, Nodes, NodeValues, Steps, only
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.meaning import Meaning
from fourfold.language.name_matching import Named, nodes_of
from fourfold.signals import common_ends
from fourfold.signals.walks import Step, Walk, Walker
from fourfold.types import FloatArray

OF_ANOTHER_KIND = 0.5
"""What the end of a path is worth that is not of the kind asked for, where another is."""

_AS_GOOD = 0.05
"""Ends of paths that are worth so much less than the best are as good."""

_MOST_NAMED = 4
"""Of more named nodes those with the longest names are followed."""

_SURE_IN_COMMON = 0.6
"""How sure what stands beside all that is named is where no word asks."""

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
    behind the end of a path, or behind the amount that decides between them, where that step begins, and the step.
    ``told``: of nodes to which no path leads what they meet of the question, in words.
    """

    nodes: Nodes
    values: FloatArray
    sure: float
    named: Nodes
    walks: tuple[tuple[Named, Walk], ...]
    steps: tuple[tuple[Named, Walk], ...] = ()
    behind: Mapping[int, tuple[int, Step]] = field(default_factory=dict)
    told: Mapping[int, str] = field(default_factory=dict)

    @property
    def ends(self) -> NodeValues:
        """What each end is worth: P."""
        return NodeValues(self.nodes, self.values)

    @property
    def explained(self) -> float:
        """The largest share of the words that a path explains, in [0, 1]."""
        return max((one.explained for _, one in self.walks), default=0.0)

    def path(self, node: int) -> tuple[int, list[Step]]:
        """Return the named node and the steps of the path that explains most of the question by leading to a node."""
        if node in self.behind:
            before, last = self.behind[node]
            begin, steps = self.path(before)
            return begin if steps else before, [*steps, last]
        for walks in (self.walks, self.steps):  # a step that no word asks for is told where no word led there
            start, steps = _best_path(walks, node)
            if start >= 0 and start not in self.named:  # such a step comes before what words ask for
                before, first = _best_path(self.steps, start)
                return before, [*first, *steps]
            if start >= 0:
                return start, steps
        return -1, []

    def passed(self, ends: Nodes) -> Nodes:
        """Return the nodes on the paths to some ends, without what is named and the ends themselves, ascending."""
        way = [step.node for end in ends.tolist() for step in self.path(end)[1][:-1]]
        return ordered.distinct(np.array(way, np.int64))

    @property
    def as_good(self) -> NDArray[np.bool_]:
        """Which ends are as good as the best, (n_ends,)."""
        as_good: NDArray[np.bool_] = self.values >= self.values.max(initial=0.0) - _AS_GOOD
        return as_good

    def best(self) -> Nodes:
        """Return the ends that are as good as the best."""
        best: Nodes = self.nodes[self.as_good]
        return best

    def first(self, of_it: NDArray[np.bool_]) -> Answer:
        """Return the answer with some of its ends before the others; as it is where these are none."""
        if not of_it.any():
            return self
        values = np.where(of_it, self.values / self.values[of_it].max(), 0.0)
        rest = self.values[~of_it].max(initial=0.0)
        if rest:
            values[~of_it] = OF_ANOTHER_KIND * self.values[~of_it] / max(rest, self.values[of_it].max())
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
        steps = parts_of(edges, ends, allowed)
        steps = steps.of(~ordered.contains(self.nodes, steps.targets))
        return self.extended(ends, steps, self.values[self.nodes.searchsorted(ends)][steps.origin])


def parts_of(edges: EdgePart, documents: Nodes, allowed: Allowed | None) -> Steps:
    """Return the steps from documents to their parts, to so many of each at most."""
    part_of = only(edges, PART_OF)
    return edges.expand(documents, forward=False, worth=part_of, weights="none", cap=_MOST_PARTS, allowed=allowed)


def _best_path(walks: Sequence[tuple[Named, Walk]], node: int) -> tuple[int, list[Step]]:
    """Return where the walk to a node begins that explains most, and its steps; −1 where none leads there."""
    values = [float(one.values[one.nodes == node].max(initial=-1.0)) for _, one in walks]
    if max(values, default=-1.0) <= 0:
        return -1, []
    named, best = walks[values.index(max(values))]
    begin, steps = best.path(node)
    return int(named.nodes[begin]), steps


def in_common(answers: Sequence[Answer | None]) -> Answer | None:
    """Return what all answers to the parts of a question have in common; None where that is nothing."""
    found = [one for one in answers if one is not None]
    if not found or len(found) < len(answers):
        return None
    named = ordered.distinct(np.concatenate([one.named for one in found]))
    common = ordered.without(reduce(ordered.common, (one.nodes for one in found)), named)
    if not len(common):
        return None
    values = np.min([one.values[one.nodes.searchsorted(common)] for one in found], axis=0)
    walks = tuple(walk for one in found for walk in one.walks)
    return Answer(common, values / values.max(), min(one.sure for one in found), named, walks)


def nothing(named: Sequence[Named]) -> Answer:
    """Return the answer to a question whose words ask for no edge."""
    return Answer(NO_NODES, np.empty(0), 0.0, nodes_of(named), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class PathQuestion:
    """A question as paths read it.

    Args:
        named: the nodes that it names, by places in ``meaning``.
        meaning: what each word asks for, in the order of the question.
        content: (n_words,) which words are no stop words.
        together: whether all that is named is meant, not one thing or another.
        unsaid: whether a first step may be taken that no word asks for.
        clause: where a clause begins that goes on behind the names, -1: nowhere.
        onward: whether the words may lead on from what all that is named has in common.

    """

    named: Sequence[Named]
    meaning: Meaning
    content: NDArray[np.bool_]
    together: bool = True
    unsaid: bool = False
    clause: int = -1
    onward: bool = False

    def free(self, named: Sequence[Named]) -> NDArray[np.int64]:
        """Return the places of the words that are part of no name, ascending."""
        free = np.ones(len(self.meaning.trust), bool)
        for name in named:
            free[name.start : name.end] = False
        return free.nonzero()[0]

    def clear(self, free: NDArray[np.int64], enough: float) -> float:
        """Return how far the words beside the names are trusted in the mean, 1 from ``enough`` on."""
        trust = self.meaning.trust[free]
        beside = int((self.content[free] | (trust > 0)).sum())
        told = float(trust.sum()) / max(beside, 1)
        return min(1.0, told / enough) if enough else 1.0


def answer(walker: Walker, question: PathQuestion) -> Answer | None:
    """Return what the question asks for, or None where it names no node or asks for no edge."""
    meaning, settings = question.meaning, walker.settings
    called = _meant(question.named, meaning)
    named = _told_apart(walker.edges, called, question.content | (meaning.trust > 0), settings)
    free = question.free(named)
    asking = free[meaning.trust[free] > 0]

    together, unsaid = question.together and len(named) > 1, question.unsaid and len(named) == 1
    steps = common_ends.single_steps(walker, named) if together or unsaid else []
    walks = _walks(walker, question, named, asking, steps if unsaid else None)
    if together and (cut := common_ends.cut_short(steps, settings))[0]:
        large, near = cut[0], replace(walker, allowed=cut[1])
        steps += common_ends.single_steps(near, large)
        walks += _walks(near, question, large, asking, None)
    shared = steps if together else []
    if question.onward:
        words = meaning.of(asking.tolist()[:_MOST_ASKING])
        walks += common_ends.onward(walker, named, shared, words)
    if not walks and not shared:
        return None
    nodes, totals = _together(walks)
    if shared:
        nodes, totals = common_ends.preferred(nodes, totals, walks, shared)
    itself = settings.itself if len(named) == 1 else 0.0
    totals = np.where(ordered.contains(nodes_of(named), nodes), itself * totals, totals)
    top = float(totals.max())
    if top <= 0:
        return None
    kept = totals > 0
    sure = _SURE_IN_COMMON
    if walks:
        explained = max(one.explained for _, one in walks)
        sure = explained * float(meaning.trust[asking].max()) * question.clear(free, settings.clear)
    values = np.exp(settings.sharp_ends * (totals[kept] / top - 1.0))
    return Answer(nodes[kept], values, sure, nodes_of(called), tuple(walks), tuple(steps))


def _walks(
    walker: Walker,
    question: PathQuestion,
    named: Sequence[Named],
    asking: NDArray[np.int64],
    steps: Sequence[tuple[Named, Walk]] | None,
) -> list[tuple[Named, Walk]]:
    """Return the walks from each named node by the words, which are at the places ``asking``, and where each began.

    ``steps`` are those of one step that no word asks for, from the ends of which walks may begin, too; else None.
    """
    meaning = question.meaning
    kinds = meaning.kind & (meaning.trust >= SAME_FAMILY)  # "where" is no step behind those that it asks about
    walks = []
    for name in named:
        asked = [meaning.of(words[:_MOST_ASKING]) for words in _orders(name, asking, kinds, question.clause)]
        walks += [(name, one) for words in asked if (one := walker.walk(name.nodes, words)) is not None]
        if steps is not None:
            around = _around(name, steps)
            found = (walker.walk(around.nodes, words) for words in asked)
            walks += [(around, one) for one in map(Walk.after_another, filter(None, found)) if len(one.nodes)]
    return walks


def _orders(name: Named, asking: NDArray[np.int64], kinds: NDArray[np.bool_], clause: int) -> list[list[int]]:
    """Return the orders in which the words beside a name, which are at the places ``asking``, are read from there."""
    right, left = asking[asking >= name.end].tolist(), asking[asking < name.start][::-1].tolist()
    orders = [right + left, left + right]
    if right and kinds[left[-1:]].any():  # "in what country was the director of X born"
        orders.append(left[:-1] + right + left[-1:])
    if right and 0 <= clause < name.start:  # "the capital of the country where the author of X died"
        orders.append([p for p in left if p > clause] + right + [p for p in left if p <= clause])
    return orders


def _meant(named: Sequence[Named], meaning: Meaning) -> list[Named]:
    """Leave out names that are words of edge types ("position"), where others remain; keep the longest of many."""
    kept = [name for name in named if (meaning.trust[name.start : name.end] < SAME_FAMILY).any()] or list(named)
    return sorted(sorted(kept, key=lambda name: name.start - name.end)[:_MOST_NAMED], key=lambda name: name.start)


def _told_apart(edges: EdgePart, named: Sequence[Named], says: NDArray[np.bool_], settings: Paths) -> list[Named]:
    """Keep, of nodes of one name, those beside what is named next to it: "the team of Smith of Leeds".

    ``says`` (n_words,) tells which words say something: where one stands between two names, a path may lead from one to
    it.
    """
    found = list(named)
    for place, name in enumerate(named):
        near = [other for other in named if other is not name and not says[_between(name, other)].any()]
        if not near or not 1 < len(name.nodes) <= _NAMESAKES:
            continue
        steps = edges.expand(name.nodes, weights="none", cap=settings.fan)
        beside = ordered.distinct(steps.origin[ordered.contains(nodes_of(near), steps.targets)])
        if len(beside):
            found[place] = replace(name, nodes=name.nodes[beside])
    return found


def _between(one: Named, other: Named) -> slice:
    return slice(one.end, other.start) if one.end <= other.start else slice(other.end, one.start)


def _around(name: Named, steps: Sequence[tuple[Named, Walk]]) -> Named:
    """Return what stands beside a named node, in its place; nothing where that is very much."""
    nodes = ordered.without(np.concatenate([name.nodes[:0], *(one.nodes for _, one in steps)]), np.sort(name.nodes))
    return replace(name, nodes=nodes if len(nodes) <= _MOST_AROUND else nodes[:0])


def beside(walker: Walker, named: Sequence[Named], of_it: Callable[[Nodes], NDArray[np.bool_]]) -> Answer | None:
    """Return what of some kind stands beside the named nodes, all of them if anything does; None where nothing does.

    ``of_it`` tells which nodes are of the kind.
    """
    steps = common_ends.single_steps(walker, named)
    around = [one.nodes for _, one in steps]
    nodes = ordered.distinct(np.concatenate(around)) if around else NO_NODES
    nodes = ordered.without(nodes, nodes_of(named))
    nodes = nodes[of_it(nodes)]
    if not len(nodes):
        return None
    shared = np.mean([ordered.contains(one, nodes) for one in around], axis=0)
    nodes = nodes[shared == shared.max()]
    return Answer(nodes, np.ones(len(nodes)), 0.0, nodes_of(named), (), tuple(steps))


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
