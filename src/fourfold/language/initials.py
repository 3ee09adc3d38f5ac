"""Names by the first letters of their words: "MLK" is Martin Luther King, "WWII" World War II."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FEWEST, _MOST = 3, 8
"""Letters of what stands for a name: two stand for too many."""

_SMALL = frozenset("of the and for in at on to a an de la le du des del der das und van von".split())
"""Words that mostly have no letter."""
_WHOLE = re.compile(r"[ivx]+|\d+")
"""What is written as it is: the number of a war."""


def stands_for(word: str, name: Sequence[str]) -> bool:
    """Tell whether a word, in small letters as the name is, has the first letters of words of it that stand in a row.

    "UCB" stands for University of California, Berkeley.
    """
    if not _FEWEST <= len(word) <= _MOST or len(name) < _FEWEST:
        return False
    letters = [own if _WHOLE.fullmatch(own) else own[0] for own in name if own not in _SMALL]
    runs = ("".join(letters[start:]) for start in range(len(letters) - _FEWEST + 1))
    return any(run.startswith(word) for run in runs)
