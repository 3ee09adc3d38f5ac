"""Graph questions as LlamaIndex FunctionTools."""

import pytest
from llama_index.core.schema import MetadataMode
from llama_index.retrievers.fourfold import FourfoldRetriever, answer_nodes, as_tools

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
    tools = {tool.metadata.name: tool for tool in FourfoldRetriever(retriever=graph).as_tools()}
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
    assert "shortest path" in tools["trace_path"].metadata.description
    asked_for = {name: tool.metadata.to_openai_tool()["function"]["parameters"] for name, tool in tools.items()}
    assert set(asked_for["trace_path"]["properties"]) == {"a", "b", "max_depth"}
    assert "downstream" in asked_for["impact_analysis"]["properties"]["direction"]["enum"]


async def test_a_tool_answers_in_text_and_an_unknown_node_is_a_sentence(graph):
    tool = next(tool for tool in as_tools(graph) if tool.metadata.name == "trace_path")
    assert tool.call(a="read_file", b="run_tests").content == "read_file ←requires— edit_file —feeds_into→ run_tests"
    assert "nearest are 'read_file'" in (await tool.acall(a="raed_file", b="run_tests")).content


def test_an_answer_becomes_nodes_without_leaking_into_the_prompt(graph):
    found = answer_nodes(Questions(graph).impact_analysis("read_file"))
    assert [scored.node.node_id for scored in found] == ["edit_file", "run_tests"]
    assert found[0].node.metadata["fourfold"]["answer"] == "ImpactAnswer"
    assert "fourfold" not in found[0].node.get_content(MetadataMode.LLM)


def test_what_an_edge_leads_to_is_told_before_all_else(graph):
    graph.add([Node("ada", "Ada"), Node("london", "London")], [Edge("ada", "london", "born_in")])
    tool = next(tool for tool in as_tools(graph) if tool.metadata.name == "ask_graph")
    lines = tool.call(question="In which city was Ada born?").content.splitlines()
    assert lines[0] == "London: Ada —born_in→ London" and lines[1].startswith("search: ")


def test_no_tool_tells_where_the_graph_lies(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as kept:
        kept.add(NODES, EDGES)
        tool = next(tool for tool in as_tools(kept) if tool.metadata.name == "explore_smart")
        said = tool.call(node="zzz").content
    assert said.startswith("There is no node 'zzz' in the graph") and str(tmp_path) not in said
