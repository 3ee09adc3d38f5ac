"""What a caller may give: one rule for each kind of argument, and how large each may be.

Every rule answers with the thing itself, or with an InvalidValueError whose sentence names the argument and its value.
"""

from __future__ import annotations

import dataclasses
import json
import math
import operator
import os
import reprlib
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, time
from functools import lru_cache
from itertools import count, repeat
from numbers import Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin, get_type_hints

import numpy as np

from fourfold.errors import InvalidValueError, UnknownNodeError, warn
from fourfold.frozen import FrozenDict, bare, thaw
from fourfold.plain_text import plain_text

LONGEST_QUESTION = 50_000
"""Characters of a question that are read; what goes beyond is cut with a FourfoldWarning."""

LONGEST_REQUEST = 1_000_000
"""Characters beyond which a question is refused: that is a document, not a question."""

DEEPEST_METADATA = 100
"""Levels of mappings and lists in metadata."""

LARGEST_METADATA = 16_000_000
"""Size of a node's metadata: for each value 16, and the characters of its dotted key and of itself."""

LARGEST_CONSTANT = 1e12
"""Largest number in a config; beyond, sums of products may overflow."""

LONGEST_NAME = 1_000
"""Characters of the name of an embedder."""

_VALUE = 16
_LONGEST_CAUSE = 1_000


class _Shown(reprlib.Repr):
    """``repr`` cut to a size a sentence can hold, of things whose own ``repr`` fails or never ends, too."""

    def __init__(self) -> None:
        super().__init__()
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = 10
        self.maxstring = self.maxother = 200

    def repr_int(self, number: int, level: int) -> str:
        """Show an integer; of more digits than Python writes out, only their number."""
        bits = number.bit_length()
        return repr(number) if bits < 1000 else f"{'-' * (number < 0)}10**{int(bits * math.log10(2))} or so"


shown = _Shown().repr
"""Return a value as an error's sentence shows it."""


def said(error: BaseException) -> str:
    """Return what an error says, as the end of a sentence has it: one line, cut; its type where it says nothing."""
    try:
        told = str(error)[:_LONGEST_CAUSE]
    except Exception:  # it is another's, and its own words fail
        told = ""
    return " ".join(plain_text(told).split()).rstrip(".") or type(error).__name__


