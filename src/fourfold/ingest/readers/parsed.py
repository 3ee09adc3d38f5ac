"""What every reader makes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fourfold.encodings import UTF_8, marked, unread
from fourfold.errors import FourfoldError, InvalidValueError
from fourfold.ingest.documents import Section, shortened

_LOOKED_AT = 4096
"""Bytes of a file that tell how it is encoded."""

LONGEST_TEXT = 50_000_000
"""Most characters that are made of a file; a small one may hold any number."""


class NoTextError(InvalidValueError):
    """A file is whole, and nothing to read: it is passed over and not called broken."""


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


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8 or UTF-16, or in UTF-32 with a byte order mark.

    Raises:
        InvalidValueError: it is in none of them; the sentence has the first byte that is wrong.

    """
    encoding = marked(data)
    if encoding == UTF_8:
        encoding = _without_mark(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidValueError(reason(error)) from error


def _without_mark(data: bytes) -> str:
    """Return UTF-16 where every other byte is what begins a letter of an alphabet there, and some are NUL; else UTF-8.

    Blanks, line ends and all of ASCII begin with NUL, every alphabet up to Thai with a byte below 0x10. Chinese does
    not, but is no UTF-8 either, and so refused.
    """
    for encoding, place in (("utf-16-le", 1), ("utf-16-be", 0)):
        firsts, seconds = data[place:_LOOKED_AT:2], data[1 - place : _LOOKED_AT : 2]
        others = firsts.translate(None, delete=bytes(range(0x10)))
        if firsts.count(0) > 8 * seconds.count(0) and 4 * len(others) <= len(firsts):
            return encoding
    return UTF_8


def without_halves(text: str) -> str:
    """Return a text in which halves of characters that stand side by side are one, and others are U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def plain_lines(text: str) -> str:
    """Return a text whose lines all end with a line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def cut_at(text: str, headings: Iterable[tuple[int, str]]) -> Iterator[Section]:
    """Cut a text before some of its lines.

    Args:
        text: with lines that end with a line feed, and with nothing else: neither a form feed nor U+2028 ends one.
        headings: line number, from 0 and rising, and what the lines from there on come under.

    """
    lines = [f"{line}\n" for line in text.split("\n")]
    start, heading = 0, ""
    for end, following in (*headings, (len(lines), "")):
        part = "".join(lines[start:end])
        if part.strip():
            yield Section(part, heading)
        start, heading = end, following


def with_those_above(headings: Iterable[tuple[int, int, str]], title: str) -> Iterator[tuple[int, str]]:
    """Return each heading (line, level, words) with those above it, but for the document's title.

    ``headings`` are line number, level from 1, and words; an only heading of the first level is another way to write
    the ``title``.
    """
    given = list(headings)
    first = [shortened(words) for _, level, words in given if level == 1]
    titles = {shortened(title), *(first if len(first) == 1 else ())}
    above: list[tuple[int, str]] = []
    for line, level, words in given:
        above = [(other, label) for other, label in above if other < level] + [(level, shortened(words))]
        yield line, " › ".join(label for other, label in above if label and (other > 1 or label not in titles))


def reason(error: Exception) -> str:
    """Return why a file is passed over, in a sentence."""
    if isinstance(error, FourfoldError):
        return str(error)
    if isinstance(error, (OSError, UnicodeDecodeError)):
        return f"the file cannot be read: {unread(error)}."
    return f"the file cannot be read: {type(error).__name__}: {' '.join(str(error).split())[:300]}."
