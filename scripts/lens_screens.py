"""Take the three pictures of docs/lens.md in the system's Chromium, over the graph of ``fourfold demo``.

    python scripts/lens_screens.py

What every view looks like is kept and compared by ``tests/lens/test_browser_screens.py``. Needs playwright and Pillow.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from fourfold import Edge, Node, Retriever
from fourfold.demo import edges, nodes

QUESTION = "how+to+parse+command+line+arguments"
PICTURES = {
    "search": (f"/?q={QUESTION}&weights=.15,.1,.6,.15", "light"),
    "why": (f"/why?q={QUESTION}&node=argparse.ArgumentParser", "light"),
    "compare": (f"/compare?q={QUESTION}&b=published", "dark"),
}
DOCS = Path(__file__).parent.parent / "docs"


def take(browser: Browser, url: str, name: str) -> None:
    """Take one picture."""
    path, scheme = PICTURES[name]
    viewport = {"width": 1200, "height": 800}
    page = browser.new_page(base_url=url, viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    page.goto(path)
    page.wait_for_load_state("networkidle")
    picture = DOCS / f"lens-{name}.png"
    page.screenshot(path=picture)
    page.close()
    shown = Image.open(picture).convert("RGB")
    few = shown.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)  # rare colours, too
    few.save(picture, optimize=True)


def main() -> None:
    """Take the pictures."""
    chromium = os.environ.get("FOURFOLD_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "stdlib.sqlite"
        with Retriever(path) as retriever:
            retriever.add([Node(**node) for node in nodes()], [Edge(**edge) for edge in edges()])
        command = [sys.executable, "-m", "fourfold", "lens", "--db", str(path), "--port", "0", "--no-browser"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        url = next(found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)))
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            for name in PICTURES:
                take(browser, url, name)
        finally:
            browser.close()
            server.terminate()
            server.communicate()


if __name__ == "__main__":
    main()
