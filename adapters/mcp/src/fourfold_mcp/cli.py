"""``fourfold-mcp --db tools.sqlite``: the server from the command line."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from fourfold import FourfoldError
from fourfold.guard import MAX_BODY, RATE, require_token, serve
from fourfold.presets import PRESETS, open_under
from fourfold.tools import ToolCatalog
from fourfold_mcp.calling import Server
from fourfold_mcp.http import MAX_SESSIONS, SESSION_SECONDS, http_app
from fourfold_mcp.server import make_server

TOKEN_VARIABLE = "FOURFOLD_MCP_TOKEN"
FILE_VARIABLE = "FOURFOLD_DB"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a graph until the client leaves (stdio) or a signal comes (HTTP); return the exit code."""
    options = _parser().parse_args(arguments)
    if not options.db:
        return _refuse(f"Say which file to serve: --db FILE, or the environment variable {FILE_VARIABLE}.")
    # before the SDK does: it would draw each error as a box of source lines, at 50 ms of the event loop
    logging.basicConfig(level=options.log_level, format="%(levelname)s %(name)s: %(message)s")
    try:
        with open_under(
            options.preset,
            options.db,
            embedder=options.model,
            read_only=options.read_only,
            must_exist=True,
            foreign=options.foreign,
        ) as retriever:
            # a copy in memory, of a file made for another preset, would forget what it learns, and so may what is
            # derived from the tables of another application
            learn = not (options.read_only or options.foreign or retriever.path == ":memory:")
            retriever.get([""])  # nodes that cannot be read are told now, not to the first client that asks
            server = make_server(ToolCatalog(retriever), learn=learn, log_level=options.log_level)
            if options.transport == "stdio":
                _serve_stdio(server)
            else:
                _serve_http(server, options)
    except FourfoldError as error:
        return _refuse(str(error))
    return 0


def _serve_stdio(server: Server) -> None:
    # the thread that waits for the next line cannot be ended: Ctrl+C would wait for it, then say where it was
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.unraisablehook = _unless_unheard
    try:
        server.run("stdio")
    except* BrokenPipeError:
        pass  # who listened is gone


def _serve_http(server: Server, options: argparse.Namespace) -> None:
    token = os.environ.get(TOKEN_VARIABLE) or None
    require_token(token, options.host, f"a token in the environment variable {TOKEN_VARIABLE}")
    app = http_app(
        server,
        host=options.host,
        token=token,
        allowed_hosts=options.allow_host,
        rate=options.rate,
        max_body=options.max_body,
        session_seconds=options.session_seconds,
        max_sessions=options.max_sessions,
        stateless=options.stateless,
    )
    proxies, level = options.trusted_proxy, options.log_level
    serve(app, host=options.host, port=options.port, trusted_proxies=proxies, log_level=level)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fourfold-mcp", description="Serve a Fourfold graph over MCP.")
    parser.add_argument("--version", action="version", version=f"fourfold-mcp {version('fourfold-mcp')}")
    parser.add_argument(
        "--db",
        default=os.environ.get(FILE_VARIABLE),
        help=f"the graph, a Fourfold SQLite file or an address (postgresql://…); else: {FILE_VARIABLE}",
    )
    parser.add_argument(
        "--model", metavar="FOLDER|NAME", help="the model of the vectors where it is not the one of Fourfold"
    )
    parser.add_argument(
        "--foreign", action="store_true", help="the graph lives in tables of another application, which are only read"
    )
    parser.add_argument("--preset", choices=tuple(PRESETS), help="the config to answer under; else: what was applied")
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio")
    parser.add_argument("--host", default="127.0.0.1", help="HTTP: where to listen; beyond loopback a token is needed")
    parser.add_argument("--port", type=_within(int, 0, 65535), default=8000, help="HTTP: default 8000; 0: any free one")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="HTTP: a further name clients may ask by"
    )
    parser.add_argument(
        "--trusted-proxy", action="append", default=[], metavar="ADDRESS", help="HTTP: whose X-Forwarded-For to believe"
    )
    parser.add_argument(
        "--rate", type=_within(float, 0, 1e6), default=RATE, help=f"HTTP: requests a second of a client; {RATE:g}"
    )
    parser.add_argument(
        "--max-body", type=_within(int, 1, 1 << 30), default=MAX_BODY, help=f"HTTP: bytes a request; default {MAX_BODY}"
    )
    parser.add_argument(
        "--session-seconds",
        type=_within(float, 1, 1e6),
        default=SESSION_SECONDS,
        help=f"HTTP: an idle session ends after so long; default {SESSION_SECONDS:g}",
    )
    parser.add_argument(
        "--max-sessions",
        type=_within(int, 1, 10**6),
        default=MAX_SESSIONS,
        help=f"HTTP: open at a time; default {MAX_SESSIONS}",
    )
    parser.add_argument("--stateless", action="store_true", help="HTTP: answer each request alone, without sessions")
    parser.add_argument("--read-only", action="store_true", help="never write to the file; record_use is not offered")
    parser.add_argument(
        "--log-level", choices=("DEBUG", "INFO", "WARNING", "ERROR"), default="WARNING", help="to standard error"
    )
    return parser


def _within(kind: type[int] | type[float], least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number of a kind that lies between two others, for argparse."""

    def number(text: str) -> float:
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} does not lie between {least:g} and {most:g}")
        return value

    number.__name__ = "number"
    return number


def _unless_unheard(unraisable: sys.UnraisableHookArgs) -> None:
    """Tell what cannot be raised, but not that the last answer found nobody: Python 3.13 and later do when they end."""
    if not isinstance(unraisable.exc_value, BrokenPipeError):
        sys.__unraisablehook__(unraisable)


def _refuse(sentence: str) -> int:
    print(f"fourfold-mcp: {sentence}", file=sys.stderr)  # noqa: T201
    return 2


if __name__ == "__main__":
    sys.exit(main())
