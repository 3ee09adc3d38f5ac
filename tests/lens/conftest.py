"""A real browser, the system's own, and a real server in a child process."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from lens_graphs import DEMO_VIEWS, judged_demo, tools


class Server:
    """``fourfold lens`` over a file, on a free port."""

    def __init__(self, db, *options, environment=None):
        self.db = db
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fourfold", "lens", "--db", str(db), "--port", "0", "--no-browser", *options],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "ignore", **(environment or {})},
        )
        for line in self._process.stderr:
            if found := re.search(r"at (http://\S+?)/(\?\S*)? — ", line):
                self.url = found[1]
                break
        else:
            raise AssertionError(f"fourfold lens ended: {self._process.wait()}")

    def stop(self):
        self._process.terminate()
        self._process.communicate(timeout=20)


@pytest.fixture(scope="session")
def serve():
    """Return a function that serves a file; everything is stopped at the end."""
    servers = []

    def start(db, *options, **more):
        servers.append(Server(db, *options, **more))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def demo(serve, tmp_path_factory):
    """A server of the judged demo."""
    path = tmp_path_factory.mktemp("demo") / "stdlib.sqlite"
    judged_demo(path)
    return serve(path)


@pytest.fixture(scope="module")
def typed(serve, tmp_path_factory):
    """A server of the typed tools."""
    path = tmp_path_factory.mktemp("typed") / "tools.sqlite"
    tools(path).close()
    return serve(path)


@pytest.fixture(scope="session")
def chromium():
    """The system's Chromium, driven by Playwright; tests that need it skip with a sentence where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright."
    )
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("FOURFOLD_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip(f"There is no browser: none of {', '.join(names)} is installed.")
    playwright.expect.set_options(timeout=20_000)  # as long as whatever else is waited for
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"] if _is_root() else [])
        yield browser
        browser.close()


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def new_page(chromium):
    """Return a function that opens a page of a server; whatever the console says against it fails the test."""
    contexts, faults = [], []

    def open_page(server, path="/", *, width=1440, height=900, scheme="light", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, base_url=server.url, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("requestfailed", lambda request: faults.append(f"{request.url} failed: {request.failure}"))
        page.goto(path)
        return page

    open_page.faults = faults
    yield open_page
    for context in contexts:
        context.close()
    ours = [fault for fault in faults if "net::ERR_ABORTED" not in fault]  # a page was left while it still asked
    assert not ours, ours


@pytest.fixture
def open_view(new_page):
    """Return a function that opens a view, of the demo where none are given, and waits until it is whole."""

    def open_one(server, view, views=DEMO_VIEWS, **options):
        page = new_page(server, views[view], **options)
        page.wait_for_load_state("networkidle")
        # an answer of 400 or 404 is told on the console by the browser itself
        new_page.faults[:] = [fault for fault in new_page.faults if "status of 40" not in fault]
        return page

    return open_one
