"""Where a score comes from, as data: every summand of a hit, down to the word or the path of edges that brought it.

Read from what the pipeline itself did: the scales it brought raw scores on, the terms it asked for, and the steps along
which it spread the seeds. What is told adds up to the score within 1e-6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.index import ordered
from fourfold.index.base import Nodes
from fourfold.pipeline import Query, Scores
from fourfold.present.words import NOTHING
from fourfold.scores import EVERY_OTHER
from fourfold.signals.graph import Hop, Walk
from fourfold.signals.paths import Answer
from fourfold.types import COMPONENTS, Components, Evidence, FloatArray, PathStep, Weights

BRIDGE = -1
"""The type of a step that is no edge: through a rare term that two texts share."""

IN_HITS = 1
"""So many paths of a component are told one by one on a hit; the others are summed up …"""

IN_EXPLANATIONS = 5
"""… and so many in an explanation."""

_TINY = 1e-12
_ROUNDING = 1e-9


class Step(NamedTuple):
    """One edge as the store numbers it."""

    source: int
    target: int
    type: int
    along: bool


class Draft(NamedTuple):
    """Evidence whose path is still told in store numbers: names are looked up once for all hits."""

    component: str
    kind: str
    value: float
    word: str = ""
    cosine: float | None = None
    steps: tuple[Step, ...] = ()


class Part(NamedTuple):
    """Something that a component comes from, in proportion to ``value``."""

    value: float
    kind: str
    word: str = ""
    steps: tuple[Step, ...] = ()


_REST = Part(0.0, "rest")

_GONE = ("", "")
"""Id and name of a node that was deleted meanwhile."""


def components_of(scores: Scores, nodes: Nodes) -> list[Components]:
    """Return the four component scores of nodes as Python floats; what is largest may be above 1 by its rounding."""
    found = scores.components_at(nodes)
    return [Components(*values) for values in np.minimum([found[name] for name in COMPONENTS], 1.0).T.tolist()]


def method_of(components: Components, weights: Weights) -> str:
    """Return the names of the components that scored the node, such as ``text+graph``; none that weighs nothing."""
    return "+".join([name for name in COMPONENTS if getattr(components, name) > NOTHING and getattr(weights, name)])


def drafts(
    scores: Scores,
    query: Query,
    config: RetrievalConfig,
    nodes: Nodes,
    components: Sequence[Components],
    *,
    paths_shown: int = IN_HITS,
) -> list[list[Draft]]:
    """Return the evidence of each node, largest first within a component; values add up to its final score.

    Args:
        scores: what the pipeline found.
        query: the question.
        config: the constants of retrieval.
        nodes: (n,) whose evidence is wanted.
        components: their component scores.
        paths_shown: how many paths of a component are told one by one.

    """
    told: list[list[Draft]] = [[] for _ in components]
    if told:
        _tell_similarity(told, scores, nodes, components)
        words = _words(scores, query, np.concatenate((nodes, _passages(scores, nodes))))
        _tell_words(told, scores, nodes, components, words[: len(nodes)])
        _tell_edges(told, scores, nodes, components, config.graph.pagerank_share, paths_shown)
        _tell_refinements(told, scores, nodes, config, words)
        _tell_masks(told, scores, query, nodes)
    return told


def _tell_similarity(told: list[list[Draft]], scores: Scores, nodes: Nodes, components: Sequence[Components]) -> None:
    ranking = scores.rankings.get("embedding")
    cosines = [None] * len(nodes) if ranking is None else ranking.at(nodes).tolist()
    for found, own, cosine in zip(told, components, cosines, strict=True):
        if share := scores.weights.embedding * own.embedding:
            found.append(Draft("embedding", "similarity", share, "", cosine))


def _tell_words(
    told: list[list[Draft]], scores: Scores, nodes: Nodes, components: Sequence[Components], words: Sequence[list[Part]]
) -> None:
    phrased, called = _by_phrase(scores, nodes).tolist(), _by_name(scores, nodes).tolist()
    names = dict(zip(scores.called.nodes.tolist(), scores.called.names, strict=True))
    for found, own, held, by_phrase, by_name, node in zip(
        told, components, words, phrased, called, nodes.tolist(), strict=True
    ):
        share = scores.weights.text * own.text
        if share and by_name:
            found.append(Draft("text", "name", share * by_name, names[node]))
            share *= 1.0 - by_name
        if share and by_phrase:
            found.append(Draft("text", "phrase", share * by_phrase, scores.phrase_asked))
        if share and by_phrase < 1:
            found += _split("text", share * (1 - by_phrase), held)


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
    told: list[list[Draft]],
    scores: Scores,
    nodes: Nodes,
    components: Sequence[Components],
    pagerank_share: float,
    paths_shown: int,
) -> None:
    """Tell graph and intent: the paths of edges that brought them, and PageRank."""
    weights, asked = scores.weights, scores.asked
    graph, intent = _paths((scores.graph_walk, scores.intent_walk), nodes, paths_shown)
    if scores.pagerank is not None:
        ranks = scores.pagerank.at(nodes).tolist()
        graph = [_blended(parts, pagerank_share, rank) for parts, rank in zip(graph, ranks, strict=True)]
    ended = [0.0] * len(nodes) if asked is None else scores.ends.at(nodes).tolist()
    for place, own in enumerate(components):
        if (share := weights.graph * own.graph) > _TINY:
            told[place] += _split("graph", share, graph[place])
        share = weights.intent * own.intent
        if asked is not None and ended[place]:
            by_path = weights.intent * asked.share * ended[place]
            told[place].append(Draft("intent", "path", by_path, steps=_asked_path(asked.answer, int(nodes[place]))))
            share = max(share - by_path, 0.0)
        if share > _TINY:
            told[place] += _split("intent", share, intent[place])


def _tell_refinements(
    told: list[list[Draft]], scores: Scores, nodes: Nodes, config: RetrievalConfig, words: Sequence[list[Part]]
) -> None:
    """Tell bridges, the bonus of a community's first hit, the cut at 1, and coverage, a factor of all before it."""
    bridges, covering = scores.bridges, scores.covering
    gained = [0.0] * len(nodes) if bridges is None else bridges.gained.at(nodes).tolist()
    held = dict(zip([*nodes.tolist(), *_passages(scores, nodes).tolist()], words, strict=True))
    for found, node, by_bridge in zip(told, nodes.tolist(), gained, strict=True):
        if bridges is not None and by_bridge:
            passage = bridges.passages[node]
            step = Step(passage, node, BRIDGE, True)
            found.append(Draft("bridge", "bridge", by_bridge, _added(held[node], held[passage]), steps=(step,)))
        if bonus := scores.bonus.get(node):
            found.append(Draft("diversity", "bonus", bonus))
        total = sum([draft.value for draft in found])
        if config.fusion.clip and total > 1.0 + _ROUNDING:
            found.append(Draft("clip", "clipped", 1.0 - total))
            total = 1.0
        if covering is not None:
            factor = covering.get(node, covering[EVERY_OTHER])
            found.append(Draft("coverage", "coverage", total * (factor - 1.0)))
        if moved := scores.sides.get(node):
            found.append(Draft("sides", "side", moved))
        found += [Draft(one.kind, one.kind, one.value, one.word) for one in scores.moved.get(node, ())]


