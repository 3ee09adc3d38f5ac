"""The graphs that Lens is tested over: typed tools, a node that wants to be more than text, a folder of documents."""

from fourfold import Edge, Node, Retriever
from fourfold.demo import edges, nodes
from fourfold.ingest import index_paths

HOSTILE_NAME = "<script>window.owned=1</script>\"'><img src=x onerror=window.owned=1>\u202eevil\u0007"
HOSTILE_TEXT = "save </script><script>window.owned=1</script> [x](javascript:window.owned=1) \x1b[31m{{7*7}} \u2028"

TOOLS = [
    Node(id="write", name="write_file", type="tool", text="Save data to disk.", metadata={"lang": "en", "cost": 2}),
    Node(id="read", name="read_file", type="tool", text="Load data from disk.", metadata={"lang": "en", "cost": 1}),
    Node(id="open", name="open_file", type="tool", text="Open a file.", metadata={"lang": "de", "cost": 1}),
    Node(id="disk", name="disk", type="place", text="Where files live.", metadata={"lang": "de", "safe": True}),
    Node(id="zip", name="compress", type="tool", text="Make a file smaller.", metadata={"lang": "en", "cost": 5}),
    Node(id="send", name="send_mail", type="tool", text="Send a message to a person.", metadata={"lang": "en"}),
]
EDGES = [
    Edge("write", "open", "requires"),
    Edge("read", "open", "requires"),
    Edge("open", "disk", "depends_on"),
    Edge("zip", "read", "requires"),
    Edge("send", "zip", "followed_by"),
]


DEMO_QUESTION = "how to parse command line arguments"
_ASKED = DEMO_QUESTION.replace(" ", "+")
DEMO_VIEWS = {
    "empty": "/",
    "search": f"/?q={_ASKED}&weights=.1,.2,.6,.1",
    "why": f"/why?q={_ASKED}&node=argparse.ArgumentParser",
    "why not": f"/why?q={_ASKED}&node=optparse",
    "find": f"/find?q={_ASKED}&expected=optparse",
    "side by side": f"/compare?q={_ASKED}&b=published",
    "judge": f"/judge?q={_ASKED}",
    "measure": "/measure",
    "graph": "/graph",
    "path": "/graph?from=argparse&to=zipfile",
    "impact": "/graph?node=argparse",
    "workflow": "/graph?task=write+a+zip+file",
    "an error": "/?q=a&k=0",
    "no such page": "/nowhere",
}


TOOLS_VIEWS = {
    "search": "/?q=save+data+to+disk",
    "why": "/why?q=save+data+to+disk&node=disk",
    "graph": "/graph",
    "workflow": "/graph?task=make+a+file+smaller+and+send+it",
}


def demo(path) -> Retriever:
    """The graph of ``fourfold demo``."""
    retriever = Retriever(path)
    retriever.add([Node(**node) for node in nodes()], [Edge(**edge) for edge in edges()])
    return retriever


def judged_demo(path) -> None:
    """Write the graph of ``fourfold demo``, a little of it judged."""
    with demo(path) as retriever:
        retriever.learning.feedback(DEMO_QUESTION, "argparse")
        retriever.learning.feedback(DEMO_QUESTION, "zipfile", False)


def tools(path=":memory:") -> Retriever:
    retriever = Retriever(path)
    retriever.add(TOOLS, EDGES)
    return retriever


def hostile(path=":memory:") -> Retriever:
    """The tools, among them one that is written to break a page."""
    retriever = tools(path)
    bad = Node(
        id="<b>bad</b>&?#\"'",
        name=HOSTILE_NAME,
        type="</bdi><script>window.owned=1</script>",
        text=HOSTILE_TEXT,
        metadata={"<i>key</i>": "<script>window.owned=1</script>", "url": "javascript:window.owned=1"},
    )
    long = Node(id="long", name="save " + "n" * 1_000_000, type="tool", text="Save with a name of a megabyte.")
    retriever.add(
        [bad, long],
        [Edge("write", bad.id, "</text><script>window.owned=1</script>"), Edge("long", bad.id, "requires")],
    )
    return retriever


def documents(folder, path=":memory:") -> Retriever:
    """A folder of Markdown files that mention each other."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "Harbour": "Ships rest in the Harbour. The Lighthouse shows the way in at night.",
        "Lighthouse": "The Lighthouse was built by Ada Stone in 1871. Its lamp burns whale oil.",
        "Ada Stone": "Ada Stone was an engineer from the Northern Isles. She built three bridges.",
        "Northern Isles": "The Northern Isles are cold, and full of sheep. Wool is sold in the Harbour.",
        "Wool": "Wool is spun in winter. A good coat needs two pounds of wool.",
        "Bridge": "A bridge carries a road over water. Stone bridges last for centuries.",
    }
    for title, text in pages.items():
        (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    retriever = Retriever(path)
    index_paths(retriever, [folder])
    return retriever


# Each question names a page; its answer stands on the page that one mentions, and in none of the question's words.
VILLAGE = {
    "who keeps the old windmill": "Marta Quill",
    "who repairs the stone bridge": "Tomas Reed",
    "who runs the ferry boat": "Ines Fallow",
    "who tends the walled garden": "Otto Brand",
    "who rings the church bell": "Lena Marsh",
}
_PAGES = {
    "Windmill": "The old windmill grinds rye on windy days. It belongs to Marta Quill.",
    "Marta Quill": "Born in 1961, the daughter of a baker; plays chess on Sundays.",
    "Bridge": "The stone bridge has three arches. Cracks are left to Tomas Reed.",
    "Tomas Reed": "A mason by trade, back from the city since last autumn.",
    "Ferry": "The ferry boat crosses twice a day. Tickets are sold by Ines Fallow.",
    "Ines Fallow": "Speaks four languages and knows every sandbank by name.",
    "Garden": "The walled garden has pears and plums. The key is with Otto Brand.",
    "Otto Brand": "Retired teacher of Latin, writes letters to the newspaper.",
    "Church": "The church bell was cast in 1702. The rope is in the hands of Lena Marsh.",
    "Lena Marsh": "Twenty years old, studies physics, and sleeps little.",
    "Old houses": "Old houses need new roofs. Who keeps them dry keeps them standing.",
    "Stones": "A stone from the river is round, one from the quarry is not. Who repairs walls needs both.",
    "Boats": "A boat of oak lasts for fifty years. Who runs aground repairs it in winter.",
    "Walls": "A walled yard is warm in spring. Who tends roses likes walls.",
    "Bells": "A bell of bronze rings longer than one of iron. Who rings it wears gloves.",
}


def village(folder):
    """Write the pages into a folder, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (title, text) in enumerate(_PAGES.items()):
        (folder / f"{number:02}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    return folder
