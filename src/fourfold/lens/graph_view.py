"""Graph: what the file holds, and what can be asked of its edges: a path, an impact, a workflow, each drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from fourfold import FourfoldError, Node
from fourfold.lens.drawing import Arrow, Drawing, draw
from fourfold.lens.page import Pages
from fourfold.lens.rows import LONGEST_NAME, why_address
from fourfold.lens.session import Session
from fourfold.lens.state import Asked
from fourfold.markup import cut
from fourfold.plain_text import counted
from fourfold.questions import ImpactAnswer, PathAnswer
from fourfold.questions.impact import DIRECTIONS, Direction
from fourfold.questions.results import title
from fourfold.tools import Workflow

MOST_DRAWN = 24
"""Nodes in the picture of an impact; further ones are listed."""

_LISTED = 50


@dataclass(frozen=True, slots=True)
class Told:
    """An answer about the graph: a sentence, a picture, a list of (name, what is said of it, address), and notes.

    A sentence may come in parts: those of names in Arabic or Hebrew do not turn the arrows between them around.
    """

    sentence: str | Sequence[str]
    drawing: Drawing | None = None
    rows: Sequence[tuple[str, str, str | None]] = ()
    notes: Sequence[str] = ()
    failed: bool = False


def graph(pages: Pages, request: Request) -> Response:
    """Show the page, with the answer to whatever its forms asked."""
    session = pages.session
    given = {name: request.query_params.get(name, "") for name in ("from", "to", "node", "direction", "task")}
    asked = Asked.of(request.query_params)
    facts = session.facts()
    types = session.edge_counts()
    told: dict[str, Told | None] = {"path": None, "impact": None, "workflow": None}
    if given["from"] and given["to"]:
        told["path"] = _told(lambda: path_of(session, asked, given["from"], given["to"]))
    if given["node"]:
        direction = cast(Direction, given["direction"] or DIRECTIONS[0])  # another word is refused, in a sentence
        told["impact"] = _told(lambda: impact_of(session, asked, given["node"], direction))
    if given["task"]:
        told["workflow"] = _told(lambda: workflow_of(session, asked, given["task"]))
    context = {
        "asked": asked,
        "view": "graph",
        "given": given,
        "directions": DIRECTIONS,
        "facts": _facts(session, facts),
        "types": types,
        "most": max((count for _, count in types or ()), default=1),
        "names": [cut(name, 60) for name in facts["edge_types"]],
        "intents": session.intents(),
        "told": told,
    }
    return pages.render("graph.html", context)


def path_of(session: Session, asked: Asked, one: str, two: str) -> Told:
    """Return the shortest path between two nodes."""
    found: PathAnswer = session.questions.trace_path(one, two)
    sentence: str | list[str] = cut(found.headline(), 600)
    drawing = None
    if found.found and found.hops:
        sentence = [cut(title(found.source), LONGEST_NAME)]
        for hop in found.hops:
            before, after = (" —", "→ ") if hop.along else (" ←", "— ")
            sentence += [before, cut(hop.types, LONGEST_NAME), after, cut(title(hop.target), LONGEST_NAME)]
        arrows = [Arrow(e.source, e.target, e.type, 1.0) for hop in found.hops for e in hop.edges]
        layers = {node.id: place for place, node in enumerate(found.path)}
        kinds = {found.source.id: "here", found.target.id: "here"}
        drawing = _drawn(asked, found.path, arrows, layers, kinds, cut(found.headline(), 300))
    return Told(sentence, drawing, notes=found.notes)


def impact_of(session: Session, asked: Asked, node: str, direction: Direction) -> Told:
    """Return what a change to a node touches, the riskiest first."""
    found: ImpactAnswer = session.questions.impact_analysis(node, direction, limit=_LISTED)
    shown = found.touched[:MOST_DRAWN]
    layers = {found.node.id: 0} | {each.node.id: each.depth for each in shown}
    drawing = None
    if shown:
        nodes = [found.node, *(each.node for each in shown)]
        arrows = [Arrow(e.via.source, e.via.target, e.via.type, e.risk) for e in shown]
        drawing = _drawn(asked, nodes, arrows, layers, {found.node.id: "here"}, cut(found.headline(), 300))
    rows = [
        (cut(title(each), 80), f"risk {risk:.3f}, {cut(why, 120)}", why_address(asked, each.id))
        for each, risk, why in found.rows()
    ]
    return Told(cut(found.headline(), 600), drawing, rows, found.notes)


def workflow_of(session: Session, asked: Asked, task: str) -> Told:
    """Return the tools that a task needs, in their order."""
    found: Workflow = session.catalog.suggest_workflow(task)
    steps = [*found.steps, *found.suggested]
    if not steps:
        return Told("No tool of this graph serves that; a tool is a node of the type tool.")
    sentence = f"{counted(len(found.steps), 'step')}, confidence {found.confidence:.2f}."
    rows = [
        (
            cut(step.id, 80),
            f"{f'step {step.stage + 1}' if step in found.steps else 'suggested'}: {cut(step.reason, 160)}",
            why_address(asked, step.id),
        )
        for step in steps
    ]
    notes = [f"Nothing serves “{cut(part, 120)}”." for part in found.missing]
    notes += [f"These need each other, their order is a guess: {cut(', '.join(cycle), 200)}." for cycle in found.cycles]
    return Told(sentence, _workflow_drawn(asked, found, f"A workflow of {sentence}"), rows, notes)


def _workflow_drawn(asked: Asked, found: Workflow, label: str) -> Drawing:
    """Draw the steps from left to right by their stages, and behind the last what is only suggested."""
    last = max((step.stage for step in found.steps), default=-1) + 1
    layers = {step.id: step.stage for step in found.steps} | {step.id: last for step in found.suggested}
    arrows = [Arrow(before, step.id, "then", 1.0) for step in found.steps for before in step.after]
    arrows += [Arrow(b, step.id, "goes together", 0.0, dotted=True) for step in found.suggested for b in step.after]
    nodes = [Node(id=step.id, name=step.name) for step in (*found.steps, *found.suggested)]
    kinds = {step.id: "here" if step.kind == "goal" else "path" for step in found.steps}
    return _drawn(asked, nodes, arrows, layers, kinds, label)


def _drawn(
    asked: Asked,
    nodes: Sequence[Node],
    arrows: Sequence[Arrow],
    layers: dict[str, int],
    kinds: dict[str, str],
    label: str,
) -> Drawing:
    names = {node.id: title(node) for node in nodes}
    return draw(names, arrows, kinds=kinds, address=lambda node: why_address(asked, node), label=label, layers=layers)


def _told(answer: Callable[[], Told]) -> Told:
    """Return an answer; what cannot be answered is a sentence in its place, beside the others."""
    try:
        return answer()
    except FourfoldError as error:
        return Told(cut(str(error), 600), failed=True)


def _facts(session: Session, facts: dict[str, object]) -> list[tuple[str, str]]:
    """Return what the file holds, as names and values; no communities where they are still being found."""
    told: list[tuple[str, object]] = [
        ("file", session.place),
        ("nodes", facts["nodes"]),
        ("edges", facts["edges"]),
        ("communities", session.community_count() or (None if facts["edges"] else 0)),
        ("vectors", facts.get("vectors")),
        ("dimensions", facts["dimensions"]),
        ("embedder", facts["embedder"]),
        ("tokenizer", facts["tokenizer"]),
        ("engine", session.engine),
        ("generation", facts["generation"]),
        ("config version", facts["config_version"]),
    ]
    return [(name, f"{v:,}" if isinstance(v, int) else cut(str(v), 200)) for name, v in told if v is not None]
