"""Workbooks and slide shows: what becomes of them, and what of them is left out."""

from __future__ import annotations

import io
from html import escape
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from fourfold import InvalidValueError, Retriever
from fourfold.ingest import index_folder
from fourfold.ingest.readers.apart import ReadersApart
from fourfold.ingest.readers.parsed import NoTextError
from fourfold.ingest.readers.slides import read_slides
from fourfold.ingest.readers.workbook import read_workbook


def office(main: str, kinds: dict[str, str], parts: dict[str, str]) -> bytes:
    """Return a file whose main part m.xml is related to others, by their kinds; ``parts`` are further ones."""
    links = "".join(f'<R Id="{part}" Type="t/{kind}" Target="{part}"/>' for part, kind in kinds.items())
    facts = '<R Type="t/core-properties" Target="c.xml"/>'
    named = {
        "_rels/.rels": f'<R><R Type="t/officeDocument" Target="x/m.xml"/>{facts}</R>',
        "c.xml": '<c xmlns:d="d"><d:creator>Ann</d:creator></c>',
        "x/m.xml": f'<m xmlns:r="r">{main}</m>',
        "x/_rels/m.xml.rels": f"<R>{links}</R>",
    }
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, data in {**named, **{f"x/{name}": data for name, data in parts.items()}}.items():
            archive.writestr(name, data)
    return out.getvalue()


def row(*cells: str) -> str:
    return f"<row>{''.join(cells)}</row>"


def text_cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def workbook(*sheets: str, main: str = "", hidden: int = -1) -> bytes:
    """Return an .xlsx whose sheets are called S0, S1, …"""
    state = {hidden: 'state="hidden"'}
    listed = "".join(f'<sheet name="S{n}" r:id="s{n}" {state.get(n, "")}/>' for n in range(len(sheets)))
    codes = ("General", "0.0%", "[$-407]d/mm/yyyy", "[h]:mm", '[Red]#,##0 "days"')
    numbers = "".join(
        f'<numFmt numFmtId="{200 + n}" formatCode="{escape(code, True)}"/>' for n, code in enumerate(codes)
    )
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 201, 202, 203, 204, 22, 20))
    kinds = {f"s{n}": "worksheet" for n in range(len(sheets))} | {"st": "styles", "ss": "sharedStrings"}
    strings = "<si><t>Ann </t><rPh><t>an</t></rPh><r><t>Lee</t></r></si><si><t>Hired</t></si>"
    parts = {f"s{n}": f"<w>{rows}</w>" for n, rows in enumerate(sheets)} | {
        "st": f"<s><numFmts>{numbers}</numFmts><cellXfs>{styles}</cellXfs></s>",
        "ss": f"<s>{strings}</s>",
        "_rels/s0.rels": '<R><R Type="t/hyperlink" Target="a.md" TargetMode="External"/></R>',
    }
    return office(f"{main}<sheets>{listed}</sheets>", kinds, parts)


def test_a_workbook_is_a_line_for_each_row_under_the_names_of_its_columns():
    head = row(text_cell("Name"), '<c t="s"><v>1</v></c>', '<c r="D1" t="str"><v>Share</v></c>', text_cell("Left"))
    ann = row(
        '<c t="s"><v>0</v></c>',
        '<c s="2"><v>46036</v></c>',
        '<c r="D3" s="1"><v>0.125</v></c>',
        '<c s="4"><v>3</v></c>',
    )
    bob = row(
        text_cell("Bob"), '<c s="5"><v>46036.5625</v></c>', '<c t="e"><v>#DIV/0!</v></c>', '<c t="b"><v>1</v></c>'
    )
    more = row(
        '<c s="3"><v>1.25</v></c>', '<c s="6"><v>0.5</v></c>', "<c><v>0.30000000000000004</v></c>", "<c><v>7</v></c>"
    )
    years = row(text_cell("Region"), "<c><v>2025</v></c>", "<c><v>2026</v></c>") + row(
        text_cell("North"), "<c><v>1</v></c>"
    )
    data = workbook(row(text_cell("Staff")) + head + ann + bob + more, row(text_cell("secret")), years, row(), hidden=1)
    parsed = read_workbook(data)
    assert parsed.text.split("\n\n") == [
        "S0",
        "Staff",
        "Name: Ann Lee, Hired: 2026-01-14, Share: 12.5%, Left: 3",
        "Name: Bob, Hired: 2026-01-14 13:30, Share: yes",
        "Name: 30:00, Hired: 12:00, 0.3, Share: 7",
        "S2",
        "Region: North, 2025: 1",
    ]
    assert [section.heading for section in parsed.sections] == ["S0", "S2"]
    assert (parsed.metadata, parsed.links, parsed.problem) == ({"author": "Ann"}, ["a.md"], None)
    of_mac = workbook(row(text_cell("Day"), '<c s="2"><v>44574</v></c>'), main='<workbookPr date1904="1"/>')
    assert read_workbook(of_mac).text == "Day, 2026-01-14"


