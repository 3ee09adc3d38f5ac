"""Front matter → metadata: the YAML mapping at the head of a text, read within bounds."""

from __future__ import annotations

import json
import re
from typing import Any

from fourfold.errors import InvalidValueError
from fourfold.ingest.documents import of_others
from fourfold.lazy import load

MAX_LENGTH = 16_384
"""Most characters of front matter: every chunk of a text carries it."""

MAX_DEPTH = 32
"""Most levels of lists and mappings in one another."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def front_matter(source: str) -> tuple[dict[str, Any], str, str | None]:
    """Return the metadata at the head of a text, as JSON values, the text without it, and why it could not be read.

    Dates become their text, keys strings. A text between two rules that is no mapping stays in the text. It cannot be
    read where it is no YAML, is too long or too deep, uses an alias, or holds a value that cannot be.

    Raises:
        MissingExtraError: PyYAML is not installed.

    """
    found = _FRONT_MATTER.match(source)
    if found is None:
        return {}, source, None
    try:
        metadata = _loaded(found.group(1))
    except InvalidValueError as error:
        return {}, source[found.end() :], f"{error} It stays in the text."
    if not isinstance(metadata, dict):
        return {}, source, None
    return of_others(metadata), source[found.end() :], None


def _loaded(given: str) -> object:
    """Return front matter as JSON values, whatever type it is of."""
    if len(given) > MAX_LENGTH:
        raise InvalidValueError(f"the front matter has {len(given):,} characters; at most {MAX_LENGTH:,} are read.")
    yaml = load("yaml", "Reading front matter", extra="ingest")
    try:
        _check_shape(yaml, given)
        value = yaml.safe_load(given)
        if value is None:
            return {}
        text = json.dumps(_with_text_keys(value), default=str, allow_nan=False, ensure_ascii=False)
        text.encode()  # not with half a character: "\ud800"
        return json.loads(text)
    except InvalidValueError:
        raise
    except Exception as error:  # what PyYAML's constructors raise on 2023-02-30, "\U00110000" or !!int "" is anything
        raise InvalidValueError(f"the front matter cannot be read: {_told(error)}.") from error


def _told(error: Exception) -> str:
    """Return what is wrong, in one line, and in which of the file, whose first is the rule above."""
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 2}, column {mark.column + 1}: " if mark else ""
    return where + " ".join(str(getattr(error, "problem", None) or error).split())[:300]


def _with_text_keys(value: object) -> object:
    """Return a value with strings for keys, at every level; its depth is bounded."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(inner) for key, inner in value.items()}
    return [_with_text_keys(inner) for inner in value] if isinstance(value, list) else value


def _check_shape(yaml: Any, given: str) -> None:
    """Refuse what would grow out of bounds when it is put together; the parser's events come one by one."""
    depth = 0
    for event in yaml.parse(given, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidValueError(f"the front matter uses the alias *{event.anchor}; write the value out instead.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidValueError(f"the front matter is nested deeper than {MAX_DEPTH} levels.")
