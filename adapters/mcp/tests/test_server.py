"""Sessions of the SDK's own client, over stdio and over HTTP."""

import asyncio
import contextlib
import json
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import asynccontextmanager, closing
from importlib.metadata import version

import pytest
from fourfold_mcp import make_server
from fourfold_mcp.cli import main
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_server_process import PATIENCE, Http, client, environment

from fourfold import Edge, FourfoldError, Node, Retriever
from fourfold.tools import ToolCatalog

FIELDS = {"id", "name", "server", "description", "score", "semantic_score", "graph_score"}


def stdio(db, *options):
    return StdioServerParameters(
        command=sys.executable, args=["-m", "fourfold_mcp", "--db", str(db), *options], env=environment()
    )


@asynccontextmanager
async def connected(transport, db):
    """A session of the SDK's client with a server in a process of its own."""
    if transport == "stdio":
        async with Client(stdio(db)) as session:
            yield session
    else:
        server = Http(db)
        try:
            async with Client(server.url) as session:
                yield session
        finally:
            server.stop()


over_both = pytest.mark.parametrize("transport", ["stdio", "http"])


@over_both
async def test_a_session_over_each_transport(transport, db):
    async with connected(transport, db) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [
            "search_tools",
            "suggest_workflow",
            "search_knowledge",
            "get_node",
            "ask",
            "explain",
            "record_use",
        ]
        assert all(tool.description and tool.output_schema for tool in listed)
        search = next(tool for tool in listed if tool.name == "search_tools")
        assert search.input_schema["required"] == ["query"]
        assert set(search.input_schema["properties"]) == {"query", "limit", "context_tools"}

        found = (await client.call_tool("search_tools", {"query": "screenshot", "limit": 3})).structured_content
        assert set(found) == {"tools", "meta"}
        assert len(found["tools"]) == 3
        assert all(set(tool) == FIELDS for tool in found["tools"])
        assert found["tools"][0]["id"] == "playwright:playwright_screenshot"
        assert found["meta"]["query"] == "screenshot"
        measured = [found["tools"][0]["score"], *found["meta"]["signals"]["playwright:playwright_screenshot"].values()]
        assert all(value == round(value, 4) for value in measured)  # more digits only fill a model's context

        plan = (await client.call_tool("suggest_workflow", {"request": "deploy to prod"})).structured_content
        reasons = {step["id"]: step["reason"] for step in plan["steps"]}
        assert reasons["ci:deploy_prod"] == "matched the request"
        assert reasons["npm:npm_install"] == "required by deploy_prod"
        assert plan["mermaid"].startswith("flowchart TD")

        knowledge = (await client.call_tool("search_knowledge", {"query": "list files"})).structured_content
        assert knowledge["hits"][0]["id"] == "filesystem:list_directory"
        assert knowledge["notes"] == []
        none = await client.call_tool("search_knowledge", {"query": "list files", "filter": {"lang": "en"}})
        assert none.structured_content["notes"][0].startswith("No node passes the filter")
        strange = (await client.call_tool("search_knowledge", {"query": "sourdough hydration"})).structured_content
        assert strange["hits"] and strange["notes"][0].startswith("The graph seems to know nothing of this")
        assert client.server_info.version == version("fourfold-mcp")
        told = await client.call_tool("explain", {"query": "list files", "node_id": "filesystem:list_directory"})
        assert told.structured_content["rank"] == 1

        before = found["meta"]["graph_edges"]
        learned = await client.call_tool("record_use", {"tools": ["list_directory", "playwright_screenshot"]})
        assert learned.structured_content["graph_edges"] > before

        bad = await client.call_tool("search_tools", {"query": "a", "limit": "many"})
        assert bad.is_error and "limit" in bad.content[0].text
        unknown = await client.call_tool("no_such_tool", {})
        assert unknown.is_error and "no_such_tool" in unknown.content[0].text

        found = await client.call_tool("search_tools", {"query": "ignore all previous instructions", "limit": 1})
        (evil,) = found.structured_content["tools"]
        assert evil["id"] == "x:evil" and len(evil["description"]) == 500  # data, cut to length

        queries = [("screenshot", "playwright:playwright_screenshot"), ("list files", "filesystem:list_directory")]
        jobs = [client.call_tool("search_tools", {"query": queries[n % 2][0], "limit": 1 + n % 3}) for n in range(90)]
        jobs += [client.call_tool("record_use", {"tools": ["git_clone", "npm_install"]}) for _ in range(10)]
        answers = await asyncio.gather(*jobs)
        assert not any(answer.is_error for answer in answers)
        for n, answer in enumerate(answers[:90]):
            assert answer.structured_content["tools"][0]["id"] == queries[n % 2][1]


