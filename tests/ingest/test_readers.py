"""Each kind of file: what becomes of it, and what is said of one that is broken."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import textwrap
import zlib
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from growth import grows

from fourfold import InvalidValueError, Retriever
from fourfold.errors import MissingExtraError
from fourfold.ingest import IngestConfig, index_folder, list_documents, read_jsonl
from fourfold.ingest.readers import READ_APART, READERS
from fourfold.ingest.readers.apart import ReadersApart
from fourfold.ingest.readers.html import parse_html
from fourfold.ingest.readers.markdown import parse_markdown
from fourfold.ingest.readers.notebook import read_notebook
from fourfold.ingest.readers.parsed import NoTextError
from fourfold.ingest.readers.pdf import read_pdf
from fourfold.ingest.readers.python import read_python
from fourfold.ingest.readers.rst import parse_rst
from fourfold.ingest.readers.table import MOST_ROWS
from fourfold.ingest.readers.word import read_word

RST = """\
:author: Ann
:tags: one, two

.. _top:

==========
 A manual
==========

See `the guide <guide.html>`_, :doc:`sub/intro`, :doc:`More </other>` and :ref:`nothing <top>`.

.. include:: /etc/passwd
.. raw:: html
   :file: /etc/passwd

.. toctree::
   :maxdepth: 2

   first
   Second one <deep/second>
   glob*

Not an entry.

Setup
=====

.. versionadded:: 3.2
   Kept as it is.

Details
-------

.. _link: https://example.org/

Teardown
========

The end.
"""


def pdf(*pages: bytes, info: bytes = b"") -> bytes:
    """Return a PDF of which each page shows one content stream."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, stream in enumerate(pages):
        font = b"/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] %s /Contents %d 0 R >>" % (font, 5 + 2 * number)
        )
        data = zlib.compress(stream)
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(data), data))
    objects.append(b"<< %s >>" % info)
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (count + 1, count, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (count + 1) + table + trailer


def page(text: str) -> bytes:
    return b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text.encode()


def notebook(*cells: dict[str, object], **metadata: object) -> bytes:
    return json.dumps({"nbformat": 4, "cells": cells, "metadata": metadata}).encode()


def test_restructured_text():
    parsed = parse_rst(RST)
    assert parsed.title == "A manual" and parsed.text == RST.strip() and "root:" not in parsed.text
    assert parsed.metadata == {"author": "Ann", "tags": "one, two"}
    assert sorted(parsed.links) == [
        "/other.rst", "deep/second.rst", "first.rst", "guide.html", "https://example.org/", "sub/intro.rst",
    ]  # fmt: skip
    assert [(s.heading, s.text.splitlines()[0]) for s in parsed.sections] == [
        ("", ":author: Ann"), ("", "=========="), ("Setup", "Setup"), ("Setup › Details", "Details"),
        ("Teardown", "Teardown"),
    ]  # fmt: skip
    assert "".join(s.text for s in parsed.sections).strip() == parsed.text


def test_a_notebook():
    raw = {"cell_type": "raw", "source": "---\ntitle: Badgers\n---\n"}
    text = {"cell_type": "markdown", "source": ["# Intro\n", "See [[Foxes]] and [b](b.md)."]}
    code = {"cell_type": "code", "source": "print('# no heading')\n```", "outputs": [{"text": "secret output"}]}
    parsed = read_notebook(notebook(raw, text, code, {"cell_type": "code"}, language_info={"name": "python"}))
    assert parsed.title == "Badgers" and parsed.links == ["b.md"] and parsed.wiki_links == ["Foxes"]
    assert "````python\nprint('# no heading')\n```\n````" in parsed.text and "secret" not in parsed.text
    assert [s.heading for s in parsed.sections] == [""]
    old = {"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"input": "x = 1"}]}]}
    assert read_notebook(json.dumps(old).encode()).text == "## Old\n\nx = 1"


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"cells": 5}', b'{"cells": [5]}', b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}", b"\xff"]
)
def test_what_is_no_notebook(data):
    with pytest.raises((InvalidValueError, TypeError)):
        read_notebook(data)


