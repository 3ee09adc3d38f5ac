"""A stand-in for the Gemini API: a real HTTP server that speaks the service's JSON, faults included."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

KEY = "AIzaSy-a-secret-of-39-characters-abcdef"


class Service:
    """What the server answers, and what it was asked.

    ``faults`` are answers that come before the good ones, the first first: a status, a tuple (status, body, headers),
    or the words "slow", "truncated", "cut" (the connection breaks in mid-answer) and "empty".
    """

    def __init__(self):
        self.faults = []
        self.requests = []
        self.keys = {KEY}
        self.values = lambda text, dimensions: [float(text.count(letter)) for letter in letters(dimensions)]
        self.usage = {}
        self.url = ""

    @property
    def texts(self):
        return [[r["content"]["parts"][0]["text"] for r in body["requests"]] for _, _, body in self.requests]

    def answer(self, headers, body):
        if headers.get("x-goog-api-key") not in self.keys:
            return refusal(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID")
        rows = [self.values(r["content"]["parts"][0]["text"], r["outputDimensionality"]) for r in body["requests"]]
        return 200, json.dumps({"embeddings": [{"values": row} for row in rows], **self.usage}), {}


def letters(dimensions):
    return [chr(ord("a") + n % 26) for n in range(dimensions)]


def refusal(status, message, reason):
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}]
    error = {"code": status, "message": message, "status": "INVALID_ARGUMENT", "details": details}
    return status, json.dumps({"error": error}), {}


def status(code, **headers):
    error = {"code": code, "message": f"It is status {code}.", "status": "UNAVAILABLE"}
    return code, json.dumps({"error": error}), {name.replace("_", "-"): value for name, value in headers.items()}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        service = self.server.service
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service.requests.append((self.path, dict(self.headers), body))
        fault = service.faults.pop(0) if service.faults else None
        code, text, headers = service.answer(self.headers, body)
        if isinstance(fault, int):
            code, text, headers = status(fault)
        elif isinstance(fault, tuple):
            code, text, headers = fault
        elif fault == "slow":
            self.rfile.read(1)  # until the client has given up
            return
        elif fault == "truncated":
            text = text[:25]
        elif fault == "empty":
            text = "{}"
        sent = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(sent) + (fault == "cut")))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):  # a client that has stopped waiting
        pass


@pytest.fixture
def serve():
    """Return a context manager that runs a request handler's server on this machine."""
    return running


@contextmanager
def running(handler):
    server = Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def gemini(monkeypatch):
    """Return a service that listens at the address that the SDK reads from the environment; no key is set."""
    pytest.importorskip("google.genai")
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_API_USE_MTLS_ENDPOINT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running(Handler) as server:
        server.service = Service()
        server.service.url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.service.url)
        yield server.service
