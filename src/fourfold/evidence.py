"""Where a score comes from, as data: every summand of a hit, down to the word or the path of edges that brought it.

Read from what the pipeline itself did: the scales it brought raw scores on, the terms it asked for, and the steps along
which it spread the seeds. What is told adds up to the score within 1e-6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourfold.config import RetrievalConfig
from fourfold.index.base import Nodes
from fourfold.pipeline import Query, Scores, final_score
from fourfold.scores import EVERY_OTHER
from fourfold.signals.graph import Walk
from fourfold.signals.paths import Answer
from fourfold.types import COMPONENTS, Components, Evidence, PathStep

NOTHING = 1e-6
"""A component below it is not worth naming."""

BRIDGE = -1
"""The type of a step that is no edge: through a rare term that two texts share."""

IN_HITS = 1
"""So many paths of a component are told one by one on a hit; the others are summed up …"""

IN_EXPLANATIONS = 5
"""… and so many in an explanation."""


@dataclass(frozen=True, slots=True)
class Step:
    """One edge as the store numbers it."""

    source: int
    target: int
    type: int
    along: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """Evidence whose path is still told in store numbers: names are looked up once for all hits."""

    component: str
    kind: str
    value: float
    word: str = ""
    cosine: float | None = None
    steps: tuple[Step, ...] = ()


def components_of(scores: Scores, node: int) -> Components:
    """Return the four component scores of a node as Python floats; what is largest may be above 1 by its rounding."""
    place = scores.table.place(node)
    found = scores.table.components if place >= 0 else scores.components_at(np.array([node], np.int64))
    return Components(*(min(float(found[name][max(place, 0)]), 1.0) for name in COMPONENTS))


def method_of(components: Components) -> str:
    """Return the names of the components that scored the node, such as ``text+graph``."""
    return "+".join(name for name, value in components.as_dict().items() if value > NOTHING)


def drafts(
    scores: Scores, query: Query, config: RetrievalConfig, nodes: Sequence[int], *, paths_shown: int = IN_HITS
) -> list[list[Draft]]:
    """Return the evidence of each node, largest first within a component; values add up to its final score."""
    here = np.array(nodes, np.int64)
    words = _words(scores, query, here)
    cosines = _cosines(scores, here)
    paths = {
        "graph": _paths(scores.graph_walk, here, paths_shown),
        "intent": _paths(scores.intent_walk, here, paths_shown),
    }
    found = []
    for place, node in enumerate(nodes):
        components = components_of(scores, node).as_dict()
        shares = {name: getattr(scores.weights, name) * value for name, value in components.items()}
        told: list[Draft] = []
        if shares["embedding"]:
            told.append(Draft("embedding", "similarity", shares["embedding"], cosine=cosines[place]))
        if shares["text"]:
            phrase = _phrase_of(scores, query, node) if len(scores.phrase) else None
            told += _split("text", shares["text"], words[place], rest=phrase)
        if scores.asked is not None and (ended := float(scores.ends.at(here[place : place + 1])[0])):
            own = scores.weights.intent * scores.asked.share * ended
            told.append(Draft("intent", "path", own, steps=_asked_path(scores.asked.answer, node)))
            shares["intent"] = max(shares["intent"] - own, 0.0)
        for name in ("graph", "intent"):
            if shares[name] > 1e-12:
                told += _split(name, shares[name], paths[name][place], rest=Draft(name, "rest", 0.0))
        if scores.bridges is not None and (gained := float(scores.bridges.gained.at(here[place : place + 1])[0])):
            step = Step(scores.bridges.passages[node], node, BRIDGE, True)
            told.append(Draft("bridge", "bridge", gained, steps=(step,)))
        if bonus := scores.bonus.get(node):
            told.append(Draft("diversity", "bonus", bonus))
        if scores.covering is not None:
            factor = scores.covering.get(node, scores.covering[EVERY_OTHER])
            told.append(Draft("coverage", "coverage", sum(draft.value for draft in told) * (factor - 1.0)))
        found.append(told + _balance(told, scores, query, config, node))
    return found


def named(
    told: Sequence[Draft], ids: Mapping[int, str], names: Mapping[int, str], types: Sequence[str]
) -> tuple[Evidence, ...]:
    """Return drafts with the ids and names of the nodes on their paths."""
    return tuple(
        Evidence(
            draft.component,
            draft.kind,
            draft.value,
            draft.word,
            draft.cosine,
            tuple(
                PathStep(
                    ids.get(step.source, ""),
                    ids.get(step.target, ""),
                    types[step.type] if step.type != BRIDGE else "",
                    step.along,
                    names.get(step.source, ""),
                    names.get(step.target, ""),
                )
                for step in draft.steps
            ),
        )
        for draft in told
    )


def _balance(told: Sequence[Draft], scores: Scores, query: Query, config: RetrievalConfig, node: int) -> list[Draft]:
    """Return what makes the sum the score: the filter, or the cut at 1."""
    total = sum(draft.value for draft in told)
    if query.allowed is not None and not query.allowed.contains(np.array([node]))[0]:
        return [Draft("filter", "masked", -total)] if total else []
    if scores.table.place(node) < 0:  # never among the candidates: the score it would have had
        return []
    left = final_score(scores, node, config) - total
    return [Draft("clip", "clipped", left)] if abs(left) > 1e-9 else []


def _split(component: str, share: float, parts: Sequence[tuple[float, Draft]], rest: Draft | None) -> list[Draft]:
    """Divide a share in proportion to its parts; what is small is summed up."""
    total = sum(value for value, _ in parts)
    if total <= 0:
        return [Draft(component, rest.kind if rest else "rest", share, rest.word if rest else "")]
    told = sorted((part for part in parts if part[1].kind != "rest"), key=lambda part: -part[0])
    drafts = [
        Draft(component, draft.kind, share * value / total, draft.word, draft.cosine, draft.steps)
        for value, draft in told
    ]
    left = total - sum(value for value, _ in told)
    if left > 1e-12 * total:
        drafts.append(Draft(component, "rest", share * left / total))
    return drafts


def _asked_path(answer: Answer, node: int) -> tuple[Step, ...]:
    """Return the path that explains most of the question by leading from a named node to this one."""
    source, steps = answer.path(node)
    found = []
    for step in steps:
        found.append(Step(source, step.node, step.type, step.forward))
        source = step.node
    return tuple(found)


def _words(scores: Scores, query: Query, nodes: Nodes) -> list[list[tuple[float, Draft]]]:
    """Return, for each node, the words of the question it holds, and what each is worth in its BM25."""
    found: list[list[tuple[float, Draft]]] = [[] for _ in nodes]
    if "text" not in scores.rankings:
        return found
    snapshot = scores.snapshot
    numbers = scores.term_numbers
    worth = {
        term: weight * snapshot.text.worth(numbers[term], nodes)
        for term, weight in scores.term_weights.items()
        if term in numbers
    }
    told: set[str] = set()
    for word, terms in dict(query.words).items():
        own = [term for term in terms if term in worth and term not in told]
        told.update(own)
        if own:
            values = np.sum([worth[term] for term in own], axis=0)
            for place in np.nonzero(values > 0)[0]:
                found[place].append((float(values[place]), Draft("text", "term", 0.0, word)))
    return found


def _phrase_of(scores: Scores, query: Query, node: int) -> Draft | None:
    found = scores.phrase.at(np.array([node], np.int64))[0] > 0
    return Draft("text", "phrase", 0.0, query.text) if found else None


def _cosines(scores: Scores, nodes: Nodes) -> list[float | None]:
    ranking = scores.rankings.get("embedding")
    return [None] * len(nodes) if ranking is None else [float(value) for value in ranking.at(nodes)]


def _paths(walk: Walk, nodes: Nodes, count: int) -> list[list[tuple[float, Draft]]]:
    """Return, for each node, the strongest paths that ended there, and what each carried; the others in one sum."""
    found: list[list[tuple[float, Draft]]] = [[] for _ in nodes]
    arrived = [hop.to(nodes) for hop in walk.hops]
    if not any(len(hop.targets) for hop in arrived):
        return found
    depth = np.repeat(np.arange(len(arrived)), [len(hop.targets) for hop in arrived])
    row = np.concatenate([np.arange(len(hop.targets)) for hop in arrived])
    targets = np.concatenate([hop.targets for hop in arrived])
    gains = np.concatenate([hop.gains for hop in arrived])
    order = np.lexsort((row, depth, -gains, targets))
    starts = np.searchsorted(targets[order], nodes, side="left")
    ends = np.searchsorted(targets[order], nodes, side="right")
    shown = [order[start : min(end, start + count)] for start, end in zip(starts, ends, strict=True)]
    chosen = np.concatenate(shown)
    onward = chosen[depth[chosen] > 0]
    through = _best_ways(walk, arrived[1].sources[row[onward]]) if len(onward) else {}
    for place, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        for at in shown[place].tolist():
            hop, own = arrived[depth[at]], row[at]
            source = int(hop.sources[own])
            last = Step(source, int(hop.targets[own]), int(hop.types[own]), bool(hop.along[own]))
            steps = (*through.get(source, ()), last) if depth[at] else (last,)
            found[place].append((float(gains[at]), Draft("", "path", 0.0, steps=steps)))
        if end - start > count:
            found[place].append((float(gains[order[start + count : end]].sum()), Draft("", "rest", 0.0)))
    return found


def _best_ways(walk: Walk, nodes: Nodes) -> dict[int, tuple[Step, ...]]:
    """Return, for each node, the step of the first hop that gave it most."""
    hop = walk.hops[0].to(nodes)
    order = np.lexsort((hop.sources, -hop.gains, hop.targets))
    targets = hop.targets[order]
    first = order[np.append(True, targets[1:] != targets[:-1])] if len(order) else order
    return {
        int(hop.targets[row]): (
            Step(int(hop.sources[row]), int(hop.targets[row]), int(hop.types[row]), bool(hop.along[row])),
        )
        for row in first
    }
