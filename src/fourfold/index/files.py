"""Derived arrays beside the store: written whole, mapped into memory, verified where they are touched.

A folder of raw little-endian arrays and one manifest. It appears by a rename, so it is either whole or not there, and
may be deleted at any time, for the store is the truth. Sizes are checked when it is opened, the checksum of a block
when the block is first read: a flipped bit is an error before it is an answer.
"""

from __future__ import annotations

import base64
import errno
import json
import mmap
import operator
import os
import re
import shutil
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.arguments import said
from fourfold.errors import FourfoldError

FORMAT = 3
"""Moves with every change of what the arrays mean, or how they are described."""

_READ = (2, FORMAT)
"""Folders of other formats are passed over."""

_BLOCK, _BLOCK_OF_LONG_ROWS = 1 << 16, 1 << 12
"""Bytes of a block: what one row that is looked up has read and verified beside it."""

_LONG = 256
"""Bytes from which rows are long: vectors, of which questions look up single ones all over the array."""

_FIRST_BLOCK = 1 << 20
"""Bytes of a block in folders whose manifests do not say it."""

_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""What a process has too little of, or its machine: that says nothing of the file."""

FOLDER = re.compile(r"[0-9]{12,19}-[0-9a-f]{16}")
"""What folders are called; what is called otherwise is somebody else's, and stays."""

_MANIFEST = "manifest.json"
_PARTIAL = "partial-"
_LEFT = re.compile(rf"{_PARTIAL}({FOLDER.pattern}-)?[0-9]{{1,10}}(-[0-9a-f]{{8}})?")


class DamagedFileError(FourfoldError):
    """A derived file is not what was written; whoever meets this deletes it and reads the store again."""


@dataclass(frozen=True, slots=True)
class Values:
    """What the values of an array are where somebody can have meant them: others lead beyond other arrays, or memory.

    Args:
        low: the least.
        high: the greatest.
        step: by how much each is greater than the one before it, at least; None where they are in any order.
        whole: the first is ``low`` and the last ``high``.

    """

    low: float
    high: float
    step: int | None = None
    whole: bool = False

    def hold(self, array: NDArray[Any], start: int, stop: int) -> bool:
        """Whether some values of a one-dimensional array are such."""
        values = array[start if self.step is None else max(start - 1, 0) : stop]
        within = values.min() >= self.low and values.max() <= self.high  # neither is true of NaN
        rise = self.step is None or bool((values[1:] >= values[:-1] + values.dtype.type(self.step)).all())
        begins = not self.whole or start > 0 or values[0] == self.low
        ends = not self.whole or stop < len(array) or values[-1] == self.high
        return bool(within and rise and begins and ends)


