"""However much a node holds, an answer holds so much of it, and says where it was cut."""

import json

from fourfold_mcp import make_server
from mcp import Client

from fourfold import Edge, Node, Retriever
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


LONGEST = 150_000
CALLS = (
    ("search_knowledge", {"query": "picture", "limit": 100}),
    ("search_tools", {"query": "picture", "limit": 100}),
    ("suggest_workflow", {"request": "take a picture, then show a picture and sell a picture"}),
    ("get_node", {"node_id": "{0}"}),
    ("ask", {"query": "what depends on it", "node": "{0}", "limit": 100}),
    ("ask", {"query": "picture", "limit": 100}),
    ("explain", {"query": "picture", "node_id": "{0}"}),
)


async def answers_of(nodes, edges=()):
    """Return what every tool answers over a graph, having checked how long it is; of refusals their sentence."""
    found = []
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        async with Client(make_server(ToolCatalog(retriever))) as session:
            for tool, given in CALLS:
                arguments = {name: nodes[0].id if value == "{0}" else value for name, value in given.items()}
                answer = await session.call_tool(tool, arguments)
                text = answer.content[0].text
                assert len(text) <= LONGEST, tool
                if not answer.is_error:
                    assert json.loads(text) == answer.structured_content
                found.append(text if answer.is_error else answer.structured_content)
    return found


async def test_every_answer_as_a_whole_has_one_bound_and_says_what_was_cut():
    large = {"rows": ROWS[:10], "lang": "en"}  # a megabyte
    nodes = [Node(f"n{n}", f"picture {n} {'p' * 2_000}", "tool", f"A picture {'x ' * 9_000}", large) for n in range(98)]
    nodes += [Node("short", "picture", "tool", "A picture.", {"lang": "en", "tags": ["a", "b"]})]
    edges = [Edge(f"n{n}", "n0", "requires") for n in range(1, 98)]
    known, tools, workflow, node, depends, asked, explained = await answers_of(nodes, edges)
    assert len(known["hits"]) == 99 and len(tools["tools"]) == 99
    assert known["cut"] == (
        "To keep the answer short each text, and the metadata of each node, is cut at 200 characters; limit= asks for "
        "fewer, get_node for one node."
    )
    assert all(hit["metadata"]["lang"] == "en" for hit in known["hits"])
    assert next(hit for hit in known["hits"] if hit["id"] == "short")["metadata"] == {"lang": "en", "tags": ["a", "b"]}
    assert len(node["text"]) == 18_010 and node["next_offset"] is None and len(node["edges"]) == 50
    assert len(depends["nodes"]) == 97 and len(asked["nodes"]) == 99
    assert "cut" not in explained


async def test_where_ids_alone_are_too_long_the_last_nodes_are_left_out():
    nodes = [Node(f"{n} {'i' * 9_000}", f"picture {n}", "tool", "A picture.") for n in range(60)]
    edges = [Edge(node.id, nodes[0].id, "requires") for node in nodes[1:]]
    known, tools, _, node, depends, asked, explained = await answers_of(nodes, edges)
    for answer, name in ((known, "hits"), (tools, "tools"), (node, "edges"), (asked, "nodes")):
        assert f"of {50 if name == 'edges' else 60} {name} are left out" in answer["cut"]
        assert all(len(each["id"]) > 9_000 for each in answer[name]) and len(answer[name]) >= 5
    assert explained["id"] == nodes[0].id and len(depends["nodes"]) >= 10


async def test_one_node_that_is_too_long_for_any_answer_is_refused_in_a_sentence():
    known, tools, *others = await answers_of([Node("i" * 400_000, "picture", "tool", "A picture.")])
    assert "1 of 1 hits are left out" in known["cut"] and "1 of 1 tools are left out" in tools["cut"]
    refused = [answer for answer in others if isinstance(answer, str)]
    assert len(refused) >= 3 and all("their ids are too long" in each and len(each) < 300 for each in refused)
