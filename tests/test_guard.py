"""The guard before every HTTP door: what it refuses, in which order, and what never reaches the application."""

import asyncio

import pytest

from fourfold import FourfoldError
from fourfold.guard import Guard, is_loopback, serve

LOOPBACK = ["127.0.0.1", "127.0.0.2", "localhost", "::1"]


class App:
    """An application that counts what reaches it."""

    def __init__(self):
        self.bodies = []

    async def __call__(self, scope, receive, send):
        self.bodies.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"yes"})


def ask(guard, *, client="10.0.0.9", body=(b"",), gone=None, **headers):
    """Send one request; return its status, None if there was no answer.

    ``gone``: when the client goes away, in "mid body", "before" the answer or "after" it; None: it stays.
    """
    scope = {
        "type": "http",
        "client": (client, 1234),
        "headers": [(k.replace("_", "-").lower().encode(), v.encode()) for k, v in headers.items()],
    }
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
    if messages:
        messages[-1]["more_body"] = gone == "mid body"
    sent, leaves = [], asyncio.Event()

    async def receive():
        if messages:
            return messages.pop(0)
        await (leaves if gone else asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if message["type"] == "http.response.body":
            leaves.set()

    if gone in ("mid body", "before"):
        leaves.set()
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"] if sent else None


@pytest.mark.parametrize("listening", LOOPBACK)
def test_on_every_name_of_this_machine_host_and_origin_must_be_this_machine(listening):
    guard = Guard(App(), host=listening)
    for host in ("127.0.0.1", "127.0.0.2:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "[::1]"):
        assert ask(guard, host=host) == 200, host
        assert ask(guard, host=host, origin=f"http://{host}") == 200, host
    for host in (
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8000",
        "localhost@evil",
        "10.0.0.1",
        "",
    ):
        assert ask(guard, host=host) == 421, host
    assert ask(guard) == 421
    for origin in ("http://evil.example", "null", "", "file://localhost", "http://localhost.evil.example", "localhost"):
        assert ask(guard, host="127.0.0.1:8000", origin=origin) == 403, origin


def test_a_header_given_twice_is_no_header():
    guard = Guard(App())
    scope = {"type": "http", "client": None, "headers": [(b"host", b"localhost"), (b"host", b"evil.example")]}
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, None, send))
    assert sent[0]["status"] == 421


def test_a_token_does_not_open_loopback_to_other_names_but_allowed_ones_are():
    guard = Guard(App(), token="secret", allowed_hosts=["kg.example.org"])
    right = {"authorization": "Bearer secret"}
    assert ask(guard, host="evil.example", **right) == 421
    assert ask(guard, host="KG.example.org", **right) == 200
    assert ask(guard, host="kg.example.org", origin="https://kg.example.org", **right) == 200
    assert ask(guard, host="kg.example.org", origin="https://evil.example", **right) == 403


def test_beyond_loopback_a_token_is_demanded_and_pages_of_other_sites_are_refused():
    with pytest.raises(FourfoldError, match=r"'0\.0\.0\.0'"):
        Guard(App(), host="0.0.0.0")
    guard = Guard(App(), host="0.0.0.0", token="secret")
    assert ask(guard, host="any.example") == 401
    right = {"authorization": "Bearer secret"}
    assert ask(guard, host="any.example", **right) == 200
    assert ask(guard, host="any.example", origin="http://any.example", **right) == 200
    assert ask(guard, host="any.example", origin="http://evil.example", **right) == 403
    named = Guard(App(), host="0.0.0.0", token="secret", allowed_hosts=["kg.example.org"])
    assert ask(named, host="any.example", **right) == 421
    assert ask(named, host="kg.example.org", **right) == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bearer "])
def test_the_scheme_of_a_token_has_no_case(scheme):
    app = App()
    assert ask(Guard(app, token="secret"), host="localhost", authorization=f"{scheme} secret") == 200
    for wrong in ("secre", "Secret", "secret2", ""):
        assert ask(Guard(app, token="secret"), host="localhost", authorization=f"{scheme} {wrong}") == 401
    assert ask(Guard(app, token="secret"), host="localhost", authorization="Basic secret") == 401
    assert len(app.bodies) == 1


@pytest.mark.parametrize("token", ["secret\n", " secret "])
def test_a_token_out_of_a_file_with_its_line_end_is_the_token(token):
    guard = Guard(App(), host="0.0.0.0", token=token)  # noqa: S104
    assert ask(guard, host="kg.example", authorization="Bearer secret") == 200
    assert ask(guard, host="kg.example", authorization="Bearer ") == 401
    with pytest.raises(FourfoldError, match="set a token"):
        Guard(App(), host="0.0.0.0", token=" \n")  # noqa: S104