def whole_number(value: object, what: str, *, least: int = 1, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``; True and 2.0 are none."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except Exception:  # of the value's own making
        number = None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidValueError(f"{what} is {shown(value)}; it must be a whole number {bounds}.")
    return number


def finite_number(value: object, what: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number from ``least`` to ``most``; True is none."""
    if type(value) is float and math.isfinite(value) and least <= value <= most:  # what a search asks of its own
        return value
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(bare(value))
    except OverflowError:
        number = math.inf
    except Exception:  # of the value's own making
        number = math.nan
    if not math.isfinite(number) or not least <= number <= most:
        high = f" to {most:g}" if most < math.inf else ""
        bounds = f" from {least:g}{high}" if high else f" of at least {least:g}" if least > -math.inf else ""
        raise InvalidValueError(f"{what} is {shown(value)}; it must be a finite number{bounds}.")
    return number


def text(value: object, what: str) -> str:
    """Return a string that can be stored: one without lone surrogates."""
    given = string(value, what)
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError as error:
            raise InvalidValueError(f"{what} holds a lone surrogate: {shown(given)}, {error.reason}.") from error
    return given


def question(value: object, what: str = "The query") -> str:
    """Return a question, cut to ``LONGEST_QUESTION`` characters; beyond ``LONGEST_REQUEST`` it is refused.

    Lone surrogates are let through: they match nothing, and the rest is answered.
    """
    given = string(value, what)
    if len(given) > LONGEST_REQUEST:
        raise InvalidValueError(
            f"{what} has {len(given):,} characters, {LONGEST_REQUEST:,} at most are read; ask in fewer words, and add "
            "what is a document as a node."
        )
    if len(given) > LONGEST_QUESTION:
        warn(f"{what} has {len(given):,} characters; the first {LONGEST_QUESTION:,} are read.")
        return given[:LONGEST_QUESTION]
    return given


def many(value: Any, what: str, of: str) -> Iterator[Any]:
    """Return an iterator over a list; a string stands alone, and is none."""
    try:
        if not isinstance(value, (str, bytes)):
            return iter(value)
    except TypeError:
        pass
    raise InvalidValueError(f"{what} is {shown(value)}; it must be a list of {of}.")


def string(value: object, what: str) -> str:
    """Return a string; as an id or a key that is looked for, any will do."""
    if not isinstance(value, str):
        raise InvalidValueError(f"{what} is {shown(value)}; it must be a string.")
    return str.__str__(value)


def model_name(value: object, what: str) -> str:
    """Return the name of an embedder: it is kept with the vectors, and every sentence about them shows it."""
    if not isinstance(value, str) or not 0 < str.__len__(value) <= LONGEST_NAME or not str.isprintable(value):
        raise InvalidValueError(
            f"{what} is {shown(value)}; it must be a string of 1 to {LONGEST_NAME:,} printable characters."
        )
    return str.__str__(value)


def strings(value: object, what: str) -> list[str]:
    """Return strings, such as ids, as a list; a string alone is one."""
    if isinstance(value, str):
        return [str.__str__(value)]
    listed = []
    for each in many(value, what, "strings"):
        if not isinstance(each, str):
            raise InvalidValueError(f"{what} holds {shown(each)}; each must be a string.")
        listed.append(str.__str__(each))
    return listed


def callback(value: Any, what: str = "progress") -> Any:
    """Return what is called on the way, or None; True, as for a progress bar, is refused before the work begins."""
    if value is not None and not callable(value):
        raise InvalidValueError(f"{what} is {shown(value)}; it must be a function that is called on the way, or None.")
    return value


def boolean(value: object, what: str) -> bool:
    """Return True or False; 1 and "yes" are neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidValueError(f"{what} is {shown(value)}; it must be True or False.")
    return bool(value)


def one_of(value: object, what: str, known: Collection[str]) -> str:
    """Return one of the known words."""
    if not isinstance(value, str) or str.__str__(value) not in known:
        raise InvalidValueError(f"{what} is {shown(value)}; it must be one of {', '.join(map(repr, known))}.")
    return str.__str__(value)


def file_path(value: object) -> str:
    """Return the path of a file, or ``":memory:"``."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not path or not _may_be_named(path):
        raise InvalidValueError(
            f"The path is {shown_path(value)}; it must be the path of a file without NUL and half characters, or "
            "':memory:'."
        )
    if path.startswith("file:"):  # some builds of SQLite read it as one even where they are not asked to
        raise InvalidValueError(
            f"The path {shown(value)} is a URI; give the path of the file, and say read_only=True for mode=ro."
        )
    return path


def shown_path(value: object) -> str:
    """Return a path as an error's sentence shows it; of an address never the password."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    scheme, address, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return repr(f"{scheme}://…") if address else shown(value if path is None else path)


def any_path(value: object) -> Path:
    """Return the path of a file or a folder; a number is none, though ``open`` takes it, and closes what is open."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not _may_be_named(path):
        raise InvalidValueError(f"The path is {shown(value)}; it must be a string or a pathlib.Path, without NUL.")
    return Path(str.__str__(path))


def _may_be_named(path: object) -> TypeGuard[str]:
    if not isinstance(path, str) or "\x00" in path:
        return False
    try:
        os.fsencode(path)
    except UnicodeEncodeError:  # half a character; what stands for a byte that is no UTF-8 is none
        return False
    return True


def json_mapping(value: object, what: str) -> dict[str, Any]:
    """Return a copy of a mapping of strings to JSON values, no deeper and no larger than metadata may be."""
    if not isinstance(value, Mapping):
        raise InvalidValueError(f"{what} is {shown(value)}; it must be a mapping.")
    if fault := _fault(value):
        raise InvalidValueError(f"{what} is not made of JSON values: {fault}.")
    copied: dict[str, Any] = thaw(value)
    return copied


def without_sets(value: object) -> object:
    """Return a value with sorted lists for its sets, at any depth: the order of a set is another in every process."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(without_sets, value), key=repr)
    if isinstance(value, (list, tuple)):
        return [without_sets(part) for part in value]
    if isinstance(value, dict):
        return {key: without_sets(part) for key, part in value.items()}
    return value


def plain_metadata(given: Mapping[str, Any], what: str, jsonable: Callable[..., Any]) -> dict[str, Any]:
    """Return metadata in plain JSON types, as the adapters take it: sets as sorted lists, numpy's numbers as Python's.

    Args:
        given: as it came.
        what: what the sentence of an error begins with.
        jsonable: pydantic's ``to_jsonable_python``, which knows dates, paths and models.

    Raises:
        InvalidValueError: it has a value that JSON cannot hold.

    """
    try:
        converted: dict[str, Any] = jsonable(without_sets(dict(given)), fallback=_number)
        json.dumps(converted, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as error:
        raise InvalidValueError(f"{what} is not made of JSON values: {error}.") from error
    return converted


def _number(value: object) -> object:
    """Unwrap a numpy array or scalar."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def _fault(mapping: Mapping[Any, Any]) -> str | None:
    """Return what is wrong with metadata, or None.

    What refers to itself is deeper than any bound; what refers to one thing often is larger.
    """
    size = 0
    left: list[tuple[Any, int, int]] = [(mapping, 0, 0)]  # a value, the length of its dotted key, its level
    while left:
        value, path, level = left.pop()
        value = bare(value)
        size += _VALUE + path + (len(value) if isinstance(value, str) else 0)
        if size > LARGEST_METADATA:
            return f"it is larger than {LARGEST_METADATA:,} characters"
        if level > DEEPEST_METADATA:
            return f"it is nested more than {DEEPEST_METADATA} deep"
        if isinstance(value, dict) or not level:
            for key, each in value.items():
                if not isinstance(key, str):
                    return f"the key {shown(key)} is no string"
                if fault := _fault_of_scalar(key):
                    return f"the key {fault}"
                left.append((each, path + str.__len__(key) + 1, level + 1))
        elif isinstance(value, (list, tuple)):
            left += [(each, path, level + 1) for each in value]
        elif fault := _fault_of_scalar(value):
            return fault
    return None


def _fault_of_scalar(given: object) -> str | None:
    value = bare(given)
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            return f"{shown(value)} holds a lone surrogate"
    elif isinstance(value, float):
        if not math.isfinite(value):
            return f"{value} is no JSON number"
    elif isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > 13_000:  # JSON is read with at most 4,300 digits
            return f"{shown(value)} has more digits than can be written"
    elif value is not None and not isinstance(value, bool):
        told = f"{shown(value)} is of the type {type(value).__name__}"
        return f"{told}; give {value.isoformat()!r}" if isinstance(value, (date, time)) else told
    return None


def constants(config: Any, where: str = "", **most: float) -> None:
    """Refuse a frozen dataclass of constants where one is of another kind than its field says; make the rest plain.

    Numbers are finite, at least 0, and become Python's own; tuples and mappings are looked into, and frozen.

    Args:
        config: an instance of a dataclass.
        where: what stands before the name of a field in the sentence, such as ``"graph."``.
        most: the largest value of a field, where that is less than ``LARGEST_CONSTANT``.

    """
    for name, kind in _kinds(type(config)).items():  # type: ignore[arg-type]
        value = _plain(getattr(config, name), f"{where}{name}", kind, most.get(name, LARGEST_CONSTANT))
        object.__setattr__(config, name, value)


@lru_cache
def _kinds(dataclass: Any) -> dict[str, Any]:
    hints = get_type_hints(dataclass)
    return {field.name: hints[field.name] for field in dataclasses.fields(dataclass)}


def _plain(value: Any, what: str, kind: Any, most: float) -> Any:
    """Return a value as its field's annotation has it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        other = next(each for each in inner if each is not NoneType)
        return None if value is None else _plain(value, what, other, most)
    if origin is Literal:
        return one_of(value, what, inner)
    if kind is int:
        return whole_number(value, what, least=0, most=int(most))
    if kind is float:
        return finite_number(value, what, least=0, most=most)
    if not isinstance(value, origin or kind):
        raise InvalidValueError(f"{what} is {shown(value)}; it must be of the type {(origin or kind).__name__}.")
    if isinstance(value, Mapping):
        return FrozenDict(
            (_plain(key, f"a key of {what}", inner[0], most), _plain(each, f"{what}[{shown(key)}]", inner[1], most))
            for key, each in value.items()
        )
    if origin is tuple:
        kinds = zip(count(), value, repeat(inner[0]) if inner[-1] is ... else inner, strict=False)
        return tuple(_plain(each, f"{what}[{place}]", of, most) for place, each, of in kinds)
    return value


def no_node(node_id: str, path: str) -> UnknownNodeError:
    """Return the error that says that a graph has no node of an id: many have a name in mind."""
    return UnknownNodeError(f"There is no node {shown(node_id)} in {path!r}. Give its id, as hit.node.id has it.")
