"""A question as the pipeline takes it, and what its steps have found so far."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.index.base import Allowed, Nodes, NodeValues, Ranking
from fourfold.index.files import DamagedFileError
from fourfold.index.snapshot import Snapshot
from fourfold.intent import IntentSpec
from fourfold.signals.graph import Walk
from fourfold.signals.late import Asked
from fourfold.signals.paths import Answer
from fourfold.signals.relations import Relations
from fourfold.signals.scaling import Scale
from fourfold.types import FloatArray, Weights

logger = logging.getLogger(__name__)

EVERY_OTHER = -1
"""Stands for all nodes that are not named."""


@dataclass(frozen=True)
class Query:
    """One question as the pipeline takes it.

    ``vector`` is None where there is none or the embedder failed; ``allowed`` holds the nodes the filter keeps;
    ``phrases`` returns FTS5 rows for a phrase; ``asked_types`` returns how much the words of the query that are not in
    the name of the given node ask for each edge type, (n_types,) in [0, 1], or None where there is no choice;
    ``relations`` returns the edge types to be compared with the question, or None where they say nothing.
    """

    text: str
    words: Sequence[tuple[str, tuple[str, ...]]]
    limit: int
    mode: str = "hybrid"
    vector: FloatArray | None = None
    allowed: Allowed | None = None
    intent: str | None = None
    weights: Weights | Mapping[str, float] | None = None
    phrases: Callable[[str, int | None], Sequence[tuple[int, float]]] = lambda phrase, limit: ()
    asked_types: Callable[[int], FloatArray | None] = lambda node: None
    relations: Callable[[], Relations | None] = lambda: None
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Candidates with everything their scores are made of; ``nodes`` ascend, all arrays are parallel."""

    nodes: Nodes
    components: Mapping[str, FloatArray]
    total: FloatArray

    def place(self, node: int) -> int:
        """Return where a candidate stands; -1 for a node that is none."""
        place = int(np.searchsorted(self.nodes, node))
        return place if place < len(self.nodes) and self.nodes[place] == node else -1


@dataclass(frozen=True)
class Late:
    """How the question's wordpieces met those of the best candidates, see ``signals.late``.

    ``nodes`` (n,) ascend; ``covered`` (n, n_asked) and ``factors`` (n,) are parallel to them; all other nodes have the
    factor ``least``. The factors are divided by ``top`` already, which brings both components back to [0, 1].
    """

    asked: Asked
    nodes: Nodes
    covered: NDArray[np.float32]
    factors: FloatArray
    least: float

    def factor(self, nodes: Nodes) -> FloatArray:
        """Return the factor of text and embedding of these nodes, (len(nodes),)."""
        return np.maximum(NodeValues(self.nodes, self.factors).at(nodes), self.least)


@dataclass(frozen=True)
class AskedPaths:
    """What the question asks for by paths, and how far it takes the place of the rest, see ``signals.paths``.

    ``share`` is λ, what of the score the paths are; ``edges`` the share of it that the intent's single edges keep;
    ``back`` the factor of the named nodes, which are no answers.
    """

    answer: Answer
    values: NodeValues
    share: float
    edges: float
    back: float


@dataclass(frozen=True)
class Bridges:
    """What nodes gained by what they add to the best passages: ``values`` is part of their sums."""

    gained: NodeValues
    passages: Mapping[int, int]


