"""Every view as it looked when somebody last looked: both widths, light and dark, kept beside this file.

``FOURFOLD_KEEP_SCREENS=1 pytest -m browser tests/lens/test_browser_screens.py`` keeps the present ones: look at them
before they are committed. They are kept small and grey, at a size where a line of text is still a line.
"""

import hashlib
import io
import json
import os
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright.")
from lens_graphs import DEMO_VIEWS, TOOLS_VIEWS
from PIL import Image, ImageChops

from fourfold.demo import edges, nodes

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

FOLDER = Path(__file__).parent / "screens"
KEEP = bool(os.environ.get("FOURFOLD_KEEP_SCREENS"))
GRAPHS = {"demo": DEMO_VIEWS, "typed": TOOLS_VIEWS}
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}

SMALLER = 3
"""So many points of a screen, both ways, are one of a picture."""

ANOTHER = 32
"""Of 255: a point that differs more is another."""

SHARE = 0.005
"""So many points of a picture may be others: a blinking cursor is no change, a missing line of text is."""

PATH = """() => document.querySelectorAll("dd").forEach(value => {
    value.textContent.endsWith(".sqlite") && (value.textContent = "kg.sqlite");
})"""

LETTERS = """() => {
    const context = document.createElement("canvas").getContext("2d");
    return ["16px", "bold 16px"].map(size => {
        context.font = `${size} ${getComputedStyle(document.body).fontFamily}`;
        return context.measureText("Sphinx of black quartz, judge my vow 0123456789").width;
    });
}"""


@pytest.fixture(scope="module")
def kept(demo, chromium):
    """What the kept pictures show, where it can be shown here: with other fonts lines break elsewhere."""
    page = chromium.new_page(base_url=demo.url)
    page.goto("/")
    library = [json.dumps(row, sort_keys=True) for row in (*nodes(), *edges())]
    made = {"letters": page.evaluate(LETTERS), "library": hashlib.sha256("".join(library).encode()).hexdigest()}
    made["browser"] = chromium.version.split(".")[0]
    page.close()
    if KEEP:
        (FOLDER / "made.json").write_text(json.dumps(made) + "\n")
    kept = json.loads((FOLDER / "made.json").read_text())
    if made["browser"] != kept["browser"]:
        pytest.skip(f"This is Chromium {made['browser']}; the pictures were kept with {kept['browser']}.")
    if made["letters"] != pytest.approx(kept["letters"], abs=0.5):
        pytest.skip("The fonts of this machine are not those of the kept pictures.")
    return {"demo": kept["library"] == made["library"], "typed": True}


def shot(page):
    """Return what a page shows, as it is kept: without the folder that the graph lies in."""
    page.evaluate(PATH)
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    return taken.convert("L").reduce(SMALLER).quantize(16, dither=Image.Dither.NONE)


def another(shown, name):
    """Return the share of points that are others than in a kept picture."""
    kept = Image.open(FOLDER / name)
    assert shown.size == kept.size
    differing = ImageChops.difference(shown.convert("L"), kept.convert("L"))
    return differing.point(lambda value: 255 if value > ANOTHER else 0).histogram()[255] / (kept.width * kept.height)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("graph", "view"), [(graph, view) for graph, views in GRAPHS.items() for view in views])
def test_it_looks_as_it_did(demo, typed, kept, open_view, tmp_path, graph, view, size, scheme):
    if not kept[graph]:
        pytest.skip("The standard library of this Python, which the demo shows, is not that of the kept pictures.")
    (width, height), server = SIZES[size], {"demo": demo, "typed": typed}[graph]
    page = open_view(server, view, GRAPHS[graph], width=width, height=height, scheme=scheme, reduced_motion="reduce")
    shown, name = shot(page), f"{graph}-{view.replace(' ', '-')}-{size}-{scheme}.png"
    if KEEP:
        shown.save(FOLDER / name, optimize=True)
    share = another(shown, name)
    if share > SHARE:
        shown.save(tmp_path / name)
        pytest.fail(f"{share:.2%} of {name} is another; what is shown now: {tmp_path / name}")


def test_a_missing_hit_is_seen(typed, kept, open_view):
    page = open_view(typed, "search", GRAPHS["typed"], width=390, height=844)
    page.locator(".hit").first.evaluate("hit => hit.style.visibility = 'hidden'")
    assert another(shot(page), "typed-search-narrow-light.png") > SHARE
