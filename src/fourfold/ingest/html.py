"""HTML → a document, however broken it is: the visible text, the title, the links."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from fourfold.ingest.markdown import Parsed

_HIDDEN = frozenset({"script", "style", "template", "noscript"})
_BLOCKS = frozenset(
    "address article aside blockquote body br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header "  # noqa: SIM905
    "hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
_CLOSED_BY_HAND = frozenset(
    "a article aside b blockquote button code div em figure footer form h1 h2 h3 h4 h5 h6 header i main nav ol pre "  # noqa: SIM905
    "script section span strong style table title ul".split()
)
"""Elements whose end tag HTML does not let one leave out."""


def parse_html(source: str) -> Parsed:
    """Read HTML; what is not closed, or closed without having been opened, is named in ``problem``."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    lines = (re.sub(r"[ \t\r\f\v\n]+", " ", line).strip() for line in "".join(reader.text).split("\0"))
    parsed = Parsed("\n\n".join(line for line in lines if line))
    parsed.title = " ".join("".join(reader.title).split())
    parsed.links = reader.links
    if reader.open or reader.stray:
        wrong = [f"<{tag}> is not closed" for tag in reader.open[:3]]
        wrong += [f"</{tag}> closes nothing" for tag in reader.stray[:3]]
        parsed.problem = f"broken HTML ({', '.join(wrong)}); it was read as far as it goes."
    return parsed


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.title: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.stray: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.text.append("\0")
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]
        if tag in _CLOSED_BY_HAND:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag in _CLOSED_BY_HAND:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.text.append("\0")
        if tag not in _CLOSED_BY_HAND:
            return
        if tag in self.open:  # the innermost one; what is open inside it stays open, and is reported
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag)]
        else:
            self.stray.append(tag)

    def handle_data(self, data: str) -> None:
        if not _HIDDEN.isdisjoint(self.open):
            return
        (self.title if "title" in self.open else self.text).append(data.replace("\0", " "))
