"""Markdown → a document: front matter is metadata, headings cut it, links lead to other documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fourfold.errors import MissingExtraError
from fourfold.ingest.documents import Section, shortened
from fourfold.ingest.front_matter import front_matter

_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")


@dataclass(slots=True)
class Parsed:
    """What a reader makes of a file: title ("" if it has none), text, links as written, and what is wrong with it."""

    text: str
    title: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    wiki_links: list[str] = field(default_factory=list)
    sections: tuple[Section, ...] = ()
    problem: str | None = None


def parse_markdown(source: str) -> Parsed:
    """Read Markdown (CommonMark with tables); the text is the source without its front matter.

    Raises:
        InvalidValueError: the front matter cannot be read; the sentence says why.
        MissingExtraError: markdown-it-py or PyYAML is not installed.

    """
    metadata, text = front_matter(source.replace("\r\n", "\n").replace("\r", "\n"))
    tokens = _parser().parse(text)
    headings = [
        (token.map[0], int(token.tag[1:]), shortened(tokens[place + 1].content.strip()))
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and token.level == 0
    ]
    parsed = Parsed(text.strip(), metadata=metadata, sections=tuple(_sections(text, headings)))
    first = next((words for _, level, words in headings if level == 1), "")
    given = metadata.get("title")
    parsed.title = given if isinstance(given, str) and given else first
    for token in _inline(tokens):
        if token.type == "link_open" and (target := token.attrGet("href")):
            parsed.links.append(str(target))
        elif token.type == "text":
            parsed.wiki_links += (match.strip() for match in _WIKI_LINK.findall(token.content))
    return parsed


def _sections(text: str, headings: Sequence[tuple[int, int, str]]) -> Iterator[Section]:
    """Cut the text before each heading; a section knows the headings above it, below the first level."""
    lines = [f"{line}\n" for line in text.split("\n")]  # as the parser counts them, which knows no form feed
    bounds = [0, *(line for line, _, _ in headings), len(lines)]
    above: list[tuple[int, str]] = []
    labels = [""]
    for _, level, words in headings:
        above = [(other, label) for other, label in above if other < level] + [(level, words)]
        labels.append(" › ".join(label for other, label in above if other > 1))
    for start, end, heading in zip(bounds, bounds[1:], labels, strict=False):
        part = "".join(lines[start:end])
        if part.strip():
            yield Section(part, heading)


def _inline(tokens: Sequence[Any]) -> Iterator[Any]:
    for token in tokens:
        yield from token.children or ()


def _parser() -> Any:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingExtraError(
            "Reading Markdown needs markdown-it-py; install it with pip install 'fourfold[ingest]'."
        ) from error
    return MarkdownIt("commonmark").enable("table")
