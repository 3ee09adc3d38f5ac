"""Hostile folders, made by a seed, and what must hold of each when it is indexed.

    python benchmarks/soak folders --count 100 --seed 0

Every folder is built and indexed in a process of its own with bounds of memory and processor time. It must hold that
no exception leaves ``index_folder``; that every sound file is read whole; that every other file is either read or
named with a reason; that a second run changes nothing; that searches, links and the SQLite file are sound. A folder
that breaks one of these is kept and named, with the seed that makes it again.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from fourfold import Retriever
from fourfold.ingest import index_folder, list_documents

MEMORY = 3 << 30
"""Most bytes a folder's process may map; the process that reads apart has its own bound."""

SECONDS = 120
"""Most processor time a folder may take, in both of its runs together and without what is read apart."""

WORDS = "badger fox owl worm Mercury (planet) 東京 naïve e\u0301 the Café New York write_file 2001 — and of".split()

_HTML = """<a |<a<|</a |<!--|-->|<![foo>|<![CDATA[|]]>|<b>x|<div>|</div>|<script>|</script|<table><p>|&#|&amp;|<!x|<?x
|<a b='|<a b="|<title>|<p>|<svg>|<template>|<select>|</body>"""
_RST = """*a |**a |`a |``a ||a |a_ |[a]_ |_`a |:a:`b`|.. a::|.. include:: /etc/passwd|
=
a
=|>>> |+-+|__ |:a: b|http://a |::"""
FRAGMENTS = {
    ".md": "[ ![ [a]( *a **a ` `a`` < <a <!-- > - # ~~~ [[ [[a| ]] | \\ &#x &amp; ]( [a]: 1. <http:// \t $ ---".split(
        " "
    ),
    ".html": _HTML.split("|"),
    ".rst": _RST.split("|"),
    ".py": [
        "(",
        "[",
        "{",
        "a.",
        "-",
        "not ",
        "lambda:",
        "'a' ",
        "\\",
        '"""',
        "@a\n",
        "if 1:",
        "1+",
        "a=1\n",
        "f'{",
        "9",
    ],
    ".txt": ["a ", "\x00", "\x1b[31m", "\u202e", "Mercury ", "東", "\u0301", "\n", "a" * 500],
    ".ipynb": [*'[{",:}', '"cells":', "\\u0000", "\\ud800", "1e999", "9" * 400, "null", "NaN"],
    ".pdf": ["obj", "endobj", "stream\n", "endstream", "<<", ">>", "/Kids [3 0 R]", "1 0 R ", "[", "(", "xref\n"],
}

FRONT_MATTER = [
    *("date: 2023-02-30", "date: 2023-02-03", 'a: "\\U00110000"', 'a: "\\ud800"', 'a: "\\x00"', f"a: {'9' * 5000}"),
    *(f"a: {'[' * 3000}", f"a: {'[' * 20}{']' * 20}", "a: &a [*a]", "a: &a 1", "b: *a", "<<: {x: 1}", "a: .inf"),
    *("a: .nan", 'a: !!int ""', "a: !!binary aGk=", "a: !!set {x, y}", "a: !!python/name:os.system", "? [x, y]\n: 1"),
    *("a: {? x}", "- item", "just text", "title: 5", "title: [x]", f"title: {'long ' * 2000}", 'title: "a\\x1b[31mb"'),
    *("aliases: [one, 2, null, two]", "aliases: {a: b}", "a: !!timestamp ''", "a: 1:59:59", "a: 0x_", "\ta: b"),
    *("%YAML 9.9", "a: |\n  block", "null: null", "true: yes", "1: one", "source: elsewhere", "document: x\nchunk: y"),
    *("%", "@a: b", "a: b: c"),
]

NAMES = [
    *("plain", "with space", "new\nline", "esc\x1b[31m", "per%cent", "ha#sh", "page.md#0", "co:lon", "ünï", "e\u0301"),
    *("-dash", "quo'te\"", "back\\slash", "x" * 200, "東京", "semi;colon", "as*ter?isk", "trailing.", "tab\t", "CON"),
    "id\u202egpj",
]

LINES = [
    *("{", "[]", '{"_id": ""}', '{"_id": "\\ud800", "text": "x"}', '{"_id": "a\\u0000", "text": "x"}', "[" * 5000),
    *('{"_id": 5, "text": 5}', '{"_id": "x", "text": "x", "metadata": {"a": 1e999}}'),
    '{"_id": "deep", "text": "x", "metadata": ' + '{"a":' * 600 + "1" + "}" * 600 + "}",
    '{"_id": "long", "text": "x", "metadata": {"n": ' + "9" * 5000 + "}}",
]
"""Lines of a corpus that hold no document, or one that cannot be stored."""


class Builder:
    """Fills a folder; ``sound`` has the ids of the files that must be read, and their first words."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.sound: dict[str, str] = {}
        self.places = [folder]

    def build(self) -> None:
        """Make folders, sound files, and some dozen hostile ones."""
        for _ in range(self.random.randrange(1, 6)):
            place = self.random.choice(self.places) / self.name()
            if len(os.fsencode(place)) < 3_000:
                place.mkdir(exist_ok=True)
                self.places.append(place)
        for number, kind in enumerate(sorted(FRAGMENTS)):
            self.sound_file(number, kind)
        for _ in range(self.random.randrange(20, 40)):
            self.random.choices(
                [
                    self.repeated,
                    self.damaged,
                    self.front_matter,
                    self.random_bytes,
                    self.entry,
                    self.corpus,
                    self.bomb,
                ],
                [4, 8, 6, 2, 8, 1, 1],
            )[0]()

    def name(self) -> str:
        """Return a name that may well be an odd one."""
        return f"{self.random.choice(NAMES)}{self.random.randrange(100)}"

    def path(self, kind: str) -> Path:
        """Return a place where nothing is yet."""
        while True:
            name = self.name() + (kind.upper() if self.random.random() < 0.1 else kind)
            path = self.random.choice(self.places) / name
            if len(os.fsencode(name)) < 250 and not os.path.lexists(path):
                return path

    def text(self, count: int = 30) -> str:
        """Return words."""
        return " ".join(self.random.choice(WORDS) for _ in range(count))

    def sound_file(self, number: int, kind: str) -> None:
        """Write a file that must be read."""
        path = self.random.choice(self.places) / f"sound {number}{kind}"
        mark = f"marker{number:03d}"
        path.write_bytes(SOUND[kind](mark, self.text(self.random.choice([10, 10, 4_000]))))
        self.sound[path.relative_to(self.folder).as_posix()] = mark

    def repeated(self) -> None:
        """Write a few fragments of a kind's syntax over and over: what takes a parser more than linear time."""
        kind = self.random.choice(sorted(FRAGMENTS))
        parts = "".join(self.random.choices(FRAGMENTS[kind], k=self.random.randrange(1, 5)))
        count = int(10 ** self.random.uniform(1, 4.7))
        self.path(kind).write_bytes((parts * count + self.text(3)).encode())

    def damaged(self) -> None:
        """Write a sound file that lost, gained or changed some bytes."""
        kind = self.random.choice(sorted(SOUND))
        data = bytearray(SOUND[kind](self.text(2), self.text(200)))
        for _ in range(self.random.randrange(1, 12)):
            at, length = self.random.randrange(len(data) or 1), self.random.randrange(1, 40)
            new = self.random.choice(
                [b"", self.random.randbytes(length), bytes(data[at : at + length]) * 2, b"\0" * length]
            )
            data[at : at + length] = new
        self.path(kind).write_bytes(data)

    def front_matter(self) -> None:
        """Write Markdown, or a notebook, with odd front matter."""
        lines = "\n".join(self.random.choices(FRONT_MATTER, k=self.random.randrange(1, 4)))
        text = f"---\n{lines}\n---\n# {self.text(3)}\n\n[x](a%00b.md) [[a\0]] [y](../../..) {self.text()}"
        if self.random.random() < 0.2:
            cells = [{"cell_type": self.random.choice(["raw", "markdown", "code", 5]), "source": text}]
            self.path(".ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
        else:
            self.path(".md").write_text(text)

    def random_bytes(self) -> None:
        """Write bytes that mean nothing, or an encoding nobody said."""
        kind = self.random.choice([*SOUND, ".docx", "", ".jsonl"])
        text = self.text()
        data = [
            self.random.randbytes(3_000),
            text.encode("utf-16"),
            text.encode("utf-32"),
            b"\xef\xbb\xbf",
            b"",
            b" \n" * 50,
        ]
        self.path(kind).write_bytes(self.random.choice([*data, text.encode() + b"\xff"]))

    def entry(self) -> None:
        """Make what is no regular file, or a link to anything."""
        path = self.path(self.random.choice([".md", ".txt", ".pdf", ""]))
        place = self.random.choice(self.places)
        what = self.random.randrange(9)
        if what == 0:
            os.mkfifo(path)
        elif what == 1 and len(os.fsencode(path)) < 100:
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(path))
        elif what == 2:
            (path.parent / os.fsdecode(b"\xff\xfe" + self.random.randbytes(2).hex().encode() + b".md")).write_text(
                "name of bytes"
            )
        elif what == 3:
            self.deep(path)
        else:
            targets = [
                place,
                path,
                "nothing",
                "/dev/zero",
                "/etc",
                "/proc/self/mem",
                os.path.relpath(place, path.parent),
            ]
            path.symlink_to(targets[what - 3])

    def deep(self, path: Path) -> None:
        """Make folders in folders, beyond what a path can name."""
        here = os.open(path.parent, os.O_RDONLY)
        name = f"deep{self.random.randrange(100)}"
        for _ in range(self.random.choice([5, 150, 700])):
            try:
                os.mkdir(name, dir_fd=here)
            except FileExistsError:
                break
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)

    def corpus(self) -> None:
        """Write a BEIR corpus, some lines of which are none."""
        place = self.random.choice(self.places)
        lines = [json.dumps({"_id": f"c{n}", "title": self.text(2), "text": self.text()}) for n in range(3)]
        lines += self.random.choices(LINES, k=4)
        (place / "corpus.jsonl").write_text("\n".join(lines))
        (place / "queries.jsonl").write_text("")

    def bomb(self) -> None:
        """Write something small that becomes large."""
        what = self.random.randrange(4)
        if what == 0:
            self.path(".pdf").write_bytes(pdf(b"BT /F1 9 Tf (" + b"x" * 20_000_000 + b") Tj ET"))
        elif what == 1:
            self.path(".md").write_text(f"# {'title ' * 30_000}\n\n" + "## h\n\nA sentence. " * 5_000)
        elif what == 2:
            self.path(".html").write_text("<table>" * 3_000 + "<b>x" * 60_000)
        else:
            self.path(".txt").write_bytes(b"x" * 21_000_000)


def pdf(stream: bytes) -> bytes:
    """Return a PDF of one page."""
    data = zlib.compress(stream)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(data), data),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(body)
    return body + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def _plain(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else " " for c in text)


SOUND: dict[str, Callable[[str, str], bytes]] = {
    ".md": lambda mark, text: f"---\ntags: [a]\n---\n# {mark}\n\n{text}\n\n## More\n\n{text}".encode(),
    ".html": lambda mark, text: f"<title>{mark}</title><p>{mark}</p><p>{text}</p>".encode(),
    ".rst": lambda mark, text: f"{mark}\n{'=' * len(mark)}\n\n{text}\n".encode(),
    ".py": lambda mark, text: f'"""{mark}"""\n\n\ndef f():\n    """{_plain(text)}"""\n'.encode(),
    ".txt": lambda mark, text: f"{mark}\n\n{text}".encode(),
    ".ipynb": lambda mark, text: json.dumps(
        {"nbformat": 4, "cells": [{"cell_type": "markdown", "source": [f"# {mark}\n", text]}]}
    ).encode(),
    ".pdf": lambda mark, text: pdf(f"BT /F1 12 Tf 72 720 Td ({mark} {_plain(text)}) Tj ET".encode()),
}


def check(seed: int, folder: Path) -> dict[str, object]:
    """Build and index one folder; return what there was in it, or raise AssertionError."""
    builder = Builder(folder, seed)
    builder.build()
    graph = folder.with_name("graph.sqlite")
    began = time.process_time()
    with Retriever(graph) as retriever:
        report = index_folder(retriever, folder, max_seconds=2)
        documents = {document.id: document.source for document in list_documents(retriever)}
        assert builder.sound.keys() <= documents.keys(), f"not read: {builder.sound.keys() - documents.keys()}"
        for identity, mark in builder.sound.items():
            texts = retriever.get([identity, f"{identity}#0"])
            assert any(mark in node.text for node in texts), f"{identity} lost its text"
        left_out = {problem.where for problem in report.passed_over}
        assert all(problem.what.endswith(".") and len(problem.what) < 700 for problem in report.passed_over)
        str(report).encode("utf-8", "replace")
        read = set(documents.values())
        for place, folders, files in os.walk(folder):
            for name in files + [name for name in folders if os.path.islink(os.path.join(place, name))]:
                path = Path(place, name).as_posix()
                of_a_corpus = any(where.startswith(f"{path}:") for where in left_out)
                beneath = any(path.startswith(f"{where}/") for where in left_out)
                assert path in read or path in left_out or of_a_corpus or beneath, f"neither read nor named: {path!r}"
        again = index_folder(retriever, folder, max_seconds=2)
        assert (again.added, again.removed) == (0, 0), f"the second run: {again.added} added, {again.removed} removed"
        differing = set(again.passed_over) ^ set(report.passed_over)
        assert not differing, f"the second run passes over what the first did not, or the reverse: {differing}"
        for query in ("marker001", "badger 東京", "what names Mercury?", ""):
            for hit in retriever.search(query, k=50):
                assert math.isfinite(hit.score) and 0 <= hit.score <= 1 and isinstance(hit.why, str)
        retriever.edges(list(retriever.manifest()))
    with closing(sqlite3.connect(graph)) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts = {"read": report.added, "passed_over": len(report.passed_over), "problems": len(report.problems)}
    return {"seed": seed, **counts, "seconds": round(seconds, 1), "megabytes": memory}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command line may say."""
    parser.add_argument("--count", type=int, default=100, help="number of folders")
    parser.add_argument("--seed", type=int, default=0, help="of the first; each folder has the next")
    parser.add_argument("--keep", type=Path, help="where folders are built, and those that failed are left")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)  # build and check a single folder, in this process


def run(arguments: argparse.Namespace) -> bool:
    """Check each folder in a process of its own, print a line of it, and return whether all hold."""
    if arguments.one is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        arguments.one.mkdir(parents=True)
        print(json.dumps(check(arguments.seed, arguments.one)))
        return True
    failed = []
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        work = Path(tempfile.mkdtemp(prefix=f"hostile-{seed}-", dir=arguments.keep))
        command = [sys.executable, __file__, "--seed", str(seed), "--one", str(work / "folder")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        print(done.stdout.strip() or f"seed {seed} failed, exit code {done.returncode}:\n{done.stderr}", flush=True)
        if done.returncode:
            failed.append(seed)
        else:
            subprocess.run(["rm", "-rf", str(work)], check=True)  # shutil.rmtree recurses, and some are deep
    print(
        f"{arguments.count - len(failed)} of {arguments.count} folders hold{f'; failed: {failed}' if failed else ''}."
    )
    return not failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_options(parser)
    sys.exit(not run(parser.parse_args()))
