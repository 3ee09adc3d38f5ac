"""HTML → a document, however broken it is: the visible text, cut at its headings, the title, the links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fourfold.arguments import shown
from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.parsed import Parsed, cut_at, decoded, with_those_above
from fourfold.lazy import load

_HIDDEN = frozenset({"script", "style", "template", "noscript"})
_BLOCKS = frozenset(
    "address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr label legend li main nav ol optgroup option p pre section select "
    "summary table tbody td textarea tfoot th thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = ("td", "th")
_LONGEST_ROW = 1000
"""Most characters, and pieces of text, of a table's row that is a line; a longer one lays out a page."""

_ASIDE = ("aside", "blockquote", "dialog", "fieldset", "figure", "nav")
"""Where headings stand for themselves: what follows the element is not below them."""

_MISNESTED = ("Opening and ending tag mismatch", "Unexpected end tag")
_SPACE = re.compile(r"[ \t\r\f\v\n]+")
_BLOCK, _LINE, _BLANK, _CUT = "\0\1\2\3"
"""What stands for the end of a block, for line ends and blanks that were set as they are, and as a block of its own
before a heading, until all is read."""

_NO_MARKS = str.maketrans(dict.fromkeys((_BLOCK, _LINE, _BLANK, _CUT), " "))
_AS_SET = str.maketrans({"\n": _LINE, " ": _BLANK})


_DECLARED = re.compile(
    rb"""<(?:meta\s[^<>]*?charset|\?xml\s[^<>]*?encoding)\s*=\s*(?:["']\s*)?([\w-]+)""", re.IGNORECASE
)
_BROWSERS_READ = re.compile(
    r"(?:iso-?8859-\d+|latin-?\d|windows-\d+|cp125\d|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-(?:jp|kr)|shift_jis)\Z",
    re.IGNORECASE,
)
_HEAD = 1024
"""Bytes in which a page may say how it is encoded, as browsers have it."""


def read_html(data: bytes) -> Parsed:
    """Read HTML in UTF-8 or UTF-16, or as it says itself that it is encoded; see ``parse_html``."""
    try:
        return parse_html(decoded(data))
    except InvalidValueError:
        declared = _DECLARED.search(data, 0, _HEAD)
        encoding = declared[1].decode("ascii", "replace") if declared else ""
        if not _BROWSERS_READ.match(encoding):
            raise
        # what is called Latin-1 has the quotation marks of Windows
        encoding = "cp1252" if encoding.lower() in ("iso-8859-1", "latin1", "latin-1") else encoding
        return parse_html(_in(encoding, data))


def _in(encoding: str, data: bytes) -> str:
    try:
        return data.decode(encoding, "replace")
    except LookupError as error:
        raise InvalidValueError(f"the file is no UTF-8 text, and {shown(encoding)} is no encoding.") from error


def parse_html(source: str) -> Parsed:
    """Read HTML as libxml2 does, in time linear in its length; tags that do not match are named in ``problem``.

    A page without a title is called by its first heading of the first level.

    Raises:
        MissingExtraError: lxml is not installed.

    """
    load("lxml", "Reading HTML", extra="ingest")
    from lxml import etree  # type: ignore[import-untyped]

    reader = _Reader()
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, recover=True)
    etree.fromstring(source.encode(), parser)
    given = (_SPACE.sub(" ", block).strip(f" {_LINE}") for block in "".join(reader.text).split(_BLOCK))
    blocks = [block for each in given if (block := each.replace(_LINE, "\n").replace(_BLANK, " ").rstrip())]
    text = "\n\n".join(block for block in blocks if block != _CUT)
    headings = [(level, " ".join("".join(said).split())) for level, said in reader.headings]
    first = next((words for level, words in headings if level == 1 and words), "")
    parsed = Parsed(text, " ".join("".join(reader.title).split()) or first)
    cuts = ((line, *headings[number]) for line, number in zip(_cut_lines(blocks), reader.cuts, strict=True))
    parsed.sections = tuple(cut_at(text, with_those_above(cuts, parsed.title)))
    parsed.links = reader.links
    wrong = dict.fromkeys(entry.message for entry in parser.error_log if entry.message.startswith(_MISNESTED))
    if wrong:
        parsed.problem = f"broken HTML ({'; '.join(list(wrong)[:3])}); it was read as far as it goes."
    return parsed


def _cut_lines(blocks: Iterable[str]) -> Iterator[int]:
    """Return on which line of the text each heading that cuts it stands, from 0."""
    line = 0
    for block in blocks:
        if block == _CUT:
            yield line
        else:
            line += block.count("\n") + 2


class _Reader:
    """What lxml tells its events to; it gives every element an end."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.title: list[str] = []
        self.headings: list[tuple[int, list[str]]] = []
        self.cuts: list[int] = []
        self.links: list[str] = []
        self._rows: list[list[int]] = []
        self._open: Counter[str] = Counter()
        self._hidden = 0
        self._titled = self._in_heading = False

    def start(self, tag: str, attributes: Any) -> None:
        if tag in _BLOCKS:
            self.text.append(_BLOCK)
            if self._in_heading:
                self.headings[-1][1].append(" ")
        if tag in _HEADINGS:
            self._in_heading = True
            if not self._hidden and not any(self._open[place] for place in _ASIDE):
                self.text += [_CUT, _BLOCK]
                self.cuts.append(len(self.headings))
            self.headings.append((_HEADINGS[tag], []))
        if tag == "tr":
            self._rows.append([])
        if tag in _CELLS and self._rows:
            self._rows[-1].append(len(self.text))
        if tag == "a" and (target := attributes.get("href")):
            self.links.append(target)
        self._open[tag] += 1
        self._hidden += tag in _HIDDEN

    def end(self, tag: str) -> None:
        if tag == "tr" and self._rows:
            self._end_row(self._rows.pop())
        if tag in _BLOCKS:
            self.text.append(_BLOCK)
        self._titled |= tag == "title" and self._open["svg"] == 0
        self._in_heading &= tag not in _HEADINGS  # also of one that was left open around it
        self._open[tag] -= 1
        self._hidden -= tag in _HIDDEN

    def _end_row(self, starts: list[int]) -> None:
        """Make a line of a row's cells, if it says no more than a line can: what stands beside what is then kept."""
        if len(starts) < 2 or len(self.text) - starts[0] > _LONGEST_ROW:
            return
        ends = (*starts[1:], len(self.text))
        cells = ["".join(self.text[start:end]) for start, end in zip(starts, ends, strict=True)]
        if sum(map(len, cells)) <= _LONGEST_ROW and not any(_CUT in cell for cell in cells):
            said = (" ".join(cell.translate(_NO_MARKS).split()) for cell in cells)
            self.text[starts[0] :] = [" | ".join(said)]

    def data(self, data: str) -> None:
        plain = data.translate(_NO_MARKS)
        if self._hidden:
            return
        if self._open["title"]:  # that of a picture says nothing of the page
            if not self._titled and not self._open["svg"]:
                self.title.append(plain)
            return
        if self._in_heading:
            self.headings[-1][1].append(plain)
        if self._open["pre"]:
            self.text.append(plain.expandtabs(4).translate(_AS_SET))
        else:
            self.text.append(plain)

    def close(self) -> None:
        """Take note of the end, as lxml asks for."""
