"""The tool retriever, by itself and inside a real agent."""

import copy

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import MockLLM
from llama_index.core.objects import ObjectRetriever
from llama_index.core.tools import FunctionTool
from llama_index.retrievers.fourfold.tool_retriever import FourfoldToolRetriever

from fourfold import Edge, InvalidValueError


def tools():
    said = {"deploy_prod": "Deploy the application to prod.", "npm_install": "Fetch packages."}
    said |= {f"weather_{n}": f"Tell the weather of region {n}." for n in range(30)}
    return [FunctionTool.from_defaults(lambda: "done", name=name, description=text) for name, text in said.items()]


def retriever(**options):
    made = FourfoldToolRetriever(tools(), similarity_top_k=1, **options)
    made.catalog.add_edges([Edge("deploy_prod", "npm_install", "requires")])
    return made


def names(found):
    return [tool.metadata.name for tool in found]


async def test_what_is_found_and_what_it_needs():
    assert isinstance(retriever(), ObjectRetriever)
    assert names(retriever().retrieve("deploy to prod")) == ["deploy_prod", "npm_install"]
    assert names(await retriever().aretrieve("deploy to prod")) == ["deploy_prod", "npm_install"]
    assert names(retriever(with_prerequisites=False).retrieve("deploy to prod")) == ["deploy_prod"]


def test_a_deep_copy_shares_the_catalogue():
    assert names(copy.deepcopy(retriever()).retrieve("deploy to prod")) == ["deploy_prod", "npm_install"]


def test_a_number_that_is_none_of_tools_is_refused_where_it_is_given():
    """It was an error of the first message."""
    with pytest.raises(InvalidValueError, match="similarity_top_k is 0"):
        FourfoldToolRetriever([], similarity_top_k=0)


def test_tools_may_come_one_by_one():
    """Of those of a generator none was found: they were gone before the catalogue was made."""
    found = FourfoldToolRetriever(iter(tools()), similarity_top_k=1).retrieve("deploy to prod")
    assert names(found) == ["deploy_prod"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own, on making an agent
async def test_in_an_agent():
    agent = FunctionAgent(tool_retriever=retriever(), llm=MockLLM(), tools=[])
    assert names(await agent.get_tools("deploy to prod")) == ["deploy_prod", "npm_install"]
