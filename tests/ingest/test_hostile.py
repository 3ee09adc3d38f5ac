"""A folder of hostile files: each is read whole, or passed over with its reason, and none takes another with it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.ingest import Document, IngestConfig, add_documents, delete_documents, index_folder, list_documents
from fourfold.ingest.readers import READERS
from fourfold.ingest.readers.html import parse_html
from fourfold.ingest.readers.markdown import parse_markdown
from fourfold.ingest.walk import content

pytest.importorskip("typer")

BOMB = "a: &a [x, x]\n" + "".join(
    f"{n}: &{n} [*{m}, *{m}, *{m}]\n" for m, n in zip("abcdefghijk", "bcdefghijkl", strict=True)
)

WITH_FAULTS = {
    "no_such_day.md": "---\ndate: 2023-02-30\n---\ntext",
    "no_such_character.md": '---\na: "\\U00110000"\n---\ntext',
    "half_a_character.md": '---\na: "\\ud800"\n---\ntext',
    "long_number.md": f"---\na: {'9' * 5000}\n---\ntext",
    "sexagesimal.md": f"---\na: {'1' + ':1' * 8000}\n---\ntext",
    "infinite.md": "---\na: .inf\n---\ntext",
    "empty_int.md": '---\na: !!int ""\n---\ntext',
    "brackets.md": f"---\na: {'[' * 5000}\n---\ntext",
    "closed_brackets.md": f"---\na: {'[' * 5000}{']' * 5000}\n---\ntext",
    "braces.md": f"---\na: {'{a: ' * 200}1{'}' * 200}\n---\ntext",
    "circle.md": "---\na: &a [*a]\n---\ntext",
    "bomb.md": f"---\n{BOMB}---\ntext",
    "long_front_matter.md": f"---\na: {'x' * 100_000}\n---\ntext",
    "python.md": "---\na: !!python/object/apply:os.system ['true']\n---\ntext",
}
LEFT_OUT = {
    "bytes.md": b"\xff\xfa\x80",
    "empty.md": "",
    "blank.html": "<script>only()</script>",
}
READ = {
    "good.md": "# Good\n\nIt names Other and [other](other.txt).",
    "other.txt": "Other.",
    "nul_link.md": "[x](a%00b.md) [y](../../../../etc/passwd) [[a\x00b]] and [z](http://[::1)",
    "nul.txt": "before\x00after",
    "section.html": "<p>here</p><![foo>there<![CDATA[x]]>",
    "nested.html": "<b>x" * 60_000,
    "unclosed_tags.html": "text" + "<a " * 100_000,
    "unclosed_comments.html": "text" + "<!--" * 100_000,
    "links.md": "[" * 20_000,
    "quotes.md": "> " * 5_000 + "x",
    "lists.md": "- " * 5_000 + "x",
    "title.md": f"# {'word ' * 40_000}\n\n{'A sentence. ' * 5_000}",
    "deepest/of/all.md": "deep",
}


@pytest.fixture
def hostile(tmp_path):
    folder = tmp_path / "folder"
    for name, text in {**WITH_FAULTS, **LEFT_OUT, **READ}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.mkfifo(folder / "pipe.md")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "secret.md").symlink_to(tmp_path / "outside" / "secret.md")
    (folder / "outside").symlink_to(tmp_path / "outside")
    (folder / "nowhere.md").symlink_to("nothing")
    (folder / "ring.md").symlink_to("ring.md")
    return folder


def test_each_hostile_file_is_named_with_its_reason_and_the_others_are_read(hostile, tmp_path):
    command = [sys.executable, "-m", "fourfold", "index", str(hostile), "--db", str(tmp_path / "g.sqlite"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)  # the old reader took hours, or hung
    assert done.returncode == 0, done.stderr
    problems = {problem["where"]: problem["what"] for problem in json.loads(done.stdout)["problems"]}
    links = ["pipe.md", "zero.md", "secret.md", "outside", "nowhere.md", "ring.md"]
    assert sorted(problems) == sorted(str(hostile / name) for name in [*WITH_FAULTS, *LEFT_OUT, *links])
    assert all(len(what) < 500 and what.endswith(".") for what in problems.values())
    with Retriever(tmp_path / "g.sqlite", read_only=True) as retriever:
        assert sorted(d.id for d in list_documents(retriever)) == sorted([*WITH_FAULTS, *READ])
        assert {e.target for e in retriever.edges(["good.md"])} == {"other.txt"}


def test_what_is_no_regular_file_is_said(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.md"))
        report = index_folder(open_graph(), tmp_path)
    assert [p.what.split(",")[0] for p in report.problems] == ["it is a named pipe", "it is a socket"]


def open_graph() -> Retriever:
    return Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])


def test_folders_that_are_nested_too_deep_are_named_and_those_above_are_read(tmp_path):
    (tmp_path / "top.md").write_text("top")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_100):  # the whole path is longer than the system takes at once
        os.mkdir("below", dir_fd=here)
        below = os.open("below", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    retriever = open_graph()
    report = index_folder(retriever, tmp_path)
    subprocess.run(["rm", "-r", str(tmp_path / "below")], check=True)  # what cleans up after tests recurses
    assert sorted(retriever.manifest()) == ["top.md"]
    assert [p.what for p in report.problems] == ["the folder lies more than 100 folders deep; it is not read."]


def test_links_among_siblings_read_every_file_once(tmp_path):
    for name in "abcdefghij":  # followed one through the other, ten siblings are 10! ways
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(name)
        for other in "abcdefghij":
            (tmp_path / name / f"to_{other}").symlink_to(tmp_path / other)
    retriever = open_graph()
    report = index_folder(retriever, tmp_path)
    assert sorted(retriever.manifest()) == [f"{name}/page.md" for name in "abcdefghij"]
    assert len(report.problems) == 100 and all("met in its own place" in p.what for p in report.problems)


def test_a_link_is_followed_to_what_has_no_place_of_its_own_and_out_of_the_folder_only_if_asked(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / ".hidden").mkdir(parents=True)
    (root / ".hidden" / "shown.md").write_text("shown")
    (root / "docs").symlink_to(root / ".hidden")
    (root / "README.md").symlink_to("README")
    (root / "README").write_text("read me")
    (root / "out").symlink_to(outside)
    (outside / "again").mkdir(parents=True)
    (outside / "again" / "back").symlink_to(root)
    (outside / "again" / "far.md").write_text("far")
    retriever = open_graph()
    report = index_folder(retriever, root)
    assert sorted(retriever.manifest()) == ["README.md", "docs/shown.md"]
    (problem,) = report.problems
    assert problem.where == str(root / "out") and f"out of the folder, to {outside}" in problem.what
    index_folder(retriever, root, follow_links=True)
    assert sorted(retriever.manifest()) == ["README.md", "docs/shown.md", "out/again/far.md"]


def test_a_reader_that_fails_in_any_way_passes_its_file_over(tmp_path, monkeypatch):
    def fail(text):
        raise AssertionError("odd\nbytes")

    monkeypatch.setattr("fourfold.ingest.files.READERS", {**READERS, ".text": fail})
    (tmp_path / "a.text").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    retriever = open_graph()
    (problem,) = index_folder(retriever, tmp_path).problems
    assert problem.what == "the file cannot be read: AssertionError: odd bytes." and [*retriever.manifest()] == [
        "b.txt"
    ]


def test_a_problem_shows_no_control_characters(tmp_path):
    (tmp_path / "a\x1b[31m\n.md").write_text("")
    report = index_folder(open_graph(), tmp_path)
    assert "\\x1b[31m\\n.md: the file is empty." in str(report) and "\x1b" not in str(report)


def test_a_long_title_or_heading_is_not_repeated_in_full_by_every_chunk():
    long = "word " * 20_000
    retriever = open_graph()
    parsed = parse_markdown(f"# {long}\n\n## {long}\n\n" + "### Below\n\nA sentence.\n\n" * 1_000)
    given = [Document("a", parsed.text, long, sections=parsed.sections), Document("b", f"names {long}")]
    assert not add_documents(retriever, given, config=IngestConfig(whole_length=60, chunk_length=30)).problems
    names = [node.name for node in retriever.get(retriever.manifest())]
    assert sum(map(len, names)) < len(long) + 700 * len(names)


def test_one_long_link_that_is_said_often_is_kept_once(tmp_path):
    """Its target was made anew for each time: 5 MB of Markdown filled more than 6 GB."""
    (tmp_path / "a.md").write_text(f"[a]: {'x' * 5_000}\n\n{'[a] ' * 20_000}")
    tracemalloc.start()
    try:
        index_folder(open_graph(), tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()


def test_html_reports_as_much_as_it_says():
    assert parse_html("<b>x" * 3).text == "xxx"
    assert parse_html("<title>A <b>b</b></title><style>p{}</style><p>c &amp; d<noscript>n</noscript>").text == "c & d"
    assert "Unexpected end tag : div" in (parse_html("x</div>" * 9).problem or "")


def test_sections_are_cut_where_the_headings_are_whatever_ends_a_line():
    parsed = parse_markdown("one\x0ctwo\u2028three\r# First\rtext\r\n## Second\nmore")
    assert [section.heading for section in parsed.sections] == ["", "", "Second"]
    assert [section.text.split()[-1] for section in parsed.sections] == ["three", "text", "more"]


def test_names_that_no_document_can_bear_are_no_links_and_what_is_no_name_is_reported():
    retriever = open_graph()
    given = [
        Document("a", "x", links=("b\x00c", "\ud800", "b")), Document("b", "x", aliases=("\x00", "\udfff", "bee")),
        Document("c\x00d", "x"), Document("e", "x", source="\x00"), Document("f", "x", links=(5,)),
    ]  # fmt: skip
    report = add_documents(retriever, given)
    assert len(report.problems) == 3 and report.added == 2
    assert retriever.edges(["a"]) == [Edge("a", "b", "relates_to")]


def test_a_document_that_is_deleted_like_a_node_takes_its_chunks_along():
    retriever = open_graph()
    small = IngestConfig(whole_length=60, chunk_length=30)
    text = "\n\n".join(f"Paragraph {n} about badgers." for n in range(6))
    add_documents(retriever, [Document("doc", text, "Badgers"), Document("other", text)], config=small)
    retriever.add([Node("doc#99", text="badgers that came by themselves")])
    assert retriever.delete("doc") == 1
    assert not [hit for hit in retriever.search("badgers", k=50).ids if hit.startswith("doc#") and hit != "doc#99"]
    assert retriever.get(["doc#0"]) == [] and "doc#99" in retriever.manifest() and "other#5" in retriever.manifest()
    assert delete_documents(retriever, ["doc"]) == 0
    assert add_documents(retriever, [Document("doc", text, "Badgers")]).added == 1
    assert [node.id for node in retriever.context("doc#0", after=1)] == ["doc#0", "doc#1"]


def test_no_more_of_a_file_is_read_than_the_limit_whatever_length_it_says(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x" * 100)
    assert content(tmp_path / "a.txt", 100) == b"x" * 100
    with pytest.raises(InvalidValueError, match=r"has 100 bytes, more than max_bytes=99"):
        content(tmp_path / "a.txt", 99)
    unsaid = Path("/proc/self/status")  # says that it has no bytes
    if unsaid.exists():
        assert content(unsaid, 100_000).startswith(b"Name:")
        with pytest.raises(InvalidValueError, match=r"has 11 bytes, more than max_bytes=10"):
            content(unsaid, 10)
