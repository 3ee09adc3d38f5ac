"""JSON values that nobody can change: an answer is remembered, and the next who asks the same gets the same one.

Frozen ones are dicts and lists to everything that reads: equal to plain ones, written by ``json``, and taken by
``isinstance``.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NoReturn

_PLAIN = frozenset((str, int, float, bool, type(None)))


def _refuse(self: object, *arguments: object, **named: object) -> NoReturn:
    raise TypeError("What an answer holds cannot be changed, for others may hold it too; change a copy.deepcopy of it.")


class FrozenDict(dict[str, Any]):
    """A dict without the methods that change it. Pickled it stays frozen; a deep copy is a plain dict of one's own."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {key: deepcopy(each, memo) for key, each in self.items()}

    def __reduce_ex__(self, protocol: object) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list without the methods that change it. Pickled it stays frozen; a deep copy is a plain list of one's own."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [deepcopy(each, memo) for each in self]

    def __reduce_ex__(self, protocol: object) -> tuple[type[FrozenList], tuple[list[Any]]]:
        return FrozenList, (list(self),)


def freeze(value: Any) -> Any:
    """Return a copy of a JSON value, frozen at every depth."""
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, (dict, Mapping)):  # a dict is quickly seen to be one, a Mapping is not
        frozen = FrozenDict(value)
        for key, each in value.items():
            if isinstance(each, (dict, list, tuple)):
                dict.__setitem__(frozen, key, freeze(each))
        return frozen
    if isinstance(value, (list, tuple)):
        return FrozenList([freeze(each) for each in value])
    return value


def thaw(value: Any) -> Any:
    """Return a copy of a JSON value in Python's own types, at every depth one's own."""
    if type(value) in _PLAIN:  # most are
        return value
    if isinstance(value, (dict, Mapping)):
        return {bare(key): thaw(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(each) for each in value]
    return bare(value)


def bare(value: Any) -> Any:
    """Return a string or a number as Python's own type has it; what is neither as it is.

    A subclass may compare, count, or say itself in another way than by what it holds, and differently the next time.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__index__(value)
    return float.__float__(value) if isinstance(value, float) else value
