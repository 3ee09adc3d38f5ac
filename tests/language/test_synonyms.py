"""The thesaurus: well-formed, and what it joins is asked for by whole questions."""

import pytest
from fact_graphs import graph_of

from fourfold import Edge, Node, Retriever
from fourfold.language import synonyms


def test_groups_are_of_plain_lower_case_words_and_say_something():
    for groups in (synonyms.SAME, synonyms.TURNED, synonyms.ALONE):
        assert groups
        for word, others in groups.items():
            assert word.isalpha() and word.islower(), word
            assert set(others.split()) - {word}, word
            assert all(other.isalpha() and other.islower() for other in others.split()), word


def test_words_of_a_group_ask_for_each_other_those_with_a_mark_one_way_only():
    assert "publish" in synonyms.SAME["emit"].split() and "emit" in synonyms.SAME["publish"].split()
    assert "inherit" in synonyms.TURNED["subclass"].split() and "inherit" not in synonyms.TURNED
    assert "cast" in synonyms.ALONE["movie"].split() and "cast" not in synonyms.ALONE
    assert "head" in synonyms.SAME["mayor"].split() and "mayor" not in synonyms.SAME["head"].split()


SYSTEM = graph_of("""
    billing-api|owned_by|Team Mint · billing-api|publishes_to|invoice.sent · billing-api|reads_from|ledger-db
    billing-api|deployed_to|Orion · Orion|hosted_at|Madrid region · mailer|consumes_from|invoice.sent
    mailer|implemented_in|Elixir · billing-api|implemented_in|Kotlin · mailer|deployed_to|Orion
    NetError|inherits_from|BaseError · TimeoutError|inherits_from|NetError · Team Mint|lead|Ida Holm
""")
FACULTY = graph_of("""
    PHYS220 Optics|lect|Dr Ana Cole · PHYS220 Optics|prereq|PHYS110 Mechanics · PHYS220 Optics|room|Aula 3
    Aula 3|bldg|Curie House · Dr Ana Cole|affil|Physics · Bo Lind|phd_advisor|Dr Ana Cole
    PHYS220 Optics|dept|Physics · PHYS110 Mechanics|dept|Physics · PHYS110 Mechanics|lect|Dr Bo Lind
    Ursa|partOfRange|Long Hills · Silt|flowsInto|Wide River · Dunmere|liesOnRiver|Wide River
    GENE1|LOCATED_ON|Chromosome 7 · Pillex|INHIBITS|GENE1 · Pillex|TREATS|Ague · GENE1|PART_OF|Pathway A
""")


@pytest.mark.parametrize(
    ("graph", "question", "expected"),
    [
        (SYSTEM, "what topics does billing-api emit to?", "invoice.sent"),
        (SYSTEM, "who listens to invoice.sent?", "mailer"),
        (SYSTEM, "which team is responsible for billing-api?", "Team Mint"),
        (SYSTEM, "mailer language", "Elixir"),
        (SYSTEM, "subclasses of NetError", "TimeoutError"),
        (SYSTEM, "superclass of NetError", "BaseError"),
        (SYSTEM, "In which region is billing-api running?", "Madrid region"),
        (SYSTEM, "who runs Team Mint", "Ida Holm"),
        (FACULTY, "Who teaches PHYS220 Optics?", "Dr Ana Cole"),
        (FACULTY, "prerequisites of Optics", "PHYS110 Mechanics"),
        (FACULTY, "could you list the prerequisites of Optics", "PHYS110 Mechanics"),
        (FACULTY, "Which department is Dr Ana Cole in?", "Physics"),
        (FACULTY, "which rivers flow into the Wide River", "Silt"),
        (FACULTY, "On which chromosome is the target of Pillex?", "Chromosome 7"),
        (FACULTY, "what does Pillex cure", "Ague"),
        (FACULTY, "in which building does Optics take place", "Curie House"),
        (FACULTY, "explain Pillex", "Pillex"),
        (FACULTY, "what do you know about PHYS220 Optics?", "PHYS220 Optics"),
        (FACULTY, "tell me about Pillex", "Pillex"),
    ],
)
def test_questions_in_words_that_no_label_has(graph, question, expected):
    assert graph.search(question).ids[0] == expected


def test_what_stands_one_step_further_is_told_with_its_path():
    hit = SYSTEM.search("In which region is billing-api running?").hits[0]
    path = next(item for item in hit.evidence if item.kind == "path" and item.component == "intent")
    assert [(step.source, step.type, step.target) for step in path.path] == [
        ("billing-api", "deployed_to", "Orion"),
        ("Orion", "hosted_at", "Madrid region"),
    ]
    assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)


def test_a_filter_holds_one_step_further():
    retriever = Retriever()
    retriever.add(
        [Node(name, name, metadata={"open": name != "Madrid region"}) for name in ("api", "Orion", "Madrid region")],
        [Edge("api", "Orion", "deployed_to"), Edge("Orion", "Madrid region", "hosted_at")],
    )
    assert "Madrid region" not in retriever.search("In which region is api running?", filter={"open": True}).ids


def test_what_a_filter_forbids_takes_no_place_one_step_further():
    retriever = Retriever()
    regions = [f"a{number} region" for number in range(300)]
    retriever.add(
        [Node(name, name, metadata={"open": name not in regions}) for name in ("api", "Orion", "z region", *regions)],
        [Edge("api", "Orion", "deployed_to"), *(Edge("Orion", name, "hosted_at") for name in (*regions, "z region"))],
    )
    assert retriever.search("In which region is api running?", filter={"open": True}).ids[0] == "z region"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the ceiling lamp hooked up to", "hub"),
        ("what can we use instead of the ceiling lamp", "torch"),
        ("what did the spring storm disrupt", "ferry"),
    ],
)
def test_everyday_words_ask_of_things_that_have_a_text(question, answer):
    nodes = [
        Node("lamp", "Ceiling Lamp", "light", "Hangs above the table and is warm white."),
        Node("hub", "Grey Box", "gateway", "Stands in the cupboard below the stairs."),
        Node("torch", "Pocket Torch", "light", "Lies in the drawer beside the door."),
        Node("storm", "Spring Storm", "event", "Rain and wind for two days in April."),
        Node("ferry", "Island Ferry", "boat", "Sails to the island each morning."),
        Node("mia", "Mia Lund", "person", "Sells electric things in the old town."),
    ]
    edges = [
        *(Edge("lamp", "hub", "connectedTo"), Edge("lamp", "torch", "alternative"), Edge("lamp", "mia", "bought_from")),
        *(Edge("storm", "ferry", "affects"), Edge("storm", "mia", "seen_by"), Edge("ferry", "mia", "owned_by")),
    ]
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        assert retriever.search(question).ids[0] == answer
