"""Where a score comes from, as data: every summand of a hit, down to the word or the path of edges that brought it.

Read from what the pipeline itself did: the scales it brought raw scores on, the terms it asked for, and the steps along
which it spread the seeds. What is told adds up to the score within 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, itemgetter

import numpy as np

from fourfold import ordered
from fourfold.config import RetrievalConfig
from fourfold.index.base import Nodes
from fourfold.present.words import NOTHING
from fourfold.query import Query
from fourfold.scores import EVERY_OTHER, Scores
from fourfold.signals.paths import Answer
from fourfold.signals.ways import Step, Way, Ways
from fourfold.types import COMPONENTS, Components, Evidence, FloatArray, PathStep, Weights

BRIDGE = -1
"""The type of a step that is no edge: through a rare term that two texts share."""

IN_HITS = 1
"""So many paths of a component are told one by one on a hit; the others are summed up …"""

IN_EXPLANATIONS = 5
"""… and so many in an explanation."""

_TINY = 1e-12
_ROUNDING = 1e-9

_GONE = ("", "")
"""Id and name of a node that was deleted meanwhile."""

Held = list[tuple[float, str]]
"""The words of the question that a node holds, in its order, and what each is worth in the node's BM25."""

Path = Callable[[Sequence[Step]], tuple[PathStep, ...]]
"""Steps in store numbers → the same with ids and names."""


def components_of(scores: Scores, nodes: Nodes) -> list[Components]:
    """Return the four component scores of nodes as Python floats; what is largest may be above 1 by its rounding."""
    found = scores.components_at(nodes)
    return [Components(*values) for values in np.minimum([found[name] for name in COMPONENTS], 1.0).T.tolist()]


def method_of(components: Components, weights: Weights) -> str:
    """Return the names of the components that scored the node, such as ``text+graph``; none that weighs nothing."""
    return "+".join([name for name in COMPONENTS if getattr(components, name) > NOTHING and getattr(weights, name)])


@dataclass(frozen=True, slots=True)
class Paths:
    """All that is told with a path, in store numbers: names are looked up once for all nodes.

    ``ways`` and ``others`` are what the walks of graph and intent brought, as ``Ways.strongest`` returns them;
    ``asked`` has, of what the question asks for by paths, how far a node is it, and the path to it; ``bridged`` what
    bridges gave to a node, and the passage that it adds to.
    """

    ways: list[list[Way]]
    others: list[float]
    asked: Mapping[int, tuple[float, tuple[Step, ...]]]
    bridged: Mapping[int, tuple[float, int]]

    @classmethod
    def to(cls, nodes: Nodes, scores: Scores, ways: Ways, shown: int) -> Paths:
        """Return how each component came to nodes, ``shown`` paths of each walk one by one."""
        asked, bridged = {}, {}
        if scores.asked is not None:
            ended = zip(nodes.tolist(), scores.ends.at(nodes).tolist(), strict=True)
            asked = {node: (end, _asked_path(scores.asked.answer, node)) for node, end in ended if end}
        if scores.bridges is not None:
            gained = zip(nodes.tolist(), scores.bridges.gained.at(nodes).tolist(), strict=True)
            bridged = {node: (gain, scores.bridges.passages[node]) for node, gain in gained if gain}
        return cls(*ways.strongest(shown), asked, bridged)

    def nodes(self) -> set[int]:
        """Return the numbers of all nodes that stand on paths."""
        paths = [path for ways in self.ways for _, path in ways] + [path for _, path in self.asked.values()]
        steps = [step for path in paths for step in path]
        passages = [passage for _, passage in self.bridged.values()]
        return {step[0] for step in steps}.union([step[1] for step in steps], passages)


def ways_to(nodes: Nodes, scores: Scores) -> Ways:
    """Return how the walks of graph and intent came to nodes."""
    return Ways((scores.graph_proximity, scores.intent_proximity), nodes)


def evidence_of(
    scores: Scores,
    query: Query,
    config: RetrievalConfig,
    nodes: Nodes,
    components: Sequence[Components],
    cosines: Sequence[float | None],
    paths: Paths,
    labels: Mapping[int, tuple[str, str]],
) -> list[tuple[Evidence, ...]]:
    """Return the evidence of each node, largest first within a component; values add up to its final score.

    ``labels`` has (id, name) by number, of the nodes and of all that stand on paths.
    """
    found: list[list[Evidence]] = [[] for _ in components]
    if found:
        named = partial(_named, labels, scores.snapshot.edges.type_names)
        words = _words(scores, query, nodes, paths)
        _tell_similarity(found, scores, components, cosines)
        _tell_words(found, scores, nodes, components, words)
        _tell_edges(found, scores, nodes, components, paths, config.graph.pagerank_share, named)
        _tell_refinements(found, scores, nodes, config, words, paths, named)
        _tell_masks(found, scores, query, nodes)
    return list(map(tuple, found))


