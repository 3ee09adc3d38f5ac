"""Word (.docx) → a document: its paragraphs, the rows of its tables, its notes; cut at headings."""

from __future__ import annotations

import io
import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.parsed import Parsed, cut_at, with_those_above
from fourfold.lazy import load

_LARGEST = 100_000_000
"""Most bytes of a part of the file when it is unpacked; a small archive may hold any number."""

_OTHER = b"\xd0\xcf\x11\xe0"
"""How a file begins that is encrypted, or of an older Word."""

_TITLE = 0
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
"""The name of a style within the file, in whatever language Word runs."""

_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_UNSAID = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr"})
"""What was struck out, a drawing's second form for other programs, and what says how a text looks."""


class _Block(NamedTuple):
    text: str
    level: int | None = None


def read_word(data: bytes) -> Parsed:
    """Read .docx with its tracked changes accepted; comments, headers and footers are left out, the author is metadata.

    Raises:
        InvalidValueError: it is no .docx, asks for a password, or unpacks to too much.
        MissingExtraError: lxml is not installed.

    """
    load("lxml", "Reading Word", extra="ingest")
    if data.startswith(_OTHER):
        raise InvalidValueError("the file asks for a password, or is of an old Word; save it as .docx without one.")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return _parsed(_Package(archive))
    except (BadZipFile, KeyError, RuntimeError) as error:  # RuntimeError: of an encrypted archive
        raise InvalidValueError(f"the file is no .docx that can be read: {' '.join(map(str, error.args))}.") from error


def _parsed(package: _Package) -> Parsed:
    (main,) = package.related("", "officeDocument")[:1] or [""]
    levels = {name: level for styles in package.trees(main, "styles") for name, level in _levels(styles)}
    trees = [package.tree(main), *package.trees(main, "footnotes"), *package.trees(main, "endnotes")]
    blocks = [block for tree in trees for block in _blocks(tree, levels) if block.text]
    facts = {_tag(fact): fact.text or "" for tree in package.trees("", "core-properties") for fact in tree}
    written = {level: text for text, level in reversed(blocks) if level is not None}
    title = " ".join((written.get(_TITLE) or facts.get("title") or written.get(1) or "").split())
    starts, line = [], 0
    for text, level in blocks:
        if level:
            starts.append((line, level, " ".join(text.split())))
        line += text.count("\n") + 2
    text = "\n\n".join(block.text for block in blocks)
    author = " ".join(facts.get("creator", "").split())
    return Parsed(
        text,
        title,
        {"author": author} if author else {},
        links=package.related(main, "hyperlink"),
        sections=tuple(cut_at(text, with_those_above(starts, title))),
    )


class _Package:
    """The parts of an archive, and how they are related."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    def tree(self, part: str) -> Any:
        """Return the XML of a part; entities are not followed."""
        from lxml import etree  # type: ignore[import-untyped]

        with self._archive.open(part) as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InvalidValueError(f"{part} in the file unpacks to more than {_LARGEST:,} bytes; it is left out.")
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True))

    def related(self, part: str, kind: str) -> list[str]:
        """Return what a part is related to in this way: the names of parts, and addresses of what is outside."""
        folder, name = posixpath.split(part)
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        if place not in self._archive.namelist():
            return []
        found = [each for each in self.tree(place) if each.get("Type", "").endswith(f"/{kind}")]
        return [
            target
            if each.get("TargetMode") == "External"
            else posixpath.normpath(f"/{folder}/{target}").lstrip("/")
            if not target.startswith("/")
            else target.lstrip("/")
            for each in found
            if (target := each.get("Target"))
        ]

    def trees(self, part: str, kind: str) -> list[Any]:
        """Return the XML of the parts that a part is related to in this way."""
        return [self.tree(each) for each in self.related(part, kind)]


def _levels(styles: Any) -> Iterator[tuple[str, int]]:
    """Return the styles of headings with their levels, and that of the title; a style is what it is based on, too."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in styles:
        identity = _value(style, "styleId")
        for fact in style.iter():
            if _tag(fact) == "name" and (found := _HEADING.fullmatch(_value(fact))):
                own[identity] = int(found[1])
            elif _tag(fact) == "name" and _value(fact).lower() == "title":
                own[identity] = _TITLE
            elif _tag(fact) == "basedOn":
                based[identity] = _value(fact)
    for style in (*own, *based):
        of, seen = style, {style}
        while of not in own and (of := based.get(of, "")) not in seen:
            seen.add(of)
        if of in own:
            yield style, own[of]


def _blocks(element: Any, levels: dict[str, int]) -> Iterator[_Block]:
    """Return the paragraphs and the tables below an element."""
    for child in element:
        if _tag(child) == "p":
            styles = (_value(fact) for fact in child.iterfind("{*}pPr/{*}pStyle"))
            yield _Block(_said(child), next((levels[style] for style in styles if style in levels), None))
        elif _tag(child) == "tbl":
            yield _Block("\n".join(_row(row) for row in child.iterfind("{*}tr")))
        elif _tag(child) not in _UNSAID:
            yield from _blocks(child, levels)


def _row(row: Any) -> str:
    return " | ".join(" ".join(_said(cell).split()) for cell in row.iter("{*}tc"))


def _said(element: Any) -> str:
    """Return what an element says, a paragraph within it on a line of its own."""
    return "".join(_pieces(element)).strip()


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        tag = _tag(child)
        if tag == "t":
            yield child.text or ""
        elif tag not in _UNSAID:
            yield _BREAKS.get(tag, "")
            yield from _pieces(child)
            yield "\n" if tag == "p" else ""


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _value(element: Any, name: str = "val") -> str:
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")
