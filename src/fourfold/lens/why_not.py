"""Why not: what a node that was expected has, what it lacks, and what would have to change for it to be a hit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fourfold import Explanation, SearchResult, Weights
from fourfold.lens.session import Session, share_by_component
from fourfold.lens.state import MOST_HITS, Asked
from fourfold.markup import cut
from fourfold.types import COMPONENTS

FAR = 1000
"""How far down a node's rank is looked for."""

_SHARES = (0.4, 0.6, 0.8, 1.0)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change after which the node is a hit: a sentence, and the address that tries it."""

    sentence: str
    address: str


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What is missing: where the node stands, what it lacks beside the last hit, and what would help."""

    standing: str
    lacks: tuple[str, ...]
    remedies: tuple[Remedy, ...]


def why_not(session: Session, asked: Asked, explanation: Explanation) -> WhyNot:
    """Return why a node is not among the hits; it costs some thirty searches."""
    result = session.search(asked)
    node_id = explanation.node.id
    excluding = list(_excluding(session, asked, node_id))
    if excluding:
        told = tuple(f"The filter asks that {told}; it does not have that." for told, _ in excluding)
        remedies = tuple(Remedy(f"Without “{told}”", address) for told, address in excluding)
        return WhyNot("The filter leaves it out.", told, remedies)
    rank = session.explain(asked, node_id, k=FAR).rank
    far = f"It is not among the first {FAR:,}." if rank is None else f"It stands at rank {rank}."
    last = result.hits[-1].score if result.hits else 0.0
    standing = f"{far} Its score is {explanation.score:.3f}; the last hit has {last:.3f}."
    return WhyNot(
        standing,
        tuple(_lacks(session, asked, explanation, result)),
        tuple(_remedies(session, asked, explanation, result, rank)),
    )


def _excluding(session: Session, asked: Asked, node_id: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of the filter that leave the node out, each with the address of the question without it."""
    for row in asked.conditions:
        alone = session.explain(replace(asked, conditions=(row,)), node_id)
        if any(item.kind == "masked" for item in alone.evidence):
            others = tuple(other for other in asked.conditions if other is not row)
            yield cut(row.in_words(), 120), asked.address("/", conditions=others)


def _lacks(session: Session, asked: Asked, explanation: Explanation, result: SearchResult) -> Iterator[str]:
    """Yield what the last hit has more of, beginning with words of the question."""
    node = explanation.node
    held = frozenset(session.terms(f"{node.name} {node.type} {node.text[:100_000]}"))
    words = dict.fromkeys(word for word in _WORD.findall(asked.question) if session.terms(word))
    missing = [word for word in words if not held.intersection(session.terms(word))]
    if missing:
        listed = ", ".join(f"“{cut(word, 40)}”" for word in missing[:8])
        yield f"It does not hold {listed}{' and others' if len(missing) > 8 else ''}."
    if not any(item.component in ("graph", "intent") for item in explanation.evidence):
        yield "No path of edges leads to it from what the question matches best."
    if not result.hits:
        return
    last = share_by_component(result.hits[-1].evidence)
    own = share_by_component(explanation.evidence)
    for name in COMPONENTS:
        difference = last.get(name, 0.0) - own.get(name, 0.0)
        if difference > 0.005:
            yield f"By {name} it gets {own.get(name, 0.0):.3f}, the last hit {last.get(name, 0.0):.3f}."


def _remedies(
    session: Session, asked: Asked, explanation: Explanation, result: SearchResult, rank: int | None
) -> Iterator[Remedy]:
    """Yield what would make it a hit, each tried by a search."""
    node_id = explanation.node.id
    if rank is not None and rank <= MOST_HITS:
        yield Remedy(f"Ask for {rank} hits", asked.address("/", k=rank))
    components = explanation.components.as_dict()
    for name in COMPONENTS:
        if components[name] <= 0:
            continue
        for share in _SHARES:
            if share <= getattr(result.weights, name):
                continue
            weights = _with_share(result.weights, name, share)
            found = session.search(replace(asked, weights=weights)).ids
            if node_id in found:
                place = found.index(node_id) + 1
                yield Remedy(
                    f"Weigh {name} with {share:.1f} of the sum: rank {place}", asked.address("/", weights=weights)
                )
                break
    for intent in session.intents():
        if intent == result.intent:
            continue
        found = session.search(replace(asked, intent=intent)).ids
        if node_id in found:
            yield Remedy(
                f"Read the question as {intent}: rank {found.index(node_id) + 1}", asked.address("/", intent=intent)
            )


def _with_share(weights: Weights, name: str, share: float) -> Weights:
    """Return the weights with one of them a share of the sum, the others scaled to fill the rest."""
    values = weights.as_dict()
    rest = sum(value for other, value in values.items() if other != name)
    left = (1.0 - share) / rest if rest > 0 else 0.0
    return Weights(**{other: share if other == name else value * left for other, value in values.items()})
