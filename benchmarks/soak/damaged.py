"""Damaged and crafted files: each is refused with a StoreError or answers; ``check`` finds what was changed in it.

    python benchmarks/soak damaged --count 2000 --seed 0

A sound graph is copied and damaged, by a seed: bytes turned over, pages swapped or zeroed, the file cut, values of any
table replaced by others that no version writes, views and triggers added, the write-ahead log damaged. Each copy is
opened, searched, explained, written to and checked in a process with bounds of memory and time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fourfold import Edge, FourfoldError, FourfoldWarning, Node, Retriever
from fourfold.checking import check
from fourfold.ingest import index_folder, list_documents
from fourfold.questions import Questions

MEMORY = 1 << 30
"""Bytes that a process may map for data."""

SECONDS = 20
"""Processor time for one file."""

BATCH = 50
"""Files of one process; a process that dies is asked for each of its files alone."""

ODD = (
    *(
        0,
        -1,
        1,
        2**31 - 1,
        2**40,
        2**63 - 1,
        -(2**63),
        1e308,
        -0.0,
        float("inf"),
        "",
        "x",
        "1e999",
        "\x00",
        "[]",
        "{",
        "null",
    ),
    *(
        '{"a": ' * 3000,
        b"",
        b"\x00",
        b"\xff" * 7,
        b"\xff" * 4096,
        b"\x00" * 1024,
        "9" * 5000,
        '[["x", 1]]',
        '{"1": NaN}',
        None,
    ),
)
"""Values that no version writes where they are put."""


def sound(path: Path) -> None:
    """Make the graph that is copied: nodes, edges, vectors, documents in chunks, feedback, a config."""
    with Retriever(path) as graph, tempfile.TemporaryDirectory() as folder:
        names = [
            f"{verb} {thing}" for verb in ("read", "write", "deploy") for thing in ("file", "database", "cache", "key")
        ]
        nodes = [
            Node(f"n{n}", name, "tool" if n % 2 else "idea", f"It can {name}. " * (n % 4), {"n": n, "deep": {"x": [n]}})
            for n, name in enumerate(names)
        ]
        graph.add(
            nodes, [Edge(f"n{n}", f"n{(n * 5 + 1) % 12}", ("requires", "mentions", "")[n % 3]) for n in range(12)]
        )
        for n in range(3):
            Path(folder, f"{n}.md").write_text(f"# Page {n}\n\n" + f"About the Page {(n + 1) % 3} and files. " * 60)
        index_folder(graph, folder)
        graph.learning.feedback("read file", "n0", True)
        graph.learning.apply_config(graph.config.replace(limit=7))
        graph.delete(["n11"])


def turned(path: Path, rng: random.Random) -> None:
    """Change some bytes."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 30)):
        data[rng.randrange(len(data) if rng.random() < 0.8 else 200)] = rng.randrange(256)
    path.write_bytes(data)


