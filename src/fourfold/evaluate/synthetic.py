"""Probes from the graph itself, so that a new user sees the ladder at once. They are marked synthetic.

A question made of a node's own words is easy: such probes show that search works and how components differ, not how
good answers to people's questions are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fourfold.arguments import whole_number
from fourfold.edge_types import label
from fourfold.errors import InvalidValueError
from fourfold.evaluate.collection import JudgedQuery
from fourfold.open_graph import of_open_graph
from fourfold.types import Node

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_SHORTEST, _LONGEST = 3, 30


@of_open_graph
def suggest_probes(retriever: Retriever, *, count: int = 50, seed: int = 0) -> list[JudgedQuery]:
    """Return up to ``count`` probes: first sentences, names, and linked pairs, a third of each where there are such.

    A first sentence asks for its node, without the node's name in it; a name asks for its node; a pair asks, by the
    name of one end and the words of the edge's type, for everything that edge leads to.

    Raises:
        InvalidValueError: the graph is empty; ``count`` or ``seed`` is no whole number, or too small.

    """
    count, seed = whole_number(count, "count"), whole_number(seed, "seed", least=0)
    ids = retriever.matching({})
    if not ids:
        raise InvalidValueError(f"{retriever.path!r} holds no nodes to make probes of; add some first.")
    chosen = np.random.default_rng(seed).permutation(len(ids))[: 6 * count]
    nodes = retriever.get([ids[place] for place in chosen])
    kinds = [list(_sentences(nodes)), list(_names(nodes)), list(_pairs(retriever, nodes))]
    found: list[tuple[str, dict[str, float]]] = []
    seen: set[str] = set()
    while any(kinds) and len(found) < count:
        for kind in kinds:
            if kind and len(found) < count:
                text, relevant = kind.pop(0)
                if text.lower() not in seen:
                    seen.add(text.lower())
                    found.append((text, relevant))
    return [
        JudgedQuery(f"synthetic-{number}", text, relevant, synthetic=True)
        for number, (text, relevant) in enumerate(found, 1)
    ]


def _sentences(nodes: list[Node]) -> Iterator[tuple[str, dict[str, float]]]:
    for node in nodes:
        first = _SENTENCE_END.split(node.text.strip(), maxsplit=1)[0]
        if node.name:
            first = re.sub(re.escape(node.name), "", first, flags=re.IGNORECASE)
        words = first.split()
        if len(words) >= _SHORTEST:
            yield " ".join(words[:_LONGEST]), {node.id: 1.0}


def _names(nodes: list[Node]) -> Iterator[tuple[str, dict[str, float]]]:
    for node in nodes:
        if node.name.strip():
            yield node.name.strip(), {node.id: 1.0}


def _pairs(retriever: Retriever, nodes: list[Node]) -> Iterator[tuple[str, dict[str, float]]]:
    for node in nodes:
        if not node.name.strip():
            continue
        targets: dict[str, dict[str, float]] = {}
        for edge in retriever.edges([node.id]):
            if edge.source == node.id and edge.target != node.id:
                targets.setdefault(edge.type, {})[edge.target] = 1.0
        for kind, relevant in sorted(targets.items()):
            if len(relevant) <= 5:
                yield f"{node.name.strip()} {label(kind)}".strip(), relevant
                break