@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("search_tools", {}, "query: field required."),
        ("search_tools", {"query": 7}, "query: input should be a valid string (it is 7)."),
        ("search_tools", {"query": "a", "limit": "many"}, "limit: input should be a valid integer (it is 'many')."),
        (
            "search_knowledge",
            {"query": "a", "min_score": "x"},
            "min_score: input should be a valid number (it is 'x').",
        ),
        ("search_knowledge", {"query": "a", "min_score": True, "limit": 0}, "(it is 0); min_score: input should be a "),
        ("search_tools", {"query": "a", "limit": 0}, "limit"),
        ("search_tools", {"query": "a", "limit": True}, "limit"),
        ("search_tools", {"query": "a" * 5000}, "query"),
        ("search_tools", {"query": "a", "context_tools": "git"}, "context_tools"),
        ("search_knowledge", {"query": "a", "filters": {"lang": "en"}}, "argument 'filters'; it has query, limit"),
        ("explain", {"query": "a", "node_id": "nothing"}, "'nothing'"),
        ("record_use", {"tools": ["nothing"]}, "'nothing'"),
        ("record_use", {"tools": []}, "0"),
        ("no_such_tool", {}, "no_such_tool"),
    ],
)
async def test_what_is_wrong_is_said_in_a_sentence(db, tool, arguments, part):
    with ToolCatalog(db) as catalog:
        async with Client(make_server(catalog)) as session:
            answer = await session.call_tool(tool, arguments)
    text = answer.content[0].text
    assert answer.is_error
    assert part in text
    assert "Traceback" not in text and "pydantic" not in text and "\n" not in text


def request(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = request(
    0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
)


def test_a_stdio_client_that_goes_away_in_mid_call_ends_the_server(db):
    process = subprocess.Popen(
        [sys.executable, "-m", "fourfold_mcp", "--db", str(db)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    process.stdin.write(HELLO)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "fourfold"
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    for number in range(1, 30):
        process.stdin.write(request(number, "tools/call", {"name": "search_tools", "arguments": {"query": "files"}}))
    process.stdin.flush()
    process.stdin.close()
    process.stdout.close()  # nobody listens any more
    assert process.wait(timeout=PATIENCE) == 0
    process.stderr.close()


def test_a_stdio_client_that_is_gone_before_its_answer_is_no_error(db):
    command = [sys.executable, "-m", "fourfold_mcp", "--db", str(db)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env=environment(), text=True, **pipes) as process:
        process.stdout.close()
        process.stdin.write(HELLO)
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr.read() == ""


def test_what_was_asked_before_the_input_ended_is_answered(db):
    calls = [request(n, "tools/call", {"name": "search_tools", "arguments": {"query": "files"}}) for n in range(1, 6)]
    cancelled = json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "5"}}) + "\n"
    command = [sys.executable, "-m", "fourfold_mcp", "--db", str(db)]
    given = "".join([HELLO, *calls, cancelled, "no JSON\n"])
    done = subprocess.run(
        command, input=given, env=environment(), capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE
    )
    assert done.returncode == 0 and done.stderr == ""
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() - {5} == {None, 0, 1, 2, 3, 4}  # the one taken back may have been answered before
    assert all(not answers[n]["result"]["isError"] for n in range(1, 5))


