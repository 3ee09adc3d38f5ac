"""Workflow suggestion: closure, order, reasons, cycles."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.tools import ToolCatalog, edge_meaning


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
    assert alone.tools == ["git_clone", "npm_install", "deploy_prod"]
    assert [s.reason for s in alone.steps[:2]] == [
        "usually comes before npm_install",
        "usually comes before deploy_prod",
    ]


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


def learned(uses, tools=()):
    """A catalogue that has learned from uses: (tools in order, how often)."""
    names = dict.fromkeys([*tools, *(name for used, _ in uses for name in used)])
    catalog = ToolCatalog()
    catalog.add_tools([{"name": name, "description": f"Do {name}."} for name in names])
    catalog.add_tools([{"name": name, "description": text} for name, text in FILLER.items()])
    for used, times in uses:
        for _ in range(times):
            catalog.record_use(list(used))
    return catalog


def test_chains_of_learned_use_are_followed_to_their_beginning_with_their_share():
    catalog = learned([(["checkout", "compile", "package", "publish"], 8), (["compile", "publish"], 2)])
    found = catalog.suggest_workflow("publish")
    assert found.tools == ["checkout", "compile", "package", "publish"]
    reasons = {step.id: step.reason for step in found.steps}
    assert reasons["package"] == "comes before publish in 80% of its uses"
    assert reasons["checkout"] == "comes before compile in 80% of its uses"
    assert [step.kind for step in found.steps] == ["before", "before", "before", "goal"]
    assert found.stages == [["checkout"], ["compile"], ["package"], ["publish"]]


def test_what_came_before_in_few_uses_is_no_step():
    catalog = learned([(["checkout", "publish"], 2), (["publish"], 8)])
    assert catalog.suggest_workflow("publish").tools == ["publish"]


def test_a_chain_that_bites_its_tail_ends():
    catalog = catalog_of(
        {"spin": "Spin it.", "weave": "Weave it.", "knit": "Knit it.", **FILLER},
        [("spin", "weave", "followed_by"), ("weave", "knit", "followed_by"), ("knit", "spin", "followed_by")],
    )
    assert set(catalog.suggest_workflow("knit it").tools) == {"spin", "weave", "knit"}


def test_what_is_only_used_together_is_suggested_and_marked_so():
    catalog = catalog_of(
        {"publish": "Publish it.", "notify": "Tell the team.", "rarely": "Do it rarely.", **FILLER},
        [("publish", "notify", "co_used", 0.8), ("publish", "rarely", "co_used", 0.2)],
    )
    found = catalog.suggest_workflow("publish it")
    assert found.tools == ["publish"]
    (step,) = found.suggested
    assert (step.id, step.kind, step.after) == ("notify", "suggested", ("publish",))
    assert step.reason == "used together with publish in 80% of its uses"
    assert 0.0 < step.confidence < found.steps[0].confidence
    assert "Suggested: notify" in str(found) and "-.->" in found.mermaid()
    assert found.as_dict()["suggested"][0]["kind"] == "suggested"


def test_what_shares_neighbours_is_suggested_if_it_shares_several():
    edges = [(tool, part, "part_of") for tool in ("publish", "release") for part in ("p1", "p2")]
    edges += [("other", "p1", "part_of")]
    tools = {"publish": "Publish it.", "release": "Let go.", "other": "Else.", "p1": "One.", "p2": "Two.", **FILLER}
    found = catalog_of(tools, edges).suggest_workflow("publish it")
    assert found.tools == ["publish"]
    assert [(s.id, s.reason) for s in found.suggested] == [("release", "has neighbours in common with publish")]


def test_a_request_that_nothing_serves_is_missing_and_answered_by_the_nearest():
    found = catalog_of({"publish": "Publish it.", **FILLER}).suggest_workflow("zzzqqq xyzzy")
    assert found.missing == ("zzzqqq xyzzy",) and all(step.confidence < 0.25 for step in found.steps)
    assert "Missing: nothing serves 'zzzqqq xyzzy'." in str(found)
    found = catalog_of({"publish": "Publish it.", **FILLER}).suggest_workflow("zzzqqq xyzzy; then brrk the frrl")
    assert found.missing == ("zzzqqq xyzzy", "brrk the frrl")


def test_the_order_of_the_request_holds_where_the_graph_says_nothing():
    tools = {"bake": "Bake bread.", "mow": "Mow the lawn.", **FILLER}
    assert catalog_of(tools).suggest_workflow("mow the lawn, then bake bread").stages == [["mow"], ["bake"]]
    assert catalog_of(tools).suggest_workflow("mow the lawn after you bake bread").stages == [["bake"], ["mow"]]
    needed = catalog_of(tools, [("mow", "bake", "requires")])
    assert needed.suggest_workflow("mow the lawn, then bake bread").stages == [["bake"], ["mow"]]