def test_sheets_without_words_and_with_too_many_rows_are_left_out():
    large, small = row(text_cell("Name"), "<c><v>1</v></c>") * 10_001, row(text_cell("Name"))
    parsed = read_workbook(workbook(large, small))
    assert parsed.text == "S1\n\nName" and parsed.problem == "S0: more than 10,000 rows; make a node of each row."
    with ReadersApart(60) as apart:
        for sheet, why in (
            (large, "more than 10,000 rows"),
            (row("<c><v>1</v></c>") * 3, "no words"),
            ("", "no words"),
        ):
            with pytest.raises(NoTextError, match=why):  # whole, and nothing to read
                apart.read(".xlsx", workbook(sheet))
    with pytest.raises(InvalidValueError, match=r"no \.xlsx that can be read"):
        read_workbook(b"PK")
    with pytest.raises(InvalidValueError, match="x/s0 in the file unpacks to more than 100,000,000 bytes"):
        read_workbook(workbook(" " * 100_000_001))


def test_a_slide_show_is_cut_at_its_slides_and_has_the_speakers_notes():
    def shape(text, place=""):
        return f'<sp><ph type="{place}"/><txBody><p><r><t>{text}</t></r></p></txBody></sp>'

    table = "<graphicFrame><tbl><tr><tc><p><t>Crane</t></p></tc><tc><p><t>40</t></p></tc></tr></tbl></graphicFrame>"
    slides = (
        shape("Ice\nin winter") + shape("Risks", "title") + shape("7", "sldNum"),
        f"<grpSp>{shape('grouped')}</grpSp>{table}<AC><Choice>{shape('new')}</Choice><Fallback>{shape('old')}</Fallback></AC>",
        shape("never shown"),
        "<pic/>",
    )
    listed = "".join(f'<sldId id="25{n}" r:id="s{n}"/>' for n in range(len(slides)))
    parts = {f"s{n}": f"<s show='{int(n != 2)}'>{said}</s>" for n, said in enumerate(slides)}
    parts["n"] = f"<n>{shape('Ask Bob.', 'body')}{shape('1', 'sldNum')}</n>"
    parts["_rels/s0.rels"] = '<R><R Type="t/notesSlide" Target="n"/></R>'
    parsed = read_slides(office(listed, {f"s{n}": "slide" for n in range(len(slides))}, parts))
    assert parsed.text == "Risks\n\nIce\nin winter\n\nAsk Bob.\n\ngrouped\n\nCrane | 40\n\nnew"
    assert [section.heading for section in parsed.sections] == ["Risks", "slide 2"]
    assert (parsed.title, parsed.metadata) == ("Risks", {"author": "Ann"})


def test_of_a_folder_as_offices_have_it_lock_files_and_old_kinds_are_passed_over(tmp_path):
    (tmp_path / "plan.xlsm").write_bytes(workbook(row(text_cell("Harbour plan"))))
    (tmp_path / "~$plan.xlsm").write_bytes(b"\x05Ann Lee")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    with Retriever(":memory:") as retriever:
        report = index_folder(retriever, tmp_path)
        assert list(retriever.manifest()) == ["plan.xlsm"] and report.problems == []
    told = {each.where.rpartition("/")[2]: each.what for each in report.passed_over}
    assert told["old.xls"] == "there is no reader for .xls, of an old Office; save it as .xlsx."
    assert "Office's note" in told["~$plan.xlsm"]
