"""The command line: thin, it translates words and decides nothing.

Each module in ``GROUPS`` holds a few commands and a function ``register(app)``; a new group is one more name.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from fourfold.errors import MissingExtraError

if TYPE_CHECKING:
    import typer

GROUPS = (
    "graph",
    "copying",
    "embedder",
    "search",
    "questions",
    "demo",
    "evaluate",
    "lens",
)


def create_app() -> typer.Typer:
    """Return the application with the commands of every group.

    Raises:
        MissingExtraError: typer or rich is not installed.

    """
    try:
        from fourfold.cli.app import new_app
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"The command line needs {error.name}, which is not installed; run: pip install 'fourfold[cli]'"
        ) from error
    app = new_app()
    for group in GROUPS:
        import_module(f"fourfold.cli.{group}").register(app)
    return app


def main() -> None:
    """Run the command line: exit code 0, 1 after an error, 2 after a wrong call."""
    try:
        app = create_app()
    except MissingExtraError as error:
        sys.exit(f"fourfold: {error}")
    app(prog_name="fourfold")
