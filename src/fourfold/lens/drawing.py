"""Nodes and edges as a picture: laid out on the server by networkx, drawn as SVG by a template."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from fourfold.markup import cut
from fourfold.plain_text import beginning

WIDTH, HEIGHT = 760, 440
MARGIN_X, MARGIN_Y = 180, 34
COLUMN = 172
"""Units between two columns of a picture that is read from left to right."""
RADIUS = 7.0
COLOURS = 8
"""Edge types that have a colour of their own; further ones share the last."""

LONGEST_LABEL = 21
"""Characters of a name in a picture."""

ROOM = 166.0
"""Units that a name may take, which leaves a little between two of a column's width."""

_NARROW = frozenset("fijlrtI.,:;|!'()[] ")
_BROAD = frozenset("mwMW@%—…")
_BOLD = 1.1
_ARROW = 7.0
_THINNEST, _THICKEST, _EVEN = 1.2, 7.0, 1.8
_SWEEPS = 4


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge to draw: ``flow`` is the share of the score that came along it, 0 for an edge that is merely there."""

    source: str
    target: str
    type: str
    flow: float = 0.0
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A node where it is drawn, and where its name begins (or ends, or has its middle: ``anchor``, as SVG has it).

    ``kind`` is "here", "seed", "path" or "near".
    """

    id: str
    label: str
    x: float
    y: float
    text_x: float
    text_y: float
    anchor: str
    kind: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """An edge where it is drawn: a curve, the three corners of its head, and the number of its colour."""

    curve: str
    head: str
    colour: int
    width: float
    label: str
    flows: bool
    dotted: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of ``width`` × ``height`` units; ``types`` are the edge types by the number of their colour."""

    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]
    types: tuple[tuple[int, str], ...]
    width: int
    height: int
    label: str


def draw(
    labels: Mapping[str, str],
    arrows: Iterable[Arrow],
    *,
    kinds: Mapping[str, str],
    address: Callable[[str], str | None],
    label: str,
    layers: Mapping[str, int] | None = None,
) -> Drawing:
    """Return the picture.

    Args:
        labels: what each node is called, by id.
        arrows: edges between them; one with an unknown end is left out.
        kinds: what a node is, by id; others are "near".
        address: where a click on a node leads.
        label: what the picture shows, in one sentence.
        layers: the column of each node, where there is an order from left to right; else the layout finds places.

    """
    kept = [arrow for arrow in arrows if arrow.source in labels and arrow.target in labels]
    places = _places(list(labels), kept, layers)
    width, height = (WIDTH, HEIGHT) if layers is None else _size(layers)
    scaled = _scaled(places, width, height, MARGIN_X if layers is None else COLUMN // 2)
    order = sorted({arrow.type for arrow in kept}, key=lambda name: (-_flow(kept, name), name))
    colours = {name: min(number, COLOURS - 1) for number, name in enumerate(order)}
    flows = [arrow.flow for arrow in kept if arrow.flow > 0]
    strongest = max(flows, default=0.0) if len(set(flows)) > 1 or layers is None else 0.0
    spots = []
    for node, name in labels.items():
        kind = kinds.get(node, "near")
        text_x, text_y, anchor = _name_beside(scaled[node], height, below=kind == "here" or layers is not None)
        spots.append(
            Spot(node, _short(name, bold=kind == "here"), *scaled[node], text_x, text_y, anchor, kind, address(node))
        )
    return Drawing(
        spots=tuple(spots),
        lines=tuple(_lines(kept, scaled, colours, strongest)),
        types=tuple((colours[name], cut(name, 40) or "an edge") for name in order),
        width=width,
        height=height,
        label=label,
    )


def _short(name: str, *, bold: bool) -> str:
    """Return a name as a picture has room for it."""
    kept, whole = cut(beginning(name, LONGEST_LABEL), LONGEST_LABEL), len(name) <= LONGEST_LABEL
    room = ROOM / _BOLD if bold else ROOM
    while sum(map(_width, kept if whole else f"{kept}…")) > room:
        kept, whole = beginning(kept, len(kept) - 1), False
    return kept if whole else f"{kept.rstrip()}…"


def _width(letter: str) -> float:
    """Return the units that a letter takes at most, in the broad ones of the fonts that pages are shown in."""
    if unicodedata.combining(letter):
        return 0.0
    if letter in _BROAD or unicodedata.east_asian_width(letter) in "WF":
        return 13.0
    return 5.3 if letter in _NARROW else 9.8 if letter.isupper() else 8.3


def _name_beside(place: tuple[float, float], height: int, *, below: bool) -> tuple[float, float, str]:
    """Return where the name of a node stands: outwards, so that names keep out of each other's way."""
    x, y = place
    if below or abs(x - WIDTH / 2) < 0.08 * WIDTH:
        return x, round(y - 14 if y < height / 2 and not below else y + 24, 1), "middle"
    return (x + 13, y + 4.5, "start") if x > WIDTH / 2 else (x - 13, y + 4.5, "end")


def _flow(arrows: Sequence[Arrow], name: str) -> float:
    return sum(arrow.flow for arrow in arrows if arrow.type == name)