def test_python():
    source = '''\
        # -*- coding: latin-1 -*-
        """Badgers\\d."""
        import os


        @os.cache
        class Badger(Base):
            """What digs.

            And more.
            """

            async def dig(self): ...


        def eat(worm):
            """Eat a worm."""
        '''
    parsed = read_python(textwrap.dedent(source).replace("worm)", "w\xf6rm)").encode("latin-1"))
    assert "wörm" in parsed.text and parsed.text.startswith("# -*-")
    assert [s.heading for s in parsed.sections] == ["", "class Badger: What digs.", "Badger.dig", "eat: Eat a worm."]
    assert parsed.sections[1].text.startswith("@os.cache\nclass Badger")
    assert "".join(s.text for s in parsed.sections).strip() == parsed.text.strip()


@pytest.mark.parametrize(
    "data", [b"print 'two'", b"a\0b", b"\xff", b"# coding: nothing\n", b"-" * 100_000 + b"1", b"1" + b"+1" * 100_000]
)
def test_what_is_no_python(data):
    with pytest.raises(InvalidValueError, match=r"no Python that can be read: .+\."):
        read_python(data)


def test_pdf():
    parsed = read_pdf(pdf(page("About badgers."), b"", page("They eat worms."), info=b"/Title (Badgers) /Author (Ann)"))
    assert (parsed.title, parsed.metadata) == ("Badgers", {"pages": 3, "author": "Ann"})
    assert [(s.heading, s.text) for s in parsed.sections] == [
        ("page 1", "About badgers.\n\n"),
        ("page 3", "They eat worms.\n\n"),
    ]
    assert parsed.text == "About badgers.\n\nThey eat worms." and parsed.problem is None
    assert read_pdf(pdf(page("x"), info=b"/Title (untitled)")).title == ""


def test_a_broken_page_does_not_take_the_others():
    whole = pdf(page("one"), page("two"))
    at = whole.rindex(b"/FlateDecode")
    parsed = read_pdf(whole[:at] + b"/NoSuchCodec" + whole[at + 12 :])
    assert parsed.text == "one" and (parsed.problem or "").startswith("1 of 2 pages cannot be read (page 2: ")


def test_where_no_page_of_a_pdf_can_be_read_the_reason_says_so():
    with pytest.raises(InvalidValueError, match=r"1 of 1 pages cannot be read \(page 1: "):
        read_pdf(pdf(page("one")).replace(b"/FlateDecode", b"/NoSuchCodec"))


@pytest.mark.parametrize("facts", [b"<< /Title 6 0 R >>", b"[1 2]", b"6 0 R"])
def test_broken_facts_do_not_take_the_pages_along(facts):
    parsed = read_pdf(pdf(page("About badgers.")).replace(b"6 0 obj\n<<  >>", b"6 0 obj\n" + facts))
    assert (parsed.text, parsed.title) == ("About badgers.", "")


