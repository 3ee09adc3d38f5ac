"""Why not: what a node that was expected has, what it lacks, and what would have to change for it to be a hit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fourfold import Explanation, Node, SearchResult, Weights
from fourfold.lens.session import Session, share_by_component
from fourfold.lens.state import MOST_HITS, Asked, Condition
from fourfold.markup import cut
from fourfold.types import COMPONENTS
from fourfold.word_breaks import stretches

FAR = 1000
"""How far down a node's rank is looked for."""

_SHARES = (0.4, 0.6, 0.8, 1.0)


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
        rows = [cut(row.in_words(), 120) for row in excluding]
        told = tuple(f"The filter asks that {row}; it does not have that." for row in rows)
        others = replace(asked, conditions=tuple(row for row in asked.conditions if row not in excluding))
        listed = " and ".join(f"“{row}”" for row in rows)
        return WhyNot("The filter leaves it out.", told, (_without(session, others, node_id, listed),))
    rank = session.explain(asked, node_id, k=FAR).rank
    stands_for_it = None if rank is not None else _stands_for(session, asked, explanation.node)
    far = f"It is not among the first {FAR:,}." if rank is None else f"It stands at rank {rank}."
    if stands_for_it is not None:
        far = f"The hit at rank {stands_for_it} stands for it: there is one for each {cut(str(asked.group_by), 60)}."
    last = result.hits[-1].score if result.hits else 0.0
    standing = f"{far} Its score is {explanation.score:.3f}; the last hit has {last:.3f}."
    remedies = list(_remedies(session, asked, explanation, result, rank))
    if stands_for_it is not None:
        listed = f"one hit for each {cut(str(asked.group_by), 60)}"
        remedies.insert(0, _without(session, replace(asked, group_by=None), node_id, listed))
    return WhyNot(standing, tuple(_lacks(session, asked, explanation, result)), tuple(remedies))


def _excluding(session: Session, asked: Asked, node_id: str) -> Iterator[Condition]:
    """Yield the rows of the filter that leave the node out."""
    for row in asked.conditions:
        if not session.passes(replace(asked, conditions=(row,)), node_id):
            yield row


def _stands_for(session: Session, asked: Asked, node: Node) -> int | None:
    """Return the rank of the hit that stands for the node where there is one for each value of a metadata key."""
    if asked.group_by is None or asked.group_by not in node.metadata:
        return None
    value = node.metadata[asked.group_by]
    grouped = enumerate(session.search(replace(asked, k=FAR)).hits, 1)
    return next((rank for rank, hit in grouped if hit.node.metadata.get(asked.group_by) == value), None)


def _without(session: Session, changed: Asked, node_id: str, what: str) -> Remedy:
    """Return what leaving out a part of the question does; where that is not enough, the address says what more is."""
    found = session.search(changed).ids
    if node_id in found:
        return Remedy(f"Without {what}: rank {found.index(node_id) + 1}", changed.address("/"))
    return Remedy(f"Without {what}, though it is no hit then either", changed.address("/why", ("node", node_id)))


def _lacks(session: Session, asked: Asked, explanation: Explanation, result: SearchResult) -> Iterator[str]:
    """Yield what the last hit has more of, beginning with words of the question."""
    node = explanation.node
    held = frozenset(session.terms(f"{node.name} {node.type} {node.text[:100_000]}"))
    words = dict.fromkeys(word for found in stretches(asked.question) if session.terms(word := found.group()))
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
    yield from _more_hits(session, asked, node_id, rank)
    components = explanation.components.as_dict()
    for name in COMPONENTS:
        if components[name] > 0:
            yield from _more_weight(session, asked, node_id, result.weights, name)
    for intent in session.intents():
        if intent == result.intent:
            continue
        found = session.search(replace(asked, intent=intent)).ids
        if node_id in found:
            yield Remedy(
                f"Read the question as {intent}: rank {found.index(node_id) + 1}", asked.address("/", intent=intent)
            )


def _more_weight(session: Session, asked: Asked, node_id: str, now: Weights, name: str) -> Iterator[Remedy]:
    """Yield the least larger share of the sum at which a component makes the node a hit, if there is one."""
    for share in _SHARES:
        if share > getattr(now, name):
            weights = _with_share(now, name, share)
            found = session.search(replace(asked, weights=weights)).ids
            if node_id in found:
                told = f"Weigh {name} with {share:.1f} of the sum: rank {found.index(node_id) + 1}"
                yield Remedy(told, asked.address("/", weights=weights))
                return


def _more_hits(session: Session, asked: Asked, node_id: str, rank: int | None) -> Iterator[Remedy]:
    """Yield how many hits hold the node: its rank is one of many hits, of fewer others may have a bonus."""
    if rank is None or rank > MOST_HITS:
        return
    for count in (rank, min(2 * rank, MOST_HITS)):
        if node_id in session.search(replace(asked, k=count)).ids:
            yield Remedy(f"Ask for {count} hits", asked.address("/", k=count))
            return


def _with_share(weights: Weights, name: str, share: float) -> Weights:
    """Return the weights with one of them a share of the sum, the others scaled to fill the rest."""
    values = weights.as_dict()
    rest = sum(value for other, value in values.items() if other != name)
    left = (1.0 - share) / rest if rest > 0 else 0.0
    return Weights(**{other: share if other == name else value * left for other, value in values.items()})
