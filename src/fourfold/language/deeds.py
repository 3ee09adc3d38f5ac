"""Who does what: whether a word of a question is a deed, of whom, and to whom."""

from __future__ import annotations

from fourfold.language.lexicon import AUXILIARIES, DO, QUESTION, RELATIVE, WHICH
from fourfold.language.nouns import Nouns
from fourfold.language.placed import ARTICLES, PREPOSITIONS

TOGETHER = "together"

_MAKE = frozenset("write wrote written compose composed do did does make made create created".split())
_PARTS_OF_WORKS = frozenset(
    "music score soundtrack lyrics words text screenplay script story libretto cinematography photography editing "
    "choreography artwork cover".split()
)

_FIELDS = frozenset({"in", "on"})
_LIVING, _FOR = frozenset({"work", "living"}), frozenset({"for", "a"})


class Deeds(Nouns):
    """The words of a question, see ``Placed``."""

    def asks_what_is_done(self, place: int) -> bool:
        """Tell whether "do" asks what somebody does: "what did X do", "what does X do for a living"."""
        return self.at(0) == "what" and self.at(1) in DO and place in self._begins and place + 1 not in self._starts

    def where_done(self) -> bool:
        """Tell whether it asks where what it names does something: "where did X play college ball"."""
        start = self._past_article(2)
        behind = any(place >= self._ends.get(start, len(self.words)) for place in self._content)
        return self.at(0) == "where" and self.at(1) in DO and start in self._starts and behind

    def is_role(self, place: int) -> bool:
        """Tell whether a noun says what the named node is to the answer: "who is X the father of?".

        What it does, or has done to it, says no noun: "what is X made of", "what does X consist of".
        """
        noun = self.at(place - 1) in ARTICLES or not (self._named_may_do(place) or place in self._done)
        return noun and self.hangs(place) == "of"

    def named_does(self, place: int) -> bool:
        """Tell whether the named node does what a word says: "directed by X", "what did X direct"."""
        if self.at(place + 1) == "by":
            return place + 2 < len(self.words) and self.at(place + 2) not in QUESTION  # "directed by whom"
        if place in self._begins and place in self._deeds and self._another_behind(place):
            return True  # "X directed films"
        # in "what did X's advisor direct" it is the advisor who does
        return self._named_may_do(place) and not self._another_behind(place)

    def named_is_done_to(self, place: int, preposition: str) -> bool:
        """Tell whether a word says what is done to the named node, or to what leads there: "who acquired X's owner".

        "By whom was X acquired" does, too. ``preposition`` is what belongs to the word, "who reports to X"; or "".
        """
        if not preposition and "by" in {self.at(place + 1), self.hangs(place)} and not self.named_does(place):
            return True
        behind = self._past_article(place + 1 + bool(preposition))
        subject = place - 1 - (self.at(place - 1) in AUXILIARIES)
        asked = self.at(subject) in QUESTION | RELATIVE or self.at(subject - 1) in WHICH
        asked |= subject in self._content and self.at(place).endswith(("ing", "ent", "ant"))  # "parts depending on X"
        done_to = behind in self._starts or (behind in self._content and not self.opens(place))  # "what bridges span X"
        asked = (asked and subject not in self.names) or self.ends_subject(place)
        return done_to and asked and preposition in {"", self.at(place + 1)}

    def ends_subject(self, place: int) -> bool:
        """Tell whether a name right before says which of what is asked for does it: "which films by X depict Y"."""
        start = self._begins.get(place, -1)
        behind = self._past_article(place + 1 + (self.at(place + 1) in PREPOSITIONS))
        if start < 0 or behind not in self._starts or not DO.isdisjoint(self.words[:place]):
            return False
        before = self._before(start)
        before = self._before(self._begin_of_run(before)) if before in self._content else before
        return before > 1 and self.at(before) in PREPOSITIONS and self.opens(1) and 1 in self._content

    def is_verb(self, place: int) -> bool:
        """Tell whether a word is what the named node does, or has done to it: "who does X work for", "who governs X".

        What is worked on or in may have the noun: the field of X's work.
        """
        does = self._named_may_do(place) and self.hangs(place) not in _FIELDS
        return does or self.named_is_done_to(place, "")

    def for_a_living(self, place: int) -> bool:
        """Tell whether a word asks what somebody does: "what does X do for work", "for a living"."""
        return self.words[place] in _LIVING and self.at(place - 1) in _FOR and "do" in self.words[:place]

    def makes_part(self, place: int) -> bool:
        """Tell whether a verb only says how a part of a work came to be: "wrote" in "who wrote the music for X"."""
        return self.words[place] in _MAKE and self.at(self.object_of(place)) in _PARTS_OF_WORKS

    def object_of(self, place: int) -> int:
        """Return the place of what a verb is done to, where that stands right behind it."""
        return self._past_article(place + 1)

    def _named_may_do(self, place: int) -> bool:
        """Tell whether a word stands right behind a name and that behind "did": "what did X direct"."""
        return place in self._begins and self.at(self._begins[place] - 1) in DO

    def _another_behind(self, place: int) -> bool:
        """Tell whether a word of its own follows, neither a stop word nor a name: before it stands a noun, no verb."""
        behind = place + 1
        return behind in self._content and self.words[behind] != TOGETHER
