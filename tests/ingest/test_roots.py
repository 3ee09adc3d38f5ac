"""Several folders in one graph: whose file is which document, and what keeps its name."""

from __future__ import annotations

import json

import pytest

from fourfold import InvalidValueError, Retriever
from fourfold.ingest import Document, add_documents, index_folder, index_paths, list_documents
from fourfold.ingest.roots import SETTING, Roots


def open_graph() -> Retriever:
    return Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def ids(retriever):
    return [document.id for document in list_documents(retriever)]


def test_several_folders_of_one_name_and_a_file_each_keep_their_own(tmp_path):
    for place in ("a/docs", "b/docs", "c/docs"):
        write(tmp_path / place / "README.md", f"# {place}")
    write(tmp_path / "d" / "README.md", "# d")
    retriever = open_graph()
    report = index_paths(retriever, [tmp_path / "a/docs", tmp_path / "b/docs", tmp_path / "d/README.md"])
    assert not report.problems and ids(retriever) == ["README.md", "d/README.md", "docs/README.md"]
    index_paths(retriever, str(tmp_path / "c/docs"))
    assert ids(retriever) == ["README.md", "d/README.md", "docs-2/README.md", "docs/README.md"]
    again = index_paths(retriever, [tmp_path / "b/docs", tmp_path / "d"])
    assert (again.added, again.unchanged, again.removed) == (0, 2, 0)
    write(tmp_path / "d" / "more.md", "more")
    index_folder(retriever, tmp_path / "d")
    assert "d/more.md" in ids(retriever)


def test_a_name_that_begins_an_id_already_is_not_taken(tmp_path):
    write(tmp_path / "one" / "two" / "page.md", "one")
    write(tmp_path / "two" / "page.md", "two")
    retriever = open_graph()
    index_paths(retriever, [tmp_path / "one", tmp_path / "two"])
    index_folder(retriever, tmp_path / "two")
    assert [(d.id, d.source) for d in list_documents(retriever)] == [
        ("two/page.md", str(tmp_path / "one" / "two" / "page.md"))
    ]


def test_a_folder_inside_another_is_part_of_it_whichever_comes_first(tmp_path):
    write(tmp_path / "outer" / "page.md", "outer")
    write(tmp_path / "outer" / "inner" / "page.md", "inner")
    retriever = open_graph()
    index_folder(retriever, tmp_path / "outer")
    report = index_folder(retriever, tmp_path / "outer" / "inner")
    assert (report.unchanged, report.removed) == (1, 0) and ids(retriever) == ["inner/page.md", "page.md"]
    retriever = open_graph()
    index_folder(retriever, tmp_path / "outer" / "inner")
    report = index_folder(retriever, tmp_path / "outer")
    assert (report.added, report.unchanged) == (1, 1) and ids(retriever) == ["outer/page.md", "page.md"]


def test_a_folder_that_was_moved_keeps_its_names(tmp_path):
    write(tmp_path / "here" / "notes" / "a.md", "# A")
    write(tmp_path / "wiki" / "a.md", "# A")
    retriever = open_graph()
    index_paths(retriever, [tmp_path / "here" / "notes", tmp_path / "wiki"])
    (tmp_path / "here").rename(tmp_path / "there")
    report = index_folder(retriever, tmp_path / "there" / "notes")
    assert not report.problems and ids(retriever) == ["a.md", "wiki/a.md"]
    assert list_documents(retriever, ids=["a.md"])[0].source == str(tmp_path / "there" / "notes" / "a.md")


def test_links_lead_from_folder_to_folder(tmp_path):
    write(tmp_path / "one" / "a.md", "[b](../two/sub/b.md) and [nobody](../three/c.md)")
    write(tmp_path / "two" / "sub" / "b.md", "[root](/top.md), [[sub/c]]")
    write(tmp_path / "two" / "sub" / "c.md", "c")
    write(tmp_path / "two" / "top.md", "top")
    retriever = open_graph()
    index_paths(retriever, [tmp_path / "one", tmp_path / "two"])
    edges = {(e.source, e.target) for e in retriever.edges(ids(retriever))}
    assert edges == {("a.md", "two/sub/b.md"), ("two/sub/b.md", "two/top.md"), ("two/sub/b.md", "two/sub/c.md")}


