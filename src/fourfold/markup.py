"""A text with the words of a question marked in it, whoever draws the marks: a page, a notebook, a terminal."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from fourfold.encodings import in_utf8
from fourfold.plain_text import beginning, plain_text
from fourfold.word_breaks import stretches


class Piece(NamedTuple):
    """A stretch of text, and whether it is one of the question's words."""

    text: str
    marked: bool = False


def marked(text: str, wanted: Collection[str], terms: Callable[[str], Sequence[str]]) -> list[Piece]:
    """Return the text in pieces; a whole word is marked where one of its terms is wanted, as it stands there."""
    pieces: list[Piece] = []
    done = 0
    for word in stretches(text):
        for start, end in _stretches(word.group(), wanted, terms):
            first, last = word.start() + start, word.start() + end
            if first > done:
                pieces.append(Piece(text[done:first]))
            pieces.append(Piece(text[first:last], True))
            done = last
    return [*pieces, Piece(text[done:])] if done < len(text) else pieces


def cut(text: str, limit: int) -> str:
    """Return the text made plain, on one line; where it is longer than the limit, its beginning and a sentence."""
    kept = beginning(text, limit)
    shown = " ".join(plain_text(kept).split())
    return shown if len(text) <= limit else f"{shown}… (the first {len(kept)} of {len(text):,} characters)"


def escaped(text: str) -> str:
    """Return text for HTML; it may hold lone surrogates, which no page can be encoded with."""
    return in_utf8(html.escape(text))


def marked_html(pieces: Iterable[Piece]) -> str:
    """Return pieces as HTML in which whatever they hold is only text."""
    return "".join(f"<mark>{escaped(text)}</mark>" if mark else escaped(text) for text, mark in pieces)


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table for a notebook, its cells left-aligned and at the top.

    The cells are HTML already, see ``escaped`` and ``marked_html``; caption and head are plain text.
    """
    left = ' style="text-align:left;vertical-align:top"'
    names = "<tr>" + "".join(f"<th{left}>{escaped(name)}</th>" for name in head) + "</tr>" if head else ""
    body = "".join("<tr>" + "".join(f"<td{left}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table><caption style="text-align:left">{escaped(caption)}</caption>{names}{body}</table>'


def html_facts(caption: str, facts: Mapping[str, object]) -> str:
    """Return names and values as a table for a notebook; values that have parts of their own are left out."""
    rows = (
        [escaped(name.replace("_", " ")), escaped(cut(_in_words(value), 300))]
        for name, value in facts.items()
        if not isinstance(value, Mapping)
    )
    return html_table(caption, (), rows)


def _in_words(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def html_name(name: str, more: str = "", text: str = "") -> str:
    """Return a cell: a name in bold, a word beside it, and what there is to read below, which is HTML already."""
    beside = f" <small>{escaped(more)}</small>" if more else ""
    return f"<b>{name}</b>{beside}" + (f"<br>{text}" if text else "")


def _stretches(word: str, wanted: Collection[str], terms: Callable[[str], Sequence[str]]) -> Sequence[tuple[int, int]]:
    """Return where a word is wanted: as a whole; in writing without spaces, the parts that are."""
    found = [term for term in terms(word) if term in wanted]
    if not found:
        return ()
    places = [] if word.isascii() else sorted(_places(word.lower(), found))
    if not places:
        return ((0, len(word)),)
    joined = [places[0]]
    for start, end in places[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _places(word: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Return where two-letter parts stand in a long word; nothing where a part is a stem of it."""
    if any(len(part) > 2 or part.isascii() for part in parts):
        return []
    return [(at, at + len(part)) for part in parts for at in range(len(word)) if word.startswith(part, at)]
