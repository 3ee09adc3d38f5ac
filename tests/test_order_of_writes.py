"""The same nodes and edges, written in whatever order and batches, give the same answers, scores and confidence."""

import random

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever

WORDS = "save load file read write parse tree graph node edge disk cloud alpha beta gamma author born city".split()
TYPES = ("depends_on", "part_of", "mentions", "directed_by", "born_in", "uses")
QUESTIONS = (
    "save the file to the cloud",
    "what depends on alpha beta",
    "author of gamma born in city",
    "difference between alpha and beta",
    "read tree node",
    "gamma delta",
)


def graph(seed):
    """Return nodes of which many say the same, and edges of which many weigh the same."""
    chance = random.Random(seed)
    said = [(chance.choices(WORDS, k=2), chance.choices(WORDS, k=chance.randint(1, 9))) for _ in range(12)]
    nodes = []
    for n in range(150):
        name, text = chance.choice(said)
        rare = f" rare{chance.randrange(15)}" if chance.random() < 0.6 else ""
        nodes.append(Node(f"n{n:03d}", " ".join(name), "", " ".join(text) + rare, {"g": chance.choice("ab")}))
    ends = {(chance.randrange(150), chance.randrange(150), chance.choice(TYPES)) for _ in range(300)}
    ends |= {(n, hub, "mentions") for n in range(40, 150) for hub in chance.sample(range(4), 2)}
    return nodes, [Edge(f"n{s:03d}", f"n{t:03d}", kind, chance.choice([1, 1, 1, 3])) for s, t, kind in sorted(ends)]


def written(config, nodes, edges, seed):
    """Return a retriever of the graph, written in one go (seed 0), or in some other order and batches."""
    retriever, chance = Retriever(config=config), random.Random(seed)
    if not seed:
        retriever.add(nodes, edges)
        return retriever
    nodes, edges = chance.sample(nodes, len(nodes)), chance.sample(edges, len(edges))
    while nodes:
        count = chance.randint(1, 80)
        retriever.add(nodes[:count])
        nodes = nodes[count:]
        retriever.analysis.snapshot()  # what is written next becomes a segment of its own
    while edges:
        count = chance.randint(1, 300)
        retriever.add(edges=edges[:count])
        edges = edges[count:]
        retriever.analysis.snapshot()
    return retriever


def answers(retriever):
    found = {}
    for question in QUESTIONS:
        for options in ({"k": 10}, {"k": 5, "filter": {"g": "a"}}, {"k": 10, "mode": "text"}):
            found[question, str(options)] = retriever.search(question, **options).hits
    return found


CONFIGS = {
    "default": RetrievalConfig(),
    "few bridges": RetrievalConfig().replace(graph={"bridge": {"pairs": 3}}),
    "narrow": RetrievalConfig().replace(graph={"hub_cap": 4}, intents={"paths": {"fan": 5, "beam": 7}}),
    "published": RetrievalConfig.published(),
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_writes_changes_no_answer(config, seed):
    nodes, edges = graph(seed)
    with written(CONFIGS[config], nodes, edges, 0) as retriever:
        expected = answers(retriever)
    for order in (1, 2, 3):
        with written(CONFIGS[config], nodes, edges, order) as retriever:
            found = answers(retriever)
        for question, hits in expected.items():
            others = found[question]
            assert [hit.node.id for hit in others] == [hit.node.id for hit in hits], question
            assert [hit.score for hit in others] == pytest.approx([hit.score for hit in hits], abs=1e-6), question
            told = [hit.confidence for hit in hits]
            assert [hit.confidence for hit in others] == pytest.approx(told, abs=1e-6), question


def test_of_many_equal_mentions_those_with_the_smallest_ids_are_followed():
    page = Node("p", "Marie Curie", text="Marie Curie discovered polonium and radium.")
    others = [Node(f"m{n:03d}", f"page {n}", text=f"A page about item {n} and other things.") for n in range(300)]
    museum = "The museum stands in a capital city by the Vistula river with a population of two million."
    others[299] = Node("m299", "Warsaw museum", text=museum)
    edges = [Edge(other.id, "p", "mentions") for other in others]
    told = []
    for order in (others, others[::-1]):
        with Retriever() as retriever:
            retriever.add([page, *order], edges)
            told.append(retriever.explain("Marie Curie discovered polonium; capital city population river", "m299"))
    assert told[0].score == pytest.approx(told[1].score, abs=1e-9)
    assert [item.kind for item in told[0].evidence] == [item.kind for item in told[1].evidence]


def test_of_two_that_a_question_names_the_order_of_writes_chooses_neither():
    """What it asks for was looked for beside the one that was written first."""
    nodes = [Node("o1", "Order 1"), Node("o2", "Order 2"), *(Node(f"n{n}", f"{WORDS[n]} thing") for n in range(12))]
    edges = [Edge("o1", f"n{n}", "approved_by" if n % 2 else "shipped_to") for n in range(6)]
    edges += [Edge("o2", f"n{n}", "packed_at" if n % 2 else "part_of") for n in range(4, 12)]
    told = []
    for order in (nodes, nodes[::-1]):
        with Retriever() as retriever:
            retriever.add(order, edges)
            hits = retriever.search("what has Order 1 to do with Order 2", k=20).hits
            told.append({hit.node.id: pytest.approx(hit.score, abs=1e-9) for hit in hits})
    assert told[0] == told[1]


def test_which_of_many_of_one_surname_is_meant_does_not_hang_on_who_was_written_first():
    """Of equals by text the first eight were looked at, as they were written; one of them alone is told by its name."""
    long = [f"Konstantinopolitanissimo{letter} Ortega" for letter in "abcdefghijkl"]
    people = [Node(f"p{n:02d}", name) for n, name in enumerate(["Li Ortega", *long])]
    edges = [Edge(f"p{n:02d}", f"c{n}", "studied_in") for n in range(13)]
    edges += [Edge(f"p{n:02d}", f"c{(n + 3) % 13}", "born_in") for n in range(13)]
    for question, expected in (("where did Ortega study", "c0"), ("where was Ortega born", "c3")):
        for order in (people, people[::-1]):
            with Retriever() as retriever:
                retriever.add([*order, *(Node(f"c{n}", f"Town{n}") for n in range(13))], edges)
                assert retriever.search(question).hits[0].node.id == expected