@pytest.mark.parametrize("later", ["two", "."])
def test_links_lead_to_a_folder_that_comes_later(tmp_path, later):
    write(tmp_path / "one" / "a.md", "[b](../two/sub/b.md#part), [root](../two/top.md) and [nobody](../three/c.md)")
    write(tmp_path / "two" / "sub" / "b.md", "[a](../../one/a.md)")
    write(tmp_path / "two" / "top.md", "top")
    grown, fresh = open_graph(), open_graph()
    index_folder(grown, tmp_path / "one")
    index_folder(grown, tmp_path / later)
    index_paths(fresh, [tmp_path / "one", tmp_path / later])
    edges = grown.edges(ids(grown))
    assert [edge.type for edge in edges].count("relates_to") == 3 and edges == fresh.edges(ids(fresh))


def test_a_file_of_an_earlier_version_keeps_its_names(tmp_path):
    write(tmp_path / "one" / "a.md", "# A")
    write(tmp_path / "two" / "a.md", "# A")
    retriever = open_graph()
    given = [("a.md", "one/a.md"), ("https://x.org/a", "https://x.org/a"), ("mine", "people.md")]
    add_documents(retriever, [Document(i, "x", source=s if "//" in s else str(tmp_path / s)) for i, s in given])
    index_folder(retriever, tmp_path / "one")
    index_folder(retriever, tmp_path / "two")
    assert ids(retriever) == ["a.md", "https://x.org/a", "mine", "two/a.md"]
    assert json.loads(retriever.backend.meta(SETTING)) == {str(tmp_path / "one"): "", str(tmp_path / "two"): "two/"}


def test_corpora_of_two_folders_do_not_take_each_other_s_documents(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name / "corpus.jsonl", '{"_id": "1", "text": "' + name + '", "source": "https://x.org"}')
        write(tmp_path / name / "queries.jsonl", "")
    retriever = open_graph()
    assert index_paths(retriever, [tmp_path / "one", tmp_path / "two"]).added == 2
    assert ids(retriever) == ["1", "two/1"]
    assert retriever.get(["1"])[0].metadata == {"source": "https://x.org"}
    write(tmp_path / "two" / "corpus.jsonl", '{"_id": "2", "text": "two"}')
    assert index_folder(retriever, tmp_path / "two").removed == 1 and ids(retriever) == ["1", "two/2"]


def test_the_ids_of_a_corpus_are_within_its_folder_and_one_that_comes_twice_is_reported(tmp_path):
    write(tmp_path / "a" / "corpus.jsonl", '{"_id": "1", "text": "one"}\n{"_id": "1", "text": "again"}')
    write(tmp_path / "b" / "corpus.jsonl", '{"_id": "1", "text": "two"}\n{"_id": "page.md", "text": "taken"}')
    write(tmp_path / "b" / "page.md", "a page")
    write(tmp_path / "a" / "queries.jsonl", "")
    write(tmp_path / "b" / "queries.jsonl", "")
    retriever = open_graph()
    first = index_folder(retriever, tmp_path)
    assert index_folder(retriever, tmp_path).problems == first.problems
    one, two = (f"{tmp_path}/{name}/corpus.jsonl" for name in "ab")
    assert [str(problem) for problem in first.problems] == [
        f"{one}: the id 'a/1' is that of a document of {one}.",
        f"{tmp_path}/b/page.md: the id 'b/page.md' is that of a document of {two}.",
    ]
    assert ids(retriever) == ["a/1", "b/1", "b/page.md"] and retriever.get(["a/1"])[0].text == "one"


