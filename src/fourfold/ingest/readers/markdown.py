"""Markdown → a document: front matter is metadata, headings cut it, links lead to other documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fourfold.ingest.readers.front_matter import front_matter
from fourfold.ingest.readers.parsed import Parsed, cut_at, plain_lines, with_those_above
from fourfold.lazy import load

_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_EMPHASIS = frozenset({"em_open", "em_close", "strong_open", "strong_close"})

_ANCHOR = re.compile(r"\{:?\s*#[^{}]*\}\Z")
"""The name by which links call a heading, as site generators write it: ``{ #first-steps }``."""

_PICTURE = re.compile(r"(data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,)[A-Za-z0-9+/=_-]{100,}")
"""What is written into a text in Base64. Cut into chunks like words it would be most of what a file is found by."""


def parse_markdown(source: str) -> Parsed:
    """Read Markdown (CommonMark with tables); the text is the source without its front matter and written-in pictures.

    Front matter that cannot be read stays in the text, and ``problem`` says why.

    Raises:
        MissingExtraError: markdown-it-py or PyYAML is not installed.

    """
    metadata, body, problem = front_matter(whole := plain_lines(source))
    head = whole.removesuffix(body)
    kept = "" if problem is None else _PICTURE.sub(r"\1…", head)
    text = _PICTURE.sub(r"\1…", body)
    library = load("markdown_it", "Reading Markdown", extra="ingest")
    tokens = library.MarkdownIt("commonmark").enable("table").parse(text)
    headings = [
        (kept.count("\n") + token.map[0], int(token.tag[1:]), _words(tokens[place + 1].children or ()))
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and token.level == 0
    ]
    first = next((words for _, level, words in headings if level == 1 and words), "")
    given = metadata.get("title")
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)  # 1984 is a title
    title = str(given) if is_number or (isinstance(given, str) and given) else first
    sections = tuple(cut_at(kept + text, with_those_above(headings, title)))
    parsed = Parsed((kept + text).strip(), title, metadata, sections=sections, problem=problem)
    parsed.wiki_links += map(str.strip, _WIKI_LINK.findall(head))
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open" and (target := child.attrGet("href")):
                parsed.links.append(str(target))
        parsed.wiki_links += map(str.strip, _WIKI_LINK.findall(_as_written(token.children or ())))
    return parsed


def _words(inline: Sequence[Any]) -> str:
    """Return what a heading says, without its markup; of pictures that stand alone what they show."""
    said = "".join(" " if token.type.endswith("break") else token.content for token in inline if _is_said(token))
    shown = " ".join(token.content for token in inline if token.type == "image")
    return " ".join((_ANCHOR.sub("", said.strip()) or shown).split())


def _is_said(token: Any) -> bool:
    return token.type in ("text", "code_inline", "softbreak", "hardbreak")


def _as_written(inline: Sequence[Any]) -> str:
    """Return a text with the marks of emphasis, which are letters in ``[[__init__]]``; nothing else is wiki links'."""
    return "".join(
        token.content if token.type == "text" else token.markup if token.type in _EMPHASIS else "\n" for token in inline
    )