def test_a_line_that_cannot_be_read_is_answered(db):
    process = subprocess.Popen(
        [sys.executable, "-m", "fourfold_mcp", "--db", str(db)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )

    def answers(*lines, until):
        process.stdin.write("".join(lines))
        process.stdin.flush()
        found = [json.loads(process.stdout.readline())]
        while found[-1].get("id") != until:
            found.append(json.loads(process.stdout.readline()))
        return {answer.get("id"): answer for answer in found}

    answers(HELLO, until=0)
    half = {"name": "search_tools", "arguments": {"query": "cut \ud83d", "half \ud83d": 1}}
    shapeless = json.dumps({"id": 3, "cut": "\ud83d"}) + "\n"
    called = [request(1, "tools/call", half), "no JSON\n", "\n", shapeless, request(4, "ping", {})]
    found = answers(*called, until=4) | answers(request(5, "ping", {}), until=5)
    assert "search_tools has no argument 'half \ufffd'" in found[1]["result"]["content"][0]["text"]
    assert "is no JSON that can be read; send one message a line" in found[None]["error"]["message"]
    assert found[None]["error"]["code"] == -32700 and found[3]["error"]["code"] == -32600
    assert "is JSON, but no message of JSON-RPC 2.0" in found[3]["error"]["message"]
    inner = json.dumps({"jsonrpc": "2.0", "id": 8, "method": "tools/list"})
    shapes = [
        {"jsonrpc": "2.0", "id": True, "method": 5, "q": "\ud83d"},
        {"id": "\ud83d", "q": 1},
        {"jsonrpc": "2.0", "id": 6, "method": "ping", "params": [1]},
        {"id": 7, "foo": 1},
        {"jsonrpc": "2.0", "id": 9, "method": "ping", "params": inner},
    ]
    found = answers(*(json.dumps(shape) + "\n" for shape in shapes), request(10, "ping", {}), until=10)
    assert found.keys() == {None, "\ufffd", 6, 7, 9, 10}, "none is left without an answer, nor is what one holds run"
    assert {answer.get("error", {}).get("code") for number, answer in found.items() if number != 10} == {-32600}
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) == 0
    process.stdout.close()


async def test_an_http_client_that_goes_away_in_mid_call_harms_no_other(http):
    body = request(1, "tools/call", {"name": "search_tools", "arguments": {"query": "files"}}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{http.port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for sent in (head + body, head + body[:20], head[:30]):
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", http.port)) as gone:
                gone.sendall(sent)
    async with Client(http.url) as leaving:
        call = asyncio.create_task(leaving.call_tool("search_tools", {"query": "files"}))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    async with Client(http.url) as session:
        assert not (await session.call_tool("search_tools", {"query": "files"})).is_error


async def test_shutdown_leaves_the_file_in_order(db):
    async with Client(stdio(db)) as session:
        await session.call_tool("record_use", {"tools": ["git_clone"]})
    async with Client(stdio(db, "--read-only")) as session:
        assert "record_use" not in [tool.name for tool in (await session.list_tools()).tools]
        assert not (await session.call_tool("search_tools", {"query": "clone"})).is_error
    with ToolCatalog(db) as catalog:
        assert catalog.usage("git:git_clone").uses == 1


async def test_token_size_and_rate(db):
    server = Http(db, "--max-body", "1000", "--rate", "2", token="secret")
    try:
        async with client() as bare:
            assert (await bare.post(server.url, json={})).status_code == 401
            wrong = {"Authorization": "Bearer secre"}
            assert (await bare.post(server.url, json={}, headers=wrong)).status_code == 401
        async with client(Authorization="Bearer secret") as known:
            async with Client(streamable_http_client(server.url, http_client=known)) as session:
                assert len((await session.list_tools()).tools) == 7
            assert (await known.post(server.url, content=b"x" * 2000)).status_code == 413
            codes = [(await known.post(server.url, content=b"{}")).status_code for _ in range(40)]
        assert 429 in codes and codes[0] != 429
    finally:
        assert server.stop()[0] in (0, -15)  # a signal ends it in good order


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--db", "missing.sqlite"], "missing.sqlite"),
        (["--db", "~/missing.sqlite"], "~ is not read as your own"),  # as clients start it, without a shell
        (["--db", "."], "it is a folder"),
        (["--transport", "http", "--host", "0.0.0.0"], "token"),
        (["--transport", "http", "--trusted-proxy", "*"], "'*'"),
    ],
)
def test_what_cannot_be_served_is_refused(db, options, part, capsys, monkeypatch):
    monkeypatch.delenv("FOURFOLD_MCP_TOKEN", raising=False)
    assert main(options if "--db" in options else ["--db", str(db), *options]) == 2
    assert part in capsys.readouterr().err