def test_halves_of_characters_harm_no_other_text():
    codes = b"2 beginbfchar <0001> <D83D> <0002> <DE00> endbfchar"
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R >>"
    shown = b"BT /F1 12 Tf <0001000200010001> Tj ET"
    whole = pdf(shown).replace(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", font)
    parsed = read_pdf(whole + b"\n7 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(codes), codes))
    assert parsed.text == parsed.sections[0].text.strip() == "\U0001f600\ufffd\ufffd"
    assert (
        read_notebook(notebook({"cell_type": "markdown", "source": "a\ud83d\ude00b\ud83d"})).text
        == "a\U0001f600b\ufffd"
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(encoding):
    assert READERS[".txt"]("zebra é".encode(encoding)).text == "zebra é"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["zebra é", "Māori Ā “quoted”", "Привет, мир", "γειά σου", "สวัสดี ครับ"])
def test_utf_16_is_read_without_a_byte_order_mark(text, encoding):
    assert READERS[".txt"](text.encode(encoding)).text == text
    with pytest.raises(InvalidValueError, match=r"no UTF-16-.E text"):
        READERS[".txt"]((9 * text).encode(encoding)[:-1])


WORD = """<w:document xmlns:w="w" xmlns:r="r"><w:body>
<w:p><w:pPr><w:pStyle w:val="Titel"/></w:pPr><w:r><w:t>Travel</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">For </w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:t>all</w:t></w:r></w:hyperlink>
<w:del><w:r><w:delText>some</w:delText></w:r></w:del><w:ins><w:r><w:tab/><w:t>of us.</w:t></w:r></w:ins></w:p>
<w:sdt><w:sdtContent><w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>Hotels</w:t></w:r></w:p>
</w:sdtContent></w:sdt>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>City</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Limit</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>Bern</w:t></w:r></w:p><w:p><w:r><w:t>(CH)</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r>
<w:t>240</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"""
STYLES = """<w:styles xmlns:w="w"><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="U1"><w:name w:val="heading 2"/></w:style>
<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="U1"/></w:style>
<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>
</w:styles>"""


def word(document: str = WORD, styles: str = STYLES) -> bytes:
    """Return a .docx with a footnote."""
    kinds = {"styles": "styles.xml", "footnotes": "/word/footnotes.xml"}
    parts = "".join(f'<R Id="{kind}" Type="t/{kind}" Target="{target}"/>' for kind, target in kinds.items())
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", '<R><R Type="t/officeDocument" Target="word/document.xml"/><R '
                         'Type="t/core-properties" Target="docProps/core.xml"/></R>')  # fmt: skip
        archive.writestr("docProps/core.xml", '<c xmlns:d="d"><d:title>Memo</d:title><d:creator>Ann</d:creator></c>')
        link = '<R Id="rId9" Type="t/hyperlink" Target="All%20of%20us.docx" TargetMode="External"/>'
        archive.writestr("word/_rels/document.xml.rels", f"<R>{parts}{link}</R>")
        archive.writestr("word/document.xml", document)
        archive.writestr("word/styles.xml", styles)
        archive.writestr("word/footnotes.xml", '<w:f xmlns:w="w"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:f>')
    return out.getvalue()


def test_word():
    parsed = read_word(word())
    assert parsed.text == "Travel\n\nFor all\tof us.\n\nHotels\n\nCity | Limit\nBern (CH) | 240\n\nA note."
    assert (parsed.title, parsed.metadata, parsed.links) == ("Travel", {"author": "Ann"}, ["All%20of%20us.docx"])
    assert [section.heading for section in parsed.sections] == ["", "Hotels"]
    assert read_word(word(WORD.replace("Titel", "Other"))).title == "Memo"


def test_tables_of_word_within_others_and_in_controls():
    """What a table within a cell says was said twice, and rows in a content control were left out."""
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p>{}</w:tc>"
    inner = f"<w:tbl><w:tr>{cell.format('one', '')}{cell.format('two', '')}</w:tr></w:tbl>"
    row = f"<w:tr>{cell.format('outer', inner)}{cell.format('last', '')}</w:tr>"
    table = f"<w:tbl>{row}<w:sdt><w:sdtContent>{row}</w:sdtContent></w:sdt></w:tbl>"
    body = f'<w:document xmlns:w="w"><w:body>{table}</w:body></w:document>'
    assert read_word(word(body)).text == "outer one two | last\nouter one two | last\n\nA note."


def test_word_that_is_none_or_unpacks_to_too_much():
    encrypted = b"\xd0\xcf\x11\xe0" + bytes(600)
    nothing = io.BytesIO()
    ZipFile(nothing, "w").close()
    for data, why in ((b"PK", "no .docx"), (encrypted, "password"), (nothing.getvalue(), "no .docx")):
        with pytest.raises(InvalidValueError, match=why):
            read_word(data)
    bomb = word(styles="<w>" + " " * 100_000_001 + "</w>")
    assert len(bomb) < 200_000
    with pytest.raises(InvalidValueError, match=r"word/styles.xml in the file unpacks to more than 100,000,000 bytes"):
        read_word(bomb)
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    laughs = f'<!DOCTYPE w [<!ENTITY e0 "haha">{entities}]>{WORD.replace("Travel", "&e9;")}'
    with contextlib.suppress(Exception):
        assert "haha" not in read_word(word(laughs)).text


MAIL = b"""From: =?utf-8?q?Fran=C3=A7ois?= <f@x.example>\r\nTo: sales@x.example\r\nSubject: Two of them\r
Date: Wed, 14 Jan 2026 15:02:00 +0100\r\nMessage-ID: <2@x>\r\nIn-Reply-To: <1@x>\r\nMIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=latin-1\r\n\r
<p>We <b>need</b> two.</p><p>Caf\xe9</p>\r\n--b\r\nContent-Type: text/csv\r
Content-Disposition: attachment; filename=list.csv\r\n\r\na,b\r\n--b--\r\n"""


def test_a_mail_and_the_one_it_answers(tmp_path):
    parsed = READERS[".eml"](MAIL)
    head = "From: François <f@x.example>\nTo: sales@x.example\nDate: Wed, 14 Jan 2026 15:02:00 +0100\n"
    assert parsed.text == f"{head}Attachment: list.csv\n\nWe need two.\n\nCafé"
    assert parsed.title == "Two of them" and parsed.metadata["date"] == "2026-01-14T15:02:00+01:00"
    (tmp_path / "two.eml").write_bytes(MAIL)
    (tmp_path / "one.eml").write_bytes(b"From: a@x\nMessage-ID: <1@x>\n\nWhat do you need?\n")
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    index_folder(retriever, tmp_path)
    assert [(e.source, e.target, e.type) for e in retriever.edges(["two.eml"])] == [
        ("two.eml", "one.eml", "relates_to")
    ]
    with pytest.raises(InvalidValueError, match="neither a sender nor a subject"):
        READERS[".eml"](b"hello")


def test_a_mail_of_a_charset_that_nobody_knows_is_read():
    """It was left out as broken, for "unknown encoding: unknown-8bit"."""
    for charset in (b"unknown-8bit", b"idna"):
        mail = b"From: a@x\nContent-Type: text/plain; charset=%s\n\nTwo tents, caf\xe9.\n" % charset
        assert READERS[".eml"](mail).text == "From: a@x\n\nTwo tents, caf\N{REPLACEMENT CHARACTER}."


def test_a_table_of_things_is_a_line_for_each_row():
    read = READERS[".csv"]
    assert (
        read(b'id;name;boss\n1;Ann;\n2;"Bob;\nB.";Ann\n').text == "id: 1, name: Ann\n\nid: 2, name: Bob; B., boss: Ann"
    )
    assert read(b"Region,2025,2026\nNorth,1,2\n").text == "Region: North, 2025: 1, 2026: 2"
    assert read("\ufeffname\tprice\nBoot\t9\textra".encode()).text == "name: Boot, price: 9, extra"
    edges = (
        "a,likes,b",
        "a,likes,b\nc,likes,d",
        "source,type,target\nann,likes,bob",
        "query-id,score\nq1,1",
        "1,Ann\n2,Bob",
    )
    for data in (*edges, "name,n\n" + "Ann,1\n" * 10_001):
        with pytest.raises(NoTextError, match=r"edges are read where|make a node of each row"):
            read(data.encode())


def test_a_wide_and_long_table_takes_no_more_time_than_its_cells():
    """Every name was looked for in every row, however few cells that had: 5 MB took days."""

    def make(length):
        return f"name{',a' * length}\n" + "some word\n" * min(length, MOST_ROWS)

    assert grows(lambda text: READERS[".csv"](text.encode()), make, bounded=False) is None


def test_a_table_whose_columns_have_long_names_says_them_so_often_as_there_is_room():
    data = f"{','.join(letter * 100_000 for letter in 'ab')}\n" + "xx,yy\n" * 300
    with pytest.raises(InvalidValueError, match=r"more than 50,000,000 characters; it is left out\."):
        READERS[".csv"](data.encode())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Sales, north\n\nid;name;paid\n1;Ann;9,50\n", "Sales, north\n\nid: 1, name: Ann, paid: 9,50"),
        ("Sales,,\n,,\nRegion,Lead,Q1\nNorth,Ann,1\n", "Sales\n\nRegion: North, Lead: Ann, Q1: 1"),
        ("Made on,1 May,\nBy,Bob\n\nRow,Who,Sum\n7,Ann,1\n", "Made on, 1 May\n\nBy, Bob\n\nRow: 7, Who: Ann, Sum: 1"),
        ("sep=;\r\nname;city\r\nAnn;Oslo, north\r\n", "name: Ann, city: Oslo, north"),
        ("name|city\nAnn|Oslo\n", "name: Ann, city: Oslo"),
        ("Region,1st half,2nd half\nNorth,1,2\n", "Region: North, 1st half: 1, 2nd half: 2"),
        (",city,land\nann,Bergen,Norway\n", "ann, city: Bergen, land: Norway"),
    ],
)
def test_a_table_has_captions_above_the_names_of_its_columns(data, text):
    """With a caption, a table was passed over, or the caption had named the first column and parted the cells."""
    assert READERS[".csv"](data.encode()).text == text


