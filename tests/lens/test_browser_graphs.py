"""One walk through every view, over the graph of ``fourfold demo``, a folder of documents and typed tools."""

import re

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright.")
from lens_graphs import demo, documents, tools
from playwright.sync_api import expect

from fourfold import Edge, Node, Retriever

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


GRAPHS = {  # how each is made, a question, a node it does not find in two hits, the ends of a path, and a task
    "demo": (
        lambda _, path: demo(path),
        "how to parse command line arguments",
        "optparse",
        ("argparse", "sys"),
        "write a zip file",
    ),
    "folder": (documents, "who built the lighthouse", "Wool", ("Lighthouse", "Northern Isles"), "build a bridge"),
    "typed": (lambda _, path: tools(path), "save data to disk", "send_mail", ("write_file", "disk"), "save and send"),
}


def hits(page):
    return page.locator(".hit h2 a").all_inner_texts()


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_view_one_after_the_other(serve, new_page, tmp_path, graph):
    make, question, missing, ends, task = GRAPHS[graph]
    make(tmp_path / "pages", tmp_path / "kg.sqlite").close()
    server = serve(tmp_path / "kg.sqlite")
    page = new_page(server)

    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator("#w-graph").fill("1")
    expect(page.locator(".answer")).to_have_attribute("data-touched", "yes")
    page.get_by_role("button", name="By intent again").click()
    expect(page.locator(".answer")).to_have_attribute("data-touched", "no")
    first = hits(page)[0]

    page.locator(".hit h2 a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(first)
    expect(page.get_by_role("heading", name="Where the score comes from")).to_be_visible()
    page.locator("a.spot:not(.here)").first.click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text(first)

    page.goto(f"/?q={question.replace(' ', '+')}&k=2")
    page.get_by_label("Expected something else?").fill(missing)
    page.get_by_role("button", name="Why not?").click()
    page.get_by_role("link", name=missing, exact=True).first.click()
    expect(page.get_by_role("heading", name="Why not?")).to_be_visible()

    page.goto(f"/compare?q={question.replace(' ', '+')}&b=published")
    expect(page.get_by_text(re.compile(r"hits? in common"))).to_be_visible()
    assert page.locator(".joined path").count() > 0

    page.goto(f"/judge?q={question.replace(' ', '+')}")
    with page.expect_response("**/judge/mark?*") as answer:
        page.locator(".hit").first.get_by_role("button", name="Relevant").click()
    assert answer.value.ok
    page.get_by_role("link", name="Measure and tune", exact=True).click()
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_role("heading", name="How good the answers are")).to_be_visible()

    page.goto("/graph")
    page.get_by_label("From", exact=True).fill(ends[0])
    page.get_by_label("To", exact=True).fill(ends[1])
    page.get_by_role("button", name="Find the path").click()
    expect(page.locator(".drawing a.spot").first).to_be_visible()
    page.get_by_label("Node", exact=True).fill(ends[1])
    page.get_by_role("button", name="Show the impact").click()
    expect(page.locator("main")).to_contain_text(ends[1])
    page.goto(f"/graph?task={task.replace(' ', '+')}")
    expect(page.get_by_role("region", name="Tools for a task").locator(".told")).to_be_visible()


LONG = (
    "argparse.ArgumentParser.parse",
    "LONGEST_DOCUMENT_IN_CHARACTERS",
    "ファイルを読み込んで内容を返すための関数",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
)

IN_EACH_OTHERS_WAY = """() => [...document.querySelectorAll(".drawing svg")].flatMap(picture => {
    const frame = picture.getBoundingClientRect();
    const names = [...picture.querySelectorAll("text")].map(name => name.getBoundingClientRect());
    return names.filter((one, place) => one.left < frame.left - 1 || one.right > frame.right + 1 || names.some(
        (other, before) => before < place && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
            && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3));
}).length"""


@pytest.mark.parametrize("address", ["/graph?from=0&to=3", "/graph?node=3", "/why?q=argparse&node=0"])
def test_long_names_keep_out_of_each_others_way(serve, new_page, tmp_path, address):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        nodes = [Node(str(place), name) for place, name in enumerate(LONG)]
        retriever.add(nodes, [Edge(str(place), str(place + 1), "requires") for place in range(len(LONG) - 1)])
    page = new_page(serve(tmp_path / "kg.sqlite"), address)
    assert page.locator(".drawing text").count() >= 2
    assert page.evaluate(IN_EACH_OTHERS_WAY) == 0


def test_a_number_stays_on_one_line_beside_a_long_edge_type(serve, new_page, tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        nodes = [Node(str(place), "a tool") for place in range(20)]
        edges = [Edge(str(place), "19", "needs " + "what_has_a_long_name " * 4) for place in range(19)]
        retriever.add(nodes, edges)
    page = new_page(serve(tmp_path / "kg.sqlite"), "/graph", width=400)
    lines = (
        "cell => { const of = document.createRange(); of.selectNodeContents(cell); return of.getClientRects().length; }"
    )
    assert page.locator(".types .num").evaluate(lines) == 1
