"""Whether foreign tables may have changed: asked before every search, so one small statement where they have not.

Without touching anything of theirs, the server's own count of transactions tells: while none has begun or ended, no
table is another. With triggers on their tables (``alter=trigger``, the one alteration there is, and only when asked
for) these write down in a table of ours which nodes changed, and the catalogue tells whether the tables are others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from psycopg import sql

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.postgres.foreign.tables import Tables
from fourfold.engines.postgres.link import Link
from fourfold.errors import StoreError

_MOST = 10_000
"""Beyond so many changed nodes all are compared."""
_CHANGES, _FUNCTION, _TRIGGER = "foreign_changes", "foreign_changed", "fourfold_changed"

_LOG = """
CREATE TABLE IF NOT EXISTS {ours}.foreign_changes (num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text)
"""
_NOTE = """
CREATE OR REPLACE FUNCTION {ours}.foreign_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $fourfold$
DECLARE
    identity text;
BEGIN
    -- where the column has another name now, their write goes on, and everything is looked at
    IF TG_LEVEL = 'STATEMENT' OR NOT EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = TG_RELID AND attname = TG_ARGV[0] AND NOT attisdropped
    ) THEN
        INSERT INTO {ours}.foreign_changes (id) VALUES (NULL);
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('SELECT ($1).%I::text', TG_ARGV[0]) INTO identity USING OLD;
        INSERT INTO {ours}.foreign_changes (id) VALUES (coalesce(identity, ''));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('SELECT ($1).%I::text', TG_ARGV[0]) INTO identity USING NEW;
        INSERT INTO {ours}.foreign_changes (id) VALUES (coalesce(identity, ''));
    END IF;
    RETURN NULL;
END $fourfold$
"""

_MADE = f"""
SELECT coalesce(string_agg(concat_ws(' ', r.oid, (
        SELECT string_agg(a.attnum || ':' || a.xmin, ' ' ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = r.oid AND a.attnum > 0
    ), (
        SELECT string_agg(g.oid || ':' || g.xmin, ' ' ORDER BY g.oid) FROM pg_trigger g
        WHERE g.tgrelid = r.oid AND starts_with(g.tgname, '{_TRIGGER}')
    )), ';' ORDER BY r.oid), '')
FROM pg_class c, LATERAL (SELECT c.oid UNION SELECT relid FROM pg_partition_tree(c.oid)) r (oid)
WHERE c.relnamespace = to_regnamespace(quote_ident(%s)) AND c.relname = ANY(%s::text[])
"""
"""How some tables of a schema are made: themselves, their partitions, the columns and our triggers of each, and who
wrote these last in the catalogue."""


@dataclass(frozen=True, slots=True)
class News:
    """What is to be looked at.

    Args:
        token: what the state is known by; given back to ``Watch.seen``.
        ids: of the nodes that may have changed, of no others; None for all, and the edges too.
        numbers: of the entries that told it.

    """

    token: str
    ids: Sequence[str] | None = None
    numbers: Sequence[int] = ()


class Transactions:
    """Asks the server which transactions have ended."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._token: str | None = None

    def news(self) -> News | None:
        """Return what may have changed: everything, or nothing."""
        token = self.begin()
        return None if token == self._token else News(token)

    def begin(self) -> str:
        """Return the transactions that this state does not see."""
        return str(self._link.one("SELECT pg_current_snapshot()::text")[0])

    def seen(self, token: str) -> None:
        """Say that a state was taken in."""
        self._token = token


class Triggers:
    """Reads what the triggers wrote down in ``ours``, the quoted name of our schema.

    No trigger tells that a table was altered, replaced, or given a partition: that the catalogue tells, which is asked
    in the same round trip. ``put`` then puts triggers where there are none.
    """

    def __init__(
        self, link: Link, ours: str, watched: Callable[[], tuple[str, Sequence[str]]], put: Callable[[], None]
    ) -> None:
        self._link, self._ours = link, ours
        self._watched, self._put = watched, put
        self._made: str | None = None

    def news(self) -> News | None:
        """Return which nodes may have changed."""
        if self._made is None:
            return News("")
        log = f"SELECT num, id FROM {self._ours}.{_CHANGES} ORDER BY num LIMIT {_MOST + 1}"
        rows, made = self._link.ask((log, ()), (_MADE, self._watched()))
        altered = made[0][0] != self._made
        if altered:
            self._put()
        elif not rows:
            return None
        every = altered or len(rows) > _MOST or any(identity is None for _, identity in rows)
        ids = None if every else list(dict.fromkeys(identity for _, identity in rows))
        return News("", ids, [int(num) for num, _ in rows])

    def begin(self) -> str:
        """Return how the tables are made; what was written down is deleted with the write that took it in."""
        return str(self._link.one(_MADE, *self._watched())[0])

    def seen(self, token: str) -> None:
        """Say that a state was taken in."""
        self._made = token


Watch = Transactions | Triggers
"""Tells whether tables may have changed."""


def forget_statement(ours: str) -> str:
    """Return SQL that deletes what was taken in, by the numbers of its entries."""
    return f"DELETE FROM {ours}.{_CHANGES} WHERE num = ANY(%s::bigint[])"


def put_triggers(link: Link, tables: Tables, schema: ForeignSchema, ours: str) -> None:
    """Put triggers on the foreign tables, where they are not there already: this alters tables of others."""
    watched = [(schema.node_table, schema.id), (schema.vector_table, schema.vector_node), (schema.edge_table, None)]
    with link.writing() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('fourfold triggers'), hashtext(%s))", (ours,))
        for statement in (_LOG, _NOTE):
            connection.execute(statement.replace("{ours}", ours).encode())
        for table, key in watched:
            if table is None:
                continue
            if tables.kinds[table] not in ("r", "p"):
                raise StoreError(f"{table!r} is no table of its own, so no trigger can watch it; leave alter= out.")
            place = tables.quoted(table).replace("%%", "%")
            found = connection.execute("SELECT to_regclass(%s)", (place,)).fetchone()
            if found == (None,):  # it has gone since; the next reading says so
                continue
            there = connection.execute(
                "SELECT 1 FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgname = %s "
                "AND g.tgrelid = to_regclass(%s) AND p.pronamespace = to_regnamespace(%s)",
                (f"{_TRIGGER}_rows", place, ours),
            ).fetchone()
            if there is not None:
                continue
            of = f"ON {place}"
            run = f"EXECUTE FUNCTION {ours}.{_FUNCTION}"
            argument = "" if key is None else sql.Literal(key).as_string(connection)
            level = "STATEMENT" if key is None else "ROW"
            for statement in (
                f"CREATE TRIGGER {_TRIGGER}_rows AFTER INSERT OR UPDATE OR DELETE {of} FOR EACH {level} "
                f"{run}({argument})",
                f"CREATE TRIGGER {_TRIGGER}_all AFTER TRUNCATE {of} FOR EACH STATEMENT {run}()",
            ):
                connection.execute(statement.encode())
