"""Nodes and edges as a Mermaid flow chart; nothing that comes from data is read as syntax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fourfold.plain_text import plain_text

_PLAIN = frozenset(" _-./:,()+='!?")


def flowchart(
    nodes: Mapping[str, str],
    arrows: Iterable[tuple[str, str, str]],
    *,
    dotted: Iterable[tuple[str, str, str]] = (),
    marked: Iterable[str] = (),
    direction: str = "LR",
) -> str:
    """Return the chart.

    ``nodes`` are labels by id, ``arrows`` (from, to, label) by id, of which those with an unknown end are left out;
    ``marked`` ids have a thick border. From left to right, or with ``direction="TD"`` downwards.
    """
    known = {identity: f"n{number}" for number, identity in enumerate(nodes)}
    lines = [f"flowchart {direction}"]
    lines += [f'    {known[identity]}["{_escaped(label)}"]' for identity, label in nodes.items()]
    for line, drawn in (("-->", arrows), ("-.->", dotted)):
        for source, target, label in drawn:
            if source in known and target in known:
                said = f'|"{_escaped(label)}"|' if label else ""
                lines.append(f"    {known[source]} {line}{said} {known[target]}")
    lines += [f"    style {known[identity]} stroke-width:4px" for identity in sorted(marked) if identity in known]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return text that is only text inside a quoted label."""
    plain = plain_text(text).replace("\n", " ").replace("\t", " ")
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in plain)
