"""Any request to the pages of Lens: answered or refused, within a second, with nothing on a page that steers.

One graph whose nodes want to be more than text; addresses, forms and uploads made by a seed. It must hold that no
request is an error of the server, that none takes a second of computing, and that a page has no script but our own
and no character that steers a terminal or turns the direction of writing. python benchmarks/soak pages --requests 20000
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from collections import Counter
from urllib.parse import quote, urlencode

from chaos import FRAGMENTS, IDS, WORDS, Chaos
from starlette.testclient import TestClient

from fourfold import Edge, Node, Retriever
from fourfold.lens import Lens

LONGEST = 1.0
"""Seconds of computing that a request may take."""

BASE = "http://127.0.0.1:8044"
GETS = ("/", "/keys", "/values", "/find", "/why", "/compare", "/judge", "/measure", "/graph", "/judge/export/", "/no")
POSTS = ("/judge/mark", "/judge/import", "/measure/run", "/measure/stop", "/measure/apply", "/measure/rollback", "/")
NAMES = "q k mode intent weights pin fk fo fv group_by node expected key a b from to direction task fragment".split()
FIELDS = ("grade", "kind", "job", "version", "anyway")
VALUES = (
    *("1e400", "-1", "0", "nan", "inf", "9" * 30, "1_000", "٣", "0x10", "", "true", "1,2,3,4", "nan,1,1,1", "0,0,0,0"),
    *(
        "in force",
        "default",
        "published",
        "text only",
        "version 1",
        "version x",
        "tuned",
        "other",
        "hybrid",
        "workflow",
    ),
    *("is", "not", "has", "min", "max", "any", "none", "lang", "dependents", "dependencies", "save data to disk"),
)
UPLOADS = (
    *(b"q 0 n1 1\n", b'{"query": "a", "expected": ["n1"]}\n', b'{"query": 5}\n', b"\x00\xff\xfe", b"[" * 5000),
    *(b"query-id\tcorpus-id\tscore\nq\tn1\tx\n", b'{"query": "a", "expected": {"n1": 1e999}}\n', b'{"a":' * 3000),
)
TYPES = ("application/json", "multipart/form-data", "multipart/form-data; boundary=x", "text/plain")
STEERING = re.compile('[\u202e\x07\x1b\x00]|<script(?![^>]*src="/static/)|javascript:[^<]*[\'"]>|<img|<iframe')


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)


def run(given: argparse.Namespace) -> bool:
    """Send the requests, print what broke, and return whether nothing did."""
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # which tells each form that is none
    asking, answers, faults, slowest = Asking(given.seed), Counter[int](), Counter[str](), 0.0
    with Retriever(":memory:") as graph:
        graph.add(*hostile())
        client = TestClient(Lens(graph, beside={"other": graph}).app(), base_url=BASE)
        client.get("/judge?q=save data")  # the model and what else loads once is no request's time
        for number in range(given.requests):
            method, address, content, kind = asking.request(client)
            begin, fault, route = time.process_time(), "", "/".join(address.split("?")[0].split("/")[:3])
            try:
                answer = client.request(method, address, content=content, headers=kind, follow_redirects=False)
                answers[answer.status_code] += 1
                if answer.status_code == 429:  # asked too often: what follows is to be answered
                    time.sleep(0.2)
                if answer.status_code >= 500:
                    fault = f"status {answer.status_code}"
                elif "html" in answer.headers.get("content-type", "") and (found := STEERING.search(answer.text)):
                    fault = f"{found[0]!r} on the page of {route}"
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            slowest = max(slowest, took := time.process_time() - begin)
            if took > LONGEST:
                fault = f"slow {route}"
            if fault:
                faults[fault] += 1
                if faults[fault] == 1:
                    print(f"request {number}, {method} {address[:400]}: {fault}\n", flush=True)
    told = ", ".join(f"{count:,} × {status}" for status, count in sorted(answers.items()))
    print(
        f"pages: {given.requests:,} requests, seed {given.seed}: {told}; slowest {slowest:.2f} s; {len(faults)} faults."
    )
    return not faults


def hostile() -> tuple[list[Node], list[Edge]]:
    """Return nodes whose every part is a text that wants to be more."""
    bad = "<script>x</script>\"'><img src=x onerror=y>\u202eevil\x07\x1b[31m"
    nodes = [
        Node(f"n{i}", f"{WORDS[i]} {bad}", "tool", f"save data {bad} {WORDS[-i]}", {"lang": bad}) for i in range(30)
    ]
    nodes.append(Node("long", "save " + "n" * 1_000_000, bad.replace("\x07", ""), "a name of a megabyte"))
    return nodes, [Edge(f"n{i}", f"n{(i * 7 + 1) % 30}", ("requires", "<b>")[i % 2]) for i in range(30)]


class Asking:
    """Makes requests; ``tokens`` are those of the forms, by the page."""

    def __init__(self, seed: int) -> None:
        self.chaos = Chaos(seed)
        self.tokens: dict[str, str] = {}

    def value(self) -> bytes:
        kind = self.chaos.random.random()
        if kind < 0.3:
            text = " ".join(self.chaos.random.choices(WORDS, k=self.chaos.count(6)))
        elif kind < 0.6:
            text = "".join(self.chaos.random.choices([*FRAGMENTS, *WORDS], k=self.chaos.count(8)))
        elif kind < 0.9:
            text = self.chaos.one(*VALUES)
        elif kind < 0.93:
            text = "save data to disk" * self.chaos.count(400)
        else:
            text = self.chaos.one(*IDS)
        return text.encode("utf-8", "surrogatepass")

    def request(self, client: TestClient) -> tuple[str, str, bytes, dict[str, str]]:
        """Return method, address, body and headers."""
        post = self.chaos.rarely(0.3)
        path = self.chaos.one(*(POSTS if post else GETS))
        if path == "/judge/export/":
            path += quote(self.value())[:300]
        pairs = [(self.chaos.one(*NAMES), self.value()) for _ in range(self.chaos.count(7))]
        if self.chaos.rarely(0.8):
            pairs.append(("q", b"save data"))
        address = f"{path}?{'&'.join(f'{name}={quote(value)}' for name, value in pairs)}"
        content, kind = self.body(path, client) if post else (b"", "text/plain")
        return "POST" if post else "GET", address, content, {"content-type": kind, "origin": BASE}

    def body(self, path: str, client: TestClient) -> tuple[bytes, str]:
        """Return the content of a form, mostly one that is bound to a page, and its type."""
        page = "/measure" if path.startswith("/measure") else "/judge?q=save"
        if page not in self.tokens or self.chaos.rarely(0.05):
            found = re.search(r'name="form_token" value="([^"]*)"', client.get(page).text)
            self.tokens[page] = found[1] if found else ""
        if self.chaos.rarely(0.3):
            return self.value(), self.chaos.one(*TYPES)
        if path == "/judge/import":
            parts = (
                b'--x\r\ncontent-disposition: form-data; name="form_token"\r\n\r\n' + self.tokens[page].encode(),
                b'--x\r\ncontent-disposition: form-data; name="file"; filename="'
                + self.chaos.one(b"a.qrels", b"a.jsonl", b"a.tsv", b"../../a", b"")
                + b'"\r\n\r\n'
                + self.chaos.one(*UPLOADS, self.value()),
            )
            return b"\r\n".join((*parts, b"--x--\r\n")), "multipart/form-data; boundary=x"
        # no job is begun that would have to be waited for: what a run may be called is never guessed
        fields = [(self.chaos.one(*FIELDS), self.value()) for _ in range(self.chaos.count(3))]
        return urlencode([("form_token", self.tokens[page]), *fields]).encode(), "application/x-www-form-urlencoded"
