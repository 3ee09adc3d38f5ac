"""Search and Why in a real browser, over a graph of tools and a folder of documents."""

import re

import pytest
from lens_graphs import documents, hostile, tools
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def folder(serve, tmp_path_factory):
    root = tmp_path_factory.mktemp("folder")
    documents(root / "pages", root / "kg.sqlite").close()
    return serve(root / "kg.sqlite")


@pytest.fixture(scope="module")
def bad(serve, tmp_path_factory):
    path = tmp_path_factory.mktemp("bad") / "kg.sqlite"
    hostile(path).close()
    return serve(path)


def hits(page) -> list[str]:
    return page.locator(".hit h2 a").all_inner_texts()


def test_a_question_a_slider_and_back(typed, new_page):
    page = new_page(typed)
    page.get_by_label("Question").fill("save data to disk")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=save\+data\+to\+disk"))
    usual = hits(page)
    page.locator("#w-graph").fill("1")
    expect(page.locator("#w-text")).to_have_value("0")
    expect(page.locator(".answer")).to_have_attribute("data-touched", "yes")
    expect(page).to_have_url(re.compile("weights=0.00%2C0.00%2C1.00%2C0.00"))
    moved = hits(page)
    assert moved != usual
    expect(page.locator(".change").first).to_be_visible()
    page.wait_for_function("performance.getEntriesByName('lens:slider').length")  # noted after the frame is drawn
    page.reload()  # the address holds the whole state
    assert hits(page) == moved
    expect(page.locator("#w-graph")).to_have_value("1")
    page.get_by_role("button", name="By intent again").click()
    expect(page.locator(".answer")).to_have_attribute("data-touched", "no")
    assert hits(page) == usual
    expect(page).to_have_url(re.compile("^(?!.*weights)"))


def test_a_pinned_slider_stays_while_the_others_share_the_rest(typed, new_page):
    page = new_page(typed, "/?q=save+data&weights=.4,.3,.2,.1")
    page.locator(".slider[data-component=embedding] .pin input").check()
    page.locator("#w-graph").fill("0.5")
    expect(page.locator("#w-embedding")).to_have_value("0.4")
    values = [float(page.locator(f"#w-{name}").input_value()) for name in ("embedding", "text", "graph", "intent")]
    assert sum(values) == pytest.approx(1, abs=0.02)
    assert values[2] == 0.5
    page.locator("#w-graph").fill("1")
    expect(page.locator("#w-graph")).to_have_value("0.6")  # no more is left
    expect(page).to_have_url(re.compile("pin=embedding"))


def test_intent_hits_and_seeds(typed, new_page):
    page = new_page(typed, "/?q=save+data")
    page.locator("a.chip").click()
    expect(page.locator("#intent")).to_be_focused()
    page.locator("#intent").select_option("workflow")
    expect(page.locator("a.chip")).to_have_text("workflow (set by you)")
    page.locator("#k").fill("2")
    page.locator("#k").press("Tab")
    expect(page.locator(".hit")).to_have_count(2)
    page.locator("#mode").select_option("text")
    expect(page).to_have_url(re.compile("mode=text"))


def test_the_first_page_of_all_offers_what_the_filter_knows_a_moment_later(serve, tmp_path, new_page):
    tools(tmp_path / "kg.sqlite").close()
    page = new_page(serve(tmp_path / "kg.sqlite"))
    page.get_by_label("Question").fill("file")
    row = page.locator(".filter-row").first  # an answer that comes meanwhile has fields of the same names
    row.locator("[name=fk]").select_option("lang")
    row.locator("[name=fv]").fill("de")
    row.locator("[name=fv]").press("Tab")
    expect(page.locator(".hit")).to_have_count(2)
    page.get_by_label("One hit for each").select_option("lang")
    expect(page.locator(".hit")).to_have_count(1)


def test_the_filter_offers_what_there_is_and_binds(typed, new_page):
    page = new_page(typed, "/?q=file")
    row = page.locator(".filter-row").first
    row.locator("[name=fk]").select_option("lang")
    row.locator("[name=fv]").focus()
    expect(page.locator("#values option")).to_have_count(2)
    row.locator("[name=fv]").fill("de")
    row.locator("[name=fv]").press("Tab")
    expect(page.locator(".hit")).to_have_count(2)
    page.get_by_role("button", name="Add a row").click()
    second = page.locator(".filter-row").nth(1)
    second.locator("[name=fk]").select_option("$type")
    second.locator("[name=fv]").fill("place")
    second.locator("[name=fv]").press("Tab")
    expect(page.locator(".hit")).to_have_count(1)
    expect(page).to_have_url(re.compile("fk=.*fk="))
    row.get_by_role("button", name="Remove this row").click()
    expect(page).to_have_url(re.compile("^(?!.*lang)"))


def test_a_hit_opens_and_its_neighbourhood_is_walked(typed, new_page):
    page = new_page(typed, "/?q=save+data+to+disk")
    page.locator(".hit h2 a").first.click()
    expect(page.get_by_role("heading", name="Where the score comes from")).to_be_visible()
    lines = page.locator(".evidence tbody tr")
    total = sum(float(text.replace("−", "-")) for text in lines.locator("td:nth-child(3)").all_text_contents())
    score = float(page.locator(".evidence tfoot tr").last.locator("td.num").inner_text())
    assert total == pytest.approx(score, abs=0.0005 * (lines.count() + 1))
    before = page.url
    page.locator("a.spot:not(.here)").first.click()
    expect(page).not_to_have_url(before)
    expect(page).to_have_url(re.compile("/why"))
    page.get_by_role("link", name="← save data to disk").click()
    expect(page.locator(".hit").nth(1)).to_be_visible()


