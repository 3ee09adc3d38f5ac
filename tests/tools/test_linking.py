"""Edges made from schemas follow the tools, in whatever order those come; edges given by hand stay."""

import itertools

import pytest

from fourfold import Edge, Retriever
from fourfold.tools import Tool, ToolCatalog, linking


def tool(name, *, needs=None, gives=None):
    def schema(field):
        return {"properties": {field: {"type": "string"}}, "required": [field]} if field else {}

    return Tool(name, input_schema=schema(needs), output_schema=schema(gives))


REPORT = tool("report", needs="session_token")
LATER = tool("report", needs="month_name")


def logins(many):
    return [tool(f"login{n}", gives="session_token") for n in range(many)]


def edges(catalog):
    return sorted(catalog.retriever.edges(catalog.state().ids), key=lambda e: (e.source, e.target, e.type))


def test_what_no_schema_suggests_any_more_is_taken_back(tmp_path):
    with ToolCatalog(tmp_path / "tools.sqlite") as catalog:
        catalog.add_tools([*logins(1), REPORT])
        assert catalog.suggest_workflow("report").tools == ["login0", "report"]
    with ToolCatalog(tmp_path / "tools.sqlite") as catalog:
        catalog.add_tools([LATER])
        assert edges(catalog) == [] and catalog.link_by_schema() == 0
        assert catalog.suggest_workflow("report").tools == ["report"]
        catalog.add_tools([REPORT])
        assert len(edges(catalog)) == 2 == catalog.link_by_schema()


@pytest.mark.parametrize("many", [1, 2, 5, 6])
def test_the_order_of_adding_makes_no_difference(many, monkeypatch):
    monkeypatch.setattr(linking, "_MARKS_EACH", 3)
    with ToolCatalog() as at_once:
        at_once.add_tools([REPORT, *logins(many)])
        expected = edges(at_once)
    assert [e.weight for e in expected] == ([1 / many] * many * 2 if many <= 5 else [])
    for order in itertools.islice(itertools.permutations([REPORT, *logins(many)]), 0, None, 97):
        with ToolCatalog() as catalog:
            for one in order:
                catalog.add_tools([one])
            assert edges(catalog) == expected


def test_edges_given_by_hand_stay():
    before = Edge("report", "login0", "requires", 1.0)
    after = Edge("login1", "report", "provides", 0.5)
    heavier = Edge("report", "login1", "requires", 0.75)
    with ToolCatalog() as catalog:
        catalog.add_tools([REPORT, *logins(2)], schema_edges=False)
        catalog.add_edges([before])
        assert catalog.link_by_schema() == 4
        catalog.add_edges([after])
        catalog.retriever.add(edges=[heavier])
        catalog.add_tools(logins(3))
        assert {before, after, heavier} < set(edges(catalog))
        catalog.add_tools([LATER])
        assert edges(catalog) == [after, before, heavier]


def test_a_tool_that_has_gone_is_linked_anew_when_it_comes_back():
    with ToolCatalog(Retriever(":memory:")) as catalog:
        catalog.add_tools([REPORT, *logins(2)])
        catalog.retriever.delete(["login1"])
        catalog.link_by_schema()
        assert {e.weight for e in edges(catalog)} == {1.0}
        catalog.add_tools(logins(2))
        assert len(edges(catalog)) == 4 and {e.weight for e in edges(catalog)} == {0.5}
