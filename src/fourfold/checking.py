"""``check``: whether a graph still holds what was written, by each node's content hash and by what the engine knows.

SQLite finds broken pages, not changed contents: a byte that fell over inside a text is as good a text. The content hash
that is stored with each node tells. What is derived of contents is compared with them where that is asked for: it takes
about as long as deriving it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourfold import node_text
from fourfold.arguments import file_path, shown
from fourfold.config import EmbeddingConfig
from fourfold.copying import unfinished
from fourfold.embed.static import bundled
from fourfold.engines import Backend, open_backend, shown_address
from fourfold.errors import FourfoldError, StoreError, UnsupportedError
from fourfold.retriever import Retriever
from fourfold.types import Node
from fourfold.validation import content_hash

_TOGETHER = 1_000
LISTED = 100
"""Problems that are told one by one."""

_REPAIR = "fourfold reembed, or retriever.maintenance.reembed(embedder), makes all vectors anew"

_ATTEMPTS = 5
_WRITTEN_TO = (
    "{place!r} was written to each time that it was checked; check it when nobody writes, or check a copy: "
    "retriever.maintenance.save(path)."
)


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and what is wrong with it: sentences, the first ``LISTED`` of them.

    ``looked_at`` is false where there is no such file, or none that may be read, or another engine does not let itself
    be opened or compared, or others wrote all the time: nothing is known to be damaged then, and the one problem says
    why.
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
        derived: also compare the terms, values for filters, wordpieces, full text and, where the model in the package
            made them, vectors of a file with the contents; another engine's are not compared.

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
        there = os.path.isfile(given) and os.access(given, os.R_OK)
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
        yield from _changed(backend, derived)
    except UnsupportedError:  # what cannot be looked at is no damage
        raise
    except StoreError as error:
        yield str(error)


def _changed(backend: Backend, derived: bool) -> Iterator[str]:
    """Yield the nodes whose content is not what their hash says, and what is wrong with their vectors."""
    manifest, vectors = backend.manifest(), _Vectors(backend, derived)
    ids = iter(manifest)
    while part := list(islice(ids, _TOGETHER)):
        nodes = backend.nodes_by_id(part)
        for identity in part:
            if identity not in nodes:
                yield f"The node {identity!r} cannot be found by its id."
            elif content_hash(nodes[identity]) != manifest[identity]:
                yield f"The content of the node {identity!r} is not what was written: its hash is another."
        vectors.compare(list(nodes.values()), backend.vectors_of(part))
    yield from vectors.problems()


class _Vectors:
    """What is wrong with the vectors of nodes, in sentences that name the first of each kind."""

    def __init__(self, backend: Backend, derived: bool) -> None:
        self._made_by, self._length = backend.meta("embedder"), backend.meta("dimensions")
        self._model = bundled() if derived and self._made_by == bundled().name else None
        self._reads = node_text.stored_reads(backend) or EmbeddingConfig()
        self._found = defaultdict[str, list[str]](list)

    def compare(self, nodes: Sequence[Node], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Look at the vectors of some nodes, by id."""
        sound = set[str]()
        for identity, vector in vectors.items():
            if not np.isfinite(vector).all():
                self._found["holds NaN or infinite numbers"].append(identity)
            elif str(len(vector)) != self._length:
                self._found[f"has another length than the graph's, which is {self._length}"].append(identity)
            else:
                sound.add(identity)
        if self._made_by is not None:
            self._found["is missing"] += [node.id for node in nodes if node.id not in vectors]
        if self._model is not None:
            told = [node for node in nodes if node.text and node.id in sound]  # what has parts may have their mean
            for read in (self._text_of, attrgetter("text")):  # the text alone, as other stores embed it
                made = self._model.embed_documents([read(node) for node in told])
                told = [told[place] for place, vector in enumerate(made) if not _alike(vector, vectors[told[place].id])]
            self._found[f"is not what {self._made_by} makes of its text"] += [node.id for node in told]

    def _text_of(self, node: Node) -> str:
        return node_text.text_of(node, self._reads)

    def problems(self) -> Iterator[str]:
        """Yield a sentence for each kind of fault."""
        for what, ids in self._found.items():
            if ids:
                more = f" (and {len(ids) - 1:,} more)" if len(ids) > 1 else ""
                yield f"The vector of the node {shown(ids[0])} {what}{more}; {_REPAIR}."


def _alike(made: NDArray[np.float32], held: NDArray[np.float32]) -> bool:
    """Whether a vector points where it should, whatever a library's other version rounds; nowhere is as good."""
    if len(made) != len(held):
        return False
    made, held = made.astype(np.float64), held.astype(np.float64)
    lengths = float(np.linalg.norm(made) * np.linalg.norm(held))
    return 2 * float(made @ held) >= lengths > 0 or not made.any()