class Mapped:
    """A stored array, read by indexing along its first axis; every block is verified once, when first touched.

    Args:
        path: the file of raw values.
        dtype: of the values.
        shape: of the array.
        checksums: (n_blocks,) CRC-32 of each block of the file, in order.
        block: bytes of a block.

    Raises:
        DamagedFileError: the file is missing or has another size; on reading, a block is not what was written.
        OSError: there is no descriptor or no memory left to map it.

    """

    def __init__(
        self, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], checksums: NDArray[np.uint32], block: int
    ) -> None:
        self.path = path
        self.values: Values | None = None
        """What every value is, where it is known."""
        self.shape = shape
        self.dtype = dtype
        self._block = block
        size = int(np.prod(shape)) * dtype.itemsize
        try:
            if not path.is_file():  # which waits for nobody, as opening a pipe does
                raise DamagedFileError(f"The derived file {str(path)!r} cannot be read: there is no such file.")
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size != size or len(checksums) != -(-size // block):
                    raise DamagedFileError(f"The derived file {str(path)!r} is not {size} bytes long.")
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        except OSError as error:
            if error.errno in _SHORT:
                raise
            raise DamagedFileError(f"The derived file {str(path)!r} cannot be read: {error}.") from error
        self._array = np.frombuffer(self._bytes, dtype).reshape(shape)
        self._checksums = checksums
        self._unread = np.ones(len(checksums), bool)
        self._left = len(checksums)
        self._lock = threading.Lock()
        self._row = max(size // max(shape[0], 1), 1)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """Size in bytes; the pages are the system's to drop."""
        return self._array.nbytes

    def __getitem__(self, key: Any) -> NDArray[Any]:
        """Return rows: a slice is a view of the mapped pages, an array of numbers is a copy."""
        if self._left:
            self._verify(key)
        if isinstance(key, np.ndarray) and key.dtype != bool:
            return self._array.take(key, axis=0)  # half the time of indexing
        rows: NDArray[Any] = self._array[key]
        return rows

    def take(self, rows: NDArray[np.integer[Any]], axis: int = 0) -> NDArray[Any]:
        """Return some rows by their numbers, a copy; ``axis`` is that of arrays in memory, 0."""
        if self._left:
            self._verify(rows)
        return self._array.take(rows, axis)

    def _verify(self, key: Any) -> None:
        blocks = self._unread_blocks(key)
        if not len(blocks):
            return
        blocks = ordered.distinct(blocks)
        size = self._block
        with memoryview(self._bytes) as content:  # a slice of the bytes themselves would copy them
            for block, expected in zip(blocks.tolist(), self._checksums[blocks].tolist(), strict=True):
                if zlib.crc32(content[block * size : (block + 1) * size]) != expected:
                    raise DamagedFileError(f"Block {block} of the derived file {str(self.path)!r} is damaged.")
                if self.values is not None and not self._are_meant(block, self.values):
                    raise DamagedFileError(f"Block {block} of the derived file {str(self.path)!r} was not written so.")
        with self._lock:
            self._left -= int(np.count_nonzero(self._unread[blocks]))
            self._unread[blocks] = False

    def _are_meant(self, block: int, values: Values) -> bool:
        """Whether a block holds values that can be meant, though whoever made the file knew its checksum."""
        flat = self._array.reshape(-1)
        size, start = self.dtype.itemsize, block * self._block
        return values.hold(flat, start // size, min(-(-(start + self._block) // size), len(flat)))

    def _unread_blocks(self, key: Any) -> NDArray[np.int64]:
        """Return the blocks in which rows lie that were not read yet, in any order."""
        if isinstance(key, slice):
            start, stop, _ = key.indices(len(self))
            begin = start * self._row // self._block
            unread: NDArray[np.int64] = self._unread[begin : -(-stop * self._row // self._block)].nonzero()[0]
            return begin + unread
        rows = np.atleast_1d(np.asarray(key))
        rows = rows.nonzero()[0] if rows.dtype == bool else rows.astype(np.int64, copy=False)
        if not self._block % self._row:
            blocks = rows // (self._block // self._row)
        else:
            first = rows * self._row // self._block
            across = (self._row - 1) // self._block + 1  # a row may lie across so many further blocks
            last = ((rows + 1) * self._row - 1) // self._block
            blocks = np.concatenate([np.minimum(first + further, last) for further in range(across + 1)])
        return blocks[self._unread.take(blocks)]


Stored = NDArray[Any] | Mapped
"""An array in memory, or one on disk."""


def write(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays and facts (JSON values) as one folder, which appears whole or not at all.

    Raises:
        OSError: the disk is full, or the folder cannot be written.

    """
    partial = folder.with_name(f"{_PARTIAL}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        partial.mkdir(parents=True)
        described = {}
        for place, (name, array) in enumerate(arrays.items()):
            values = np.ascontiguousarray(array)
            raw = values.reshape(-1).view(np.uint8).data if values.size else memoryview(b"")
            file = f"{place}.bin"
            (partial / file).write_bytes(raw)
            block = _BLOCK if len(raw) < _LONG * max(len(values), 1) else _BLOCK_OF_LONG_ROWS
            described[name] = {
                "file": file,
                "dtype": values.dtype.str,
                "shape": list(values.shape),
                "block": block,
                "crc": _packed([zlib.crc32(raw[start : start + block]) for start in range(0, len(raw), block)]),
            }
        content = json.dumps({"format": FORMAT, "facts": dict(facts), "arrays": described})
        (partial / _MANIFEST).write_text(_sealed(content), encoding="utf-8")
        try:
            partial.rename(folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # else another process wrote the same
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def facts(folder: Path) -> dict[str, Any] | None:
    """Return what a folder says of itself; None where it is none of ours, of another format, or damaged."""
    found = (_manifest(folder) or {}).get("facts")
    return found if isinstance(found, dict) else None


def read(folder: Path) -> dict[str, Mapped]:
    """Map the arrays of a folder.

    Raises:
        DamagedFileError: a file is missing or has another size.
        OSError: there is no descriptor or no memory left to map it.

    """
    manifest = _manifest(folder)
    if manifest is None:
        raise DamagedFileError(f"The derived folder {str(folder)!r} has no manifest that can be read.")
    with as_written(folder):
        return {
            name: Mapped(
                folder / Path(of["file"]).name,
                np.dtype(of["dtype"]),
                tuple(of["shape"]),
                _unpacked(of["crc"]),
                operator.index(of.get("block", _FIRST_BLOCK)),
            )
            for name, of in manifest["arrays"].items()
        }


@contextmanager
def as_written(folder: object) -> Iterator[None]:
    """Take what a folder says of itself for damaged where it cannot be: a checksum that fits says not who wrote it.

    Raises:
        DamagedFileError: what is read inside raised something else than that.

    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise DamagedFileError(
            f"The derived files in {str(folder)!r} are not described as they were written: {said(error)}."
        ) from error


def write_note(folder: Path, name: str, note: Mapping[str, Any]) -> None:
    """Put a note (JSON values) into a folder, in the place of one of the same name; whoever reads finds one or none.

    Raises:
        OSError: the folder is gone, the disk is full, or the folder cannot be written.

    """
    partial = folder / f"{_PARTIAL}{name}-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        partial.write_text(_sealed(json.dumps(dict(note))), encoding="utf-8")
        partial.replace(folder / f"{name}.json")
    finally:
        partial.unlink(missing_ok=True)


def read_note(folder: Path, name: str) -> dict[str, Any] | None:
    """Return a note of a folder; None where there is none, or not what was written."""
    return _unsealed(folder / f"{name}.json")


def remove(folder: Path) -> None:
    """Delete a folder, or leave it where that fails; for others it is there whole or not at all."""
    partial = folder.with_name(f"{_PARTIAL}{folder.name}-{os.getpid()}")
    with suppress(OSError):
        folder.rename(partial)
        folder = partial
    shutil.rmtree(folder, ignore_errors=True)


def leftovers(folder: Path, older_than: float) -> list[Path]:
    """Return the partial folders a killed process has left, last touched before a time (seconds since the epoch)."""
    try:
        partial = [path for path in folder.glob(f"{_PARTIAL}*") if _LEFT.fullmatch(path.name)]
        return [path for path in partial if path.stat().st_mtime < older_than]
    except OSError:
        return []


def _manifest(folder: Path) -> dict[str, Any] | None:
    manifest = _unsealed(folder / _MANIFEST)
    return manifest if manifest is not None and manifest.get("format") in _READ else None


def _packed(checksums: Sequence[int]) -> str:
    """Return checksums as one text: of a million vectors it is read in a twentieth of the time of a list."""
    return base64.b64encode(np.array(checksums, "<u4").tobytes()).decode("ascii")


def _unpacked(checksums: str | Sequence[int]) -> NDArray[np.uint32]:
    """Return checksums, (n_blocks,); format 2 has them in a list."""
    if isinstance(checksums, str):
        return np.frombuffer(base64.b64decode(checksums), "<u4")
    return np.array(checksums, np.uint32)


def _sealed(content: str) -> str:
    """Return a text with its checksum before it."""
    return f"{zlib.crc32(content.encode())}\n{content}"


def _unsealed(path: Path) -> dict[str, Any] | None:
    """Return the JSON object of a file whose checksum stands before it; None where it is not what was written."""
    try:
        if not path.is_file():
            return None
        checksum, _, content = path.read_text(encoding="utf-8").partition("\n")
        if int(checksum) != zlib.crc32(content.encode()):
            return None
        found = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
