"""The HTTP door as a service that others can reach: real servers in child processes, real sockets."""

import asyncio
import json
import socket
import struct

import psutil
import pytest
from mcp import Client
from mcp_server_process import Http, client


def listens(host):
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True


LOOPBACK = [host for host in ("127.0.0.1", "127.0.0.2", "localhost", "::1") if listens(host)]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("host", LOOPBACK)
async def test_foreign_hosts_and_origins_are_refused_on_every_loopback_name(db, host):
    server = Http(db, host=host)
    try:
        async with Client(server.url) as session:
            assert not (await session.call_tool("search_tools", {"query": "files"})).is_error
        async with client(**ACCEPT) as browser:
            own = server.url.removesuffix("/mcp")
            for headers, code in (
                ({}, 200),
                ({"Origin": own}, 200),
                ({"Origin": "http://evil.example"}, 403),
                ({"Origin": "null"}, 403),
                ({"Host": "evil.example"}, 421),
                ({"Host": f"evil.example:{server.port}", "Origin": own}, 421),
            ):
                answer = await browser.post(server.url, json=INITIALIZE, headers=headers)
                assert answer.status_code == code, headers
    finally:
        server.stop()


async def codes_of(server, count, **headers):
    async with client(**ACCEPT) as caller:
        return [
            (await caller.post(server.url, json={}, headers={k: v.format(n) for k, v in headers.items()})).status_code
            for n in range(count)
        ]


async def test_wrong_tokens_are_limited_whatever_they_say_of_where_they_come_from(db):
    server = Http(db, "--rate", "0.001", token="secret")
    try:
        wrong = {"Authorization": "Bearer {}", "X-Forwarded-For": "10.0.0.{}"}
        assert await codes_of(server, 3, **wrong) == [401, 429, 429]
    finally:
        server.stop()


async def test_a_named_proxy_is_believed(db):
    server = Http(db, "--rate", "0.001", "--trusted-proxy", "127.0.0.1", token="secret")
    try:
        told = {"Authorization": "bearer secret", "X-Forwarded-For": "10.0.0.{}"}
        assert await codes_of(server, 3, **told) == [400, 400, 400]  # let through: {} is no JSON-RPC request
        same = {"Authorization": "bearer secret", "X-Forwarded-For": "10.9.9.9, 10.0.0.1"}
        assert (await codes_of(server, 1, **same)) == [429]  # the proxy's word, not the client's
    finally:
        server.stop()


async def test_sessions_are_capped(db):
    server = Http(db, "--max-sessions", "1")
    try:
        async with client(**ACCEPT) as caller:
            codes = [(await caller.post(server.url, json=INITIALIZE)).status_code for _ in range(2)]
        assert codes == [200, 503]
    finally:
        server.stop()


async def test_sessions_expire(db):
    server = Http(db, "--max-sessions", "1", "--session-seconds", "1", "--rate", "0")
    try:
        async with client(**ACCEPT) as caller:
            first = await caller.post(server.url, json=INITIALIZE)
            assert first.status_code == 200
            while (code := (await caller.post(server.url, json=INITIALIZE)).status_code) == 503:
                await asyncio.sleep(0.1)  # until the first has expired, at once where that took a second
            assert code == 200
            old = {"Mcp-Session-Id": first.headers["mcp-session-id"]}
            assert (await caller.post(server.url, json={}, headers=old)).status_code == 404
    finally:
        server.stop()


async def test_clients_that_go_away_in_mid_request_cost_next_to_nothing(http):
    body = json.dumps({**INITIALIZE, "padding": "x" * 1000}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{http.port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    async with Client(http.url) as session:  # what a server loads for its first call is no client's doing
        assert not (await session.call_tool("search_tools", {"query": "files"})).is_error
    process = psutil.Process(http.process.pid)
    before = sum(process.cpu_times()[:2])
    for number in range(200):
        with http.connect() as gone:
            gone.sendall(head + body[: number % 100])
            if number % 2:  # a reset instead of a farewell
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    async with Client(http.url) as session:
        assert not (await session.call_tool("search_tools", {"query": "files"})).is_error
    assert sum(process.cpu_times()[:2]) - before < 1.0  # of processor time; 18 s once
    _, log = http.stop()
    assert "Traceback" not in log
