"""From commit to commit: nothing is built, so a snapshot costs a call or two."""

from __future__ import annotations

import threading
from functools import cached_property

import numpy as np

from fourfold.config import RetrievalConfig
from fourfold.engines.milvus import records
from fourfold.engines.milvus.json_text import values
from fourfold.engines.milvus.link import Link, digest
from fourfold.engines.milvus.parts import Edges, Names, Tokens
from fourfold.engines.milvus.reading import Reading
from fourfold.engines.milvus.state import State
from fourfold.engines.milvus.text import Text
from fourfold.engines.milvus.vectors import Vectors
from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.index.structure import FETCHED_EDGES, Structure


class _Generation:
    """A reading, and the structure of its edges."""

    def __init__(self, reading: Reading, before: _Generation | None) -> None:
        self.reading = reading
        edges_generation = reading.state.edges_generation
        stale: Structure | None = None if before is None else before.structure
        if before is not None and before.reading.state.edges_generation == edges_generation:
            self.structure: Structure = before.structure
        else:
            self.structure = Structure(Edges(reading), self._present_ids, stale, inline=FETCHED_EDGES)

    def _present_ids(self, nodes: Nodes) -> list[str]:
        """Return ids by the newest commit: edges outlive the rows of their nodes."""
        link = self.reading.link
        return Reading(link, State.read(link)[0]).ids(nodes)

    @cached_property
    def embedder(self) -> str | None:
        key = digest("embedder")
        found = records.read(self.reading.link, self.reading.state.commit, records.META, [key])
        return str(values(found[key], str, str)[1]) if found else None

    def snapshot(self, config: RetrievalConfig) -> Snapshot:
        reading = self.reading
        return Snapshot(
            generation=reading.state.generation,
            embedder=self.embedder,
            own_share=1.0,
            size=reading.state.nodes,
            vectors=Vectors(reading),
            text=Text(reading, config),
            tokens=Tokens(reading),
            edges=Edges(reading),
            hidden=np.empty(0, np.int64),
            names=Names(reading),
            lookup=reading,
            structure=self.structure,
        )


class Snapshots:
    """Hands out the snapshot of the present generation, read by a config. Safe to use from threads."""

    def __init__(self, link: Link, config: RetrievalConfig) -> None:
        self._link = link
        self._config = config
        self._lock = threading.Lock()
        self._generation: _Generation | None = None
        self._current: Snapshot | None = None

    def current(self) -> Snapshot:
        """Return the snapshot of the generation that this thread sees."""
        state = State.current(self._link)
        known = self._current
        if known is not None and known.generation == state.generation:
            return known
        with self._lock:
            known, before = self._current, self._generation
            if known is not None and known.generation == state.generation:
                return known
            if before is not None and before.reading.state.generation > state.generation:
                return _Generation(Reading(self._link, state), before).snapshot(self._config)  # another went ahead
            self._generation = self._at(state)
            self._current = self._generation.snapshot(self._config)
            return self._current

    def under(self, config: RetrievalConfig) -> Snapshot:
        """Return the present generation as another config reads its texts."""
        state = State.current(self._link)
        with self._lock:
            return self._at(state).snapshot(config)

    def use(self, config: RetrievalConfig) -> None:
        """Go on with another config."""
        with self._lock:
            self._config = config
            self._current = None

    def forget(self) -> None:
        """Read everything anew at the next question."""
        with self._lock:
            self._current = self._generation = None

    def _at(self, state: State) -> _Generation:
        known = self._generation
        if known is not None and known.reading.state.generation == state.generation:
            return known
        return _Generation(Reading(self._link, state), known)
