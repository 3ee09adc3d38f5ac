"""One sentence on stderr: what every command can say without the tables of ``output``, which take a while to load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from fourfold.cli.stopping import exit_code
from fourfold.plain_text import plain_text


def say(sentence: str) -> None:
    """Print a sentence on stderr."""
    typer.echo(plain_text(sentence), err=True)


@contextmanager
def stopping(sentence: str) -> Iterator[None]:
    """Say in a sentence what became of the work when a signal stops it, and end with the code of that signal."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        say(f"fourfold: {sentence}")
        raise typer.Exit(exit_code(stopped)) from None
