"""Excel (.xlsx) → a document: of each row of its sheets a line that names its columns; cut at sheets."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from fourfold.ingest.documents import Section
from fourfold.ingest.readers.office import Package, read_package, said
from fourfold.ingest.readers.parsed import NoTextError, Parsed
from fourfold.ingest.readers.table import MOST_ROWS, told

_PLACE = re.compile(r"([A-Z]{1,3})\d*")
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\[(?!h|m|s)[^\[\]]*\]', re.IGNORECASE)
"""What a format shows as it stands, and colours; not hours beyond a day, ``[h]``."""

_BUILT_IN = {9: "0%", 10: "0.00%", 46: "[h]:mm"} | dict.fromkeys(
    (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "y-m-d"
)
"""Formats that files name without saying them: of shares and times (ECMA-376 1, 18.8.30)."""

Shown = Callable[[float], str]


def read_workbook(data: bytes) -> Parsed:
    """Read .xlsx as it was last calculated; hidden sheets, comments and charts are left out, the author is metadata.

    Raises:
        NoTextError: no sheet has words, or those that do have more than 10,000 rows.
        InvalidValueError: it is no .xlsx, asks for a password, or unpacks to too much.
        MissingExtraError: lxml is not installed.

    """
    return read_package(data, ".xlsx", _parsed)


def _parsed(package: Package) -> Parsed:
    sheets = [(entry.get("name", ""), part) for entry, part in package.listed("sheet") if not _is_hidden(entry)]
    strings = [said(each) for tree in package.trees(package.main, "sharedStrings") for each in tree]
    shown = [each for tree in package.trees(package.main, "styles") for each in _formats(tree, _first_day(package))]
    sections, large, links = [], [], []
    for name, part in sheets:
        rows = list(_rows(package.data(part), strings, shown))
        if len(rows) > MOST_ROWS:
            large.append(name)
        elif lines := told(rows):
            named = [name] if len(sheets) > 1 else []
            sections.append(Section("\n\n".join((*named, *lines)) + "\n\n", name if named else ""))
            links += package.related(part, "hyperlink")
    why = f"{', '.join(large[:5])}: more than {MOST_ROWS:,} rows; make a node of each row." if large else ""
    if not sections:
        raise NoTextError(why or "the sheets hold no words.")
    text = "".join(section.text for section in sections).strip()
    return Parsed(text, links=links, sections=tuple(sections), problem=why or None)


def _is_hidden(sheet: Any) -> bool:
    return bool(sheet.get("state", "visible") != "visible")


def _first_day(package: Package) -> datetime:
    """Return from when days are counted."""
    of_mac = any(each.get("date1904") in ("1", "true") for each in package.tree(package.main).iter("{*}workbookPr"))
    return datetime(1904, 1, 1) if of_mac else datetime(1899, 12, 30)


def _formats(styles: Any, first_day: datetime) -> Iterator[Shown]:
    """Return how numbers are shown, by the number of a cell's style."""
    codes = {int(each.get("numFmtId")): each.get("formatCode", "") for each in styles.iterfind("{*}numFmts/{*}numFmt")}
    for each in styles.iterfind("{*}cellXfs/{*}xf"):
        number = int(each.get("numFmtId", 0))
        yield _shown(
            _QUOTED.sub("", codes.get(number) or _BUILT_IN.get(number, "")).partition(";")[0].lower(), first_day
        )


def _shown(code: str, first_day: datetime) -> Shown:
    """Return how numbers are shown by a format without what it quotes."""

    def moment(days: float) -> str:
        if "[h" in code:
            return "{}:{:02}".format(*divmod(round(days * 24 * 60), 60))
        at = first_day + timedelta(seconds=round(days * 24 * 60 * 60))
        clock = f"{at:%H:%M:%S}".removesuffix(":00")
        return clock if days < 1 else f"{at:%Y-%m-%d}" if clock == "00:00" else f"{at:%Y-%m-%d} {clock}"

    if set(code) & set("ymdhs"):
        return moment
    return (lambda share: f"{share * 100:.10g}%") if "%" in code else _plain


def _plain(number: float) -> str:
    """Return a number with as many digits as Excel keeps."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.15g}"


def _rows(data: bytes, strings: list[str], shown: list[Shown]) -> Iterator[list[str]]:
    """Return the rows of a sheet that hold something, of more than may be read one too many."""
    from lxml import etree  # type: ignore[import-untyped]

    count = 0
    for _, row in etree.iterparse(io.BytesIO(data), tag="{*}row", resolve_entities=False, remove_comments=True):
        cells: list[str] = []
        for cell in row.iterfind("{*}c"):
            place = _column(cell.get("r", ""))
            cells += [""] * ((len(cells) if place is None else place) - len(cells))
            cells.append(_cell(cell, strings, shown))
        row.clear()
        if any(cells):
            count += 1
            yield cells
        if count > MOST_ROWS:
            return


def _column(place: str) -> int | None:
    """Return the number of a cell's column, from 0."""
    found = _PLACE.fullmatch(place)
    number = 0
    for letter in found[1] if found else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1 if found else None


def _cell(cell: Any, strings: list[str], shown: list[Shown]) -> str:
    """Return what a cell shows; of one that shows an error nothing."""
    kind, written = cell.get("t", "n"), (cell.findtext("{*}v") or "").strip()
    if kind == "inlineStr":
        return " ".join(said(part) for part in cell.iterfind("{*}is"))
    if kind == "e" or not written:
        return ""
    if kind == "s":
        return strings[int(written)] if int(written) < len(strings) else ""
    if kind == "b":
        return "yes" if written == "1" else "no"
    if kind != "n":
        return written
    style = int(cell.get("s", 0))
    try:
        return (shown[style] if style < len(shown) else _plain)(float(written))
    except (ValueError, OverflowError):
        return written
