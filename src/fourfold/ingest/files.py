"""A file → documents: what reads it, what its links lead to, and why it is passed over."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from fourfold.errors import InvalidValueError
from fourfold.ingest.documents import Document, shortened
from fourfold.ingest.readers import READ_APART, READERS, Parsed
from fourfold.ingest.readers.apart import ReadersApart
from fourfold.ingest.roots import Roots

_READING = b"9"
"""Part of every file's hash: another number makes all files be read again."""

_SMALL = 1 << 20
"""Bytes of a file that is read in this process: a library's marks of Markdown take 400 times its size."""

_NOTION = re.compile(r" [0-9a-f]{32}\Z")
"""What Notion puts behind the names of the files that it exports."""


def no_reader(path: Path) -> str | None:
    """Return why no file of this name is read; None if it is."""
    kind = path.suffix.lower()
    if path.name.startswith("~$"):
        return "it is no document, but Office's note that one is open."
    if kind in READERS or is_corpus(path):
        return None
    if f"{kind}x" in READERS:
        return f"there is no reader for {kind}, of an old Office; save it as {kind}x."
    if is_json_lines(path):
        return "JSON Lines are read where they are named; of a folder, only a BEIR collection's corpus.jsonl."
    if kind == ".graphml":
        return "GraphML is read where the command names the file itself, or by ingest.read_graphml."
    return f"there is no reader for {path.suffix or 'names without an ending such as .md'}."


def is_json_lines(path: Path) -> bool:
    """Whether a file is named as JSON Lines are."""
    return path.suffix.lower() in (".jsonl", ".ndjson")


def is_corpus(path: Path) -> bool:
    """Whether a file holds the texts of a BEIR collection, in the folder of its questions."""
    return path.name == "corpus.jsonl" and path.with_name("queries.jsonl").exists()


def fingerprint(path: Path, data: bytes) -> str:
    """Return a hash of a file and its place."""
    place = path.as_posix().encode("utf-8", "surrogateescape")
    return hashlib.blake2b(_READING + place + data, digest_size=16).hexdigest()


def document_of(path: Path, data: bytes, roots: Roots, apart: ReadersApart) -> tuple[Document, str | None]:
    """Return a file as a document, and what is wrong with it.

    Raises:
        Exception: whatever a reader raises at a broken file; ``reason`` puts it into words.

    """
    if not data.strip():
        raise InvalidValueError("the file is empty.")
    kind = path.suffix.lower()
    parsed = apart.read(kind, data) if kind in READ_APART or len(data) > _SMALL else READERS[kind](data)
    if not parsed.text.strip():
        raise InvalidValueError("the file holds no text.")
    place = path.as_posix()
    identity = roots.id_of(place) or path.name
    below = PurePosixPath(place).relative_to(roots.root_of(place) or path.parent.as_posix()).with_suffix("")
    name = path.parent.name if path.stem in ("__init__", "index") else path.stem
    links = dict.fromkeys(_targets(dict.fromkeys(parsed.links), path, roots))  # one by one: a million may be the same
    links.update(dict.fromkeys(parsed.wiki_links))
    links.pop(identity, None)
    aliases = dict.fromkeys((path.stem, identity.removesuffix(path.suffix), str(below), place, *_aliases(parsed)))
    document = Document(
        id=identity,
        text=parsed.text,
        title=shortened(parsed.title or _NOTION.sub("", name).replace("_", " ").replace("-", " ").strip()),
        metadata=parsed.metadata,
        source=place,
        links=tuple(links),
        aliases=tuple(aliases),
        sections=parsed.sections,
        fingerprint=fingerprint(path, data),
    )
    return document, parsed.problem


def _aliases(parsed: Parsed) -> list[str]:
    given = parsed.metadata.get("aliases")
    if isinstance(given, str):
        return [given]
    return [alias for alias in given if isinstance(alias, str)] if isinstance(given, list) else []


def _targets(links: Iterable[str], path: Path, roots: Roots) -> Iterator[str]:
    """Return what links of a file lead to: ids, and outside all roots paths, which a root to come may hold.

    Other sites and places in the file are left out.
    """
    place = path.as_posix()
    root = roots.root_of(place) or path.parent.as_posix()
    for link in links:
        try:
            parts = urlsplit(link)
        except ValueError:
            continue
        if parts.scheme or parts.netloc or not parts.path:
            continue
        target = unquote(parts.path)
        start = root if target.startswith("/") else posixpath.dirname(place)
        meant = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
        yield roots.id_of(meant) or meant
