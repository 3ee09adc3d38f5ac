"""Graphs of things and texts: what stands beside the named thing and is about the rest of the question.

"Nadia Petrova's papers about sparse retrieval" says nothing that an edge type is called by; what the paper has of
"sparse retrieval" and its author has not tells it from her other papers. So does "nadia on sparse retrieval", where a
part of the name and the text beside it tell each other. Where words do lead to texts, what is left of the question
tells which is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fourfold import ordered, refine
from fourfold.config import RetrievalConfig
from fourfold.facts import edge_only
from fourfold.facts.covering import LONGER, Covering
from fourfold.facts.question import MOST_OF_ANY_TYPE, Question
from fourfold.index.base import Nodes, NodeValues
from fourfold.language import name_matching
from fourfold.language.name_matching import Named, nodes_of
from fourfold.language.syntax import FRAMES
from fourfold.signals import paths
from fourfold.signals.paths import Answer

_SURE = 0.7
"""How sure a text that covers the rest is to be meant, beside what is a mere name and can say nothing itself."""

_LEAST = 0.15
"""So large a share of what a question says must stand beside the name."""

_MORE = 0.12
"""So much more of it than the named node must what stands beside it cover …"""

_MUCH, _NEARLY_ALL = 0.5, 0.8
"""… and so much of it where a part of the name is all that names it, or a word that alone would not tell it."""

_BEHIND = 0.2
"""An end that covers none of the words that are left is worth so much less than what covers most."""

_MOST_ENDS, _MOST_BEHIND = 50, 200
"""Of more ends none are told apart, and with more edges none is looked behind."""

_NO_TEXT = frozenset("who whom whose where when".split())
"""What asks with them is answered by no text."""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands beside ``named`` and covers the rest of a question: ``told`` has the share of it that each does.

    ``texts`` are these, or parts of them.
    """

    named: Sequence[Named]
    told: NodeValues
    texts: Nodes


