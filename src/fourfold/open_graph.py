"""An open graph that is given to what is made over it: that it is one, and stays the one that was given."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar, cast

from fourfold.arguments import shown_path
from fourfold.errors import InvalidValueError
from fourfold.retriever import Retriever

F = TypeVar("F", bound=Callable[..., Any])


def open_graph(given: object, name: str = "retriever") -> Retriever:
    """Return an open graph, or raise InvalidValueError where what is given by that argument is none."""
    if not isinstance(given, Retriever):
        told = shown_path(given)
        path = told if isinstance(given, (str, os.PathLike)) else "'kg.sqlite'"
        raise InvalidValueError(f"{name} is {told}; it must be a fourfold.Retriever, such as Retriever({path}).")
    return given


def of_open_graph(function: F) -> F:
    """Make a function of a retriever refuse what is none, such as the path of one."""

    @wraps(function)
    def asked(retriever: Any, *args: Any, **kwargs: Any) -> Any:
        return function(open_graph(retriever), *args, **kwargs)

    return cast(F, asked)


def no_open_graph(given: object, name: str) -> None:
    """Raise InvalidValueError where an open graph is given by another argument than ``retriever=``."""
    if isinstance(given, Retriever):
        raise InvalidValueError(f"{name} is an open Retriever; give it as retriever=.")


@contextmanager
def closed_on_failure(graph: Retriever, given: object = None) -> Iterator[None]:
    """Close a graph over which something could not be made or filled, unless it was given, open already."""
    try:
        yield
    except BaseException:
        if given is None:
            graph.close()
        raise


class OpenedOnce:
    """A mixin of pydantic models over an open graph, before the model itself: what the graph was opened with stays."""

    opened_with: ClassVar[Collection[str]] = ()
    """The fields that the graph is opened with."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field."""
        self._stays(name, value)
        super().__setattr__(name, value)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy over the same open graph, some of its fields set."""
        for name, value in (update or {}).items():
            self._stays(name, value)
        copied: Self = super().model_copy(update=update, deep=deep)  # type: ignore[misc]
        return copied

    def _stays(self, name: str, value: object) -> None:
        if name in self.opened_with and value is not (own := getattr(self, name, None)) and value != own:
            raise InvalidValueError(
                f"{name} is that of the graph which is open here; make another {type(self).__name__} with {name}=…."
            )
