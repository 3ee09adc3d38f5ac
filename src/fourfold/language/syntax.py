"""What the words of an English question do in it, as far as that decides whether they ask for an edge.

Nothing is parsed: each rule looks at a word and its neighbours. "Films" in "who wrote films directed by X" says what
stands between two steps and is none; the "director" of "whose director is X" stands at the other end of its edge.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from fourfold.language.amounts import is_one
from fourfold.language.deeds import TOGETHER, Deeds
from fourfold.language.lexicon import ASKING, AUXILIARIES, DO, MEN, QUESTION, SAY_NOTHING, WHICH, WOMEN, is_past
from fourfold.language.name_matching import Words
from fourfold.language.nouns import CALLED, DETERMINERS, IMPERATIVES, NAMES, SORTS
from fourfold.language.placed import ARTICLES, ONE_OF, PREPOSITIONS
from fourfold.language.unspaced import asks
from fourfold.lazy import lazy

CO, SAME = "co", "same"
_MIRRORS = frozenset({SAME, "share", "shares", "shared", "sharing", "common", "also", CO})
"""Words that lead back along the step before: the films with the same director, who co-wrote with X.

So does "together", behind it: "acted together with X".
"""
LEAD_BACK = _MIRRORS | {TOGETHER}

_POLITE = frozenset("please can could would will you kindly".split())
_COMMANDS = frozenset("list name show give tell find describe".split())
_BIDS = _COMMANDS | frozenset("return report display identify".split())
"""Words that bid to answer, the last of them only before "the", "me" or the like: not "what returns a list"."""

_ASKS = QUESTION | IMPERATIVES | _BIDS | PREPOSITIONS | {"how"}
"""Without any of these, and of what edges are called, words ask for nothing beside what they name."""
_MUCH = frozenset("many much long high tall deep wide big large old far often heavy fast common severe".split())
_BEHIND = 2
"""So many words at most say behind a name what is asked for: "X side effects"."""

_SIMPLE = 4
"""Words beside the names that a question for a kind of thing has at most."""

_ABOUT_ITSELF = frozenset(
    "explain describe define definition overview summary details information info know tell mean meaning please "
    "show".split()
)
"""Words that ask for what a question names, and for nothing beside it."""
FRAMES = _ABOUT_ITSELF | SORTS
FRAMES |= frozenset("contain contains say says cover covers happen happens happened anything something good".split())
"""Words that do, too, of what is said to be of a type."""

_OR, _EITHER = "or", "either"
_MORE = frozenset("first earlier later more less most least better".split())

_WHO = WHICH | {"who"}
_PEOPLE = frozenset({"people", "person"})
_HAVE = frozenset({"has", "have", "had"})
_ARE = frozenset({"are", "were"})
BE = _ARE | {"is", "was"}
_FIRST = frozenset({"first", "last", "top", "distinct"})

_EVENT = frozenset({"when", "where"})

DATES = frozenset({"date", "dates", "year", "years", "day", "birthday"})


def may_ask(words: Words) -> bool:
    """Tell whether words may ask for something beside what they name, whatever that is: if not, no sentence does."""
    return any(word.lower() in _ASKS or asks(word) for word, _ in words)


def behind_verb(label: Sequence[str], terms: Callable[[str], list[str]]) -> str | None:
    """Return the preposition behind the verb of a label, "": none; None for a noun: reports_to, acquired, colour."""
    verb, *rest = [word for word in label if word not in AUXILIARIES] or [""]
    if len(rest) == 1 and rest[0] in PREPOSITIONS:
        return rest[0]
    return "" if not rest and (is_past(verb, terms(verb)) or (verb.endswith("s") and not verb.endswith("ss"))) else None


class Sentence(Deeds):
    """The words of a question, see ``Placed``: whether it asks, and for what."""

    def beside(self) -> list[str]:
        """Return the words that are part of no name."""
        return [word for place, word in enumerate(self.words) if place not in self.names]

    @lazy
    def asks(self) -> bool:
        """Whether it is a question, or a phrase for what it asks for ("prerequisites of X"), not a name."""
        question = any(word in QUESTION for word in self.beside())
        commands = self._commands() and not self.about_itself()
        return question or commands or self._asks_how() or self._asks_of()

    def _commands(self) -> bool:
        """Tell whether it begins with a command, after "please" or "could you"."""
        frame = next((place for place, word in enumerate(self.words) if word not in _POLITE), 0)
        return self.at(0) in IMPERATIVES or (frame not in self.names and self.at(frame) in _COMMANDS) or self._bids()

    def _bids(self) -> bool:
        return self.at(0) in _BIDS and self.at(1) in DETERMINERS

    def only_frames(self, place: int) -> bool:
        """Tell whether a word only bids to answer, says who may or stands before a name: "which women", "named X"."""
        said = self.words[place]
        if not self._in_label[place] and (is_one(said) or (said in WOMEN | MEN and self.opens(place))):
            return True
        return (place == 0 and self._bids()) or (self.at(place) in CALLED and place + 1 in self._starts)

    def may_ask(self) -> bool:
        """Tell whether it asks, or is a name with a word behind it that may ask for something: "X director"."""
        behind = self._ends.get(0, len(self.words))
        return self.asks or 0 < len(self.words) - behind <= _BEHIND

    def about_itself(self, sorts: Collection[int] = ()) -> bool:
        """Tell whether it asks for what it names: "explain X", "what do you know about X".

        ``sorts`` are the places of words that say what that is: "what does the X dataset contain".
        """
        said = self._content.difference(sorts)
        if sorts and (self._first_asked not in WHICH | {""} or any(self._in_label[place] for place in said)):
            return False
        telling = FRAMES if sorts else _ABOUT_ITSELF
        return bool(self._content) and all(self.words[place] in telling for place in said)

    def sorts(self) -> list[int]:
        """Return which words may say what the one thing is that it names: "the river X", "the X river"."""
        places = {*self._begins, *(start - 1 for start in self._starts)} if len(self._starts) == 1 else set()
        alone = {0} if self._begins.get(len(self.words)) == 1 else set()  # "motion M/24"
        the = any(self.at(start) in ARTICLES for start in self._starts)  # "the X episode", of one called The X
        places = {place for place in places & self._content if the or self.qualifies(place) or place in alone}
        return [place for place in sorted(places) if not self.opens(place)]

    def _asks_how(self) -> bool:
        return self.at(0) == "how" and self.at(1) in AUXILIARIES | _MUCH

    def _asks_of(self) -> bool:
        """Tell whether it is a phrase for what it asks: "films with X", "the boss of X's boss", "texts by X or Y"."""
        end = len(self.words)
        start = self._begins.get(end, self._begins.get(end - 1, 0) if end - 1 in self._content else 0)
        before = self._before(start)
        ends = len(self._starts) == 1 and self.at(before) in PREPOSITIONS and before - 1 in self._content
        return ends or (bool(self._starts) and self.begins_with_several())

    def asks_beside(self) -> bool:
        """Tell whether it is a question that asks for something by words beside the names.

        So does any run of characters in a script without word boundaries that says more than a name.
        """
        beside = self.beside()
        says = bool(self._content) or not ASKING.keys().isdisjoint(beside)
        return any(map(asks, beside)) or (self.asks and (says or len(self._starts) > 1 or self.instances() >= 0))

    def instances(self) -> int:
        """Return the place before a name that is asked for by its instances, "who is a carpenter"; -1 where none is.

        So does "the name of a carpenter", and "who has diabetes" for those that have it.
        """
        if self.at(0) in _WHO and self.at(1) in _HAVE and self._ends.get(self._past_article(2)) == len(self.words):
            return 1
        places = (start - 1 for start in sorted(self._starts) if self.at(start - 1) in ONE_OF)
        asked = self.at(0) in IMPERATIVES or self.at(0) == "who"
        return next((place for place in places if asked or self._is_named(place + 1)), -1)

    def mirrors(self, place: int) -> bool:
        """Tell whether a word, if no label holds it, leads back along the step before."""
        word = self.words[place]
        if self.at(place - 1) in {"most", "how"} or self._says_shared:  # "the most common language of X"
            return False
        return (word in _MIRRORS and not self._labels[place]) or (word == TOGETHER and place not in self.names)

    @lazy
    def _says_shared(self) -> bool:
        """Whether a label says of two that they share something: "shares a common border", by shares_border_with."""
        return any(held and word in _MIRRORS for held, word in zip(self._labels, self.words, strict=True))

    def tells(self, place: int) -> bool:
        """Tell whether a word of its own says more than what the answer or the named node is, or that one is asked for.

        In "which films", "what kind of film", "name the film" and at the end in "the film X" the film does not.
        """
        if place not in self._content or self.words[place] in _COMMANDS:
            return False
        at_end = self._ends.get(self._past_article(place + 1)) == len(self.words)
        apposed = self.at(place - 1) in ARTICLES and at_end
        return not (self.opens(place) or self._is_sort(place) or apposed)

    def asks_how_much(self, place: int) -> bool:
        """Tell whether "how" asks for no manner: "how many"."""
        return self.words[place] == "how" and self.at(place + 1) in _MUCH

    def asks_amount(self) -> str:
        """Return the word behind "how" that asks for an amount: many, of "how many people"; "": it asks for none."""
        return self.at(1) if self.at(0) == "how" and self.at(1) in _MUCH and 1 not in self.names else ""

    def asks_price(self, place: int) -> bool:
        """Tell whether "much" asks for a price, as nothing else is said: "how much is X"."""
        end = self._ends.get(self._past_article(3), -1)
        return place == 1 and self.words[:2] == ["how", "much"] and self.at(2) in BE and end == len(self.words)

    def asks_where_it_is(self) -> bool:
        """Tell whether it asks for where something is, and nothing else: "where is the X"."""
        return not self._content and BE.union(DETERMINERS, {"where"}).issuperset(self.beside())

    def asks_whence(self, place: int) -> bool:
        """Tell whether "from" asks for what has its origin in what is named behind it: "who comes from X"."""
        return self.asks and self._name_behind(place) and place > 0

    def said(self) -> frozenset[str]:
        """Return the words that belong to no name, those of several things also as those of one: rivers, river."""
        free = self.beside()
        return frozenset([*free, *(word.removesuffix("s") for word in free)])

    def asks_the(self) -> bool:
        """Tell whether it asks for one thing of what it names, of no kind: "what is the fee of X in Y"."""
        the = 1 + (self.at(0) == "what" and self.at(1) in AUXILIARIES - DO)
        asks = self.at(the) == "the" and (the > 1 or self._bids()) and not self.kinds()
        return asks and the + 1 in self._content and self.at(self._end_of_run(the + 1) + 1) in {"of", "for"}

    def verifies(self) -> bool:
        """Tell whether it asks if something holds of several things: "is X the capital of Y", "is X male or female"."""
        return self.at(0) in AUXILIARIES and len(self._starts) > 1 and QUESTION.isdisjoint(self.beside())

    def choice(self) -> list[int]:
        """Return the words of which one is said of what is named, and no other word: good and evil, of "is X good or".

        None in other questions.
        """
        places = sorted(self._content)
        one_name = self.at(0) in AUXILIARIES and len(self._starts) == 1 and len(places) == 2  # noqa: PLR2004
        either = one_name and self.at(self._before(places[1])) == _OR and self._before(places[1]) == places[0] + 1
        return places if either else []

    def compares(self) -> bool:
        """Tell whether it asks which of two it names is more of something: "which is older, X or Y"."""
        words = [(self.at(place - 1), word) for place, word in enumerate(self.words) if place not in self.names]
        more = any(
            word in _MORE or (before in AUXILIARIES and word.endswith("er") and word != _EITHER)
            for before, word in words
        )
        return more and len(self.alternatives()) == len(self._starts) == 2 and self.at(0) in QUESTION

    def alternatives(self) -> list[int]:
        """Return the places where the names begin that stand beside "or"."""
        ors = [place for place, word in enumerate(self.words) if word == _OR and place not in self.names]
        before = [self._begins.get(place, -1) for place in ors]
        behind = [self._past_article(place + 1) for place in ors]
        return sorted({*before, *behind} & self._starts)

    def joins(self) -> bool:
        """Tell whether all that it names is meant together: not one or the other, nor whether one has to do with it."""
        return "or" not in self.words and self.at(0) not in AUXILIARIES

    def asked_for_by_verb(self) -> tuple[list[int], int]:
        """Return the places of what is asked for, and of what the named node does: "what team does X play for".

        None, and −1, in other questions, and where more is named or said.
        """
        first = next((place for place in sorted(self._content) if self.opens(place)), -1)
        first += 2 * self._is_sort(first + 2)  # "what kind of language does X speak"
        behind = next((place for place in range(first, len(self.words)) if place not in self._content), -1)
        start = self._past_article(behind + (self.at(behind) in DO))
        end = self._ends.get(start, -1)
        if min(first, behind, end) < 0 or len(self._starts) != 1 or self.at(first - 2) in PREPOSITIONS:
            return [], -1
        asked_for = list(range(first, behind))
        rest = [place for place in sorted(self._content) if place >= end and not self.at(place).isdigit()]
        if len(rest) != 1 or self.at(rest[0] + 1) in DO or any(self.words[p].endswith("ed") for p in asked_for):
            return [], -1  # "what religion does X's father have", "what killed X's father"
        return asked_for, rest[0]

    def asks_when(self) -> bool:
        """Tell whether it asks for a date: "when was X built", "what year", "release date of X"."""
        if self._first_asked in WHICH and any(self.opens(place) for place in self._content):
            return any(self.opens(place) and self.words[place] in DATES for place in self._content)
        return self._first_asked == "when" or (self._first_asked in WHICH | {""} and self._asks_date())

    def _asks_date(self) -> bool:
        end = next((place for place, word in enumerate(self.words) if word in PREPOSITIONS), len(self.words))
        return self.at(end) in {"of", ""} and self.at(end - 1) in DATES and end - 1 not in self.names

    def where(self) -> list[int]:
        """Return where "where" stands, if it asks where something is done: not in "where is the country that …"."""
        places = [place for place, word in enumerate(self.words) if word == "where" and place not in self.names]
        return [place for place in places if not self._is_where_it_is(place)]

    def _is_where_it_is(self, place: int) -> bool:
        """Tell whether "where" asks where something is that the words behind it describe: "where is the capital of"."""
        article = place + 1 + (self.at(place + 1) in BE)  # nothing is left of "is" in "where's the"
        return self.at(article) in ARTICLES and article + 1 not in self.names

    def asks_when_of_name(self) -> bool:
        """Tell whether it asks when something happened to what it names: "when was X first performed"."""
        return self.at(0) == "when" and self.at(1) in AUXILIARIES and self._name_behind(1)

    def asks_no_date(self) -> bool:
        """Tell whether it asks for somebody or for a place: "who", "where"."""
        return not {self.at(0), self.at(1)}.isdisjoint(QUESTION - WHICH - {"when"})

    @property
    def _first_asked(self) -> str:
        return next((word for word in self.beside() if word in QUESTION), "")

    def sought(self) -> list[int]:
        """Return which words may say what is asked for: "what are the major cities in", "give me the rivers of".

        Those are the first two in a row that are neither stop words nor a command nor belong to a name. "Where", "who"
        and the like ask for something else; so does what stands behind a preposition, and a question of many words.
        """
        free = self._telling()
        return self.heads() if 0 < len(free) <= _SIMPLE else []

    def _telling(self) -> list[int]:
        """Return the words that are neither stop words nor a command nor a participle nor belong to a name."""
        none = _COMMANDS | SAY_NOTHING | NAMES
        said = [p for p in sorted(self._content) if not self.words[p].endswith("ed")]
        said = [p for p in said if self.words[p] not in none or (self.words[p] in _PEOPLE and self.opens(p))]
        said = said[self._bids() and said[:1] == [0] :]
        said = [p for p in said if not self._only_counts(p)]
        return [p for p in said if self.at(p + 1) not in NAMES or self.at(p + 2) != "of"]  # "company names of"

    def _only_counts(self, place: int) -> bool:
        """Tell whether a word says how many, or which of several: "the first 3 products", "the last names of"."""
        counts = self.at(place).isdigit() or self.at(place) in _FIRST
        return counts and place + 1 in self._content

    def heads(self) -> list[int]:
        """Return the same as ``sought``, of a question of whatever length."""
        free = self._telling()
        if not free or not self.asks or (self.at(0) == "how" and self.at(1) in AUXILIARIES):
            return []  # "how is the disease caused by X transmitted"
        if any(word in QUESTION - WHICH for word in self.words[: free[0]]) and not self._who_are(free[0]):
            return []
        before = self._before(free[0])
        other = self.at(before) in PREPOSITIONS and not self._is_named(free[0])
        return [] if other else [place for place in free[:2] if place - free[0] < 2]

    def of_type(self) -> list[int]:
        """Return which words call the type of what is asked for, the noun last: "which car makers", "list suppliers".

        What stands beside a name says what that is: "describe the section X", "the names of the X section".
        """
        first = next(iter(self.heads()), -1)
        if first < 0 or first in self._begins or not self.asks_for(first) or self.asks_for_kinds(first):
            return []
        run = list(range(first, self._end_of_run(first) + 1))
        several = [place for place in run if self.words[place].endswith("s") and self.at(place - 1) not in NAMES]
        noun = first if self.is_subject(first) else next(iter(several), run[-1])
        return [] if self._name_behind(noun) else list(range(first, noun + 1))

    def _who_are(self, place: int) -> bool:
        """Tell whether a word calls what is asked for: "who are the customers", "what are the first 3 products"."""
        while self._only_counts(place - 1):
            place -= 1
        who = self.at(0) == "who" and self.at(1) in AUXILIARIES - DO
        return (who or (self.at(0) in WHICH and self.at(1) in _ARE)) and self._before(place) == 1

    def asks_for(self, place: int) -> bool:
        """Tell whether it asks for what a word calls: "which suppliers", "list suppliers", "the names of suppliers"."""
        phrase = place < 2 and self.begins_with_several()  # "recipes with X"
        return phrase or self.opens(place) or self._commands() or self._is_named(place) or self._who_are(place)

    def _is_named(self, place: int) -> bool:
        while self._only_counts(place - 1):
            place -= 1
        before = self._before(place)
        return self.at(before) == "of" and self.at(before - 1) in NAMES

    def is_subject(self, place: int) -> bool:
        """Tell whether a word behind "which" does something to the named node: "which firm makes X"."""
        verb = place + 1 in self._content and self.at(place + 1) not in AUXILIARIES
        end = self._end_of_run(place + 1)  # "which states share borders with X"
        ends = {place + 1, end} if self.at(end + 1) in PREPOSITIONS else {place + 1}
        behind = {self._past_article(one + 1 + (self.at(one + 1) in PREPOSITIONS)) for one in ends}
        return self.opens(place) and verb and not behind.isdisjoint(self._starts)

    def stands_at(self) -> bool:
        """Tell whether what is asked for is where something is, or what it is in: "on which shelf", "which X … in"."""
        fronted = any(self.opens(place) and self.at(place - 2) in PREPOSITIONS for place in self._content)
        return fronted or self.at(len(self.words) - 1) in PREPOSITIONS

    def event(self, place: int) -> int:
        """Return where stands what happened to a named node, of "when" or "where": "when was X published"; or -1."""
        deed = self._past_article(place + 2) + 1
        if self.at(place + 1) in DO and {deed - 1, deed} <= self._content and self.at(deed + 1) in PREPOSITIONS:
            ends = self._ends.get(self._past_article(deed + 2)) == len(self.words)
            return deed if ends else -1  # "where do guests stay on X"
        found = self._ends.get(place + 2 + (self.at(place + 2) == "the"), -1)
        found += 2 * (self.at(found) == "go" and self.at(found + 1) == "to")  # "where did X go to school"
        return found if self.at(place + 1) in AUXILIARIES and found == len(self.words) - 1 else -1

    def events(self, *asking: str) -> frozenset[int]:
        """Return where what happened stands, of every word that asks where or when it did: of both, if left out."""
        places = [p for p, word in enumerate(self.words) if word in (asking or _EVENT) and p not in self.names]
        return frozenset(map(self.event, places)) - {-1}
