"""What Word, Excel and PowerPoint files share: an archive of parts in XML, how these are related, what they say."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.parsed import Parsed
from fourfold.lazy import load

_LARGEST = 100_000_000
"""Most bytes of a part of the file when it is unpacked; a small archive may hold any number."""

_OTHER = b"\xd0\xcf\x11\xe0"
"""How a file begins that is encrypted, or of an older Office."""

_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_UNSAID = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "rPh"})
"""What was struck out, a drawing's second form for other programs, what says how a text looks, how it is read aloud."""


def read_package(data: bytes, kind: str, parsed: Callable[[Package], Parsed]) -> Parsed:
    """Return what is made of the parts of a file; its title, where it has none of its own, and author are its facts'.

    Raises:
        InvalidValueError: it is none of this kind, asks for a password, or unpacks to too much.
        MissingExtraError: lxml is not installed.

    """
    load("lxml", f"Reading {kind}", extra="ingest")
    if data.startswith(_OTHER):
        raise InvalidValueError(f"the file asks for a password, or is of an old Office; save it as {kind} without one.")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            package = Package(archive)
            found = parsed(package)
    except (BadZipFile, KeyError, RuntimeError) as error:  # RuntimeError: of an encrypted archive
        raise InvalidValueError(f"the file is no {kind} that can be read: {' '.join(map(str, error.args))}.") from error
    author = package.fact("creator")
    return replace(found, title=found.title or package.fact("title"), metadata={"author": author} if author else {})


class Related(NamedTuple):
    """Another part of the file, or an address of what is outside, and how a part is related to it."""

    id: str
    kind: str
    target: str


class Package:
    """The parts of an archive, and how they are related."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        self.main = next(iter(self.related("", "officeDocument")), "")
        """The part that all others belong to."""
        facts = [fact for tree in self.trees("", "core-properties") for fact in tree]
        self._facts = {tag(fact): " ".join((fact.text or "").split()) for fact in facts}

    def fact(self, name: str) -> str:
        """Return what the file says of itself, such as its title; "" where it says nothing."""
        return self._facts.get(name, "")

    def data(self, part: str) -> bytes:
        """Return a part unpacked."""
        with self._archive.open(part) as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InvalidValueError(f"{part} in the file unpacks to more than {_LARGEST:,} bytes; it is left out.")
        return data

    def tree(self, part: str) -> Any:
        """Return the XML of a part; entities are not followed."""
        from lxml import etree  # type: ignore[import-untyped]

        parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
        return etree.fromstring(self.data(part), parser)

    def relations(self, part: str) -> Iterator[Related]:
        """Return what a part is related to."""
        folder, name = posixpath.split(part)
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        for each in self.tree(place) if place in self._names else ():
            if target := each.get("Target"):
                if each.get("TargetMode") != "External":
                    target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                yield Related(each.get("Id", ""), each.get("Type", "").rpartition("/")[2], target)

    def related(self, part: str, kind: str) -> list[str]:
        """Return what a part is related to in this way: the names of parts, and addresses of what is outside."""
        return [each.target for each in self.relations(part) if each.kind == kind]

    def trees(self, part: str, kind: str) -> list[Any]:
        """Return the XML of the parts that a part is related to in this way."""
        return [self.tree(each) for each in self.related(part, kind)]

    def listed(self, entries: str) -> Iterator[tuple[Any, str]]:
        """Return what the main part lists in an order of its own, such as sheets or slides, each with its part."""
        targets = {each.id: each.target for each in self.relations(self.main)}
        for entry in self.tree(self.main).iter(f"{{*}}{entries}"):
            yield entry, targets[next(value for key, value in entry.items() if key.endswith("}id"))]


def blocks(element: Any) -> Iterator[tuple[Any, str]]:
    """Return the paragraphs and the tables below an element, and what they say; a row of a table is a line."""
    for child in element:
        if tag(child) == "p":
            yield child, said(child)
        elif tag(child) == "tbl":
            yield child, "\n".join(_row(row) for row in _nearest(child, "tr"))
        elif tag(child) not in _UNSAID:
            yield from blocks(child)


def _row(row: Any) -> str:
    return " | ".join(" ".join(said(cell).split()) for cell in _nearest(row, "tc"))


def _nearest(element: Any, name: str) -> Iterator[Any]:
    """Return what is called so below an element, also in wrappers such as content controls; none within another."""
    for child in element:
        if tag(child) == name:
            yield child
        else:
            yield from _nearest(child, name)


def said(element: Any) -> str:
    """Return what an element says, a paragraph within it on a line of its own."""
    return "".join(_pieces(element)).strip()


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        name = tag(child)
        if name == "t":
            yield child.text or ""
        elif name not in _UNSAID:
            yield _BREAKS.get(name, "")
            yield from _pieces(child)
            yield "\n" if name == "p" else ""


def tag(element: Any) -> str:
    """Return the name of an element within its namespace."""
    return str(element.tag).rpartition("}")[2]


def value(element: Any, name: str = "val") -> str:
    """Return an attribute, of whatever namespace; "" if there is none."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")
