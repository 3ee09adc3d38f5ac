"""Take pictures of every page of Lens in the system's Chromium, and compare them with those taken before.

    python scripts/lens_screens.py FOLDER [--against OTHER]   # every view, 1440 and 390 pixels wide, light and dark
    python scripts/lens_screens.py --docs                     # the three pictures of docs/lens.md

The graph is that of ``fourfold demo``. With ``--against``, what share of the points of each picture is another than
before is told, the most changed first: look at those. Needs playwright and Pillow, and a Chromium.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Browser, sync_playwright

from fourfold import Edge, Node, Retriever
from fourfold.demo import edges, nodes

QUESTION = "how+to+parse+command+line+arguments"
VIEWS = {
    "search": f"/?q={QUESTION}&weights=.15,.1,.6,.15",
    "why": f"/why?q={QUESTION}&node=argparse.ArgumentParser",
    "why-not": f"/why?q={QUESTION}&node=optparse",
    "compare": f"/compare?q={QUESTION}&b=published",
    "judge": f"/judge?q={QUESTION}",
    "measure": "/measure",
    "graph": "/graph?task=write+a+zip+file",
}
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
DOCS = {"search": "light", "why": "light", "compare": "dark"}


def take(browser: Browser, url: str, path: Path, view: str, *, size: tuple[int, int], scheme: str) -> None:
    """Take one picture."""
    viewport = {"width": size[0], "height": size[1]}
    page = browser.new_page(base_url=url, viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    page.goto(VIEWS[view])
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path)
    page.close()
    shown = Image.open(path).convert("RGB")
    few = shown.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)  # rare colours, too
    few.save(path, optimize=True)


def changed(one: Path, two: Path) -> float:
    """Return the share of points that differ between two pictures; 1 for pictures of other sizes."""
    a, b = Image.open(one).convert("L"), Image.open(two).convert("L")
    if a.size != b.size:
        return 1.0
    points = ImageChops.difference(a, b).point(lambda value: 255 if value > 32 else 0)
    return points.histogram()[255] / (a.width * a.height)


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    if not options.docs and options.folder is None:
        parser.error("say which folder the pictures go to, or --docs")
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
            if options.docs:
                docs = Path(__file__).parent.parent / "docs"
                for view, scheme in DOCS.items():
                    take(browser, url, docs / f"lens-{view}.png", view, size=(1200, 800), scheme=scheme)
                return
            options.folder.mkdir(parents=True, exist_ok=True)
            for view in VIEWS:
                for name, size in SIZES.items():
                    for scheme in ("light", "dark"):
                        take(
                            browser, url, options.folder / f"{view}-{name}-{scheme}.png", view, size=size, scheme=scheme
                        )
        finally:
            browser.close()
            server.terminate()
            server.communicate()
    if options.against:
        shares = {p.name: changed(p, options.against / p.name) for p in sorted(options.folder.glob("*.png"))
                  if (options.against / p.name).is_file()}  # fmt: skip
        for name, share in sorted(shares.items(), key=lambda each: -each[1]):
            print(f"{share:7.2%}  {name}")


if __name__ == "__main__":
    main()
