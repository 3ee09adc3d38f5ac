"""How soon is a slider's move on the screen, and the first page after the command? Measured in a real browser.

    python benchmarks/lens.py [--nodes 5000] [--moves 100] [--json lens.json]

A graph of ``--nodes`` nodes as in ``speed.py`` is served by ``fourfold lens``; the system's Chromium presses the arrow
keys on the sliders. A move counts from the key's event until after the frame that shows its answer. Wanted are 100 ms
at p95 on 5,000 nodes and 250 ms on 100,000; the first page within 1 s. Needs playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright
from shared import facts
from speed import corpus

from fourfold import Retriever

SLIDERS = ("embedding", "text", "graph", "intent")
QUESTIONS = 10


def serve(path: Path) -> tuple[subprocess.Popen[str], str, float]:
    """Start the command; return it with its address and the seconds until the first page was there."""
    command = [sys.executable, "-m", "fourfold", "lens", "--db", str(path), "--port", "0", "--no-browser"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    address = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
    with urllib.request.urlopen(address) as page:
        page.read()
    return process, address, time.perf_counter() - began


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
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    browser = os.environ.get("FOURFOLD_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    nodes, edges, questions = corpus(options.nodes, np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.sqlite"
        with Retriever(path) as retriever:
            retriever.add(nodes, edges)
            retriever.search(questions[0])
        process, address, first = serve(path)
        try:
            with sync_playwright() as driver:
                chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
                page = chromium.new_page(base_url=address)
                move(page, 4, questions[0])  # the first search of a process reads the index
                each = max(options.moves // QUESTIONS, 1)
                times = [t for question in questions[1 : QUESTIONS + 1] for t in move(page, each, question)]
                chromium.close()
        finally:
            process.terminate()
            process.communicate()
    figures = {
        "nodes": options.nodes,
        "moves": len(times),
        "p50_ms": float(np.median(times)),
        "p95_ms": float(np.quantile(times, 0.95)),
        "first_page_s": first,
        "load": os.getloadavg()[0],
        "machine": facts(),
    }
    print(json.dumps(figures, indent=2))
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