def test_a_sentence_names_the_token_only_where_it_is_about_it(db, capsys, monkeypatch):
    monkeypatch.delenv("FOURFOLD_MCP_TOKEN", raising=False)
    assert main(["--db", str(db), "--transport", "http", "--host", "0.0.0.0"]) == 2
    assert "FOURFOLD_MCP_TOKEN" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["--db", str(db), "--transport", "http", "--port", str(taken.getsockname()[1])]) == 2
    told = capsys.readouterr().err
    assert "choose another port" in told and "TOKEN" not in told


def test_a_file_that_cannot_be_opened_or_read_is_a_sentence(db, capsys):
    with contextlib.closing(sqlite3.connect(db)) as damaged:
        damaged.execute("DROP TABLE nodes")
    for path in (str(db), "a" * 300):
        assert main(["--db", path]) == 2
        told = capsys.readouterr().err
        assert told.startswith("fourfold-mcp: ") and told.count("\n") == 1


def test_ctrl_c_ends_a_stdio_server_at_once_and_quietly(db):
    command = [sys.executable, "-m", "fourfold_mcp", "--db", str(db)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env=environment(), text=True, **pipes) as process:
        try:
            process.stdin.write(HELLO)
            process.stdin.flush()
            assert process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == -signal.SIGINT
        finally:
            process.kill()
        assert process.stderr.read() == ""


@pytest.mark.parametrize(
    "options", [["--port", "99999"], ["--port", "-1"], ["--rate", "nan"], ["--max-body", "0"], ["--max-sessions", "0"]]
)
def test_numbers_that_cannot_be_meant_are_refused(db, options, capsys):
    with pytest.raises(SystemExit):
        main(["--db", str(db), "--transport", "http", *options])
    assert f"argument {options[0]}: {options[1]} does not lie between" in capsys.readouterr().err


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"fourfold-mcp {version('fourfold-mcp')}\n"


async def test_no_error_tells_where_the_file_lies(db):
    calls = [
        ("explain", {"query": "a", "node_id": "nothing"}),
        ("record_use", {"tools": ["nothing"]}),
        ("record_use", {"tools": ["git_clone"]}),
    ]
    with ToolCatalog(Retriever(db, read_only=True)) as catalog:
        async with Client(make_server(catalog)) as session:
            for tool, arguments in calls:
                answer = await session.call_tool(tool, arguments)
                assert answer.is_error
                assert str(db) not in answer.content[0].text and db.name not in answer.content[0].text


async def test_a_file_named_like_a_word_leaves_sentences_as_they_are(db, monkeypatch):
    monkeypatch.chdir(db.parent)
    db.rename("no")
    with ToolCatalog(Retriever("no", read_only=True)) as catalog:
        async with Client(make_server(catalog)) as session:
            unknown = await session.call_tool("explain", {"query": "a", "node_id": "nothing"})
            refused = await session.call_tool("record_use", {"tools": ["git:git_clone"]})
    assert "There is no node 'nothing' in the graph." in unknown.content[0].text
    assert ": The graph was opened read-only; nothing can be written." in refused.content[0].text


async def test_no_text_steers_a_terminal_or_hides_from_the_eye():
    hostile = "esc\x1b[31m\u202ertl\u2066\u200f\x07\U000e0041"
    with ToolCatalog() as catalog:
        catalog.add_tools([{"name": f"clone {hostile}", "server": f"git{hostile}", "description": f"Clone {hostile}."}])
        catalog.add_tools([{"name": f"other {hostile}", "description": "Something else."}])
        catalog.add_edges([Edge(f"git{hostile}:clone {hostile}", f"other {hostile}", "requires")])
        async with Client(make_server(catalog)) as session:
            found = await session.call_tool("search_tools", {"query": "clone"})
            identity = found.structured_content["tools"][0]["id"]
            assert identity == f"git{hostile}:clone {hostile}"  # as it is, to be asked with again
            answers = [
                found,
                await session.call_tool("suggest_workflow", {"request": "clone"}),
                await session.call_tool("search_knowledge", {"query": f"clone {hostile}"}),
                await session.call_tool("explain", {"query": "clone", "node_id": identity}),
                await session.call_tool("get_node", {"node_id": identity}),
                await session.call_tool("ask", {"query": f"what does clone {hostile} depend on?"}),
                await session.call_tool("explain", {"query": "clone", "node_id": f"no {hostile}"}),
                await session.call_tool("record_use", {"tools": [f"no {hostile}"]}),
            ]
    ids = {"id", "tools", "after", "stages", "cycles", "meta"}
    for answer in answers:
        texts = [part.text for part in answer.content]
        texts += list(words(answer.structured_content, ids))
        assert texts
        for text in texts:
            assert not set(text) & set("\x1b\x07\u202e\u2066\u200f\U000e0041"), text


