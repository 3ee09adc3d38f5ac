"""What frames a request is no part of what is asked for, where the texts are writings."""

import pytest

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.reading.topic import without_frame

PAPERS = [
    Node("routing", "Adaptive routing", "", "This paper shows how packets find their way through networks."),
    Node("sorting", "Sorting by merging", "", "This paper compares methods of sorting on tapes."),
    Node("survey", "A survey of readers", "", "We asked which articles people are interested in, and why."),
    *(Node(f"n{i}", f"Note {i}", "", f"This paper tells of subject {i}.") for i in range(20)),
]


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("I am interested in articles on packet routing", "packet routing"),
        ("I'm especially interested in any papers dealing with packet routing.", "packet routing."),
        ("We would like to find recent reports that describe packet routing", "packet routing"),
        ("Interested in packet routing", "packet routing"),
        ("find all discussions of packet routing", "packet routing"),
        ("Please list all packet routing algorithms", "packet routing algorithms"),
        ("What articles exist which deal with packet routing?", "packet routing?"),
        ("Any information on packet routing. Of particular interest are radios.", "packet routing. radios."),
        ("Articles about packet routing (I would rather see routing tables)", "packet routing ( routing tables)"),
    ],
)
def test_a_frame_is_left_out(asked, left):
    assert without_frame(asked) == left


@pytest.mark.parametrize(
    "begin",
    [
        *("find", "list", "give me", "show me", "get", "retrieve", "search for", "look for"),
        *("I like", "we want to see", "I need to have", "I would rather read", "I am looking for", "interested in"),
    ],
)
@pytest.mark.parametrize(
    "writings",
    [
        *("article", "articles", "paper", "papers", "document", "documents", "publication", "publications"),
        *("literature", "information", "material", "anything", "report of", "reports", "studies", "abstract of"),
        *("abstracts", "discussion of", "discussions", "description of", "descriptions"),
    ],
)
def test_every_word_of_a_frame_tells_it(begin, writings):
    about = "" if writings.endswith(" of") else " about"
    assert without_frame(f"{begin} all {writings}{about} packet routing") == "packet routing"
    assert without_frame(f"{writings}{about} packet routing") == "packet routing"
    assert (
        without_frame("Packets, areas of great interest include routing")
        == "Packets, areas of great interest include routing"
    )
    assert without_frame("Packets. Areas of great interest include routing") == "Packets. routing"


@pytest.mark.parametrize(
    "asked",
    [
        "packet routing",
        "what is packet routing",
        "which papers",  # nothing else would be left
        "articles of",
        "find packet routing",
        "list of papers",
        "the articles of association",
        "who wrote articles about packet routing",
        "an interested in party",
        "papering over cracks",
        "",
        "?",
    ],
)
def test_what_is_no_frame_stays(asked):
    assert without_frame(asked) == asked


def test_a_collection_of_papers_is_asked_for_the_topic():
    asked = "I am interested in articles on packets finding their way"
    with Retriever() as retriever, Retriever(config=RetrievalConfig().replace(text={"topic": False})) as literal:
        for one in (retriever, literal):
            one.add(PAPERS)
        assert literal.search(asked).hits[0].score != retriever.search(asked).hits[0].score
        bare = retriever.search("packets finding their way")
        assert [(h.node.id, h.score) for h in retriever.search(asked)] == [(h.node.id, h.score) for h in bare]


def test_a_graph_of_tools_is_asked_as_it_is():
    tools = [
        Node("arxiv", "arxiv", "tool", "Search papers by subject."),
        Node("gene", "gene", "tool", "Edits a gene sequence."),
        *(Node(f"t{i}", f"tool {i}", "tool", f"Does the job number {i}.") for i in range(20)),
    ]
    with Retriever() as retriever:
        retriever.add(tools)
        assert retriever.search("find all papers on genes").ids[0] == "arxiv"
        assert retriever.search("genes").ids[0] == "gene"


def test_the_published_method_and_two_signal_search_read_every_word():
    assert not RetrievalConfig.published().text.topic
    assert not RetrievalConfig.two_signal().text.topic
