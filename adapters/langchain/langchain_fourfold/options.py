"""The options of a search that may be given per call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from fourfold import InvalidValueError
from fourfold.asking import Options

_FIRST = ("k", "filter", "weights")
SEARCH_OPTIONS = (*_FIRST, *(field.name for field in fields(Options) if field.name not in _FIRST))
"""Those of ``Retriever.search``, first those that are given most."""


def require_known(given: Iterable[str]) -> None:
    """Refuse an option that no search has."""
    if unknown := sorted(set(given) - set(SEARCH_OPTIONS)):
        raise InvalidValueError(f"A search has no option {unknown[0]!r}; the options are {', '.join(SEARCH_OPTIONS)}.")
