"""Requests as people write them: their parts, the tools that serve them in order, and what the catalogue lacks."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import Node, Retriever
from fourfold.planning import MOST_PARTS, Permitted, parts_of, permitted
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog

REQUESTS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "workflow_requests.jsonl").read_text("utf-8").splitlines()
]
TOOLS = {
    "git_clone": "Clone a repository into a new directory.",
    "npm_install": "Install the packages that package.json lists.",
    "deploy_prod": "Deploy the application to the prod (production) environment.",
    "read_file": "Read the contents of a file.",
    "edit_file": "Change a file: edit it by replacing text.",
    "run_tests": "Run the tests of a project.",
    "take_screenshot": "Take a screenshot of a page.",
    "send_email": "Send an email to somebody.",
    **{f"weather_{n}": f"Tell the weather of region {n}." for n in range(20)},
}


@pytest.fixture(scope="module")
def catalog():
    with ToolCatalog() as made:
        made.add_tools([{"name": name, "description": text} for name, text in TOOLS.items()])
        made.bootstrap_from_templates([["git_clone", "npm_install", "deploy_prod"], ["read_file", "edit_file"]])
        yield made


@pytest.mark.parametrize("case", REQUESTS, ids=[case["request"][:60] for case in REQUESTS])
def test_the_parts_of_a_request(case):
    assert [part.text for part in parts_of(case["request"])] == case["parts"]


@pytest.mark.parametrize("case", REQUESTS, ids=[case["request"][:60] for case in REQUESTS])
def test_the_tools_for_a_request(catalog, case):
    found = catalog.suggest_workflow(case["request"])
    assert found.tools == case["tools"], str(found)
    assert list(found.missing) == case.get("missing", [])
    assert all(step.reason and 0.0 < step.confidence <= 1.0 for step in found.steps)


@pytest.mark.parametrize(
    "request_", ["read the file and edit it", "edit the file after reading it", "1. read the file\n2. edit it"]
)
def test_questions_plan_the_same_steps(catalog, request_):
    plan = Questions(catalog.retriever).compose_for(request_)
    assert plan.ids == catalog.suggest_workflow(request_).tools == ["read_file", "edit_file"]
    assert len({step.part for step in plan.steps}) == 2 and plan.unmatched == ()


@given(st.lists(st.sampled_from(["and", ",", "then", "after", "before", "1.", "2.", "\n", "to", "first", "a", "x."])))
def test_any_request_has_parts(words):
    request = " ".join(words)
    parts = parts_of(request)
    assert len(parts) <= MOST_PARTS and all(part.text for part in parts)


def test_requests_of_any_length_are_read_to_a_bound():
    assert len(parts_of("clone it, then " * 100_000)) == MOST_PARTS
    assert parts_of("") == [] and parts_of(" ; ") == []


def test_an_answer_says_which_parts_of_a_request_it_left_out():
    retriever = Retriever(":memory:")
    retriever.add([Node(f"t{n}", f"clone_{n}", "tool", f"Clone repository {n}.") for n in range(20)])
    request = ", then ".join(f"clone repository {n}" for n in range(20))
    said = "The request has 20 parts; the first 12 are planned."
    found = ToolCatalog(retriever).suggest_workflow(request)
    assert found.notes == (said,) and said in str(found)
    questions = Questions(retriever)
    plan = questions.compose_for(request, max_tools=50)
    assert said in plan.notes and plan.truncated and len(plan.steps) == 12
    assert "The request has 20 parts; the first is planned." in questions.compose_for(request, max_tools=1).notes
    assert "The request has 20 parts" in questions.compose_for(request).told()
    assert (
        "The request has 5,000 characters; the first 4,000 are read."
        in questions.compose_for("clone " + 4994 * "x").notes
    )


def test_a_plan_says_what_the_request_forbids_and_is_empty_where_that_is_all(catalog):
    found = catalog.suggest_workflow("Please do not deploy to prod.")
    assert found.tools == [] and found.suggested == () and found.missing == ()
    assert found.notes == ("Left out, for the request says not to do it: 'deploy to prod'.",)
    plan = Questions(catalog.retriever).compose_for("do not deploy to prod")
    assert plan.ids == [] and found.notes[0] in plan.notes and not plan.truncated


def test_what_must_come_first_is_not_forbidden():
    assert [part.text for part in parts_of("send email only if tests pass")] == ["send email only if tests pass"]
    assert permitted("do not deploy until the tests pass").text == "deploy after the tests pass"
    assert permitted("I don't want to write the tests myself").denied == ()
    assert permitted("do not delete the repo without asking me").denied == ("delete the repo without asking me",)
    assert permitted("why don't you clone the repo") == Permitted("why don't you clone the repo")


@pytest.mark.parametrize(
    "request_",
    [
        "delete the alert rule that fires on disk usage",
        "archive every message in the inbox that is older than a week",
    ],
)
def test_which_message_is_meant_is_not_what_a_message_says(request_):
    """What followed "that" was left out, as in "tell the team that the deploy failed"."""
    assert permitted(request_) == Permitted(request_)


def test_two_orders_joined_by_and_are_two_steps_however_little_is_like_them():
    """Only what was very like a tool was a step of its own: a plan had one of two orders and nothing missing."""
    tools = {"post_message": "Post a message to a channel.", "apply_manifest": "Bring a manifest to a cluster."}
    with ToolCatalog() as catalog:
        catalog.add_tools([{"name": name, "description": text} for name, text in tools.items()])
        plan = catalog.suggest_workflow("ship the new image to the cluster and tell the team about it")
    assert plan.tools == ["apply_manifest", "post_message"], str(plan)
    assert all(part.own for part in parts_of("delete tmp.log and rename notes.txt to old.txt"))


def test_what_an_order_is_about_is_no_order_for_its_first_word():
    """A noun that is a verb, too, stays with the order before it."""
    parts = parts_of("compare the sales and order numbers")
    assert [(part.text, part.own) for part in parts] == [("compare the sales", False), ("order numbers", False)]
