"""What an answer gives as an id is the node's: it can be asked with, whatever is in it and however long it is."""

import json

from fourfold_mcp import make_server
from mcp import Client

from fourfold import Node, Retriever
from fourfold.tools import ToolCatalog

ODD_IDS = [
    *(
        "Scan 9.41.00\u202fAM.pdf",
        "Rapport\u00a0final.md",
        "co\u00adop.md",
        "rtl\u200fmark",
        "ls\u2028sep",
        "bom\ufeff",
    ),
    *("bom\ufeff", "nel\u0085", "del\x7f", "tab\tid", "line\nid", "esc\x1b[2J", "tag\U000e0041", "x" * 5_000),
]


async def test_ids_in_the_text_of_an_answer_are_those_of_the_nodes():
    with Retriever() as retriever:
        retriever.add([Node(each, f"thing{n}", "tool", f"alpha thing{n}") for n, each in enumerate(ODD_IDS)])
        async with Client(make_server(ToolCatalog(retriever))) as session:
            for number, identity in enumerate(ODD_IDS):
                found = await session.call_tool("search_knowledge", {"query": f"thing{number}", "limit": 1})
                given = json.loads(found.content[0].text)["hits"][0]["id"]
                assert given == identity
                for tool, arguments in (
                    ("get_node", {"node_id": given}),
                    ("explain", {"query": "alpha", "node_id": given}),
                    ("ask", {"query": "what is like it", "node": given}),
                    ("record_use", {"tools": [given, "thing0"]}),
                ):
                    answer = await session.call_tool(tool, arguments)
                    assert not answer.is_error, answer.content
                    told = answer.content[0].text
                    assert told.replace("\n", "").isprintable() and json.loads(told) == answer.structured_content


async def test_an_answer_says_no_more_of_what_it_was_asked_with_than_it_may_hold():
    with Retriever() as retriever:
        there = [f"{number}{'x' * 5_000}" for number in range(100)]
        retriever.add([Node(each, "thing", "tool", "alpha") for each in there])
        async with Client(make_server(ToolCatalog(retriever))) as session:
            learned = await session.call_tool("record_use", {"tools": there})
            assert not learned.is_error and len(learned.content[0].text) < 150_000
            assert learned.structured_content["tools"] == there[: len(learned.structured_content["tools"])]
            assert "of 100 tools are left out" in learned.structured_content["cut"]
            missing = [f"{number}{'y' * 5_000}" for number in range(100)]
            found = await session.call_tool("search_tools", {"query": "alpha", "context_tools": missing})
            assert not found.is_error and len(found.content[0].text) < 150_000
            assert len(found.structured_content["meta"]["unknown_context_tools"]) == 100
            several = await session.call_tool("record_use", {"tools": ["thing"]})
            said = several.content[0].text
            assert several.is_error and "and 95 more; give the id of one" in said and len(said) < 1_500


async def test_a_refusal_says_no_more_of_a_long_id_than_a_sentence_holds():
    with Retriever() as retriever:
        async with Client(make_server(ToolCatalog(retriever))) as session:
            for tool, arguments in (
                ("get_node", {"node_id": "x" * 40_000}),
                ("explain", {"query": "alpha", "node_id": "x" * 40_000}),
                ("ask", {"query": "what is like it", "node": "x" * 40_000}),
                ("record_use", {"tools": ["x" * 40_000]}),
            ):
                answer = await session.call_tool(tool, arguments)
                assert answer.is_error and "xx...xx" in (said := answer.content[0].text) and len(said) < 600