def test_a_row_of_a_table_in_html_is_a_line():
    rows = "<table><tr><th>System<th>Kept<tr><td><p>ERP</p><td><ul><li>90<li>days</ul></table>"
    assert parse_html(f"a{rows}b").text == "a\n\nSystem | Kept\n\nERP | 90 days\n\nb"
    page = f"<table><tr><td>Menu<td><h1>Page</h1><p>{'x ' * 600}</p><tr><td>one<td>{rows}</table>"
    assert parse_html(page).text.startswith("Menu\n\nPage\n\nx x")


@pytest.mark.parametrize("text", ["before\0after", "a\nb\nc\n", "\0\0\0\0"])
def test_a_text_that_holds_a_nul_is_no_utf_16(text):
    assert READERS[".txt"](text.encode()).text == text


@pytest.mark.parametrize("data", [b"%PDF-1.4", b"PK", b"%PDF-1.4\n%%EOF" * 100, pdf(b"")])
def test_what_is_no_pdf_or_holds_no_text(data):
    with pytest.raises(InvalidValueError, match=r"no PDF that can be read|holds no text"):
        read_pdf(data)


def test_files_of_every_kind_in_a_folder_are_linked(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "manual.rst").write_text(RST)
    (tmp_path / "sub" / "intro.rst").write_text("Intro\n=====\n\nAbout the nice notebook.")
    (tmp_path / "nice_notebook.ipynb").write_bytes(notebook({"cell_type": "markdown", "source": "# Nice notebook"}))
    (tmp_path / "sub" / "__init__.py").write_text('"""Read the paper."""')
    (tmp_path / "paper.pdf").write_bytes(pdf(page("See the manual."), info=b"/Title (Paper)"))
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    report = index_folder(retriever, tmp_path)
    assert not report.passed_over and report.added == 5
    (package,) = retriever.get(["sub/__init__.py"])
    assert package.name == "sub"
    edges = {(e.source, e.target) for e in retriever.edges(retriever.manifest())}
    assert {("manual.rst", "sub/intro.rst"), ("sub/intro.rst", "nice_notebook.ipynb")} <= edges
    assert ("sub/__init__.py", "paper.pdf") in edges
    assert index_folder(retriever, tmp_path).unchanged == 5


