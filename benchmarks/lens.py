"""How soon is a slider's move on the screen, and the first page after the command? Measured in a real browser.

    python benchmarks/lens.py [--nodes 5000] [--moves 100] [--starts 7] [--json lens.json]

A graph of ``--nodes`` nodes as in ``speed.py`` is served by ``fourfold lens``; the system's Chromium presses the arrow
keys on the sliders. A move counts from the key's event until after the frame that shows its answer. Wanted are 100 ms
at p95 on 5,000 nodes and 250 ms on 100,000; the first page within 1 s. Needs playwright and a Chromium.

The first page counts from the start of the command until a browser that is open already has painted it; the median of
``--starts``, each followed by a ``python -c "import numpy"``, which says how fast the machine is just then. Modules are
compiled, as pip leaves them: the first start of all, which compiles, does not count. ``first_page_cpu_s`` is how long
the command itself has worked when it answers, which other programs on the machine change little.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from shared import facts
from speed import corpus

from fourfold import Retriever

SLIDERS = ("embedding", "text", "graph", "intent")
QUESTIONS = 10


def serve(path: Path, environment: dict[str, str]) -> tuple[subprocess.Popen[str], str]:
    """Start the command; return it with its address, once it listens."""
    command = [sys.executable, "-m", "fourfold", "lens", "--db", str(path), "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    return process, next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))


def end(process: subprocess.Popen[str]) -> None:
    """Stop the command."""
    process.terminate()
    process.communicate()


def cpu_seconds(pid: int) -> float:
    """Return how long a process has worked so far, whatever else the machine did; NaN where there is no /proc."""
    told = Path(f"/proc/{pid}/stat")
    if not told.exists():
        return math.nan
    fields = told.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def first_pages(chromium: Browser, path: Path, environment: dict[str, str], starts: int) -> dict[str, float]:
    """Return the seconds until the first page was answered and painted, and those of ``import numpy`` in between."""
    answered, painted, worked, numpy = [], [], [], []
    page = chromium.new_page()  # a browser that is open already
    for _ in range(starts + 1):
        began = time.perf_counter()
        process, address = serve(path, environment)
        try:
            page.goto(address, wait_until="commit")
            answered.append(time.perf_counter() - began)
            worked.append(cpu_seconds(process.pid))
            page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
            painted.append(time.perf_counter() - began)
        finally:
            end(process)
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numpy"], check=True, env=environment)
        numpy.append(time.perf_counter() - began)
    page.close()
    return {
        "first_page_cpu_s": float(np.median(worked[1:])),
        "first_page_answered_s": float(np.median(answered[1:])),
        "first_page_s": float(np.median(painted[1:])),
        "import_numpy_s": float(np.median(numpy[1:])),
        "first_page_by_import_numpy": float(np.median(np.divide(painted[1:], numpy[1:]))),
    }


def move(page: Page, moves: int, question: str) -> list[float]:
    """Return the milliseconds of each move on one question."""
    page.goto(f"/?q={question.replace(' ', '+')}")
    for number in range(moves):
        slider = page.locator(f"#w-{SLIDERS[number % len(SLIDERS)]}")
        slider.focus()
        page.keyboard.press("PageUp" if number % 3 else "Home")
        page.wait_for_function(
            "(count) => performance.getEntriesByName('lens:slider').length >= count", arg=number + 1, timeout=30_000
        )
    found: list[float] = page.evaluate("performance.getEntriesByName('lens:slider').map((entry) => entry.duration)")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    browser = os.environ.get("FOURFOLD_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    nodes, edges, questions = corpus(options.nodes, np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.sqlite"
        with Retriever(path) as retriever:
            retriever.add(nodes, edges)
            retriever.search(questions[0])
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with sync_playwright() as driver:
            chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            first = first_pages(chromium, path, environment, options.starts)
            process, address = serve(path, environment)
            try:
                page = chromium.new_page(base_url=address)
                move(page, 4, questions[0])  # the first search of a process reads the index
                each = max(options.moves // QUESTIONS, 1)
                times = [t for question in questions[1 : QUESTIONS + 1] for t in move(page, each, question)]
            finally:
                end(process)
            chromium.close()
    figures = {
        "nodes": options.nodes,
        "moves": len(times),
        "p50_ms": float(np.median(times)),
        "p95_ms": float(np.quantile(times, 0.95)),
        **first,
        "load": os.getloadavg()[0],
        "machine": facts(),
    }
    print(json.dumps(figures, indent=2))
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
