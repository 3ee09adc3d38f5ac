"""HTML → a document, however broken it is: the visible text, the title, the links."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from fourfold.ingest.readers.parsed import Parsed
from fourfold.when_needed import load

_HIDDEN = frozenset({"script", "style", "template", "noscript"})
_BLOCKS = frozenset(
    "address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr label legend li main nav ol optgroup option p pre section select "
    "summary table tbody td textarea tfoot th thead tr ul".split()
)
_MISNESTED = ("Opening and ending tag mismatch", "Unexpected end tag")
_SPACE = re.compile(r"[ \t\r\f\v\n]+")
_BLOCK, _LINE, _BLANK = "\0\1\2"
"""What stands for the end of a block, and for line ends and blanks that were set as they are, until all is read."""

_NO_MARKS = str.maketrans(dict.fromkeys((_BLOCK, _LINE, _BLANK), " "))
_AS_SET = str.maketrans({"\n": _LINE, " ": _BLANK})


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
    blocks = (_SPACE.sub(" ", block).strip(f" {_LINE}") for block in "".join(reader.text).split(_BLOCK))
    shown = (block.replace(_LINE, "\n").replace(_BLANK, " ").rstrip() for block in blocks)
    parsed = Parsed("\n\n".join(block for block in shown if block.strip()))
    parsed.title = " ".join("".join(reader.title).split()) or " ".join("".join(reader.heading).split())
    parsed.links = reader.links
    wrong = dict.fromkeys(entry.message for entry in parser.error_log if entry.message.startswith(_MISNESTED))
    if wrong:
        parsed.problem = f"broken HTML ({'; '.join(list(wrong)[:3])}); it was read as far as it goes."
    return parsed


class _Reader:
    """What lxml tells its events to; it gives every element an end."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.title: list[str] = []
        self.heading: list[str] = []
        self.links: list[str] = []
        self._open: Counter[str] = Counter()
        self._hidden = 0
        self._titled = self._headed = False

    def start(self, tag: str, attributes: Any) -> None:
        if tag in _BLOCKS:
            self.text.append(_BLOCK)
            self.heading += [" "] if self.heading and not self._headed else []
        if tag == "a" and (target := attributes.get("href")):
            self.links.append(target)
        self._open[tag] += 1
        self._hidden += tag in _HIDDEN

    def end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.text.append(_BLOCK)
        self._titled |= tag == "title" and self._open["svg"] == 0
        self._headed |= tag == "h1" and any(map(str.strip, self.heading))
        self._open[tag] -= 1
        self._hidden -= tag in _HIDDEN

    def data(self, data: str) -> None:
        plain = data.translate(_NO_MARKS)
        if self._hidden:
            return
        if self._open["title"]:  # that of a picture says nothing of the page
            if not self._titled and not self._open["svg"]:
                self.title.append(plain)
            return
        if self._open["h1"] and not self._headed:
            self.heading.append(plain)
        if self._open["pre"]:
            self.text.append(plain.expandtabs(4).translate(_AS_SET))
        else:
            self.text.append(plain)

    def close(self) -> None:
        """Take note of the end, as lxml asks for."""
