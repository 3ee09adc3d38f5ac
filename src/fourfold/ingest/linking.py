"""What joins documents: the labels they bear and use, and the step that brings their edges up to date."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fourfold.encodings import encodable
from fourfold.engines.documents import Books, Label
from fourfold.ingest.documents import Document, IngestConfig
from fourfold.ingest.mentions import Matcher, head, heads, is_unspaced, normal_title, title_key, unspaced

_LOOKED_UP_FOR_ALL = 20
"""From one new title for that many texts on, reading all texts at once may beat looking each title up."""

_UNSPACED_FOR_ALL = 20
"""So many new titles that are looked for between all characters of all texts take as long as reading all at once."""

_TITLES_PER_TEXT = 20
"""With more titles than that for each text to read, only those that begin with words of the texts are matched."""


def labels_borne(document: Document, config: IngestConfig) -> Iterator[Label]:
    """Return what other documents can call this one."""
    yield Label("link", f"id:{document.id}")
    for name in filter(_is_name, (document.title, *document.aliases)):
        if title := normal_title(name):
            yield Label("link", f"title:{title}")
    key, qualifier = title_key(document.title, min_length=config.min_title_length)
    if key and config.mentions:
        yield Label("title", key, head(key), qualifier)
    yield from _shared(document, config)


def labels_used(document: Document, config: IngestConfig) -> Iterator[Label]:
    """Return what this document calls others; the titles in its texts are found by ``link``."""
    for target in filter(_is_name, document.links):
        yield Label("link", f"id:{target}")
        if title := normal_title(target):
            yield Label("link", f"title:{title}")
    yield from _shared(document, config)


def _is_name(target: str) -> bool:
    """Whether a document can bear this name: none holds NUL, or half a character."""
    return "\x00" not in target and encodable(target)


def _shared(document: Document, config: IngestConfig) -> Iterator[Label]:
    for key in config.shared_keys:
        value = document.metadata.get(key)
        for single in value if isinstance(value, (list, tuple)) else (value,):
            if single is not None and single != "":
                yield Label("shared", f"{key}={json.dumps(single, ensure_ascii=False, sort_keys=True)}")


def link(books: Books, config: IngestConfig) -> None:
    """Find the titles in all texts that may name others than before, and derive the edges.

    Read again are new texts, texts that hold a title which is new, and texts that named one which is gone.
    """
    new, gone = books.changed_titles()
    books.read_unread(gone)
    texts = books.count_passages()
    strewn = sum(map(is_unspaced, new))
    if len(new) * _LOOKED_UP_FOR_ALL > texts or strewn > _UNSPACED_FOR_ALL:
        books.read_all()
    else:
        for key in new:
            if is_unspaced(key):  # between its characters texts may have blanks, ends of lines, anything
                books.read_containing(unspaced(key))
            else:
                books.read_holding(key.split(" "))
    count = books.count_reading()
    if config.mentions and count:
        matcher = Matcher(books.titles()) if books.count_titles() <= count * _TITLES_PER_TEXT else None
        for rows in books.texts():
            fitting = matcher or Matcher(books.titles(heads(text for _, text in rows)))
            books.set_mentions({node: fitting.titles_in(text) for node, text in rows})
    books.derive_edges(
        {
            "title": max(config.min_mention_limit, int(config.max_mention_share * texts)),
            "link": None,
            "shared": config.max_shared,
        }
    )
