"""The files of a folder: every regular file below it once, and why any other entry is passed over."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from fourfold.errors import InvalidValueError
from fourfold.ingest.report import Problem

MAX_DEPTH = 100
"""Folders nested deeper than that are passed over; a path of the system's greatest length holds no more of them."""

MAX_BYTES = 20_000_000
"""A larger file is passed over where nobody says otherwise."""

_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class Walk:
    """One walk through a folder.

    A real folder is read once, whatever leads to it: what lies in its own place first, then what only links lead to.
    So neither circles nor links among siblings read anything twice.

    Args:
        root: the folder.
        reads: whether a file of that name can be read at all.
        follow_links: whether links may lead out of the folder.

    Attributes:
        hidden: what ``files`` met whose name begins with a dot.
        left_out: what it met that is neither a regular file nor a folder, or may not be read, with the reason.
        unread: where it could not look, with slashes: what lies there may be as it was.

    """

    def __init__(self, root: Path, reads: Callable[[Path], bool], *, follow_links: bool = False) -> None:
        self.hidden: list[Problem] = []
        self.left_out: list[Problem] = []
        self.unread: set[str] = set()
        self._root = os.path.realpath(root)
        self._reads = reads
        self._follow_links = follow_links
        self._folders: set[tuple[int, int]] = set()
        self._files: set[str] = set()
        self._links: deque[tuple[Path, int]] = deque()

    def files(self) -> Iterator[Path]:
        """Return the regular files that can be read."""
        yield from self._below(Path(self._root), 0)
        while self._links:
            path, depth = self._links.popleft()
            yield from self._behind(path, depth)

    def _below(self, folder: Path, depth: int) -> Iterator[Path]:
        pending = [(folder, depth)]
        while pending:
            folder, depth = pending.pop()
            entries = self._entries(folder, depth)
            real = os.path.realpath(folder) if entries else ""
            inner = []
            for entry in entries:
                path = folder / entry.name
                if entry.name.startswith("."):
                    self.hidden.append(Problem(path.as_posix(), "its name begins with a dot."))
                elif entry.is_symlink():
                    self._links.append((path, depth + 1))
                elif entry.is_dir(follow_symlinks=False):
                    inner.append((path, depth + 1))
                elif not entry.is_file(follow_symlinks=False):
                    self._leave_out(path, not_regular(entry.stat(follow_symlinks=False).st_mode))
                elif self._reads(path):
                    self._files.add(os.path.join(real, entry.name))
                    yield path
            pending += reversed(inner)

    def _entries(self, folder: Path, depth: int) -> list[os.DirEntry[str]]:
        """Return what lies in a folder, by name; nothing if it was read before, or cannot be."""
        if depth > MAX_DEPTH:
            self._leave_out(folder, f"the folder lies more than {MAX_DEPTH} folders deep; it is not read.")
            return []
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in self._folders:
                return []
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._leave_out(folder, f"the folder cannot be read: {error.strerror}.", error)
            return []
        self._folders.add((status.st_dev, status.st_ino))
        return found

    def _behind(self, path: Path, depth: int) -> Iterator[Path]:
        """Return the files that a link leads to and that were not met before."""
        try:
            real = os.path.realpath(path, strict=True)
            status = os.stat(real)
        except OSError as error:
            self._leave_out(path, f"the link leads nowhere: {error.strerror}.", error)
            return
        inside = real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)
        if not inside and not self._follow_links:
            self._leave_out(path, f"the link leads out of the folder, to {real}; it is not followed unless asked for.")
        elif real in self._files or (status.st_dev, status.st_ino) in self._folders:
            self._leave_out(path, f"the link leads to {real}, which is met in its own place.")
        elif stat.S_ISDIR(status.st_mode):
            yield from self._below(path, depth)
        elif stat.S_ISREG(status.st_mode):
            if self._reads(path):
                self._files.add(real)
                yield path
        else:
            self._leave_out(path, not_regular(status.st_mode))

    def _leave_out(self, path: Path, reason: str, error: OSError | None = None) -> None:
        self.left_out.append(Problem(path.as_posix(), reason))
        if error is not None and not isinstance(error, FileNotFoundError):
            self.unread.add(path.as_posix())


def content(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file, without ever waiting for another process.

    Raises:
        InvalidValueError: it is no regular file, or has more than ``max_bytes``.
        OSError: it cannot be read.

    """
    with open(path, "rb", opener=_open) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidValueError(not_regular(status.st_mode))
        size = min(status.st_size, max_bytes)
        data = b"" if status.st_size > max_bytes else file.read(size + 1)
        if len(data) > size:  # it grew meanwhile, or never says how long it is, as the files of /proc
            data += file.read(max_bytes + 1 - len(data))
        size = max(status.st_size, len(data))
    if size > max_bytes:
        raise InvalidValueError(
            f"the file has {size:,} bytes, more than max_bytes={max_bytes:,} (--max-bytes); it is left out."
        )
    return data


def not_regular(mode: int) -> str:
    """Return the sentence about a file that is no regular one."""
    return f"it is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a regular file; it is not read."


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe nobody writes to opens at once
