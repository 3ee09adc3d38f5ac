"""However much a node holds, an answer holds so much of it, and says where it was cut."""

import json

from fourfold_mcp import make_server
from mcp import Client

from fourfold import Node, Retriever
from fourfold.tools import ToolCatalog

ROWS = [["z" * 1_000] * 100] * 100
DEEP = {f"k{n}": {f"l{m}": ["y" * 900] * 100 for m in range(4)} for n in range(40)}


async def metadata_shown(metadata):
    """Return a node's metadata as search and ``get_node`` show it, having checked how long the answers are."""
    with Retriever() as retriever:
        retriever.add([Node("big", "big", "file", "A huge picture.", metadata)])
        async with Client(make_server(ToolCatalog(retriever))) as session:
            found = await session.call_tool("search_knowledge", {"query": "picture"})
            whole = await session.call_tool("get_node", {"node_id": "big"})
    for answer in (found, whole):
        assert not answer.is_error, answer.content
        assert len(answer.content[0].text) < 150_000
        assert json.loads(answer.content[0].text) == answer.structured_content
    assert found.structured_content["hits"][0]["metadata"] == whole.structured_content["metadata"]
    return whole.structured_content["metadata"]


async def test_metadata_has_one_budget_however_deep_it_goes():
    shown = await metadata_shown({"rows": ROWS, "lang": "en", "size": {"width": 3}})
    assert shown["lang"] == "en" and shown["size"] == {"width": 3}  # not behind a list that takes all there is
    assert shown["rows"][0][:90] == ["z" * 1_000] * 90
    assert shown["rows"][-1] == ["…"]
    assert list((await metadata_shown(DEEP))["k39"]["l0"]) == ["…"]
    numbers = await metadata_shown({"rows": [[10**300] * 100] * 100})
    assert numbers["rows"][0] == [10**300] * 100 and numbers["rows"][-1] == ["…"]
    keys = await metadata_shown({"rows": [{f"{n:02}" * 400: n for n in range(100)}] * 20})
    assert keys["rows"][-1] == {"…": "…"}


async def test_what_one_level_may_hold_is_shown_whole():
    metadata = {"tags": ["t" * 900] * 100, "n": list(range(100)), "none": None, "deep": [[[[{"a": [1.5, True]}]]]]}
    assert await metadata_shown(metadata) == metadata
    shown = await metadata_shown({"n": list(range(101)), "long": "x" * 2_000})
    assert shown == {"n": [*range(99), "…"], "long": "x" * 999 + "…"}
