"""Connections that nobody gets on with are closed, by a server in a process of its own."""

import socket
import subprocess
import sys

import pytest

SERVER = """
import asyncio
from fourfold import guard, slow_clients

slow_clients.HEAD_SECONDS, slow_clients.READING_SECONDS = {head}, {reading}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await receive()
    await send({{"type": "http.response.start", "status": 200, "headers": []}})
    try:
        while scope["path"] == "/endless":
            await send({{"type": "http.response.body", "body": b"a" * 1_000_000, "more_body": True}})
            await asyncio.sleep(0)  # where the client is gone, sending waits for nothing
        await send({{"type": "http.response.body", "body": b"whole"}})
    finally:
        print("ended", flush=True)


guard.serve(guard.Guard(app), port=0, ready=lambda port: print(port, flush=True))
"""


@pytest.fixture
def serving():
    begun = []

    def serve(head=600, reading=600):
        program = SERVER.format(head=head, reading=reading)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        begun.append(process)
        return process, int(process.stdout.readline())

    yield serve
    for process in begun:
        process.terminate()
        process.communicate()


def connected(port: int, sent: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(sent)
    return client


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127."])
def test_a_client_that_sends_no_whole_head_is_left(serving, sent):
    with connected(serving(head=0.2)[1], sent) as client:
        assert client.recv(1_000) == b""


def test_a_connection_that_was_used_waits_for_no_further_head_without_end(serving):
    head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with connected(serving(head=0.2)[1], head + b"\r\n") as client, client.makefile("rb") as answer:
        while answer.readline() != b"0\r\n":
            pass
        client.sendall(head)
        assert answer.read().strip() == b""


def test_a_client_that_reads_no_further_is_left(serving):
    process, port = serving(reading=0.2)
    with connected(port, b"GET /endless HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
        assert process.stdout.readline() == "ended\n"
