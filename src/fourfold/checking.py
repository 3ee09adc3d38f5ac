"""``check``: whether a graph still holds what was written, by each node's content hash and by what the engine knows.

SQLite finds broken pages, not changed contents: a byte that fell over inside a text is as good a text. The content hash
that is stored with each node tells. What is derived of contents is compared with them where that is asked for: it takes
about as long as deriving it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from fourfold.arguments import file_path, shown
from fourfold.copying import unfinished
from fourfold.engines import Backend, open_backend, shown_address
from fourfold.errors import FourfoldError, StoreError
from fourfold.retriever import Retriever
from fourfold.validation import content_hash

_TOGETHER = 1_000
LISTED = 100
"""Problems that are told one by one."""

_ATTEMPTS = 5
_WRITTEN_TO = (
    "{place!r} was written to each time that it was checked; check it when nobody writes, or check a copy: "
    "retriever.maintenance.save(path)."
)


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and what is wrong with it: sentences, the first ``LISTED`` of them.

    ``looked_at`` is false where there is no such file, or none that may be read, or another engine does not let itself
    be opened, or others wrote all the time: nothing is known to be damaged then, and the one problem says why.
    """

    path: str
    nodes: int
    edges: int
    problems: tuple[str, ...]
    looked_at: bool = True

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def as_dict(self) -> dict[str, object]:
        """Return the same in plain JSON types."""
        return {"path": self.path, "nodes": self.nodes, "edges": self.edges, "problems": list(self.problems)}


def check(path: str | Path, *, derived: bool = False) -> Check:
    """Read a whole graph and say what is damaged in it; nothing is written.

    Args:
        path: the file, or the address of another engine.
        derived: also compare the terms, values for filters, wordpieces and full text of a file with the contents.

    Raises:
        InvalidValueError: something that is no path.

    """
    given = file_path(path)
    place = shown_address(given)
    try:
        backend = open_backend(given, read_only=True, must_exist=True)
        place = backend.path
        try:
            problems, counts = _of_one_state(backend, derived), {"nodes": 0, "edges": 0}
            if problems is None:
                return Check(place, 0, 0, (_WRITTEN_TO.format(place=place),), looked_at=False)
            if not problems:
                counts = backend.counts()
        finally:
            backend.close()
        if not problems:
            with Retriever(given, read_only=True, must_exist=True) as retriever:
                retriever.info()  # its settings are read, too
    except FourfoldError as error:
        there = Path(given).is_file() and os.access(given, os.R_OK)
        return Check(place, 0, 0, (str(error),), looked_at=there)
    return Check(place, counts["nodes"], counts["edges"], tuple(problems))


def _of_one_state(backend: Backend, derived: bool) -> list[str] | None:
    """Return what is wrong; None where others wrote meanwhile, so that what was read at two moments may not agree."""
    for _ in range(_ATTEMPTS):
        generation = backend.generation()
        problems = list(islice(_problems(backend, derived), LISTED))
        if not problems or backend.generation() == generation:
            return problems
    return None


def _problems(backend: Backend, derived: bool) -> Iterator[str]:
    """Yield what is wrong; what cannot be read at all ends the list."""
    try:
        if (source := unfinished(backend)) is not None:
            yield f"It is the beginning of a copy of {shown(source)}; fourfold copy with the same two places ends it."
        yield from backend.problems(derived=derived)
        yield from _changed(backend)
    except StoreError as error:
        yield str(error)


def _changed(backend: Backend) -> Iterator[str]:
    """Yield the nodes whose content is not what their hash says, and vectors that are none."""
    manifest = backend.manifest()
    ids = iter(manifest)
    lengths = set[int]()
    while part := list(islice(ids, _TOGETHER)):
        nodes = backend.nodes_by_id(part)
        for identity in part:
            if identity not in nodes:
                yield f"The node {identity!r} cannot be found by its id."
            elif content_hash(nodes[identity]) != manifest[identity]:
                yield f"The content of the node {identity!r} is not what was written: its hash is another."
        for identity, vector in backend.vectors_of(part).items():
            lengths.add(len(vector))
            if not np.isfinite(vector).all():
                yield f"The vector of the node {identity!r} holds NaN or infinite numbers."
    if len(lengths) > 1:
        yield f"The vectors have several lengths: {', '.join(map(str, sorted(lengths)))}."
