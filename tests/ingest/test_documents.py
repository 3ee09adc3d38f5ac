"""add, replace and delete: whatever the order, the graph and its answers are those of the final documents."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.engines.sqlite.books import Books
from fourfold.ingest import (
    Document,
    IngestConfig,
    add_documents,
    add_linked,
    delete_documents,
    delete_linked,
    list_documents,
    replace_sources,
)
from fourfold.ingest.mentions import Matcher

SMALL = IngestConfig(whole_length=60, chunk_length=30, min_mention_limit=2, max_mention_share=0.3, shared_keys=("by",))

TITLES = [
    "",
    "Red Fox",
    "red fox",
    "Fox",
    "Red Fox Hill",
    "Mercury (planet)",
    "Mercury (element)",
    "Mercury",
    "Café Noir",
    "東京",
    "東京タワー",
    "The Who",
    "write_file",
    "2001",
]
WORDS = [
    *("red", "Fox", "hill", "mercury", "planet", "element", "café", "noir", "我在東京タワー", "東京", "the who"),
    *("write_file", "2001", "rain", "—", "fox.", "cafe\u0301"),
]


def embed(texts: list[str]) -> list[list[float]]:
    """A small embedder that depends on the text only."""
    return [[1.0 + len(t) % 7, sum(map(ord, t)) % 11, t.count("o") + 0.5, t.count(" ")] for t in texts]


texts = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
documents = st.builds(
    Document,
    id=st.sampled_from("abcdef"),
    text=texts.map(lambda text: text or "something"),
    title=st.sampled_from(TITLES),
    metadata=st.sampled_from([{}, {"by": "me"}, {"by": ["me", "you"]}]),
    source=st.sampled_from(["", "s1", "s2"]),
    links=st.sampled_from([(), ("a",), ("Red Fox", "b"), ("nobody",)]),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(documents, max_size=4, unique_by=lambda d: d.id)),
        st.tuples(st.just("delete"), st.lists(st.sampled_from("abcdef"), max_size=2)),
        st.tuples(st.just("delete source"), st.sampled_from(["s1", "s2"])),
        st.tuples(st.just("replace source"), st.lists(documents, max_size=3, unique_by=lambda d: d.id)),
    ),
    max_size=6,
)


def open_graph() -> Retriever:
    return Retriever(":memory:", embedder=embed)


QUERIES = ("red fox", "mercury element", "東京", "write_file cafe")


def assert_same(one: Retriever, other: Retriever) -> None:
    assert one.manifest() == other.manifest()
    assert one.edges(sorted(one.manifest())) == other.edges(sorted(other.manifest()))
    for query in QUERIES:
        scores = [{hit.node.id: hit.score for hit in r.search(query, k=100)} for r in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_any_sequence_of_writes_ends_where_a_fresh_build_ends(sequence):
    final: dict[str, Document] = {}
    with open_graph() as grown:
        for step, argument in sequence:
            if step == "add":
                add_documents(grown, argument, config=SMALL)
                final |= {d.id: d for d in argument}
            elif step == "delete":
                delete_documents(grown, argument)
                final = {i: d for i, d in final.items() if i not in argument}
            elif step == "delete source":
                delete_documents(grown, sources=[argument])
                final = {i: d for i, d in final.items() if d.source != argument}
            else:
                replace_sources(grown, argument, config=SMALL)
                meant = {d.source for d in argument} - {""}
                final = {i: d for i, d in final.items() if d.source not in meant} | {d.id: d for d in argument}
        with open_graph() as fresh:
            add_documents(fresh, [final[i] for i in sorted(final)], config=SMALL)
            assert_same(grown, fresh)


def edges_of(retriever: Retriever, kind: str) -> set[tuple[str, str]]:
    return {(e.source, e.target) for e in retriever.edges(retriever.manifest()) if e.type == kind}


def linked(*given: Document, config: IngestConfig | None = None) -> Retriever:
    retriever = open_graph()
    assert not add_documents(retriever, given, config=config).problems
    return retriever


def test_a_text_that_names_a_title_is_linked_to_it():
    retriever = linked(
        Document("a", "She moved to new york in May.", "Ann"), Document("b", "A city.", "New York (city)")
    )
    assert edges_of(retriever, "mentions") == {("a", "b")}


def test_the_longest_title_counts_and_words_count_whole():
    retriever = linked(
        Document("york", "-", "York"), Document("ny", "-", "New York"), Document("nyc", "-", "New York City"),
        Document("t1", "in New York City today"), Document("t2", "New Yorkers, York"), Document("t3", "New York york"),
    )  # fmt: skip
    assert edges_of(retriever, "mentions") == {("t1", "nyc"), ("t2", "york"), ("t3", "ny"), ("t3", "york")}


def test_a_new_title_finds_its_mentions_in_old_texts_and_a_deleted_one_gives_them_back():
    retriever = linked(Document("ny", "-", "New York"), Document("t", "in New York City today"))
    assert edges_of(retriever, "mentions") == {("t", "ny")}
    add_documents(retriever, [Document("nyc", "-", "New York City")])
    assert edges_of(retriever, "mentions") == {("t", "nyc")}
    add_documents(retriever, [Document("nyc", "-", "The Big Apple")])
    assert edges_of(retriever, "mentions") == {("t", "ny")}


def test_among_nodes_of_one_title_the_text_s_words_choose():
    both = [Document("p", "-", "Mercury (planet)"), Document("e", "-", "Mercury (element)")]
    retriever = linked(*both, Document("t1", "The planet Mercury is hot"), Document("t2", "Mercury is heavy"))
    assert edges_of(retriever, "mentions") == {("t1", "p"), ("t2", "p"), ("t2", "e")}


def test_a_title_named_everywhere_links_nothing():
    water = Document("w", "-", "Water")
    texts = [Document(f"t{n}", f"water number {n}") for n in range(12)]
    assert len(edges_of(linked(water, *texts[:10]), "mentions")) == 10
    assert edges_of(linked(water, *texts), "mentions") == set()


def test_stop_words_numbers_and_short_titles_are_no_titles():
    texts = Document("t", "the who in 2001 at Qo, no")
    assert not edges_of(linked(texts, *(Document(t, "-", t) for t in ("The Who", "2001", "Qo"))), "mentions")


def test_titles_in_scripts_without_word_boundaries():
    retriever = linked(Document("t", "私は東京に住んでいます"))
    add_documents(retriever, [Document("tokyo", "-", "東京")])
    assert edges_of(retriever, "mentions") == {("t", "tokyo")}


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("日本語 Guide", "Read the 日本語 GUIDE first."),
        ("React 入門", "今日はReact入門を読む。"),
        ("東京タワー", "東京\nタワー"),
        ("ガイド", unicodedata.normalize("NFD", "この ガイド です")),
        ("한국어 문서", unicodedata.normalize("NFD", "이것은 한국어 문서 입니다")),
    ],
)
def test_a_new_title_finds_its_mentions_however_old_texts_write_it(title, text):
    others = [Document(f"other {number}", "filler") for number in range(150)]  # so many that not all are read again
    retriever = linked(*others, Document("text", text))
    add_documents(retriever, [Document("new", "something", title=title)])
    assert edges_of(retriever, "mentions") == {("text", "new")}


def test_few_new_titles_are_looked_up_and_no_other_text_is_read(monkeypatch):
    """Documents that came in batches had all texts before them read with each, up to a hundred for each new title."""
    retriever = Retriever(":memory:", embedder=embed)
    add_documents(retriever, [Document(f"old{i}", "rain", title=f"Old Title {i}") for i in range(60)])
    read, titles_in = [], Matcher.titles_in
    monkeypatch.setattr(Matcher, "titles_in", lambda matcher, text: read.append(text) or titles_in(matcher, text))
    add_documents(retriever, [Document(f"new{i}", f"Old Title {i}", title=f"New Title {i}") for i in range(2)])
    assert sorted(read) == ["Old Title 0", "Old Title 1"]
    assert {(e.source, e.target) for e in retriever.edges(["new0", "new1"])} == {("new0", "old0"), ("new1", "old1")}


def test_many_titles_without_word_boundaries_are_found_by_reading_the_texts_once(monkeypatch):
    """Each was looked for in all texts: two hundred among 20,000 texts took seven times as long as reading these."""
    retriever = Retriever(":memory:", embedder=embed)
    add_documents(retriever, [Document(f"old{i}", "我在東京乙塔") for i in range(2_200)])
    looked_for, containing = [], Books.read_containing
    monkeypatch.setattr(
        Books, "read_containing", lambda books, found: looked_for.append(found) or containing(books, found)
    )
    titles = ["東京乙", *(f"{chr(0x4E00 + i)}塔" for i in range(20, 40))]
    add_documents(retriever, [Document(f"new{i}", "rain", title=title) for i, title in enumerate(titles)])
    assert looked_for == []
    add_documents(retriever, [Document("late", "rain", title="我在東")])
    assert looked_for == [["我", "在", "東"]]


def test_a_long_document_becomes_chunks_of_a_hidden_parent():
    text = "\n\n".join(f"Paragraph {n} about badgers." for n in range(6))
    retriever = linked(Document("d", text, "Badgers", metadata={"lang": "en"}, source="x.txt"), config=SMALL)
    chunks = [f"d#{n}" for n in range(6)]
    assert sorted(retriever.manifest()) == ["d", *chunks]
    assert edges_of(retriever, "part_of") == {(c, "d") for c in chunks}
    assert edges_of(retriever, "followed_by") == set(zip(chunks, chunks[1:], strict=False))
    hits = retriever.search("badgers", k=20).hits
    assert sorted(h.node.id for h in hits) == chunks
    assert hits[0].node.metadata["lang"] == "en" and hits[0].node.name == "Badgers"
    assert len(retriever.search("badgers", k=20, group_by="source")) == 1
    assert len(retriever.search("badgers", k=20, group_by="source", max_per_source=2)) == 2
    assert [n.id for n in retriever.context("d#2", before=1, after=2)] == ["d#1", "d#2", "d#3", "d#4"]
    assert [n.id for n in retriever.context(hits[0], before=0, after=0)] == [hits[0].node.id]
    add_documents(retriever, [Document("d", "short now", "Badgers")])
    assert sorted(retriever.manifest()) == ["d"] and not retriever.edges(["d"])
    assert retriever.search("short").ids == ["d"]


def test_links_resolve_whichever_document_comes_first():
    retriever = linked(Document("a", "x", links=("b", "Third One")))
    add_documents(retriever, [Document("b", "x"), Document("c", "x", "Third one")])
    assert edges_of(retriever, "relates_to") == {("a", "b"), ("a", "c")}
    delete_documents(retriever, ["b"])
    add_documents(retriever, [Document("b", "y")])
    assert ("a", "b") in edges_of(retriever, "relates_to")


def test_an_edge_of_the_user_outlives_the_derived_ones():
    retriever = linked(Document("a", "x", links=("b",)), Document("b", "x"))
    retriever.add(nodes=[Node("n")])
    retriever.add(edges=[Edge("n", "b", "relates_to")])
    add_documents(retriever, [Document("a", "changed"), Document("b", "changed")])
    assert edges_of(retriever, "relates_to") == {("n", "b")}


def test_a_derived_edge_that_the_user_adds_again_is_the_user_s_and_stays():
    retriever = linked(Document("a", "x", links=("b", "c")), Document("b", "x"), Document("c", "x"))
    retriever.add(edges=[Edge("a", "b", "relates_to", 3.0)])
    for text in ("changed", "changed again"):
        add_documents(retriever, [Document("a", text, links=("c",) if text == "changed" else ())])
        assert Edge("a", "b", "relates_to", 3.0) in retriever.edges(["a"])
    assert edges_of(retriever, "relates_to") == {("a", "b")}


def test_each_bad_document_is_reported_once_and_nothing_else_is_lost():
    retriever = open_graph()
    given = [
        Document("ok", "fine"), Document("ok", "again"), Document("", "no id"), Document("e"), Document("s", "\ud800"),
        Document("m", "x", metadata={"k": {1, 2}}), Document("last", "fine"), "no document",
    ]  # fmt: skip
    report = add_documents(retriever, given)
    assert [d.id for d in list_documents(retriever)] == ["last", "ok"]
    assert report.added == 2 and len(report.problems) == 6
    assert retriever.get(["ok"])[0].text == "fine"


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("links", "bergen", "the links of document 'a' are 'bergen'; they must be a tuple of strings."),
        ("links", None, "the links of document 'a' are None; they must be a tuple of strings."),
        ("aliases", (5,), "the aliases of document 'a' are (5,); they must be a tuple of strings."),
        ("sections", ("x",), "the sections of document 'a' are ('x',); they must be a tuple of Sections."),
        ("metadata", None, "the metadata of document 'a' are None; they must be a mapping, as {}."),
        ("metadata", [1], "the metadata of document 'a' are [1]; they must be a mapping, as {}."),
    ],
)
def test_a_document_of_wrong_parts_is_reported_and_the_others_are_kept(field, value, says):
    retriever = open_graph()
    report = add_documents(retriever, [Document("a", "x", **{field: value}), Document("b", "x", links=["a"])])
    assert [problem.what for problem in report.problems] == [says] and report.left_out == ["a"]
    assert [entry.id for entry in list_documents(retriever)] == ["b"]


def test_a_node_with_a_text_is_an_answer_though_it_was_a_document_in_chunks():
    retriever = linked(Document("a", "A fox is red. " * 9, "Foxes"), config=SMALL)
    retriever.add([Node("a", "Foxes", text="Zebras are striped.")])
    assert "a" in retriever.search("zebras", k=20).ids
    retriever.add([Node("a", "Foxes")])
    assert "a" not in retriever.search("zebras", k=20).ids


def test_another_config_than_the_file_was_begun_with_is_refused():
    retriever = linked(Document("a", "x"), config=SMALL)
    with pytest.raises(InvalidValueError, match="was begun with"):
        add_documents(retriever, [Document("b", "x")], config=IngestConfig())
    add_documents(retriever, [Document("b", "x " * 50)])
    assert "b#0" in retriever.manifest()


@pytest.mark.parametrize(
    "bad",
    [
        {"chunk_length": "x"},
        {"chunk_length": 1.5},
        {"whole_length": True},
        {"max_shared": 0},
        {"max_mention_share": "x"},
        {"max_mention_share": 1.5},
        {"mentions": "no"},
        {"shared_keys": 5},
        {"shared_keys": (5,)},
    ],
)
def test_a_config_that_cannot_be_meant_is_refused_in_a_sentence(bad):
    with pytest.raises(InvalidValueError, match=f"{next(iter(bad))} "):
        IngestConfig(**bad)


@pytest.mark.parametrize("given", [None, "ab", Document("a", "x")])
@pytest.mark.parametrize("write", [add_documents, replace_sources])
def test_what_is_no_list_of_documents_is_refused_in_a_sentence(write, given):
    with pytest.raises(InvalidValueError, match="it must be a list of documents"):
        write(Retriever(), given)


@pytest.mark.parametrize("keys", ["by", ["by"], ("by",)])
def test_a_string_is_one_shared_key_and_the_file_remembers_it(tmp_path, keys):
    given = [Document(id_, "x", metadata={"by": "ann"}) for id_ in ("a", "b")]
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        add_documents(retriever, given, config=IngestConfig(shared_keys=keys))
        assert {edge.type for edge in retriever.edges(["a"])} == {"relates_to"}
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        assert add_documents(retriever, [Document("c", "x")]).added == 1


def test_a_broken_off_run_keeps_what_was_written_and_the_next_one_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr("fourfold.ingest.writing._BATCH", 2)
    given = [Document(str(n), f"names Title {(n + 1) % 6}", f"Title {n}") for n in range(6)]

    def broken_off():
        yield from given[:5]
        raise KeyboardInterrupt

    with Retriever(tmp_path / "g.db", embedder=embed) as retriever:
        with pytest.raises(KeyboardInterrupt):
            add_documents(retriever, broken_off())
        assert [d.id for d in list_documents(retriever)] == ["0", "1", "2", "3"]
    with Retriever(tmp_path / "g.db", embedder=embed) as retriever:
        report = add_documents(retriever, given)
        assert (report.added, report.unchanged) == (2, 4)
        assert_same(retriever, linked(*given))


def test_existing_vectors_are_taken_over():
    retriever = open_graph()
    add_documents(retriever, [Document("a", "x"), Document("b", "y")], vectors={"a": [1, 0, 0, 0], "b": [0, 1, 0, 0]})
    assert retriever.search("?", query_vector=[0, 1, 0, 0], mode="embedding", k=1).ids == ["b"]


def test_a_document_and_a_chunk_never_take_each_other_s_id():
    text = "\n\n".join(f"Paragraph {n} about badgers." for n in range(4))
    retriever = linked(Document("a", text), config=SMALL)
    report = add_documents(retriever, [Document("a#0", "mine"), Document("b", text), Document("b#1", "x")])
    assert [problem.where for problem in report.problems] == ["'a#0'", "'b'"]
    assert [node.id for node in retriever.context("a#0", after=3)] == ["a#0", "a#1", "a#2", "a#3"]
    add_documents(retriever, [Document("a", "short"), Document("a#0", "mine")])
    assert sorted(retriever.manifest()) == ["a", "a#0", "b#1"] and retriever.get(["a#0"])[0].text == "mine"


def test_an_explanation_of_a_document_in_chunks_says_that_these_are_the_answers():
    with Retriever() as retriever:
        long = Document(id="long", title="Boats", text="Boats are built in Bergen.\n\n" * 600)
        add_documents(retriever, [long, Document(id="short", title="Cars", text="Cars and boats.")])
        told = retriever.explain("boats in Bergen", "long")
        assert told.score == 0 and sum(item.value for item in told.evidence) == pytest.approx(0, abs=1e-6)
        assert told.evidence[-1].kind == "hidden"
        assert "chunks: a document that was cut: its chunks are the answers" in told.text and "clip" not in told.text


def test_a_string_alone_is_one_id_and_one_source():
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    add_documents(retriever, [Document(name, f"text {name}", source=f"{name}.md") for name in ("1", "2", "12", "3")])
    assert [entry.id for entry in list_documents(retriever, ids="12")] == ["12"]
    assert [entry.id for entry in list_documents(retriever, sources="2.md")] == ["2"]
    assert delete_documents(retriever, "12") == 1 and delete_documents(retriever, sources="3.md") == 1
    assert delete_linked(retriever, "12") == [] and delete_linked(retriever, "2") == ["2"]
    assert sorted(retriever.manifest()) == ["1"]
    report = replace_sources(retriever, [], sources="1.md")
    assert report.removed == 1 and not len(retriever)
    with pytest.raises(InvalidValueError, match="ids holds 5"):
        delete_documents(retriever, [5])


@pytest.mark.parametrize("text", ["", "half \ud800 a character"])
def test_of_a_source_nothing_stays_that_it_no_longer_says(text):
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    add_documents(retriever, [Document("a", "the swordfish password", source="s"), Document("b", "more", source="s")])
    report = replace_sources(retriever, [Document("a", text, source="s"), Document("b", "more", source="s")])
    assert (report.unchanged, report.removed, report.left_out) == (1, 1, ["a"])
    assert list(retriever.manifest()) == ["b"]


def test_a_chunk_that_was_deleted_comes_back_with_its_document():
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    document = Document("d", "\n\n".join(f"Paragraph {n} of boats. " * 12 for n in range(60)))
    add_documents(retriever, [document])
    nodes = sorted(retriever.manifest())
    assert add_documents(retriever, [document]).unchanged == 1
    retriever.delete(["d#3"])
    assert add_documents(retriever, [document]).added == 1
    assert sorted(retriever.manifest()) == nodes


def test_linked_nodes_are_replaced_by_what_says_nothing_or_not_at_all():
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    add_linked(retriever, [Node("x", text="the password of Red Fox"), Node("y", "Red Fox")])
    assert retriever.search("password").ids[0] == "x" and len(retriever.edges(["x"])) == 1
    add_linked(retriever, [Node("x", metadata={"v": 2})])
    (now,) = retriever.get(["x"])
    assert (now.text, now.metadata["v"], retriever.edges(["x"])) == ("", 2, [])
    before = retriever.manifest()
    with pytest.raises(InvalidValueError, match="The text of node 'x' holds a lone surrogate"):
        add_linked(retriever, [Node("z", text="fine"), Node("x", text="new \ud800 text")])
    assert retriever.manifest() == before
