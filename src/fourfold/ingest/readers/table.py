"""A table (.csv, .tsv) of things → a document: of each row a line that names its columns. So of sheets of Excel."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain, repeat

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.parsed import LONGEST_TEXT, NoTextError, Parsed, decoded
from fourfold.ingest.triples import columns_of_edges

MOST_ROWS = 10_000
"""Rows of a table that somebody may read; more are data."""

_WORD = re.compile(r"\s*[^\W\d_]{2,}(?:\W.*)?", re.DOTALL)
"""What a cell begins with that is for people; ids and numbers are for programs."""

_YEAR = re.compile(r"(?:19|20)\d\d")


def read_table(data: bytes) -> Parsed:
    """Read a table whose first line names its columns, with commas, semicolons or tabs between them.

    Raises:
        NoTextError: its first line names no columns, as in a file of edges, or it has more than 10,000 rows.

    """
    text = decoded(data).removeprefix("\ufeff")
    delimiter = max("\t;,", key=text.partition("\n")[0].count)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        head, *rows = [row for row in lines if any(map(str.strip, row))] or [[]]
    except csv.Error as error:
        raise InvalidValueError(f"the table cannot be read: {error}.") from error
    names = [cell.strip() for cell in head]
    if not rows or columns_of_edges(names) or not _are_names(names, rows) or not _has_words(rows):
        raise NoTextError(
            "the file is no table of things under the names of their columns; edges are read where the command names "
            "the file itself, or by ingest.read_triples."
        )
    if len(rows) > MOST_ROWS:
        raise NoTextError(f"the table has {len(rows):,} rows, more than {MOST_ROWS:,}; make a node of each row.")
    return Parsed("\n\n".join(_lines(names, rows)))


def told(rows: list[list[str]]) -> list[str]:
    """Return a line for each row of a sheet, with the names of its columns where it has some; none without any word.

    What stands alone in the first rows is a caption.
    """
    if not _has_words(rows):
        return []
    start = next((number for number, row in enumerate(rows) if sum(map(bool, row)) > 1), len(rows))
    names, below = [name.strip() for name in rows[start]] if rows[start:] else [], rows[start + 1 :]
    if not below or not _are_names(names, below):
        names, below = [], rows[start:]
    return [*_lines([], rows[:start]), *_lines(names, below)]


def _has_words(rows: list[list[str]]) -> bool:
    return any(_WORD.fullmatch(cell) for row in rows for cell in row)


def _are_names(names: list[str], rows: list[list[str]]) -> bool:
    """Whether a first line names the columns: none of it is a number, but for years side by side, or stands below."""
    lowered = [name.lower() for name in names]
    recur = any(name and name == cell.strip().lower() for row in rows for name, cell in zip(lowered, row, strict=False))
    numbers = [name for name in names if name[:1].isdigit()]
    years = len(names) > len(numbers) > 1 and all(map(_YEAR.fullmatch, numbers))
    return len(names) > 1 and not recur and (years or not numbers)


def _lines(names: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Return a line for each row; long names of many columns would be said without end."""
    size = 0
    for row in rows:
        line = ", ".join(_told(names, row))
        size += len(line)
        if size > LONGEST_TEXT:
            raise InvalidValueError(
                f"with the names of its columns in every line the table has more than {LONGEST_TEXT:,} characters; "
                "it is left out."
            )
        yield line


def _told(names: list[str], row: list[str]) -> Iterator[str]:
    """Return the cells of a row that hold something, each after the name of its column."""
    for name, cell in zip(chain(names, repeat("")), row, strict=False):
        if said := " ".join(cell.split()):
            yield f"{name}: {said}" if name else said
