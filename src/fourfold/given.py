"""An open graph that is given to what is made over it: that it is one, and stays the one that was given."""

from __future__ import annotations

from collections.abc import Collection

from fourfold.arguments import shown
from fourfold.errors import InvalidValueError
from fourfold.retriever import Retriever


def open_graph(given: object) -> Retriever:
    """Return an open graph, or raise InvalidValueError where what is given as ``retriever=`` is none."""
    if not isinstance(given, Retriever):
        raise InvalidValueError(f"retriever is {shown(given)}; it must be a fourfold.Retriever.")
    return given


def no_open_graph(given: object, name: str) -> None:
    """Raise InvalidValueError where an open graph is given by another argument than ``retriever=``."""
    if isinstance(given, Retriever):
        raise InvalidValueError(f"{name} is an open Retriever; give it as retriever=.")


def stays(name: str, value: object, opening: Collection[str], of: object) -> None:
    """Raise InvalidValueError where what a graph was opened with is set to another value once it is open."""
    if name in opening and value is not (own := getattr(of, name, None)) and value != own:
        kind = type(of).__name__
        raise InvalidValueError(f"{name} is that of the graph which is open here; make another {kind} with {name}=….")
