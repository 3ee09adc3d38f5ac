"""Markdown → a document: front matter is metadata, headings cut it, links lead to other documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fourfold.errors import MissingExtraError
from fourfold.ingest.readers.front_matter import front_matter
from fourfold.ingest.readers.parsed import Parsed, cut_at, plain_lines, with_those_above

_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")


def parse_markdown(source: str) -> Parsed:
    """Read Markdown (CommonMark with tables); the text is the source without its front matter.

    Raises:
        InvalidValueError: the front matter cannot be read; the sentence says why.
        MissingExtraError: markdown-it-py or PyYAML is not installed.

    """
    metadata, text = front_matter(plain_lines(source))
    tokens = _parser().parse(text)
    headings = [
        (token.map[0], int(token.tag[1:]), tokens[place + 1].content.strip())
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and token.level == 0
    ]
    parsed = Parsed(text.strip(), metadata=metadata, sections=tuple(cut_at(text, with_those_above(headings))))
    first = next((words for _, level, words in headings if level == 1), "")
    given = metadata.get("title")
    parsed.title = given if isinstance(given, str) and given else first
    for token in _inline(tokens):
        if token.type == "link_open" and (target := token.attrGet("href")):
            parsed.links.append(str(target))
        elif token.type == "text":
            parsed.wiki_links += (match.strip() for match in _WIKI_LINK.findall(token.content))
    return parsed


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
