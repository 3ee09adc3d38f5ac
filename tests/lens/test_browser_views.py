"""Every view in a real browser: for those who do not see it, at both widths, light and dark, by the keyboard."""

import os
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright.")
from lens_graphs import DEMO_VIEWS, hostile
from playwright.sync_api import expect

from fourfold import Edge, Node, Retriever

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def bad(serve, tmp_path_factory):
    path = tmp_path_factory.mktemp("bad") / "kg.sqlite"
    with hostile(path) as retriever:
        retriever.learning.feedback("<script>window.owned=1</script>\u202e", "<b>bad</b>&?#\"'")
        retriever.learning.apply_config(retriever.config, evidence={"verdict": "<script>window.owned=1</script>"})
    return serve(path)


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which ``make test-browser`` fetches from npm."""
    root = Path(__file__).parent.parent.parent
    places = [os.environ.get("FOURFOLD_AXE", ""), root / ".venv/axe/node_modules/axe-core/axe.min.js"]
    found = next((Path(place) for place in places if place and Path(place).is_file()), None)
    if found is None:
        pytest.skip("axe-core is not there: npm install --prefix .venv/axe axe-core, or FOURFOLD_AXE=…/axe.min.js.")
    return found.read_text(encoding="utf-8")


@pytest.mark.parametrize("view", DEMO_VIEWS)
def test_axe_finds_nothing_in_light_or_dark(demo, open_view, axe, view):
    page = open_view(demo, view)
    page.evaluate(axe)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
        told = [f"{v['id']}: {v['help']} {[n['target'] for n in v['nodes']][:3]}" for v in found]
        assert not told, f"{scheme}: " + "\n".join(told)


@pytest.mark.parametrize("view", DEMO_VIEWS)
def test_it_fits_the_screen_and_nothing_covers_anything(demo, open_view, view):
    for width in (1440, 390):
        page = open_view(demo, view, width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.evaluate(COVERED), width


def test_on_a_narrow_screen_evidence_has_the_room_and_ranks_stay_whole(demo, open_view):
    page = open_view(demo, "why", width=390)
    signal, sentence = (page.locator(f".evidence td:nth-child({n})").first.bounding_box()["width"] for n in (1, 2))
    assert signal < 40 and sentence > 150
    page = open_view(demo, "side by side", width=390)
    ranks = [page.locator(".compact li > :first-child").nth(n).bounding_box()["height"] for n in (0, 9)]
    assert ranks[0] == ranks[1]


COVERED = """() => [...document.querySelectorAll("main a, main button, main input, main select")].filter((element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest(".hidden, details:not([open])")) return false;
    element.scrollIntoView({block: "center"});
    const now = element.getClientRects()[0];
    const top = document.elementFromPoint(now.x + now.width / 2, now.y + now.height / 2);
    return top && !element.contains(top) && !top.contains(element) && !top.closest("svg, label, .scroll");
}).map((element) => element.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("view", DEMO_VIEWS)
def test_the_keyboard_reaches_everything(demo, open_view, view):
    page = open_view(demo, view)
    page.evaluate("document.activeElement?.blur()")
    wanted = page.evaluate(
        """() => [...document.querySelectorAll(
            "a[href], button:not(:disabled), input:not([type=hidden]), select, summary")]
            .filter((each) => each.getClientRects().length && !each.closest("details:not([open])"))
            .map((element, place) => (element.dataset.place = place)).length"""
    )
    reached = set()
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
        place, outline = page.evaluate(
            """() => { const e = document.activeElement; const style = getComputedStyle(e);
                 const inner = e.querySelector?.("circle");
                 const ringed = inner && getComputedStyle(inner).strokeWidth === "4px";
                 return [e.dataset?.place ?? null, style.outlineStyle !== "none" || ringed]; }"""
        )
        if place is not None:
            assert outline, page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
            reached.add(place)
        if len(reached) == wanted:
            break
    assert len(reached) == wanted


@pytest.mark.parametrize("path", ["/compare?q=save+evil&b=text+only", "/judge?q=save+evil+script", "/measure",
                                  "/graph?from=write&to=%3Cb%3Ebad%3C%2Fb%3E%26%3F%23%22%27", "/graph?node=open_file",
                                  "/graph?task=save+evil"])  # fmt: skip
def test_a_hostile_node_is_only_text(bad, new_page, path):
    page = new_page(bad, path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.owned") is None
    assert page.locator("img, iframe, main script").count() == 0
    assert page.evaluate("[...document.links].every((link) => link.origin === location.origin)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_a_hostile_node_is_judged_and_walked_to(bad, new_page):
    page = new_page(bad, "/judge?q=save+evil+script")
    row = page.locator(".hit", has_text="window.owned").first
    with page.expect_response("**/judge/mark?*") as answer:
        row.get_by_role("button", name="Relevant").click()
    assert answer.value.ok
    with Retriever(bad.db, read_only=True) as other:
        assert ("save evil script", "<b>bad</b>&?#\"'", 1.0) in other.learning.judgements()
    row.locator("h2 a").click()
    expect(page.get_by_role("heading", name="Where the score comes from")).to_be_visible()
    assert page.evaluate("window.owned") is None


def test_a_page_of_yesterday_is_told_to_load_again(bad, new_page):
    page = new_page(bad, "/judge?q=save")
    page.evaluate("document.getElementById('pool').dataset.formToken = '0'")
    page.locator(".hit").first.get_by_role("button", name="Relevant").click()
    expect(page.locator("#said")).to_contain_text("load the page again")
    page.context.clear_cookies()
    new_page.faults[:] = [fault for fault in new_page.faults if "403" not in fault]  # which the browser told, too


ODD = [
    Node("ahmad", "أحمد", "شخص", "يدير أحمد المشروع."),
    Node("port", "ميناء", "مكان", "في الإسكندرية."),
    Node("office", "مكتب", "مكان", "هنا."),
    Node("long", "Long", "page", "A sentence of the harbour. " * 300),
]
RELATIONS = [
    Edge("ahmad", "port", "managed_by_the_department_of_very_long_relations_between_things"),
    Edge("port", "office", "يعمل_في"),
]


@pytest.fixture(scope="module")
def odd(serve, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add(ODD, RELATIONS)
    return serve(path)


def test_long_types_of_edges_fit_a_narrow_screen(odd, new_page):
    """The page was as wide as the longest of them, and its right half empty."""
    for width in (390, 320):
        page = new_page(odd, "/graph", width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_path_of_arabic_names_is_read_along_its_arrows(odd, new_page):
    """The whole sentence was turned around, but for its arrows: they pointed back."""
    page = new_page(odd, "/graph?from=ahmad&to=office")
    parts = page.locator(".told > p bdi")
    said = parts.all_inner_texts()
    assert [said[place] for place in (0, 4, 6, 8)] == ["أحمد", "ميناء", "يعمل_في", "مكتب"] and said[5:8:2] == [
        " —",
        "→ ",
    ]
    boxes = [parts.nth(place).bounding_box() for place in (4, 6, 8)]
    assert boxes[0]["x"] < boxes[1]["x"] < boxes[2]["x"] and boxes[0]["y"] == boxes[2]["y"]


def test_a_question_in_arabic_is_written_from_the_right(odd, new_page):
    page = new_page(odd)
    for question, side in (("من يدير", "rtl"), ("who", "ltr")):
        page.get_by_label("Question").fill(question)
        assert page.get_by_label("Question").evaluate("field => getComputedStyle(field).direction") == side


def test_a_long_text_is_read_by_the_keyboard(odd, new_page, axe):
    page = new_page(odd, "/why?q=harbour&node=long")
    page.evaluate(axe)
    assert not page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    text = page.get_by_role("group", name="Text")
    text.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.scrollTop > 0")
