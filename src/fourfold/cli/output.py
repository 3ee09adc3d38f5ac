"""What the commands print: JSON for programs on stdout, tables for people, progress and sentences on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, ConsoleOptions
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from fourfold import Explanation, Hit, SearchResult, Weights
from fourfold.cli.saying import say as say
from fourfold.plain_text import display_name, plain_json, plain_text
from fourfold.snippets import snippet
from fourfold.tokenizer import USUAL, make_tokenizer

_MARKS = {"embedding": ("█", "#"), "text": ("▓", "="), "graph": ("▒", "-"), "intent": ("░", ".")}
_STYLES = {"embedding": "cyan", "text": "green", "graph": "magenta", "intent": "yellow"}
_OTHER = ("+", "bold")
_TAKEN = ("·", ",")
_BAR = 24
_SMALL_BAR = 10
_WIDEST = 110
_PASSAGE = 160


class _PlainConsole(Console):
    """A console that only its own styles steer: what is printed comes from graphs."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Return the segments without control and format characters."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain_text(segment.text), segment.style)


def stdout() -> Console:
    """Return a console on what is stdout now, not too wide to read."""
    console = _PlainConsole(highlight=False, markup=False, emoji=False, soft_wrap=False)  # paths hold [old] and :x:
    if console.width > _WIDEST:
        console.width = _WIDEST
    return console


def emit_json(value: object) -> None:
    """Print a value as JSON on stdout: what a terminal would not show is escaped, and all where it knows no Unicode."""
    unicode = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") == "utf8"
    written = json.dumps(value, ensure_ascii=not unicode, indent=2)
    typer.echo(plain_json(written))


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show tasks with a bar, what is done and the time left, on stderr."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


def show_result(console: Console, result: SearchResult) -> None:
    """Print the intent, the weights and every hit with its bar, its components and why it is there."""
    console.print(Text(result.query, style="bold"))
    console.print(Text.assemble("intent ", (str(result.intent), "bold"), " · ", _weights(result.weights)))
    if result.degraded:
        console.print(Text(f"left out, because they failed: {', '.join(result.degraded)}", style="red"))
    for note in result.notes:
        console.print(Text(note))
    if result.notes and not result.hits:
        return
    if not result.known:
        unknown = f"graph seems to know nothing of this (confidence {result.confidence:.2f})"
        console.print(f"The {unknown}; nearest to it:" if result.hits else f"Nothing: the {unknown}.")
    if not result.hits:
        if result.known:
            console.print("No hits.")
        return
    terms = make_tokenizer(result.tokenizer or USUAL).terms
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(justify="right", width=len(str(len(result.hits))) + 1, style="dim")
    table.add_column(ratio=1)
    for rank, hit in enumerate(result.hits, 1):
        table.add_row(str(rank), _heading(hit))
        table.add_row("", _components(console, hit, result.weights))
        if hit.why:
            table.add_row("", Text(hit.why, style="dim"))
        if shown := snippet(plain_text(hit.node.text), result.query, terms, length=_PASSAGE):
            table.add_row("", Text(shown))
    console.print(table)


def show_legend(console: Console, results: Sequence[SearchResult]) -> None:
    """Print what the pieces of a bar are."""
    pieces: list[Any] = [((_mark(console, name), _STYLES[name]), f" {name}  ") for name in _MARKS]
    bars = [_bar(console, hit, result.weights) for result in results for hit in result.hits]
    drawn = "".join([piece for bar in bars for piece, _ in bar])
    if _OTHER[0] in drawn:
        pieces.append((_OTHER, " other  "))
    if (taken := _taken(console)) in drawn:
        pieces.append(((taken, ""), " taken off again"))
    parts = [part for piece in pieces for part in piece]
    parts.append("\na piece of a bar is weight × component; a full bar is a score of 1")
    console.print(Text.assemble(*parts, style="dim"))


