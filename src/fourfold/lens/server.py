"""``Lens``: the pages over one retriever, behind the guard, and the server that shows them."""

from __future__ import annotations

import sys
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fourfold import FourfoldError, InvalidValueError, MissingExtraError, Retriever
from fourfold.guard import ASGIApp, Guard, Message, Receive, Scope, Send, is_loopback, serve

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    from fourfold.lens.page import FOLDER, HEADERS, NoPageError, Pages
except ModuleNotFoundError as missing:  # pragma: no cover - an environment without the extra
    raise MissingExtraError(
        f"Lens needs {missing.name}, which is not installed; run: pip install 'fourfold[lens]'"
    ) from missing

from fourfold.lens.session import WAYS, Session

PORT = 8044
"""Where Lens listens unless told otherwise."""

LARGEST_REQUEST = 16 * 1024 * 1024
"""Bytes of a request: judgements can be sent as files."""

COOKIE = "fourfold_lens"

_ROUTES = (
    ("/", "GET", "search_view", "search"),
    ("/keys", "GET", "search_view", "keys"),
    ("/values", "GET", "search_view", "values"),
    ("/find", "GET", "search_view", "find"),
    ("/why", "GET", "why_view", "why"),
    ("/compare", "GET", "compare_view", "compare"),
    ("/judge", "GET", "judge_view", "judge"),
    ("/judge/mark", "POST", "judge_view", "mark"),
    ("/judge/import", "POST", "judge_view", "take"),
    ("/judge/export/{name}", "GET", "judge_view", "give"),
    ("/measure", "GET", "measure_view", "show"),
    ("/measure/run", "POST", "measure_view", "run"),
    ("/measure/stop", "POST", "measure_view", "stop"),
    ("/measure/apply", "POST", "measure_view", "apply"),
    ("/measure/rollback", "POST", "measure_view", "roll_back"),
    ("/graph", "GET", "graph_view", "graph"),
)
"""Address, method, and who answers: a module, loaded when it is first asked, and its function."""


class Lens:
    """A page over one graph, for looking at answers, judging and tuning.

    Args:
        retriever: a ``Retriever``, or what has one as ``.retriever`` (the FourfoldRetriever of LangChain or
            LlamaIndex); it stays open.
        read_only: nothing is written: no judgement, no config.
        beside: files to compare with, by the name they are shown by.

    Raises:
        InvalidValueError: it is no retriever.

    """

    def __init__(
        self,
        retriever: Retriever | Any,
        *,
        read_only: bool = False,
        beside: Mapping[str, Retriever] | None = None,
    ) -> None:
        own = retriever if isinstance(retriever, Retriever) else getattr(retriever, "retriever", None)
        if not isinstance(own, Retriever):
            raise InvalidValueError(
                f"Lens shows a Retriever or a FourfoldRetriever; {type(retriever).__name__} is neither."
            )
        self.session = Session(own, read_only=read_only, beside=beside)
        self.pages = Pages(self.session)

    def app(self, *, host: str = "127.0.0.1", token: str | None = None) -> ASGIApp:
        """Return the guarded application, for a server of your own.

        Args:
            host: where it listens; see ``fourfold.guard.Guard``.
            token: whoever asks must have it; needed beyond loopback.

        Raises:
            InvalidValueError: not on loopback, and no token.

        """
        routes = [
            Route(path, _endpoint(self.pages, module, name), methods=[method]) for path, method, module, name in _ROUTES
        ]
        static = Mount("/static", StaticFiles(directory=FOLDER / "static"))
        shown = Starlette(routes=[*routes, static], exception_handlers={404: partial(_missing, self.pages)})
        guarded = Guard(shown, host=host, token=token, cookie=COOKIE, max_body=LARGEST_REQUEST, rate=200)
        return _with_headers(guarded)

    def serve(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        token: str | None = None,
        open_browser: bool = True,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Show the page until a signal comes.

        Args:
            host: loopback unless told otherwise; beyond it a token is needed.
            port: 0 is any that is free.
            token: see ``app``.
            open_browser: open the address in the user's browser.
            say: called with the address in a sentence, once it answers; None writes it on standard error.

        Raises:
            InvalidValueError: a port that is taken, or no token beyond loopback.

        """

        def ready(at: int) -> None:
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{at}/" + (f"?token={quote(token, safe='')}" if token else "")
            (say or _on_stderr)(f"Lens shows {self.session.place} at {address} — Ctrl+C ends it.")
            if open_browser and is_loopback(host):
                webbrowser.open(address)

        try:
            serve(self.app(host=host, token=token), host=host, port=port, ready=ready)
        finally:
            self.session.close()


def _endpoint(pages: Pages, module: str, name: str) -> Callable[[Request], Any]:
    """Return what Starlette calls: forms are read before and must be our own; answers are made off the event loop."""

    def answer(*given: Any) -> Response:
        found: Response = getattr(import_module(f"fourfold.lens.{module}"), name)(pages, *given)
        return found

    async def endpoint(request: Request) -> Response:
        try:
            if request.method == "POST":
                async with request.form(max_files=4, max_fields=100) as form:
                    pages.require_form_token(form, module.removesuffix("_view"))
                    files = {key: await part.read() for key, part in form.items() if not isinstance(part, str)}
                    return await run_in_threadpool(answer, request, form, files)
            return await run_in_threadpool(answer, request)
        except FourfoldError as error:
            return await run_in_threadpool(pages.failed, request, error)

    return endpoint


async def _missing(pages: Pages, request: Request, error: Exception) -> Response:
    return pages.failed(request, NoPageError("There is no such page."))


def _with_headers(app: ASGIApp) -> ASGIApp:
    """Return the application with ``HEADERS`` on every answer, refusals too."""
    listed = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *listed]}
            await send(message)

        await app(scope, receive, sent)

    return answering


def _on_stderr(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


@contextmanager
def open_beside(places: Iterable[str], embedder: object = None) -> Iterator[dict[str, Retriever]]:
    """Open further graphs to compare with, to be read only, by what they are shown by; close them at the end.

    That is the file's name, or the whole path where something else has that name; an address, without its password.
    """
    wholes = dict.fromkeys(place if "://" in place else str(Path(place).absolute()) for place in places)
    with ExitStack() as stack:
        opened = [
            stack.enter_context(Retriever(whole, embedder=embedder, read_only=True, must_exist=True))
            for whole in wholes
        ]
        names = [each.path if "://" in each.path else Path(each.path).name for each in opened]
        taken = Counter([*WAYS, *names])
        yield {name if taken[name] == 1 else each.path: each for name, each in zip(names, opened, strict=True)}
