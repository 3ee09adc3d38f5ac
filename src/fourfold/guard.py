"""What stands before every HTTP door of the project: rate, Host, Origin, token and size, in that order.

Plain ASGI, so that it serves any application (Starlette, the MCP SDK) and needs none of them. A request that is refused
never reaches the application, and neither does one whose client goes away before its body has come in whole.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import math
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fourfold.arguments import finite_number, whole_number
from fourfold.errors import InvalidValueError, MissingExtraError

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 256 * 1024
"""Bytes of a request, unless told otherwise."""

RATE = 50.0
"""Requests a second and client, unless told otherwise; ten times as many may come at once."""

BODY_SECONDS = 30.0
"""Seconds in which the body of a request must come in, unless told otherwise."""

_BURST_SECONDS = 10
_REMEMBERED_CLIENTS = 10_000
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host: ``localhost``, 127.0.0.0/8 or ::1, in brackets or not."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def require_token(token: str | None, host: str, what: str = "a token") -> None:
    """Raise InvalidValueError where clients from other machines would need no token; ``what`` says which to set."""
    if not (token or "").strip() and not is_loopback(host):
        raise InvalidValueError(f"{host!r} can be reached from other machines; set {what}, or listen on 127.0.0.1.")


class Guard:
    """ASGI middleware that lets through what may ask, as often and as much as it may.

    Args:
        app: what is guarded.
        host: where it listens. On loopback, Host and Origin must name this machine (a web page whose name resolves to
            127.0.0.1 does not pass for a local client); beyond, a token is demanded and Origin must be the Host.
        token: clients must send it as ``Authorization: Bearer …``.
        cookie: the name of a cookie that may stand for the token, for pages that a browser shows: an address with
            ``?token=…`` sets it, and leads on to the same address without.
        allowed_hosts: further names under which clients may ask, as a reverse proxy has them. Where there are any,
            Host is checked beyond loopback too.
        rate: requests a second of one client (an IPv4 address, an IPv6 /64); ten seconds' worth may come at once, with
            a right token or a wrong one. 0 is without bound.
        max_body: bytes of one request; larger ones are answered with 413.
        body_seconds: in which the body must come in; 408 otherwise.
        clock: seconds, monotonic.

    Raises:
        InvalidValueError: not on loopback and no token, or a number that cannot be meant.

    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str = "127.0.0.1",
        token: str | None = None,
        cookie: str | None = None,
        allowed_hosts: Iterable[str] = (),
        rate: float = RATE,
        max_body: int = MAX_BODY,
        body_seconds: float = BODY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        require_token(token, host)
        self._app = app
        self._local = is_loopback(host)
        self._token = (token or "").strip().encode() or None  # one out of a file ends with its line
        self._cookie = cookie
        self._names = frozenset(name.lower() for name in allowed_hosts)
        self._buckets = _Buckets(rate, clock) if finite_number(rate, "rate", least=0) else None
        self._max_body = whole_number(max_body, "max_body")
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer why not; anything else than HTTP and the server's lifespan is closed."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            self._check(scope)
            body = await self._body(scope, receive)
        except _RefusedError as refused:
            await refused.answer(send)
            return
        if body is None:  # the client is gone; nobody waits for an answer
            return
        await self._answer(scope, body, receive, send)

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Let the application answer; when its client goes away before, it need not end what it does."""
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        leaving = asyncio.ensure_future(receive())
        answered = False

        async def replayed() -> Message:
            return waiting.pop() if waiting else await asyncio.shield(leaving)

        async def sent(message: Message) -> None:
            nonlocal answered
            answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        answering = asyncio.ensure_future(self._app(scope, replayed, sent))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answered and not answering.done():
                answering.cancel()
            await asyncio.wait((answering,))
        finally:
            leaving.cancel()
            answering.cancel()
        if not answering.cancelled():
            answering.result()

    def _check(self, scope: Scope) -> None:
        """Refuse by the head of a request alone; nothing comes before the rate."""
        wait = self._buckets.take(_client(scope)) if self._buckets else 0.0
        if wait > 0:
            raise _RefusedError(429, "Too many requests.", {"Retry-After": str(math.ceil(wait))})
        host = _only(scope, b"host")
        if not self._host_allowed(host):
            raise _RefusedError(421, "The Host header names another server.")
        if not self._origin_allowed(scope, host):
            raise _RefusedError(403, "The Origin header names another site.")
        if self._token is not None and not self._authorised(scope):
            if self._cookie is not None:
                raise self._signed_in(scope, self._cookie)
            raise _RefusedError(401, "A bearer token is needed.", {"WWW-Authenticate": "Bearer"})

    def _host_allowed(self, host: str | None) -> bool:
        name = _name(host)
        if name is None:
            return False
        if name in self._names or (self._local and is_loopback(name)):
            return True
        return not self._local and not self._names

    def _origin_allowed(self, scope: Scope, host: str | None) -> bool:
        """Whether no browser sent the request, or one that shows a page of this very server or machine."""
        if not any(key == b"origin" for key, _ in scope["headers"]):
            return True
        scheme, _, authority = (_only(scope, b"origin") or "").partition("://")
        name = _name(authority)
        if name is None or scheme.lower() not in ("http", "https"):
            return False
        if self._local and is_loopback(name):
            return True
        return name in self._names or (not self._local and authority.lower() == (host or "").lower())

    def _authorised(self, scope: Scope) -> bool:
        given = next((value for key, value in scope["headers"] if key == b"authorization"), b"")
        scheme, _, token = given.strip().partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token or b""):
            return True
        return self._cookie is not None and any(
            hmac.compare_digest(value.encode("latin-1"), self._pass().encode())
            for name, value in _cookies(scope)
            if name == self._cookie
        )

    def _pass(self) -> str:
        """Return what the cookie holds: it proves that its bearer knew the token, and does not tell it."""
        return hmac.new(self._token or b"", b"fourfold cookie", hashlib.sha256).hexdigest()

    def _signed_in(self, scope: Scope, cookie: str) -> _RefusedError:
        """Return the answer to a page without a pass: the pass, if its address has the token."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not any(hmac.compare_digest(value.strip().encode(), self._token or b"") for value in given):
            return _RefusedError(401, "A token is needed: open the address that was printed when this was started.")
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        path = "/" + quote(scope["path"]).lstrip("/")  # never another server's, as //elsewhere would be
        return _RefusedError(
            303,
            "The token is right.",
            {
                "Location": f"{path}?{rest}" if rest else path,
                "Set-Cookie": f"{cookie}={self._pass()}; Path=/; HttpOnly; SameSite=Lax",
                "Cache-Control": "no-store",
            },
        )

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body; None if the client went away before it was there."""
        declared = _only(scope, b"content-length") or ""
        too_large = _RefusedError(413, f"The request is larger than {self._max_body} bytes.")
        if declared.isdecimal() and int(declared[:20]) > self._max_body:
            raise too_large
        body = bytearray()
        more = True
        try:
            async with asyncio.timeout(self._body_seconds):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._max_body:
                        raise too_large
                    more = message.get("more_body", False)
        except TimeoutError:
            raise _RefusedError(408, "The body of the request did not come in time.") from None
        return bytes(body)


def serve(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    trusted_proxies: Sequence[str] = (),
    log_level: str = "warning",
    ready: Callable[[int], None] | None = None,
) -> None:
    """Serve a guarded application with uvicorn until a signal comes.

    Args:
        app: the application, inside a ``Guard``.
        host: where to listen.
        port: 0 to 65535; 0 takes any that is free.
        trusted_proxies: addresses or networks whose ``X-Forwarded-For`` is believed; of nobody else's.
        log_level: of uvicorn's log on standard error.
        ready: called with the port, once requests are answered.

    Raises:
        InvalidValueError: a port or a proxy that cannot be meant, or a port that is taken.
        MissingExtraError: uvicorn is not installed.

    """
    whole_number(port, "port", least=0, most=65535)
    for proxy in trusted_proxies:
        try:
            ipaddress.ip_network(proxy, strict=False)
        except ValueError as error:
            raise InvalidValueError(f"{proxy!r} is no address and no network of a proxy; write 10.0.0.5.") from error
    try:
        import uvicorn

        from fourfold.slow_clients import PromptProtocol
    except ImportError as error:
        raise MissingExtraError("Serving over HTTP needs uvicorn; install it with: pip install uvicorn") from error
    logging.getLogger("uvicorn.access").disabled = log_level.lower() in ("warning", "error")
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PromptProtocol,  # of h11: httptools would read heads of any size into memory
        ws="none",
        log_level=log_level.lower(),
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    with _bound(host, port) as listening:

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if ready is not None and self.started:
                    ready(listening.getsockname()[1])

        Server(config).run([listening])


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to the place where requests are awaited."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidValueError(f"{host!r} is no address of this machine: {error.strerror}.") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise InvalidValueError(
            f"{host}:{port} cannot be listened on ({error.strerror}); choose another port, or 0 for any that is free."
        ) from error
    return listening


class _RefusedError(Exception):
    """A request is not let through. The connection is closed with the answer: the body may not have been read."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self._status = status
        self._headers = headers or {}

    async def answer(self, send: Send) -> None:
        """Answer in plain text."""
        body = str(self).encode()
        headers = {
            "content-type": "text/plain; charset=utf-8",
            "content-length": str(len(body)),
            "connection": "close",
            **self._headers,
        }
        listed = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self._status, "headers": listed})
        await send({"type": "http.response.body", "body": body})


