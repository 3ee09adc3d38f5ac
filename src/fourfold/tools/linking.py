"""The edges that schemas suggest, kept in step with the tools; those that were given by hand are left alone.

Which edges were made from schemas is kept in the settings, as marks: the graph is then the same in whatever order tools
came, changed and went. An edge without a mark, or of another weight than it was made with, is somebody's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from fourfold.engines.base import Backend, Writer
from fourfold.tools.schema import fields_of, schema_edges
from fourfold.types import Edge, Node

TYPES = ("provides", "requires")

_MARKS_EACH = 3_000
"""Marks in one setting; an engine may keep no more than 64 kB in one."""


def relink(backend: Backend, writer: Writer, tools: Mapping[str, Node], ids: Callable[[], Sequence[str]]) -> int:
    """Make the edges that the tools' schemas suggest, and take back those no longer suggested; return how many.

    ``backend`` is read inside the transaction: nobody else commits between. ``tools`` are those that have schemas, by
    id; ``ids``, those of all, are asked for where edges were made before, which tools may have that lost their schemas.
    """
    made = schema_edges(
        {key: (fields_of(n.metadata.get("inputs")), fields_of(n.metadata.get("outputs"))) for key, n in tools.items()}
    )
    marks = _marks(writer)
    there = {_key(edge): edge for edge in backend.edges_from(ids() if marks else list(tools), TYPES)}
    ours = {key for key, edge in there.items() if _mark(edge) in marks}
    own = [edge for edge in made if _key(edge) in ours or _key(edge) not in there]
    writer.put_edges([edge for edge in own if there.get(_key(edge)) != edge])
    writer.delete_edges([there[key] for key in ours.difference(map(_key, made))])
    _keep(writer, set(map(_mark, own)), marks)
    return len(made)


def give(writer: Writer, edges: Iterable[Edge]) -> None:
    """Take note that these edges are given by hand, also where schemas had suggested the same."""
    marks = _marks(writer)
    _keep(writer, marks.difference(map(_mark, edges)), marks)


def _key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.type


def _mark(edge: Edge) -> str:
    content = json.dumps([*_key(edge), f"{edge.weight:.6g}"])  # an engine may keep weights in single precision
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _settings() -> Iterator[str]:
    return (f"schema_edges:{number}" for number in count())


def _marks(writer: Writer) -> set[str]:
    found: set[str] = set()
    for setting in _settings():
        if (text := writer.meta(setting)) is None:
            break
        found.update(text.split())
    return found


def _keep(writer: Writer, marks: set[str], before: set[str]) -> None:
    if marks == before:
        return
    listed = sorted(marks)
    for start, setting in zip(range(0, max(len(marks), len(before)), _MARKS_EACH), _settings(), strict=False):
        writer.set_meta(setting, " ".join(listed[start : start + _MARKS_EACH]) or None)
