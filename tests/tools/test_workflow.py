"""Workflow suggestion: closure, order, reasons, cycles."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.tools import ToolCatalog, edge_meaning
from fourfold.tools.workflow import clauses


def catalog_of(tools, edges=()):
    retriever = Retriever(":memory:")
    nodes = [Node(id=name, name=name, text=text) for name, text in tools.items()]
    retriever.add(nodes=nodes, edges=[Edge(*edge) for edge in edges])
    return ToolCatalog(retriever)


FILLER = {f"weather_{n}": f"Tell the weather of region {n}." for n in range(20)}


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("depends_on", "needs"),
        ("requires", "needs"),
        ("dependsOn", "needs"),
        ("NEEDS", "needs"),
        ("tool_directly_depends_on", "needs"),
        ("parameter_indirectly_depends_on", "needs"),
        ("tool_indirectly_depends_on", "may_need"),
        ("optionally_requires", "may_need"),
        ("required_by", "needed_by"),
        ("prerequisite_of", "needed_by"),
        ("resource_dependency", "needs"),
        ("followed_by", "before"),
        ("precedes", "before"),
        ("feeds_into", "before"),
        ("follows", "after"),
        ("co_used", "link"),
        ("provides", "link"),
        ("", "link"),
    ],
)
def test_what_edge_types_mean(name, meaning):
    assert edge_meaning(name) == meaning


def test_prerequisites_come_first_each_with_its_reason():
    tools = {
        "deploy_prod": "Deploy to prod.",
        "npm_install": "Fetch packages.",
        "node_setup": "Bring up a runtime.",
        "login": "Sign in.",
        **FILLER,
    }
    edges = [
        ("deploy_prod", "npm_install", "depends_on"),
        ("node_setup", "npm_install", "required_by"),
        ("deploy_prod", "login", "requires"),
    ]
    found = catalog_of(tools, edges).suggest_workflow("deploy to prod")
    reasons = {step.id: step.reason for step in found.steps}
    assert reasons == {
        "deploy_prod": "matched the request",
        "npm_install": "required by deploy_prod",
        "node_setup": "required by npm_install",
        "login": "required by deploy_prod",
    }
    assert found.stages == [["login", "node_setup"], ["npm_install"], ["deploy_prod"]]
    assert found.steps[-1].after == ("login", "npm_install")
    assert found.steps[-1].confidence > found.steps[0].confidence > 0
    assert found.cycles == ()
    assert found.to_mermaid().count("-->") == 3
    assert "required by deploy_prod" in str(found)
    assert found.as_dict()["steps"][0]["stage"] == 0


def test_possible_needs_are_followed_from_the_goal_only():
    tools = {"book": "Book a flight.", "login": "Sign in.", "screen": "Brightness.", "maps": "Show a map.", **FILLER}
    edges = [
        ("book", "login", "depends_on"),
        ("login", "screen", "indirectly_depends_on"),
        ("book", "maps", "indirectly_depends_on"),
    ]
    found = catalog_of(tools, edges).suggest_workflow("book a flight")
    assert set(found.tools) == {"book", "login", "maps"}
    assert {s.id: s.reason for s in found.steps}["maps"] == "may be needed by book"


def test_a_cycle_is_reported_and_followed_once():
    tools = {"build": "Build an image.", "sign": "Sign it.", "fetch": "Fetch keys.", **FILLER}
    edges = [
        ("build", "sign", "requires"),
        ("sign", "fetch", "requires"),
        ("fetch", "build", "requires"),
        ("build", "build", "requires"),
    ]
    found = catalog_of(tools, edges).suggest_workflow("build an image")
    assert sorted(found.tools) == ["build", "fetch", "sign"]
    assert found.cycles == (("build", "fetch", "sign"),) or sorted(found.cycles[0]) == ["build", "fetch", "sign"]
    assert found.tools[-1] == "build"
    assert "order is a guess" in str(found)


def test_a_dependency_everybody_has_both_ways_orders_nothing():
    names = [f"tool_{n}" for n in range(12)]
    tools = {name: f"Do task {name}." for name in names} | FILLER
    edges = [(a, b, "resource_dependency") for a in names for b in names if a != b]
    assert len(catalog_of(tools, edges).suggest_workflow("tool_3").tools) < 6


def test_the_way_between_two_goals():
    tools = {
        "git_clone": "Clone a repository.",
        "npm_install": "Fetch packages.",
        "deploy_prod": "Deploy to prod.",
        **FILLER,
    }
    catalog = catalog_of(
        tools, [("git_clone", "npm_install", "followed_by"), ("npm_install", "deploy_prod", "followed_by")]
    )
    found = catalog.suggest_workflow("clone a repository, then deploy to prod")
    assert found.tools == ["git_clone", "npm_install", "deploy_prod"]
    assert [s.reason for s in found.steps] == ["matched the request", "follows git_clone", "matched the request"]
    alone = catalog.suggest_workflow("deploy to prod")
    assert alone.tools == ["npm_install", "deploy_prod"]
    assert alone.steps[0].reason == "usually comes before deploy_prod"


def test_without_a_graph_it_is_semantic_search():
    catalog = catalog_of({"deploy_prod": "Deploy to prod.", **FILLER})
    found = catalog.suggest_workflow("deploy to prod")
    assert found.tools[0] == "deploy_prod"
    assert found.tools == [t["id"] for t in catalog.search_tools("deploy to prod")["tools"]][: len(found.tools)]
    assert catalog.suggest_workflow("").steps == () and str(catalog.suggest_workflow("")).startswith("No tool")
    assert ToolCatalog().suggest_workflow("anything").tools == []


def test_mermaid_shows_names_and_does_not_read_them():
    catalog = catalog_of({'x"] --> y["': "Deploy to prod.", **FILLER})
    chart = catalog.suggest_workflow("deploy to prod").to_mermaid()
    assert '"] --> y' not in chart


@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        ("deploy to prod", ["deploy to prod"]),
        ("clone the repo, then run the tests", ["clone the repo", "run the tests"]),
        ("1. clone the repo\n2. run the tests", ["clone the repo", "run the tests"]),
        ("clone the repo; run tests and then deploy it", ["clone the repo", "run tests", "deploy it"]),
        ("", [""]),
        ("then", ["then"]),
    ],
)
def test_clauses(request_, parts):
    assert clauses(request_) == parts
