"""What the steps of the pipeline have found so far."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fourfold import deadline, ordered
from fourfold.config import RetrievalConfig
from fourfold.errors import SearchTimeoutError, StoreError
from fourfold.frozen import FrozenDict
from fourfold.index.base import NO_NODES, NO_VALUES, Nodes, NodeValues, Ranking, Scored
from fourfold.index.files import DamagedFileError
from fourfold.index.snapshot import Snapshot
from fourfold.intent import IntentSpec
from fourfold.language.name_matching import Named
from fourfold.query import Query
from fourfold.signals.called import NOTHING, Called
from fourfold.signals.graph import Proximity
from fourfold.signals.late import Late
from fourfold.signals.paths import Answer
from fourfold.signals.scaling import Scale
from fourfold.types import FloatArray, Weights

logger = logging.getLogger(__name__)

EVERY_OTHER = -1
"""Stands for all nodes that are not named."""

_UNCHANGED: Mapping[str, float] = FrozenDict({"text": 1.0, "embedding": 1.0})


@dataclass(frozen=True)
class Table:
    """Candidates with everything their scores are made of; ``nodes`` ascend, all arrays are parallel."""

    nodes: Nodes
    components: Mapping[str, FloatArray]
    total: FloatArray

    def totals(self, nodes: Nodes) -> FloatArray:
        """Return the weighted sums of some nodes, (len(nodes),); 0 for what is no candidate."""
        return NodeValues(self.nodes, self.total).at(nodes)


@dataclass(frozen=True)
class Covered:
    """How nodes cover the question's wordpieces, see ``signals.late``.

    ``nodes`` (n,) ascend; ``values`` (n, n_asked) float32 are parallel to them.
    """

    nodes: Nodes
    values: NDArray[np.float32]

    def grown(self, nodes: Nodes, values: NDArray[np.float32]) -> Covered:
        """Return the same with further nodes."""
        joined = np.concatenate((self.nodes, nodes))
        order = joined.argsort()
        return Covered(joined[order], np.concatenate((self.values, values))[order])


@dataclass(frozen=True)
class AskedPaths:
    """What the question asks for by paths, and how far it takes the place of the rest, see ``signals.paths``.

    ``share`` is λ, what of the score the paths are; ``edges`` the share of it that the intent's single edges keep;
    ``back`` the factor of the named nodes, which are no answers.
    """

    answer: Answer
    share: float
    edges: float
    back: float


@dataclass(frozen=True)
class Bridges:
    """What nodes gained by what they add to the best passages: ``gained`` is part of their sums.

    ``passages`` has the passage of each, ``named`` those whose whole name it holds.
    """

    gained: NodeValues
    passages: Mapping[int, int]
    named: frozenset[int]


@dataclass(frozen=True, slots=True)
class Moved:
    """What moved a final score: "rerank", "recency" or "pinned"; by how much, and what evidence tells of it."""

    kind: str
    value: float
    word: str = ""


@dataclass(frozen=True)
class Pool:
    """All candidates: ``nodes`` ascend, with text and embedding on their scales, before late interaction.

    ``count`` is how many of the best text and embedding were asked for; ``floors`` says how much of each a node outside
    can have at most.
    """

    nodes: Nodes
    values: Mapping[str, FloatArray]
    count: int = 0
    floors: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> Pool:
        """Return the pool before anything was asked."""
        return cls(NO_NODES, {"embedding": NO_VALUES.values, "text": NO_VALUES.values})

    def grown(self, scores: Scores, nodes: Nodes) -> Pool:
        """Return the pool with further nodes, distinct and ascending."""
        new = ordered.without(nodes, self.nodes)
        if not len(new):
            return self
        values = {name: scores.first_stage(name, new) for name in self.values}
        if len(self.nodes):
            new = np.concatenate((self.nodes, new))
            order = new.argsort(kind="stable")
            new = new[order]
            values = {name: np.concatenate((own, values[name]))[order] for name, own in self.values.items()}
        return Pool(new, values, self.count, self.floors)

    def at(self, name: str, nodes: Nodes, scores: Scores) -> FloatArray:
        """Return text or embedding of any nodes; of those outside they are asked for one by one."""
        if nodes is self.nodes:
            return self.values[name]
        if not len(self.nodes):
            return scores.first_stage(name, nodes)
        place, here = ordered.places(self.nodes, nodes)
        values = self.values[name][place]
        if not here.all():
            missing = np.nonzero(~here)[0]
            values[missing] = scores.first_stage(name, nodes[missing])
        return values


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
    found: dict[str, tuple[int, Scored]] = field(default_factory=dict)
    """Of each part how many of its best were asked for last, and which they are, by raw scores."""
    pool: Pool = field(default_factory=Pool.empty)
    phrase: NodeValues = NO_VALUES
    phrase_asked: str = ""
    named: Sequence[Named] | None = None
    """What words of the question name, once it was looked up, see ``facts.question``."""
    in_part: dict[tuple[bool | str, ...], list[Named]] = field(default_factory=dict)
    """What they name by parts of names, by these words, once it was looked up, see ``facts.in_part``."""
    called: Called = NOTHING
    """What the question calls by its name: all of text is theirs."""
    seeds: Nodes = field(default_factory=lambda: NO_NODES)
    seed_weights: FloatArray = field(default_factory=lambda: NO_VALUES.values)
    graph: NodeValues = NO_VALUES
    intent: NodeValues = NO_VALUES
    late: Late | None = None
    covered: Covered | None = None
    graph_proximity: Proximity = field(default_factory=Proximity.none)
    pagerank: NodeValues | None = None
    """What PageRank adds to the walk before it is scaled; None where it is not blended in."""
    intent_proximity: Proximity = field(default_factory=Proximity.none)
    table: Table = Table(NO_NODES, {}, NO_VALUES.values)
    order: list[int] = field(default_factory=list)
    bonus: dict[int, float] = field(default_factory=dict)
    asked: AskedPaths | None = None
    bridges: Bridges | None = None
    mentioning: frozenset[int] = frozenset()
    """Those of the passages which bridges lead on from that mention others, are mentioned, or hold names of others."""
    covering: dict[int, float] | None = None
    """The factor of each of the best nodes by what it adds to those before it, and that of all others."""
    sides: dict[int, float] = field(default_factory=dict)
    """What the best of a comparison gain or lose so that neither side fills the answer."""
    moved: dict[int, tuple[Moved, ...]] = field(default_factory=dict)
    """What moved the final scores of the best, once the pipeline had ended."""
    fixed: dict[int, float] = field(default_factory=dict)
    """The final scores that sides, reranking or priors gave: differences would not add up to them to the last bit."""
    communities: dict[int, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()

    def move(self, node: int, moved: Moved, score: float) -> None:
        """Move the final score of a node to another."""
        self.moved[node] = (*self.moved.get(node, ()), moved)
        self.fixed[node] = score

    def first_stage(self, name: str, nodes: Nodes) -> FloatArray:
        """Return text or embedding of any nodes on its scale, before late interaction, (len(nodes),) in [0, 1]."""
        if name in self.rankings:
            values = self.scales[name].component(nodes, self.rankings[name].at(nodes))
        else:
            values = np.zeros(len(nodes))
        if name == "text" and len(self.phrase):
            values = np.maximum(values, self.phrase.at(nodes))
        return values

    def widen(self, query: Query, count: int) -> Nodes:
        """Ask each part for its ``count`` best, bring all of them on their scales, and return them."""
        deadline.check()
        found = {name: self.best_of(name, query, count) for name in self.rankings}
        named = ordered.distinct(np.concatenate([self.phrase.nodes, *(scored.nodes for scored in found.values())]))
        floors = {name: self.scales[name].bound(scored.floor) for name, scored in found.items()}
        self.take(named)
        for scale in self.scales.values():
            if scale.kept is not None:
                self.take(scale.kept)
        self.pool = Pool(self.pool.nodes, self.pool.values, count, floors)
        return named

    @property
    def everything(self) -> bool:
        """Whether each part was asked for all it has: none is left outside, whatever floor a damaged one tells."""
        return self.pool.count >= self.snapshot.size

    def best_of(self, name: str, query: Query, count: int) -> Scored:
        """Return the ``count`` best of a part, raw; what was asked last is remembered."""
        known = self.found.get(name)
        if known is None or known[0] != count:
            self.found[name] = known = count, self.rankings[name].best(count, query.allowed)
        return known[1]

    def take(self, nodes: Nodes) -> None:
        """Make nodes candidates; they are distinct and ascend."""
        self.pool = self.pool.grown(self, nodes)

    def components_at(self, nodes: Nodes) -> dict[str, FloatArray]:
        """Return all four components of any nodes, each (len(nodes),) in [0, 1]: random access."""
        factors = self.factors(nodes)
        text = self.pool.at("text", nodes, self) * factors["text"]
        if len(self.called):
            text = np.where(ordered.contains(self.called.nodes, nodes), self.subject_factor(nodes), text)
        embedding = self.pool.at("embedding", nodes, self) * factors["embedding"]
        return {"embedding": embedding, "text": text, **self.edge_components(nodes)}

    def own_worth(self, nodes: Nodes) -> FloatArray:
        """Return what any nodes are worth by text and embedding, weighed and summed, (len(nodes),)."""
        own, weights = self.components_at(nodes), self.weights
        return weights.embedding * own["embedding"] + weights.text * own["text"]

    def factors(self, nodes: Nodes) -> Mapping[str, FloatArray | float]:
        """Return what late interaction and paths make of text and of embedding of any nodes."""
        factors: Mapping[str, FloatArray | float] = _UNCHANGED if self.late is None else self.late.factors_of(nodes)
        if self.asked is None:
            return factors
        back = self.subject_factor(nodes)
        return {name: factor * back for name, factor in factors.items()}

    @property
    def lowest(self) -> Mapping[str, FloatArray | float]:
        """What late interaction makes of text and of embedding of nodes that are no candidates."""
        return _UNCHANGED if self.late is None else self.late.lowest

    @property
    def ends(self) -> NodeValues:
        """What the question asks for by paths: the ends of those that explain it."""
        return NO_VALUES if self.asked is None else self.asked.answer.ends

    def edge_components(self, nodes: Nodes) -> dict[str, FloatArray]:
        """Return the components of any nodes that need no part to be asked: graph and intent."""
        graph, intent = self.graph.at(nodes), self.intent.at(nodes)
        if self.asked is not None:
            back = self.subject_factor(nodes)
            intent = self.asked.share * self.ends.at(nodes) + self.asked.edges * back * intent
            graph = graph * back
        return {"graph": graph, "intent": intent}

    def subject_factor(self, nodes: Nodes) -> FloatArray:
        """Return the factor of nodes that the question names, where it asks for something else; 1 for all others."""
        if self.asked is None:
            return np.ones(len(nodes))
        return np.where(ordered.contains(self.asked.answer.named, nodes), self.asked.back, 1.0)

    def tabulate(self, query: Query) -> None:
        """Complete the candidates: all four components and the weighted sum; what is no answer has a sum of 0."""
        deadline.check()
        self.add_up(query, self.pool.nodes, self.components_at(self.pool.nodes))

    def add_up(self, query: Query, nodes: Nodes, components: Mapping[str, FloatArray]) -> None:
        """Weigh and sum the components of candidates, with what bridges give."""
        total = np.zeros(len(nodes))
        for name, weight in self.weights.as_dict().items():
            if weight:
                total += weight * components[name]
        if self.bridges is not None:
            total += self.bridges.gained.at(nodes)
        if query.allowed is not None:
            total *= query.allowed.contains(nodes)
        if len(self.snapshot.hidden):
            total[ordered.contains(self.snapshot.hidden, nodes)] = 0.0
        self.table = Table(nodes, components, total)


def least_of(values: FloatArray, count: int) -> float:
    """Return the ``count``-th largest value; 0 where fewer are positive."""
    if len(values) < count:
        return 0.0
    return max(float(ordered.least_of_largest(values, count)), 0.0)


def include(scores: Scores, query: Query, node: int) -> None:
    """Make a node a candidate, with all its components: to explain what no part has named."""
    scores.take(np.array([node], np.int64))
    scores.tabulate(query)


def final_scores(scores: Scores, nodes: Sequence[int], config: RetrievalConfig) -> FloatArray:
    """Return the scores of nodes as the caller sees them, (len(nodes),) float64; 0 for what is no candidate."""
    final = scores.table.totals(np.array(nodes, np.int64))
    if scores.bonus:
        final += [scores.bonus.get(node, 0.0) for node in nodes]
    most = 1.0 if config.fusion.clip else np.inf
    final = np.minimum(final, most)  # before coverage and sides: they order and deal out what the caller sees
    if (covering := scores.covering) is not None:
        factors = [covering.get(node, covering[EVERY_OTHER]) for node in nodes]
        final = np.minimum(final * factors, most)  # rounding may overstep
    if scores.fixed:
        final = np.array([scores.fixed.get(node, own) for node, own in zip(nodes, final.tolist(), strict=True)])
    return final


def best(nodes: Nodes, values: FloatArray, count: int, snapshot: Snapshot, *, positive: bool = True) -> Nodes:
    """Return the nodes of the ``count`` largest values, best first; ties go to the smaller id.

    Without ``positive`` those of 0 and less are among them.
    """
    if positive:
        some = (values > 0).nonzero()[0]
        nodes, values = nodes[some], values[some]
    if len(nodes) > count:
        reach = (values >= ordered.least_of_largest(values, count)).nonzero()[0]
        nodes, values = nodes[reach], values[reach]
    order = (-values).argsort(kind="stable")
    nodes, values = nodes[order], values[order]
    if np.count_nonzero(values[1:] == values[:-1]):
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
        deadline.check()
        step()
    except (DamagedFileError, StoreError, SearchTimeoutError):
        raise  # no component's failure: the graph is read again, cannot be read, or time is up
    except Exception:
        logger.exception("The %s component failed and is left out of this answer", name)
        scores.failed = (*scores.failed, name)
