"""What goes in: documents, and how they are cut and linked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fourfold.arguments import constants, strings, whole_number

_LONGEST_TITLE = 300

RESERVED = "_fourfold"
"""The metadata key that belongs to the adapters: what they make a framework's own object of again."""


def of_others(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata that a file brings, without what would be taken for an adapter's."""
    return {key: value for key, value in metadata.items() if key != RESERVED}


def shortened(title: str) -> str:
    """Return a title, or its first 300 characters: every chunk of a text carries it and the headings above."""
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document under one heading; ``heading`` is the path of headings above it."""

    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that can be found, as its owner knows it.

    Args:
        id: unique; adding a document with a known id replaces it.
        text: any length; a long one is cut into chunks ``{id}#{n}``, n from 0.
        title: what other documents call it; texts that name it are linked to it.
        type: a label such as "note"; searchable, like a node's.
        metadata: JSON values; chunks carry them too.
        source: where it came from (a path, a URL); documents are deleted and replaced by source, and hits can be
            grouped by it.
        links: ids or titles of documents that this one links to.
        aliases: what links may call it besides its id and its title.
        sections: where its text may be cut first; what they hold is the text again, in order.
        fingerprint: a hash of what it was made of; while it stays the same, the document counts as unchanged. Empty
            takes one of all the fields.

    """

    id: str
    text: str = ""
    title: str = ""
    type: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    links: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    fingerprint: str = ""

    def content_hash(self) -> str:
        """Return the fingerprint, or a hash of everything the document says."""
        if self.fingerprint:
            return self.fingerprint
        content = [
            self.text,
            self.title,
            self.type,
            dict(self.metadata),
            self.source,
            list(self.links),
            list(self.aliases),
            [[section.text, section.heading] for section in self.sections],
        ]
        data = json.dumps(content, sort_keys=True, ensure_ascii=False, default=repr).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class IngestConfig:
    """How documents become nodes and edges. The first write stores it with the file; later ones use the stored one.

    Args:
        whole_length: a text of up to that many characters stays one node.
        chunk_length: a longer one is cut into chunks of at most that many characters.
        mentions: link texts to the documents whose titles they name.
        min_title_length: titles of fewer letters and digits are not looked for in texts.
        max_mention_share, min_mention_limit: a title named in more than ``max(min_mention_limit, share · texts)``
            texts links nothing: "Water" names no document in a collection about water.
        shared_keys: metadata keys, a string alone is one; documents with the same value of one of them are linked.
        max_shared: a value that more documents share links nothing.

    """

    whole_length: int = 10_000
    chunk_length: int = 1_500
    mentions: bool = True
    min_title_length: int = 3
    max_mention_share: float = 0.02
    min_mention_limit: int = 10
    shared_keys: tuple[str, ...] = ()
    max_shared: int = 50

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        object.__setattr__(self, "shared_keys", tuple(strings(self.shared_keys, "shared_keys")))  # a string is one key
        constants(self, max_mention_share=1.0)
        for name in ("whole_length", "chunk_length", "min_title_length", "min_mention_limit", "max_shared"):
            whole_number(getattr(self, name), name)

    def to_json(self) -> str:
        """Return every value as JSON, in one order."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, stored: str) -> IngestConfig:
        """Return the config that ``to_json`` wrote; values of a newer version are left out."""
        values = json.loads(stored)
        known = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        return cls(**known)
