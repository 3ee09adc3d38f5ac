"""What nodes are of a kind that words of a question call: by their text, name or type, or by where edges end.

"Which countries" asks for what says that it is a country, for what has that type, and for where edges of ``country``
lead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.language import sexes
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.placed import PREPOSITIONS
from fourfold.language.synonyms import KINDS
from fourfold.language.syntax import Sentence

_FIRST = 4
"""Beside so many nodes, along as many edges of each, types are looked for."""

_ROW = 3
"""Of so many words in a row one says the kind of what is asked for: "professional football team"."""

_SHORTEST = 4
"""A word of so many letters tells a longer one that ends in it: a ballpark is a park."""

_SEX = "sex gender"
"""What labels call of which sex somebody is."""

_MOST_TYPES = 2_000
"""Of so many nodes at most the types are read: of what a name leads to (``Paths.fan``), in both directions."""


@dataclass(frozen=True, slots=True)
class Kinds(Question):
    """Tells of nodes whether they are of a kind that some words of the question call; all return (len(nodes),)."""

    @classmethod
    def of(cls, question: Question) -> Kinds:
        """Return what words of a question call."""
        return cls(question.scores, question.query, question.relations, question.settings)

    def said(self, places: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell which nodes say themselves that they are of the kind that words of the question call."""
        known = self.scores.term_numbers
        terms = [known[term] for place in places for term in self._terms(place) if term in known]
        return self._holding(terms, nodes)

    def named(self, places: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell which nodes have a word of the question in their name."""
        called, terms = {term for place in places for term in self._terms(place)}, self.relations.labels.terms
        names = self.query.names_of(nodes)
        return np.array([not called.isdisjoint(terms(" ".join(name))) for name in names], bool)

    def typed(
        self, places: Sequence[int], nodes: Nodes, *, head: bool = False, alike: bool = False
    ) -> NDArray[np.bool_]:
        """Tell which nodes are of a type that words of the question call; the texts of others may have them, too.

        With ``head`` the type must hold the last of the words: the phone numbers of customers are no customers. With
        ``alike`` other nouns for the same count, too, where no node is of it: a "club" of type *team*.
        """
        called = [set(self._terms(place)) for place in places]
        found = self._of_type(called, self.said(places, nodes), nodes, head=head)
        others = [] if found.any() or not alike else [self._same_kind(place) for place in places]
        if not any(others):
            return found
        numbers = self.scores.snapshot.term_numbers(sorted(set().union(*others)))
        says = self._holding(list(numbers.values()), nodes)
        return self._of_type([own | other for own, other in zip(called, others, strict=True)], says, nodes, head=head)

    def compound(self, place: int, nodes: Nodes) -> bool:
        """Tell whether a node is of a type that ends in a word of the question: a subcommittee is a committee.

        Not where the question has the longer word, too: "which committees have a subcommittee that".
        """
        word, said = self.query.words[place][0].lower(), {term for _, terms in self.query.words for term in terms}
        forms = [one for one in (word, word.removesuffix("s")) if len(one) >= _SHORTEST]
        types = [kind.lower().split()[-1:] for kind in self.query.types_of(nodes)]
        longer = {own[0] for own in types if own and any(own[0] != one and own[0].endswith(one) for one in forms)}
        return any(said.isdisjoint(self.relations.labels.terms(own)) for own in longer)

    def _holding(self, terms: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell which nodes hold one of some terms, by their numbers."""
        none: NDArray[np.bool_] = np.zeros(len(nodes), bool)
        return none | self.scores.snapshot.text.holds(terms, nodes).any(axis=1) if terms else none

    def _of_type(
        self, called: Sequence[set[str]], says: NDArray[np.bool_], nodes: Nodes, *, head: bool
    ) -> NDArray[np.bool_]:
        """Tell which nodes, of those that say so, have a type in these terms, of the last word where it is the head."""
        if not says.any() or says.sum() > _MOST_TYPES:
            return np.zeros(len(nodes), bool)
        every, terms = set().union(*called), self.relations.labels.terms
        of_it = says.copy()
        types = self.query.types_of(nodes[of_it])
        own = {kind: set(terms(kind)) for kind in set(types)}  # many nodes, few types
        meant = {k for k, o in own.items() if o and o <= every and not (head and o.isdisjoint(called[-1]))}
        of_it[of_it] = [kind in meant for kind in types]
        return of_it

    def _same_kind(self, place: int) -> set[str]:
        """Return the terms of the nouns for the same kind of thing as a word of the question."""
        relations = self.relations
        return {term for noun in relations.thesaurus.nouns(self._terms(place)) for term in relations.labels.terms(noun)}

    def any_has_type(self, nodes: Nodes) -> bool:
        """Tell whether any of some nodes, or of what stands beside them, has a type: in many a graph none has."""
        types_of = self.query.types_of
        if any(types_of(nodes)):
            return True
        steps = self.edges.expand(nodes[:_FIRST], weights="none", cap=_FIRST)
        return any(types_of(steps.targets))

    def ended(self, places: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell of which nodes the edges say that they are of the kind that words of the question call."""
        grammar, words = self.relations.labels.grammar, self.query.words
        found = np.zeros(len(nodes), bool)
        for place in places:
            if grammar.qualifies(*(word for word, _ in words[place : place + 2])):
                continue
            for forward, types in zip((False, True), self._at(place), strict=True):
                found[self.steps(nodes, types, forward=forward).origin] = True
        return found

    def told(self, places: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell which nodes are of the kind that words of the question call, by their types or by what only it has."""
        return self.typed(places, nodes) | self.having(places, nodes)

    def having(self, places: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Tell which nodes have what only things of the kind have that words of the question call."""
        found, none = np.zeros(len(nodes), bool), np.zeros(len(self.relations), bool)
        own = (self.relations.thesaurus.own(self._terms(place)) for place in places)
        found[self.steps(nodes, np.logical_or.reduce([none, *own]), forward=True).origin] = True
        return found

    def sexes(self, nodes: Nodes) -> NDArray[np.int8]:
        """Return of which sex nodes are, (len(nodes),), by their types, edges such as "mother", and what "sex" says."""
        query, labels = self.query, self.relations.labels
        found = np.array([sexes.said_by(kind.lower().split()) for kind in query.types_of(nodes)], np.int8)
        for sex, kin in sexes.KIN.items():
            for forward, types in zip((False, True), zip(*map(labels.grammar.calls, kin), strict=True), strict=True):
                found[self.steps(nodes, np.logical_or.reduce(types), forward=forward).origin] = sex
        steps = self.steps(nodes, labels.similarity(_SEX)[0] >= SAME_FAMILY, forward=True)
        found[steps.origin] = [sexes.said_by(name) for name in query.names_of(steps.targets)]
        return found

    def head(self, place: int, sentence: Sentence) -> int:
        """Return which word from a place on is the kind: "fantasy films" are films, a "football team" is a team."""
        if self.called(place):
            return place
        row = () if sentence.at(0) in PREPOSITIONS else range(place + 1, place + _ROW)
        nouns = (at for at in takewhile(sentence.is_content, row) if sentence.words[at] in KINDS and self.called(at))
        return next(nouns, place)

    def called(self, place: int) -> bool:
        """Tell whether edge types call something by a word."""
        return any(types.any() for types in self._at(place))

    def ending(self, places: Sequence[int]) -> NDArray[np.bool_]:
        """Return which edges end at what words of the question call, (n_types,)."""
        none = np.zeros(len(self.relations), bool)
        ends: NDArray[np.bool_] = np.logical_or.reduce([none, *(self._at(place)[0] for place in places)])
        return ends

    def _at(self, place: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which edges end at what a word calls, and which begin there, (n_types,) each."""
        return self.relations.thesaurus.calls(*self.query.words[place])

    def _terms(self, place: int) -> tuple[str, ...]:
        return self.query.words[place][1]
