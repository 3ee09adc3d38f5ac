"""What edge types are known to say, whatever their labels are: "needs" asks for ``depends_on``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from fourfold.edge_types import reading
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.syntax import Sentence


class Roles:
    """The edge types of a graph by the role that ``edge_types.ROLES`` gives them."""

    def __init__(self, names: Sequence[str]) -> None:
        found = defaultdict(list)
        for place, name in enumerate(names):
            if (one := reading(name)) is not None and not one.denied:
                found[one.role].append((place, one.inverse))
        rows = np.arange(len(names))
        self._types = {role: np.isin(rows, [place for place, _ in own]) for role, own in found.items()}
        self._inverse = {role: all(inverse for _, inverse in own) for role, own in found.items()}

    def has(self, word: str) -> bool:
        """Tell whether a word says a role that a type has."""
        own = reading(word)
        return own is not None and own.role in self._types

    def asked(self, sentence: Sentence, place: int) -> Asked | None:
        """Return what one word asks for; None where no type has its role."""
        own = reading(sentence.words[place])
        if own is None or own.role not in self._types:
            return None
        types = self._types[own.role]
        # all of them may say it the other way: "is needed by"
        turned = sentence.named_is_done_to(place, "") ^ own.inverse ^ self._inverse[own.role]
        return Asked(SAME_FAMILY * types, np.zeros(len(types), np.int64), SAME_FAMILY, turned=turned)
