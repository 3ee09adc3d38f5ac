"""Compressed codes of unit vectors: a first stage that names candidates, which are then scored exactly.

With faiss-cpu (the extra ``fourfold[scale]``) the codes are product codes of 4 bits read by its fast scan: Jégou, Douze
& Schmid, "Product quantization for nearest neighbor search" (2011); André, Kermarrec & Le Scouarnec, "Quicker ADC"
(2019). Without it they are signs along random directions, compared by counting bits in numpy: Charikar, "Similarity
estimation techniques from rounding algorithms" (2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import said
from fourfold.errors import InvalidValueError, MissingExtraError
from fourfold.index import address_space
from fourfold.index.files import DamagedFileError
from fourfold.types import FloatArray

Vectors32 = NDArray[np.float32]

EXACT_UP_TO = {"faiss": 10_000, "numpy": 50_000}
"""A segment of up to so many vectors is read whole: there the first stage saves less than it risks."""
MINIMUM = 256
"""A segment of up to so many vectors is never coded."""
RECALL = 0.995
"""A first stage that finds less than this share of the ten best of the graph's own vectors is not used unasked."""

_FAST_SCAN = b"IwPf"
"""What faiss begins an inverted file of product codes for its fast scan with."""

_RESERVED = 2 << 30
"""Bytes of address space that faiss and its threads may reserve; with less it ends the process."""

_BLOCK = 16_384
_SAMPLE = 4_096
"""Vectors that codes are trained on, …"""
_ROUNDS = 10
"""… and how often: twice as many in 25 rounds take four times as long, and recall@10 is the same within .0003."""


class StoredArray(Protocol):
    """An array in memory or on disk, read by indexing along its first axis only."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: Any, /) -> NDArray[Any]: ...


@dataclass(frozen=True, slots=True)
class FirstStageSettings:
    """Whether and how vectors are coded.

    Args:
        exact: True makes no codes, False makes them for every segment of at least ``MINIMUM`` vectors, None for those
            of more than ``EXACT_UP_TO`` if the codes find ``RECALL`` of what they should.
        kind: "faiss" needs faiss-cpu 1.9 or newer, "numpy" numpy 2 or newer; "auto" takes the first of them that is
            there, and no first stage where neither is.

    Raises:
        InvalidValueError: another kind.

    """

    exact: bool | None = None
    kind: Literal["auto", "faiss", "numpy"] = "auto"

    def __post_init__(self) -> None:
        """Refuse other kinds."""
        if self.kind not in ("auto", "faiss", "numpy"):
            raise InvalidValueError(f'The first stage is {self.kind!r}; it must be "auto", "faiss" or "numpy".')


class Mask:
    """Which rows of a segment count, (n_rows,)."""

    def __init__(self, rows: NDArray[np.bool_]) -> None:
        self.rows = rows
        self.size = int(np.count_nonzero(rows))

    @cached_property
    def packed(self) -> NDArray[np.uint8]:
        """The same, eight rows a byte, the first in the lowest bit."""
        return np.packbits(self.rows, bitorder="little")


class Codes(Protocol):
    """Codes of the vectors of one segment; read by many threads at once."""

    kind: str
    margin: int
    """How many times more candidates real questions need than those between two own vectors."""
    eager: int
    """A search begins with one in so many of its candidates, and takes more where the last are among the best."""

    @property
    def nbytes(self) -> int:
        """The memory that the codes take."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that ``from_arrays`` needs."""

    def nearest(self, question: Vectors32, count: int, mask: Mask | None) -> NDArray[np.int64]:
        """Return about the ``count`` rows of the largest estimated products, best first; fewer only if there are."""


