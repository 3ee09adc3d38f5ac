"""The command line: thin, it translates words and decides nothing.

Each module in ``GROUPS`` holds a few commands and a function ``register(app)``; a new group is one more line.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from fourfold.cli.stopping import exit_code, heed_termination
from fourfold.errors import MissingExtraError

if TYPE_CHECKING:
    import typer

GROUPS = {
    "graph": ("index", "reembed", "info", "check"),
    "copying": ("copy",),
    "embedder": ("train-embedder",),
    "search": ("search", "explain"),
    "questions": ("ask", "path", "impact"),
    "demo": ("demo",),
    "evaluate": ("eval", "ablate", "compare"),
    "tuning": ("tune", "probes"),
    "lens": ("lens",),
}
"""The commands of each module."""


def create_app(command: str | None = None) -> typer.Typer:
    """Return the application.

    Args:
        command: the one that will be run: only its module is loaded, which is sooner done. None, or one that there is
            not: all of them, as the help lists them.

    Raises:
        MissingExtraError: typer or rich is not installed.

    """
    try:
        from fourfold.cli.app import join_lines, new_app

        app = new_app()
        for group in [group for group, commands in GROUPS.items() if command in commands] or GROUPS:
            import_module(f"fourfold.cli.{group}").register(app)
        join_lines(app)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"The command line needs {error.name}, which is not installed; run: pip install 'fourfold[cli]'"
        ) from error
    return app


def main() -> None:
    """Run the command line: exit code 0, 1 after an error, 2 after a wrong call, 130 or 143 when stopped."""
    heed_termination()
    try:
        app = create_app(next(iter(sys.argv[1:]), None))
    except MissingExtraError as error:
        sys.exit(f"fourfold: {error}")
    except KeyboardInterrupt as stopped:  # what a command needs takes most of a second to load
        print("fourfold: Stopped.", file=sys.stderr)  # noqa: T201
        sys.exit(exit_code(stopped))
    app(prog_name="fourfold")
