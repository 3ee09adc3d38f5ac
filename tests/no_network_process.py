"""Run in a process of its own: every entry point, where no system call may reach a network.

A Google key is in the environment, and one graph's vectors have as many dimensions as Gemini's. Prints one JSON object:
``entries``, the entry points that were run, ``unasked``, the network calls they tried, and ``asked``, those that Gemini
tried where the program says Gemini.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
import warnings
from pathlib import Path

attempts = []
REFUSED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")


def refuse(event, arguments):
    """Refuse what would leave the process; local sockets and socket pairs, which event loops need, may pass."""
    if event not in REFUSED or (event.startswith("socket.se") and arguments[0].family == socket.AF_UNIX):
        return
    attempts.append(f"{event} {arguments[1:]}")
    raise OSError(f"{event} is refused in this test")


sys.addaudithook(refuse)
os.environ["GEMINI_API_KEY"] = os.environ["GOOGLE_API_KEY"] = "AIzaSy-a-secret-of-39-characters-abcdef"
for name in [name for name in os.environ if name.startswith("HF_")]:
    del os.environ[name]  # nothing but Fourfold itself keeps the process from a network
warnings.simplefilter("ignore")

from fourfold import Edge, Node, Retriever  # noqa: E402
from fourfold.cli import create_app  # noqa: E402

NODES = [Node(f"n{n}", f"name{n}", "tool", f"The text number {n} of the file.") for n in range(30)]
EDGES = [Edge(f"n{n}", f"n{n + 1}", "requires") for n in range(29)]
entries = []


def unknown(count=1536):
    """Return nodes with vectors that might be Gemini's."""
    return [
        Node(n.id, n.name, n.type, n.text, vector=[float((i + j) % 7) for j in range(count)])
        for i, n in enumerate(NODES)
    ]


def core(folder):
    for count in (256, 1536, 3072):
        with Retriever(folder / f"kg{count}.sqlite") as retriever:
            retriever.add(unknown(count), EDGES)
            retriever.add([Node("late", "late", text="A text without a vector.")])
            for mode in ("hybrid", "text", "embedding"):
                retriever.search("a file", mode=mode)
            asyncio.run(retriever.asearch("the text"))
            retriever.search_many(["one", "two"])
            retriever.explain("a file", "n1")
            retriever.query_vector(["a", "b"])
            retriever.context("n1")
            assert retriever.embedder.name.startswith("static:") and retriever.info()["embedder"] is None
        entries.append(f"Retriever of {count} dimensions")
    with Retriever.open_foreign(folder / "kg1536.sqlite") as theirs:
        theirs.search("a file")
    entries.append("open_foreign")
    with Retriever(folder / "kg1536.sqlite") as retriever:
        retriever.maintenance.reembed()
    entries.append("reembed")
    with Retriever(folder / "kg1536.sqlite") as retriever:
        with retriever.backend.transaction() as writer:  # a file that came from elsewhere, and says Gemini made it
            writer.set_meta("embedder", "gemini:gemini-embedding-001:256")
        for mode in ("hybrid", "text", "embedding"):
            try:
                retriever.search("a file", mode=mode)
            except Exception as error:
                assert "gemini-embedding-001" in str(error), error
    entries.append("a file that names Gemini")