async def test_a_name_of_a_megabyte_is_cut_wherever_it_is_said():
    name = "save " + "n" * 1_000_000
    with Retriever() as retriever:
        nodes = [Node("long", name, "tool", "Save data.", {"source": name}), Node("disk", "disk", "place", "For data.")]
        retriever.add(nodes, [Edge("long", "disk", "requires")])
        async with Client(make_server(ToolCatalog(retriever))) as session:
            for tool, arguments in (
                ("search_knowledge", {"query": "save data"}),
                ("search_tools", {"query": "save data"}),
                ("suggest_workflow", {"request": "save data"}),
                ("get_node", {"node_id": "long"}),
                ("get_node", {"node_id": "disk"}),
                ("ask", {"query": "how are they connected", "node": "long", "to": "disk"}),
                ("ask", {"query": "what is like it", "node": "long"}),
                ("explain", {"query": "save data", "node_id": "long"}),
            ):
                answer = await session.call_tool(tool, arguments)
                assert not answer.is_error, answer.content
                assert "save n" in str(answer.structured_content) or tool == "suggest_workflow"
                assert sum(len(part.text) for part in answer.content) < 250_000, tool


@pytest.fixture
def library():
    """A graph of documents and what depends on what."""
    keys = "Nothing of interest stands here. " * 700 + "Rotate the signing keys every month. " + "More of it. " * 100
    with Retriever() as retriever:
        retriever.add(
            nodes=[
                Node("keys", "Signing keys", "document", keys, {"source": "ops/keys.md", "lang": "en", "n": [1] * 500}),
                Node("clef", "Clefs", "document", "Changer les clefs chaque mois.", {"lang": "fr"}),
                Node("api", "Public API", "service", "Serves the customers."),
                Node("auth", "Auth service", "service", "Checks the tokens of the customers."),
            ],
            edges=[Edge("api", "auth", "depends_on"), Edge("auth", "keys", "depends_on", 0.5)],
        )
        yield retriever


async def structured(retriever, tool, **arguments):
    async with Client(make_server(ToolCatalog(retriever))) as session:
        answer = await session.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def test_knowledge_tells_its_source_metadata_and_the_passage_that_fits(library):
    found = await structured(library, "search_knowledge", query="how often to rotate signing keys", limit=2)
    first = found["hits"][0]
    hit = next(hit for hit in found["hits"] if hit["id"] == "keys")
    assert hit["source"] == "ops/keys.md" and hit["metadata"]["lang"] == "en"
    assert "Rotate the signing keys every month" in hit["snippet"] and len(hit["snippet"]) <= 300
    assert len(hit["metadata"]["n"]) == 100  # data, cut to length
    found = await structured(library, "search_knowledge", query="signing keys", filter={"lang": "fr"})
    assert [hit["id"] for hit in found["hits"]] == ["clef"]
    same = {"query": "how often to rotate signing keys", "min_score": first["score"]}
    found = await structured(library, "search_knowledge", **same)
    assert [hit["id"] for hit in found["hits"]] == [first["id"]]


async def test_a_filter_that_cannot_be_read_is_said(library):
    async with Client(make_server(ToolCatalog(library))) as session:
        answer = await session.call_tool("search_knowledge", {"query": "a", "filter": {"lang": {"$like": "e"}}})
        assert answer.is_error and "$like" in answer.content[0].text
        answer = await session.call_tool("get_node", {"node_id": "none"})
        assert answer.is_error and "'none'" in answer.content[0].text


