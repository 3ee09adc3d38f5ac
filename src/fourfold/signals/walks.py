"""The best walk from a named node to every other by the words of a question: Viterbi (1967), over words and edges.

V(n, j) = max over edges m → n of type t, and i < j: V(m, i) + Σ asked(words i … j, t) − price
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import Paths
from fourfold.index.base import Allowed, EdgePart, Nodes, Steps
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.meaning import Meaning
from fourfold.ragged import bounds, firsts, spans
from fourfold.types import FloatArray

_LEAST = 0.02
"""A type that no word asks for more than that is not followed."""

_NEVER = -1e9

Tables = tuple[FloatArray, FloatArray, FloatArray]
"""What words are worth to a step: along an edge, against it, back along the edge it came by."""

_ALONG, _AGAINST, _TURNED = range(3)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: along or against an edge of a type (its number), to a node."""

    node: int
    type: int
    forward: bool


@dataclass(frozen=True, slots=True)
class _Level:
    """The steps of one length of path, grouped by (node, edge type, direction): the states of the search.

    ``nodes``, ``types``, ``forward`` and ``best`` (n_states, n_words + 1) are those of the states; the edges into state
    s are ``starts[s]:starts[s + 1]`` of ``origins`` (states of the level before) and ``gained`` (n_edges, n_words + 1).
    """

    nodes: Nodes
    types: NDArray[np.int64]
    forward: NDArray[np.bool_]
    best: FloatArray
    starts: NDArray[np.int64]
    origins: NDArray[np.int64]
    gained: FloatArray

    def only_from(self, before: Nodes) -> Nodes:
        """Return the node of the level before from which each state is reached, −1 where there are several."""
        nodes, first = before[self.origins], self.starts[:-1]
        least, most = np.minimum.reduceat(nodes, first), np.maximum.reduceat(nodes, first)
        return np.where(least == most, least, -1)


@dataclass(frozen=True, slots=True)
class _Came:
    """How the states of a level were reached, (n_states,): by which edges, and from which node, −1 from several.

    What was reached from one node alone does not lead back there: the brothers of a parent are not the parent.
    """

    types: NDArray[np.int64]
    forward: NDArray[np.bool_]
    only: Nodes


