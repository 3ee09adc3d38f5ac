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
