"""PowerPoint (.pptx) → a document: what its slides say, their tables, and the speaker's notes; cut at slides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fourfold.ingest.documents import Section
from fourfold.ingest.readers.office import Package, blocks, read_package, tag
from fourfold.ingest.readers.parsed import Parsed

_TITLES = frozenset({"title", "ctrTitle"})
_AROUND = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
"""Places that say the same on every slide, or show the slide itself."""


def read_slides(data: bytes) -> Parsed:
    """Read .pptx slide by slide; hidden ones, comments and the text of charts are left out, the author is metadata.

    Raises:
        InvalidValueError: it is no .pptx, asks for a password, or unpacks to too much.
        MissingExtraError: lxml is not installed.

    """
    return read_package(data, ".pptx", _parsed)


def _parsed(package: Package) -> Parsed:
    sections, links, titles = [], [], []
    for number, (_, part) in enumerate(package.listed("sldId"), 1):
        slide = package.tree(part)
        if slide.get("show") in ("0", "false"):
            continue
        title, texts = _said(slide)
        texts += [text for diagram in package.trees(part, "diagramData") for _, text in blocks(diagram)]
        texts += [text for notes in package.trees(part, "notesSlide") for text in _said(notes)[1]]
        if text := "\n\n".join(filter(None, (title, *texts))):
            sections.append(Section(f"{text}\n\n", title or f"slide {number}"))
            titles.append(title)
        links += package.related(part, "hyperlink")
    text = "".join(section.text for section in sections).strip()
    return Parsed(text, package.fact("title") or next(iter(titles), ""), links=links, sections=tuple(sections))


def _said(slide: Any) -> tuple[str, list[str]]:
    """Return the title of a slide in one line, and what else its shapes say."""
    title, texts = "", []
    for shape in _shapes(slide):
        place = next((place.get("type", "") for place in shape.iter("{*}ph")), "")
        text = "\n".join(text for _, text in blocks(shape) if text)
        if place in _TITLES and not title:
            title = " ".join(text.split())
        elif place not in _AROUND:
            texts.append(text)
    return title, texts


def _shapes(element: Any) -> Iterator[Any]:
    """Return what stands on a slide, of groups their members."""
    for child in element:
        if tag(child) in ("sp", "graphicFrame"):
            yield child
        elif tag(child) != "Fallback":  # a second form for other programs
            yield from _shapes(child)
