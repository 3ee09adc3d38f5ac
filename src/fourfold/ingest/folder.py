"""A folder of texts, Markdown and HTML: read once, then only what changed."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fourfold.errors import FourfoldError, InvalidValueError
from fourfold.ingest.documents import Document, IngestConfig, shortened
from fourfold.ingest.html import parse_html
from fourfold.ingest.markdown import Parsed, parse_markdown
from fourfold.ingest.walk import Walk, content
from fourfold.ingest.writing import Problem, Report, add_documents, delete_documents, list_documents, resolve_config
from fourfold.retriever import Retriever

FolderProgress = Callable[[int, int], None]
"""Called with (files done, files in all)."""

READERS: dict[str, Callable[[str], Parsed]] = {
    ".md": parse_markdown,
    ".markdown": parse_markdown,
    ".txt": Parsed,
    ".text": Parsed,
    ".html": parse_html,
    ".htm": parse_html,
}
"""What reads a file, by the end of its name."""

_READING = b"2"
"""Part of every file's hash: another number makes all files be read again."""


def index_folder(
    retriever: Retriever,
    folder: str | Path,
    *,
    config: IngestConfig | None = None,
    max_bytes: int = 20_000_000,
    follow_links: bool = False,
    progress: FolderProgress | None = None,
) -> Report:
    """Make the graph hold the texts of a folder: add what is new, replace what changed, delete what is gone.

    A file is a document: its id is its path below the folder, its source the whole path, its title that of the front
    matter, else the first heading or HTML title, else the file's name. Links and wiki links between files become
    edges. A file is read again only if its content hash changed; a run that is broken off goes on when it
    is called again.

    Args:
        retriever: where they go.
        folder: read with its subfolders; names that begin with a dot are passed over.
        config: see ``add_documents``.
        max_bytes: a larger file is reported and left out.
        follow_links: read what links out of the folder lead to, too.
        progress: called with (files done, files in all).

    Returns:
        What was done, and each file that was left out or is broken, once, with its path and a sentence.

    Raises:
        InvalidValueError: ``folder`` is none; or see ``add_documents``.

    """
    root = Path(folder)
    if not root.is_dir():
        raise InvalidValueError(f"{str(folder)!r} is no folder.")
    root = root.resolve()
    config = resolve_config(retriever, config)
    found: list[Problem] = []
    files = list(Walk(root, _has_reader, found, follow_links=follow_links).files())
    known = {entry.id: entry for entry in list_documents(retriever)}
    below = f"{root.as_posix().rstrip('/')}/"
    kept: set[str] = set()
    unchanged = 0

    def changed() -> Iterator[Document]:
        nonlocal unchanged
        for place, path in enumerate(files):
            if progress is not None:
                progress(place, len(files))
            identity = path.relative_to(root).as_posix()
            try:
                data = content(path, max_bytes)
                entry = known.get(identity)
                if entry is not None and entry.source != path.as_posix() and Path(entry.source).exists():
                    raise InvalidValueError(f"its id {identity!r} is that of {entry.source}, of another folder.")
                kept.add(identity)
                fingerprint = hashlib.blake2b(
                    _READING + path.as_posix().encode("utf-8", "surrogateescape") + data, digest_size=16
                ).hexdigest()
                if entry is not None and entry.hash == fingerprint:
                    unchanged += 1
                    continue
                document, problem = _document(path, identity, data)
            except Exception as error:  # readers raise anything at a broken file; it must not take the others with it
                kept.discard(identity)
                found.append(Problem(path.as_posix(), _reason(error)))
                continue
            if problem:
                found.append(Problem(path.as_posix(), problem))
            yield replace(document, fingerprint=fingerprint)

    report = add_documents(retriever, changed(), config=config)
    report.unchanged += unchanged
    report.problems[:0] = found
    gone = [entry.id for entry in known.values() if entry.source.startswith(below) and entry.id not in kept]
    report.removed = delete_documents(retriever, gone)
    if progress is not None:
        progress(len(files), len(files))
    return report


def _has_reader(path: Path) -> bool:
    return path.suffix.lower() in READERS


def _reason(error: Exception) -> str:
    """Return why a file is passed over, in a sentence."""
    if isinstance(error, FourfoldError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"the file cannot be read: {error.strerror}."
    return f"the file cannot be read: {type(error).__name__}: {' '.join(str(error).split())[:300]}."


def _document(path: Path, identity: str, data: bytes) -> tuple[Document, str | None]:
    """Return a file as a document, and what is wrong with it."""
    text = _decoded(data)
    if not text.strip():
        raise InvalidValueError("the file is empty.")
    parsed = READERS[path.suffix.lower()](text)
    if not parsed.text.strip():
        raise InvalidValueError("the file holds no text.")
    name = path.stem.replace("_", " ").replace("-", " ").strip()
    document = Document(
        id=identity,
        text=parsed.text,
        title=shortened(parsed.title or name),
        metadata=parsed.metadata,
        source=path.as_posix(),
        links=tuple(dict.fromkeys([*_targets(parsed.links, identity), *parsed.wiki_links])),
        aliases=tuple(dict.fromkeys((path.stem, identity.removesuffix(path.suffix), *_aliases(parsed)))),
        sections=parsed.sections,
    )
    return document, parsed.problem


def _aliases(parsed: Parsed) -> list[str]:
    given = parsed.metadata.get("aliases")
    return [alias for alias in given if isinstance(alias, str)] if isinstance(given, list) else []


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidValueError(
            f"the file is no {encoding.removesuffix('-sig').upper()} text (byte {error.start}: {error.reason})."
        ) from error


def _targets(links: list[str], identity: str) -> Iterator[str]:
    """Return the documents that links of a file lead to, as ids; other sites and places in the file are left out."""
    for link in links:
        try:
            parts = urlsplit(link)
        except ValueError:
            continue
        if parts.scheme or parts.netloc or not parts.path:
            continue
        path = unquote(parts.path)
        start = "" if path.startswith("/") else posixpath.dirname(identity)
        target = posixpath.normpath(posixpath.join(start, path.lstrip("/")))
        if target != identity:
            yield target