class ProductCodes:
    """faiss's fast scan over product codes of 4 bits: one code for each 2⅔ dimensions, 48 bytes for 256.

    Vectors are turned into their principal axes first, which are dealt out so that every code has the same share of the
    variance (Ge, He, Ke & Sun, "Optimized product quantization", 2013, eigenvalue allocation): as good as the trained
    rotation, and free. The inverted file has one list: faiss has selectors for fast scan only there.
    """

    kind = "faiss"
    margin = 4
    eager = 4

    def __init__(self, rotation: Vectors32, serialised: NDArray[np.uint8], index: Any = None) -> None:
        self._rotation = rotation
        self._serialised = serialised  # of which faiss may hold views
        self._index = _deserialised(serialised, rotation.shape[1]) if index is None else index

    @classmethod
    def build(cls, vectors: Vectors32, mean: FloatArray, covariance: FloatArray) -> Self:
        """Return the codes of vectors, (n, d), given their mean, (d,), and covariance, (d, d)."""
        library = faiss()
        n, d = vectors.shape
        width = min(4, d)
        parts = max(-(-3 * d // 8), 1)
        rotation = _balanced_axes(covariance, parts, width)
        index = library.IndexIVFPQFastScan(
            library.IndexFlatIP(parts * width), parts * width, 1, parts, 4, library.METRIC_INNER_PRODUCT
        )
        index.quantizer.add((mean.astype(np.float32) @ rotation)[None])
        index.pq.cp.min_points_per_centroid = 1  # few points are no reason to write to the terminal
        index.pq.cp.niter = _ROUNDS
        index.pq.cp.max_points_per_centroid = _SAMPLE // 16
        sample = np.linspace(0, n - 1, max(min(n, _SAMPLE), 64)).astype(np.int64)
        with _one_thread(library):
            index.train(vectors[sample] @ rotation)
            for start in range(0, n, _BLOCK):
                index.add(vectors[start : start + _BLOCK] @ rotation)
        return cls(rotation, library.serialize_index(index), index)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, StoredArray]) -> Self:
        """Return the codes that ``arrays`` gave."""
        return cls(arrays["faiss_rotation"][:], arrays["faiss_index"][:])

    @property
    def nbytes(self) -> int:
        """The memory that the codes take."""
        return self._serialised.nbytes

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that ``from_arrays`` needs."""
        return {"faiss_rotation": self._rotation, "faiss_index": self._serialised}

    def nearest(self, question: Vectors32, count: int, mask: Mask | None) -> NDArray[np.int64]:
        """Return about the ``count`` rows of the largest estimated products, best first; fewer only if there are."""
        library = faiss()
        turned = (question @ self._rotation)[None]
        if mask is None:
            found = self._index.search(turned, count)[1][0]
        else:
            selector = library.IDSelectorBitmap(mask.packed)
            found = self._index.search(turned, count, params=library.SearchParametersIVF(sel=selector))[1][0]
        rows: NDArray[np.int64] = found[found >= 0]
        return rows


class SignCodes:
    """Signs along 2 d random directions: all rows are compared by the first half, the best of them by both.

    Needs only numpy (2.0 or newer, which counts bits); 64 bytes for 256 dimensions.
    """

    kind = "numpy"
    margin = 2
    eager = 1

    def __init__(self, directions: Vectors32, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> None:
        self._directions = directions
        self._first = first
        """(words, n): one word of 64 signs after another, so that each step reads one stretch of memory."""
        self._second = second
        """(n, words): read for the best rows only."""

    @classmethod
    def build(cls, vectors: Vectors32, mean: FloatArray) -> Self:
        """Return the codes of vectors, (n, d), around their mean, (d,)."""
        n, d = vectors.shape
        half = -(-d // 64)
        rng = np.random.default_rng(0)
        turns = [np.linalg.qr(rng.standard_normal((d, d)))[0] for _ in range(-(-128 * half // d))]
        directions = np.hstack(turns)[:, : 128 * half].astype(np.float32)
        first, second = np.empty((half, n), np.uint64), np.empty((n, half), np.uint64)
        offset = mean.astype(np.float32) @ directions
        for start in range(0, n, _BLOCK):
            words = _signs(vectors[start : start + _BLOCK] @ directions - offset)
            first[:, start : start + _BLOCK], second[start : start + _BLOCK] = words[:, :half].T, words[:, half:]
        return cls(directions, first, second)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, StoredArray]) -> Self:
        """Return the codes that ``arrays`` gave."""
        return cls(arrays["sign_directions"][:], arrays["sign_first"][:], arrays["sign_second"][:])

    @property
    def nbytes(self) -> int:
        """The memory that the codes take."""
        return self._first.nbytes + self._second.nbytes

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that ``from_arrays`` needs."""
        return {"sign_directions": self._directions, "sign_first": self._first, "sign_second": self._second}

    def nearest(self, question: Vectors32, count: int, mask: Mask | None) -> NDArray[np.int64]:
        """Return about the ``count`` rows of the largest estimated products, best first; fewer only if there are."""
        half, n = self._first.shape
        words = _signs((question @ self._directions)[None])[0]
        differing = np.zeros(n, np.uint16)
        for start in range(0, n, _BLOCK):
            block = differing[start : start + _BLOCK]
            for signs, word in zip(self._first, words[:half], strict=True):
                block += np.bitwise_count(signs[start : start + _BLOCK] ^ word)
        if mask is not None:
            differing[~mask.rows] = 64 * half + 1
        rows = _smallest(differing, 8 * count, 64 * half)
        both = differing[rows] + np.bitwise_count(self._second[rows] ^ words[half:]).sum(axis=1, dtype=np.uint16)
        return rows[np.argsort(both, kind="stable")[:count]]


def wanted(n: int, settings: FirstStageSettings) -> Literal["faiss", "numpy"] | None:
    """Return the kind of codes that ``n`` vectors get; None for none.

    Raises:
        MissingExtraError: the kind that was asked for is not installed.

    """
    if settings.exact or n <= (MINIMUM if settings.exact is False else min(EXACT_UP_TO.values())):
        return None
    kind = available(settings.kind)
    return kind if kind and (settings.exact is False or n > EXACT_UP_TO[kind]) else None


def encode(kind: Literal["faiss", "numpy"], vectors: Vectors32, mean: FloatArray, covariance: FloatArray) -> Codes:
    """Return codes of vectors, (n, d), given their mean, (d,), and covariance, (d, d)."""
    return ProductCodes.build(vectors, mean, covariance) if kind == "faiss" else SignCodes.build(vectors, mean)


