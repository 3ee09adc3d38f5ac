"""All nodes of a type that meet what a question says of them: "broken devices", "wards without a pump".

What it says is told by their metadata (``language.properties``), an amount there ("opened after 1960", "the cheapest"),
or what stands beside them ("without a pump", "with the most devices"). Nothing is answered where a word is left that
says none of this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts import amounts
from fourfold.facts.excepted import FREE
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import NO_NODES, Nodes
from fourfold.language.amounts import MANY, Measured, asked_for, picking
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.name_matching import Named, nodes_of, places_of
from fourfold.language.placed import place_before
from fourfold.language.properties import NOT, Properties, Said, ends_not, in_words
from fourfold.signals.paths import Answer
from fourfold.types import FloatArray

_MOST = 2_000
"""Of a type with more nodes, or where more hold a word of the question, nothing is told."""

_MOST_WORDS = 16
"""Of more words that say something hardly one is left that says nothing of a type."""

_ROW = 3
"""So many words say a type at most."""

_WITHOUT = NOT - {"no", "never"}


@dataclass(frozen=True, slots=True)
class _Met:
    """What nodes of a type meet a condition, (n_nodes,), at which places its words stand, and what is told of each."""

    of_it: NDArray[np.bool_]
    places: frozenset[int]
    told: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Last:
    """An amount of each node, (n_nodes,), NaN: none, and which of them is asked for; the rest as ``_Met`` has it."""

    values: FloatArray
    measured: Measured
    places: frozenset[int]
    told: Sequence[str]

    def among(self, of_it: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of some nodes have the amount asked for, (n_nodes,)."""
        values = np.where(of_it, self.values, np.nan)
        return of_it & amounts.are_meant(values, self.measured) if not np.isnan(values).all() else np.zeros_like(of_it)


def of_a_type(question: Question, named: Sequence[Named]) -> Answer | None:
    """Return what of a type the question tells apart; None where it does not, or leaves a word that says otherwise.

    ``named`` is what it names: what stands beside the nodes meant, or beside others where it is excepted.
    """
    content = [place for place, (_, own) in enumerate(question.query.words) if own]
    if not 1 < len(content) <= _MOST_WORDS or _are_many(question, content):
        return None
    holding, terms = question.holding_words(_MOST), question.relations.labels.terms
    types = frozenset(term for kind in set(question.query.types_of(holding)) for term in terms(kind))
    asked = _Asked(Kinds.of(question), holding, types, named)
    nodes, called = asked.typed([place for place in content if place not in places_of(named)])
    if not len(nodes) or len(called) == len(content):
        return None
    return asked.answer(nodes, called)


