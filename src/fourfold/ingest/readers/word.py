"""Word (.docx) → a document: its paragraphs, the rows of its tables, its notes; cut at headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fourfold.ingest.readers.office import Package, blocks, read_package, tag, value
from fourfold.ingest.readers.parsed import Parsed, cut_at, with_those_above

_TITLE = 0
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
"""The name of a style within the file, in whatever language Word runs."""


def read_word(data: bytes) -> Parsed:
    """Read .docx with its tracked changes accepted; comments, headers and footers are left out, the author is metadata.

    Raises:
        InvalidValueError: it is no .docx, asks for a password, or unpacks to too much.
        MissingExtraError: lxml is not installed.

    """
    return read_package(data, ".docx", _parsed)


def _parsed(package: Package) -> Parsed:
    main = package.main
    levels = {name: level for styles in package.trees(main, "styles") for name, level in _levels(styles)}
    trees = [package.tree(main), *package.trees(main, "footnotes"), *package.trees(main, "endnotes")]
    said = [(text, _level(block, levels)) for tree in trees for block, text in blocks(tree) if text]
    written = {level: " ".join(text.split()) for text, level in reversed(said) if level is not None}
    title = written.get(_TITLE) or package.fact("title") or written.get(1, "")
    starts, line = [], 0
    for text, level in said:
        if level:
            starts.append((line, level, " ".join(text.split())))
        line += text.count("\n") + 2
    text = "\n\n".join(text for text, _ in said)
    sections = cut_at(text, with_those_above(starts, title))
    return Parsed(text, title, links=package.related(main, "hyperlink"), sections=tuple(sections))


def _level(block: Any, levels: dict[str, int]) -> int | None:
    """Return of which level a paragraph is a heading; None if it is none."""
    styles = (value(fact) for fact in block.iterfind("{*}pPr/{*}pStyle"))
    return next((levels[style] for style in styles if style in levels), None)


def _levels(styles: Any) -> Iterator[tuple[str, int]]:
    """Return the styles of headings with their levels, and that of the title; a style is what it is based on, too."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in styles:
        identity = value(style, "styleId")
        for fact in style.iter():
            if tag(fact) == "name" and (found := _HEADING.fullmatch(value(fact))):
                own[identity] = int(found[1])
            elif tag(fact) == "name" and value(fact).lower() == "title":
                own[identity] = _TITLE
            elif tag(fact) == "basedOn":
                based[identity] = value(fact)
    for style in (*own, *based):
        of, seen = style, {style}
        while of not in own and (of := based.get(of, "")) not in seen:
            seen.add(of)
        if of in own:
            yield style, own[of]