def moved(path: Path, rng: random.Random) -> None:
    """Swap, double or zero pages."""
    data = bytearray(path.read_bytes())
    size = 4096
    for _ in range(rng.randrange(1, 4)):
        a, b = (rng.randrange(len(data) // size) * size for _ in range(2))
        data[a : a + size] = rng.choice([data[b : b + size], bytes(size), rng.randbytes(size)])
    path.write_bytes(data)


def cut(path: Path, rng: random.Random) -> None:
    """Cut the file, or lengthen it."""
    data = path.read_bytes()
    path.write_bytes(
        data[: rng.randrange(len(data))] if rng.random() < 0.7 else data + rng.randbytes(rng.randrange(9999))
    )


def crafted(path: Path, rng: random.Random) -> None:
    """Put odd values into rows, as another program could."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.create_function("chance", 0, rng.random)  # SQLite's own random() has no seed
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for _ in range(rng.randrange(1, 5)):
        table = rng.choice(tables)
        try:  # what was put in before may have made the table of words unreadable
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            column, value, some = (
                rng.choice(columns),
                rng.choice(ODD),
                rng.choice(["1", "chance() < 0.33", "chance() < 0.11"]),
            )
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {some}', (value,))
        except (sqlite3.Error, OverflowError):
            continue
    connection.close()


def headed(path: Path, rng: random.Random) -> None:
    """Say another version, another application, or settings that nobody wrote."""
    connection = sqlite3.connect(path, isolation_level=None)
    for _ in range(rng.randrange(1, 3)):
        number = rng.choice([-3, 0, 1, 2, 77, 2**31 - 1])
        pragma = rng.choice(["user_version", "application_id"])
        if rng.random() < 0.3:
            connection.execute(f"PRAGMA {pragma} = {number}")
        else:
            key = rng.choice(
                ["generation", "embedder", "dimensions", "tokenizer", "config", "own_share", "reads", "ingest"]
            )
            value = rng.choice(
                [value for value in ODD if isinstance(value, str)] + [str(number), "1e999", "model:x", "[1]"]
            )
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
    connection.close()


def extended(path: Path, rng: random.Random) -> None:
    """Add a view or a trigger, or put one in a table's place."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i"
    connection = sqlite3.connect(path, isolation_level=None)
    table = rng.choice(["nodes", "edges", "meta", "terms", "tokens", "documents", "labels"])
    connection.executescript(
        rng.choice(
            [
                f"CREATE VIEW extra AS {endless} FROM n",
                f"CREATE TRIGGER extra AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
                f"CREATE TRIGGER extra AFTER UPDATE ON {table} BEGIN SELECT count(*) FROM ({endless} FROM n); END",
                f"ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM old, ({endless} FROM n)",
                f"ALTER TABLE {table} RENAME TO old; CREATE TABLE {table} (num, id, generation)",
                "DROP TRIGGER fts_delete",
                f"DROP TABLE IF EXISTS {rng.choice(['attributes', 'pieces', 'writes', 'fts', 'feedback'])}",
            ]
        )
    )
    connection.close()


def logged(path: Path, rng: random.Random) -> None:
    """Leave a write-ahead log behind, and damage it."""
    work = path.with_name("log.sqlite")
    shutil.copy(path, work)
    connection = sqlite3.connect(work, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    connection.execute("UPDATE nodes SET generation = generation + 1")
    for end in ("", "-wal"):
        shutil.copy(f"{work}{end}", f"{path}{end}")
    connection.close()
    rng.choice([turned, cut])(Path(f"{path}-wal"), rng)


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    turned,
    moved,
    cut,
    crafted,
    crafted,
    headed,
    extended,
    logged,
)


def tried(path: Path, original: dict[str, str]) -> str:
    """Ask everything of one file; return what came of it."""
    outcomes = []
    for read_only in (True, False):
        try:
            graph = Retriever(path, read_only=read_only)
        except FourfoldError:
            outcomes.append("refused")
            continue
        with graph:
            answered = [_answers(call) for call in _calls(graph, original, writes=not read_only)]
        outcomes.append("answered" if all(answered) else "answered in part")
    return max(outcomes)  # by the alphabet


def _answers(call: Callable[[], object]) -> bool:
    try:
        call()
    except FourfoldError:
        return False
    return True


def _calls(graph: Retriever, original: dict[str, str], *, writes: bool) -> list[Callable[[], object]]:
    calls: list[Callable[[], object]] = [
        lambda: graph.search("read file", k=50).as_dict(),
        lambda: graph.search('the "Page 1" about files', filter={"deep.x": {"$contains": 1}}).as_dict(),
        lambda: graph.explain("read file", "n0").as_dict(),
        lambda: graph.get(list(original)),
        lambda: graph.edges(list(original)),
        lambda: graph.vectors(["n0", "n1"]),
        graph.manifest,
        graph.info,
        graph.learning.judgements,
        lambda: graph.context("n0"),
        lambda: list_documents(graph),
        lambda: Questions(graph).ask("what does read file require?").as_dict(),
    ]
    if not writes:
        return calls
    return [
        *calls,
        lambda: graph.add([Node("new", "a new one")], [Edge("new", "n1", "requires")]),
        lambda: graph.learning.feedback("new", "new"),
        lambda: graph.delete(["n3"]),
        lambda: graph.search("new one").as_dict(),
    ]


def one(seed: int, work: Path, source: Path, original: dict[str, str]) -> str:
    """Damage one copy and try it; changed contents must be found by ``check``."""
    rng = random.Random(seed)
    path = work / f"{seed}.sqlite"
    shutil.copy(source, path)
    rng.choice(DAMAGES)(path, rng)
    report = check(path)
    silent = not report.problems and changed(path, original)
    assert not silent, f"check found nothing, but nodes differ: {silent}"
    outcome = tried(path, original)
    for name in os.listdir(work):
        if name.startswith((f"{seed}.", "log.")):
            shutil.rmtree(work / name) if (work / name).is_dir() else os.remove(work / name)
    return f"{outcome}, {'found' if report.problems else 'nothing to find'}"


def changed(path: Path, original: dict[str, str]) -> list[str]:
    """Return the ids of the nodes whose content is another than it was."""
    with Retriever(path, read_only=True) as graph:
        return [id_ for id_, node in original.items() if [repr(found) for found in graph.get([id_])] != [node]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command line may say."""
    parser.add_argument("--count", type=int, default=2000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the first; each file has the next")
    parser.add_argument("--batch", help=argparse.SUPPRESS)  # seeds of one process, and where it works


def run(arguments: argparse.Namespace) -> bool:
    """Try the files, some in each process, print what broke, and return whether nothing did."""
    if arguments.batch:
        first, last, folder = arguments.batch.split(":", 2)
        return _batch(range(int(first), int(last)), Path(folder))
    outcomes, failed = Counter[str](), []
    with tempfile.TemporaryDirectory(prefix="damaged-") as folder:
        sound(Path(folder, "sound.sqlite"))
        with Retriever(Path(folder, "sound.sqlite"), read_only=True) as graph:
            original = {node.id: repr(node) for node in graph.get(graph.manifest())}
        Path(folder, "original.json").write_text(json.dumps(original))
        left = [
            range(n, min(n + BATCH, arguments.seed + arguments.count))
            for n in range(arguments.seed, arguments.seed + arguments.count, BATCH)
        ]
        while left:
            seeds = left.pop()
            command = [
                sys.executable,
                os.path.dirname(__file__),
                "damaged",
                "--batch",
                f"{seeds.start}:{seeds.stop}:{folder}",
            ]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            told = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
            outcomes.update(outcome for _, outcome in told)
            if done.returncode:
                broken = seeds.start + len(told)
                failed.append(broken)
                print(f"seed {broken}, exit code {done.returncode}:\n{done.stderr[-2500:]}", flush=True)
                if broken + 1 < seeds.stop:
                    left.append(range(broken + 1, seeds.stop))
    print(f"damaged: {arguments.count - len(failed)} of {arguments.count} files hold, seed {arguments.seed}:")
    print(*(f"{count:6} {outcome}" for outcome, count in outcomes.most_common()), sep="\n")
    if failed:
        print(f"failed: {failed}")
    return not failed


def _batch(seeds: range, folder: Path) -> bool:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", FourfoldWarning)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    original = json.loads((folder / "original.json").read_text())
    with tempfile.TemporaryDirectory(dir=folder) as work:
        for seed in seeds:
            used = int(
                resource.getrusage(resource.RUSAGE_SELF).ru_utime + resource.getrusage(resource.RUSAGE_SELF).ru_stime
            )
            resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, resource.RLIM_INFINITY))
            print(seed, one(seed, Path(work), folder / "sound.sqlite", original), sep="\t", flush=True)
    return True
