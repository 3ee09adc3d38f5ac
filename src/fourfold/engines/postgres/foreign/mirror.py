"""Our graph of foreign tables: it knows the version of every row it was made of, and follows by polling."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from psycopg.errors import UndefinedTable

from fourfold.engines.base import Backend
from fourfold.engines.base import Writer as AnyWriter
from fourfold.engines.foreign import Follower as AnyFollower
from fourfold.engines.foreign import ForeignSchema, Write
from fourfold.engines.foreign.change import MovedError, schema_as_json
from fourfold.engines.foreign.remarks import remarks
from fourfold.engines.foreign.values import dimension_of
from fourfold.engines.postgres.address import Address, ForeignAddress
from fourfold.engines.postgres.backend import PostgresBackend
from fourfold.engines.postgres.foreign.reading import Compared, Reader, Stamp
from fourfold.engines.postgres.foreign.statements import MIRRORED, Statements
from fourfold.engines.postgres.foreign.tables import Tables, matches, understood
from fourfold.engines.postgres.foreign.watching import (
    News,
    Transactions,
    Triggers,
    Watch,
    forget_statement,
    put_triggers,
)
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.writer import Writer
from fourfold.errors import StoreError

_ATTEMPTS = 20


@dataclass(frozen=True)
class _Theirs:
    """Foreign tables as they are now: what there is and what it means, as the caller said (``given``) or as found."""

    link: Link
    address: ForeignAddress
    given: ForeignSchema | None
    tables: Tables
    schema: ForeignSchema

    @classmethod
    def read(cls, link: Link, address: ForeignAddress, given: ForeignSchema | None) -> _Theirs:
        """Read the catalogue, and find out what it means where nobody has said it."""
        tables = Tables.read(link, address.theirs.schema)
        return cls(link, address, given, tables, understood(link, tables, address, given))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the tables, and on their meaning where nobody has said it."""
        if self.given is not None:
            return self.tables.notes
        found = remarks(
            self.schema, self.tables.listed, self.link.path, lambda *names: matches(self.link, self.tables, *names)
        )
        return (*self.tables.notes, *found)


