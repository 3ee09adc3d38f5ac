"""HTML → a document, however broken it is: the visible text, the title, the links."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from fourfold.errors import MissingExtraError
from fourfold.ingest.readers.parsed import Parsed

_HIDDEN = frozenset({"script", "style", "template", "noscript"})
_BLOCKS = frozenset(
    "address article aside blockquote body br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header "  # noqa: SIM905
    "hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
_MISNESTED = ("Opening and ending tag mismatch", "Unexpected end tag")
_SPACE = re.compile(r"[ \t\r\f\v\n]+")


def parse_html(source: str) -> Parsed:
    """Read HTML as libxml2 does, in time linear in its length; tags that do not match are named in ``problem``.

    Raises:
        MissingExtraError: lxml is not installed.

    """
    etree = _lxml()
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, recover=True)
    etree.fromstring(source.encode(), parser)
    lines = (_SPACE.sub(" ", line).strip() for line in "".join(reader.text).split("\0"))
    parsed = Parsed("\n\n".join(line for line in lines if line))
    parsed.title = " ".join("".join(reader.title).split())
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
        self.links: list[str] = []
        self._open: Counter[str] = Counter()
        self._hidden = 0

    def start(self, tag: str, attributes: Any) -> None:
        if tag in _BLOCKS:
            self.text.append("\0")
        if tag == "a" and (target := attributes.get("href")):
            self.links.append(target)
        self._open[tag] += 1
        self._hidden += tag in _HIDDEN

    def end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.text.append("\0")
        self._open[tag] -= 1
        self._hidden -= tag in _HIDDEN

    def data(self, data: str) -> None:
        if not self._hidden:
            (self.title if self._open["title"] else self.text).append(data.replace("\0", " "))

    def close(self) -> None:
        """Take note of the end, as lxml asks for."""


def _lxml() -> Any:
    try:
        from lxml import etree  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError("Reading HTML needs lxml; install it with pip install 'fourfold[ingest]'.") from error
    return etree
