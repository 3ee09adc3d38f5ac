"""The derived files of one store: folders beside it, ``<file>.index/<generation>-<token>``, newest first.

The store is the truth. A folder counts only where the store remembers the very write it was derived from: a backup put
in the store's place, or a store that took another course, finds its derived files worthless.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fourfold.engines.sqlite import forks
from fourfold.index import files
from fourfold.threads import begun

try:
    import fcntl
except ImportError:  # Windows: every process merges for itself
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)
_ATTEMPTS = 5
_WAIT = 0.2
"""Seconds after which who waits for another process to merge looks again."""

_BEAT = 1.0
"""Seconds after which who has the turn touches the folder."""

_STILL = 10.0
"""Seconds without a touch after which who has the turn is taken for stopped, as by a debugger or a frozen container."""

_LEFT_BEHIND = 3600.0
"""Seconds after which a half-written folder belongs to nobody any more."""


class Derived:
    """The derived files of one store, none of ``":memory:"``; ``writable`` where they may be written and deleted."""

    def __init__(self, path: str, *, writable: bool) -> None:
        self._path = path
        self.folder = None if path == ":memory:" else Path(f"{path}.index")
        self.writable = writable and self.folder is not None and os.access(self.folder.absolute().parent, os.W_OK)
        self._refused = False
        self._seen: Set[str] = frozenset()
        self._opened: Path | None = None
        self._aside: set[Path] = set()
        """Folders found damaged that cannot be deleted, such as beside a file opened for reading."""

    @property
    def may_write(self) -> bool:
        """Whether files may be written, as far as the last attempt tells."""
        return self.writable and not self._refused

    def have_newer(self) -> bool:
        """Whether there are files that were not there at the last look: another process has put them there."""
        return any(folder.name not in self._seen for folder in self._folders())

    def refuse(self) -> None:
        """Write no more for now: what was written is not what is opened, and would be written again and again."""
        self._refused = True

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Tell whether to merge now, and keep others from it meanwhile; False, in a while, where another process does.

        The system takes a lock away from a process that ends, however it ends.
        """
        if not self.may_write or self.folder is None or fcntl is None:
            yield True
            return
        try:
            self.folder.mkdir(exist_ok=True)
            held = os.open(self.folder, os.O_RDONLY)
            forks.hold(held)
        except OSError:  # which says more where the files are written
            yield True
            return
        try:
            if not (ours := _locked(held)):
                time.sleep(_WAIT)
            with _beating(held) if ours else nullcontext():
                yield ours
        finally:
            _let_go(held)

    @contextmanager
    def first(self) -> Iterator[None]:
        """Keep others from deriving meanwhile what nothing was derived of yet; while another process does, wait for it.

        Not for one that was stopped: it shows no more that it goes on.
        """
        seen, until = None, 0.0
        while True:
            with self.turn() as ours:
                touched = _touched(self.folder)
                if ours or (touched == seen and time.monotonic() > until):
                    yield
                    return
                if touched != seen:
                    seen, until = touched, time.monotonic() + _STILL

    def newest(
        self, wanted: Mapping[str, Any], knows: Callable[[int, str], bool]
    ) -> tuple[dict[str, Any], dict[str, files.Mapped]] | None:
        """Return the facts and arrays of the newest folder that agrees with ``wanted`` and with the store.

        Args:
            wanted: facts that must be equal.
            knows: whether the store remembers a (generation, token).

        """
        for _ in range(_ATTEMPTS):  # another process may put newer ones in their place at any moment
            found, gone = self._newest(wanted, knows)
            if found is not None or not gone:
                return found
        return None

    def _newest(
        self, wanted: Mapping[str, Any], knows: Callable[[int, str], bool]
    ) -> tuple[tuple[dict[str, Any], dict[str, files.Mapped]] | None, bool]:
        """Return what ``newest`` does, and whether a folder went away meanwhile."""
        folders = self._folders()
        self._seen = {folder.name for folder in folders}
        for folder in folders:
            if folder in self._aside:
                continue
            facts = files.facts(folder) if folder.exists() else None
            if facts is None and not folder.exists():
                return None, True
            if facts is None or any(facts.get(name) != value for name, value in wanted.items()):
                continue
            if not _known(facts, knows):
                continue
            try:
                arrays = files.read(folder)
            except files.DamagedFileError as error:
                if not folder.exists():
                    return None, True
                logger.warning("%s It is left aside and derived again.", error)
                self._remove(folder)
                continue
            except OSError as error:
                logger.warning(
                    "The derived files in %r cannot be opened now, the store is read: %s.", str(folder), error
                )
                continue
            self._opened = folder
            return (facts, arrays), False
        return None, False

    def write(
        self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any], knows: Callable[[int, str], bool]
    ) -> bool:
        """Write a folder and delete the older ones and those of another history; return whether it was written.

        Args:
            arrays: by name.
            facts: what tells them, with generation and token.
            knows: whether the store remembers a (generation, token).

        """
        target = self._at(facts["generation"], facts["token"])
        if not self.writable or self.folder is None or target is None:
            return False
        self._refused = True
        if target in self._aside:
            return False
        try:
            files.write(target, arrays, facts)
        except OSError as error:
            logger.warning("No derived files were written beside the store: %s.", error)
            return False
        self._refused = False
        logger.info("Derived files were written to %r.", str(target))
        for folder in self._folders():
            newer = files.facts(folder) if folder.name > target.name else None
            if folder != target and not (newer and _known(newer, knows)):
                self._remove(folder)
        for partial in files.leftovers(self.folder, time.time() - _LEFT_BEHIND):
            self._remove(partial)
        return True

    def shows(self, generation: int, token: str) -> bool:
        """Whether the folder opened last is of this write, and still there."""
        return self._opened is not None and self._opened == self._at(generation, token) and self._opened.exists()

    def _at(self, generation: int, token: str) -> Path | None:
        """Return the folder of a write; None where the store, which anybody may have made, names one elsewhere."""
        name = f"{generation:012d}-{token}"
        return self.folder / name if self.folder is not None and files.FOLDER.fullmatch(name) else None

    def note(self, name: str) -> dict[str, Any] | None:
        """Return a note that lies with the folder opened last; None where there is none, or it is damaged."""
        return None if self._opened is None else files.read_note(self._opened, name)

    def put_note(self, name: str, note: Mapping[str, Any]) -> None:
        """Lay a note with the folder opened last, if there is one that can be written: it goes where that goes."""
        if self.writable and self._opened is not None:
            with suppress(OSError):  # a newer folder has taken its place, or the disk is full
                files.write_note(self._opened, name, note)

    def discard(self) -> None:
        """Delete the folder that was opened last, or never open it again: it was found damaged."""
        if self._opened is not None:
            self._remove(self._opened)
            if self._opened.exists():
                self._aside.add(self._opened)
            self._opened = None

    def _folders(self) -> list[Path]:
        if self.folder is None:
            return []
        try:
            names = [path for path in self.folder.iterdir() if files.FOLDER.fullmatch(path.name)]
        except OSError:
            return []
        return sorted(names, key=lambda path: path.name, reverse=True)

    def _remove(self, folder: Path) -> None:
        if self.writable:
            files.remove(folder)


def _locked(held: int) -> bool:
    """Lock what is open; return False where it is locked, True where the place knows no locks, too."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def _beating(held: int) -> Iterator[None]:
    """Touch the folder that is open, now and then, as long as this process goes on."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(_BEAT):
            with suppress(OSError):
                os.utime(held)

    thread = begun(threading.Thread(target=beat), "fourfold-turn")  # without one others wait a while, and then no more
    try:
        yield
    finally:
        ended.set()
        if thread is not None:
            thread.join()


def _touched(folder: Path | None) -> int | None:
    """Return when a folder was touched last, None where that cannot be told."""
    try:
        return None if folder is None else folder.stat().st_mtime_ns
    except OSError:
        return None


def _let_go(held: int) -> None:
    """Unlock and close: closed alone, it would be locked as long as a process that is forked just then has it."""
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_UN)
    forks.let_go(held)


def _known(facts: Mapping[str, Any], knows: Callable[[int, str], bool]) -> bool:
    """Whether the store remembers the write that a folder says it was derived from."""
    generation, token = facts.get("generation"), facts.get("token")
    return type(generation) is int and 0 <= generation < 2**63 and isinstance(token, str) and knows(generation, token)