def _tell_similarity(
    told: list[list[Evidence]], scores: Scores, components: Sequence[Components], cosines: Sequence[float | None]
) -> None:
    weight = scores.weights.embedding
    for found, own, cosine in zip(told, components, cosines, strict=True):
        if share := weight * own.embedding:
            found.append(Evidence("embedding", "similarity", share, "", cosine))


def _tell_words(
    told: list[list[Evidence]],
    scores: Scores,
    nodes: Nodes,
    components: Sequence[Components],
    words: Mapping[int, Held],
) -> None:
    phrased, called = _by_phrase(scores, nodes).tolist(), _by_name(scores, nodes).tolist()
    names = dict(zip(scores.called.nodes.tolist(), scores.called.names, strict=True))
    weight = scores.weights.text
    for found, own, by_phrase, by_name, node in zip(told, components, phrased, called, nodes.tolist(), strict=True):
        share = weight * own.text
        if share and by_name:
            found.append(Evidence("text", "name", share * by_name, names[node]))
            share *= 1.0 - by_name
        if share and by_phrase:
            found.append(Evidence("text", "phrase", share * by_phrase, scores.phrase_asked))
            share *= 1.0 - by_phrase
        if share:
            held = words[node]
            total = sum([value for value, _ in held])
            found += [
                Evidence("text", "term", share * value / total, word)
                for value, word in sorted(held, key=itemgetter(0), reverse=True)
            ] or [Evidence("text", "rest", share)]