@dataclass(frozen=True, slots=True)
class Topic(Question):
    """What a question is about, beside what it names."""

    config: RetrievalConfig

    @classmethod
    def of(cls, question: Question, config: RetrievalConfig) -> Topic:
        """Return what a question is about."""
        return cls(question.scores, question.query, question.relations, question.settings, config)

    def beside(self, named: Sequence[Named]) -> Answer | None:
        """Return the texts beside the named nodes that cover the rest of the question better than these; or None.

        Of the best candidates, by late interaction without the words of the names.
        """
        if len(self.relations) == 1 or _NO_TEXT.intersection(self.plain[:1]):
            return None
        if (covering := Covering.of(self)) is None or not covering.texts.any():
            return None
        if named:
            ways = [self._beside(covering, named)]
        else:
            ways = [self._beside(covering, [one], least=least) for one, least in self._in_part(covering)]
        found = [one for one in ways if one is not None]
        best = min(found, key=self._rank) if len(found) > 1 else next(iter(found), None)
        if best is None or self._is_silent(best.named, best.texts):
            return None
        answer = paths.beside(self.walker, best.named, partial(ordered.contains, best.told.nodes))
        return answer and replace(answer, values=best.told.at(answer.nodes) / best.told.values.max(), sure=_SURE)

    def _rank(self, one: _Beside) -> tuple[float, str]:
        """Return what the smallest of is the best: what covers most; of those alike the smaller id."""
        return -float(one.told.values.max()), min(self.scores.snapshot.ids(nodes_of(one.named)))

    def _in_part(self, covering: Covering) -> Iterator[tuple[Named, float]]:
        """Give the best candidates that the question names by a part of their name, and what must cover the rest.

        Where all are of one type, or of none, a title is no name of a thing.
        """
        things = covering.nodes[covering.things]
        if not self.edges.degree(things).any():
            return
        parts = name_matching.parts(self.query.words, things, self.query.names_of(things), self.relations.hold)
        if parts and len(set(covering.types)) > 1:
            for letters, one in parts:
                yield one, _MUCH if name_matching.tells(letters, one) else _NEARLY_ALL

    def _beside(self, covering: Covering, named: Sequence[Named], *, least: float = 0.0) -> _Beside | None:
        """Return the texts beside the named nodes that cover more of the rest of the question; None: none does.

        What is named has hardly any itself. They are what the question asks for where it begins with that; what sort of
        thing is named belongs to the name. Of a part of a name ``least`` of the rest must be covered.
        """
        own = nodes_of(named)
        is_named = ordered.contains(own, covering.nodes)
        if not is_named.any() or not covering.things[is_named].all() or self.has_very_many(own, MOST_OF_ANY_TYPE):
            return None
        near, whole = self._near(own)
        longer = covering.sizes > LONGER * covering.sizes[is_named].max()
        better = covering.texts & longer & ordered.contains(near, covering.nodes)
        if not better.any():
            return None
        left = self._left(name_matching.places_of(named))
        told, share = covering.share([place for place in left if not (covering.are(place) & is_named).any()])
        better &= told >= max(float(told[is_named].max()) + _MORE, least)
        if left and left[0] <= 1 and (are := covering.are(left[0])).any():
            better &= are
        if least:
            types = [covering.types[place] for place in is_named.nonzero()[0].tolist()]
            better &= [kind not in types for kind in covering.types]
        if share < _LEAST or not better.any():
            return None
        texts = covering.nodes[better]
        whole = whole[near.searchsorted(texts)]
        nodes = ordered.distinct(whole)
        most = np.zeros(len(nodes))
        np.maximum.at(most, nodes.searchsorted(whole), told[better])
        return _Beside(named, NodeValues(nodes, most), texts)

    def _near(self, own: Nodes) -> tuple[Nodes, Nodes]:
        """Return what stands beside nodes, ascending, with the parts of documents that were cut; of each the whole."""
        near = self.neighbours(own)
        cut = ordered.common(near, self.scores.snapshot.hidden)
        if not len(cut):
            return near, near
        steps = paths.parts_of(self.edges, cut, self.query.allowed)
        parts, whole = np.concatenate((near, steps.targets)), np.concatenate((near, cut[steps.origin]))
        first = np.unique(parts, return_index=True)[1]
        return parts[first].astype(np.int64), whole[first]

    def first(self, answer: Answer) -> Answer:
        """Return an answer with those of its best ends first that are most on the topic: "what did X write about Y".

        These are texts that cover what is left: words that belong to no name and ask for no edge. Where none is what
        the question asks for first, a text beside them may be: "tickets about crashes of X's products".
        """
        ends = answer.best()
        if self.scores.covered is None or not 0 < len(ends) <= _MOST_ENDS:
            return answer
        called = {word for name in self.query.names_of(answer.named) for word in name}
        said = [place for place in self._left() if self.query.words[place][0].lower() not in called]
        if not said or (covering := self._covering(ends)) is None:
            return answer
        at, head = covering.nodes.searchsorted(ends), said[0]
        left = [place for place in said if not self.may_ask(place)]
        if (are := covering.are(head)).any():
            left = [place for place in left if place != head]
            if not are[at].any():
                return self._behind(answer, ends, head, left)
        told, share = covering.share(left)
        told = np.where(covering.texts[at], told[at], 0.0)
        if share < _LEAST or np.ptp(told) < _MORE or self._is_silent((), ends):
            return answer
        values = answer.values.copy()
        values[answer.nodes.searchsorted(ends)] *= 1.0 - _BEHIND * (1.0 - told / told.max())
        return replace(answer, values=values)

    def _behind(self, answer: Answer, ends: Nodes, head: int, left: Sequence[int]) -> Answer:
        """Return an answer with the texts first that stand beside its best ends and are what the question asks for.

        They are of the type that the word at ``head`` calls, and cover the words that are ``left``.
        """
        if self.has_very_many(ends, _MOST_BEHIND):
            return answer
        steps = self.edges.expand(ends, weights="none", allowed=self.query.allowed)
        steps = steps.of(~np.isin(steps.targets, np.concatenate((ends, answer.named))))
        found = ordered.distinct(steps.targets)
        if not len(found) or (covering := self._covering(found)) is None:
            return answer
        tells = (covering.share([head, *left])[0] >= _MUCH) & covering.texts & covering.are(head)
        steps = steps.of(ordered.contains(covering.nodes[tells], steps.targets))
        if not len(steps) or self._is_silent((), found := ordered.distinct(steps.targets)):
            return answer
        new = steps.of(~ordered.contains(answer.nodes, steps.targets))
        if len(new):
            answer = answer.extended(ends, new, np.ones(len(new)))
        return answer.first(ordered.contains(found, answer.nodes))

    def _covering(self, nodes: Nodes) -> Covering | None:
        """Return how candidates cover a question, some nodes among them."""
        refine.covered_by(self.scores, nodes, self.config)
        return Covering.of(self)

    def _left(self, taken: Collection[int] = ()) -> list[int]:
        """Return the places of the words that say something, but for those taken."""
        plain = self.plain
        return [p for p in name_matching.content_beside(self.query.words, taken) if plain[p] not in FRAMES]

    def _is_silent(self, named: Sequence[Named], nodes: Nodes) -> bool:
        """Tell whether texts say nothing that their edges do not: such texts tell no topic."""
        return edge_only.is_silent(self, named, nodes, by_names=True)
