"""Tools in a copy of a graph: what schemas suggested stays known as that."""

from fourfold import Edge, Retriever
from fourfold.copying import copy
from fourfold.tools import ToolCatalog


def tool(name, takes=(), gives=()):
    fields = ({key: {"type": "string"} for key in keys} for keys in (takes, gives))
    inputs, outputs = ({"type": "object", "properties": each} for each in fields)
    return {"name": name, "description": name, "inputSchema": {**inputs, "required": [*takes]}, "outputSchema": outputs}


def test_edges_that_schemas_suggested_go_with_them_in_a_copy_too(monkeypatch):
    monkeypatch.setattr("fourfold.tools.linking._MARKS_EACH", 1)
    with Retriever() as source, Retriever() as target:
        ToolCatalog(source).add_tools(
            [tool("make_ticket", gives=["ticket_id"]), tool("close_ticket", ["ticket_id"]), tool("tell", ["ticket_id"])]
        )
        given = Edge("close_ticket", "tell", "provides")
        ToolCatalog(source).add_edges([given])
        copy(source, target)
        assert set(target.edges(target.manifest())) == set(source.edges(source.manifest())) > {given}
        for one in (source, target):
            ToolCatalog(one).add_tools([tool("close_ticket", ["reason"]), tool("tell", ["reason"])])
            assert list(one.edges(one.manifest())) == [given]
