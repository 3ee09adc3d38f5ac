"""What is there when it is first needed: packages, what is made once for all, and attributes.

A search needs numpy, SQLite and what the model in the package is read by; nothing else need be there.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

from fourfold.errors import MissingExtraError

Made = TypeVar("Made")
Given = ParamSpec("Given")

_MAKING = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child would wait for ever for a thread that it has not got
    os.register_at_fork(before=_MAKING.acquire, after_in_parent=_MAKING.release, after_in_child=_MAKING.release)

_DISTRIBUTIONS = {
    "Stemmer": "PyStemmer",
    "ahocorasick_rs": "ahocorasick-rs",
    "markdown_it": "markdown-it-py",
    "yaml": "PyYAML",
}
"""Packages that are called otherwise where they are installed from."""


def load(module: str, what: str, *, extra: str = "", instead: str = "") -> Any:
    """Return a module.

    Args:
        module: its dotted name.
        what: what is to be done with it; the sentence begins with it.
        extra: the extra of Fourfold that brings its package, if one does.
        instead: what does as well, the end of the sentence.

    Raises:
        MissingExtraError: its package is not installed.

    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        package = _DISTRIBUTIONS.get(package, package)
        wanted = f"'fourfold[{extra}]'" if extra else package
        raise MissingExtraError(
            f"{what} needs the package {package}, which is not installed; run: pip install {wanted}{instead}."
        ) from error


def once(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return a function that makes something at its first call, once for the process, however many threads ask first.

    ``functools.cache`` lets every thread make its own until the first is done. Whatever later calls give, they get what
    the first one made.
    """
    made: list[Made] = []

    @functools.wraps(make)
    def given(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        if not made:
            with _MAKING:
                if not made:
                    made.append(make(*args, **kwargs))
        return made[0]

    return given


class lazy(Generic[Made]):
    """An attribute that is made when it is first read, and kept.

    ``functools.cached_property`` of Python 3.11 makes one at a time for all objects of a class: there the questions of
    many threads would stand in line for the longest steps of a search. Here nothing waits; two threads that are the
    first to read it of the same object both make it.
    """

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Made: ...

    def __get__(self, instance: object | None, owner: type) -> Self | Made:
        if instance is None:
            return self
        made = instance.__dict__[self._name] = self._make(instance)
        return made
