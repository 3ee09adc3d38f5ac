"""What reads which kind of file. A reader is a function in a module of its own, and imports its library when called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Protocol

from fourfold.ingest.readers.html import read_html
from fourfold.ingest.readers.mail import read_mail
from fourfold.ingest.readers.markdown import parse_markdown
from fourfold.ingest.readers.notebook import read_notebook
from fourfold.ingest.readers.parsed import Parsed, decoded, plain_lines
from fourfold.ingest.readers.pdf import read_pdf
from fourfold.ingest.readers.python import read_python
from fourfold.ingest.readers.rst import parse_rst
from fourfold.ingest.readers.slides import read_slides
from fourfold.ingest.readers.table import read_table
from fourfold.ingest.readers.word import read_word
from fourfold.ingest.readers.workbook import read_workbook


class Reader(Protocol):
    """Reads the bytes of a file."""

    def __call__(self, data: bytes, /) -> Parsed:
        """Return what the file says.

        Raises:
            MissingExtraError: the library is not installed; the sentence names the extra.
            Exception: anything, at a broken file.

        """


@cache  # one reader for several endings
def _of_text(parse: Callable[[str], Parsed]) -> Reader:
    return lambda data: parse(decoded(data))


def _plain(source: str) -> Parsed:
    """Read a text that is nothing more, whatever ends its lines."""
    return Parsed(plain_lines(source))


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        ".md": _of_text(parse_markdown),
        ".markdown": _of_text(parse_markdown),
        ".txt": _of_text(_plain),
        ".text": _of_text(_plain),
        ".html": read_html,
        ".htm": read_html,
        ".rst": _of_text(parse_rst),
        ".ipynb": read_notebook,
        ".py": read_python,
        ".pdf": read_pdf,
        ".docx": read_word,
        ".docm": read_word,
        ".xlsx": read_workbook,
        ".xlsm": read_workbook,
        ".pptx": read_slides,
        ".pptm": read_slides,
        ".eml": read_mail,
        ".csv": read_table,
        ".tsv": read_table,
    }
)
"""The reader of each kind of file, by the end of its name in lower case."""

READ_APART = frozenset({".rst", ".py", ".pdf", ".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".eml"})
"""Kinds whose libraries may take any time or memory, or break down, at a hostile file: read in a process apart."""

__all__ = ["READERS", "READ_APART", "Parsed", "Reader"]
