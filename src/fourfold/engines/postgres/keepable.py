"""What PostgreSQL can keep: no NUL in texts, no key longer than a row of an index; and what stands for longer terms.

In a database of another encoding than UTF-8 also no character that it lacks, and what stands for these in a question.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from functools import cache, lru_cache
from typing import Any

from fourfold.encodings import encodable
from fourfold.errors import InvalidValueError
from fourfold.filters import attributes
from fourfold.types import Node

_LONGEST_TERM = 200
_LONGEST_KEY = 2000
"""Bytes of an id or an edge type: a row of a btree has its limit."""


def check(node: Node) -> None:
    """Refuse what PostgreSQL cannot keep."""
    check_key(node.id, "A node id")
    for name in ("name", "type", "text"):
        refuse_nul(f"The {name} of node {node.id!r}", getattr(node, name))
    for key, value, _ in attributes(node.metadata):
        refuse_nul(f"The metadata of node {node.id!r}", key, value if isinstance(value, str) else "")


def check_key(key: str, what: str) -> None:
    """Refuse a key that no index can hold."""
    refuse_nul(what, key)
    if len(key) > _LONGEST_KEY or len(key.encode()) > _LONGEST_KEY:
        raise InvalidValueError(
            f"{what} has more than {_LONGEST_KEY:,} bytes: {key[:60]!r}…; PostgreSQL keeps no longer."
        )


def keepable(key: str) -> bool:
    """Whether a string can be in the tables at all."""
    return "\x00" not in key and encodable(key)


def refuse_nul(what: str, *texts: str) -> None:
    """Refuse texts with the character NUL."""
    if any("\x00" in text for text in texts):
        raise InvalidValueError(f"{what} holds the character NUL, which PostgreSQL cannot keep; leave it out.")


def stored_term(term: str) -> str:
    """Return what stands for a term in the table ``terms``: itself, but for what no index could hold."""
    plain = term.replace("\x00", "")
    if plain == term and len(term) <= _LONGEST_TERM:
        return term
    return f"{plain[:_LONGEST_TERM]}\x01{hashlib.blake2b(term.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"


def asked_in(encoding: str | None, value: Any) -> Any:
    """Return a parameter of a question as a database of this encoding takes it.

    What holds a character that the encoding lacks equals nothing that is stored; it is asked for with the character's
    number in its place, behind one that no text has, instead of being refused.
    """
    codec = _codec(encoding)
    return value if codec is None else _expressed(value, codec)


def _expressed(value: Any, codec: str) -> Any:
    if isinstance(value, str):
        try:
            value.encode(codec)
        except UnicodeEncodeError:
            return "".join(each if _has(codec, each) else f"\x1a{ord(each):x}." for each in value)
        return value
    if isinstance(value, dict):
        return {key: _expressed(each, codec) for key, each in value.items()}
    return type(value)(_expressed(each, codec) for each in value) if type(value) in (list, tuple) else value


@lru_cache(10_000)
def _has(codec: str, character: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


@cache
def _codec(encoding: str | None) -> str | None:
    """Return Python's name of an encoding of PostgreSQL's; None where nothing is lacking, or Python has none."""
    if encoding in (None, "UTF8", "SQL_ASCII"):
        return None
    name = re.sub(r"^WIN(?=\d)", "cp", re.sub(r"^KOI8(?=[RU])", "koi8-", str(encoding)))
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None
