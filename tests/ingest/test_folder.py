"""Folders: what becomes of a file, reading only what changed, and files that cannot be read."""

from __future__ import annotations

import errno
import os

import pytest

from fourfold import InvalidValueError, Retriever
from fourfold.ingest import IngestConfig, delete_documents, index_folder, index_paths, list_documents

PAGE = """---
title: Badgers
tags: [mammal]
seen: 2024-05-01
---
# A page

See [the foxes](../foxes.md#den) and [[Old Owl|him]], not [that](https://example.org/) or `[[code]]`.

## Food

They eat worms.

### At night

And roots.
"""


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0 + len(t) % 7, sum(map(ord, t)) % 11, t.count("o") + 0.5] for t in texts]


def open_graph() -> Retriever:
    return Retriever(":memory:", embedder=embed)


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_md", ".md").replace("_txt", ".txt").replace("_html", ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def assert_same(one, other):
    assert one.manifest() == other.manifest()
    assert one.edges(sorted(one.manifest())) == other.edges(sorted(other.manifest()))
    scores = [{h.node.id: h.score for h in r.search("badgers eat foxes", k=1000)} for r in (one, other)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_a_markdown_file_becomes_a_document(tmp_path):
    write(tmp_path, sub__page_md=PAGE, foxes_md="# Foxes\nred", sub__old_owl_txt="An owl.")
    retriever = open_graph()
    report = index_folder(retriever, tmp_path)
    assert not report.problems and report.added == 3
    (node,) = retriever.get(["sub/page.md"])
    assert node.name == "Badgers" and node.text.startswith("# A page") and "title:" not in node.text
    assert node.metadata["tags"] == ["mammal"] and node.metadata["seen"] == "2024-05-01"
    assert node.metadata["source"] == (tmp_path / "sub/page.md").as_posix()
    links = {(e.source, e.target) for e in retriever.edges(["sub/page.md"]) if e.type == "relates_to"}
    assert links == {("sub/page.md", "foxes.md"), ("sub/page.md", "sub/old_owl.txt")}


def test_front_matter_may_name_a_file_by_a_number_and_by_one_alias(tmp_path):
    write(
        tmp_path, novel_md="---\ntitle: 1984\naliases: The Last Man\n---\n# Part one", a_md="[[the last man]], [[1984]]"
    )
    retriever = open_graph()
    index_folder(retriever, tmp_path)
    assert retriever.get(["novel.md"])[0].name == "1984"
    assert [edge.target for edge in retriever.edges(["a.md"])] == ["novel.md"]


def test_a_long_markdown_file_is_cut_at_its_headings(tmp_path):
    write(tmp_path, page_md=PAGE)
    retriever = open_graph()
    index_folder(retriever, tmp_path, config=IngestConfig(whole_length=50, chunk_length=130))
    chunks = retriever.context("page.md#0", after=9)
    assert [c.name for c in chunks] == ["Badgers", "Badgers › Food"]
    assert "worms" in chunks[1].text and "roots" in chunks[1].text
    assert chunks[1].metadata["tags"] == ["mammal"]


def test_a_second_run_reads_only_what_changed_and_answers_like_a_fresh_one(tmp_path):
    write(tmp_path, **{f"n{i}_md": f"# Note {i}\nbadgers eat Note {(i + 1) % 9}" for i in range(9)})
    retriever = open_graph()
    index_folder(retriever, tmp_path)
    write(tmp_path, n1_md="# Note one\nchanged, of foxes", n9_md="# Foxes\nnew, names Note 3")
    (tmp_path / "n3.md").unlink()
    seen = []
    report = index_folder(retriever, tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert (report.added, report.unchanged, report.removed) == (2, 7, 1)
    assert seen[-1] == (9, 9)
    fresh = open_graph()
    index_folder(fresh, tmp_path)
    assert_same(retriever, fresh)


def test_every_bad_file_is_reported_once_with_its_path_and_the_others_are_read(tmp_path):
    write(
        tmp_path, good_md="fine", bytes_txt=b"\xff\xfa\x00bad\x80", empty_md="", blank_md="\n \n", big_txt="x " * 600,
        broken_html="<html><title>Oops</title><div><p>Still read <b>this</div></section>", yaml_md="---\na: [\n---\nx",
        nothing_html="<script>only()</script>", same__good_md="fine", utf16_txt="wide".encode("utf-16"),
    )  # fmt: skip
    os.symlink(tmp_path, tmp_path / "same" / "loop")
    os.symlink("ring.md", tmp_path / "ring.md")
    retriever = open_graph()
    report = index_folder(retriever, tmp_path, max_bytes=1000)
    read = ["broken.html", "good.md", "same/good.md", "utf16.txt", "yaml.md"]
    assert sorted(d.id for d in list_documents(retriever)) == read
    bad = [
        "bytes.txt",
        "empty.md",
        "blank.md",
        "big.txt",
        "broken.html",
        "yaml.md",
        "nothing.html",
        "same/loop",
        "ring.md",
    ]
    assert sorted(p.where for p in report.problems) == sorted(str(tmp_path / name) for name in bad)
    (html,) = retriever.get(["broken.html"])
    assert html.name == "Oops" and html.text == "Still read this"


def test_a_file_that_can_no_longer_be_read_goes_and_comes_back(tmp_path):
    write(tmp_path, a_txt="one", b_txt="two")
    retriever = open_graph()
    index_folder(retriever, tmp_path)
    write(tmp_path, a_txt=b"\x80")
    assert index_folder(retriever, tmp_path).removed == 1
    write(tmp_path, a_txt="one")
    assert index_folder(retriever, tmp_path).added == 1


def test_two_folders_in_one_file_do_not_take_each_other_s_documents(tmp_path):
    write(tmp_path, one__a_txt="one", one__same_txt="one", two__b_txt="two", two__same_txt="two")
    retriever = open_graph()
    index_folder(retriever, tmp_path / "one")
    assert not index_folder(retriever, tmp_path / "two").problems
    assert index_folder(retriever, tmp_path / "one").unchanged == 2
    assert sorted(retriever.manifest()) == ["a.txt", "same.txt", "two/b.txt", "two/same.txt"]
    assert retriever.get(["same.txt"])[0].text == "one" and retriever.get(["two/same.txt"])[0].text == "two"
    assert delete_documents(retriever, sources=[str(tmp_path / "one/a.txt")]) == 1
    (tmp_path / "two/b.txt").unlink()
    assert index_folder(retriever, tmp_path / "two").removed == 1


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InvalidValueError, match="is no folder"):
        index_folder(open_graph(), tmp_path / "none")


def test_a_text_of_a_collection_that_became_empty_is_gone(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id":"q","text":"x"}\n')
    (tmp_path / "corpus.jsonl").write_text('{"_id":"1","text":"swordfish"}\n{"_id":"2","text":"other"}\n')
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    index_folder(retriever, tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"_id":"1","text":""}\n{"_id":"2","text":"other"}\n')
    assert index_folder(retriever, tmp_path).removed == 1
    assert [node.text for node in retriever.get(retriever.manifest())] == ["other"]


def test_of_a_name_without_end_a_reason_tells_the_beginning(tmp_path):
    deep = tmp_path / ("x" * 200) / ("y" * 200) / ("z" * 200)
    deep.mkdir(parents=True)
    (deep / "queries.jsonl").write_text('{"_id":"q","text":"x"}\n')
    (deep / "corpus.jsonl").write_text('{"_id":"d.md","text":"one"}\n')
    (deep / "d.md").write_text("fine")
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    report = index_folder(retriever, tmp_path)
    (problem,) = report.problems
    assert "is that of a document of" in problem.what and len(problem.what) < 700


def test_a_folder_that_became_empty_takes_nothing_away_unless_told(tmp_path):
    write(tmp_path, disk__a_txt="one", disk__b__c_txt="two", other__d_txt="three")
    retriever = open_graph()
    index_paths(retriever, [tmp_path / "disk", tmp_path / "other"])
    for name in ("a.txt", "b/c.txt"):
        (tmp_path / "disk" / name).unlink()  # as where a disk is not mounted
    with pytest.raises(InvalidValueError, match=r"2 documents of it; nothing was changed.*allow_empty"):
        index_paths(retriever, [tmp_path / "disk", tmp_path / "other"])
    assert sorted(retriever.manifest()) == ["a.txt", "b/c.txt", "other/d.txt"]
    assert index_folder(retriever, tmp_path / "other").unchanged == 1
    assert index_folder(retriever, tmp_path / "disk", allow_empty=True).removed == 2
    assert sorted(retriever.manifest()) == ["other/d.txt"]
    assert index_folder(retriever, tmp_path / "disk").removed == 0


def test_what_the_system_does_not_let_be_read_stays_as_it_was(tmp_path, monkeypatch):
    write(tmp_path, a_txt="one", b_txt="two", deep__er__c_txt="three", deep__d_txt="four", e_txt="five")
    retriever = open_graph()
    index_folder(retriever, tmp_path)
    write(tmp_path, b_txt="changed")
    (tmp_path / "e.txt").unlink()
    real, real_open = os.scandir, os.open

    def scandir(folder):
        if str(folder).endswith("er"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(folder)

    def no_descriptor(path, *options, **more):
        if str(path).endswith(".txt"):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real_open(path, *options, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", scandir)
        patched.setattr(os, "open", no_descriptor)
        report = index_folder(retriever, tmp_path)
    assert report.removed == 1 and len(report.problems) == 4
    assert sorted(retriever.manifest()) == ["a.txt", "b.txt", "deep/d.txt", "deep/er/c.txt"]
    report = index_folder(retriever, tmp_path)
    assert (report.added, report.unchanged, report.removed) == (1, 3, 0)
