"""fourfold-mcp over a graph in PostgreSQL: it answers and learns as over a file, and tells nobody where that is."""

import subprocess
import sys

import pytest
from fourfold_mcp import make_server
from fourfold_mcp.cli import main
from mcp import Client, StdioServerParameters
from mcp_server_process import PATIENCE, environment

from fourfold import Edge, Retriever, StoreError
from fourfold.tools import ToolCatalog

TOOLS = [
    {"name": "git_clone", "description": "Clone a repository into a new directory."},
    {"name": "deploy_prod", "description": "Deploy the application to the prod environment."},
]


@pytest.fixture
def url(pg_url):
    with ToolCatalog(pg_url) as catalog:
        catalog.add_tools(TOOLS)
        catalog.add_edges([Edge("deploy_prod", "git_clone", "requires")])
    return pg_url


async def test_it_is_served_by_its_address(url):
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "fourfold_mcp"], env=environment(FOURFOLD_DB=url)
    )
    async with Client(started) as session:
        found = await session.call_tool("search_tools", {"query": "clone a repository", "limit": 1})
        assert [tool["id"] for tool in found.structured_content["tools"]] == ["git_clone"]
        learned = await session.call_tool("record_use", {"tools": ["git_clone", "deploy_prod"]})
        assert not learned.is_error and learned.structured_content["graph_edges"] > 1
    with ToolCatalog(url) as catalog:
        assert catalog.usage("git_clone").uses == 1


async def test_what_the_server_of_the_graph_says_is_told_to_no_client(url, monkeypatch):
    def refuse(*_, **__):
        raise StoreError("Reading failed: connection to server at 10.0.0.7 failed")

    with Retriever(url) as retriever:
        server = make_server(ToolCatalog(retriever))
        monkeypatch.setattr(retriever, "search", refuse)
        async with Client(server) as session:
            answer = await session.call_tool("search_knowledge", {"query": "clone"})
    assert answer.is_error and answer.content[0].text.endswith(
        "The graph cannot be used at the moment; the log says why."
    )


@pytest.mark.parametrize("address", ["postgresql://me:hunter2@127.0.0.1:1/kg", "postgres:me:hunter2@127.0.0.1/kg"])
def test_a_password_is_never_shown(address, capsys):
    assert main(["--db", address]) == 2
    assert "hunter2" not in capsys.readouterr().err


def test_no_graph_is_begun(pg_url):
    command = [sys.executable, "-m", "fourfold_mcp", "--db", pg_url]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 2 and "There is no graph at" in ended.stderr
    with pytest.raises(StoreError, match="There is no graph at"):
        Retriever(pg_url, must_exist=True)
