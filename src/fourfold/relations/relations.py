"""The edge types of a graph, ready to be compared with questions: their labels, and what is known of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf

import numpy as np

from fourfold.config import Paths
from fourfold.language import lexicon
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.name_matching import Words
from fourfold.language.syntax import LEAD_BACK
from fourfold.relations.denied import Denied
from fourfold.relations.labels import Labels
from fourfold.relations.roles import Roles
from fourfold.relations.succession import Succession
from fourfold.relations.thesaurus import Thesaurus, key_of
from fourfold.types import FloatArray

_MAY_ASK = LEAD_BACK | lexicon.ASKING.keys() | lexicon.EXACTLY.keys() | {"have"}
"""Words that may ask for an edge though no label has them."""


class Relations:
    """The edge types of a graph that state facts.

    Attributes:
        labels: what they are called.
        numbers: (n_types,) their numbers in the graph.
        roles: what types are known to say, whatever they are called.
        denied: which say that something is not so.
        succession: which tell what came before or after.
        thesaurus: what English calls the same, as far as labels have it.

    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Sequence[int],
        embed: Callable[[list[str]], FloatArray],
        terms: Callable[[str], list[str]],
        is_word: Callable[[str], bool] = lambda word: True,
    ) -> None:
        """``is_word`` tells whether a word is spelt as words are: another may be a label's with a letter wrong."""
        self.labels = Labels(names, embed, terms, is_word)
        self.numbers = np.array(numbers, np.int64)
        self.roles = Roles(names)
        self.denied = Denied([one.own for one in self.labels.words.labels])
        self.succession = Succession(names, terms)
        self.thesaurus = Thesaurus(self.labels)
        self._near = lru_cache(self.labels.most_words)(self._near_by)

    def __len__(self) -> int:
        return len(self.labels)

    def may_be_asked(self, words: Words, settings: Paths) -> bool:
        """Tell whether any word may ask for an edge, whatever the question names: if not, none is trusted."""
        plain = [(word.lower(), terms) for word, terms in words]
        self.labels.learn([word for word, terms in plain if self.labels.may_hold(word, terms)])
        near = any(self._near(word, terms) > settings.low for word, terms in plain)
        return near or any(self.labels.words.within(word) for word, _ in plain)

    def _near_by(self, word: str, terms: Sequence[str]) -> float:
        """Return how near a word is to what an edge type says; ``inf`` where it may ask for one however far it is."""
        if not self.labels.may_hold(word, terms):
            return inf if word in _MAY_ASK else -inf
        listed = word in LEAD_BACK or self.thesaurus.lists(key_of(word, terms)) or self.succession.has(terms)
        if listed or self.roles.has(word) or self.thesaurus.joined(terms) is not None:
            return inf
        return self.labels.similarity(word)[2]

    def hold(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, one of its family, or what the thesaurus has for it."""
        return self.labels.similarity(word.lower())[2] >= SAME_FAMILY or self.thesaurus.joined(terms) is not None

    def holds(self, word: str) -> bool:
        """Tell the same of a word that the question need not have."""
        return self.hold(word, self.labels.terms(word))