class _Buckets:
    """A token bucket for each client; of the clients not seen for longest none is kept."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = max(rate * _BURST_SECONDS, 1.0)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take one request from a client's bucket; return the seconds to wait if it is empty."""
        now = self._clock()
        left, then = self._left.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= 1.0
        self._left[client] = (left - 1.0 if allowed else left, now)
        if len(self._left) > _REMEMBERED_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate


def _client(scope: Scope) -> str:
    """Return whom a request is counted for: its IPv4 address, or the /64 of its IPv6 address."""
    client = scope.get("client")
    host = str(client[0]) if client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4 or address.ipv4_mapped:
        return host
    return str(ipaddress.ip_network((address, 64), strict=False))


def _only(scope: Scope, name: bytes) -> str | None:
    """Return a header that must not be given twice; None if it is missing, or is."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _cookies(scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the cookies of a request as (name, value)."""
    for key, line in scope["headers"]:
        if key == b"cookie":
            for part in line.decode("latin-1").split(";"):
                name, _, value = part.partition("=")
                yield name.strip(), value.strip()


def _name(authority: str | None) -> str | None:
    """Return the name of ``name:port``, in lower case; None if it is no such thing."""
    found = _AUTHORITY.fullmatch(authority or "")
    return found[1].lower() if found else None