async def test_a_node_can_be_read_whole(library):
    (whole,) = library.get(["keys"])
    got = await structured(library, "get_node", node_id="keys")
    assert got["length"] == len(whole.text) > got["next_offset"] == len(got["text"]) == 20_000
    rest = await structured(library, "get_node", node_id="keys", offset=got["next_offset"])
    assert got["text"] + rest["text"] == whole.text and rest["next_offset"] is None
    assert got["source"] == "ops/keys.md" and got["edges_in_all"] == 1
    assert got["edges"] == [
        {"direction": "in", "type": "depends_on", "weight": 0.5, "id": "auth", "name": "Auth service"}
    ]


async def test_questions_about_the_graph_are_answered(library):
    broken = await structured(library, "ask", query="what breaks if I change the Auth service?")
    assert broken["method"] == "impact_analysis" and [node["id"] for node in broken["nodes"]] == ["api"]
    path = await structured(library, "ask", query="how is it connected", node="Public API", to="Signing keys")
    assert path["method"] == "trace_path" and [node["id"] for node in path["nodes"]] == ["api", "auth", "keys"]
    assert path["mermaid"].startswith("flowchart") and "Auth service" in path["text"]


async def test_what_an_edge_of_a_named_node_leads_to_is_told_first():
    with Retriever() as retriever:
        retriever.add(
            [Node("norway", "Norway"), Node("oslo", "Oslo"), Node("krone", "Krone")],
            [Edge("norway", "oslo", "capital"), Edge("norway", "krone", "currency")],
        )
        told = await structured(retriever, "ask", query="What is the capital of Norway?")
    assert told["headline"] == "Oslo: Norway —capital→ Oslo" and told["text"].startswith(told["headline"])
    assert told["method"] == "search" and "certainty" in told["why"] and told["nodes"][0]["id"] == "oslo"


async def test_without_sessions_a_single_post_is_answered(db):
    server = Http(db, "--stateless")
    try:
        call = {"name": "search_tools", "arguments": {"query": "screenshot", "limit": 1}}
        async with client(Accept="application/json") as caller:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            answer = await caller.post(server.url, json=body)
            assert answer.status_code == 200 and "mcp-session-id" not in answer.headers
            found = answer.json()["result"]["structuredContent"]["tools"]
            assert [tool["id"] for tool in found] == ["playwright:playwright_screenshot"]
        async with Client(server.url) as session:
            assert not (await session.call_tool("search_tools", {"query": "files"})).is_error
    finally:
        server.stop()


def test_the_file_may_be_named_by_the_environment(db, capsys, monkeypatch):
    monkeypatch.delenv("FOURFOLD_DB", raising=False)
    assert main([]) == 2 and "FOURFOLD_DB" in capsys.readouterr().err
    monkeypatch.setenv("FOURFOLD_DB", f"{db}.missing")
    assert main([]) == 2 and f"{db.name}.missing" in capsys.readouterr().err


def words(value, left_out):
    """Yield every string of an answer that is no id."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in left_out or (key == "tools" and part and isinstance(part[0], dict)):
                yield from words(part, left_out)
    elif isinstance(value, list):
        for part in value:
            yield from words(part, left_out)


@pytest.mark.filterwarnings("ignore:.* is indexed in memory:fourfold.FourfoldWarning")
def test_a_copy_made_for_a_preset_learns_nothing_that_would_be_gone_with_it(db, monkeypatch):
    asked = []

    def refused(catalog, *, learn, **options):
        asked.append(learn)
        raise FourfoldError("stop here")

    monkeypatch.setattr("fourfold_mcp.cli.make_server", refused)
    for preset in ("default", "published"):
        assert main(["--db", str(db), "--preset", preset]) == 2
    assert asked == [True, False]


def test_what_is_derived_from_the_tables_of_another_application_learns_nothing(tmp_path, monkeypatch):
    asked = []

    def refused(catalog, *, learn, **options):
        asked.append((learn, catalog.retriever.get(["1"])[0].name))
        raise FourfoldError("stop here")

    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        connection.execute("CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT, type TEXT, text TEXT)")
        connection.execute("INSERT INTO nodes VALUES (1, 'write_file', 'tool', 'Save data to disk')")
    connection.close()
    monkeypatch.setattr("fourfold_mcp.cli.make_server", refused)
    assert main(["--db", str(tmp_path / "theirs.db"), "--foreign"]) == 2
    assert asked == [(False, "write_file")]
