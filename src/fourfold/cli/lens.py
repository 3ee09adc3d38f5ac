"""The command ``lens``: the answers of a graph on a page of this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from fourfold.cli import options
from fourfold.cli.saying import say
from fourfold.presets import open_under

TOKEN_VARIABLE = "FOURFOLD_LENS_TOKEN"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(lens)


def lens(
    db: options.Db,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Where to listen; 0 is any port that is free.")
    ] = 8044,
    host: Annotated[
        str, typer.Option("--host", help=f"Beyond this machine a token is needed, in {TOKEN_VARIABLE}.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Write nothing: no judgement, no config.")] = False,
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Another file or address to compare with; repeatable.", show_default=False),
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", envvar=TOKEN_VARIABLE, hidden=True, show_default=False)
    ] = None,
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
) -> None:
    """Open a page that shows why each answer is there, moves the weights, judges, measures and tunes."""
    from fourfold.guard import require_token
    from fourfold.lens import Lens
    from fourfold.lens.server import open_beside

    require_token(token, host, f"a token in the environment variable {TOKEN_VARIABLE}")

    with (
        open_beside(beside or (), model) as others,
        open_under(preset, db, embedder=model, read_only=read_only, must_exist=True, foreign=foreign) as retriever,
    ):
        # a copy for another preset is gone at the end, and so may be what is derived from another's tables
        read_only = read_only or foreign or retriever.path == ":memory:"
        shown = Lens(retriever, read_only=read_only, beside=others)
        shown.serve(host=host, port=port, token=token, open_browser=not no_browser, say=say)