def test_wrong_tokens_are_limited_as_right_ones_are():
    now = [0.0]
    guard = Guard(App(), token="secret", rate=2, clock=lambda: now[0])
    wrong = {"host": "localhost", "authorization": "Bearer no"}
    codes = [ask(guard, **wrong) for _ in range(25)]
    assert codes == [401] * 20 + [429] * 5
    assert ask(guard, host="localhost", authorization="Bearer secret") == 429
    assert ask(guard, client="10.0.0.8", host="localhost", authorization="Bearer secret") == 200
    now[0] = 0.6
    assert [ask(guard, **wrong), ask(guard, **wrong)] == [401, 429]


def test_foreign_hosts_are_limited_too():
    guard = Guard(App(), rate=1, clock=lambda: 0.0)
    assert [ask(guard, host="evil.example") for _ in range(12)] == [421] * 10 + [429] * 2


def test_a_client_gets_no_fresh_bucket_by_a_header_or_another_address_of_its_network():
    guard = Guard(App(), rate=1, clock=lambda: 0.0)
    codes = [ask(guard, host="localhost", x_forwarded_for=f"1.2.3.{n}", forwarded=f"for=1.2.3.{n}") for n in range(12)]
    assert codes.count(429) == 2
    codes = [ask(guard, client=f"2001:db8::{n:x}", host="localhost") for n in range(12)]
    assert codes.count(429) == 2
    assert ask(guard, client="2001:db8:0:1::1", host="localhost") == 200


def test_a_client_that_goes_away_in_mid_body_never_reaches_the_application():
    app = App()
    guard = Guard(app)
    assert ask(guard, host="localhost", body=[b"half"], gone="mid body") is None
    assert app.bodies == []
    assert ask(guard, host="localhost", body=[b"ha", b"lf"]) == 200
    assert app.bodies == [b"half"]


def test_a_client_that_does_not_wait_for_the_answer_ends_the_work():
    ended = []

    async def slow(scope, receive, send):
        assert (await receive())["body"] == b"all"
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    assert ask(Guard(slow), host="localhost", body=[b"all"], gone="before") is None
    assert ended == [True]


def test_what_comes_after_the_answer_is_done_to_its_end():
    done = []

    async def thorough(scope, receive, send):
        await App()(scope, receive, send)
        assert await receive() == {"type": "http.disconnect"}
        await asyncio.sleep(0)
        done.append(True)

    assert ask(Guard(thorough), host="localhost", gone="after") == 200
    assert done == [True]


def test_the_applications_errors_are_the_servers_to_tell():
    async def broken(scope, receive, send):
        raise ArithmeticError("broken")

    with pytest.raises(ArithmeticError):
        ask(Guard(broken), host="localhost")


def test_bodies_are_bounded_in_size_and_time():
    app = App()
    guard = Guard(app, max_body=10, body_seconds=0.01)
    assert ask(guard, host="localhost", content_length="11") == 413
    assert ask(guard, host="localhost", content_length="9" * 5000) == 413
    assert ask(guard, host="localhost", body=[b"x" * 6, b"x" * 6]) == 413
    assert ask(guard, host="localhost", body=[b"x"] * 11) == 413
    assert ask(guard, host="localhost", body=[]) == 408
    assert app.bodies == []
    assert ask(guard, host="localhost", body=[b"x" * 10]) == 200


def test_other_protocols_are_closed():
    app, sent = App(), []

    async def send(message):
        sent.append(message["type"])

    asyncio.run(Guard(app)({"type": "websocket", "headers": []}, None, send))
    assert sent == ["websocket.close"]


@pytest.mark.parametrize("options", [{"rate": -1}, {"rate": float("nan")}, {"rate": float("inf")}, {"max_body": 0}])
def test_numbers_that_cannot_be_meant_are_refused(options):
    with pytest.raises(FourfoldError, match=next(iter(options))):
        Guard(App(), **options)


@pytest.mark.parametrize("options", [{"port": 99999}, {"port": -1}, {"trusted_proxies": ["*"]}])
def test_nothing_is_served_where_nobody_looks_or_by_trust_in_everybody(options):
    with pytest.raises(FourfoldError, match=r"99999|-1|'\*'"):
        serve(Guard(App()), **options)


def test_what_only_this_machine_can_reach():
    assert all(map(is_loopback, [*LOOPBACK, "[::1]", "127.255.255.255", "LocalHost"]))
    assert not any(
        map(is_loopback, ["0.0.0.0", "::", "", "10.0.0.1", "localhost.evil.example", "127.0.0.1.evil.example"])
    )