def _passages(scores: Scores, nodes: Nodes) -> Nodes:
    """Return the passages that nodes add to and that are not among them."""
    if scores.bridges is None:
        return nodes[:0]
    known = {scores.bridges.passages.get(node, node) for node in nodes.tolist()}
    return np.array(sorted(known.difference(nodes.tolist())), np.int64)


def _added(own: Sequence[Part], before: Sequence[Part]) -> str:
    """Return the word of the question worth most that a node holds and the passage before it does not, "" for none.

    What bridges give is by wordpieces alike in meaning, so that there may be none.
    """
    known = {part.word for part in before}
    return max([part for part in own if part.word not in known], default=_REST, key=lambda part: part.value).word


def _tell_masks(told: list[list[Draft]], scores: Scores, query: Query, nodes: Nodes) -> None:
    """Tell what takes everything: the filter, or that a document's chunks are the answers."""
    kept = [True] * len(nodes) if query.allowed is None else query.allowed.contains(nodes).tolist()
    hidden = ordered.contains(scores.snapshot.hidden, nodes).tolist()
    for found, stays, cut_up in zip(told, kept, hidden, strict=True):
        total = sum([draft.value for draft in found])
        if total and cut_up:
            found.append(Draft("chunks", "hidden", -total))
        elif not stays:  # told also where nothing else speaks for the node: its seeds may be masked, too
            found.append(Draft("filter", "masked", 0.0 - total))


def named(told: Sequence[Draft], labels: Mapping[int, tuple[str, str]], types: Sequence[str]) -> tuple[Evidence, ...]:
    """Return drafts with the ids and names of the nodes on their paths."""
    return tuple(
        [
            Evidence(component, kind, value, word, cosine, _told_path(steps, labels, types) if steps else ())
            for component, kind, value, word, cosine, steps in told
        ]
    )


def _told_path(
    steps: Sequence[Step], labels: Mapping[int, tuple[str, str]], types: Sequence[str]
) -> tuple[PathStep, ...]:
    path = []
    for source, target, number, along in steps:
        (start, start_name), (end, end_name) = labels.get(source, _GONE), labels.get(target, _GONE)
        path.append(PathStep(start, end, types[number] if number != BRIDGE else "", along, start_name, end_name))
    return tuple(path)


