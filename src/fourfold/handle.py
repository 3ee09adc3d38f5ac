"""What makes a retriever a handle of an open graph: it is shared by its copies, reopened by its pickles, and closed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from fourfold.config import RetrievalConfig
from fourfold.config_history import with_changes
from fourfold.engines import ForeignSchema
from fourfold.errors import StoreError
from fourfold.markup import html_facts
from fourfold.session import Session


class Shared:
    """Has an open graph, which its deep copies share."""

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)


class Closing(Shared):
    """Is closed at the end of a ``with`` statement."""

    def close(self) -> None:
        """Close the graph; a second call does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Handle(Closing):
    """Holds a Session open."""

    _session: Session

    def close(self) -> None:
        """Close the graph; a second call does nothing."""
        self._session.close()

    def __repr__(self) -> str:
        """Name the graph without reading it, so that a closed or broken one can be shown; never a password."""
        return f"<{type(self).__name__} {self._session.path!r}>"

    def _repr_html_(self) -> str:
        """Show in a notebook what the graph holds."""
        return html_facts(type(self).__name__, self._session.info())

    def __copy__(self) -> Self:
        """Return this very retriever: it is a handle of an open file, which its copies share."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as what opens the same file again, in this process or another."""
        if self._session.backend.address == ":memory:":
            raise StoreError("A graph in memory cannot be pickled; keep it in a file: Retriever('kg.sqlite').")
        return _reopened, (type(self), self._session.address, *self._session.opened_with())


def opened_beside(kind: type[Any], handle: Handle, config: RetrievalConfig) -> Any:
    """Open what a retriever has open a second time, as a retriever of a kind, to be read under another config.

    The embedder is the same; of another application's tables the schema is, too: read by another one, the index that
    is derived from them would become another for both.
    """
    session = handle._session
    embedder, _, _, schema = session.opened_with()
    return _opened(kind, session.address, embedder, config, read_only=True, schema=schema)


def _reopened(
    kind: type[Any],
    path: str,
    embedder: object,
    changes: Mapping[str, Any] | None,
    read_only: bool,
    schema: ForeignSchema | None,
) -> Any:
    """Open what a pickled retriever had open."""
    config = None if changes is None else with_changes(RetrievalConfig(), changes)
    return _opened(kind, path, embedder, config, read_only=read_only, schema=schema)


def _opened(
    kind: type[Any],
    path: str,
    embedder: object,
    config: RetrievalConfig | None,
    *,
    read_only: bool,
    schema: ForeignSchema | None,
) -> Any:
    if schema is not None:
        return kind.open_foreign(path, schema, embedder=embedder, config=config)
    return kind(path, embedder=embedder, config=config, read_only=read_only, must_exist=True)
