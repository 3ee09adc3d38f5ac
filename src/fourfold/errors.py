"""The one exception tree: everything Fourfold raises on purpose is a FourfoldError."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

logger = logging.getLogger(__name__)


class FourfoldError(Exception):
    """Base of all errors raised by Fourfold."""


class InvalidValueError(FourfoldError, ValueError):
    """An argument has a value that cannot be meant; the sentence names it and says what is allowed."""


class FilterError(InvalidValueError):
    """A metadata filter uses an unknown operator or an operand of the wrong kind."""


class DimensionError(InvalidValueError):
    """A vector has another dimension than the vectors of the graph."""


class UnknownNodeError(FourfoldError, KeyError):
    """An edge, a question or a call names a node that is not in the graph."""

    def __str__(self) -> str:
        """Return the sentence itself; KeyError would put it in quotes."""
        return str(self.args[0]) if self.args else ""


class StoreError(FourfoldError):
    """The graph's file or server cannot be used: not a database, a newer schema, read-only, or busy for too long."""


class UnsupportedError(StoreError):
    """The engine of a graph cannot do what was asked; ``Capabilities`` say so beforehand."""


class SchemaDetectionError(StoreError):
    """A foreign database holds no node table that could be recognised.

    ``views`` is the SQL of a view of nodes and one of edges, as its foreign keys suggest them; "" where there are none.
    """

    views: str = ""


class EmbedderError(FourfoldError):
    """An embedder failed, or returned something that is no matrix of finite vectors."""


class KeyRefusedError(EmbedderError):
    """An embedding service refused the key; asking again with it would be in vain."""


class EmbedderMismatchError(EmbedderError):
    """The index was made with another embedder, or another tokenizer, than the one now given."""


class SearchError(FourfoldError):
    """Every component that was asked for failed, so there is no answer to give."""


class SearchTimeoutError(SearchError, TimeoutError):
    """A search did not end within the time it was given (``timeout=``)."""


class MissingExtraError(FourfoldError, ImportError):
    """An optional dependency is not installed; the sentence names the extra to install."""


class FourfoldWarning(UserWarning):
    """Something works, but not as well as it could; the sentence says what to do."""


def without_address(error: FourfoldError, address: str) -> str:
    """Return the sentence of an error for a model, which need not learn where the graph lies.

    Of what a database's server says, which tells of hosts, only the log has the words.
    """
    said = str(error)
    if "://" in address and isinstance(error, StoreError):
        logger.warning("%s", said)
        return "The graph cannot be used at the moment; the log says why."
    # a bare file name reveals no folder, and could be a part of any word of the sentence
    for written in (repr(address), address) if Path(address).name != address else (repr(address),):
        said = _replaced(said, f"The file {written}", "The graph")
        said = _replaced(_replaced(said, f"file {written}", "graph"), written, "the graph")
    return said


def _replaced(said: str, written: str, instead: str) -> str:
    """Return what is said with a part replaced, but where that is the end or the beginning of more, such as an id."""
    told, *parts = said.split(written)
    for part in parts:
        alone = not _of_paths(told[-1:]) and not _of_paths(part[:1].rstrip("."))
        told += (instead if alone else written) + part
    return told


def _of_paths(character: str) -> bool:
    return character.isalnum() or (character != "" and character in "._-/\\")


_HERE = str(Path(__file__).parent)


def warn(sentence: str) -> None:
    """Warn whoever called into the package, however many calls lie between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, FourfoldWarning, stacklevel=level)
