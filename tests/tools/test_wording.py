"""Everyday words for what tools say otherwise."""

import pytest

from fourfold.tools import ToolCatalog, ToolConfig
from fourfold.tools.wording import EVERYDAY, as_tools_say

TOOLS = {
    "send_message": "Post a message to a channel or a person.",
    "list_channels": "List the channels of the workspace.",
    "create_channel": "Create a channel.",
    "get_user_profile": "Get the profile of a user.",
}


def found(request, **config):
    with ToolCatalog(":memory:", config=ToolConfig(**config)) as catalog:
        catalog.add_tools([{"name": name, "server": "slack", "description": text} for name, text in TOOLS.items()])
        return catalog.search_tools(request).ids[0], [step.id for step in catalog.suggest_workflow(request).steps]


@pytest.mark.parametrize("request_", ["tell the team on slack", "Notify everybody on slack", "ping Anna on slack"])
def test_a_word_no_tool_says_is_read_as_what_tools_say_for_it(request_):
    assert found(request_) == ("slack:send_message", ["slack:send_message"])


def test_it_can_be_turned_off_and_added_to():
    assert found("tell the team on slack", everyday={})[0] != "slack:send_message"
    assert found("holler at the team on slack", everyday={"holler": "message"})[0] == "slack:send_message"


def test_words_that_are_held_or_ask_for_an_answer_stay():
    def held(terms):
        return {"send", "delete"}.intersection(terms)

    def read(request):
        return as_tools_say(request, EVERYDAY, lambda word: [word.lower()], held)

    assert read("Tell Bob, then scrap it") == "send Bob, then delete it"
    assert read("tell me the price, and delete it") == "tell me the price, and delete it"
    assert read("undo it") == "undo it"  # nothing for it is held
    assert all(word == word.lower() and others.split() for word, others in EVERYDAY.items())


def test_what_is_declared_is_a_part_of_its_own():
    """It was one part with the next, whose tool alone was found."""
    with ToolCatalog(":memory:") as catalog:
        catalog.add_tools(
            [
                {"name": "create_incident", "server": "ops", "description": "Declare an incident."},
                {"name": "page_on_call", "server": "ops", "description": "Page the engineer on call."},
                {"name": "get_logs", "server": "ops", "description": "Get the logs of a service."},
            ]
        )
        plan = catalog.suggest_workflow("declare an incident, page the engineer on call")
    assert [step.name for step in plan.steps] == ["create_incident", "page_on_call"]
