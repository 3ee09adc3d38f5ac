"""Evidence in sentences: one on every hit, line by line in an explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from fourfold.edge_types import PART_OF
from fourfold.plain_text import display_name
from fourfold.types import Evidence, Explanation, PathStep

NOTHING = 1e-6
"""A component, or a way that led to a node, that gave no more is not worth naming."""

_CRUMB = 0.01
"""A bridge or a way back to the start that gave less of the score, or an age that took less, is not worth naming."""

ALIKE = 0.2
"""A cosine below it says nothing: the nearest nodes of questions that are foreign to a graph have .13 to .22 in the
median, and of the right hits of scifact, fiqa, hotpotqa and musique 1 to 2 % have less."""

_BY_EDGES = ("graph", "intent")
_OF_WORDS = {"term": "word", "phrase": "the phrase", "name": "the name", "condition": "meets the condition"}
_NOTHING_STANDS_OUT = "nothing stands out; among the nearest of the rest in meaning"


def why(evidence: Sequence[Evidence]) -> str:
    """Return one sentence: matched words, the cosine, and the strongest way that led there."""
    of: dict[str, list[Evidence]] = {}
    for item in evidence:
        if item.kind in of:
            of[item.kind].append(item)
        else:
            of[item.kind] = [item]
    parts = [f"is called {item.word!r}" for item in of["name"]] if "name" in of else []
    if "term" in of:
        parts.append("matches " + ", ".join([item.word for item in of["term"]]))
    elif "phrase" in of:
        parts.append(f"holds the phrase {of['phrase'][0].word!r}")
    for item in of.get("similarity", ()):
        if item.cosine is not None and item.cosine >= ALIKE and item.value > NOTHING:
            parts.append(f"similar in meaning (cosine {item.cosine:.2f})")  # the component is scaled by the best
    least = _CRUMB * sum([item.value for item in evidence])
    parts += [in_words(item) for item in of.get("condition", ())]
    parts += _led_there(of, least)
    parts += [in_words(item) for item in of.get("named", ()) if item.value >= least]
    parts += [in_words(item) for item in of.get("bridge", ()) if item.word and item.value >= least]
    if "bonus" in of:
        parts.append("first of its community")
    parts += [in_words(item) for item in of.get("rerank", ())]
    parts += [in_words(item) for item in of.get("recency", ()) if item.value and -item.value >= least]
    parts += [in_words(item) for item in of.get("pinned", ())]
    return "; ".join(parts) or _NOTHING_STANDS_OUT


def _led_there(of: Mapping[str, Sequence[Evidence]], least: float) -> list[str]:
    """Return how edges led to a node, from its evidence by kind; none where they gave next to nothing.

    What says no more than that it is near must have given ``least``.
    """
    paths = [item for item in of.get("path", ()) if item.value > NOTHING]
    ways = [item for item in paths if item.path[0].source != item.path[-1].target]
    if ways:  # a way that ends where it began says nothing
        return ["reached " + path_in_words(max(ways, key=attrgetter("value")).path)]
    near = [*paths, *[item for item in of.get("rest", ()) if item.component in _BY_EDGES]]
    if any([item.value > NOTHING and item.value >= least for item in near]):
        return ["near the best matches in the graph"]
    if any([item.value > NOTHING for item in of.get("pagerank", ())]):
        return ["central in the graph"]
    return []


def path_in_words(path: Sequence[PathStep]) -> str:
    """Return a path as ``from A via requires, then against part_of``."""
    start, *between = _called(path)[:-1]
    steps = [f"{'via' if step.along else 'against'} {step.type or 'an edge'}" for step in path]
    told = [f"{step} to {stop} " for step, stop in zip(steps, between, strict=False)] + [steps[-1]]
    return f"from {start} " + "and on ".join(told)


def _called(path: Sequence[PathStep]) -> list[str]:
    """Return what each node on a path is called, from its start on: its name, or its id where another has that name.

    Only a part at the end may have that of its document, as parts do.
    """
    nodes = [(path[0].source, path[0].source_name), *((step.target, step.target_name) for step in path)]
    to_part = path[-1].type == PART_OF and not path[-1].along
    names = [name for _, name in dict.fromkeys(nodes[:-1] if to_part else nodes)]
    return [display_name(name, identity) if names.count(name) == 1 else identity for identity, name in nodes]


def in_words(item: Evidence) -> str:
    """Return what one piece of evidence says."""
    if item.kind == "similarity":
        cosine = "" if item.cosine is None else f", cosine {item.cosine:.4f}"
        return f"similarity in meaning{cosine}"
    if item.kind in _OF_WORDS:
        return f"{_OF_WORDS[item.kind]} {item.word!r}"
    if item.kind == "bridge":
        before = _called(item.path)[0]
        if item.word:
            return f"adds {item.word!r} to {before}"
        return f"beside {before}, and nearer in meaning to a part of the question"
    if item.kind == "named":
        adds = f", and it adds {item.word!r}" if item.word else ""
        return f"all words of its name are in {_called(item.path)[0]}{adds}"
    if item.kind == "rerank":
        return f"moved by the reranker, which gave it {item.word}"
    if item.kind == "recency":
        return f"faded in {_days(item.word)}"
    if item.kind == "path":
        return path_in_words(item.path)
    if item.kind == "pagerank":
        return "how central it is in the whole graph (PageRank)"
    return _OTHERS[item.component if item.kind != "rest" else f"{item.component} rest"]


def _days(age: str) -> str:
    return "less than a day" if float(age) < 1 else "1 day" if age == "1" else f"{age} days"


_OTHERS = {
    "diversity": "first hit of its community",
    "coverage": "what it adds to the hits before it, relative to the first",
    "sides": "so that neither side of the comparison fills the answer",
    "pinned": "pinned",
    "clip": "cut to 1",
    "filter": "the filter leaves this node out",
    "chunks": "a document that was cut: its chunks are the answers",
    "text rest": "further words",
    "graph rest": "further paths",
    "intent rest": "further paths",
    "embedding rest": "the rest",
}


def explanation_text(explanation: Explanation, failed: Sequence[str]) -> str:
    """Return a score as a sum, a line for each summand; ``failed`` names the components that were left out."""
    of, rank = explanation, explanation.rank
    masked = any(item.kind == "masked" for item in of.evidence)
    standing = f"stands at rank {rank}" if rank else "is left out by the filter" if masked else "is not among the hits"
    weights = ", ".join(f"{name} {value:.3f}" for name, value in of.weights.as_dict().items())
    lines = [
        f"{display_name(of.node.name, of.node.id)} {standing} for {of.query!r} with a score of {of.score:.4f}.",
        f"Intent: {of.intent}; weights: {weights}.",
        *(f"{item.value:+.4f}  {item.component}: {in_words(item)}" for item in of.evidence),
        f"{of.score:.4f}  score",
    ]
    if failed:
        lines.append(f"Left out because they failed: {', '.join(failed)}.")
    return "\n".join(lines)