def _split(component: str, share: float, parts: Sequence[Part]) -> list[Draft]:
    """Divide a share in proportion to its parts, the largest first and what is summed up last."""
    total = sum([part.value for part in parts])
    if total <= 0:
        return [Draft(component, _REST.kind, share, _REST.word)]
    drafts = [Draft(component, kind, share * value / total, word, None, steps) for value, kind, word, steps in parts]
    if len(drafts) > 1:
        drafts.sort(key=lambda draft: (draft.kind == "rest", -draft.value))
        if drafts[-1].kind == "rest" and drafts[-1].value <= _TINY * share:
            drafts.pop()
    return drafts


def _blended(parts: Sequence[Part], share: float, rank: float) -> list[Part]:
    """Return the parts of a walk with PageRank, which has taken a share of it, as a part of its own."""
    walked = [part._replace(value=(1.0 - share) * part.value) for part in parts]
    return [part for part in (*walked, Part(rank, "pagerank")) if part.value > 0]


def _asked_path(answer: Answer, node: int) -> tuple[Step, ...]:
    """Return the path that explains most of the question by leading from a named node to this one."""
    source, steps = answer.path(node)
    found = []
    for step in steps:
        found.append(Step(source, step.node, step.type, step.forward))
        source = step.node
    return tuple(found)


def _words(scores: Scores, query: Query, nodes: Nodes) -> list[list[Part]]:
    """Return, for each node, the words of the question it holds, and what each is worth in its BM25."""
    found: list[list[Part]] = [[] for _ in nodes]
    if "text" not in scores.rankings:
        return found
    numbers = scores.term_numbers
    asked = [(term, weight) for term, weight in scores.term_weights.items() if term in numbers]
    worth = scores.snapshot.text.worth([numbers[term] for term, _ in asked], nodes)
    each = {term: weight * own for (term, weight), own in zip(asked, worth, strict=True)}
    told: set[str] = set()
    for word, terms in dict(query.words).items():
        held = [pair for term in terms for pair in query.pairs.get(term, ())]
        own = [term for term in (*terms, *held) if term in each and term not in told]
        told.update(own)
        if own:
            values = sum(each[term] for term in own).tolist()
            for parts, value in zip(found, values, strict=True):
                if value > 0:
                    parts.append(Part(value, "term", word))
    return found


def _paths(walks: Sequence[Walk], nodes: Nodes, count: int) -> list[list[list[Part]]]:
    """Return, for each walk and node, the strongest paths that ended there and what each carried; others in one sum.

    All walks in one pass: each has its own row of places, one for each node.
    """
    found: list[list[Part]] = [[] for _ in range(len(walks) * len(nodes))]
    sort = nodes.argsort()
    wanted = nodes[sort]
    hops = [(row, walk.hops[0], hop) for row, walk in enumerate(walks) for hop in walk.hops]
    arrived = []
    for own, (row, _, hop) in enumerate(hops):
        at, here = ordered.places(wanted, hop.targets)
        steps = here.nonzero()[0]
        arrived.append((row * len(nodes) + sort[at[steps]], np.full(len(steps), own), steps, hop.gains[steps]))
    if any([len(steps) for _, _, steps, _ in arrived]):
        place, number, step, gain = map(np.concatenate, zip(*arrived, strict=True))
        order = np.lexsort((step, number, -gain, place))
        place, number, step, gain = place[order], number[order], step[order], gain[order]
        shown = np.arange(len(place)) - place.searchsorted(np.arange(len(found)))[place] < count
        paths = [iter(_ended(first, hop, step[shown & (number == own)])) for own, (_, first, hop) in enumerate(hops)]
        for end, own, value in zip(place[shown].tolist(), number[shown].tolist(), gain[shown].tolist(), strict=True):
            found[end].append(Part(value, "path", "", next(paths[own])))
        rest = np.bincount(place[~shown], gain[~shown], len(found)).tolist()
        for parts, value in zip(found, rest, strict=True):
            if value > 0:
                parts.append(Part(value, "rest"))
    return [found[row * len(nodes) : (row + 1) * len(nodes)] for row in range(len(walks))]


def _ended(first: Hop, hop: Hop, rows: NDArray[np.intp]) -> list[tuple[Step, ...]]:
    """Return the paths that end with some steps of a hop; before a second one goes the best way to where it begins."""
    last = _steps(hop.rows(rows))
    if hop is first or not last:
        return [(step,) for step in last]
    before = _best_ways(first, hop.sources[rows])
    return [(*before.get(step.source, ()), step) for step in last]


def _steps(hop: Hop) -> list[Step]:
    arrays = (hop.sources, hop.targets, hop.types, hop.along)
    return [Step(*values) for values in zip(*(array.tolist() for array in arrays), strict=True)]


def _best_ways(hop: Hop, nodes: Nodes) -> dict[int, tuple[Step]]:
    """Return, for each node that the first hop reached, its step that gave it most."""
    hop = hop.rows(ordered.contains(ordered.distinct(nodes), hop.targets))
    hop = hop.rows(np.lexsort((hop.sources, -hop.gains, hop.targets))[::-1])
    return {step.target: (step,) for step in _steps(hop)}  # the last of a node stays: its first in the order before
