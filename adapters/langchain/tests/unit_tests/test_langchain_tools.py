"""Graph questions as LangChain tools."""

import json

import pytest
from langchain_fourfold import FourfoldRetriever, answer_documents, as_tools

from fourfold import Edge, Node, Retriever
from fourfold.questions import Questions

NODES = [Node(n, n, "tool", n.replace("_", " ")) for n in ("read_file", "edit_file", "run_tests")]
EDGES = [Edge("edit_file", "read_file", "requires"), Edge("edit_file", "run_tests", "feeds_into")]


@pytest.fixture
def graph():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield retriever


def test_each_method_is_a_tool_that_says_what_it_does(graph):
    tools = {tool.name: tool for tool in FourfoldRetriever(retriever=graph).as_tools()}
    assert set(tools) == {
        "ask_graph",
        "trace_path",
        "impact_analysis",
        "similar_to",
        "explore_smart",
        "can_it",
        "compose_for",
        "want_to",
    }
    assert all(tool.description for tool in tools.values())
    assert tools["trace_path"].args["max_depth"]["default"] == 5
    assert tools["impact_analysis"].args["direction"]["enum"] == [
        "dependents",
        "downstream",
        "upstream",
        "both",
        "dependencies",
    ]


def test_what_a_model_reads_of_a_tool_has_no_indentation_of_the_code(graph):
    assert not any("  " in tool.description for tool in as_tools(graph))


def test_content_is_text_and_artifact_is_json(graph):
    tool = next(tool for tool in as_tools(Questions(graph)) if tool.name == "trace_path")
    call = {"type": "tool_call", "id": "1", "name": "trace_path", "args": {"a": "read_file", "b": "run_tests"}}
    message = tool.invoke(call)
    assert message.content == "read_file ←requires— edit_file —feeds_into→ run_tests"
    assert message.artifact["length"] == 2
    json.dumps(message.artifact)


async def test_an_unknown_node_is_a_sentence_with_the_nearest_names(graph):
    tool = next(tool for tool in as_tools(graph) if tool.name == "impact_analysis")
    assert "nearest are 'read_file'" in await tool.ainvoke({"node": "raed_file"})


def test_an_answer_becomes_documents(graph):
    documents = answer_documents(Questions(graph).impact_analysis("read_file"))
    assert [document.id for document in documents] == ["edit_file", "run_tests"]
    assert documents[0].page_content == "edit file"
    assert isinstance(documents[0].metadata["score"], float)
    assert documents[0].metadata["fourfold"]["answer"] == "ImpactAnswer"


def test_what_an_edge_leads_to_is_told_before_all_else(graph):
    graph.add([Node("ada", "Ada"), Node("london", "London")], [Edge("ada", "london", "born_in")])
    tool = next(tool for tool in as_tools(graph) if tool.name == "ask_graph")
    lines = tool.invoke({"question": "In which city was Ada born?"}).splitlines()
    assert lines[0] == "London: Ada —born_in→ London" and lines[1].startswith("search: ")


def test_no_tool_tells_where_the_graph_lies(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as kept:
        kept.add(NODES, EDGES)
        tool = next(tool for tool in as_tools(kept) if tool.name == "explore_smart")
        said = tool.invoke({"node": "zzz"})
    assert said.startswith("There is no node 'zzz' in the graph") and str(tmp_path) not in said