def test_a_chunk_of_a_pdf_says_its_page(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(page("About badgers and more."), page("They eat worms."), info=b"/Title (B)"))
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    index_folder(retriever, tmp_path, config=IngestConfig(whole_length=20, chunk_length=30))
    assert [node.name for node in retriever.context("a.pdf#0", after=1)] == ["B › page 1", "B › page 2"]


def test_a_file_that_hangs_or_breaks_its_reader_is_passed_over_and_the_next_is_read(tmp_path):
    # Each opening star is looked for up to the end: minutes of processor time, in little memory.
    (tmp_path / "a_hangs.rst").write_text("*a " * 200_000)
    (tmp_path / "b_grows.pdf").write_bytes(pdf(page("x" * 40_000_000)))
    (tmp_path / "c_says.py").write_text("print('\\n' * 1000)\n'''fine'''")
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    report = index_folder(retriever, tmp_path, max_seconds=1)
    assert [d.id for d in list_documents(retriever)] == ["c_says.py"]
    hangs, grows = report.passed_over
    assert hangs.what == "reading the file takes more than 1 s of processor time; it is left out."
    assert grows.where.endswith("b_grows.pdf")


def test_a_large_file_of_any_kind_is_read_apart(tmp_path):
    """4 MB of headings took 41 s and 1.6 GB of the caller's own process."""
    (tmp_path / "a.md").write_text("# a\n" * 500_000)
    (tmp_path / "b.md").write_text(
        "---\ntitle: Birds\ndate: 2026-03-01\n---\nSee [the other](c.txt). " + "words " * 200_000
    )
    (tmp_path / "c.txt").write_text("caf\u00e9 " * 200_000)
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    report = index_folder(retriever, tmp_path, max_seconds=2)
    assert [what.what for what in report.passed_over] == [
        "reading the file takes more than 2 s of processor time; it is left out."
    ]
    assert [document.id for document in list_documents(retriever)] == ["b.md", "c.txt"]
    (birds,) = retriever.get(["b.md#0"])
    assert birds.name.startswith("Birds") and birds.metadata["date"] == "2026-03-01"


