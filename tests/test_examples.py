"""The examples run as their users run them."""

import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *args, **env):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_quickstart():
    told = run("quickstart.py")
    assert "intent" in told and "write_file" in told
    assert "stands at rank" in told and "score" in told.splitlines()[-1]


def test_stdlib_graph_is_the_same_in_every_process(tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    told = run("stdlib_graph.py", str(first), PYTHONHASHSEED="1")
    code = (
        "import sys, threading; from pathlib import Path; from fourfold.demo import write\n"
        "sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = print\n"
        f"write(Path({str(second)!r}))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "2"}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, env=env)
    assert first.read_bytes() == second.read_bytes()
    lines = [json.loads(line) for line in first.read_text(encoding="utf-8").splitlines()]
    kinds = [line["kind"] for line in lines]
    assert told == f"{kinds.count('node')} nodes, {kinds.count('edge')} edges\n"
    assert kinds.count("node") > 3000 and kinds.count("edge") > 6000
    assert kinds == sorted(kinds, reverse=True)  # nodes first
    ids = {line["id"] for line in lines if line["kind"] == "node"}
    assert len(ids) == kinds.count("node")
    assert all({line["source"], line["target"]} <= ids for line in lines if line["kind"] == "edge")
    assert {"sys.excepthook", "threading.excepthook", "json.dumps", "capability:compress data"} <= ids
    assert {"part_of", "depends_on", "implements", "relates_to"} <= {line.get("type") for line in lines}
