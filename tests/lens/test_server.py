"""``fourfold lens`` as a service: real child processes, real sockets, other programs beside it."""

import contextlib
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from html import unescape
from urllib.parse import quote

import pytest
from lens_client import client_of, names
from lens_graphs import tools

from fourfold import Node, Retriever, StoreError
from fourfold.lens import Lens
from fourfold.lens.server import open_beside

pytestmark = pytest.mark.xdist_group("lens server")


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("server") / "kg.sqlite"
    tools(path).close()
    return path


@pytest.fixture(scope="module")
def server(serve, db):
    with Retriever(db.parent / "other.sqlite") as other:
        other.add([Node(id="only", name="only_here", text="Save data.")])
    return serve(db, "--beside", str(db.parent / "other.sqlite"))


def get(url: str, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def refused(*options) -> str:
    """Return the sentence with which the command ends."""
    command = [sys.executable, "-m", "fourfold", "lens", "--no-browser", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and done.stderr.startswith("fourfold: ")
    return done.stderr


def test_what_another_program_writes_is_in_the_next_answer(server, db):
    assert "A node of now" not in get(f"{server.url}/?q=brand+new")[1]
    with Retriever(db) as other:
        other.add([Node(id="new", name="A node of now", text="Brand new.")])
        assert "A node of now" in unescape(re.sub("</?mark>", "", get(f"{server.url}/?q=brand+new")[1]))
        other.delete(["new"])
    assert "A node of now" not in get(f"{server.url}/?q=brand+new")[1]


def test_only_this_machine_is_answered(server):
    assert get(server.url)[0] == 200
    assert get(server.url, Host="evil.example")[0] == 421
    assert get(server.url, Origin="http://evil.example")[0] == 403
    assert server.url.startswith("http://127.0.0.1:")


def test_a_token_opens_what_listens_elsewhere(serve, db):
    server = serve(db, "--host", "0.0.0.0", environment={"FOURFOLD_LENS_TOKEN": "s3cret"})
    url = server.url.replace("0.0.0.0", "127.0.0.1")
    assert get(url)[0] == 401
    assert get(url, Authorization="Bearer s3cret")[0] == 200


def test_the_printed_address_has_any_token(db):
    token = "a+b/c=&d#e%41 é"
    command = [sys.executable, "-m", "fourfold", "lens", "--db", str(db), "--port", "0", "--no-browser"]
    environment = {**os.environ, "FOURFOLD_LENS_TOKEN": token}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            url = re.search(r"at (http://\S+) — ", process.stderr.readline())[1]
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(url, timeout=30) as page:
                assert page.status == 200 and "token" not in page.url
        finally:
            process.terminate()


def test_a_head_that_does_not_end_is_refused(server):
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as client, contextlib.suppress(ConnectionError):
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for _ in range(64):
            client.sendall(b"x: %s\r\n" % (b"a" * 65_536))
        while client.recv(65_536):  # nothing is said to what goes on for ever, and this waits in vain
            pass
    assert get(server.url)[0] == 200


def test_the_end_is_quiet(db):
    command = [sys.executable, "-m", "fourfold", "lens", "--db", str(db), "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    assert "Lens shows" in line and "Ctrl+C ends it" in line
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=30)
    assert "Traceback" not in rest
    assert process.returncode in (0, 130, -signal.SIGINT)


def test_the_first_page_waits_for_no_package_that_it_does_not_need(db):
    command = [sys.executable, "-X", "importtime", "-m", "fourfold", "lens", "--db", str(db), "--port", "0"]
    with subprocess.Popen([*command, "--no-browser"], stderr=subprocess.PIPE, text=True) as process:
        lines = list(itertools.takewhile(lambda line: "Lens shows" not in line, process.stderr))
        process.terminate()
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "starlette" in loaded and not loaded & {"scipy", "networkx", "matplotlib"}


def test_what_cannot_be_served_is_a_sentence(db, tmp_path):
    told = "set a token in the environment variable FOURFOLD_LENS_TOKEN"  # where, it had not said
    assert told in refused("--db", db, "--host", "0.0.0.0", "--port", "0")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "choose another port" in refused("--db", db, "--port", taken.getsockname()[1])
    assert "There is no file" in refused("--db", db, "--beside", tmp_path / "mistyped.sqlite")
    assert not list(tmp_path.iterdir())


def test_read_only_leaves_the_file_as_it_is(serve, tmp_path):
    path = tmp_path / "kg.sqlite"
    tools(path).close()
    before = path.read_bytes()
    server = serve(path, "--read-only")
    for address in (
        "/",
        "/?q=save",
        "/why?q=save&node=write",
        "/judge?q=save",
        "/measure",
        "/graph",
        "/compare?q=save",
    ):
        assert get(server.url + address)[0] == 200
    assert 'name="form_token"' not in get(f"{server.url}/judge?q=save")[1]
    assert path.read_bytes() == before


def test_another_file_stands_beside(server):
    assert "only_here" in get(f"{server.url}/compare?q=save&b=other.sqlite")[1]


def test_files_of_one_name_stand_beside_each_other(serve, db):
    paths = [db.parent / folder / "kg.sqlite" for folder in ("before", "after")] + [db.parent / "text only"]
    for number, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        with Retriever(path) as other:
            other.add([Node(id="only", name=f"only_in_{number}", text="Save data.")])
    server = serve(db, *(part for path in paths for part in ("--beside", str(path))))
    for number, path in enumerate(paths):
        assert f"only_in_{number}" in get(f"{server.url}/compare?q=save&a=default&b={quote(str(path))}")[1]
    assert "only_in" not in get(f"{server.url}/compare?q=save&a=default&b=text+only")[1]


def test_a_file_beside_another_that_cannot_be_opened_is_closed(db, monkeypatch):
    opened = []

    class Remembered(Retriever):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            opened.append(self)

    monkeypatch.setattr("fourfold.lens.server.Retriever", Remembered)
    with pytest.raises(StoreError, match="There is no file"), open_beside([str(db), str(db.parent / "mistyped")]):
        pass
    with pytest.raises(StoreError, match="closed"):
        opened[0].search("save data")


# -- the retrievers of the frameworks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("framework", "adapter", "ask"),
    [
        ("langchain_core", "langchain_fourfold", lambda r: [each.id for each in r.invoke("save data")]),
        ("llama_index.core", "llama_index.retrievers.fourfold", lambda r: [e.node_id for e in r.retrieve("save data")]),
    ],
)
def test_over_the_retriever_of_a_framework(db, framework, adapter, ask):
    pytest.importorskip(framework)
    retriever = pytest.importorskip(adapter).FourfoldRetriever(path=str(db))
    page = client_of(Lens(retriever)).get("/", params={"q": "save data"}).text
    found = {node.id: node.name for node in retriever.retriever.get(ask(retriever))}
    assert set(names(page)) == set(found.values()) and names(page)[0] == found[ask(retriever)[0]]