@dataclass(frozen=True, slots=True)
class _Steps:
    """Single steps, parallel (n_steps,): ``origins`` are states of the level before, ``nodes`` are where they lead.

    ``gained`` (n_steps, n_words + 1) are the best sums behind them, by how many words are used up.
    """

    origins: NDArray[np.int64]
    nodes: Nodes
    types: NDArray[np.int64]
    forward: NDArray[np.bool_]
    gained: FloatArray

    @classmethod
    def of(cls, found: Steps, best: FloatArray, table: FloatArray, *, forward: bool) -> _Steps:
        """Return steps along edges, or against them, by what the words are worth to them."""
        origins, types = found.origin.astype(np.int64), found.types.astype(np.int64)
        ways = np.full(len(types), forward)
        return cls(origins, found.targets, types, ways, _gained(best[origins], table, types))

    @classmethod
    def joined(cls, parts: Sequence[_Steps]) -> _Steps:
        """Return the steps of several parts."""
        return cls(*(np.concatenate([getattr(one, name) for one in parts]) for name in cls.__slots__))

    def rows(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> _Steps:
        """Return some of the steps."""
        return _Steps(*(getattr(self, name)[which] for name in self.__slots__))

    def grouped(self) -> _Level:
        """Return the states that the steps lead to."""
        steps = self.rows(np.lexsort((self.forward, self.types, self.nodes)))
        first = (firsts(steps.nodes) | firsts(steps.types) | firsts(steps.forward)).nonzero()[0]
        reached = np.maximum.reduceat(steps.gained, first, axis=0)
        starts = np.append(first, len(steps.nodes))
        states = steps.nodes[first], steps.types[first], steps.forward[first]
        return _Level(*states, reached, starts, steps.origins, steps.gained)


@dataclass(frozen=True)
class Walk:
    """Every node that a walk from one named node reaches by words of the question.

    ``nodes`` are distinct and ascending; ``values`` (float64) what of the words the best path explains, after its
    price; ``lengths`` its number of edges; ``total`` what all words are worth together; ``price`` that of one step.
    """

    nodes: Nodes
    values: FloatArray
    lengths: NDArray[np.int64]
    total: float
    price: float
    levels: tuple[_Level, ...]
    tables: Tables

    @property
    def explained(self) -> float:
        """The largest share of the words that a path explains, in [0, 1]."""
        return min(1.0, float((self.values + self.price * self.lengths).max()) / self.total)

    def after_another(self) -> Walk:
        """Return the walk with the price of a step before it that no word asks for."""
        kept = self.values > self.price
        return replace(self, nodes=self.nodes[kept], values=self.values[kept] - self.price, lengths=self.lengths[kept])

    def path(self, node: int) -> tuple[int, list[Step]]:
        """Return the place of the named node where the best path to one of ``nodes`` begins, and its steps in order."""
        place = int(np.searchsorted(self.nodes, node))
        depth = int(self.lengths[place]) - 1
        here = np.nonzero(self.levels[depth].nodes == node)[0]
        state = int(here[np.argmax(self.levels[depth].best[here, -1])])
        word = self.levels[depth].best.shape[1] - 1
        steps: list[Step] = []
        while depth >= 0:
            level = self.levels[depth]
            steps.append(Step(int(level.nodes[state]), int(level.types[state]), bool(level.forward[state])))
            edges = slice(int(level.starts[state]), int(level.starts[state + 1]))
            edge = edges.start + int(np.argmax(level.gained[edges, word]))
            before = int(level.origins[edge])
            if depth:
                earlier = self.levels[depth - 1]
                turned = bool(earlier.types[before] == level.types[state]) and bool(
                    earlier.forward[before] != level.forward[state]
                )
                which = _TURNED if turned else int(not level.forward[state])
                table = self.tables[which][:, word, level.types[state]]
                word = int(np.argmax(np.where(table > 0, earlier.best[before] + table, -np.inf)))
            state, depth = before, depth - 1
        return state, steps[::-1]


@dataclass(frozen=True, slots=True)
class Walker:
    """Walks over the edges of a graph by the words of a question.

    Args:
        edges: those of the graph.
        numbers: (n_types,) those of the edge types that meanings are about.
        settings: the constants of the walk.
        ids: nodes → their ids, by which equally good ends are told apart where not all can be followed.
        allowed: where it may lead; None: to any node.

    """

    edges: EdgePart
    numbers: NDArray[np.int64]
    settings: Paths
    ids: Callable[[Nodes], Sequence[str]]
    allowed: Allowed | None = None

    def walk(self, start: Nodes, meaning: Meaning) -> Walk | None:
        """Follow the words of a question from a named node; None where they lead nowhere.

        ``start`` is the named node, or all of the same name; ``meaning`` stands in the order of the walk.
        """
        total = float(meaning.trust.sum())
        if total <= 0:
            return None
        price = self.settings.price * float(meaning.trust.max())
        tables = _tables(meaning, self.numbers, len(self.edges.type_names), self.settings.against)
        search, nodes = _Search(self, ordered.distinct(start), tables, price), start
        best: FloatArray = np.zeros((len(start), len(meaning.trust) + 1))
        came: _Came | None = None
        levels: list[_Level] = []
        for _ in range(self.settings.steps):
            level = search.next(nodes, best, came)
            if level is None:
                break
            levels.append(level)
            came = _Came(level.types, level.forward, level.only_from(nodes))
            nodes, best = level.nodes, level.best
        if not levels:
            return None
        found = np.concatenate([level.nodes for level in levels])
        values = np.concatenate([level.best[:, -1] for level in levels])
        lengths = np.repeat(np.arange(1, len(levels) + 1), [len(level.nodes) for level in levels])
        order = np.lexsort((lengths, -values, found))
        first = order[firsts(found[order])]
        return Walk(found[first], values[first], lengths[first], total, price, tuple(levels), tables)


@dataclass(frozen=True, slots=True)
class _Search:
    """One walk from ``home``: ``tables`` say what words are worth to a step, which costs the ``price``."""

    walker: Walker
    home: Nodes
    tables: Tables
    price: float

    def next(self, nodes: Nodes, best: FloatArray, came: _Came | None) -> _Level | None:
        """Take one more step from every state but those that came back home; None where none is worth its price."""
        edges, settings, allowed = self.walker.edges, self.walker.settings, self.walker.allowed
        along, against, turned = self.tables
        worth = (np.maximum(along[0, -1], against[0, -1]) > _LEAST).astype(np.float64)
        mirrored = bool(turned.any())
        parts = []
        for forward, table in ((True, along), (False, against)):
            found = edges.expand(nodes, forward=forward, worth=worth, weights="none", cap=settings.fan, allowed=allowed)
            if came is not None:
                back = (came.types[found.origin] == found.types) & (came.forward[found.origin] != forward)
                others = back & (came.only[found.origin] != found.targets)
                if mirrored and others.any():
                    parts.append(_Steps.of(found.of(others), best, turned, forward=forward))
                found = found.of(~back)
            parts.append(_Steps.of(found, best, table, forward=forward))
        steps = _Steps.joined(parts)
        steps = replace(steps, gained=steps.gained - self.price)
        worthwhile = steps.gained[:, -1] > 0
        if came is not None:
            worthwhile &= ~ordered.contains(self.home, nodes)[steps.origins]
        if not worthwhile.any():
            return None
        level = steps.rows(worthwhile).grouped()
        return level if len(level.nodes) <= settings.beam else _thinned(level, self.walker)


def _tables(meaning: Meaning, numbers: NDArray[np.int64], n_types: int, wrong_way: float) -> Tables:
    """Return what the words i … j − 1 are worth to one step of each type, (n_words + 1, n_words + 1, n_types).

    The tables are for a step along an edge, against it, and back along the type it came by, which only a mirror ("the
    same …") explains. A word is worth less the other way than the one it means of each type, and nothing where it says
    what the answer is.
    """
    n_words = len(meaning.trust)
    tables = np.zeros((3, n_words + 1, n_words + 1, n_types))
    other_way = np.where(meaning.kind, 0.0, wrong_way)[:, None]  # what it calls is the answer, and stands at one end
    for way, there in ((_ALONG, ~meaning.turned), (_AGAINST, meaning.turned)):
        factor = np.where(there, 1.0, other_way)
        for slot in range(int(meaning.slots.max(initial=0)) + 1):
            own = np.where(meaning.slots == slot, factor * meaning.asked, 0.0)
            for begin in range(n_words):
                tables[way, begin, begin + 1 :, numbers] += np.maximum.accumulate(own[begin:], axis=0).T
    back: FloatArray = np.maximum(meaning.mirrors[:, None], _repeated(meaning))
    for begin in range(n_words):
        tables[_TURNED, begin, begin + 1 :, numbers] = np.maximum.accumulate(back[begin:], axis=0).T
    return tables[_ALONG], tables[_AGAINST], tables[_TURNED]


def _repeated(meaning: Meaning) -> FloatArray:
    """Return how much each word asks for a step back along the one before, (n_words, n_types).

    It does where a word before asks for the same type the other way: "directed by the director of X".
    """
    sure = meaning.asked * (meaning.asked >= SAME_FAMILY)
    either = [np.where(meaning.turned == way, sure, 0.0) for way in (True, False)]
    before = [np.maximum.accumulate(np.vstack((np.zeros_like(one[:1]), one[:-1])), axis=0) for one in either]
    return np.where(meaning.turned, sure * (before[1] > 0), sure * (before[0] > 0))


def _gained(before: FloatArray, table: FloatArray, kind: NDArray[np.int64]) -> FloatArray:
    """Return the best sum after a step along each edge for each number of words used up, (n_edges, n_words + 1)."""
    n_words = before.shape[1]
    found = np.full((len(kind), n_words), _NEVER)
    for used in range(n_words - 1):  # over the words of a question
        gain = table[used, used + 1 :, :][:, kind].T
        after = np.where(gain > 0, before[:, used, None] + gain, _NEVER)  # a step that no word asks for is not taken
        np.maximum(found[:, used + 1 :], after, out=found[:, used + 1 :])
    return found


def _thinned(level: _Level, walker: Walker) -> _Level:
    """Keep the best states; of equally good ones those with the smaller ids."""

    def ranked(tied: NDArray[np.intp]) -> list[tuple[str, str, bool]]:
        types = [walker.edges.type_names[number] for number in level.types[tied].tolist()]
        return list(zip(walker.ids(level.nodes[tied]), types, level.forward[tied].tolist(), strict=True))

    kept = ordered.largest(level.best[:, -1], walker.settings.beam, ranked).nonzero()[0]
    counts = np.diff(level.starts)[kept]
    edges = spans(level.starts[kept], counts)
    return _Level(
        level.nodes[kept],
        level.types[kept],
        level.forward[kept],
        level.best[kept],
        bounds(counts),
        level.origins[edges],
        level.gained[edges],
    )
