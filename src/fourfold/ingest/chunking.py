"""Long texts → chunks: at paragraphs where possible, else at sentences, else at words. Nothing is lost or repeated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fourfold.ingest.documents import Section

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+|(?<=[。！？])|\n")
_WORD_END = re.compile(r"\s+")


def chunks(text: str, sections: Sequence[Section], length: int) -> list[Section]:
    """Cut a text into chunks of at most ``length`` characters.

    A chunk holds text of one heading, or of small neighbouring sections together; without sections the text is cut as a
    whole.
    """
    found: list[Section] = []
    for section in _merged(_under_headings(sections or (Section(text),), length), length):
        found += [Section(part, section.heading) for part in split(section.text, length)]
    return found


def split(text: str, length: int) -> list[str]:
    """Cut a text into parts of at most ``length`` characters, each stripped and not empty."""
    return [part for part in (piece.strip() for piece in _packed(_pieces(text, length), length)) if part]


def _under_headings(sections: Iterable[Section], length: int) -> Iterator[Section]:
    """Put a section of one short line, a heading and no more, before the text below it: it would answer for that."""
    lines: list[str] = []
    heading = ""
    for section in sections:
        heading = section.heading
        if len(section.text) < length // 4 and sum(map(_says, section.text.splitlines())) < 2:
            lines.append(section.text.strip())
        else:
            yield Section("\n\n".join((*lines, section.text)), heading) if lines else section
            lines = []
    if lines:
        yield Section("\n\n".join(lines), heading)


def _says(line: str) -> bool:
    return any(map(str.isalnum, line))


def _merged(sections: Iterable[Section], length: int) -> Iterator[Section]:
    """Join a section that is small beside a chunk with the next one under the same first heading."""
    held: Section | None = None
    for section in sections:
        if held is None:
            held = section
        elif len(held.text) < length // 4 and len(held.text) + len(section.text) < length:
            held = Section(f"{held.text.rstrip()}\n\n{section.text}", held.heading or section.heading)
        else:
            yield held
            held = section
    if held is not None:
        yield held


def _pieces(text: str, length: int) -> Iterator[str]:
    """Return consecutive pieces of at most ``length`` characters, as coarse as possible; joined they are the text."""
    for paragraph in _cut(text, _PARAGRAPH_END):
        if len(paragraph.strip()) <= length:
            yield paragraph
            continue
        for sentence in _cut(paragraph, _SENTENCE_END):
            if len(sentence.strip()) <= length:
                yield sentence
                continue
            for word in _cut(sentence, _WORD_END):
                for start in range(0, len(word), length):
                    yield word[start : start + length]


def _cut(text: str, end: re.Pattern[str]) -> Iterator[str]:
    start = 0
    for found in end.finditer(text):
        if found.end() > start:
            yield text[start : found.end()]
            start = found.end()
    if start < len(text):
        yield text[start:]


def _packed(pieces: Iterable[str], length: int) -> Iterator[str]:
    """Join consecutive pieces as long as they fit."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        if held and size + len(piece.rstrip()) > length:
            yield "".join(held)
            held, size = [], 0
        held.append(piece)
        size += len(piece)
    if held:
        yield "".join(held)
