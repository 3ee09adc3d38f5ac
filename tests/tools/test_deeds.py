"""What requests ask to have done, and what tools do."""

import time

import pytest

from fourfold.tools import ToolCatalog, ToolConfig
from fourfold.tools.deeds import asked_for, done_by

TOOLS = {
    "create_issue": "Create an issue in a repository.",
    "close_issue": "Close an issue.",
    "delete_file": "Delete a file from disk.",
    "read_file": "Read a file from disk.",
    "createEvent": "Creates a calendar event with attendees.",
    "deleteEvent": "Deletes a calendar event.",
    "turn_on": "Switch a light on.",
    "turn_off": "Switch a light off.",
    "find_contact": "Find a contact by name.",
    "update_contact": "Update the phone number or address of a contact.",
}


@pytest.fixture(scope="module")
def catalog():
    with ToolCatalog(":memory:") as made:
        made.add_tools([{"name": name, "server": "s", "description": text} for name, text in TOOLS.items()])
        yield made


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("report a bug about the login page", "create_issue"),
        ("get rid of tmp.log", "delete_file"),
        ("Could you please call the event with Tom on Friday off?", "deleteEvent"),
        ("set up an event with Tom", "createEvent"),
        ("kill the light", "turn_off"),
        ("look up the phone number of a contact", "find_contact"),
    ],
)
def test_of_tools_about_one_thing_the_one_that_does_what_is_asked_comes_first(catalog, request_, tool):
    """Each had another first, which says more of the thing."""
    assert catalog.search_tools(request_).tools[0].name == tool


def test_it_can_be_turned_off_and_is_told(catalog):
    answer = catalog.search_tools("report a bug about the login page")
    fits = {tool: signals["fits"] for tool, signals in answer.meta["signals"].items()}
    assert fits["s:create_issue"] == 1.0
    assert fits["s:close_issue"] == pytest.approx(0.7)
    with ToolCatalog(":memory:", config=ToolConfig(other_deed=0.0)) as plain:
        plain.add_tools([{"name": name, "server": "s", "description": text} for name, text in TOOLS.items()])
        found = plain.search_tools("report a bug about the login page")
        assert found.tools[0].name == "close_issue"
    published = catalog.search_tools("report a bug about the login page", weighting="fixed")
    assert all("fits" not in signals for signals in published.meta["signals"].values())


@pytest.mark.parametrize(
    ("request_", "verb"),
    [
        ("get rid of the old logs", "delete"),
        ("Call the meeting with Ann off, please!", "cancel"),
        ("I need to check my flights. Can you log me in?", "login"),
        ("which tickets are open", "list"),
        ("I'd like to book a table", "reserve"),
        ("optimizing the query", "optimize"),
        ("read it without deleting it", "read"),
    ],
)
def test_what_a_request_asks_for(request_, verb):
    assert verb in asked_for(request_)


def test_what_is_not_to_be_done_or_only_told_asks_for_nothing():
    assert "delete" not in asked_for("read it, but do not delete it")
    assert asked_for("the red shoes") == asked_for("") == frozenset()


@pytest.mark.parametrize(
    ("name", "description", "verbs"),
    [
        ("create_issue", "", {"create"}),
        ("getUserInfo", "Returns what is known of a user.", {"get", "return"}),
        ("golds_gym_log_workout", "", {"log"}),
        ("file_copy", "", {"file", "copy"}),
        ("order_cancel", "", {"cancel"}),
        ("lights_turn_off", "", {"turn_off"}),
        ("weather", "The weather of a place.", set()),
        ("zipfile.ZipFile.write", "Put the bytes into the archive.", {"write", "put"}),
        ("zipfile.ZipFile", "Class with methods to open and close zip files.", set()),
        ("archiver", "Reads and writes archives.", {"read", "write"}),
    ],
)
def test_what_a_tool_does(name, description, verbs):
    assert done_by(name, description) == verbs


def test_reading_what_is_asked_takes_no_time_by_the_length_of_a_request():
    request = "read it. " * 100_000
    start = time.process_time()
    assert "read" in asked_for(request)
    assert time.process_time() - start < 1.0
