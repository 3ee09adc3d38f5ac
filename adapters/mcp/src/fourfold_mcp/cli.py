"""``fourfold-mcp --db tools.sqlite``: the server from the command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from fourfold import FourfoldError, Retriever
from fourfold.tools import ToolCatalog
from fourfold_mcp.http import MAX_BODY, RATE, http_app
from fourfold_mcp.server import make_server

TOKEN_VARIABLE = "FOURFOLD_MCP_TOKEN"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a graph until the client leaves (stdio) or a signal comes (HTTP); return the exit code."""
    options = _parser().parse_args(arguments)
    if not Path(options.db).is_file():
        return _refuse(f"There is no file {options.db!r}; make one with fourfold, or mind the path.")
    token = os.environ.get(TOKEN_VARIABLE) or None
    try:
        retriever = Retriever(options.db, read_only=options.read_only)
    except FourfoldError as error:
        return _refuse(str(error))
    with retriever:
        server = make_server(ToolCatalog(retriever), learn=not options.read_only, log_level=options.log_level)
        if options.transport == "stdio":
            server.run("stdio")
            return 0
        try:
            app = http_app(server, host=options.host, token=token, rate=options.rate, max_body=options.max_body)
        except ValueError as error:
            return _refuse(f"{error} The token is read from the environment variable {TOKEN_VARIABLE}.")
        uvicorn.run(
            app,
            host=options.host,
            port=options.port,
            log_level=options.log_level.lower(),
            timeout_graceful_shutdown=5,
        )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fourfold-mcp", description="Serve a Fourfold graph over MCP.")
    parser.add_argument("--db", required=True, help="the graph: a Fourfold SQLite file")
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default: stdio")
    parser.add_argument("--host", default="127.0.0.1", help="HTTP: where to listen; beyond loopback a token is needed")
    parser.add_argument("--port", type=int, default=8000, help="HTTP: default 8000")
    parser.add_argument(
        "--rate", type=float, default=RATE, help=f"HTTP: requests a second and client; default {RATE:g}"
    )
    parser.add_argument("--max-body", type=int, default=MAX_BODY, help=f"HTTP: bytes a request; default {MAX_BODY}")
    parser.add_argument("--read-only", action="store_true", help="never write to the file; record_use is not offered")
    parser.add_argument(
        "--log-level", choices=("DEBUG", "INFO", "WARNING", "ERROR"), default="WARNING", help="to standard error"
    )
    return parser


def _refuse(sentence: str) -> int:
    print(f"fourfold-mcp: {sentence}", file=sys.stderr)  # noqa: T201
    return 2


if __name__ == "__main__":
    sys.exit(main())
