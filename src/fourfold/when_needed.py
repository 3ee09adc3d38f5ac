"""Packages that load when they are first used, and what is said where one is missing.

A search needs numpy, SQLite and the tokenizer of the model in the package; nothing else need be there.
"""

from __future__ import annotations

import importlib
from typing import Any

from fourfold.errors import MissingExtraError

_DISTRIBUTIONS = {"Stemmer": "PyStemmer"}


def load(module: str, what: str, *, instead: str = "") -> Any:
    """Return a module.

    Args:
        module: its dotted name.
        what: what is to be done with it; the sentence begins with it.
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
        raise MissingExtraError(
            f"{what} needs the package {package}, which is not installed; run: pip install {package}{instead}."
        ) from error