def load(arrays: Mapping[str, StoredArray]) -> Codes | None:
    """Return the codes that were stored; None where there are none, or nothing is installed that reads them."""
    if "faiss_index" in arrays and available("auto") == "faiss":
        return ProductCodes.from_arrays(arrays)
    if "sign_first" in arrays and hasattr(np, "bitwise_count"):
        return SignCodes.from_arrays(arrays)
    return None


def available(kind: Literal["auto", "faiss", "numpy"]) -> Literal["faiss", "numpy"] | None:
    """Return the kind that will be used.

    Raises:
        MissingExtraError: the kind that was asked for is not installed.

    """
    if kind == "auto":
        return "faiss" if _faiss() is not None else "numpy" if hasattr(np, "bitwise_count") else None
    if kind == "faiss":
        faiss()
    elif not hasattr(np, "bitwise_count"):
        raise MissingExtraError(f'first_stage="numpy" needs numpy 2 or newer; this is numpy {np.__version__}.')
    return kind


def faiss() -> Any:
    """Return the faiss library.

    Raises:
        MissingExtraError: it is not installed, or too old.
        InvalidValueError: there is no room for it.

    """
    library = _faiss()
    if library is None and not address_space.is_left(_RESERVED):
        raise InvalidValueError(
            'first_stage="faiss" reserves up to 2 GB of address space, more than ulimit -v leaves; first_stage="auto" '
            "uses numpy there."
        )
    if library is None:
        raise MissingExtraError(
            'first_stage="faiss" needs faiss-cpu 1.9 or newer: pip install "fourfold[scale]". '
            'first_stage="auto" uses numpy where it is missing.'
        )
    return library


def _deserialised(serialised: NDArray[np.uint8], dimensions: int) -> Any:
    """Return an index of faiss, which is read where it lies: a copy would be filled with zeros before.

    faiss 1.9 cannot do that. What is of another kind is not given to it: it reads some from whatever file they name.

    Raises:
        DamagedFileError: it is no index that ``ProductCodes.build`` makes.

    """
    library = faiss()
    if serialised[: len(_FAST_SCAN)].tobytes() != _FAST_SCAN:
        raise DamagedFileError("The codes of the vectors are of another kind than is written.")
    try:
        if hasattr(library, "ZeroCopyIOReader"):
            index = library.read_index(library.ZeroCopyIOReader(library.swig_ptr(serialised), serialised.nbytes))
        else:
            index = library.deserialize_index(serialised)
        rows = library.rev_swig_ptr(index.invlists.get_ids(0), index.invlists.list_size(0))
    except (RuntimeError, MemoryError) as error:  # the latter at lengths that cannot be
        raise DamagedFileError(f"The codes of the vectors cannot be read: {said(error)}.") from error
    if index.d != dimensions or index.nlist != 1 or not np.array_equal(rows, np.arange(index.ntotal)):
        raise DamagedFileError("The codes of the vectors are of other rows than is written.")
    return index


@contextmanager
def _one_thread(library: Any) -> Iterator[None]:
    """Let faiss work in the thread that asks.

    In its many short loops threads wait for one another: on busy cores longer than they work, and on idle ones they
    save little.
    """
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(1)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


@cache
def _faiss() -> Any:
    if not address_space.is_left(_RESERVED):
        return None
    try:
        import faiss as library
    except ImportError:
        return None
    # Before 1.9 fast scan accepts a selector and ignores it.
    return library if tuple(int(part) for part in library.__version__.split(".")[:2]) >= (1, 9) else None


def _balanced_axes(covariance: FloatArray, parts: int, width: int) -> Vectors32:
    """Return principal axes as columns, (d, parts · width): the next largest goes where the product is smallest.

    Columns beyond d are zero.
    """
    variances, axes = np.linalg.eigh(covariance)
    worth = np.log(np.maximum(variances / max(variances[-1], 1e-30), 1e-9) * 1e9) + 1e-3
    columns = np.zeros((len(covariance), parts * width), np.float32)
    sums, used = np.zeros(parts), np.zeros(parts, np.int64)
    for axis in range(len(covariance) - 1, -1, -1):
        part = int(np.argmin(np.where(used < width, sums, np.inf)))
        columns[:, part * width + used[part]] = axes[:, axis]
        sums[part] += worth[axis]
        used[part] += 1
    return columns


def _signs(products: FloatArray) -> NDArray[np.uint64]:
    """Return which products are above 0, 64 to a word."""
    return np.ascontiguousarray(np.packbits(products > 0, axis=1)).view(np.uint64)


def _smallest(values: NDArray[np.uint16], count: int, largest: int) -> NDArray[np.int64]:
    """Return about the ``count`` places of the smallest values, none above ``largest``; all if they are fewer."""
    step = max(len(values) // 65_536, 1)
    sums = np.cumsum(np.bincount(values[::step], minlength=largest + 1)[: largest + 1]) * step
    limit = min(int(np.searchsorted(sums, count)), largest)
    places = np.flatnonzero(values <= limit)
    while len(places) < count and limit < largest:
        limit += 1
        places = np.flatnonzero(values <= limit)
    return places
