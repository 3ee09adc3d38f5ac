"""From one generation of a SQLite file to the next: what changed becomes small segments, the rest stays as it is.

The first snapshot is read from the derived files beside the store, where they show a generation that the store knows,
and brought up to date; otherwise from the store. Segments that have grown are compacted off the query path.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.ma  # (numpy loads it at the first ``unique``: a fork while a thread does that hangs its child)
from numpy.typing import NDArray

from fourfold import deadline, ordered
from fourfold.config import RetrievalConfig
from fourfold.engines.sqlite.changes import texts_now
from fourfold.engines.sqlite.derived import Derived
from fourfold.engines.sqlite.parts import (
    Parts,
    State,
    ends_of,
    given_out,
    may_be_many,
    name_segment,
    read_by,
    text_part,
    text_segment,
    token_segment,
    wanted_by,
)
from fourfold.engines.sqlite.store import Store
from fourfold.index.base import EdgePart, Nodes
from fourfold.index.changes import Changes
from fourfold.index.edge_segment import EdgeSegment
from fourfold.index.edge_segment import merge as merge_edges
from fourfold.index.edges import Edges
from fourfold.index.files import DamagedFileError, as_written
from fourfold.index.names import Names, NameSegment
from fourfold.index.neighbour_mixing import fused_at
from fourfold.index.quantised import FirstStageSettings
from fourfold.index.segments import Segment, grown
from fourfold.index.snapshot import Snapshot
from fourfold.index.structure import Structure
from fourfold.index.text import Text, TextSegment
from fourfold.index.tokens import Tokens, TokenSegment
from fourfold.index.vector_segment import VectorSegment
from fourfold.index.vector_segment import merge as merge_vectors
from fourfold.index.vectors import Vectors
from fourfold.threads import begun

_PAGE = 10_000


class Snapshots:
    """Keeps the snapshot of one open file up to date, as a config reads it. Safe to use from threads."""

    def __init__(self, store: Store, config: RetrievalConfig) -> None:
        self._store = store
        self._config = config
        self._lock = threading.Lock()
        self._state: State | None = None
        self._current: Snapshot | None = None
        self._derived = Derived(store.file, writable=not store.read_only)
        self._compaction: threading.Thread | None = None
        self._hurried: threading.Thread | None = None
        """The compaction that is waited for: it waits for no other process in turn, which may be stopped."""
        self._closed = False

    def current(self) -> Snapshot:
        """Return the snapshot of the store's generation, taking in what has changed since the last."""
        write, known = self._store.write(), self._current
        if known is not None and known.write == write:
            return known
        with self._lock:
            if self._current is None or self._current.write != self._store.write():
                with deadline.lifted():
                    self._advanced()
            assert self._current is not None
            return self._current

    def first_stage(self) -> tuple[str, float] | None:
        """Return what names the nearest vectors, and the recall measured when it was made, without opening for it."""
        with self._lock:
            self._state = state = self._state or self._opened()
        if state is None:
            return None
        info = Vectors(state.parts.vectors, exact=self._config.index.exact).info()
        return info.first_stage, info.recall

    def counted(self, write: tuple[int, str]) -> dict[str, int]:
        """Return how many nodes, edges and vectors there are after a write, as far as what is there already tells.

        It waits for nobody; SQLite would read an index of each from end to end, and all vectors.
        """
        state = self._state
        if state is None or (state.generation, state.token) != write:
            return {}
        parts: dict[str, Sequence[Segment]] = {"nodes": state.parts.text, "edges": state.parts.edges}
        if state.own_share >= 1:
            parts["vectors"] = state.parts.vectors
        try:
            return {table: sum(segment.size for segment in segments) for table, segments in parts.items()}
        except DamagedFileError:  # whoever searches next reads the store anew
            return {}

    def under(self, config: RetrievalConfig) -> Snapshot:
        """Return the current snapshot as another config would have it; for studies of the config."""
        snapshot = self.current()
        share = snapshot.own_share
        if config.index_key(share) == self._config.index_key(share):
            return snapshot
        weights, names = config.text.weights_over(self._config.text.fields), config.text.names is not None
        if share >= 1 and weights is not None:  # the same postings, counted otherwise: no row is read for them
            assert isinstance(snapshot.text, Text)
            text = snapshot.text.weighed(weights, k1=config.text.k1, b=config.text.b, names=names)
            return replace(snapshot, text=text)
        with self._store.reading() as connection:
            texts = texts_now(connection)
        found = replace(snapshot, text=text_part((text_segment(*texts, config),), config))
        if share >= 1:
            return found
        type_weights = config.graph.weights_of(snapshot.edges.type_names)
        nodes, rows = fused_at(texts[0], self._store.vectors, snapshot.edges, type_weights, share)
        segment = VectorSegment.build(nodes, rows, first_stage=self._first_stage)
        return replace(found, vectors=Vectors((segment,), exact=config.index.exact))

    def texts(self) -> tuple[Sequence[TextSegment], Sequence[Sequence[str]]]:
        """Return the texts as they are now, and the columns of each reading of them; none while they are read anew."""
        self.current()
        with self._lock:
            if self._state is None:
                return (), ()
            return self._state.parts.text, [tuple(field.columns) for field in self._config.text.fields]

    def use(self, config: RetrievalConfig) -> None:
        """Go on with another config."""
        with self._lock:
            share = self._state.own_share if self._state is not None else 1.0
            before, self._config = self._config, config
            if config.text.fields != before.text.fields or config.index_key(share) != before.index_key(share):
                self._state = None
            self._current = None

    def compact(self) -> None:
        """Merge all segments now; searches go on meanwhile."""
        self.current()
        if (thread := self._compaction) is not None:
            self._hurried = thread
            thread.join()
        self._take_over()
        self._compact()
        with self._lock:
            self._compact_beside()  # what was written meanwhile

    def forget(self) -> None:
        """Read the store anew at the next question: a derived file was found damaged."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._state = self._current = None
        self._derived.discard()

    def close(self) -> None:
        """Wait for the work in the background; a second call does nothing."""
        self._closed = True
        if (thread := self._compaction) is not None:
            thread.join()

    # -- from generation to generation --------------------------------------------------------------------------

    def _advanced(self) -> None:
        alone = not (self._state or self._compaction) and self._derived.writable and may_be_many(self._store.select)
        self._state = self._opened() if alone else self._state
        with self._derived.first() if alone and self._state is None else nullcontext():
            try:
                self._advance()
            except DamagedFileError:
                self._forget()
                self._advance()

    def _advance(self) -> None:
        state = self._state
        if state is None or (state.token and not self._store.knows(state.generation, state.token)):
            self._current, state = None, self._opened()  # what it must leave out is forgotten, or it is another file's
        changes = self._store.changes(-1 if state is None else state.generation)
        if state is not None and changes.own_share != state.own_share:
            changes = self._store.changes(-1)
        taken = self._take_in(Parts() if state is None else state.parts, changes)
        if changes.since < 0 and self._worth_keeping(taken.parts):
            self._state = self._kept(taken, read_by(self._config, taken.own_share))
        else:
            self._compact_beside()
        self._show()

    def _take_in(self, old: Parts, changes: Changes) -> State:
        """Make the state of the changes' generation the present one, and return it."""
        parts = self._taken_in(old if changes.since >= 0 else Parts(), changes)
        self._state = State(changes.generation, changes.token, parts, changes.own_share, changes.embedder)
        return self._state

    def _taken_in(self, old: Parts, changes: Changes) -> Parts:
        """Return the parts with what changed as new segments, and what was replaced or deleted marked."""
        gone = np.concatenate((changes.nums, changes.deleted_nodes))
        edges = grown(
            old.edges,
            np.concatenate((changes.edge_nums, changes.deleted_edges)),
            EdgeSegment.build(
                changes.edge_nums,
                changes.edge_sources,
                changes.edge_targets,
                changes.edge_types,
                changes.edge_weights,
            ),
            merge_edges,
        )
        nodes, rows = self._vectors(old, edges, changes)
        settings = self._first_stage
        later = settings.exact is None and bool(old.vectors)  # codes: the first search after a write waits for none
        return Parts(
            grown(
                old.vectors,
                ordered.union((gone, nodes)),
                VectorSegment.build(nodes, rows, first_stage=None if later else settings, overwrite=True),
                partial(merge_vectors, first_stage=settings),
            ),
            grown(old.text, gone, text_segment(*changes.texts, self._config), TextSegment.merge),
            grown(old.tokens, gone, token_segment(changes, self._store.nodes), TokenSegment.merge),
            grown(old.names, gone, name_segment(changes), NameSegment.merge),
            edges,
        )

    def _vectors(self, old: Parts, edges: Sequence[EdgeSegment], changes: Changes) -> tuple[Nodes, NDArray[np.float32]]:
        """Return the nodes whose vectors are new, and these vectors; a vector may depend on its neighbours'."""
        nodes = changes.nums[changes.with_vector]
        if changes.own_share >= 1:
            return nodes, changes.vectors
        names = self._store.edge_type_names()
        before, after = self._edges(old.edges, names), self._edges(edges, names)
        gone = ends_of(old.edges, np.concatenate((changes.edge_nums, changes.deleted_edges)))
        touched = ordered.distinct(np.concatenate((changes.nums, changes.edge_sources, changes.edge_targets, *gone)))
        around = [part.expand(touched).targets for part in (before, after)]
        return fused_at(
            ordered.union((touched, *around)),
            self._store.vectors,
            after,
            self._config.graph.weights_of(names),
            changes.own_share,
        )

    def _edges(self, segments: Sequence[EdgeSegment], names: Sequence[str]) -> Edges:
        return Edges(segments, names, self._store.ids)

    def _by_id(self, nodes: Nodes) -> Nodes:
        """Return nodes in the order of their ids, without those that are gone; read in pages: questions go between."""
        found, last = [nodes[:0]], ""
        while rows := self._store.select("SELECT num, id FROM nodes WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)):
            nums = np.fromiter((num for num, _ in rows), np.int64, len(rows))
            found.append(nums[ordered.contains(nodes, nums)])
            last = rows[-1][1]
        return np.concatenate(found)

    def _show(self) -> None:
        """Make the snapshot of the present state."""
        state, before = self._state, self._current
        assert state is not None
        known = before.edges if before is not None and isinstance(before.edges, Edges) else None
        edges = Edges(state.parts.edges, self._store.edge_type_names(), self._store.ids, known)
        part: EdgePart = edges
        if before is not None and edges.same_as(before.edges):
            structure, part = before.structure, before.edges  # which knows its hubs, and which types are in use
        elif before is not None and before.generation == state.generation:
            structure = before.structure.over(edges)
        else:
            stale = before.structure if before is not None else None
            structure = Structure(edges, self._store.ids, stale, by_id=self._by_id)
        self._current = Snapshot(
            generation=state.generation,
            embedder=state.embedder,
            own_share=state.own_share,
            size=sum(segment.size for segment in state.parts.text),
            vectors=Vectors(state.parts.vectors, exact=self._config.index.exact),
            text=text_part(state.parts.text, self._config, None if before is None else before.text),
            tokens=Tokens(state.parts.tokens),
            edges=part,
            hidden=np.sort(self._store.hidden()),
            names=Names(state.parts.names),
            lookup=self._store,
            structure=structure,
            notes=self._derived,
            mark=state.token,
        )

    # -- derived files and compaction ---------------------------------------------------------------------------

    @property
    def _first_stage(self) -> FirstStageSettings:
        return FirstStageSettings(self._config.index.exact, self._config.index.first_stage)

    def _worth_keeping(self, parts: Parts) -> bool:
        return self._derived.writable and parts.are_many()

    def _opened(self) -> State | None:
        """Return the newest state that derived files hold, where the store knows its generation; else None."""
        found = self._derived.newest(wanted_by(self._config), self._store.knows)
        if found is None:
            return None
        facts, arrays = found
        try:
            with as_written(self._derived.folder):
                fits = facts.get("fused_by") == read_by(self._config, facts["own_share"])["fused_by"]
                return State.of(facts, arrays, given_out(self._store.select)) if fits else None
        except DamagedFileError:
            self._derived.discard()
            return None

    def _kept(self, state: State, made_by: dict[str, Any]) -> State:
        """Return a state as it was written beside the store, with the mapped files; as it is where that fails."""
        state = replace(state, parts=state.parts.compacted(self._first_stage))
        names, arrays = state.parts.arrays()
        of_it = {"generation": state.generation, "token": state.token, "embedder": state.embedder, "parts": names}
        if not self._derived.write(arrays, made_by | of_it, self._store.knows):
            return state
        opened = self._opened()
        if opened is not None and (opened.generation, opened.token) == (state.generation, state.token):
            return opened
        self._derived.refuse()  # another process has put its own in their place, of a generation or config of its own
        return state

    def _compact_beside(self) -> None:
        """Compact beside the searches, where that is worth it or done by another process, and not under way already."""
        at_work = self._compaction is not None and self._compaction.is_alive()
        if not at_work and (self._worth_compacting() is not None or self._derived.have_newer()):
            self._compaction = begun(threading.Thread(target=self._compact_all), "fourfold-compaction")

    def _worth_compacting(self) -> bool | None:
        """Whether all segments are to be merged, or only vectors to be coded; None where neither is worth it."""
        if self._state is None or self._closed:
            return None
        whole = self._state.parts.worth_merging(keep=self._derived.may_write)
        return whole if whole or self._state.parts.await_codes(self._first_stage) else None

    def _compact_all(self) -> None:
        """Compact, and again what was written meanwhile: no other write may come that would see to it."""
        while True:
            self._take_over()
            with self._lock:  # whoever writes after this look begins anew
                if (whole := self._worth_compacting()) is None:
                    self._compaction = None
                    return
            waits = whole and self._hurried is not threading.current_thread()
            with self._derived.turn() if waits else nullcontext(True) as ours:
                if ours and not self._derived.have_newer():  # else it is taken over, now or when it is done
                    self._compact(whole=whole)

    def _take_over(self) -> None:
        """Go on with what another process has merged and kept: no need to do the same, or to hold what it replaced."""
        config = self._config
        if not self._derived.have_newer() or (kept := self._opened()) is None:
            return
        try:
            with self._lock:
                changes = self._store.changes(kept.generation)
                if self._state is not None and self._config is config and changes.own_share == kept.own_share:
                    self._take_in(kept.parts, changes)
                    self._show()
        except DamagedFileError:
            self.forget()

    def _compact(self, *, whole: bool = True) -> None:
        """Merge all segments of the present state, or only code vectors; then mark what was replaced meanwhile."""
        try:
            with self._lock:
                if (begun := self._state) is None:
                    return
                begun_by = read_by(self._config, begun.own_share)
            merged = begun.parts.compacted(self._first_stage) if whole else begun.parts.coded(self._first_stage)
            if merged.same_as(begun.parts) and self._derived.shows(begun.generation, begun.token):
                return
            state = replace(begun, parts=merged)
            if whole and self._worth_keeping(merged):
                state = self._kept(state, begun_by)  # gigabytes, for which no search after a write waits
            with self._lock:
                if self._state is None or read_by(self._config, self._state.own_share) != begun_by:
                    return
                # Everything after `begun` is read again from the store: little, and always right.
                self._state = state
                self._take_in(state.parts, self._store.changes(state.generation))
                self._show()
        except DamagedFileError:  # read anew, then there is nothing to merge
            self.forget()
