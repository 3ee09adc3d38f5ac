"""A hit as a row of a page: its bar of contributions, its marked texts, and how its rank changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fourfold import Hit, Node, SearchResult
from fourfold.lens.session import Session, share_by_component
from fourfold.lens.state import Asked
from fourfold.markup import Piece, cut, marked
from fourfold.questions.results import title
from fourfold.types import COMPONENTS, Evidence

LONGEST_NAME = 120
"""Characters of a name that are shown."""

LONGEST_ID_IN_ADDRESS = 4000
"""Characters of an id; a longer one fits into no address, and its name is no link."""

WIDTH = 1000.0
"""Units in which the parts of a bar are told."""


@dataclass(frozen=True, slots=True)
class Part:
    """One colour of a bar: where it begins and how wide it is, of ``WIDTH``."""

    component: str
    start: float
    width: float
    value: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A score drawn: what the components gave, stacked, and what was taken off at its end."""

    parts: tuple[Part, ...]
    taken: Part | None
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """One hit. ``change`` is how many ranks it rose (above 0) or fell, None where it is new in the list."""

    rank: int
    hit: Hit
    name: Sequence[Piece]
    snippet: Sequence[Piece]
    bar: Bar
    why: str | None
    change: int | None = 0

    @property
    def moved(self) -> str:
        """``up``, ``down``, ``same`` or ``new``."""
        if self.change is None:
            return "new"
        return "up" if self.change > 0 else "down" if self.change < 0 else "same"


def rows_of(session: Session, asked: Asked, result: SearchResult, usual: SearchResult | None = None) -> list[Row]:
    """Return the hits of an answer as rows; ``usual`` is the answer that changes of rank are counted from."""
    scale = max((added_by(hit.evidence) for hit in result.hits), default=0.0)
    before = {hit.node.id: rank for rank, hit in enumerate((usual or result).hits, 1)}
    return [
        Row(
            rank=rank,
            hit=hit,
            name=marked_name(session, hit.node, asked.question),
            snippet=marked_text(session, session.snippet(hit.node, asked.question), asked.question),
            bar=bar_of(hit.evidence, hit.score, scale),
            why=why_address(asked, hit.node.id),
            change=before[hit.node.id] - rank if hit.node.id in before else None,
        )
        for rank, hit in enumerate(result.hits, 1)
    ]


def why_address(asked: Asked, node_id: str) -> str | None:
    """Return where a node's score is explained; None where its id fits into no address."""
    return asked.address("/why", ("node", node_id)) if len(node_id) <= LONGEST_ID_IN_ADDRESS else None


def marked_name(session: Session, node: Node, question: str) -> list[Piece]:
    """Return what a node is called, the question's words marked."""
    return marked_text(session, cut(title(node), LONGEST_NAME), question)


def marked_text(session: Session, text: str, question: str) -> list[Piece]:
    """Return a text made plain, the question's words marked as they stand there."""
    return marked(cut(text, max(len(text), 1)), frozenset(session.terms(question)), session.terms)


def bar_of(evidence: Sequence[Evidence], score: float, scale: float) -> Bar:
    """Return a score as a bar; ``scale`` is the sum that fills it.

    The parts are what was added; where something was taken off (coverage, the cut at 1), the end of it is marked.
    """
    shares = share_by_component(evidence)
    added = {name: max(shares.get(name, 0.0), 0.0) for name in COMPONENTS}
    added["other"] = sum(value for name, value in shares.items() if name not in COMPONENTS and value > 0)
    unit = WIDTH / scale if scale > 0 else 0.0
    parts, at = [], 0.0
    for name, value in added.items():
        if value * unit >= 0.5:
            parts.append(Part(name, at * unit, value * unit, value))
        at += value
    taken = Part("taken", score * unit, (at - score) * unit, score - at) if (at - score) * unit >= 1 else None
    told = [f"{name} {value:.3f}" for name, value in added.items() if value >= 0.0005]
    if taken is not None:
        told.append(f"taken off {-taken.value:.3f}")
    return Bar(tuple(parts), taken, ", ".join(told) or "nothing")


def added_by(evidence: Sequence[Evidence]) -> float:
    """Return what the components that add to a score add together: the scale of its bar."""
    shares = share_by_component(evidence)
    return sum(value for value in shares.values() if value > 0)
