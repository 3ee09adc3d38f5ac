"""The options that several commands share, and how their words become values."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fourfold.arguments import said, shown
from fourfold.presets import PRESETS
from fourfold.query import MODES
from fourfold.types import COMPONENTS


def typed(text: str | None) -> str | None:
    """Return words as they were typed: in a locale of ASCII, such as LC_ALL=C, their UTF-8 arrives as halves of bytes.

    Paths stay as they arrive, for the system has them back that way.
    """
    try:
        return None if text is None else os.fsencode(text).decode()
    except UnicodeError:  # all is well, but for the system; or it was no UTF-8
        return text


def _filter(text: str) -> Mapping[str, Any]:
    text = typed(text) or ""
    try:
        condition = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{shown(text)} is no JSON ({said(error)})") from error
    if not isinstance(condition, dict):
        raise typer.BadParameter(f"""{shown(text)} is no JSON object such as '{{"lang": "en"}}'""")
    return condition


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, of which no key would be lost."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise typer.BadParameter(f"{shown(name)} stands there twice; put both conditions under one, or into $and")
        found[name] = value
    return found


def _weights(text: str) -> Mapping[str, float]:
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() in weights:
            raise typer.BadParameter(f"{name.strip()!r} stands there twice")
        try:
            weights[name.strip()] = float(value)
        except ValueError as error:
            raise typer.BadParameter(f"{part!r} is not of the form embedding=0.7") from error
        _one_of(name.strip(), COMPONENTS)
    return weights


def _one_of(text: str, known: Collection[str]) -> str:
    if text not in known:
        raise typer.BadParameter(f"{text!r} is none of {', '.join(known)}")
    return text


def to_write(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written now, not once what is to stand in it has taken its time."""
    if path is None:
        return None
    if path.is_dir():
        raise typer.BadParameter(f"{str(path)!r} is a folder; give the path of a file")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {str(path.parent)!r} to write {path.name!r} in")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise typer.BadParameter(f"{str(path)!r} may not be written")
    return path


def _model(default: str) -> Any:
    told = "The Model2Vec model of the vectors, or gemini:<model>:<dimensions>."
    return typer.Option("--model", metavar="FOLDER|NAME", help=told, show_default=default)


Db = Annotated[
    str,
    typer.Option(
        "--db",
        metavar="FILE|ADDRESS",
        envvar="FOURFOLD_DB",
        help="The SQLite file of the graph, or postgresql://… of one.",
    ),
]
Foreign = Annotated[
    bool,
    typer.Option(
        "--foreign",
        help="The graph lives in tables of another application, which are only read; what is derived from a file "
        "is kept beside it, in FILE.fourfold.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Model = Annotated[str | None, _model("the graph's own, or the bundled one")]
NewModel = Annotated[str | None, _model("the bundled one")]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        parser=lambda name: _one_of(name, PRESETS),
        help=f"A config by its name: {', '.join(PRESETS)} (text and embedding alone).",
        show_default="what was applied to the file",
    ),
]
Query = Annotated[str, typer.Argument(help="The question, in plain words.", show_default=False, callback=typed)]
Limit = Annotated[int | None, typer.Option("-k", help="Number of hits.", show_default="10")]
Filter = Annotated[
    Any,
    typer.Option(
        "--filter",
        parser=_filter,
        metavar="JSON",
        help="""Metadata a hit must have: '{"lang": "en"}', '{"year": {"$gte": 2020}}'.""",
        show_default=False,
    ),
]
IntentName = Annotated[
    str | None,
    typer.Option(
        "--intent",
        help='Force an intent; "default" forces none.',
        show_default="read from the question",
        callback=typed,
    ),
]
WeightsOption = Annotated[
    Any,
    typer.Option(
        "--weights",
        parser=_weights,
        metavar="NAME=NUMBER,…",
        help="Of embedding, text, graph and intent: embedding=.7,text=.2.",
        show_default="by intent",
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        parser=lambda name: _one_of(name, MODES),
        metavar="NAME",
        help=f"Which of text and embedding are asked: {', '.join(MODES)} (both).",
    ),
]
