"""One sentence on stderr: what every command can say without the tables of ``output``, which take a while to load."""

from __future__ import annotations

import typer

from fourfold.plain_text import plain_text


def say(sentence: str) -> None:
    """Print a sentence on stderr."""
    typer.echo(plain_text(sentence), err=True)
