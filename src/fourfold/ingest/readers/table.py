"""A table (.csv, .tsv) of things → a document: of each row a line that names its columns. So of sheets of Excel."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain, repeat
from statistics import median_high

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.parsed import LONGEST_TEXT, NoTextError, Parsed, decoded
from fourfold.ingest.triples import columns_of_edges

MOST_ROWS = 10_000
"""Rows of a table that somebody may read; more are data."""

_WORD = re.compile(r"\s*[^\W\d_]{2,}(?:\W.*)?", re.DOTALL)
"""What a cell begins with that is for people; ids and numbers are for programs."""

_LETTER = re.compile(r"[^\W\d_]")

_SAID = re.compile(r"sep=(.)\r?\n")
"""By what cells are parted, as a first line of some exports says."""

_YEAR = re.compile(r"(?:19|20)\d\d")


def read_table(data: bytes) -> Parsed:
    """Read a table: captions if any, a line that names its columns, and rows, with commas, semicolons, tabs or bars.

    Raises:
        NoTextError: no line names its columns, as in a file of edges, or it has more than 10,000 rows.

    """
    text = decoded(data).removeprefix("\ufeff")
    said = _SAID.match(text)  # Excel's own line, which it does not show
    delimiter = said[1] if said else _delimiter(text)
    try:
        lines = csv.reader(io.StringIO(text[said.end() :] if said else text, newline=""), delimiter=delimiter)
        captions, names, rows = _parts([row for row in lines if any(map(str.strip, row))])
    except csv.Error as error:
        raise InvalidValueError(f"the table cannot be read: {error}.") from error
    if not names or columns_of_edges(names) or not _has_words(rows):
        raise NoTextError(
            "the file is no table of things under the names of their columns; edges are read where the command names "
            "the file itself, or by ingest.read_triples."
        )
    if len(rows) > MOST_ROWS:
        raise NoTextError(f"the table has {len(rows):,} rows, more than {MOST_ROWS:,}; make a node of each row.")
    return Parsed("\n\n".join(_lines(captions, names, rows)))


def _delimiter(text: str) -> str:
    """Return what stands in most lines: a caption may have commas where the table has none, and decimals have them."""
    lines = text.splitlines()
    return max("\t;|,", key=lambda each: sum(each in line for line in lines))


def told(rows: list[list[str]]) -> list[str]:
    """Return a line for each row of a sheet, with the names of its columns where it has some; none without any word."""
    return _lines(*_parts(rows)) if _has_words(rows) else []


def _parts(rows: list[list[str]]) -> tuple[list[list[str]], list[str], list[list[str]]]:
    """Return what stands above a table, the names of its columns, and its rows; no names where none are found.

    What stands alone in the first rows is a caption; so is what ends before most rows do, as in *Made on, 1 May*, where
    names follow.
    """
    start = next((number for number, row in enumerate(rows) if _filled(row) > 1), len(rows))
    usual = median_high(map(_span, rows)) if rows else 0
    wide = next((number for number, row in enumerate(rows) if _filled(row) > 1 and _span(row) >= usual), start)
    for place in (wide, start):
        names, below = [name.strip() for name in rows[place]] if rows[place:] else [], rows[place + 1 :]
        if below and _are_names(names, below):
            return rows[:place], names, below
    return rows[:start], [], rows[start:]


def _lines(captions: list[list[str]], names: list[str], rows: list[list[str]]) -> list[str]:
    """Return a line for each row; long names of many columns would be said without end."""
    found, size = [], 0
    for own, row in chain(zip(repeat([]), captions), zip(repeat(names), rows)):
        found.append(", ".join(_told(own, row)))
        size += len(found[-1])
        if size > LONGEST_TEXT:
            raise InvalidValueError(
                f"with the names of its columns in every line the table has more than {LONGEST_TEXT:,} characters; "
                "it is left out."
            )
    return found


def _filled(row: list[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _span(row: list[str]) -> int:
    """Return how many cells a row has up to its last that holds something."""
    return max((number for number, cell in enumerate(row, start=1) if cell.strip()), default=0)


def _has_words(rows: list[list[str]]) -> bool:
    return any(_WORD.fullmatch(cell) for row in rows for cell in row)


def _are_names(names: list[str], rows: list[list[str]]) -> bool:
    """Whether a line names the columns: none of it is a number, but for years side by side, or stands below.

    What begins as a number is a name where it has letters and the numbers below it have none: *1st half*, *30 days*.
    """
    lowered, in_words = [name.lower() for name in names], set()
    for row in rows:
        for place, (name, cell) in enumerate(zip(lowered, row, strict=False)):
            if name and name == cell.strip().lower():
                return False
            if place not in in_words and _LETTER.search(cell):
                in_words.add(place)
    numbers = [
        name
        for place, name in enumerate(names)
        if name[:1].isdigit() and (place in in_words or not _LETTER.search(name))
    ]
    years = len(names) > len(numbers) > 1 and all(map(_YEAR.fullmatch, numbers))
    return len(names) > 1 and (years or not numbers)


def _told(names: list[str], row: list[str]) -> Iterator[str]:
    """Return the cells of a row that hold something, each after the name of its column."""
    for name, cell in zip(chain(names, repeat("")), row, strict=False):
        if said := " ".join(cell.split()):
            yield f"{name}: {said}" if name else said