def command_line(folder):
    from typer.testing import CliRunner

    texts = folder / "texts"
    texts.mkdir()
    for node in NODES:
        (texts / f"{node.id}.md").write_text(f"# {node.name}\n\n{node.text} It goes with name1 and name2.\n")
    lines = [{"kind": "node", "id": n.id, "name": n.name, "text": n.text, "vector": list(n.vector)} for n in unknown()]
    (folder / "graph.jsonl").write_text("\n".join(map(json.dumps, lines)))
    judged = [{"query": f"text number {n}", "expected": [f"n{n}"]} for n in range(8)]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, judged)))
    db, queries, run = folder / "cli.sqlite", folder / "queries.jsonl", folder / "run.json"
    calls = {
        "index": [["graph.jsonl", "--db", db], [texts, "--db", folder / "texts.sqlite"]],
        "info": [["--db", db]],
        "search": [["a file", "--db", db], ["a file", "--db", folder / "texts.sqlite"]],
        "explain": [["a file", "n1", "--db", db]],
        "ask": [["what does name1 need?", "--db", db]],
        "path": [["n1", "n2", "--db", db]],
        "impact": [["n1", "--db", db]],
        "demo": [[]],
        "eval": [[queries, "--db", db, "--save", run]],
        "ablate": [[queries, "--db", db]],
        "compare": [[run, run, "--queries", queries]],
        "tune": [[queries, "--db", db]],
        "probes": [["--db", db]],
        "train-embedder": [["--db", folder / "texts.sqlite", "--steps", "2"]],
        "reembed": [["--db", db]],
        "check": [["--db", db]],
        "copy": [[db, folder / "copy.sqlite"]],
    }
    app = create_app()
    os.chdir(folder)
    from typer.main import get_command

    missing = set(get_command(app).commands) - set(calls) - {"lens"}  # which listens, as it is told to
    assert not missing, f"commands that this test does not run: {missing}"
    for command, variants in calls.items():
        for arguments in variants:
            result = CliRunner().invoke(app, [command, *map(str, arguments)])
            assert result.exit_code == 0, (command, result.output, result.exception)
        entries.append(f"fourfold {command}")


def langchain(folder):
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever, FourfoldVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=1536))
    store.add_texts([node.text for node in NODES])
    path = folder / "langchain.sqlite"
    FourfoldRetriever.from_vectorstore(store, path=path).invoke("a file")
    for made in (FourfoldRetriever(path=path), FourfoldRetriever(retriever=Retriever(folder / "kg3072.sqlite"))):
        try:
            made.invoke("a file")
        except Exception as error:
            assert "DeterministicFakeEmbedding" in str(error), error
    for vectorstore in (FourfoldVectorStore(), FourfoldVectorStore(DeterministicFakeEmbedding(size=1536))):
        vectorstore.add_texts([node.text for node in NODES])
        vectorstore.similarity_search("a file")
    index = FourfoldDocumentIndex()
    index.upsert([Document(page_content="a text")])
    asyncio.run(index.ainvoke("text"))
    entries.append("LangChain")


def llama_index(folder):
    from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import VectorStoreQuery
    from llama_index.retrievers.fourfold import FourfoldRetriever, FourfoldVectorStore

    nodes = [TextNode(id_=node.id, text=node.text) for node in NODES]
    index = VectorStoreIndex(
        nodes, embed_model=MockEmbedding(embed_dim=1536), storage_context=StorageContext.from_defaults()
    )
    FourfoldRetriever.from_vector_index(index).retrieve("a file")
    store = FourfoldVectorStore()
    store.add([node.model_copy(update={"embedding": [1.0] * 1536}) for node in nodes])
    store.query(VectorStoreQuery(query_str="a file"))
    bare = [node.model_copy(update={"embedding": [1.0] * 1536}) for node in nodes]
    FourfoldRetriever.from_nodes(bare).retrieve("a file")
    entries.append("LlamaIndex")


def mcp(folder):
    from fourfold_mcp.server import make_server

    from fourfold.tools import ToolCatalog

    catalog = ToolCatalog(retriever=Retriever(folder / "kg3072.sqlite"))
    server = make_server(catalog)
    known = {"query": "a file", "request": "read a file", "node_id": "n1", "tools": ["n1"]}

    async def call_all():
        for tool in await server.list_tools():
            required = tool.input_schema.get("required", [])
            try:
                await server.call_tool(tool.name, {name: known[name] for name in required})
            except Exception as error:
                assert not isinstance(error, KeyError), error
            entries.append(f"MCP {tool.name}")

    asyncio.run(call_all())


def explicit():
    """Show that the refusal works: where the program does say Gemini, an attempt is made."""
    from fourfold.embed import GeminiEmbedder

    with Retriever(embedder=GeminiEmbedder(8, attempts=1)) as retriever:
        retriever.add([Node("a", "alpha", vector=[1.0] * 8)])
        assert retriever.search("alpha").degraded == ("embedding",)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for part in (core, command_line, langchain, llama_index, mcp):
            part(Path(name))
    unasked = list(attempts)
    explicit()
    sys.stdout.write(json.dumps({"entries": entries, "unasked": unasked, "asked": attempts[len(unasked) :]}))
