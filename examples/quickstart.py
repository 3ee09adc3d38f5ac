"""A tiny graph, one question, and why the answer is the answer: ``python examples/quickstart.py``."""

from fourfold import Edge, Node, Retriever

NODES = [
    Node(id="write", name="write_file", type="tool", text="Save text or bytes to a file on disk."),
    Node(id="lock", name="lock_file", type="tool", text="Keep other processes from changing a file."),
    Node(id="path", name="resolve_path", type="tool", text="Turn a relative path into an absolute one."),
    Node(id="mail", name="send_mail", type="tool", text="Send a message to a list of people."),
]
EDGES = [
    Edge(source="write", target="path", type="requires"),
    Edge(source="write", target="lock", type="depends_on"),
]

with Retriever(":memory:") as retriever:
    retriever.add(NODES, EDGES)

    result = retriever.search("save data", k=3)
    print(result)

    print()
    print(retriever.explain("save data", "path"))