def _places(
    nodes: Sequence[str], arrows: Sequence[Arrow], layers: Mapping[str, int] | None
) -> dict[str, tuple[float, float]]:
    """Return where each node stands, in no particular unit; the same for the same graph."""
    if layers is not None:
        return _in_columns(nodes, arrows, layers)
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((arrow.source, arrow.target) for arrow in arrows if arrow.source != arrow.target)
    if len(nodes) == 1:
        return {nodes[0]: (0.5, 0.5)}
    found = nx.kamada_kawai_layout(graph, pos=nx.circular_layout(graph))
    return {node: (float(x), float(y)) for node, (x, y) in found.items()}


def _in_columns(
    nodes: Sequence[str], arrows: Sequence[Arrow], layers: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Return places in columns, each node near the middle of those it is joined with: fewer lines cross.

    Source: Sugiyama, Tagawa & Toda, "Methods for visual understanding of hierarchical system structures" (1981).
    """
    columns: dict[int, list[str]] = {}
    for node in nodes:
        columns.setdefault(layers[node], []).append(node)
    joined: dict[str, list[str]] = {node: [] for node in nodes}
    for arrow in arrows:
        joined[arrow.source].append(arrow.target)
        joined[arrow.target].append(arrow.source)
    row = {node: (place + 0.5) / len(own) for own in columns.values() for place, node in enumerate(own)}
    order = sorted(columns)
    for sweep in (order[1:], order[-2::-1]) * _SWEEPS:
        for column in sweep:
            own = columns[column]
            middle = {node: sum(map(row.__getitem__, near)) / len(near) for node in own if (near := joined[node])}
            own.sort(key=lambda node: (middle.get(node, row[node]), node))
            row |= {node: (place + 0.5) / len(own) for place, node in enumerate(own)}
    return {node: (float(layers[node]), row[node]) for node in nodes}


def _size(layers: Mapping[str, int]) -> tuple[int, int]:
    """Return how large a picture in columns is: every node has room for its name."""
    columns = list(layers.values())
    highest = max((columns.count(column) for column in set(columns)), default=1)
    return COLUMN * (max(columns, default=0) - min(columns, default=0) + 1), 52 * (highest - 1) + 2 * MARGIN_Y + 20


def _scaled(
    places: Mapping[str, tuple[float, float]], width: int, height: int, margin: int
) -> dict[str, tuple[float, float]]:
    """Stretch the places over the picture."""
    left, right = min(x for x, _ in places.values()), max(x for x, _ in places.values())
    top, bottom = min(y for _, y in places.values()), max(y for _, y in places.values())

    def spread(value: float, low: float, high: float, edge: int, size: int) -> float:
        share = 0.5 if high - low < 1e-9 else (value - low) / (high - low)
        return round(edge + share * (size - 2 * edge), 1)

    return {
        node: (spread(x, left, right, margin, width), spread(y, top, bottom, MARGIN_Y, height))
        for node, (x, y) in places.items()
    }


def _lines(
    arrows: Sequence[Arrow],
    places: Mapping[str, tuple[float, float]],
    colours: Mapping[str, int],
    strongest: float,
) -> Iterable[Line]:
    """Yield the edges, those that gave most last (on top); edges between the same two nodes bend apart."""
    beside: dict[frozenset[str], int] = {}
    for arrow in sorted(arrows, key=lambda each: each.flow):
        if arrow.source == arrow.target:
            continue
        pair = frozenset((arrow.source, arrow.target))
        number = beside[pair] = beside.get(pair, -1) + 1
        side = 1 if arrow.source < arrow.target else -1
        bend = side * 26.0 * ((number + 1) // 2) * (1 if number % 2 else -1)
        share = arrow.flow / strongest if strongest > 0 else 0.0
        width = _THINNEST + share * (_THICKEST - _THINNEST) if strongest > 0 and arrow.flow > 0 else 1.0
        width = _EVEN if strongest == 0 and arrow.flow > 0 else width
        curve, head = _curve(places[arrow.source], places[arrow.target], bend, width)
        told = f"{cut(arrow.type, 40) or 'an edge'}" + (
            f", gave {arrow.flow:.3f}" if strongest > 0 and arrow.flow > 0 else ""
        )
        yield Line(curve, head, colours[arrow.type], round(width, 2), told, arrow.flow > 0, arrow.dotted)


def _curve(start: tuple[float, float], end: tuple[float, float], bend: float, width: float) -> tuple[str, str]:
    """Return the path of an edge that ends at the rims of its nodes, and the corners of its head."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    across = (-(y2 - y1) / length, (x2 - x1) / length)
    middle = ((x1 + x2) / 2 + across[0] * bend, (y1 + y2) / 2 + across[1] * bend)
    x1, y1 = _towards((x1, y1), middle, RADIUS + 2)
    tip = _towards((x2, y2), middle, RADIUS + 3)
    size = _ARROW + width
    back = _towards(tip, middle, size)
    away = math.hypot(tip[0] - middle[0], tip[1] - middle[1]) or 1.0
    normal = (-(tip[1] - middle[1]) / away * size / 2, (tip[0] - middle[0]) / away * size / 2)
    corners = (tip, (back[0] + normal[0], back[1] + normal[1]), (back[0] - normal[0], back[1] - normal[1]))
    curve = f"M{x1:.1f} {y1:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {back[0]:.1f} {back[1]:.1f}"
    return curve, " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _towards(point: tuple[float, float], other: tuple[float, float], distance: float) -> tuple[float, float]:
    length = math.hypot(other[0] - point[0], other[1] - point[1]) or 1.0
    share = min(distance / length, 0.5)
    return point[0] + (other[0] - point[0]) * share, point[1] + (other[1] - point[1]) * share
