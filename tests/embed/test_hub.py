"""A name of the hub never hangs: the folder first, then the cache, then the network under a deadline.

The hub's address is read when its client is imported, so each case runs in a process of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler

import pytest

from fourfold import EmbedderError, InvalidValueError
from fourfold.embed import StaticEmbedder
from fourfold.embed.static import BUNDLED_FOLDER

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = ("config.json", "tokenizer.json", "model.safetensors")

PROGRAM = """
import sys
from fourfold import EmbedderError
from fourfold.embed import StaticEmbedder
import huggingface_hub, model2vec
embedder = StaticEmbedder("someone/some-model", deadline=float(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    try:
        print(embedder.embed_query("hello").shape, flush=True)
    except EmbedderError as error:
        print(error, flush=True)
        embedder._hub._deadline = 3600  # who asks again does not wait again: here that would be for ever
"""


class Hub(BaseHTTPRequestHandler):
    """Enough of the hub to download a model; ``silent_at`` is the part of a path that is never answered."""

    def do_GET(self):
        self.server.paths.append(self.path)
        if self.server.silent_at is not None and self.server.silent_at in self.path:
            self.server.released.wait()
            return
        name = self.path.rpartition("/")[2]
        if name in FILES and "/resolve/" in self.path:
            self._send((BUNDLED_FOLDER / name).read_bytes(), ETag=f'"{name}"')
        elif self.path.startswith("/api/models/someone/some-model"):
            files = [{"type": "file", "path": name, "rfilename": name, "size": 1, "oid": "0"} for name in FILES]
            answer = files if "/tree/" in self.path else {"id": "someone/some-model", "sha": COMMIT, "siblings": files}
            self._send(json.dumps(answer).encode())
        else:
            self._send(b"{}", status=404)

    do_HEAD = do_GET

    def _send(self, content, status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Repo-Commit", COMMIT)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def hub(tmp_path, serve):
    with serve(Hub) as server:
        server.paths, server.silent_at, server.released = [], None, threading.Event()
        server.home = tmp_path / "home"
        yield server
        server.released.set()


def ask(hub, deadline=30, times=1, **more):
    environment = {**os.environ, "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "HF_HOME": str(hub.home)}
    environment |= {"NO_PROXY": "127.0.0.1", "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0", **more}
    done = subprocess.run(  # it ends though a request is never answered
        [sys.executable, "-c", PROGRAM, str(deadline), str(times)],
        env=environment, cwd=hub.home.parent, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("silent_at", ["", "/api/models/", "/resolve/"])
def test_a_hub_that_accepts_and_never_answers(hub, silent_at):
    hub.silent_at = silent_at
    first, second = ask(hub, deadline=2, times=2)
    assert "'someone/some-model' was not downloaded from the hub within 2 seconds" in first and "deadline=" in first
    assert "was not downloaded" in second


def test_what_was_downloaded_is_not_asked_for_again(hub):
    assert ask(hub) == ["(256,)"]
    assert any("/resolve/" in path for path in hub.paths)
    hub.paths.clear()
    hub.silent_at = ""
    assert ask(hub, deadline=0.5) == ["(256,)"] and hub.paths == []


def test_a_local_folder_of_that_name_comes_first(hub):
    shutil.copytree(BUNDLED_FOLDER, hub.home.parent / "someone" / "some-model")
    assert ask(hub) == ["(256,)"] and hub.paths == []


def test_offline(hub):
    (line,) = ask(hub, HF_HUB_OFFLINE="1")
    assert "neither a folder nor in the hub's cache" in line and hub.paths == []


def test_where_the_hub_cannot_be_reached_it_is_said_at_once(hub):
    """The library tried six times, for 23 seconds."""
    (line,) = ask(hub, deadline=15, HF_ENDPOINT="http://127.0.0.1:9")
    assert "neither a folder nor in the hub's cache" in line


def test_what_is_no_name_of_the_hub_is_not_asked_for(tmp_path):
    for source in (tmp_path / "missing", "models/of/mine", "./missing", "/missing", "C:\\\\models"):
        with pytest.raises(EmbedderError, match="There is no model folder"):
            StaticEmbedder(source)


@pytest.mark.parametrize("deadline", [0, -1.0, float("inf"), float("nan"), None, "5"])
def test_a_deadline_is_a_finite_number_of_seconds(deadline):
    """Of None Python's own comparison was raised, and of infinity the system's clock when the hub was asked."""
    with pytest.raises(InvalidValueError, match=f"deadline is {deadline!r}"):
        StaticEmbedder("someone/some-model", deadline=deadline)


@pytest.mark.parametrize("name", ["some--model", "someone/some..model", "someone/model.git", "m" * 97])
def test_what_the_hub_takes_for_no_name_is_told_of_as_any_model_that_is_not_there(name):
    """The error of its client came through."""
    with pytest.raises(EmbedderError, match="neither a folder nor in the hub's cache"):
        StaticEmbedder(name).embed_query("hello")


def test_a_download_for_which_no_thread_can_be_started_is_an_error_of_the_embedder(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(EmbedderError, match="no thread can be started"):
        StaticEmbedder("someone/some-model-that-is-in-no-cache").embed_query("hello")


def test_a_name_too_long_for_a_path_is_no_fault_of_the_system():
    StaticEmbedder("m" * 300)  # the hub's client says of it that it is none
    with pytest.raises(EmbedderError, match="There is no model folder"):
        StaticEmbedder("m" * 300 + "/of/mine")