def test_the_process_apart_does_not_import_what_lies_in_the_folder_it_is_called_from(tmp_path):
    (tmp_path / "docutils.py").write_text("import pathlib\npathlib.Path('touched').touch()")
    (tmp_path / "page.rst").write_text("Title\n=====\n")
    program = "import fourfold.ingest as i, fourfold; print(i.index_folder(fourfold.Retriever(), '.').added)"
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "2\n", done.stderr
    assert not (tmp_path / "touched").exists()


def test_what_a_reader_says_of_a_file_apart_arrives_whole():
    with ReadersApart(60) as apart:
        for kind, data in ((".rst", RST.encode()), (".pdf", pdf(page("x"))), (".py", b"def f():\n  'doc'\n")):
            assert kind in READ_APART and apart.read(kind, data) == READERS[kind](data)
        with pytest.raises(InvalidValueError, match="no PDF"):
            apart.read(".pdf", b"")
        assert apart.read(".py", b"x = '\xc3\xa9'").text == "x = 'é'"


@pytest.mark.parametrize(
    ("library", "kind"),
    [
        ("docutils", ".rst"),
        ("pypdf", ".pdf"),
        ("lxml", ".html"),
        ("lxml", ".docx"),
        ("lxml", ".xlsx"),
        ("markdown_it", ".md"),
        ("markdown_it", ".ipynb"),
    ],
)
def test_where_a_library_is_missing_the_extra_is_named(library, kind, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    data = notebook({"cell_type": "markdown", "source": "x"}) if kind == ".ipynb" else b"x"
    with pytest.raises(MissingExtraError, match=r"fourfold\[ingest\]"):
        READERS[kind](data)


def test_a_heading_stands_with_the_text_below_it(tmp_path):
    def steps(of):
        return "\n\n".join(f"Step {n}: on {of} fetch the archive, unpack it and run the script." for n in range(40))

    guide = f"# Guide\n\nWelcome.\n\nRead on.\n\n## Backup\n\n### Database\n\n{steps('a host')}\n\n"
    (tmp_path / "guide.md").write_text(f"{guide}# Appendix\n\n### Deep\n\n{steps('a router')}")
    setup = f"Guide\n=====\n\nSetup\n-----\n\nLinux\n~~~~~\n\n{steps('Linux')}\n\n"
    (tmp_path / "guide.rst").write_text(f"{setup}End\n---\n")
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    index_folder(retriever, tmp_path, config=IngestConfig(whole_length=1_000))
    chunks = [node for node in retriever.get(retriever.manifest()) if "#" in node.id]
    assert all("Step" in node.text or "Welcome" in node.text or node.text.startswith("End") for node in chunks)
    (backup,) = [node for node in chunks if "## Backup" in node.text]
    assert backup.name == "Guide › Backup › Database" and backup.text.startswith("## Backup\n\n### Database\n\nStep 0")


@pytest.mark.parametrize(
    ("source", "title", "text"),
    [
        ("<title>My page</title><body><svg><title>Home</title></svg><p>Hi</p><title>Two</title>", "My page", "Hi"),
        ("<svg><title>Icon</title></svg><title>Page</title><p>x", "Page", "x"),
        ("<details><summary>How?</summary>Press it.</details>Other", "", "How?\n\nPress it.\n\nOther"),
        ("<select><option>Red<option>Green</select><label>Name</label>", "", "Red\n\nGreen\n\nName"),
        ("<p>a  b\n c</p><pre>def f():\n    return 1\n</pre>", "", "a b c\n\ndef f():\n    return 1"),
        ("<pre>a\tb \x01\n\n</pre>", "", "a   b"),
        ("<pre>\n    return 1\n  x</pre><h2> y", "", "    return 1\n  x\n\ny"),
        ("<h1> </h1><h1>A <b>first</b>\none</h1><h1>Two</h1>", "A first one", "A first one\n\nTwo"),
        ("<title> </title><h1>Head<br>line</h1>", "Head line", "Head\n\nline"),
        ("<title>Page</title><h1>Head</h1>", "Page", "Head"),
    ],
)
def test_of_a_page_words_stay_apart_and_the_title_is_its_own(source, title, text):
    parsed = parse_html(source)
    assert (parsed.title, parsed.text) == (title, text)


def test_a_page_is_cut_at_its_headings():
    parsed = parse_html(
        "<title>Guide - Site</title><nav><h2>Menu</h2>Links</nav><h1>Guide</h1><p>Welcome.<h2><div>Inst</div>all</h2>"
        "<pre>\na\n\n\nb</pre><aside><h3>Note</h3>Careful.</aside><template><h1>Hidden</h1></template><h4> </h4>"
        "<p>More.<pre><h2>\n\nSet</h2></pre>so<h2>Use<h3>Deep</h3>left open</h2>around\x03"
    )
    assert [(s.heading, s.text.strip()) for s in parsed.sections] == [
        ("", "Menu\n\nLinks"), ("", "Guide\n\nWelcome."), ("Install", "Inst\n\nall\n\na\n\n\nb\n\nNote\n\nCareful."),
        ("Install", "More."), ("Set", "Set\n\nso"), ("Use", "Use"), ("Use › Deep", "Deep\n\nleft open\n\naround"),
    ]  # fmt: skip
    assert "".join(section.text for section in parsed.sections).strip() == parsed.text


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# [Fourfold](https://example.org/four_fold)", "Fourfold"),
        ("# ![logo](logo.png) The `run` *now* **or** \\*never\\* &amp; ever", "The run now or *never* & ever"),
        ("# ![Fourfold](logo.svg)", "Fourfold"),
        ('# <a name="x"></a>H<sub>2</sub>O', "H2O"),
        ("# First steps { #first-steps }", "First steps"),
        ("Two\nlines {: #two .wide }\n=====", "Two lines"),
        ("# <img src='x.png'>\n\n# Name", "Name"),
        ("# {set} {'a': 1} C#", "{set} {'a': 1} C#"),
    ],
)
def test_a_title_is_what_a_heading_says_without_its_markup(source, title):
    assert parse_markdown(source).title == title


