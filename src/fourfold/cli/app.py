"""The application without its commands: how errors and warnings reach the user, in one sentence on stderr."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fourfold import FourfoldError, __version__
from fourfold.cli.saying import say, stopping

_UsageErrors: tuple[type[Any], ...] = typer.BadParameter.__bases__
"""What typer raises on a wrong call: click's UsageError, of click itself or of typer's own copy."""


class SentenceGroup(TyperGroup):
    """A command group that turns exceptions into a sentence and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit: 0, 1 after an error, 2 after a wrong call, 130 or 143 when stopped."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character shows a question mark
                stream.reconfigure(errors="replace")
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning  # type: ignore[assignment]
                code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _UsageErrors as error:
            if not error.format_message():  # the help was asked for by saying nothing, and is shown already
                sys.exit(2)
            _fail(_wrong_call(error), 2)
        except FourfoldError as error:
            _fail(str(error), 1)
        except OSError as error:
            what = error.strerror or str(error)
            _fail(f"{error.filename}: {what}." if error.filename else f"{what}.", 1)
        except typer.Abort:
            _fail("Stopped.", 130)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command of the group; one that a signal stops says so, unless it has said more."""
        with stopping("Stopped."):
            return super().invoke(ctx)


def new_app() -> typer.Typer:
    """Return the application without commands."""
    app = typer.Typer(cls=SentenceGroup, no_args_is_help=True, pretty_exceptions_enable=False)

    @app.callback()
    def fourfold(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
        ] = False,
    ) -> None:
        """Search a knowledge graph in one SQLite file by meaning, words, graph and intent, and see why."""

    return app


def join_lines(app: typer.Typer) -> None:
    """Have the help of each command break its lines where the terminal ends, and not where the source does."""
    for command in app.registered_commands:
        told = inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in told.split("\n\n"))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fourfold {__version__}")
        raise typer.Exit


def _show_warning(message: Warning | str, *_: object) -> None:
    say(f"Warning: {message}")


def _wrong_call(error: Any) -> str:
    """Return the sentence of a usage error and where to read on."""
    command = error.ctx.command_path if error.ctx else "fourfold"
    told = error.format_message()
    return f"{told}{'' if told.endswith(('.', '?')) else '.'} See {command} --help."


def _fail(sentence: str, code: int) -> None:
    say(f"fourfold: {' '.join(sentence.split())}")
    sys.exit(code)
