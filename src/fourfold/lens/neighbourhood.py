"""The neighbourhood of a node as a picture: the seeds, the paths that carried score to it, and what else is near."""

from __future__ import annotations

from collections.abc import Mapping

from fourfold import Explanation
from fourfold.lens.drawing import Arrow, Drawing, draw
from fourfold.lens.rows import why_address
from fourfold.lens.session import Session
from fourfold.lens.state import Asked
from fourfold.plain_text import display_name
from fourfold.questions.results import title

MOST_NODES = 18
"""Nodes in one picture."""

MOST_NEAR = 8
"""Of them, neighbours that gave nothing."""

BRIDGE = "bridge (shared words)"
"""How the way is called that is no edge: two texts share a rare word."""


def neighbourhood(session: Session, asked: Asked, explanation: Explanation) -> Drawing | None:
    """Return the picture; None where the node has no edge and no path leads to it."""
    here = explanation.node
    flows, names, seeds = _flows(explanation)
    names.setdefault(here.id, title(here))
    arrows = [Arrow(*edge, flow, edge[2] == BRIDGE) for edge, flow in flows.items()]
    near = _near(session, here.id, names, flows)
    arrows += near
    if not arrows:
        return None
    unnamed = [node for arrow in near for node in (arrow.source, arrow.target) if node not in names]
    names |= {node.id: title(node) for node in session.nodes(unnamed).values()}
    kinds = {node: "path" for edge in flows for node in edge[:2]} | dict.fromkeys(seeds, "seed") | {here.id: "here"}
    label = f"What is around this node: {len(names)} nodes, {len(arrows)} edges, {len(flows)} of which carried score."
    return draw(names, arrows, kinds=kinds, address=lambda node: why_address(asked, node), label=label)


def _flows(explanation: Explanation) -> tuple[dict[tuple[str, str, str], float], dict[str, str], set[str]]:
    """Return what came along each edge (source, target, type), the names on the paths, and where they begin."""
    flows: dict[tuple[str, str, str], float] = {}
    names: dict[str, str] = {}
    seeds: set[str] = set()
    for item in sorted(explanation.evidence, key=lambda each: -each.value):
        if not item.path or item.value <= 0:
            continue
        new = {node for step in item.path for node in (step.source, step.target)} - names.keys()
        if len(names) + len(new) > MOST_NODES - 2:
            continue
        seeds.add(item.path[0].source)
        for step in item.path:
            names[step.source] = display_name(step.source_name, step.source)
            names[step.target] = display_name(step.target_name, step.target)
            ends = (step.source, step.target) if step.along else (step.target, step.source)
            edge = (*ends, BRIDGE if item.component == "bridge" else step.type)
            flows[edge] = flows.get(edge, 0.0) + item.value
    return flows, names, seeds


def _near(
    session: Session, here: str, names: Mapping[str, str], flows: Mapping[tuple[str, str, str], float]
) -> list[Arrow]:
    """Return edges of the node that gave nothing: between what is drawn already, and to its heaviest neighbours."""
    found: list[Arrow] = []
    shown = set(names)
    left = min(MOST_NEAR, MOST_NODES - len(shown))
    for edge in sorted(session.edges([here]), key=lambda e: (-e.weight, e.source, e.target, e.type)):
        if edge.source == edge.target or (edge.source, edge.target, edge.type) in flows:
            continue
        other = edge.target if edge.source == here else edge.source
        if other not in shown:
            if left <= 0:
                continue
            left -= 1
            shown.add(other)
        found.append(Arrow(edge.source, edge.target, edge.type))
    return found