def test_a_chunk_is_named_by_its_own_headings_also_where_a_file_has_several_of_the_first_level(tmp_path):
    words = "Some words that fill the section. " * 20
    notes = f"# Install\n\n{words}\n\n# [Usage](x.md)\n\n{words}\n\n## `run`\n\n{words}"
    (tmp_path / "notes.md").write_text(notes)
    (tmp_path / "named.md").write_text(f"---\ntitle: Guide\n---\n{notes}")
    (tmp_path / "one.md").write_text(f"---\ntitle: Guide\n---\n# The guide\n\n{words}\n\n## End\n\n{words}")
    (tmp_path / "notes.rst").write_text(f"Install\n=======\n\n{words}\n\nUsage\n=====\n\n{words}")
    retriever = Retriever(":memory:", embedder=lambda texts: [[1.0, len(t) % 7, t.count("o")] for t in texts])
    index_folder(retriever, tmp_path, config=IngestConfig(whole_length=1_000))
    places = [document.id for document in list_documents(retriever)]
    names = {place: [node.name for node in retriever.context(f"{place}#0", after=9)] for place in places}
    assert names["notes.md"] == ["Install", "Install › Usage", "Install › Usage › run"]
    assert names["named.md"] == ["Guide › Install", "Guide › Usage", "Guide › Usage › run"]
    assert names["one.md"] == ["Guide", "Guide › End"]
    assert names["notes.rst"] == ["Install", "Install › Usage"]


def test_pictures_written_into_a_text_are_no_words_of_it():
    data = "iVBORw0KGgo/+" * 2_000
    parsed = parse_markdown(
        f"# A\n\n![chart](data:image/png;base64,{data}==) rises\n\n[x]: <data:a/b;c=d;base64,{data}>"
    )
    assert parsed.text == "# A\n\n![chart](data:image/png;base64,…) rises\n\n[x]: <data:a/b;c=d;base64,…>"
    short = "`data:image/png;base64,iVBORw0KGgo=`"
    assert parse_markdown(short).text == short
    hostile = "data:a/" * 50_000 + "data:a/b" + ";a" * 200_000
    assert parse_markdown(hostile).text == hostile


def test_wiki_links_of_front_matter_are_links():
    """They were metadata only, where Obsidian follows them."""
    head = "---\nteam: [[Blue|ours]]\nboss: '[[Ann Lee]]'\n---\n"
    assert parse_markdown(f"{head}[[Tom]]").wiki_links == ["Blue", "Ann Lee", "Tom"]
    assert parse_markdown(head + "Text.").text == "Text."
    assert parse_markdown("---\n[[Tom]]\n---").wiki_links == ["Tom"]


