"""What the nouns of a question say: what the answer is, what a name is the name of, or a step from it."""

from __future__ import annotations

from collections.abc import Sequence

from fourfold.language.amounts import EARNING
from fourfold.language.lexicon import ASKING, AUXILIARIES, DO, MEASURES, RELATIVE, WHICH
from fourfold.language.placed import ARTICLES, ONE_OF, PREPOSITIONS, Placed

IMPERATIVES = frozenset({"name", "list"})
NAMES = frozenset({"name", "names"})
CALLED = frozenset({"named", "called"})
_OTHERS = frozenset("other all different".split())
_MAKING = frozenset("wrote made did composed created produced performed designed delivered gave".split())
"""Says of somebody that he made something, whatever that is."""
_OF_IT = frozenset({"", "of", "for"})
DETERMINERS = ARTICLES | _OTHERS | frozenset("me us down some any every few".split())
SORTS = frozenset({"kind", "kinds", "sort", "sorts", "type", "types"})


def names_sort(before: Sequence[str]) -> bool:
    """Tell whether a word is that of "kind of music", by the words before it, in lower case."""
    return len(before) > 1 and before[-1] == "of" and before[-2] in SORTS


class Nouns(Placed):
    """The words of a question, see ``Placed``."""

    def opens(self, place: int) -> bool:
        """Tell whether a word stands behind "what" or "which": it says what kind of answer is asked for.

        A number, or a word such as "other", may stand between: "what 5 countries", "which other films"; so may "kind
        of" before what an edge type is called by: "what kind of language".
        """
        before = self.at(place - 1)
        if self._is_sort(place) and self._in_label[place]:
            return self.at(place - 3) in WHICH
        counted = self._counts(place - 1) and not self._counts(place) and self.at(place - 2) in WHICH
        return before in WHICH or counted or self._asks_for_one(place)

    def _asks_for_one(self, place: int) -> bool:
        """Tell whether one of what a word calls is asked for: "what is a film by X", "the name of a film by X"."""
        before = self.at(place - 2)
        is_one = before in AUXILIARIES - DO and self.at(place - 3) in WHICH | {"who"}
        named = (before in IMPERATIVES and place == 2) or (before == "of" and self.at(place - 3) in NAMES)
        return self.at(place - 1) in ONE_OF and (is_one or named) and self.at(self._end_of_run(place) + 1) not in _OF_IT

    def _counts(self, place: int) -> bool:
        return self.at(place).isdigit() or self.at(place) in _OTHERS

    def _is_sort(self, place: int) -> bool:
        return names_sort((self.at(place - 2), self.at(place - 1)))

    def sort_of(self, place: int) -> int:
        """Return where the "kind" stands of "what kind of" before a word; -1 where there is none."""
        return place - 2 if self._is_sort(place) and place - 3 not in self._content else -1

    def whose_sort(self, place: int) -> int:
        """Return where the "music" stands of "what kind of music", by the place of "kind"; -1 where nothing does."""
        of = self.words[place] in SORTS and self.at(place + 1) == "of" and place + 2 in self._content
        return place + 2 if of else -1

    def says_what_it_is(self, place: int) -> bool:
        """Tell whether a word only says what is named is: the film in "what kind of film is X"."""
        behind = self.at(place + 1) in AUXILIARIES - DO and self._name_behind(place + 1)
        before = self.at(place - 4) in AUXILIARIES - DO and self.at(place - 3) in WHICH  # "X is what kind of film"
        return self._is_sort(place) and (behind or before)

    def measures(self) -> list[tuple[int, int]]:
        """Return the places of words such as "number", each with that of what is counted: "number of employees".

        "How many" may count what any word behind it says: "how many people work at X".
        """
        found = []
        for place in sorted(self._content):
            if self.words[place] not in MEASURES:
                continue
            of = self._past_article(place + 2) if self.at(place + 1) == "of" else place - 1
            counted = [one for one in self._content if one > place] if self.at(place - 1) == "how" else [of]
            found += [(place, one) for one in counted if one in self._content and self.words[one] not in MEASURES]
        return found

    def sort_says_nothing(self, place: int) -> bool:
        """Tell whether a word such as "type" asks for what the word behind "of" does: "what type of school has X"."""
        of = place + 2
        alone = self.words[place] in SORTS and self._content == {place, of}
        return alone and self._is_sort(of) and self._in_label[of] and not self.says_what_it_is(of)

    def kinds(self) -> list[int]:
        """Return which words say what kind of answer is asked for: "which cities", "list films", "a dish with".

        In "what raises X" the word before the name is a verb.
        """
        first = int(self.at(0) in IMPERATIVES | ONE_OF)
        opens = [place for place in self._content if self.opens(place) and not self._is_relative(place - 1)]
        asked = sorted({*opens, *self._content.intersection({first})})  # no more is "software which uses X"
        asked = [place for place in asked if self.words[place] not in PREPOSITIONS]  # "against what is X strong"
        asked = [place for place in asked if not self.asks_for_kinds(place)]
        return [place for place in asked if self.at(place - 1) != "what" or place + 1 not in self._starts]

    def _is_relative(self, place: int) -> bool:
        """Tell whether "which" asks for no answer: "software which uses X", "the capital of which country is X in".

        Nor does it in "X lies in which country whose capital is …".
        """
        of_it = self.at(place - 1) == "of" and min(self.names, default=0) > place
        goes_on = self.at(place + 2) == "whose" and self.at(len(self.words) - 1) in AUXILIARIES
        return place - 1 in self._content or of_it or goes_on

    def asks_for_kinds(self, place: int) -> bool:
        """Tell whether a word asks for what is of the kind that is named: "what are the types of X"."""
        said = self.words[place] in SORTS and self.words[place].endswith("s") and self.at(place + 1) == "of"
        return said and self._name_behind(place + 1)

    def asks_earnings(self, place: int) -> bool:
        """Tell whether a word asks what something earned: the last of "how much did X make", "how much money did …"."""
        does = 2 + (self.at(2) == "money")
        much = self.words[:2] == ["how", "much"] and self.at(does) in DO and place == len(self.words) - 1
        return much and self.words[place] in EARNING and self._ends.get(self._past_article(does + 1)) == place

    def thing_done(self) -> list[int]:
        """Return the noun behind the verb of "who wrote the soundtrack for X"; none in other questions."""
        does = self.at(0) == "who" and self.at(1) in _MAKING and self.at(2) in ARTICLES and self.is_content(3)
        end = self._end_of_run(3) if does else 0
        return list(range(3, end + 1)) if does and self.at(end + 1) in PREPOSITIONS else []

    def part_of(self, place: int) -> list[int]:
        """Return where the "body" stands of "part of the body", which a type may call a body part; [] elsewhere."""
        of = self._past_article(place + 2)
        return [of] if self.at(place + 1) == "of" and of in self._content else []

    def does_to_named(self, place: int) -> bool:
        """Tell whether a word between "what" and a name is a verb: "what causes X"."""
        return self.at(place - 1) == "what" and self._name_behind(place)

    def begins_with_several(self) -> bool:
        """Tell whether several things stand at the beginning, of which something is said: "articles published in X"."""
        last = self._end_of_run(0)
        goes_on = self.at(last + 1) in PREPOSITIONS | RELATIVE or last + 1 in self._done
        return 0 in self._content and goes_on and self.words[last].endswith("s")

    def is_one_of_several(self, place: int) -> bool:
        """Tell whether there is more than one of what a word calls: "clubs", "which club"; not "what business"."""
        word = self.words[place]
        return self.at(self._begin_of_run(place) - 1) == "which" or (word.endswith("s") and not word.endswith("ss"))

    def kinds_of_named(self) -> list[int]:
        """Return which words may say so behind a name: "which Kurosawa films"."""
        return [
            end for end, start in self._begins.items() if start == 1 and end in self._content and self.at(0) in WHICH
        ]

    def between(self) -> list[int]:
        """Return which words call several things before a name: "the committees X is on", "the clubs that X"."""
        behind = {place for place in self._content if self._name_behind(place)}
        behind |= {place for place in self._content if self.at(place + 1) in RELATIVE}
        return [p for p in sorted(behind) if p > 0 and self.words[p].endswith("s") and not self._in_label[p]]

    def qualifies(self, place: int) -> bool:
        """Tell whether a word beside a name may say what it is the name of: "the river X", "the X river"."""
        first = self._begins.get(place, place + 1) - 1  # what stands before the name, or the word itself
        return place in self._content and self.at(first - (place + 1 in self._starts)) in ARTICLES

    def is_noun(self, place: int) -> bool:
        """Tell whether a word can be no verb: "films", "the film that", "list film"."""
        before, word = self.at(place - 1), self.words[place]
        behind = before in WHICH | ARTICLES | IMPERATIVES or place - 1 in self._deeds or place == 0
        return not word.endswith(("ed", "ing")) and (behind or word.endswith("s"))

    def is_kind(self, place: int, *, far: bool) -> bool:
        """Tell whether a word says what the answer is, or what stands between two steps, and asks for none.

        ``far``: the word is far from every edge type.
        """
        if self._says_of_what(place) or self._is_called(place):
            return True
        if (far or self.words[place] in ASKING) and self._is_subject_of_noun(
            place
        ):  # not "what sex is the father of X"
            return True
        before, after, in_label = self.at(place - 1), self.at(place + 1), self._in_label[place]
        goes_on = self._last_deed > place + 1 or (
            self._is_bare(place) and self._in_label[place + 2 : place + 3] == [True]
        )
        if after in RELATIVE and (not in_label or goes_on):  # "the company that developed X", "states that border X"
            return True
        if after.endswith("ing") and place + 2 in self._starts and self._in_label[place + 1]:  # "states bordering X"
            return True
        asked_for = after in DO and self._in_label[self._last()]  # "what firm did X work for"
        if self.opens(place) and (self.at(place - 2) == "of" or self._deed_follows(place) or asked_for):
            return True  # "X is the capital of which country", "which firm made X"
        if in_label:
            return False
        return (
            (before == "the" and self._name_behind(place))  # "the film X"
            or (place + 1 in self._done and self.at(place + 2) == "by")  # "films directed by X"
            or (place == 0 and self.begins_with_several() and 1 in self._deeds)  # "players born in X"
            or place - 1 in self._deeds  # "who wrote films"
            or (self.opens(place) and far)  # "which films"
            or self._is_sort(place)
        )

    def behind_name(self) -> list[int]:
        """Return the words behind a name that may say what it is the name of, the noun last: "the X benchmark dataset".

        Not so in "the X dataset owner is", where another is said to be it.
        """
        for end, start in sorted(self._begins.items()):
            last = self._end_of_run(end)
            ends_there = last + 1 == len(self.words) or self.at(last + 1) in PREPOSITIONS
            if self.at(start - 1) == "the" and end in self._content and ends_there:
                return list(range(end, last + 1))
        return []

    def _says_of_what(self, place: int) -> bool:
        """Tell whether a word says of what another is said: "the hockey team whose", "goods made by X".

        So does what qualifies it, and what stands before what is said of it: "which team coach is X".
        """
        head = self._end_of_run(place)
        qualifies = self.at(self._begin_of_run(place) - 1) in ARTICLES | WHICH | PREPOSITIONS | DETERMINERS
        if head != place and not qualifies:
            return False
        deed = head + 1 + (self.at(head + 1) in AUXILIARIES)
        if self.at(head + 1) == "whose" or (deed in self._deeds and self.at(deed + 1) == "by"):
            return True
        is_named = self.at(head + 1) in AUXILIARIES - DO and self._ends.get(head + 2) == len(self.words)
        return head != place and is_named and self.opens(self._begin_of_run(place))

    def _is_called(self, place: int) -> bool:
        """Tell whether what a word says is named behind it: "the location named X", "the product with name X"."""
        named = self.at(place + 1) in CALLED and place + 2 in self._starts
        return named or (self.at(place + 1) == "with" and self.at(place + 2) in NAMES and place + 3 in self._starts)

    def _is_subject_of_noun(self, place: int) -> bool:
        """Tell whether a noun says what the answer is to what is named: "which city is the capital of X"."""
        verb, first = self._end_of_run(place) + 1, self._begin_of_run(place)
        noun = verb + 2 in self._content and self.at(self._end_of_run(verb + 2) + 1) == "of"
        fronted = self.at(first - 2) in PREPOSITIONS  # "in which city is the office of X"
        said = noun and self.at(verb) in AUXILIARIES - DO and self.at(verb + 1) == "the"
        return (
            said
            and self.opens(first)
            and not fronted
            and not (place in self._content and self.words[place] in SORTS)
            and len(self.words) in self._begins
        )

    def _last(self) -> int:
        """Return the place of the last word that is no preposition."""
        return max((place for place, word in enumerate(self.words) if word not in PREPOSITIONS), default=-1)

    def _is_bare(self, place: int) -> bool:
        """Tell whether a word is a noun with at most stop words before it: not what the one before it does."""
        return place not in self._deeds and place - 1 not in self._content

    def _deed_follows(self, place: int) -> bool:
        return place + 1 + (self.at(place + 1) in AUXILIARIES) in self._deeds

    def names_what_follows(self, place: int) -> bool:
        """Tell whether a word is the name of what stands behind it, not of what is named: "names of suppliers in X"."""
        behind = self._past_article(place + 2)
        instance = self.at(place + 2) in ONE_OF and behind in self._starts
        return self.words[place] in NAMES and self.at(place + 1) == "of" and (behind in self._content or instance)