def show_explanation(console: Console, explanation: Explanation) -> None:
    """Print every contribution to the score of a node, and their sum."""
    headline = explanation.text.splitlines()[0]
    console.print(Text(headline, style="bold"))
    console.print(Text.assemble("intent ", (str(explanation.intent), "bold"), " · ", _weights(explanation.weights)))
    table = Table(box=None, padding=(0, 1), header_style="dim", expand=True)
    table.add_column("adds", justify="right", no_wrap=True)
    table.add_column("", width=_SMALL_BAR)
    table.add_column("component", no_wrap=True)
    table.add_column("evidence", ratio=1)
    largest = max((abs(part.value) for part in explanation.contributions), default=0.0)
    for part in explanation.contributions:
        if abs(part.value) < 5e-5:  # nothing of it would be seen
            continue
        style = _STYLES.get(part.component, "")
        mark = _mark(console, part.component) if part.component in _MARKS else _OTHER[0]
        if part.value < 0:
            mark = _taken(console)
        bar = mark * max(round(abs(part.value) / largest * _SMALL_BAR), 1)
        table.add_row(f"{part.value:+.4f}", Text(bar, style), Text(part.component, style), Text(part.evidence))
    table.add_row(Text(f"{explanation.score:.4f}", style="bold"), "", Text("score", style="bold"), "")
    console.print(table)


def show_facts(console: Console, facts: Mapping[str, object]) -> None:
    """Print names and values, one a line."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, Text(_in_words(value)))
    console.print(table)


def _in_words(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _weights(weights: Weights) -> Text:
    parts: list[Any] = ["weights"]
    for name, value in weights.as_dict().items():
        parts += [" ", (name, _STYLES[name]), f" {short(value)}"]
    return Text.assemble(*parts)


def _heading(hit: Hit) -> Text:
    """Return score, name and type; the id too where it is not the name."""
    name = display_name(hit.node.name, hit.node.id)
    parts: list[Any] = [(f"{hit.score:.3f}", "bold"), "  ", (name, "bold")]
    if hit.node.type:
        parts += ["  ", (hit.node.type, "italic dim")]
    if name != hit.node.id:
        parts += ["  ", (f"id {hit.node.id}", "dim")]
    return Text.assemble(*parts, overflow="ellipsis")


def _components(console: Console, hit: Hit, weights: Weights) -> Text:
    """Return the bar of contributions and the four component scores."""
    parts: list[Any] = list(_bar(console, hit, weights))
    for name, value in hit.components.as_dict().items():
        parts += [" ", (name, _STYLES[name]), f" {short(value):>4}"]
    return Text.assemble(*parts)


def _bar(console: Console, hit: Hit, weights: Weights) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a bar in which a score of 1 is full and each piece is weight × component.

    What is no component (a bridge, a bonus) comes after them; where something was taken off, the end is marked.
    """
    shares = weights.as_dict()
    pieces = [(_mark(console, name), _STYLES[name], shares[name] * v) for name, v in hit.components.as_dict().items()]
    added = sum([item.value for item in hit.evidence if item.component not in _MARKS and item.value > 0])
    pieces.append((*_OTHER, max(hit.score - sum([value for *_, value in pieces]), added)))
    stays = round(hit.score * _BAR)
    total, drawn = 0.0, 0
    for mark, style, value in pieces:
        total += value
        end = min(round(total * _BAR), _BAR)
        cut = max(min(stays, end), drawn)
        yield mark * (cut - drawn), style
        yield _taken(console) * (end - cut), style
        drawn = end
    yield " " * (_BAR - drawn), ""


def _taken(console: Console) -> str:
    return _TAKEN[0 if console.encoding.startswith("utf") else 1]


def _mark(console: Console, name: str) -> str:
    return _MARKS[name][0 if console.encoding.startswith("utf") else 1]


def short(value: float, places: int = 2) -> str:
    """Return a number in [0, 1] without the 0 before its point, as the documentation has it: .07, 1.00."""
    return f"{value:.{places}f}".removeprefix("0")
