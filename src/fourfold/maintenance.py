"""What keeps a graph in good order."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from fourfold.arguments import boolean, file_path
from fourfold.engines.base import Writer
from fourfold.errors import InvalidValueError, UnsupportedError
from fourfold.graph_embedding import Progress
from fourfold.session import Session

_OWN_ENDS = ("", "-wal", "-shm", "-journal")
"""What SQLite calls a file and those beside it; where it did not make one itself, it locks the graph or deletes it."""


class Maintenance:
    """The upkeep of one graph: ``retriever.maintenance``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reembed(
        self,
        embedder: object = None,
        *,
        progress: Progress | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Replace every vector by one of another embedder, while searches go on by the old ones.

        The new vectors are kept beside the old and committed batch by batch; a run that failed or was killed is
        continued by the next call with an embedder of the same name. When every node has one, those added or changed
        meanwhile too, a single transaction puts them in the place of the old. From then on this retriever searches
        with the new embedder; others must be opened anew with it.

        Vectors that callers brought (``Node.vector``) are replaced too. Of a foreign graph the derived index is
        embedded again, the file is only read.

        Args:
            embedder: as for ``Retriever``; None is the bundled static model. ``config.embedding`` says what it reads.
            progress: called with (nodes done, nodes in all), first with those an earlier run has done.
            also: run inside the last transaction, after the vectors are replaced.

        Returns:
            The generation of the graph from which on the new vectors are searched.

        Raises:
            EmbedderError: the embedder failed, or returned no matrix of finite vectors; finished batches are kept.
            StoreError: the file is read-only, its vectors are those of a foreign file, or another re-embedding of it
                began or ended meanwhile.

        """
        return self._session.reembed(embedder, progress, also)

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write the whole graph, as it is now, into another SQLite file: one of memory is kept that way.

        What the file holds of this graph, such as the backup of yesterday, is replaced, at once or not at all.
        ``fourfold.copying.copy`` copies between engines.

        Args:
            path: where.
            replace: replace whatever the file holds: another graph, or the tables of another application.

        Raises:
            InvalidValueError: the path is no file, or the graph's own.
            UnsupportedError: the graph is not in SQLite.
            StoreError: the file cannot be written, or holds something else.

        """
        target = file_path(path)
        replace = boolean(replace, "replace")
        own = self._session.path
        if "://" in target:
            raise InvalidValueError(
                f"The path begins with {target.partition('://')[0]}://, and save writes a SQLite file; "
                "fourfold.copying.copy copies to another engine."
            )
        if target == ":memory:" or (own != ":memory:" and any(_are_one(own + end, target) for end in _OWN_ENDS)):
            raise InvalidValueError(f"The graph {own!r} is saved in another file than {target!r}.")
        save = getattr(self._session.backend, "save", None)
        if save is None:
            raise UnsupportedError(f"{own!r} is no SQLite file; fourfold.copying.copy copies it to one.")
        save(target, replace=replace)

    def derive_anew(self) -> int:
        """Derive anew, in one transaction, what is kept beside the contents of nodes and is damaged.

        Those are terms, values for filters, wordpieces and the full text, which ``fourfold.checking.check`` compares
        with the contents; ``add`` leaves nodes alone whose content is stored just so. Contents, vectors and edges stay
        as they are, and so do the books of documents.

        Returns:
            The generation of the graph from which on they are searched.

        Raises:
            UnsupportedError: the graph is not in SQLite.
            StoreError: the file is read-only, or contents are damaged too and cannot be read.

        """
        derive = getattr(self._session.backend, "derive_anew", None)
        if derive is None:
            raise UnsupportedError(
                f"{self._session.path!r} is no SQLite file; fourfold copy to an empty place derives all anew."
            )
        generation: int = derive(self._session.tokenizer)
        self._session.answers.clear()
        return generation

    def compact(self) -> None:
        """Merge what many writes have left now, instead of in the background; searches go on meanwhile."""
        self._session.backend.compact()

    def forget_answers(self) -> None:
        """Drop every remembered answer; the next searches are computed anew."""
        self._session.answers.clear()


def _are_one(own: str, other: str) -> bool:
    """Whether two paths lead to one file, by whatever names."""
    try:
        return os.path.samefile(own, other)
    except OSError:  # one is not there
        return Path(other).resolve() == Path(own).resolve()