@dataclass(frozen=True)
class Pool:
    """What text and embedding have named: ``nodes`` ascend, with both on their scales, before late interaction.

    ``count`` is how many each was asked for; ``floors`` says how much of each a node outside can have at most.
    """

    nodes: Nodes
    values: Mapping[str, FloatArray]
    count: int = 0
    floors: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> Pool:
        """Return the pool before anything was asked."""
        return cls(np.empty(0, np.int64), {"embedding": np.empty(0), "text": np.empty(0)})

    def grown(self, scores: Scores, nodes: Nodes, count: int, floors: Mapping[str, float]) -> Pool:
        """Return the pool with further nodes."""
        new = np.setdiff1d(nodes, self.nodes, assume_unique=True) if len(self.nodes) else nodes
        joined = np.concatenate((self.nodes, new))
        order = np.argsort(joined, kind="stable")
        values = {
            name: np.concatenate((own, scores.first_stage(name, new)))[order] for name, own in self.values.items()
        }
        return Pool(joined[order], values, count, floors)

    def at(self, name: str, nodes: Nodes, scores: Scores) -> FloatArray:
        """Return text or embedding of any nodes; of those outside they are asked for one by one."""
        values = NodeValues(self.nodes, self.values[name]).at(nodes)
        if len(nodes) and len(missing := np.nonzero(~self.has(nodes))[0]):
            values[missing] = scores.first_stage(name, nodes[missing])
        return values

    def has(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of these nodes are in the pool."""
        if not len(self.nodes):
            return np.zeros(len(nodes), bool)
        place = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        return np.asarray(self.nodes[place] == nodes)


@dataclass
class Scores:
    """What the steps have found so far, and how it came about."""

    snapshot: Snapshot
    spec: IntentSpec
    weights: Weights
    rankings: dict[str, Ranking] = field(default_factory=dict)
    scales: dict[str, Scale] = field(default_factory=dict)
    term_weights: dict[str, float] = field(default_factory=dict)
    term_numbers: Mapping[str, int] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool.empty)
    phrase: NodeValues = field(default_factory=NodeValues.none)
    seeds: Nodes = field(default_factory=lambda: np.empty(0, np.int64))
    seed_weights: FloatArray = field(default_factory=lambda: np.empty(0))
    graph: NodeValues = field(default_factory=NodeValues.none)
    intent: NodeValues = field(default_factory=NodeValues.none)
    late: Late | None = None
    graph_walk: Walk = field(default_factory=Walk.none)
    intent_walk: Walk = field(default_factory=Walk.none)
    table: Table = field(default_factory=lambda: Table(np.empty(0, np.int64), {}, np.empty(0)))
    order: list[int] = field(default_factory=list)
    bonus: dict[int, float] = field(default_factory=dict)
    asked: AskedPaths | None = None
    bridges: Bridges | None = None
    covering: dict[int, float] | None = None
    """The factor of each of the best nodes by what it adds to those before it, and that of all others."""
    communities: dict[int, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()

    def first_stage(self, name: str, nodes: Nodes) -> FloatArray:
        """Return text or embedding of any nodes on its scale, before late interaction, (len(nodes),) in [0, 1]."""
        values: FloatArray
        if name not in self.rankings:
            values = np.zeros(len(nodes))
        else:
            values = self.scales[name].component(nodes, self.rankings[name].at(nodes))
        if name == "text" and len(self.phrase):
            values = np.maximum(values, self.phrase.at(nodes))
        return values

    def widen(self, query: Query, count: int) -> None:
        """Ask each part for its ``count`` best and bring all of them on their scales."""
        found = {name: ranking.best(count, query.allowed) for name, ranking in self.rankings.items()}
        kept = [kept for scale in self.scales.values() if (kept := scale.kept) is not None]
        named = [*(scored.nodes for scored in found.values()), *kept, self.phrase.nodes]
        floors = {name: self.scales[name].bound(scored.floor) for name, scored in found.items()}
        self.pool = self.pool.grown(self, np.unique(np.concatenate(named)), count, floors)

    def components_at(self, nodes: Nodes) -> dict[str, FloatArray]:
        """Return all four components of any nodes, each (len(nodes),) in [0, 1]: random access."""
        factor = 1.0 if self.late is None else self.late.factor(nodes)
        back = self.step_back(nodes)
        return {
            "embedding": self.pool.at("embedding", nodes, self) * factor * back,
            "text": self.pool.at("text", nodes, self) * factor * back,
            **self.beside(nodes),
        }

    @property
    def ends(self) -> NodeValues:
        """What the question asks for by paths: the ends of those that explain it."""
        return NodeValues.none() if self.asked is None else self.asked.values

    def beside(self, nodes: Nodes) -> dict[str, FloatArray]:
        """Return the components of any nodes that need no part to be asked: graph and intent."""
        back, graph, intent = self.step_back(nodes), self.graph.at(nodes), self.intent.at(nodes)
        if self.asked is not None:
            intent = self.asked.share * self.asked.values.at(nodes) + self.asked.edges * back * intent
        return {"graph": graph * back, "intent": intent}

    def step_back(self, nodes: Nodes) -> FloatArray:
        """Return the factor of nodes that the question names, where it asks for something else; 1 for all others."""
        if self.asked is None:
            return np.ones(len(nodes))
        return np.where(np.isin(nodes, self.asked.answer.named), self.asked.back, 1.0)


def completed(scores: Scores, nodes: Nodes, query: Query) -> Table:
    """Complete candidates: all four components and the weighted sum; what is no answer has a sum of 0."""
    components = scores.components_at(nodes)
    total = np.zeros(len(nodes))
    for name, weight in scores.weights.as_dict().items():
        if weight:
            total += weight * components[name]
    if scores.bridges is not None:
        total += scores.bridges.gained.at(nodes)
    if query.allowed is not None:
        total *= query.allowed.contains(nodes)
    total[np.isin(nodes, scores.snapshot.hidden)] = 0.0
    return Table(nodes, components, total)


def extended(table: Table, scores: Scores, nodes: Nodes, query: Query) -> Table:
    """Return the table with further nodes, completed; those it has already stay as they are."""
    new = completed(scores, np.setdiff1d(nodes, table.nodes), query)
    if not len(new.nodes):
        return table
    joined = np.concatenate((table.nodes, new.nodes))
    order = np.argsort(joined, kind="stable")
    components = {
        name: np.concatenate((table.components[name], new.components[name]))[order] for name in table.components
    }
    return Table(joined[order], components, np.concatenate((table.total, new.total))[order])


def lifted(table: Table, gained: NodeValues) -> Table:
    """Return the table with what some nodes have gained; what is no answer stays at 0."""
    more = np.where(table.total > 0, gained.at(table.nodes), 0.0)
    return Table(table.nodes, table.components, table.total + more)


def least_of(values: FloatArray, count: int) -> float:
    """Return the ``count``-th largest value; 0 where fewer are positive."""
    if len(values) < count:
        return 0.0
    return max(float(np.partition(values, len(values) - count)[len(values) - count]), 0.0)


def include(scores: Scores, query: Query, node: int) -> None:
    """Make a node a candidate, with all its components: to explain what no part has named."""
    scores.table = extended(scores.table, scores, np.array([node], np.int64), query)


def total_of(scores: Scores, node: int) -> float:
    """Return the weighted sum of a node, without any bonus; 0 for what is no candidate."""
    place = scores.table.place(node)
    return float(scores.table.total[place]) if place >= 0 else 0.0


def final_score(scores: Scores, node: int, config: RetrievalConfig) -> float:
    """Return the score of a node as the caller sees it."""
    score = total_of(scores, node) + scores.bonus.get(node, 0.0)
    if scores.covering is not None:
        score *= scores.covering.get(node, scores.covering[EVERY_OTHER])
    return min(score, 1.0) if config.fusion.clip else score


def best(nodes: Nodes, values: FloatArray, count: int, snapshot: Snapshot, *, positive: bool = True) -> Nodes:
    """Return the nodes of the ``count`` largest values, best first; ties go to the smaller id.

    Args:
        nodes: (n,).
        values: (n,).
        count: how many; fewer are returned where there are fewer.
        snapshot: knows the ids.
        positive: leave out what has 0 or less.

    """
    if positive:
        nodes, values = nodes[values > 0], values[values > 0]
    if len(nodes) > count:
        reach = values >= np.partition(values, len(values) - count)[len(values) - count]
        nodes, values = nodes[reach], values[reach]
    order = np.argsort(-values, kind="stable")
    nodes, values = nodes[order], values[order]
    if (values[1:] == values[:-1]).any():
        nodes = _by_id(nodes, values, snapshot)
    return nodes[:count]


def _by_id(nodes: Nodes, values: FloatArray, snapshot: Snapshot) -> Nodes:
    """Sort each run of equal values by id."""
    same: NDArray[np.bool_] = values[1:] == values[:-1]
    tied = np.nonzero(np.append(same, False) | np.append(False, same))[0]
    ids = snapshot.ids(nodes[tied])
    ranked = sorted(zip((-values[tied]).tolist(), ids, nodes[tied].tolist(), strict=True))
    nodes = nodes.copy()
    nodes[tied] = [node for _, _, node in ranked]
    return nodes


def attempt(name: str, scores: Scores, step: Callable[[], None]) -> None:
    """Run a component; if it fails the others answer, and the result says so."""
    try:
        step()
    except DamagedFileError:  # no component's failure: the graph is read from the store again
        raise
    except Exception:
        logger.exception("The %s component failed and is left out of this answer", name)
        scores.failed = (*scores.failed, name)
