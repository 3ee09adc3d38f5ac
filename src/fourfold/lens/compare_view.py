"""Side by side: one question asked in two ways, what both found, and where the difference comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from fourfold import Retriever, SearchResult, UnknownNodeError
from fourfold.lens.page import Pages
from fourfold.lens.rows import Row, rows_of
from fourfold.lens.session import AS_ASKED, IN_FORCE, Session, share_by_component
from fourfold.lens.state import Asked
from fourfold.markup import cut
from fourfold.questions.results import title

ROW = 62
"""Pixels of a row: the lines between the two lists are drawn by it."""

MIDDLE = 56
"""Pixels between the two lists."""

_MOST_MOVES = 8


@dataclass(frozen=True, slots=True)
class Side:
    """One way of asking, and its answer."""

    way: str
    retriever: Retriever
    asked: Asked
    result: SearchResult
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Move:
    """A node that stands elsewhere on the two sides: a sentence, and how much each signal gives more on the right."""

    name: str
    sentence: str
    differences: Sequence[tuple[str, float]]


def compare(pages: Pages, request: Request) -> Response:
    """Show the page."""
    session = pages.session
    asked = Asked.of(request.query_params)
    left = request.query_params.get("a") or (AS_ASKED if asked.touched else IN_FORCE)
    right = request.query_params.get("b") or "text only"
    context = {
        "asked": asked,
        "view": "compare",
        "ways": session.ways(),
        "a": left,
        "b": right,
        "sides": None,
        "row_height": ROW,
        "middle": MIDDLE,
    }
    if asked.question.strip():
        sides = _side(session, left, asked), _side(session, right, asked)
        context |= {
            "sides": sides,
            "joined": joined(*sides),
            "summary": summary(*sides),
            "notes": list(dict.fromkeys(note for way in (left, right) for note in session.notes(way))),
            "moves": moves(session, *sides),
            "height": ROW * max(len(side.rows) for side in sides),
        }
    return pages.render("compare.html", context)


def joined(left: Side, right: Side) -> list[tuple[str, str]]:
    """Return a line from each common hit to itself on the other side: its curve, and ``same``, ``up`` or ``down``."""
    ranks = {node_id: rank for rank, node_id in enumerate(right.result.ids)}
    lines = []
    for rank, node_id in enumerate(left.result.ids):
        if node_id in ranks:
            y1, y2 = (place * ROW + ROW // 2 for place in (rank, ranks[node_id]))
            kind = "same" if y1 == y2 else "up" if y2 < y1 else "down"
            lines.append((f"M0 {y1} C{MIDDLE / 2:g} {y1} {MIDDLE / 2:g} {y2} {MIDDLE} {y2}", kind))
    return lines


def summary(left: Side, right: Side) -> str:
    """Return how much the two have in common, in a sentence."""
    one, two = left.result.ids, right.result.ids
    if not one or not two:
        return "One of them found nothing."
    common = len(set(one) & set(two))
    most = max(len(one), len(two))
    first = "The first hit is the same." if one[0] == two[0] else "The first hit differs."
    same = sum(a == b for a, b in zip(one, two, strict=False))
    return f"{common} of {most} hits in common, {same} of them at the same rank. {first}"


def moves(session: Session, left: Side, right: Side) -> list[Move]:
    """Return the nodes that stand farthest apart on the two sides, and which signals make the difference."""
    ranks = [{node_id: rank for rank, node_id in enumerate(side.result.ids, 1)} for side in (left, right)]
    names = {hit.node.id: title(hit.node) for side in (left, right) for hit in side.result.hits}
    beyond = max(map(len, ranks)) + 1
    apart = {node: ranks[0].get(node, beyond) - ranks[1].get(node, beyond) for node in names}
    told = []
    for node in sorted((n for n in apart if apart[n]), key=lambda n: (-abs(apart[n]), n))[:_MOST_MOVES]:
        one, two = (_shares(session, side, node) for side in (left, right))
        differences = {name: two.get(name, 0.0) - one.get(name, 0.0) for name in {**one, **two}}
        largest = sorted(differences.items(), key=lambda each: -abs(each[1]))
        places = [f"rank {r[node]}" if node in r else "not there" for r in ranks]
        sentence = f"{places[0]} on the left, {places[1]} on the right"
        told.append(Move(cut(names[node], 80), sentence, [each for each in largest if abs(each[1]) >= 0.0005][:4]))
    return told


def _side(session: Session, way: str, asked: Asked) -> Side:
    retriever, own = session.by(way, asked)
    result = session.search(own, retriever)
    return Side(way, retriever, own, result, rows_of(session, own, result))


def _shares(session: Session, side: Side, node_id: str) -> dict[str, float]:
    """Return what each signal gives a node on one side; nothing where its file does not have it."""
    hit = next((hit for hit in side.result.hits if hit.node.id == node_id), None)
    if hit is not None:
        return share_by_component(hit.evidence)
    try:
        return share_by_component(session.explain(side.asked, node_id, retriever=side.retriever).evidence)
    except UnknownNodeError:
        return {}
