"""``keyword_match`` finds what reading everything would, at the cost of what holds the words."""

import random

import pytest

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.config import TextField
from fourfold.filters import ELEMENT, SCALAR, attributes
from fourfold.questions import Questions, words
from fourfold.tokenizer import make_tokenizer

WORDS = "alpha betas running run Read_file HTTPServer 日本語 café 7 1.0 0 x'y the skies sky size a-b".split()
VALUES = [
    1,
    1.0,
    0,
    True,
    False,
    7,
    "7",
    "run fast",
    2.5,
    -3,
    "",
    ["x", "running", 7],
    {"deep": {"sky": 1.0}},
    None,
    [],
]
QUERY = [*WORDS, "b", "deep", "5", "unheard"]
FIELDS = [
    RetrievalConfig().text.fields,
    (TextField(("name",)),),  # names and types are not both among what is indexed
    (TextField(("text",)),),
    (TextField(("name", "type")), TextField(("text",), 0.0)),
    (TextField(("name", "type", "text"), 0.0),),
]


def made(chance, identity):
    words = lambda most: " ".join(chance.choices(WORDS, k=most))  # noqa: E731
    metadata = {key: chance.choice(VALUES) for key in chance.sample(["size", "run", "a b", "a"], chance.randrange(4))}
    name = words(chance.choice([0, 1, 2, 40]))
    return Node(identity, name, chance.choice(["thing", "run type", "sky", ""]), words(chance.randrange(8)), metadata)


def read(nodes, terms, terms_of):
    """Return (id, count, terms by place) of every node that holds any of the terms, in their order."""
    found = []
    for node in nodes:
        told = [f"{key} {own}" for key, own, kind in attributes(node.metadata) if kind in (SCALAR, ELEMENT)]
        texts = {"name": [node.name], "type": [node.type], "metadata": told}
        held = {place: {term for text in own for term in terms_of(text)} for place, own in texts.items()}
        where = {place: tuple(term for term in terms if term in own) for place, own in held.items()}
        where = {place: own for place, own in where.items() if own}
        if where:
            found.append((node.id, len({term for own in where.values() for term in own}), where))
    return sorted(found, key=lambda row: (-row[1], row[0]))


@pytest.mark.parametrize("seed", range(40))
def test_it_finds_what_reading_everything_would(seed, tmp_path):
    chance = random.Random(seed)
    config = RetrievalConfig().replace(text={"fields": FIELDS[seed % len(FIELDS)]})
    terms_of = make_tokenizer("snowball-english").terms
    with Retriever(tmp_path / "kg.sqlite", config=config) as retriever:
        asked, there = Questions(retriever), {}
        for _ in range(8):
            written = [made(chance, f"n{chance.randrange(50)}") for _ in range(chance.choice([1, 5, 30]))]
            retriever.add(written)
            there.update({node.id: node for node in written})
            gone = [identity for identity in there if chance.random() < 0.1]
            retriever.delete(gone)
            there = {identity: node for identity, node in there.items() if identity not in gone}
            query, limit = " ".join(chance.choices(QUERY, k=chance.randrange(1, 5))), chance.choice([1, 3, 100])
            answer = asked.keyword_match(query, limit)
            expected = read(there.values(), answer.terms, terms_of)
            assert [(m.node.id, m.count, dict(m.terms)) for m in answer.matches] == expected[:limit], query
            assert answer.total == len(expected)


def test_common_words_are_found_by_the_index_and_those_of_types_by_one_node_of_each(tmp_path):
    statements = []
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        kinds = ["thing", "running thing", "betas"]
        nodes = [Node(f"n{n:03}", ["thing", "other"][n % 2], kinds[n % 3], "thing betas") for n in range(600)]
        retriever.add(nodes)
        retriever.delete(["n000", "n599"])
        asked = Questions(retriever)
        asked.keyword_match("nothing")
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(statements.append)
        answer = asked.keyword_match("thing betas run", 600)
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(None)
        expected = read(nodes[1:-1], answer.terms, make_tokenizer("snowball-english").terms)
    assert [(m.node.id, m.count, dict(m.terms)) for m in answer.matches] == expected and answer.total == len(expected)
    assert not any("FROM tokens" in sql for sql in statements), "no records of all nodes"


def steps_of(path, size):
    """Return how many steps SQLite takes for two rare words, and one that is in all texts, after a write."""
    steps = []
    with Retriever(path / f"{size}.sqlite") as retriever:
        nodes = [Node(f"n{n}", f"name {n}", "thing", "words of a text", {"path": f"p{n}"}) for n in range(size)]
        retriever.add([*nodes, Node("it", "quagga", "thing", metadata={"kind": "zebra"})])
        asked = Questions(retriever)
        assert not asked.keyword_match("words nothing").ids
        retriever.add([Node("other", "other", "late", metadata={"path": "gnu"})])
        retriever.analysis.snapshot()
        with retriever.backend.reading() as connection:
            connection.set_progress_handler(lambda: steps.append(1), 1)
        assert asked.keyword_match("quagga").ids == asked.keyword_match("zebra").ids == ["it"]
        assert asked.keyword_match("words late gnu").ids == ["other"]
        with retriever.backend.reading() as connection:
            connection.set_progress_handler(None, 0)
    return len(steps)


def test_of_many_nodes_only_those_that_hold_the_words_are_read(tmp_path):
    assert 0 < steps_of(tmp_path, 5_000) < 1.2 * steps_of(tmp_path, 500)


def test_a_type_that_a_node_no_longer_has_is_not_told_of_it(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(f"n{n}", "name", "old", "old new words") for n in range(10)])
        asked = Questions(retriever)
        assert asked.keyword_match("old").total == 10
        retriever.add([Node("n0", "name", "new", "old new words")])
        assert asked.keyword_match("old").total == 9 and asked.keyword_match("new").ids == ["n0"]
        retriever.add([Node("n0", "name", "old", "old new words")])
        assert asked.keyword_match("old").total == 10 and not asked.keyword_match("new").ids


def test_a_backup_in_the_place_of_the_file_is_read_as_a_whole(tmp_path):
    def nodes(kind):
        return [Node(f"{kind}{n}", "name", kind, f"words {kind}", {"of": f"{kind} {n}0000"}) for n in range(10)]

    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(tmp_path / "other.sqlite") as other:
        retriever.add(nodes("old"))
        asked = Questions(retriever)
        assert asked.keyword_match("old").total == 10 and asked.keyword_match("30000").ids == ["old3"]
        for some in (nodes("new")[:5], nodes("new")[5:]):
            other.add(some)
        other.maintenance.save(tmp_path / "kg.sqlite", replace=True)
        assert asked.keyword_match("new").total == 10 and asked.keyword_match("30000").ids == ["new3"]
        assert not asked.keyword_match("old").total


def test_texts_that_are_no_nodes_any_more_are_forgotten_in_time(monkeypatch):
    monkeypatch.setattr(words, "_GONE", 5)
    with Retriever() as retriever:
        retriever.add([Node("it", "name", metadata={"seen": "long ago"})])
        asked = Questions(retriever)
        for day in range(40):
            retriever.add([Node("it", "name", metadata={"seen": f"{1000 + day}"})])
            assert asked.keyword_match(f"{1000 + day}").ids == asked.keyword_match("seen").ids == ["it"]
            assert not asked.keyword_match(f"{999 + day}").ids and len(asked._view().words._seen) <= 8
