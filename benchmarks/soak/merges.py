"""SIGKILL while segments are merged and derived files are written; then many search while one writes and merges.

    python benchmarks/soak merges --kills 200 --seconds 60 --seed 0

A child writes, searches and merges without a pause, several writes to a merge, and is killed at a random moment. Every
write it had acknowledged is there, no derived file is half there, and the file answers with what it finds beside it as
a copy without anything beside it does. Then eight threads of this process and two processes of two threads search
while another writes, deletes and merges: what a write has acknowledged is found at once, what a deletion has is not.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fourfold import Edge, Node, Retriever
from fourfold.checking import check
from fourfold.embed.static import bundled
from fourfold.engines.sqlite import parts
from fourfold.index import segments
from fourfold.signals.late import token_table

_DIMENSIONS = 16
_THREADS, _PROCESSES = 8, 2
_QUESTIONS = ("number", "who knows of n3", "written 7", "number 12 and 40")
_KEPT = 30
"""So many of the last nodes written are still there; the one before them is deleted."""


def _node(number: int) -> Node:
    vector = np.random.default_rng(number).normal(size=_DIMENSIONS)
    return Node(f"n{number}", f"number {number}", "thing", f"It is q{number}q, written as {number}.", vector=vector)


def _base(path: Path) -> None:
    with Retriever(path) as graph:
        graph.add(
            [_node(number) for number in range(200)],
            [Edge(f"n{number}", f"n{(number * 7 + 1) % 200}", "requires") for number in range(200)],
        )


@contextmanager
def _small_segments() -> Iterator[None]:
    """Merge and keep derived files of a few rows already."""
    before = parts._DERIVED_FROM, segments.MERGED_AT_ONCE
    parts._DERIVED_FROM, segments.MERGED_AT_ONCE = 10, 4
    try:
        yield
    finally:
        parts._DERIVED_FROM, segments.MERGED_AT_ONCE = before


def _forked(work: Callable[[Callable[[int], None]], None]) -> tuple[int, int]:
    """Run work in a child that tells numbers; return its process number and where they are read."""
    told, tell = os.pipe()
    if child := os.fork():
        os.close(tell)
        return child, told
    try:
        os.close(told)
        work(lambda number: _tell(tell, number))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _tell(pipe: int, number: int) -> None:
    os.write(pipe, number.to_bytes(8, "big"))


def _numbers(pipe: int) -> Iterator[int]:
    with os.fdopen(pipe, "rb") as said:
        while len(number := said.read(8)) == 8:
            yield int.from_bytes(number, "big")


def _write_and_merge(path: Path, first: int, tell: Callable[[int], None]) -> None:
    """Write nodes from ``first`` on without end, merging on the way; tell each that is acknowledged."""
    with Retriever(path) as graph:
        for number in itertools.count(first):
            graph.add([_node(number)], [Edge(f"n{number}", f"n{number % 200}", "uses")])
            tell(number)
            graph.search(f"number {number}", query_vector=_node(number).vector)
            if number % 5 == 4:
                graph.maintenance.compact()


def _answers(path: Path) -> list[list[tuple[str, float]]]:
    with Retriever(path) as graph:
        return [
            [(hit.node.id, round(hit.score, 6)) for hit in graph.search(question, query_vector=[1.0] * _DIMENSIONS)]
            for question in _QUESTIONS
        ]


def _kill(folder: Path, rng: random.Random, first: int) -> int:
    """Kill one writer; return the number to go on with."""
    path = folder / "kg.sqlite"
    child, pipe = _forked(lambda tell: _write_and_merge(path, first, tell))
    time.sleep(rng.uniform(0.02, 0.5))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    acknowledged = list(_numbers(pipe))
    with Retriever(path) as graph:
        manifest = graph.manifest()
        lost = [number for number in acknowledged if f"n{number}" not in manifest]
        assert not lost, f"acknowledged and lost: {lost}"
        last = max(int(identity[1:]) for identity in manifest)
    beside = Path(f"{path}.index")
    assert all(entry.is_dir() for entry in (beside.iterdir() if beside.exists() else ())), "a file is half there"
    copy = folder / "copy.sqlite"
    for file in folder.glob("copy.sqlite*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    with_files = _answers(path)
    for end in ("", "-wal", "-shm"):
        if Path(f"{path}{end}").exists():
            shutil.copy(f"{path}{end}", f"{copy}{end}")
    assert with_files == _answers(copy), "the derived files answer otherwise than the store"
    return last + 1


class Crowd:
    """Many who search a file while one writes, deletes and merges.

    Args:
        folder: holds the file.
        seconds: how long.

    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.path = folder / "kg.sqlite"
        self.noted = folder / "acknowledged"
        self.noted.write_text("199")
        self.end = time.monotonic() + seconds
        self.faults: list[str] = []
        self.searches = 0

    @property
    def written(self) -> int:
        """The last node whose write was acknowledged."""
        return int(self.noted.read_text())

    def run(self) -> None:
        """Write, and search from threads here and in other processes."""
        others = [_forked(self.write), *(_forked(self.search_apart) for _ in range(_PROCESSES))]
        self.search(_THREADS)
        for child, pipe in others:
            searches, *wrong = [*_numbers(pipe)] or [0]
            self.searches += searches
            self.faults += ["another process found a fault"] * len(wrong)
            if os.waitpid(child, 0)[1]:
                self.faults.append("another process failed")

    def write(self, tell: Callable[[int], None]) -> None:
        """Write and delete, and note what is acknowledged."""
        following = self.noted.with_name("following")
        with Retriever(self.path) as graph:
            for number in itertools.count(200):
                if time.monotonic() > self.end:
                    return
                graph.add([_node(number)], [Edge(f"n{number}", f"n{number - 1}", "uses")])
                graph.delete([f"n{number - _KEPT}"])
                following.write_text(str(number))
                following.replace(self.noted)
                if number % 10 == 0:
                    graph.maintenance.compact()

    def search(self, threads: int) -> None:
        """Search from several threads until the end."""
        with Retriever(self.path) as graph:
            running = [threading.Thread(target=self._guarded, args=(graph,)) for _ in range(threads)]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()

    def search_apart(self, tell: Callable[[int], None]) -> None:
        """Do the same in a process of its own; tell how many searches there were, and a 0 for each fault."""
        self.search(2)
        tell(self.searches)
        for fault in self.faults:
            print(fault, flush=True)
            tell(0)

    def _guarded(self, graph: Retriever) -> None:
        try:
            while time.monotonic() < self.end and not self.faults:
                self._look(graph, self.written)
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")

    def _look(self, graph: Retriever, number: int) -> None:
        found = graph.search(f"q{number}q", mode="text", k=3).ids
        if found[:1] != [f"n{number}"] and self.written < number + _KEPT - 1:
            self.faults.append(f"n{number} was acknowledged and not found: {found}")
        gone = f"n{number - _KEPT}"
        if number >= 200 and gone in graph.search(f"q{number - _KEPT}q", mode="text", k=3).ids:
            self.faults.append(f"{gone} was deleted and is found")
        self.searches += 2  # may miss a few: threads count together


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command line may say."""
    parser.add_argument("--kills", type=int, default=200, help="writers that are killed")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long many search while one writes and merges")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> bool:
    """Kill, search, print what was found, and return whether nothing was lost or stale."""
    bundled().embed_query("loaded before the forks")
    token_table()
    faults = []
    with tempfile.TemporaryDirectory(prefix="merges-") as name, _small_segments():
        folder = Path(name)
        _base(folder / "kg.sqlite")
        rng, first = random.Random(arguments.seed), 200
        for number in range(arguments.kills):
            try:
                first = _kill(folder, rng, first)
            except Exception as error:
                faults.append(f"kill {number}: {type(error).__name__}: {error}")
                print(faults[-1], flush=True)
        assert check(folder / "kg.sqlite").sound
        print(f"merges: {arguments.kills} kills, {first - 200} writes, {len(faults)} lost or stale.", flush=True)
        second = folder / "crowd"
        second.mkdir()
        _base(second / "kg.sqlite")
        crowd = Crowd(second, arguments.seconds)
        crowd.run()
        told = f"{crowd.searches} searches beside {crowd.written - 199} writes and deletions"
        print(f"merges: {told}, {len(crowd.faults)} faults.", flush=True)
        for fault in crowd.faults[:10]:
            print(f"  {fault}")
    return not faults and not crowd.faults
