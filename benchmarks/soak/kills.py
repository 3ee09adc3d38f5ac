"""SIGKILL at any moment of any writing command: nothing acknowledged is lost, nothing is torn.

    python benchmarks/soak kills --count 1000 --seed 0

Each writing command is run once without a kill, which gives its time and the state it leads to. Then a child runs it on
a fresh copy and is killed at a random moment of that time. A command of one transaction must have left the state before
it or the one after it, and the one after it where it said so; a command of several must have left a sound file, and
must come to the same state when it is called again. ``fourfold.checking.check`` finds each file sound.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.checking import check
from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.static import bundled
from fourfold.ingest import index_folder
from fourfold.tools import ToolCatalog

Command = Callable[[Path], object]


def _nodes(first: int, count: int, word: str = "base") -> list[Node]:
    return [
        Node(f"n{n}", f"{word} number {n}", "tool", f"It is {word} {n}. " * 5, {"n": n})
        for n in range(first, first + count)
    ]


def _base(folder: Path) -> None:
    """Make what every command begins with."""
    with Retriever(folder / "kg.sqlite") as graph:
        graph.add(_nodes(0, 200), [Edge(f"n{n}", f"n{(n * 7 + 1) % 200}", "requires") for n in range(200)])
        graph.learning.apply_config(RetrievalConfig(limit=5))
        index_folder(graph, _folder(folder, 5))


def _folder(folder: Path, count: int) -> Path:
    texts = folder / "texts"
    texts.mkdir(exist_ok=True)
    for n in range(count):
        (texts / f"{n}.md").write_text(f"# Page {n}\n\n" + f"It follows Page {n - 1} and says {n}. " * 40)
    return texts


def _on_graph(command: Callable[[Retriever], object]) -> Command:
    def run(folder: Path) -> None:
        with Retriever(folder / "kg.sqlite") as graph:
            command(graph)

    return run


def _trained(graph: Retriever) -> int:
    """Do what ``train-embedder`` does in its last step."""
    tokenizer, table = bundled().token_vectors()
    embedder = ContextualEmbedder(np.ascontiguousarray(table[:, ::-1]), tokenizer, 0.7)
    return graph.maintenance.reembed(embedder, also=lambda writer: writer.set_meta("embedder_training", '{"seed": 1}'))


def _mirrored(folder: Path) -> None:
    with Retriever.open_foreign(folder / "kg.sqlite") as theirs:
        theirs.search("number")


ONE_TRANSACTION: dict[str, Command] = {
    "add": _on_graph(
        lambda graph: graph.add(_nodes(300, 150), [Edge(f"n{n}", "n300", "part_of") for n in range(301, 450)])
    ),
    "replace": _on_graph(lambda graph: graph.add(_nodes(0, 150, "other"))),
    "delete": _on_graph(lambda graph: graph.delete([f"n{n}" for n in range(0, 200, 2)])),
    "delete a document": _on_graph(lambda graph: graph.delete(["1.md"])),
    "delete edges": _on_graph(lambda graph: graph.delete(edges=graph.edges([f"n{n}" for n in range(100)]))),
    "feedback": _on_graph(lambda graph: graph.learning.feedback("number 3", "n3")),
    "tune --apply": _on_graph(
        lambda graph: graph.learning.apply_config(RetrievalConfig(limit=7), evidence={"lower bound": "+.01"})
    ),
    "rollback": _on_graph(lambda graph: graph.learning.rollback_config()),
    "record_use": _on_graph(lambda graph: ToolCatalog(graph).record_use(["n1", "n2", "n3"])),
}
SEVERAL: dict[str, Command] = {
    "index": lambda folder: _on_graph(lambda graph: index_folder(graph, _folder(folder, 25)))(folder),
    "reembed": _on_graph(lambda graph: graph.maintenance.reembed(bundled())),
    "train-embedder": _on_graph(_trained),
    "open_foreign": _mirrored,
}
COMMANDS = {**ONE_TRANSACTION, **SEVERAL}


def state(folder: Path) -> str:
    """Return a hash of all that a user can see of a file, and of a mirror of it."""
    digest = hashlib.blake2b()
    for path in (folder / "kg.sqlite", folder / "kg.sqlite.fourfold"):
        if not path.exists():
            continue
        with Retriever(path) as graph:
            ids = list(graph.manifest())
            vectors = graph.vectors(ids)
            seen = [
                graph.manifest(),
                sorted(map(repr, graph.edges(ids))),
                {identity: vectors[identity].round(4).tolist() for identity in sorted(vectors)},
                graph.learning.judgements(),
                graph.config.fingerprint(),
                graph.info()["embedder"],
                sorted((node, usage.uses, usage.successes) for node, usage in graph.backend.usage().items()),
            ]
            digest.update(json.dumps(seen).encode())
    return digest.hexdigest()


class Kills:
    """The commands, how long each takes, and the states before and after it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "base").mkdir()
        _base(folder / "base")
        self.before = state(folder / "base")
        self.seconds: dict[str, float] = {}
        self.after: dict[str, str] = {}
        for name in COMMANDS:
            work = self._copy(name)
            begin = time.monotonic()
            assert self._run(name, work, None), f"{name} fails without a kill"
            self.seconds[name] = time.monotonic() - begin
            self.after[name] = state(work)
            shutil.rmtree(work)

    def kill(self, name: str, rng: random.Random) -> str:
        """Kill one run of a command and return what it left, or raise AssertionError."""
        work = self._copy(name)
        acknowledged = self._run(name, work, rng.uniform(0, self.seconds[name]))
        for path in sorted(work.glob("kg.sqlite*")):
            if path.suffix in (".sqlite", ".fourfold"):
                Retriever(path).close()  # takes in the log of the killed writer
                assert check(path).sound, f"{path}: {check(path).problems}"
        found = state(work)
        if name in SEVERAL and not acknowledged:
            assert self._run(name, work, None), f"{name} fails after a kill"
            assert state(work) == self.after[name], f"{name}, called again, leads elsewhere"
        else:
            known = {self.after[name]} if acknowledged else {self.before, self.after[name]}
            assert found in known, f"{name} is {'lost' if found == self.before else 'torn'}"
        shutil.rmtree(work)
        return "before" if found == self.before else "after" if found == self.after[name] else "between"

    def _copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.folder / "base", self.folder / f"work {name}"))

    def _run(self, name: str, work: Path, kill_after: float | None) -> bool:
        """Run a command in a child, and return whether it said that it was done."""
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            try:
                COMMANDS[name](work)
                os.write(tell, b"done")
            except BaseException:
                traceback.print_exc()
            os._exit(0)
        os.close(tell)
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(told, "rb") as said:
            return said.read() == b"done"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command line may say."""
    parser.add_argument("--count", type=int, default=1000, help="kills in all, over all commands in turn")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> bool:
    """Kill the commands in turn, print what was left, and return whether nothing was lost or torn."""
    bundled().embed_query("loaded before the forks")
    left: dict[str, Counter[str]] = {name: Counter() for name in COMMANDS}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        kills = Kills(Path(folder))
        for number in range(arguments.count):
            name = list(COMMANDS)[number % len(COMMANDS)]
            try:
                left[name][kills.kill(name, random.Random(arguments.seed * 1_000_003 + number))] += 1
            except Exception as error:
                failed += 1
                left[name]["wrong"] += 1
                print(f"kill {number}: {type(error).__name__}: {error}", flush=True)
                shutil.rmtree(Path(folder, f"work {name}"), ignore_errors=True)
    print(f"kills: {arguments.count}, seed {arguments.seed}: {failed} lost or torn. What they left:")
    for name, counts in left.items():
        print(f"  {name:18} {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}")
    return not failed