def _by_name(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return the share of their text that nodes have by being called by their names alone, (len(nodes),)."""
    if not len(scores.called):
        return np.zeros(len(nodes))
    factor = 1.0 if scores.late is None else scores.late.factors_of(nodes)["text"]
    words = np.clip(scores.pool.at("text", nodes, scores) * factor, 0.0, 1.0)
    return np.where(ordered.contains(scores.called.nodes, nodes), 1.0 - words, 0.0)


def _by_phrase(scores: Scores, nodes: Nodes) -> FloatArray:
    """Return the share of the rest of their text that nodes have by the phrase alone, (len(nodes),)."""
    phrase = scores.phrase.at(nodes)
    if "text" not in scores.rankings or not len(scores.phrase):
        return phrase
    words = scores.scales["text"].component(nodes, scores.rankings["text"].at(nodes))
    return np.maximum(phrase - words, 0.0) / np.where(phrase > 0, phrase, 1.0)


def _tell_edges(
    told: list[list[Evidence]],
    scores: Scores,
    nodes: Nodes,
    components: Sequence[Components],
    paths: Paths,
    pagerank_share: float,
    named: Path,
) -> None:
    """Tell graph and intent: the paths of edges that brought them, and PageRank."""
    weights, count, rank = scores.weights, len(nodes), 0.0
    ranks = None if scores.pagerank is None else scores.pagerank.at(nodes).tolist()
    for place, (found, own, node) in enumerate(zip(told, components, nodes.tolist(), strict=True)):
        if (share := weights.graph * own.graph) > _TINY:
            ways, others = paths.ways[place], paths.others[place]
            if ranks is not None:  # it has taken a share of the walk
                walked, rank = 1.0 - pagerank_share, ranks[place]
                ways, others = [(walked * value, path) for value, path in ways if walked], walked * others
            found += _came("graph", share, ways, others, named, rank)
        share = weights.intent * own.intent
        if scores.asked is not None and node in paths.asked:
            end, path = paths.asked[node]
            by_path = weights.intent * scores.asked.share * end
            met = scores.asked.answer.told.get(node, "")
            found.append(Evidence("intent", "condition" if met else "path", by_path, met, None, named(path)))
            share = max(share - by_path, 0.0)
        if share > _TINY:
            found += _came("intent", share, paths.ways[count + place], paths.others[count + place], named)


def _came(
    component: str, share: float, ways: Sequence[Way], others: float, named: Path, rank: float = 0.0
) -> list[Evidence]:
    """Divide a share among the ways by which it came and PageRank, the largest first and what is summed up last."""
    total = sum([value for value, _ in ways]) + others + rank
    if total <= 0:
        return [Evidence(component, "rest", share)]
    found = [Evidence(component, "path", share * value / total, "", None, named(path)) for value, path in ways]
    if rank > 0:
        found.append(Evidence(component, "pagerank", share * rank / total))
        found.sort(key=attrgetter("value"), reverse=True)
    if (rest := share * others / total) > _TINY * share:
        found.append(Evidence(component, "rest", rest))
    return found


def _tell_refinements(
    told: list[list[Evidence]],
    scores: Scores,
    nodes: Nodes,
    config: RetrievalConfig,
    words: Mapping[int, Held],
    paths: Paths,
    named: Path,
) -> None:
    """Tell bridges, the bonus of a community's first hit, the cut at 1, and coverage, a factor of all before it."""
    covering = scores.covering
    for found, node in zip(told, nodes.tolist(), strict=True):
        if node in paths.bridged:
            gain, passage = paths.bridged[node]
            path = named([(passage, node, BRIDGE, True)])
            kind = "named" if scores.bridges is not None and node in scores.bridges.named else "bridge"
            found.append(Evidence("bridge", kind, gain, _added(words[node], words[passage]), None, path))
        if bonus := scores.bonus.get(node):
            found.append(Evidence("diversity", "bonus", bonus))
        total = sum([item.value for item in found])
        if config.fusion.clip and total > 1.0 + _ROUNDING:
            found.append(Evidence("clip", "clipped", 1.0 - total))
            total = 1.0
        if covering is not None:
            factor = covering.get(node, covering[EVERY_OTHER])
            found.append(Evidence("coverage", "coverage", total * (factor - 1.0)))
        if moved := scores.sides.get(node):
            found.append(Evidence("sides", "side", moved))
        found += [Evidence(one.kind, one.kind, one.value, one.word) for one in scores.moved.get(node, ())]


def _added(own: Held, before: Held) -> str:
    """Return the word of the question worth most that a node holds and the passage before it does not, "" for none.

    What bridges give is by wordpieces alike in meaning, so that there may be none.
    """
    known = {word for _, word in before}
    return max([one for one in own if one[1] not in known], default=(0.0, ""), key=itemgetter(0))[1]


def _tell_masks(told: list[list[Evidence]], scores: Scores, query: Query, nodes: Nodes) -> None:
    """Tell what takes everything: the filter, or that a document's chunks are the answers."""
    kept = [True] * len(nodes) if query.allowed is None else query.allowed.contains(nodes).tolist()
    hidden = ordered.contains(scores.snapshot.hidden, nodes).tolist()
    for found, stays, cut_up in zip(told, kept, hidden, strict=True):
        if stays and not cut_up:
            continue
        total = sum([item.value for item in found])
        if total and cut_up:
            found.append(Evidence("chunks", "hidden", -total))
        elif not stays:  # told also where nothing else speaks for the node: its seeds may be masked, too
            found.append(Evidence("filter", "masked", 0.0 - total))


def _named(labels: Mapping[int, tuple[str, str]], types: Sequence[str], path: Sequence[Step]) -> tuple[PathStep, ...]:
    """Return a path with the ids and names of the nodes on it."""
    steps = []
    for source, target, number, along in path:
        (start, start_name), (end, end_name) = labels.get(source, _GONE), labels.get(target, _GONE)
        steps.append(PathStep(start, end, types[number] if number != BRIDGE else "", along, start_name, end_name))
    return tuple(steps)


def _asked_path(answer: Answer, node: int) -> tuple[Step, ...]:
    """Return the path that explains most of the question by leading from a named node to this one."""
    source, steps = answer.path(node)
    found = []
    for step in steps:
        found.append((source, step.node, step.type, step.forward))
        source = step.node
    return tuple(found)


def _words(scores: Scores, query: Query, nodes: Nodes, paths: Paths) -> dict[int, Held]:
    """Return the words that nodes hold, and those that the passages hold to which bridges lead from them."""
    asked = nodes.tolist()
    passages = {passage for _, passage in paths.bridged.values()}.difference(asked)
    if passages:
        asked += passages
        nodes = np.array(asked, np.int64)
    found: dict[int, Held] = {node: [] for node in asked}
    if "text" not in scores.rankings:
        return found
    numbers, weights = scores.term_numbers, scores.term_weights
    terms = [term for term in weights if term in numbers]
    worth = scores.snapshot.text.worth([numbers[term] for term in terms], nodes)
    worth *= np.array([weights[term] for term in terms], worth.dtype)[:, None]
    each = dict(zip(terms, worth, strict=True))
    for word, of_word in dict(query.words).items():
        held = [pair for term in of_word for pair in query.pairs.get(term, ())]
        own = [term for term in (*of_word, *held) if term in each]
        if own:
            values = sum([each[term] for term in own]).tolist()
            for node, value in zip(asked, values, strict=True):
                if value > 0:
                    found[node].append((value, word))
            for term in own:  # of two words with one term, the first has it
                each.pop(term, None)
    return found
