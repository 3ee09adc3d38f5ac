"""Edges made from schemas follow the tools, in whatever order those come; edges given by hand stay."""

import itertools

import pytest

from fourfold import Edge, Node, Retriever
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


def test_of_nodes_without_schemas_none_is_read_to_link_tools(monkeypatch):
    """In a graph without tools every node is one: a million were read, inside the write."""
    with ToolCatalog() as catalog:
        catalog.retriever.add([Node(f"n{n}", f"word {n}", "thing") for n in range(50)])
        catalog.retriever.add(
            [
                Node("login", "login", "thing", metadata={"outputs": [["session_token", "string", False]]}),
                Node("report", "report", "thing", metadata={"inputs": [["session_token", "string", True]]}),
            ]
        )
        backend, read = catalog.retriever.backend, []
        nodes = backend.nodes
        monkeypatch.setattr(backend, "nodes", lambda nums: read.extend(nums) or nodes(nums))
        assert catalog.link_by_schema() == 2
        assert sorted(read) == sorted(backend.nums(["login", "report"]).values())
        made = [("login", "report", "provides"), ("report", "login", "requires")]
        assert [(e.source, e.target, e.type) for e in edges(catalog)] == made
        catalog.retriever.add([Node("report", "report", "thing")])
        assert catalog.link_by_schema() == 0 and not edges(catalog)


def test_where_nothing_was_linked_by_schemas_no_list_of_all_nodes_is_read():
    with ToolCatalog() as catalog:
        catalog.retriever.add([Node(f"n{n}", f"word {n}", "thing") for n in range(50)])
        asked = []
        with catalog.retriever.backend.reading() as connection:
            connection.set_trace_callback(asked.append)
            assert catalog.link_by_schema() == 0
            connection.set_trace_callback(None)
        assert asked and not [sql for sql in asked if "(SELECT num FROM nodes)" in sql]
