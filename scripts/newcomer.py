"""Walk the first tutorial as a newcomer does, word by word, in a new environment; say how long each step takes.

    python scripts/newcomer.py            # builds the wheels, makes an environment in a temporary folder
    python scripts/newcomer.py --here     # in this environment: no installing

Every block of docs/tutorials/documents.md is run as it stands: ``pip install``, the command lines, the Python. The
wheels of Fourfold itself come from this repository, everything else from PyPI.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tutorials" / "documents.md"
PACKAGES = (ROOT, *(ROOT / "adapters" / name for name in ("langchain", "llama_index")))
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```$", re.M | re.S)
HEADING = re.compile(r"^## (.+)$", re.M)
MINUTES = 10


class Step(NamedTuple):
    """One block of the page, under its heading."""

    heading: str
    language: str
    code: str


def steps(page: str) -> Iterator[Step]:
    """Yield the blocks of the page in order."""
    for block in BLOCK.finditer(page):
        heading = [found[1] for found in HEADING.finditer(page, 0, block.start())][-1]
        yield Step(heading, block[1], block[2])


def walk(folder: Path, binaries: Path, environment: dict[str, str], *, install: bool) -> list[dict[str, object]]:
    """Run every step in ``folder`` by the programs in ``binaries``; return what each took and printed.

    The Python between two command lines is one program.
    """
    told: list[dict[str, object]] = []
    python = binaries / "python"
    for language, together in groupby(steps(PAGE.read_text(encoding="utf-8")), lambda step: step.language):
        blocks = list(together)
        if language == "python":
            script = folder / "session.py"
            script.write_text("\n".join(block.code for block in blocks), encoding="utf-8")
            headings = " / ".join(dict.fromkeys(block.heading for block in blocks))
            told.append({"step": headings, "command": "python", **_timed(f"{python} {script}", folder, environment)})
            continue
        for block in blocks:
            for line in filter(None, block.code.splitlines()):
                pip = line.startswith("pip ")
                if install or not pip:
                    command = f"{python} -m {line}" if pip else f"{binaries}/{line}"
                    told.append({"step": block.heading, "command": line, **_timed(command, folder, environment)})
    return told


def _timed(command: str, folder: Path, environment: dict[str, str]) -> dict[str, object]:
    began = time.perf_counter()
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    return {"seconds": round(time.perf_counter() - began, 1), "printed": done.stdout}


def main() -> None:
    """Walk, print the table, and fail where it took too long."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--here", action="store_true", help="in this environment, without installing")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    arguments = parser.parse_args()
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryDirectory(prefix="newcomer") as name:
        folder = Path(name)
        if arguments.here:
            told = walk(folder, Path(sys.executable).parent, environment, install=False)
        else:
            for package in PACKAGES:
                build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist")]
                subprocess.run([*build, str(package)], check=True, capture_output=True)
            pins = [re.sub(r"-(\d[^-]*)-.*", r"==\1", wheel.name) for wheel in (folder / "dist").glob("*.whl")]
            (folder / "ours.txt").write_text("\n".join(pins).replace("_", "-"), encoding="utf-8")
            ours = {"PIP_FIND_LINKS": str(folder / "dist"), "PIP_CONSTRAINT": str(folder / "ours.txt")}
            environment = {k: v for k, v in environment.items() if k != "PYTHONPATH"} | ours
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
            environment["VIRTUAL_ENV"] = str(folder / "venv")
            told = [{"step": "A new environment", "command": "python -m venv", "printed": ""}]
            told[0]["seconds"] = round(time.perf_counter() - began, 1)
            told += walk(folder, folder / "venv" / "bin", environment, install=True)
    total = sum(float(str(step["seconds"])) for step in told)
    for step in told:
        print(f"{step['seconds']:>7} s  {step['step']}: {step['command']}")
    print(f"{total:7.1f} s  in all, on {os.cpu_count()} cores")
    print(told[-1]["printed"])
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"seconds": total, "steps": told}, indent=1), encoding="utf-8")
    if total > 60 * MINUTES:
        raise SystemExit(f"It took {total:.0f} s; {MINUTES} minutes were promised.")


if __name__ == "__main__":
    main()
