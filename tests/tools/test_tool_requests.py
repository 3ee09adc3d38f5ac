"""Requests as people write them, to ``search_tools``: the tool they want, and how little noise is worth."""

import json
from pathlib import Path

import pytest

from fourfold.tools import ToolCatalog

LINES = (Path(__file__).parent.parent / "data" / "tool_requests.jsonl").read_text("utf-8").splitlines()
WANTED = {case["request"]: case["tool"] for case in map(json.loads, LINES) if case["tool"]}
NOISE = [case["request"] for case in map(json.loads, LINES) if not case["tool"]]
TOOLS = {
    "read_file": "Read the contents of a text file.",
    "write_file": "Write text to a file on disk, a new one if there is none.",
    "delete_file": "Delete a file from disk.",
    "git_clone": "Clone a repository into a new local directory.",
    "git_commit": "Record changes to the repository in a commit with a message.",
    "send_email": "Send an e-mail message to somebody.",
    "get_weather": "Tell the weather of a city: rain, wind and temperature.",
    "translate_text": "Translate a text into another language.",
    "resize_image": "Change the size of an image to so many pixels.",
    "query_database": "Run a SQL query and return rows of a database table.",
    "take_screenshot": "Take a screenshot of a web page or the screen.",
    "create_event": "Add an event such as a meeting or an appointment to the calendar.",
    "run_tests": "Run the unit tests of a project and tell which pass.",
    "deploy": "Deploy the application: put a new version online in production.",
    **{f"region_{number}": f"Report number {number} about warehouse logistics." for number in range(12)},
}
SELDOM_FIRST = {"store the text in a file", "put the page into German"}


@pytest.fixture(scope="module")
def catalog():
    with ToolCatalog() as made:
        made.add_tools([{"name": name, "description": text} for name, text in TOOLS.items()])
        yield made


@pytest.mark.parametrize("request_", WANTED)
def test_the_tool_a_request_wants(catalog, request_):
    found = catalog.search_tools(request_, limit=3).tools
    places = {tool.name: place for place, tool in enumerate(found)}
    assert places[WANTED[request_]] == 0 or request_ in SELDOM_FIRST
    assert 0.15 < found[places[WANTED[request_]]].semantic_score <= 1.0


@pytest.mark.parametrize("request_", NOISE)
def test_noise_is_worth_next_to_nothing(catalog, request_):
    found = catalog.search_tools(request_).tools
    assert all(tool.semantic_score <= 0.1 and tool.score <= 0.1 for tool in found)
    assert not catalog.suggest_workflow(request_).tools or catalog.suggest_workflow(request_).missing