def test_why_not(typed, new_page):
    page = new_page(typed, "/?q=save+data&k=2")
    page.get_by_label("Expected something else?").fill("send_mail")
    page.get_by_role("button", name="Why not?").click()
    page.get_by_role("link", name="send_mail", exact=True).click()
    expect(page.get_by_role("heading", name="Why not?")).to_be_visible()
    page.locator(".card li a").first.click()
    expect(page.locator(".hit h2 a", has_text="send_mail")).to_be_visible()


def test_everything_by_the_keyboard(typed, new_page):
    page = new_page(typed)
    page.get_by_label("Question").blur()
    page.keyboard.press("/")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type("save data to disk")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "w-graph":
            break
    page.keyboard.press("End")
    expect(page.locator(".answer")).to_have_attribute("data-touched", "yes")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.hit h2 a')"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Where the score comes from")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(folder, new_page, width, scheme):
    page = new_page(folder, "/?q=who+built+the+lighthouse", width=width, scheme=scheme)
    for path in ("", "/why"):
        if path:
            page.goto(page.locator(".hit h2 a").first.get_attribute("href"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(20, 23, 27)" if scheme == "dark" else "rgb(248, 248, 246)"
        )


@pytest.mark.parametrize("path", ["/?q=save+evil+script", "/why?q=save&node=%3Cb%3Ebad%3C%2Fb%3E%26%3F%23%22%27",
                                  "/why?q=save&node=long", "/find?q=a&expected=script"])  # fmt: skip
def test_a_hostile_node_is_only_text(bad, new_page, path):
    page = new_page(bad, path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.owned") is None
    assert page.locator("img, iframe, main script").count() == 0
    assert page.evaluate("[...document.links].every((link) => link.origin === location.origin)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


GONE = {
    "/?q=compress+a+file": lambda page: page.locator("#w-graph").fill("0.9"),
    "/judge?q=compress+a+file": lambda page: [page.keyboard.press(key) for key in "jr"],
    "/measure": lambda page: page.get_by_role("button", name="Measure", exact=True).click(),
}


@pytest.mark.parametrize("path", GONE)
def test_a_server_that_is_gone_is_told_to_everybody(demo, new_page, path):
    """Search told it to screen readers alone, a judgement or a measurement that was not taken told nothing."""
    page = new_page(demo, path)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    GONE[path](page)
    told = page.get_by_text("The server does not answer. Is fourfold lens still running?")
    expect(told).to_be_visible()
    assert told.bounding_box()["height"] > 10
    assert "judge" not in path or page.locator(".hit.chosen.failed").count() == 1  # it is still to be judged
    page.context.set_offline(False)
    new_page.faults.clear()  # the browser told it, too
    if path.startswith("/?"):
        page.locator("#w-graph").fill("0.2")
        expect(page.get_by_text("The server does not answer")).to_have_count(0)


def test_what_is_out_of_date_fades_while_a_slow_answer_is_waited_for(typed, new_page):
    page = new_page(typed, "/?q=save+data")
    held = []
    page.route("**/*fragment=1*", lambda route: held.append(route))
    page.locator("#w-graph").fill("0.9")
    results = page.locator("#results")
    expect(results).to_have_attribute("aria-busy", "true")
    page.wait_for_function("() => getComputedStyle(document.getElementById('results')).opacity < 0.6")
    for route in held:
        route.continue_()
    expect(page.locator(".answer")).to_have_attribute("data-touched", "yes")
    expect(results).not_to_have_attribute("aria-busy", "true")


def unanswered_once(page, address):
    """Let the first request for an address fail; return those that came, the list grows."""
    came = []

    def answer(route):
        came.append(route)
        route.abort() if len(came) == 1 else route.continue_()

    page.route(address, answer)
    return came


RUNS = '<div data-running="yes"><div class="running"><p>Measuring …</p></div></div>'


def test_what_runs_is_looked_at_again_after_the_server_did_not_answer(demo, new_page):
    """One answer that did not come, as while a laptop sleeps, and the page showed for ever that something runs."""
    page = new_page(demo, "/measure")
    looks = unanswered_once(page, "**/measure?fragment=1")
    page.route("**/measure/run", lambda route: route.fulfill(body=RUNS, content_type="text/html"))
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_text("The server does not answer")).to_be_visible()
    expect(page.get_by_role("button", name="Measure", exact=True)).to_be_visible()
    assert len(looks) == 2
    new_page.faults.clear()


def test_what_was_refused_twice_is_told_once(demo, new_page):
    page = new_page(demo, "/measure")
    told = '<p class="told">{}</p>'
    answers = iter((told.format("first"), told.format("second")))
    page.route("**/measure/run", lambda route: route.fulfill(status=400, body=next(answers), content_type="text/html"))
    for word in ("first", "second"):
        page.get_by_role("button", name="Measure", exact=True).click()
        expect(page.locator(".told").get_by_text(word)).to_be_visible()
    expect(page.locator(".told")).to_have_count(1)
    new_page.faults.clear()


def test_values_of_the_filter_that_did_not_come_are_asked_for_again(typed, new_page):
    """They were taken for asked for, and none was offered until another key was chosen."""
    page = new_page(typed, "/?q=file")
    unanswered_once(page, "**/values?*")
    row = page.locator(".filter-row").first
    with page.expect_event("requestfailed"):
        row.locator("[name=fk]").select_option("lang")
    row.locator("[name=fv]").focus()
    expect(page.locator("#values option")).to_have_count(2)
    assert not [fault for fault in new_page.faults if "Uncaught" in fault or "TypeError" in fault]
    new_page.faults.clear()
