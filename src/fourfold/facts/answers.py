"""What a question says about the nodes that it names: where its words lead from there, and what of that it asks for.

An end of a path is of the kind asked for, of its type or a date; where the words lead to none, what stands beside the
named node or one step further may be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.facts import edge_only, sensible, typed_neighbours
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.lexicon import SAY_NOTHING, is_date
from fourfold.language.meaning import Meaning, apart
from fourfold.language.name_matching import Named, is_owned, nodes_of, word_beside
from fourfold.language.syntax import Sentence
from fourfold.relations.asked_types import Reader
from fourfold.signals import paths
from fourfold.signals.paths import OF_ANOTHER_KIND, Answer

_THIRD = 0.018
"""What explains a third as much as the best is worth so much of it: of the kind asked for it comes first."""

_MOST_ENDS, _MOST_BEHIND = 50, 200
"""Of so many ends of paths at most the names are read; of so many, where they stand behind such ends."""

_HARDLY = 0.1
"""What words lead to so unsurely at most leads no further."""

_SAID = 0.8
"""So similar the label of an edge is to a word that says it, beside others in the label."""

_READ = 8
"""The types of so many nodes that a question names, and as many ends, tell whether the graph has types of nodes."""

QUESTION_MARKS = ("?", "\uff1f", "\u061f")
"""What a question ends with, in Chinese and in Arabic, too."""

EXPLAINED = 0.75
"""What leads away explains a word that asks for an edge, if its words are trusted so far together."""

_LEAST = 0.4
"""So large a share of what asks for edges must be explained by what a step leads to that no word asks for."""


@dataclass(frozen=True, slots=True)
class About(Question):
    """A question that names nodes.

    ``sentence`` has its words beside the names, ``named`` the nodes that it names.
    """

    sentence: Sentence
    named: Sequence[Named]

    @property
    def kinds(self) -> Kinds:
        """What words of the question call, among nodes."""
        return Kinds.of(self)

    @property
    def reader(self) -> Reader:
        """What reads its words."""
        return Reader(self.relations, self.query.words, self.named, self.settings)

    def without_apposed(self, meaning: Meaning) -> Meaning:
        """Return what words mean without those that only say what the named node is by its edges: "the X dataset".

        Of "the X's tributary" it is another that is asked for, and so it is where no other word asks for an edge.
        """
        places = self.sentence.behind_name()
        if not places or not meaning.trust[places].any() or is_owned(self.query.typed):
            return meaning
        other = meaning.without(places)
        if not (other.trust[self.sentence.free()] >= self.settings.synonym).any():
            return meaning
        nodes = next(one.nodes for one in self.named if one.end == places[0])
        return other if self.kinds.ended(places[-1:], nodes).any() else meaning

    def may_be_silent(self, left_out: Collection[int]) -> bool:
        """Tell whether what is named may step back whatever the words ask for.

        A noun beside a name asks, too, where the words ``left_out`` say how much of it there is.
        """
        if left_out and self.sentence.all_content():
            return True
        asked = self.query.typed.endswith(QUESTION_MARKS)
        beside = self.sentence.asks_beside() or bool(self.owned()) or (asked and self.sentence.all_content())
        return self.settings.silent <= 1.0 and beside

    def owned(self) -> list[int]:
        """Return the word beside a name, where no other is said: it calls the type of what is X's, "X's tickets".

        "X tickets" and "tickets X" say so, too, but for "X committee", where that is what X is.
        """
        place = word_beside(self.query.words, self.named)
        if place < 0 or not self.sentence.is_content(place):
            return []
        is_it = not is_owned(self.query.typed) and self.kinds.typed([place], self.named[0].nodes).any()
        return [] if is_it else [place]

    def where_silent(self, meaning: Meaning, answer: Answer) -> tuple[Answer, bool]:
        """Return the answer, and whether what is named steps back however unsure it is; where that may be.

        Edges of one type tell no kinds apart, and where no word asks for them they lead to no number and no date.
        """
        if len(self.relations) == 1:
            counted = self.sentence.asks_amount() or self.sentence.asks_when()
            silent = not counted and answer.sure < 1.0 and self.is_silent(answer.named)
            return (self.where_unsure(meaning, answer) if silent else answer), silent
        settings, silent = self.settings, True
        by_kind = len(self.named) == 1 and bool((meaning.kind | (meaning.trust <= settings.low)).all())
        unsure = answer.sure < settings.silent_sure or by_kind
        if unsure and (beside := self.beside(answer)) is not None:
            answer = replace(beside, sure=settings.silent_sure)
        elif answer.sure < 1.0 and self.is_silent(answer.named):
            answer = self.where_unsure(meaning, answer)
        else:
            silent = False
            if not len(answer.nodes):
                answer = self.of_kind_behind(meaning, answer)
        if (of_type := self.of_type(meaning, answer)) is not None:
            return replace(of_type, sure=max(answer.sure, settings.silent_sure)), True
        return answer, silent

    def answer(self, meaning: Meaning, *, unsaid: bool = False) -> Answer:
        """Return what the words lead to, what is of the kind asked for first; ``unsaid`` as in ``paths.answer``."""
        found = self._walked(meaning, unsaid=unsaid)
        if found is None:
            return paths.nothing(self.named)
        places = self.sentence.heads()
        if (meaning.trust[places] > 0).any() and self._passes(places, found):
            shorter = self._walked(meaning.without(places), unsaid=unsaid)
            if shorter is None and (beside := self.beside_named(partial(self.kinds.having, places))) is not None:
                shorter = replace(beside, sure=found.sure)
            if shorter is not None and (of_it := self.kinds.told(places, shorter.nodes)).any():
                return self._sensible(shorter.first(of_it))
        if (places := self.sentence.where()) and (meaning.trust[places] > 0).any():
            shorter = self._walked(meaning.without(places), unsaid=unsaid)
            if shorter is not None and self._is_where(found, shorter):
                return self._sensible(self._of_kind(shorter))
        return self._sensible(self._of_kind(found))

    def _is_where(self, answer: Answer, shorter: Answer) -> bool:
        """Tell whether what words but "where" lead to is a place, by its edges or since something is done there.

        "Where is X spoken" asks for the country, not for where that is.
        """
        nodes = shorter.best()[:_MOST_ENDS]
        places = 2 * self.count_having(nodes, self.relations.labels.of_places) > len(nodes) > 0
        return places or sensible.where_done(self.sentence, self.kinds, answer, shorter)

    def _passes(self, places: Sequence[int], answer: Answer) -> bool:
        """Tell whether what is of the type asked for stands on the way to the best end, which is of another.

        "The customers who pay in cash" are what stands before their orders, if the words lead there by ``customer``.
        """
        end = int(answer.nodes[answer.values.argmax()])
        way = [step.node for step in answer.path(end)[1]]
        of_it = self.kinds.told(places, np.array(way, np.int64)) if len(way) > 1 else np.zeros(1, bool)
        return bool(of_it[:-1].any() and not of_it[-1])

    def of_type(self, meaning: Meaning, answer: Answer) -> Answer | None:
        """Return what is of the type of node asked for where the best ends of paths are not; None where they are."""
        places = self.sentence.of_type() or self.owned()
        if not places:
            return None
        best = answer.best()
        alike, places = self.sentence.is_one_of_several(places[-1]), [*self.sentence.part_of(places[-1]), *places]
        is_type = partial(self.kinds.typed, places, head=True, alike=alike)
        if len(answer.nodes):
            typed = is_type(answer.nodes) & ~ordered.contains(answer.named, answer.nodes)
            if typed[ordered.contains(best, answer.nodes)].any():
                return answer.first(typed) if answer.sure <= _HARDLY else None
            if self.kinds.ended(places, best).any():
                return None
            if self.kinds.compound(places[-1], best[:_READ]):
                return None
            if typed.any():
                return answer.first(typed)
        if not self.kinds.any_has_type(np.concatenate([best[:_READ], *(one.nodes[:_READ] for one in self.named)])):
            return None
        if (found := typed_neighbours.beside_the_way(self, answer, is_type)) is not None:
            return found
        return typed_neighbours.around(self, self.named, is_type, either=not self.sentence.joins())

    def where_unsure(self, meaning: Meaning, answer: Answer) -> Answer:
        """Return what a node answers that says nothing its edges do not: by a step unsaid, else by any edge."""
        settings = self.settings
        if self.may_leave_unsaid(meaning, answer):
            answer = self._by_a_step_unsaid(meaning) or answer
        if not len(answer.nodes) and self.sentence.kinds():
            answer = self.of_kind_behind(meaning, answer)
        if not len(answer.nodes):
            told = edge_only.is_told_by_a_text(self, answer.named)
            return answer if told else replace(self.answer(self.nearest(meaning)), sure=settings.silent_any)
        return replace(answer, sure=max(answer.sure, settings.silent_sure))

    def nearest(self, meaning: Meaning) -> Meaning:
        """Return what the question may ask for where what is sure leads nowhere; of a sort of thing, its instances."""
        sorts = self.count_having(nodes_of(self.named), self.relations.labels.grammar.sorts, forward=False) > 0
        return self.reader.nearest(meaning, sorts=sorts)

    def may_leave_unsaid(self, meaning: Meaning, answer: Answer) -> bool:
        """Tell whether the question may leave a step unsaid: "who produced the album with X", beside ``part of``.

        What the words ask for is not found at the named node, and another word says what stands between.
        """
        free = self.sentence.free()
        says = np.array([self.sentence.tells(place) for place in range(len(meaning.trust))])
        says |= free & (meaning.trust >= SAME_FAMILY)
        explained = answer.explained * float(meaning.trust[free].sum())
        asks = (meaning.trust >= self.settings.synonym) & [word not in SAY_NOTHING for word in self.sentence.words]
        return bool(asks[says].any()) and explained < EXPLAINED and int(says.sum()) > 1

    def beside(self, answer: Answer) -> Answer | None:
        """Return what stands beside the named nodes and is of the kind asked for: "what rivers run through Texas".

        A kind that edge types have a word for is said by the edges alone: texts may list them. None where nothing is of
        the kind, or where what the words lead to is.
        """
        nowhere, sought = not len(answer.nodes), self.sentence.sought()
        told = [place for place in sought if self.may_ask(place)]
        said = [place for place in sought if place not in told]
        told = [place for place in told if nowhere and self.sentence.asks_for(place)]
        if not said + told or not (nowhere or self._lacks(said, answer)):
            return None

        def of_it(nodes: Nodes) -> NDArray[np.bool_]:
            found = self.kinds.said(said, nodes) | self.kinds.ended(told, nodes) | self.kinds.told(told, nodes)
            return found if found.any() or not said else self.kinds.typed(said, nodes, head=True, alike=True)

        return self.beside_named(of_it)

    def of_kind_behind(self, meaning: Meaning, answer: Answer) -> Answer:
        """Return what is of the kind asked for one step behind the named node where the words lead nowhere from it.

        "Which suppliers supply products in X", where products lie between that no word asks for.
        """
        places = sorted({*self.sentence.sought(), *self.sentence.kinds()})
        if not places or not (meaning.trust[self.sentence.free()] >= SAME_FAMILY).any():
            return answer
        found = self._by_a_step_unsaid(meaning)
        if found is None or not (of_it := self._is_kind(places, found)).any():
            return answer
        return replace(found.first(of_it), sure=max(found.sure, self.settings.silent_sure))

    def _by_a_step_unsaid(self, meaning: Meaning) -> Answer | None:
        """Return what the words lead to behind a step that none asks for; None where it is much, or explains little."""
        found = self.answer(meaning.without_kinds(), unsaid=True)
        return found if found.explained >= _LEAST and len(found.nodes) <= _MOST_BEHIND else None

    def beside_named(self, of_it: Callable[[Nodes], NDArray[np.bool_]]) -> Answer | None:
        """Return what of some kind stands beside the named nodes; None where nothing does."""
        return paths.beside(self.walker, self.named, of_it)

    def of_kind_beside(self, one: Named) -> Named:
        """Keep, of nodes of one name, those that are of the kind that a word beside it says: "the Missouri river"."""
        beside = [place for place in (one.start - 1, one.end) if self.sentence.qualifies(place)]
        if len(one.nodes) < 2 or not beside:
            return one
        of_it = self.kinds.said(beside, one.nodes)
        return replace(one, nodes=one.nodes[of_it]) if of_it.any() else one

    def _lacks(self, places: Sequence[int], answer: Answer) -> bool:
        """Tell whether nothing that the words lead to is of the kind asked for; of several names that is looked at."""
        return (len(self.named) == 1 or not self.sentence.kinds()) and not self._is_kind(places, answer).any()

    def is_silent(self, nodes: Nodes) -> bool:
        """Tell whether nodes say nothing that their edges do not."""
        return edge_only.is_silent(self, self.named, nodes)

    def _walked(self, meaning: Meaning, *, unsaid: bool) -> Answer | None:
        """Return what the words lead to; "next to X and in the same zone" to what both parts do."""
        parts = [
            replace(self, named=[one for one in self.named if one.start in own] or self.named)._walked_by(
                part, unsaid=unsaid
            )
            for part, own in apart(meaning, self.sentence)
        ]
        return paths.in_common(parts) or self._walked_by(meaning, unsaid=unsaid)

    def _walked_by(self, meaning: Meaning, *, unsaid: bool) -> Answer | None:
        """Return what all words lead to together; None where they ask for no edge, or lead nowhere."""
        question = paths.PathQuestion(
            named=self.named,
            meaning=meaning,
            content=np.array([bool(terms) for _, terms in self.query.words]),
            together=self.sentence.joins(),
            unsaid=unsaid,
            clause=self.sentence.clause(),
            onward=self.sentence.asks_the(),
        )
        return paths.answer(self.walker, question)

    def _of_kind(self, answer: Answer) -> Answer:
        """Put first what is of the kind asked for: "which countries use X" asks for what is a country.

        A node is of a kind whose own text says so, or that the edges say it of: where those of "country" end. Where
        nothing is of it that the words lead to, what stands one step further is the answer: "which country does X's
        office lie in".
        """
        places = self._kinds_asked_for()
        if not places:
            return self._of_noun(answer)
        of_it = self._is_kind(places, answer)
        if not of_it.any():
            stays = answer.sure <= _HARDLY or self.kinds.compound(places[-1], answer.best()[:_READ])
            return answer if stays else self._one_step_further(places, answer)
        best = answer.as_good
        told = of_it & self.kinds.ended(places, answer.nodes)
        if not of_it[best].any() and answer.values[told].max(initial=0.0) >= _THIRD * answer.values.max():
            return answer.first(told)
        values = np.where(of_it, answer.values, OF_ANOTHER_KIND * answer.values)
        return replace(answer, values=values / values.max())

    def _of_noun(self, answer: Answer) -> Answer:
        """Put first what edges of the noun asked for lead to, where that explains a third as much as the best.

        "What are the metrics that models are evaluated by on X", beside what X evaluates.
        """
        if not (places := self.sentence.of_type()) or len(answer.nodes) < 2:
            return answer
        if self._are_doers(places, answer):
            return answer
        told, most = self.kinds.ended(places, answer.nodes), answer.values.max()
        passed = answer.passed(answer.best()[:_READ])
        told &= ~ordered.contains(passed, answer.nodes)  # "who is the author of X married to"
        best = told & answer.as_good
        return answer.first(best if best.any() else told & (answer.values >= _THIRD * most))

    def _are_doers(self, places: Sequence[int], answer: Answer) -> bool:
        """Tell whether some words are who did what one step to the best end says: "the art director"."""
        _, way = answer.path(int(answer.nodes[answer.values.argmax()]))
        labels, words = self.relations.labels, self.sentence.words
        own = labels.grammar.by & (self.relations.numbers == way[0].type if len(way) == 1 else False)
        return bool(own.any()) and all((labels.similarity(words[p])[0][own] >= _SAID).all() for p in places)

    def _kinds_asked_for(self) -> list[int]:
        """Return which words say what kind of answer is asked for: "fantasy films" are films."""
        words = [self.kinds.head(place, self.sentence) for place in self.sentence.kinds()]
        behind_names = self.sentence.kinds_of_named()  # "which Kurosawa films"
        return words + [place for place in behind_names if self.kinds.called(place)]

    def _sensible(self, answer: Answer) -> Answer:
        """Put last what can be no answer, see ``sensible``; where nothing can that words lead to, a date beside may."""
        as_good = np.isin(answer.nodes, answer.best()[:_MOST_ENDS])
        answer = sensible.of_whom(self.sentence, self.kinds, answer, as_good)
        when, can_be = self.sentence.asks_when(), sensible.by_name(self.sentence)
        if can_be is None or (len(answer.nodes) == 1 and not when):
            return answer  # before any name is read
        best = (-answer.values).argsort(kind="stable")[:_MOST_ENDS]
        of_it = np.zeros(len(answer.nodes), bool)
        of_it[best] = [can_be(name) for name in self.query.names_of(answer.nodes[best])]
        if of_it[best].all():
            return answer
        if of_it.any():
            return answer.first(of_it)
        return self._date_beside(answer) if when and self.sentence.asks_when_of_name() else answer

    def _date_beside(self, answer: Answer) -> Answer:
        """Return the date that stands beside the named node where the words lead to none: "when was X first shown"."""
        found = self.beside_named(lambda nodes: self._are_dates(nodes[:_MOST_BEHIND], len(nodes)))
        return answer if found is None else replace(found, sure=answer.sure)

    def _are_dates(self, nodes: Nodes, count: int) -> NDArray[np.bool_]:
        """Tell which nodes are called like dates, (count,); those that are left out are not."""
        return np.array([*map(is_date, self.query.names_of(nodes)), *[False] * (count - len(nodes))], bool)

    def _is_kind(self, places: Sequence[int], answer: Answer) -> NDArray[np.bool_]:
        """Tell which ends of paths are of the kind that words of the question call, but for what is named."""
        of_it = self.kinds.said(places, answer.nodes) | self.kinds.ended(places, answer.nodes)
        return of_it & ~ordered.contains(answer.named, answer.nodes)

    def _one_step_further(self, places: Sequence[int], answer: Answer) -> Answer:
        """Let the answer be what is of the kind asked for one step behind the best ends of the paths.

        What the named node is itself is not sought there: "which countries border X", and "pilots of the X".
        """
        places = [place for place in places if not self.kinds.ended([place], answer.named).any()]

        def of_it(nodes: Nodes) -> NDArray[np.bool_]:
            found = self.kinds.ended(places, nodes) | self.kinds.typed(places, nodes)
            if self.sentence.stands_at() and len(nodes) <= _MOST_BEHIND:
                found |= self.kinds.named(places, nodes)
            return found

        called = self.relations.numbers[self.kinds.ending(places)]
        return typed_neighbours.behind(self, answer, of_it, called) or answer