def _are_many(question: Question, content: Sequence[int]) -> bool:
    """Tell whether so many nodes hold a word of the question that none are looked at; before any is looked up."""
    known = question.scores.term_numbers
    terms = [known[term] for place in content for term in question.query.words[place][1] if term in known]
    return not terms or int(question.scores.snapshot.text.df(np.array(terms, np.int64)).max()) >= _MOST


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question for nodes of a type, the nodes that hold a word of it, and what it names."""

    kinds: Kinds
    holding: Nodes
    types: frozenset[str]
    """The terms of their types."""
    named: Sequence[Named]

    def typed(self, places: Sequence[int]) -> tuple[Nodes, frozenset[int]]:
        """Return the nodes of the type that the first of some words to call one call, and where these words stand."""
        words, types_of = self.kinds.query.words, self.kinds.query.types_of
        for place in places:
            if self.types.isdisjoint(words[place][1]):
                continue
            row = [at for at in range(place - _ROW + 1, place + 1) if at in places]
            of_it = self.kinds.typed(row, self.holding, head=True)
            if of_it.any():
                nodes = self.holding[of_it]
                said = {term for kind in set(types_of(nodes)) for term in self.kinds.relations.labels.terms(kind)}
                return nodes, frozenset(at for at in row if not said.isdisjoint(words[at][1]))
        return NO_NODES, frozenset()

    def answer(self, nodes: Nodes, called: frozenset[int]) -> Answer | None:
        """Return which of the nodes meet all that the other words say."""
        question = self.kinds
        properties = Properties(question.query.words, question.query.rows_of(nodes), question.relations.labels.terms)
        free = set(range(len(question.plain))) - called
        met: list[_Met] = [*self._without(nodes, free)]
        free = free.difference(*(one.places for one in met))
        beside = [self._beside(one, nodes) for one in self.named if free.issuperset(one.places)]
        free = free.difference(*(one.places for one in beside))
        last = [*self._with_most(nodes, free, properties)] or [*self._measured(called, free, properties)]
        free = free.difference(*(one.places for one in last))
        met += [_of_rows(one, properties) for one in properties.said(free)]
        free = free.difference(*(one.places for one in met), *properties.called(free).values())
        if not met + last or properties.left(free):
            return None
        met += beside
        of_it = np.logical_and.reduce([np.ones(len(nodes), bool), *(one.of_it for one in met)])
        for one in last:
            of_it = one.among(of_it)
        said = [*(one.told for one in met), *(one.told for one in last)]
        told = [", ".join(own) for own in zip(*said, strict=True)]
        ends = nodes[of_it]
        conditions = dict(zip(ends.tolist(), (told[place] for place in of_it.nonzero()[0].tolist()), strict=True))
        return Answer(ends, np.ones(len(ends)), 1.0, NO_NODES, (), told=conditions) if len(ends) else None

    def _beside(self, one: Named, nodes: Nodes) -> _Met:
        """Return what stands beside something named: "italian dishes", beside a cuisine Italian."""
        question = self.kinds
        many = question.has_very_many(one.nodes)
        of_it = ordered.contains(NO_NODES if many else question.neighbours(one.nodes), nodes)
        told = " ".join(question.query.words[at][0] for at in one.places)
        return _Met(of_it, frozenset(one.places), [told] * len(nodes))

    def _without(self, nodes: Nodes, free: Collection[int]) -> Iterator[_Met]:
        """Give what has nothing beside it that the question excepts: "without a pump", "not made by X".

        Of the words between, one that may ask for an edge says beside which: others say nothing.
        """
        question, plain = self.kinds, self.kinds.plain
        freed = next((one for one in self.named if plain[one.end : one.end + 1] == [FREE]), None)
        place = next((place for place in sorted(free) if plain[place] in _WITHOUT), -1)
        behind = range(place + 1, len(plain))
        if freed is not None:  # "gluten free"
            place, behind = freed.start, range(freed.start, freed.end + 1)
        if place < 0 or not (excepted := self._called_behind(behind)):
            return
        own, where = excepted
        asking = [at for at in behind if question.query.words[at][1] and at not in where]
        asking = [at for at in asking if plain[at] != FREE and not ends_not(plain, at)]
        labels = question.relations.labels
        if question.has_very_many(own) or not all(map(question.may_ask, asking)):
            return
        beside = question.neighbours(own)
        if asking:
            types = np.logical_and.reduce([labels.similarity(plain[at])[0] >= SAME_FAMILY for at in asking])
            beside = ordered.distinct(question.steps(own, types).targets)
        of_it = ~ordered.contains(beside, nodes) & ~ordered.contains(own, nodes)
        places = range(place, behind.stop)
        told = " ".join(question.query.words[at][0] for at in places)
        yield _Met(of_it, frozenset(places), [told] * len(nodes))

    def _called_behind(self, behind: range) -> tuple[Nodes, frozenset[int]] | None:
        """Return what words from a place on call by its name, its type or a part of its name, and where they stand."""
        if named := [one for one in self.named if one.start in behind]:
            return nodes_of(named), frozenset(places_of(named))
        content = [place for place in behind if self.kinds.query.words[place][1]]
        nodes, where = self.typed(content)
        if len(nodes) or not content:
            return (nodes, where) if content else None
        held = self.holding[np.logical_and.reduce([self.kinds.named([place], self.holding) for place in content])]
        return (held, frozenset(content)) if len(held) else None

    def _with_most(self, nodes: Nodes, free: Collection[int], properties: Properties) -> Iterator[_Last]:
        """Give which nodes have most beside them of a type: "with the most devices"."""
        question, plain = self.kinds, self.kinds.plain
        place = next((place for place in sorted(free) if plain[place] in MANY), -1)
        if place < 0 or not question.query.words[place + 1 : place + 2] or properties.holds(plain[place + 1]):
            return
        counted, where = self.typed([at for at in range(place + 1, place + 1 + _ROW) if at in free])
        if not len(counted) or question.has_very_many(nodes):
            return
        steps = question.edges.expand(nodes, weights="none", allowed=question.query.allowed)
        place_of_verb = place_before(plain, place)
        verb = [place_of_verb] if place_of_verb in free and question.query.words[place_of_verb][1] else []
        if verb:
            types = question.relations.labels.similarity(plain[verb[-1]])[0] >= SAME_FAMILY
            said = steps.of(np.isin(steps.types, question.relations.numbers[types]))
            steps = said if len(said) else steps
        steps = steps.of(ordered.contains(counted, steps.targets))
        pairs = np.unique(np.stack((steps.origin, steps.targets)), axis=1)[0]
        counts = np.bincount(pairs, minlength=len(nodes)).astype(np.float64)
        noun = " ".join(question.query.words[at][0] for at in sorted(where))
        measured = Measured((), MANY[plain[place]])
        yield _Last(counts, measured, where.union({place}, verb), [f"{int(count)} {noun}" for count in counts])

    def _measured(self, called: Collection[int], free: Collection[int], properties: Properties) -> Iterator[_Last]:
        """Give which nodes have the amount asked for in their metadata: "opened after 1960", "the cheapest"."""
        holds, plain = self.kinds.relations.holds, self.kinds.plain
        measured = asked_for(plain, called, lambda word: properties.holds(word) or holds(word))
        if measured is None:
            return
        places = frozenset(measured.places | picking(plain)).intersection(free)
        own = set(free).difference(called)
        values, told, measured, where = amounts.by_properties(properties, measured, own)
        if not np.isnan(values).all():
            yield _Last(values, measured, places | where, told)


def _of_rows(said: Said, properties: Properties) -> _Met:
    """Return what words say of a key as a condition."""
    of_it = np.isin(np.arange(len(properties.rows)), list(said.rows))
    return _Met(of_it, said.places, [in_words(said.key, row) for row in properties.rows])
