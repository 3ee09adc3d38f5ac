"""Streamable HTTP: the SDK's application behind a bearer token and a rate limit."""

from __future__ import annotations

import hmac
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_BODY = 256 * 1024
"""Bytes of a request, unless told otherwise."""

RATE = 50.0
"""Requests a second and client, unless told otherwise; ten times as many may come at once."""

_BURST_SECONDS = 10
_REMEMBERED_CLIENTS = 10_000


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def http_app(
    server: MCPServer[object],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    rate: float = RATE,
    max_body: int = MAX_BODY,
) -> ASGIApp:
    """Return the ASGI application, to be served at ``/mcp``.

    Args:
        server: from ``make_server``.
        host: where it will listen; beyond loopback a token is demanded.
        token: clients must send it as ``Authorization: Bearer …``.
        rate: requests a second of one client address; ten seconds' worth may come at once. 0 is without bound.
        max_body: bytes of one request; larger ones are answered with 413.

    Raises:
        ValueError: not on loopback, and no token.

    """
    if not token and not is_loopback(host):
        raise ValueError(f"{host!r} can be reached from other machines; set a token, or listen on 127.0.0.1.")
    # a token proves the client; without one, a web page in a browser here must not pass for a local client
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False) if token else None
    app: ASGIApp = server.streamable_http_app(
        host=host, max_request_body_size=max_body, transport_security=security, json_response=True
    )
    if rate:
        app = RateLimit(app, rate)
    return BearerToken(app, token) if token else app


class BearerToken:
    """ASGI middleware: nothing passes without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401."""
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name.lower() == b"authorization"), b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = PlainTextResponse(
                    "A bearer token is needed.", status_code=401, headers={"WWW-Authenticate": "Bearer"}
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class RateLimit:
    """ASGI middleware: a token bucket for each client address."""

    def __init__(self, app: ASGIApp, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._rate = rate
        self._burst = max(rate * _BURST_SECONDS, 1.0)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 429 with the seconds to wait."""
        if scope["type"] == "http":
            client = scope.get("client")
            wait = self._wait(str(client[0]) if client else "")
            if wait > 0:
                refusal = PlainTextResponse(
                    "Too many requests.", status_code=429, headers={"Retry-After": str(math.ceil(wait))}
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _wait(self, client: str) -> float:
        """Take one request from the client's bucket; return the seconds to wait if it is empty."""
        now = self._clock()
        left, then = self._buckets.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= 1.0
        self._buckets[client] = (left - 1.0 if allowed else left, now)
        if len(self._buckets) > _REMEMBERED_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate
