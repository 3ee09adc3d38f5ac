"""Reads files in a process apart, so that what hangs, breaks down or eats memory there harms no other file."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

from fourfold.errors import InvalidValueError
from fourfold.ingest.documents import Section
from fourfold.ingest.readers import READERS, Parsed
from fourfold.ingest.readers.parsed import LONGEST_TEXT, NoTextError, reason

try:
    import resource
except ImportError:  # Windows knows no limits of this kind
    resource = None  # type: ignore[assignment]

_MEMORY = 2 << 30
"""Most bytes of memory that a reader may fill."""

_START = "import sys; sys.path[:] = sys.argv[1:]; from fourfold.ingest.readers.apart import serve; serve()"


class ReadersApart:
    """A process that reads one file after the other; it is begun with the first, and anew after one that broke it.

    ``max_seconds`` are of processor time, not by the clock; unlimited on Windows.
    """

    def __init__(self, max_seconds: int) -> None:
        self._max_seconds = max_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, kind: str, data: bytes) -> Parsed:
        """Return what the reader of this kind makes of the bytes of a file.

        Raises:
            NoTextError: there is nothing to read in it.
            InvalidValueError: it cannot be read; the sentence says why.

        """
        process = self._process = self._process or self._begun()
        assert process.stdin is not None and process.stdout is not None
        answer = b""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps([kind, self._max_seconds, len(data)]).encode() + b"\n" + data)
            process.stdin.flush()
            answer = process.stdout.readline()
        if not answer.endswith(b"\n"):
            raise InvalidValueError(self._why_it_ended())
        fields = json.loads(answer)
        if "error" in fields:
            raise (NoTextError if fields["whole"] else InvalidValueError)(fields["error"])
        return Parsed(**{**fields, "sections": tuple(Section(**part) for part in fields["sections"])})

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _begun(self) -> subprocess.Popen[bytes]:
        # Without the folder it stands in on its path: that may be the one that is read, and hold a docutils.py.
        path = [place for place in sys.path if place]
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _START, *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )

    def _why_it_ended(self) -> str:
        assert self._process is not None
        self._process.communicate()
        code, self._process = self._process.returncode, None
        if code == -getattr(signal, "SIGXCPU", 0):
            return f"reading the file takes more than {self._max_seconds} s of processor time; it is left out."
        return f"the reader broke down at the file (exit code {code}); it is left out."


def serve() -> None:
    """Read files from standard input and answer on standard output, until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    while line := sys.stdin.buffer.readline():
        kind, max_seconds, size = json.loads(line)
        data = sys.stdin.buffer.read(size)
        if resource is not None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            seconds = math.ceil(used.ru_utime + used.ru_stime) + max_seconds
            resource.setrlimit(resource.RLIMIT_CPU, (seconds if hard < 0 else min(seconds, hard), hard))
        answers.write(json.dumps(_answer(kind, data)).encode() + b"\n")
        answers.flush()


def _answer(kind: str, data: bytes) -> dict[str, Any]:
    """Return what a reader makes of a file, or why it makes nothing of it, as JSON values."""
    try:
        parsed = asdict(READERS[kind](data))
    except Exception as error:
        return {"error": reason(error), "whole": isinstance(error, NoTextError)}
    if len(parsed["text"]) > LONGEST_TEXT:
        told = f"the file holds {len(parsed['text']):,} characters, more than {LONGEST_TEXT:,}; it is left out."
        return {"error": told, "whole": False}
    return parsed
