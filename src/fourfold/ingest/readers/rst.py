"""reStructuredText → a document: the text as it is written, cut at its section titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fourfold.ingest.readers.front_matter import MAX_LENGTH
from fourfold.ingest.readers.parsed import Parsed, cut_at, plain_lines, with_those_above
from fourfold.lazy import load

_DOCUMENT = re.compile(r":doc:`(?:[^`<]*<)?([^`<>]+)>?`")
_TOC_ENTRY = re.compile(r"(?:[^<]*<)?([^<>*?:]+)>?\Z")


def parse_rst(source: str) -> Parsed:
    """Read reStructuredText; roles and directives of Sphinx are kept as they are written.

    Nothing is ever included from other files. Links are hyperlinks, ``:doc:`` and the entries of ``toctree``; a field
    list at the head is metadata.

    Raises:
        MissingExtraError: docutils is not installed.

    """
    text = plain_lines(source)
    nodes, document = _parsed(text)
    headings = list(_headings(nodes, document, text))
    title = next((words for _, level, words in headings if level == 1), "")
    parsed = Parsed(text.strip(), title, sections=tuple(cut_at(text, with_those_above(headings, title))))
    parsed.metadata = _fields(nodes, document)
    references = (getattr(node, "attributes", {}).get("refuri") for node in document.findall())
    parsed.links = list(dict.fromkeys(filter(None, references)))
    documents = [*_DOCUMENT.findall(text), *_toc_entries(text)]
    parsed.links += [name if name.endswith(".rst") else f"{name}.rst" for name in map(str.strip, documents) if name]
    return parsed


def _parsed(text: str) -> tuple[Any, Any]:
    load("docutils", "Reading reStructuredText", extra="ingest")
    from docutils import frontend, nodes, utils  # type: ignore[import-untyped]
    from docutils.parsers.rst import Parser  # type: ignore[import-untyped]

    settings = frontend.get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level = 5, 6  # say nothing, stop at nothing
    settings.line_length_limit = len(text) + 1
    settings.syntax_highlight = "none"
    document = utils.new_document("", settings)
    Parser().parse(text, document)
    return nodes, document


def _headings(nodes: Any, document: Any, text: str) -> Iterator[tuple[int, int, str]]:
    """Return line, from 0, level and words of each section title."""
    lines = [line.strip() for line in text.split("\n")]
    here = 0
    for section in document.findall(nodes.section):
        title = section[0]
        level, above = 1, section.parent
        while above is not None and above is not document:
            level, above = level + 1, above.parent
        written = title.rawsource.strip()
        try:
            here = lines.index(written, here)
        except ValueError:
            continue
        over = here > 0 and here + 1 < len(lines) and lines[here - 1] == lines[here + 1] != ""
        yield here - over, level, title.astext()
        here += 1


def _fields(nodes: Any, document: Any) -> dict[str, str]:
    """Return the field list that stands before or right below the first title; {} for one too long to be metadata."""
    head = [*document.children[:2], *(document.next_node(nodes.section) or nodes.section()).children[:2]]
    fields = next((node for node in head if isinstance(node, nodes.field_list)), ())
    found = {field[0].astext(): field[1].astext() for field in fields}
    return found if sum(map(len, (*found, *found.values()))) <= MAX_LENGTH else {}


def _toc_entries(text: str) -> Iterator[str]:
    """Return what the lines below ``.. toctree::`` lead to."""
    depth: int | None = None
    for line in text.split("\n"):
        indented = len(line) - len(line.lstrip())
        if line.lstrip().startswith(".. toctree::"):
            depth = indented
        elif line.strip() and depth is not None:
            if indented <= depth:
                depth = None
            elif entry := _TOC_ENTRY.match(line.strip()):
                yield entry.group(1)
