"""What every group of constants is checked by."""

from __future__ import annotations

from collections.abc import Sequence

from fourfold.errors import InvalidValueError


def at_least(group: str, minimum: int, **numbers: float) -> None:
    """Refuse what is no finite number of at least the minimum."""
    for name, number in numbers.items():
        if not minimum <= number < float("inf"):
            where = f"{group}.{name}" if group else name
            raise InvalidValueError(f"{where} is {number}; it must be a finite number of at least {minimum}.")


def one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Refuse what is none of the known values."""
    if value not in known:
        raise InvalidValueError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, known))}.")