def test_of_front_matter_it_is_said_which_line_is_wrong():
    """Lines were counted from the one below the rule, and the parser's drawing stood in the sentence."""
    said = parse_markdown("---\na: 1\ntitle: [open\n---\nText.").problem
    assert "read: line 4, column 1: expected ',' or ']', but got '<stream end>'. It stays" in said


def test_a_text_whose_front_matter_cannot_be_read_is_read_with_it():
    """It was passed over, as if it said nothing."""
    parsed = parse_markdown("---\ntitle: the: quay\nboss: [[Ann]]\n---\n# Boats\nTwo.\n## Oars\n[Four](four.md).")
    assert parsed.title == "Boats" and parsed.metadata == {} and parsed.problem.startswith("the front matter cannot")
    assert parsed.text.startswith("---\ntitle: the: quay\n") and parsed.text.endswith("[Four](four.md).")
    assert [(part.heading, part.text.partition("\n")[0]) for part in parsed.sections] == [
        ("", "---"),
        ("", "# Boats"),
        ("Oars", "## Oars"),
    ]
    assert (parsed.links, parsed.wiki_links) == (["four.md"], ["Ann"])


def test_wiki_links_may_have_marks_of_emphasis():
    links = parse_markdown("[[__init__]], *[[a_b]]* and [[_x_|y]]; `[[code]]`, [[no\nlink]]").wiki_links
    assert links == ["__init__", "a_b", "_x_"]


def test_what_a_file_says_under_the_adapters_key_is_left_out(tmp_path):
    kept = '{"class": "ImageNode", "node": [{"image_path": "/etc/passwd"}]}'
    assert READERS[".md"](f"---\n_fourfold: {kept}\nlang: en\n---\nBody".encode()).metadata == {"lang": "en"}
    (tmp_path / "texts.jsonl").write_text(f'{{"_id": "a", "text": "x", "_fourfold": {kept}, "metadata": {{"n": 1}}}}')
    assert [document.metadata for document in read_jsonl(tmp_path / "texts.jsonl")] == [{"n": 1}]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ('<meta charset="windows-1252">', "cp1252"),
        ("<META http-equiv=Content-Type content='text/html; charset=ISO-8859-2'>", "iso8859-2"),
        ("<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"),
        ("<meta charset=Shift_JIS>", "shift_jis"),
    ],
)
def test_a_page_that_is_no_utf_8_is_read_as_it_says_it_is_encoded(declared, encoding):
    words = {"cp1252": "“Größe”", "iso8859-2": "źródło", "koi8-r": "Привет", "shift_jis": "日本語"}[encoding]
    assert READERS[".html"](f"{declared}<p>{words}".encode(encoding)).text == words
    assert READERS[".html"](f"{declared}<p>{words}".encode()).text == words  # many say so and are UTF-8 all the same


@pytest.mark.parametrize("declared", ["", "<meta charset=utf-8>", "<meta charset=punycode>", "<meta charset=rot13>"])
def test_a_page_that_is_no_utf_8_and_does_not_say_what_it_is_is_refused(declared):
    with pytest.raises(InvalidValueError, match="no UTF-8 text"):
        READERS[".html"](f"{declared}<p>Größe".encode("cp1252"))


def test_front_matter_keeps_keys_that_are_dates():
    source = b"---\nreleases:\n  2024-01-01: first\n  1: [{2: two}]\n---\nBody"
    assert READERS[".md"](source).metadata == {"releases": {"2024-01-01": "first", "1": [{"2": "two"}]}}


def test_a_text_is_cut_alike_whatever_ends_its_lines():
    source = "Para one line one.\nline two.\n\nPara two is here. It has two sentences.\n\nPara three."
    assert (
        READERS[".txt"](source.replace("\n", "\r\n").encode()).text == READERS[".txt"](source.encode()).text == source
    )


def test_of_an_encoding_that_is_not_read_it_is_said_what_to_save_instead():
    with pytest.raises(InvalidValueError, match=r"no UTF-8 text .*; save it as UTF-8 \(in Excel, CSV UTF-8\)\."):
        READERS[".csv"]("name;boss\nJürgen;Ann\n".encode("cp1252"))


@pytest.mark.parametrize("data", [b"", b"\n \n", b"name,boss\n", b",,\n;;\n"])
def test_a_table_without_rows_is_passed_over(data):
    with pytest.raises(NoTextError):
        READERS[".csv"](data)
