"""Streamable HTTP: the SDK's application behind the guard of ``fourfold.guard``."""

from __future__ import annotations

from collections.abc import Iterable

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from fourfold.guard import MAX_BODY, RATE, ASGIApp, Guard

SESSION_SECONDS = 600.0
"""Seconds without a request after which a session ends, unless told otherwise."""

MAX_SESSIONS = 1_000
"""Sessions open at a time, unless told otherwise."""


def http_app(
    server: MCPServer[object],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    allowed_hosts: Iterable[str] = (),
    rate: float = RATE,
    max_body: int = MAX_BODY,
    session_seconds: float = SESSION_SECONDS,
    max_sessions: int = MAX_SESSIONS,
    stateless: bool = False,
) -> ASGIApp:
    """Return the ASGI application, to be served at ``/mcp`` (see ``fourfold.guard.serve``).

    Args:
        server: from ``make_server``.
        host: where it will listen; beyond loopback a token is demanded.
        token: clients must send it as ``Authorization: Bearer …``.
        allowed_hosts: further names under which clients may ask, as a reverse proxy has them.
        rate: requests a second of one client; ten seconds' worth may come at once. 0 is without bound.
        max_body: bytes of one request; larger ones are answered with 413.
        session_seconds: a session without a request for so long ends; its client starts another.
        max_sessions: sessions open at a time; one more is answered with 503.
        stateless: no sessions: a single POST is answered, without a greeting before it.

    Raises:
        InvalidValueError: not on loopback and no token, or a number that cannot be meant.

    """
    app = server.streamable_http_app(
        host=host,
        max_request_body_size=max_body,
        # the guard looks at Host and Origin, on every name of this machine and before anything else is done
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        json_response=True,
        stateless_http=stateless,
        session_idle_timeout=session_seconds,
        max_sessions=max_sessions,
    )
    return Guard(app, host=host, token=token, allowed_hosts=allowed_hosts, rate=rate, max_body=max_body)
