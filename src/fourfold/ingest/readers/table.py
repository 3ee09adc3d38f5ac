"""A table (.csv, .tsv) of things → a document: of each row a line that names its columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import zip_longest

from fourfold.errors import InvalidValueError
from fourfold.ingest.graphs import OBJECTS, SUBJECTS
from fourfold.ingest.readers.parsed import NoTextError, Parsed, decoded

_MOST = 10_000
"""Rows of a table that somebody may read; more are data."""


_WORD = re.compile(r"\s*[^\W\d_]{2,}(?:\W.*)?", re.DOTALL)
"""What a cell begins with that is for people; ids and numbers are for programs."""


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
    if not rows or not _are_names(names, rows) or not any(_WORD.fullmatch(cell) for row in rows for cell in row):
        raise NoTextError(
            "the file is no table of things under the names of their columns; edges are read where the command names "
            "the file itself, or by ingest.read_triples."
        )
    if len(rows) > _MOST:
        raise NoTextError(f"the table has {len(rows):,} rows, more than {_MOST:,}; make a node of each row.")
    return Parsed("\n\n".join(", ".join(_told(names, row)) for row in rows))


def _are_names(names: list[str], rows: list[list[str]]) -> bool:
    """Whether a first line names the columns, and not the ends of edges; none is a number or stands below, too."""
    folded = [name.lower() for name in names]
    below = [{row[place].strip().lower() for row in rows if place < len(row)} for place in range(len(names))]
    of_edges = not SUBJECTS.isdisjoint(folded) and not OBJECTS.isdisjoint(folded)
    recur = any(name and name in cells for name, cells in zip(folded, below, strict=True))
    return len(names) > 1 and not of_edges and not recur and not any(name[:1].isdigit() for name in names)


def _told(names: list[str], row: list[str]) -> Iterator[str]:
    """Return the cells of a row that hold something, each after the name of its column."""
    for name, cell in zip_longest(names, row, fillvalue=""):
        if said := " ".join(cell.split()):
            yield f"{name}: {said}" if name else said