class Follower(AnyFollower):
    """Keeps our graph, ``backend``, in step with foreign tables, which are never written to.

    ``write`` is how nodes and edges get into it.
    """

    def __init__(self, theirs: _Theirs, backend: PostgresBackend, write: Write) -> None:
        self._link, self._address = theirs.link, theirs.address
        self._backend, self._write = backend, write
        self._ours = backend.link.quoted_schema.replace("%", "%%")
        self._lock = threading.RLock()
        self._claim()
        self._take(theirs)
        self._watch: Watch = Transactions(theirs.link)
        if theirs.address.trigger:
            self._put_triggers()
            self._watch = Triggers(theirs.link, self._ours, self._watched, self._put_triggers)
        self.keep_in_step()

    def _take(self, theirs: _Theirs) -> None:
        """Read these tables, in this sense, from now on."""
        self._theirs = theirs
        self._reader = Reader(theirs.link, Statements(theirs.tables, theirs.schema, self._ours))

    def _put_triggers(self) -> None:
        put_triggers(self._link, self._theirs.tables, self.schema, self._backend.link.quoted_schema)

    def _watched(self) -> tuple[str, list[str]]:
        """Return their schema, and the tables of it that are read."""
        of = self.schema
        return self._theirs.tables.schema, [each for each in (of.node_table, of.edge_table, of.vector_table) if each]

    def _claim(self) -> None:
        """Make our graph a mirror, unless it is a graph of its own."""
        if self._backend.meta("foreign_schema") is not None:
            return
        if self._backend.counts()["nodes"]:
            raise StoreError(
                f"{self._backend.path!r} is a graph of its own, not the index of {self.path!r}; name another schema: "
                "&index=NAME."
            )
        with self._backend.transaction() as writer:
            writer.execute(
                f"CREATE TABLE IF NOT EXISTS {self._ours}.{MIRRORED} "
                '(id text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, hash bytea NOT NULL)'
            )

    @property
    def path(self) -> str:
        """Their address, without a password."""
        return self._link.path

    @property
    def address(self) -> str:
        """What opens them again, with everything that takes."""
        return self._address.url

    @property
    def schema(self) -> ForeignSchema:
        """What their tables and columns mean."""
        return self._theirs.schema

    def info(self) -> dict[str, Any]:
        """Return how the tables are read and what was skipped, in plain JSON types."""
        return {
            "index": self._backend.path,
            "schema": json.loads(schema_as_json(self.schema)),
            "skipped": json.loads(self._backend.meta("foreign_counts") or "{}"),
            "notes": list(self._theirs.notes),
            "altered": self._address.trigger,
        }

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        self._link.close()

    # -- following ----------------------------------------------------------------------------------------------

    def keep_in_step(self) -> None:
        """Take in what has changed in their tables since they were last read."""
        with self._lock, self._dropped():
            everything = False
            for _ in range(_ATTEMPTS):
                if (news := self._watch.news()) is None:
                    return
                try:
                    self._watch.seen(self._look(replace(news, ids=None) if everything else news))
                except MovedError:
                    everything = True  # the mirror may have been emptied
            raise StoreError(f"{self.path!r} changes faster than it can be indexed; try again.")

    @contextmanager
    def _dropped(self) -> Iterator[None]:
        """Say what to do where somebody has dropped our schema, as anybody may."""
        try:
            yield
        except StoreError as error:
            place = f"{self._ours}.{MIRRORED}".replace("%%", "%")
            if not isinstance(error.__cause__, UndefinedTable) or self._link.one("SELECT to_regclass(%s)", place)[0]:
                raise
            raise StoreError(
                f"{self._backend.path!r}, the index of {self.path!r}, was dropped while it was open; open the graph "
                "again, and it is made anew."
            ) from error

    def _look(self, news: News) -> str:
        """Compare one state with the mirror and write what is missing; return the state's token."""
        with self._link.question():
            token = self._watch.begin()
            generation = self._generation()
            if not self._theirs.tables.are_as(self._link, self.schema):  # a column renamed or new
                self._take(_Theirs.read(self._link, self._address, self._theirs.given))
                news = replace(news, ids=None)
            schema = schema_as_json(self.schema)
            if news.ids is not None:
                stamp, found = None, self._reader.difference(news.ids, edges=self._relations_in_nodes)
            else:
                stamp = self._reader.stamp()
                known = self._backend.meta("foreign_schema") == schema and self._stamped == stamp.text
                if known and not news.numbers:
                    return token
                found = self._reader.difference()
            if self._must_begin_anew(found, stamp):
                self._reset(generation)
                raise MovedError
        self._take_in(found, generation, news, stamp, schema)
        return token

    @property
    def _relations_in_nodes(self) -> bool:
        return self.schema.edge_table in (None, self.schema.node_table)

    @property
    def _stamped(self) -> str:
        return self._backend.meta("foreign_stamp") or ""

    def _generation(self) -> int:
        """Return the generation of the mirror in the state that is being read."""
        return int(self._link.one(f"SELECT generation FROM {self._ours}.state")[0])

    def _must_begin_anew(self, found: Compared, stamp: Stamp | None) -> bool:
        """Whether vectors are of another kind now than those that the mirror holds."""
        held = self._backend.meta("dimensions")
        if held is None:
            return False
        embedded = self._backend.meta("embedder") is not None
        if (dimension := dimension_of(found.nodes)) is not None:
            return embedded or held != str(dimension)
        return stamp is not None and not stamp.vectors and not embedded

    def _reset(self, generation: int) -> None:
        """Forget everything."""
        with self._backend.transaction() as writer:
            self._still(writer, generation)
            writer.delete_nodes(list(self._backend.manifest()))
            writer.execute(f"DELETE FROM {self._ours}.{MIRRORED}")
            for key in ("dimensions", "embedder", "foreign_stamp"):
                writer.set_meta(key, None)

    def _still(self, writer: AnyWriter, generation: int) -> None:
        if writer.generation != generation + 1:
            raise MovedError

    def _take_in(self, found: Compared, generation: int, news: News, stamp: Stamp | None, schema: str) -> None:
        """Write the difference in one transaction; where only places of rows have moved, no search sees a change."""

        def first(writer: AnyWriter) -> None:
            assert isinstance(writer, Writer)
            self._still(writer, generation)
            writer.delete_edges(found.gone_edges)
            writer.delete_nodes(found.gone_nodes)
            self._sign(writer, found, news, stamp, schema)

        if not found.empty:
            self._write(found.nodes, found.edges, first=first)
            return
        with self._backend.transaction(moves=False) as writer:
            if writer.generation != generation:
                raise MovedError
            self._sign(writer, found, news, stamp, schema)

    def _sign(self, writer: Writer, found: Compared, news: News, stamp: Stamp | None, schema: str) -> None:
        writer.execute(f"DELETE FROM {self._ours}.{MIRRORED} WHERE id = ANY(%s::text[])", found.gone_nodes)
        ids, versions, hashes = (list(column) for column in zip(*found.seen, strict=True)) if found.seen else ([],) * 3
        writer.execute(
            f"INSERT INTO {self._ours}.{MIRRORED} SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bytea[]) "
            "ON CONFLICT (id) DO UPDATE SET version = excluded.version, hash = excluded.hash",
            ids,
            versions,
            hashes,
        )
        if news.numbers:
            writer.execute(forget_statement(self._ours), list(news.numbers))
        writer.set_meta("foreign_stamp", None if stamp is None else stamp.text)
        writer.set_meta("foreign_schema", schema)
        writer.set_meta("foreign_vectors", "yes" if self.schema.vector or self.schema.vector_column else None)
        if found.counts is not None:
            writer.set_meta("foreign_counts", json.dumps(found.counts, sort_keys=True))


class Source:
    """Tables of others, understood by a schema that is given or found, but not yet read."""

    def __init__(self, url: str, schema: ForeignSchema | None) -> None:
        address = ForeignAddress.of(url)
        link = Link(address.theirs)
        try:
            self._theirs = _Theirs.read(link, address, schema)
        except BaseException:
            link.close()
            raise

    @property
    def index(self) -> str:
        """The URL of the graph beside them that is derived from them."""
        return self._theirs.address.derived(self._theirs.schema.node_table)

    @property
    def index_shown(self) -> str:
        """The same without a password."""
        return Address.of(self.index).shown

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on what is not read, a sentence each."""
        return self._theirs.notes

    def follow(self, backend: Backend, write: Write) -> Follower:
        """Bring the derived graph up to date, and return what keeps it so."""
        assert isinstance(backend, PostgresBackend)
        return Follower(self._theirs, backend, write)

    def close(self) -> None:
        """Close the connections."""
        self._theirs.link.close()