def test_the_links_of_a_corpus_lead_to_its_documents_in_whatever_folder_it_lies(tmp_path):
    lines = [{"_id": "a", "text": "x", "links": ["b"]}, {"_id": "b", "text": "y", "links": ["A page", "page.md"]}]
    write(tmp_path / "one" / "page.md", "# A page")
    write(tmp_path / "two" / "corpus.jsonl", "\n".join(map(json.dumps, lines)))
    write(tmp_path / "two" / "queries.jsonl", "")
    retriever = open_graph()
    index_paths(retriever, [tmp_path / "one", tmp_path / "two"])
    edges = {(edge.source, edge.target) for edge in retriever.edges(ids(retriever))}
    assert edges == {("two/a", "two/b"), ("two/b", "page.md")}


def test_another_process_may_read_the_same_folder_at_the_same_time(tmp_path):
    write(tmp_path / "one" / "a.md", "# A")
    path = tmp_path / "g.db"
    embedder = lambda texts: [[1.0, 2.0] for _ in texts]  # noqa: E731
    with Retriever(path, embedder=embedder) as one, Retriever(path, embedder=embedder) as two:
        report = index_folder(
            one, tmp_path / "one", progress=lambda done, total: done or index_folder(two, tmp_path / "one")
        )
        assert report.passed_over == [] and ids(two) == ["a.md"]


def test_another_process_that_adds_a_folder_meanwhile_is_noticed(tmp_path):
    write(tmp_path / "one" / "a.md", "# A")
    write(tmp_path / "two" / "a.md", "# A")
    path = tmp_path / "g.db"
    embedder = lambda texts: [[1.0, 2.0] for _ in texts]  # noqa: E731
    with Retriever(path, embedder=embedder) as one, Retriever(path, embedder=embedder) as two:

        def meanwhile(done, total):
            if not done:
                index_folder(two, tmp_path / "two")

        with pytest.raises(InvalidValueError, match="Another process"):
            index_folder(one, tmp_path / "one", progress=meanwhile)
        index_folder(one, tmp_path / "one")
        assert ids(one) == ["a.md", "one/a.md"]


def test_what_is_nowhere_is_refused():
    with pytest.raises(InvalidValueError, match="neither a folder nor a file"):
        index_paths(open_graph(), ["/nowhere/at/all"])


def test_the_root_of_all_folders_is_a_root():
    roots = Roots().including("/", [])
    assert roots.id_of("/etc/passwd") == "etc/passwd" and roots.id_of("/") is None
    assert Roots({"/a": ""}).id_of("/ab/c") is None
    assert Roots({"/usr": ""}).including("/", []).prefixes == {"/usr": "", "/": "root/"}


def test_what_a_moved_folder_no_longer_holds_is_gone(tmp_path):
    write(tmp_path / "here" / "one.md", "# One")
    write(tmp_path / "here" / "secret.md", "# Secret")
    retriever = open_graph()
    index_folder(retriever, tmp_path / "here")
    (tmp_path / "here").rename(tmp_path / "there")
    (tmp_path / "there" / "secret.md").unlink()
    report = index_folder(retriever, tmp_path / "there")
    assert report.removed == 1 and ids(retriever) == ["one.md"]
    assert index_folder(retriever, tmp_path / "there").unchanged == 1


def test_another_folder_does_not_take_the_place_of_one_that_is_away(tmp_path):
    write(tmp_path / "disk" / "a.md", "# A")
    write(tmp_path / "notes" / "b.md", "# B")
    retriever = open_graph()
    index_folder(retriever, tmp_path / "disk")
    (tmp_path / "disk").rename(tmp_path / "unmounted")
    assert index_folder(retriever, tmp_path / "notes").removed == 0
    (tmp_path / "unmounted").rename(tmp_path / "disk")
    assert index_folder(retriever, tmp_path / "disk").unchanged == 1
    assert ids(retriever) == ["a.md", "notes/b.md"]
