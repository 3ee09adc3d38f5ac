"""Folders and files of texts: read once, then only what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from pathlib import Path, PurePosixPath

from fourfold.arguments import any_path, callback, many, shown
from fourfold.engines.base import Writer
from fourfold.engines.documents import Booked
from fourfold.errors import InvalidValueError
from fourfold.ingest.documents import Document, IngestConfig
from fourfold.ingest.files import document_of, fingerprint, is_corpus, is_json_lines, no_reader
from fourfold.ingest.graphs import read_jsonl
from fourfold.ingest.readers.apart import ReadersApart
from fourfold.ingest.readers.parsed import NoTextError, reason
from fourfold.ingest.report import Problem, Report
from fourfold.ingest.roots import SETTING, Roots
from fourfold.ingest.walk import MAX_BYTES, Walk, content
from fourfold.ingest.writing import add_documents, delete_documents, list_documents, resolve_config
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever

FolderProgress = Callable[[int, int], None]
"""Called with (files done, files in all)."""


@of_open_graph
def index_folder(
    retriever: Retriever,
    folder: str | Path,
    *,
    config: IngestConfig | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: int = 60,
    follow_links: bool = False,
    allow_empty: bool = False,
    progress: FolderProgress | None = None,
) -> Report:
    """Make the graph hold the texts of a folder; see ``index_paths``.

    Raises:
        InvalidValueError: ``folder`` is none; or see ``index_paths``.

    """
    if not any_path(folder).is_dir():
        raise InvalidValueError(f"{str(folder)!r} is no folder.")
    return index_paths(
        retriever,
        [folder],
        config=config,
        max_bytes=max_bytes,
        max_seconds=max_seconds,
        follow_links=follow_links,
        allow_empty=allow_empty,
        progress=progress,
    )


@of_open_graph
def index_paths(
    retriever: Retriever,
    paths: str | Path | Iterable[str | Path],
    *,
    config: IngestConfig | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: int = 60,
    follow_links: bool = False,
    allow_empty: bool = False,
    progress: FolderProgress | None = None,
) -> Report:
    """Make the graph hold the texts of folders and files: add what is new, replace what changed, delete what is gone.

    A file is a document: its id is its path below the folder, its source the whole path, its title that of the front
    matter, else the first heading or HTML title, else the file's name. The ids of a further folder of the same graph
    begin with its name, so that each may have a README.md. Links and wiki links between files become edges. The texts
    of a BEIR collection (``corpus.jsonl``) are a document each. A file is read again only if its content hash changed;
    a run that is broken off goes on when it is called again.

    Args:
        retriever: where they go.
        paths: one or more folders, read with their subfolders, and files. In a folder, names that begin with a dot
            are passed over.
        config: see ``add_documents``.
        max_bytes: a larger file is passed over.
        max_seconds: processor time after which a file of reStructuredText, Python, PDF, Office or an e-mail is passed
            over. These are read in a process of their own, where they may break down or fill memory without harm.
        follow_links: read what links out of a folder lead to, too.
        allow_empty: take all documents of a folder away that has no file to read any more.
        progress: called with (files done, files in all).

    Returns:
        What was done; every file that is not in the graph as it is now, with the reason, in ``passed_over``; and those
        of them that are broken, and files that were read with faults, in ``problems``. Of what the system would not
        let be read, such as a folder without permission, the graph keeps what it has.

    Raises:
        InvalidValueError: a path leads nowhere; a folder that the graph has documents of has none any more, as where
            a disk is not mounted; or see ``add_documents``.

    """
    callback(progress)
    given = [paths] if isinstance(paths, (str, Path)) else many(paths, "paths", "paths")
    with ReadersApart(max_seconds) as apart:
        run = _Run(retriever, list(map(any_path, given)), config, max_bytes, follow_links, progress, apart)
        if not allow_empty:
            run.refuse_emptied()
        return run.report()


class _Run:
    """One call of ``index_paths``."""

    def __init__(
        self,
        retriever: Retriever,
        paths: list[Path],
        config: IngestConfig | None,
        max_bytes: int,
        follow_links: bool,
        progress: FolderProgress | None,
        apart: ReadersApart,
    ) -> None:
        for path in paths:
            if not path.exists():
                raise InvalidValueError(f"{str(path)!r} is neither a folder nor a file.")
        self._retriever = retriever
        self._config = resolve_config(retriever, config)
        self._max_bytes = max_bytes
        self._progress = progress
        self._apart = apart
        self._notes = Report()
        self._kept: dict[str, str] = {}
        self._unread: set[str] = set()
        # A file is called by the name that was given, though that be a link.
        folders = self._folders = list(dict.fromkeys(path.resolve() for path in paths if path.is_dir()))
        files = list(dict.fromkeys(path.parent.resolve() / path.name for path in paths if not path.is_dir()))
        self._places = {path.as_posix() for path in (*folders, *files)}
        self._known = {entry.id: entry for entry in list_documents(retriever)}
        self._stored_roots = retriever.backend.meta(SETTING)
        before = Roots.read(self._stored_roots, self._known.values())
        self._roots = self._including(before, folders)
        self._places |= before.prefixes.keys() - self._roots.prefixes.keys()  # moved: what is not here is gone
        self._roots = self._including(self._roots, [file.parent for file in files])
        graph = Path(retriever.path).resolve()  # the graph may lie in the folder itself
        self._own = {graph.with_name(graph.name + end) for end in ("", "-wal", "-shm", "-journal")}
        self._corpora = {file for file in files if is_json_lines(file)}
        self._files = list(dict.fromkeys((*self._below(folders, follow_links), *filter(self._reads, files))))

    def refuse_emptied(self) -> None:
        """Refuse a folder of which everything would go and nothing come: a disk that is away looks like that."""
        for folder in map(Path.as_posix, self._folders):
            lost = sum(_is_in(entry.source, {folder}) for entry in self._known.values())
            met = (*map(Path.as_posix, self._files), *self._unread)
            if lost and not any(_is_in(place, {folder}) for place in met):
                documents = "1 document" if lost == 1 else f"{lost:,} documents"
                raise InvalidValueError(
                    f"{folder!r} holds no file that can be read, and the graph has {documents} of it; nothing "
                    "was changed. Is a disk not mounted? To take them all away, say allow_empty=True "
                    "(fourfold index --allow-empty)."
                )

    def report(self) -> Report:
        """Do it, and return what was done."""
        report = add_documents(self._retriever, self._documents(), config=self._config)
        for document in report.left_out:
            self._kept.pop(document, None)
        report.unchanged += self._notes.unchanged
        report.problems[:0] = self._notes.problems
        report.passed_over[:0] = self._notes.passed_over
        report.removed = delete_documents(self._retriever, [i for i, e in self._known.items() if self._is_gone(e)])
        if self._progress is not None:
            self._progress(len(self._files), len(self._files))
        return report

    def _including(self, roots: Roots, folders: Iterable[Path]) -> Roots:
        for folder in folders:
            roots = roots.including(folder.as_posix(), self._known.values())
        return roots

    def _below(self, folders: Iterable[Path], follow_links: bool) -> Iterator[Path]:
        """Return the files of folders that can be read."""
        for folder in folders:
            walk = Walk(folder, self._reads, follow_links=follow_links)
            yield from walk.files()
            self._notes.passed_over += walk.hidden + walk.left_out
            self._notes.problems += walk.left_out
            self._unread |= walk.unread

    def _reads(self, path: Path) -> bool:
        """Whether there is a reader for a file; it is passed over if there is none."""
        why = None if path in self._corpora else no_reader(path)
        if why is not None and path not in self._own:
            self._notes.passed_over.append(Problem(path.as_posix(), why))
        return why is None

    def _documents(self) -> Iterator[Document]:
        """Return the documents of all files, but those of files that did not change."""
        signed = False
        for number, path in enumerate(self._files):
            if self._progress is not None:
                self._progress(number, len(self._files))
            is_many = path in self._corpora or is_corpus(path)
            for document in self._corpus(path) if is_many else self._document(path):
                if other := self._taken(document):
                    self._notes.leave_out(
                        document.source, f"the id {shown(document.id)} is that of a document of {shown(other)[1:-1]}."
                    )
                    continue
                if not signed:
                    self._sign()
                    signed = True
                self._kept[document.id] = document.source
                yield document

    def _taken(self, document: Document) -> str | None:
        """Return the source of another document that has the id of this one."""
        if document.id in self._kept:
            return self._kept[document.id]
        known = self._known.get(document.id)
        is_other = known is not None and known.source != document.source and Path(known.source).exists()
        return known.source if known is not None and is_other else None

    def _document(self, path: Path) -> Iterator[Document]:
        """Return the document that a file is; none if it did not change, or is passed over."""
        try:
            data = content(path, self._max_bytes)
            entry = self._known.get(self._roots.id_of(path.as_posix()) or "")
            if entry is not None and entry.hash == fingerprint(path, data):
                self._kept[entry.id] = entry.source
                self._notes.unchanged += 1
                return
            document, fault = document_of(path, data, self._roots, self._apart)
        except NoTextError as error:
            self._notes.passed_over.append(Problem(path.as_posix(), str(error)))
            return
        except Exception as error:  # readers raise anything at a broken file; it must not take the others with it
            self._leave_out(path.as_posix(), error)
            return
        if fault:
            self._notes.problems.append(Problem(path.as_posix(), fault))
        yield document

    def _corpus(self, path: Path) -> Iterator[Document]:
        """Return the documents of a file of JSON Lines; their ids are within its folder, like the names of files.

        So are the ids that they link to; these may be titles, or ids of other folders, as well.
        """
        broken: list[Problem] = []
        place = path.as_posix()
        folder = (self._roots.id_of(place) or "").removesuffix(path.name)
        try:
            for document in read_jsonl(path, problems=broken):
                metadata = document.metadata
                if document.source != str(path):
                    metadata = {"source": document.source, **metadata}
                links = dict.fromkeys((*document.links, *(folder + link for link in document.links)))
                yield replace(document, id=folder + document.id, source=place, metadata=metadata, links=tuple(links))
        except (OSError, InvalidValueError) as error:
            self._leave_out(place, error)
        self._notes.problems += broken
        self._notes.passed_over += broken

    def _leave_out(self, place: str, error: Exception) -> None:
        """Note a file that is not read; one that the system did not give away may say what it said before."""
        self._notes.leave_out(place, reason(error))
        if isinstance(error, (OSError, MemoryError)) and not isinstance(error, FileNotFoundError):
            self._unread.add(place)

    def _is_gone(self, entry: Booked) -> bool:
        """Whether a document's file was to be read, and is no more, or no more to be read."""
        return (
            entry.id not in self._kept and _is_in(entry.source, self._places) and not _is_in(entry.source, self._unread)
        )

    def _sign(self) -> None:
        """Store the roots, before the first document: what is broken off here goes on under the same names."""
        own = self._roots.to_json()
        if own == self._stored_roots:
            return

        def also(writer: Writer) -> None:
            if writer.meta(SETTING) not in (self._stored_roots, own):  # who reads the same folder names it the same
                raise InvalidValueError("Another process put another folder into this file meanwhile; begin again.")
            writer.set_meta(SETTING, own)

        self._retriever.add(also=also)


def _is_in(source: str, places: Set[str]) -> bool:
    """Whether a file is one of some places or lies in one; all are absolute, with slashes."""
    return source in places or any(str(folder) in places for folder in PurePosixPath(source).parents)
