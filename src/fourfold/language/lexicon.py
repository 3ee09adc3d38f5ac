"""What English calls the same: words that ask for a kind of answer, words of every life, families of words.

Nothing of a field is listed: what its words mean is for its edge types' labels and the static embedding to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from types import MappingProxyType

from fourfold.word_breaks import LONGEST_WORD

WHICH = frozenset({"what", "which"})
QUESTION = WHICH | {"who", "whom", "whose", "where", "when"}
RELATIVE = frozenset({"that", "which", "who", "whose", "where"})
DO = frozenset({"do", "does", "did", "has", "have", "had"})
AUXILIARIES = DO | {"am", "is", "are", "was", "were"}

_PLACES = "place location country city origin headquarters contain"
_KINDS = "kind genre type category class instance"
ASKING: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("where", "city", "town"), _PLACES),
        **dict.fromkeys(("country", "nation"), "country nationality location contain"),
        "state": "state location contain",
        "when": "date year time schedule scheduled inception birthday until expires expiry",
        "whose": "owner",
        **dict.fromkeys(("kind", "sort", "type"), _KINDS),
    }
)
"""Words that ask for a kind of answer by themselves, and the words that labels use for it."""

LESS: Mapping[str, str] = MappingProxyType({"where": "country nationality continent"})
"""Words that labels use for it, too, but rather for something else: where somebody comes from is no country first."""

EXACTLY: Mapping[str, str] = MappingProxyType(
    {
        "about": "subject topic theme tag",
        "how": "cause manner",
        "why": "cause reason",
        "before": "previous former",
        "do": "occupation profession job",
        "from": "origin home hometown homeland homeworld nationality citizenship birthplace",
    }
)
"""Likewise, where a label has the very word: much else is merely close to these."""

SOMEWHERE = (
    "live lie reside stay base work station situated stored kept held placed housed found installed hosted deployed "
    "parked docked moored buried displayed exhibited stand hang sit office desk seat shelf floor"
)
"""Words of labels for where somebody or something is now, which "place" and "location" are not near to."""

_SCHOOLS = "education school university college alma institution"
SAME: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("father", "mother", "parent"), "parent father mother"),
        **dict.fromkeys(("son", "daughter", "kid", "child", "children"), "child children son daughter"),
        **dict.fromkeys(("husband", "wife", "marry"), "spouse husband wife partner"),
        **dict.fromkeys(("sibling", "brother", "sister"), "sibling brother sister"),
        **dict.fromkeys(("sex", "gender"), "gender sex"),
        **dict.fromkeys(("study", "attend", "graduate"), _SCHOOLS),
        **dict.fromkeys(("job", "occupation", "profession"), "profession occupation job"),
    }
)
"""Words of every life, and the words that labels use for the same."""

HAUNTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("study", "school", "college", "university"), _SCHOOLS),
        "play": "stadium ground arena venue",
        "work": "employer employed workplace affiliation affiliated",
        **dict.fromkeys(("live", "reside"), "residence home hometown"),
        **dict.fromkeys(("made", "make", "shot", "filmed"), "location locations origin manufacture manufactured"),
    }
)
"""What somebody does somewhere, and the words that labels use for where that is."""

ORIGINS = "origin birth birthplace hometown home"
"""What labels call where somebody is from."""

TOWNS = frozenset({"city", "town"})
"""Words for what many a place is anyway: the capital city, the home town."""

PHRASES: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        ("part", "of", "the", "world"): "continent",
        ("administrative", "center"): "capital",
        ("administrative", "centre"): "capital",
        ("head", "office"): "headquarters",
        ("pen", "name"): "pseudonym",
        ("mother", "tongue"): "native",
        ("set", "up"): "founded",
        **dict.fromkeys((("come", "out"), ("came", "out"), ("comes", "out")), "released"),
        **dict.fromkeys((("direct", "reports"), ("direct", "report")), "subordinate"),
        **dict.fromkeys((("works", "under"), ("work", "under"), ("worked", "under")), "subordinate"),
        **dict.fromkeys((("people", "fit", "into"), ("people", "fit", "in")), "capacity"),
        ("source", "code"): "repository",
        ("passed", "on"): "transmitted",
        **dict.fromkeys((("mum",), ("mom",)), "mother"),
        ("dad",): "father",
        ("hq",): "headquarters",
        **dict.fromkeys((("come", "up", "with"), ("came", "up", "with")), "creator"),
        **dict.fromkeys((("made", "of"), ("made", "from"), ("built", "of"), ("built", "from")), "material"),
    }
)
"""What is said in several words, or another, and the one that labels use for it."""

PLACED = frozenset({"located", "situated", "based", "found"})
"""Words that say no more than "where" does."""

INVERSE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("father", "mother", "parent"), "child children son daughter"),
        **dict.fromkeys(("son", "daughter", "kid", "child", "children"), "parent father mother"),
    }
)
"""Words of every life, and the words that labels use for the same edge the other way."""

SAY_NOTHING = frozenset(
    "name list give tell find show someone somebody person people one now today currently recently"
    " main dominant primary principal major common local".split()
)
"""Words that ask for no edge unless a label holds them."""

WOMEN, MEN = frozenset("woman women girl girls lady ladies".split()), frozenset("man men boy boys".split())
"""Words that call people by their sex."""

MEASURES = frozenset("number count total amount quantity many date year".split())
"""Words that say of another what is asked of it, and of themselves next to nothing: the number of employees."""

_IRREGULAR = tuple(
    tuple(forms.split() for forms in row.split("|"))
    for row in (
        "write | wrote written | writer writing",
        "win | won | winner",
        "make | made | maker",
        "lead | led | leader",
        "buy | bought | buyer",
        "sell | sold | seller",
        "teach | taught | teacher",
        "speak | spoke spoken | speaker",
        "sing | sang sung | singer",
        "draw | drew drawn | drawer",
        "build | built | builder",
        "hold | held | holder",
        "run | ran | runner",
        "begin | began begun | beginning",
        "choose | chose chosen |",
        "die | | dead death",
        "bear | born | birth",
        "marry | married | marriage",
        "succeed | | successor succession",
        "precede | | predecessor",
        "fly | flew flown |",
        "fight | fought | fighter",
    )
)
"""Forms of one word that stemming does not join: an irregular verb, its past and participle, its nouns."""

_FORMS: Mapping[str, Sequence[str]] = {verb: (verb, *past, *nouns) for [verb], past, nouns in _IRREGULAR}
_PAST = frozenset(form for _, past, _ in _IRREGULAR for form in past)

AGENTS = ("or", "er")
"""Endings of stems that make the doer of a deed: director, player."""

_PERSON = ("person", "woman", "man")
"""Endings that make of a word somebody who is it or does it."""

_SHORTEST_DEED = {"or": 3, "er": 4}
"""Letters that what somebody does has at least before such an ending, where a label names the doer: actor, player."""

_DOER = 5
"""Letters that such a stem has at least: a deer is no doer of "de"."""

_SHORTEST, _CUT = 3, 3
"""Letters that an abbreviation has at least, and that it is shorter by."""

_VOWELS = "aeiou"

_SPELT = 4
"""Letters that a word must have of which one may be wrong."""

_SUFFIX, _PREFIX, _WHOLE, _MORE = 5, 5, 6, 3
"""Letters that a part of a compound must have: at its end, at its beginning, and where it is the question's word.

The last: those that stand behind a beginning, or before a question's word at the end, as fewer may be an ending.
"""


_CALENDAR = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug"
    " sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday year century ad bc ce bce c ca"
    " circa early mid late am pm utc gmt h of the".split()
)
"""Words that dates are made of."""


def is_date(words: Sequence[str]) -> bool:
    """Tell whether words in lower case are numbers and words of the calendar: a date, a year, a time, or a number."""
    numbers = [word[:1].isdigit() for word in words]
    return any(numbers) and all(own or word in _CALENDAR for own, word in zip(numbers, words, strict=True))


def is_amount(words: Sequence[str], *, counted: bool) -> bool:
    """Tell whether words in lower case are an amount: "37 608", "4 207 km"; one that is counted has no unit."""
    numbers = [word[:1].isdigit() for word in words]
    return numbers[:1] == [True] and (all(numbers) or not counted)


def is_past(word: str, terms: Collection[str]) -> bool:
    """Tell whether a word, with its terms, is a verb of the past or a participle: directed and wrote, but not breed."""
    return word in _PAST or (word.endswith("ed") and word not in terms)


def deed(stem: str) -> str:
    """Return what somebody does that a stem of a label names: "direct" of director; "" where it names nobody."""
    shortest = _SHORTEST_DEED.get(stem[-2:], len(stem))
    return stem[:-2] if len(stem) - 2 >= shortest else ""


def is_doer(stem: str) -> bool:
    """Tell whether a stem may name somebody who does something: supplier."""
    return stem.endswith(AGENTS) and len(stem) >= _DOER


def are_doers(word: str, stem: str) -> bool:
    """Tell whether a word names those who do what its stem says: dependents, managers, with the stem of "manages"."""
    return word.lower().removesuffix("s") in (f"{stem}ent", f"{stem}ant", f"{stem}er")


class Families:
    """Families of stems, by one tokenizer."""

    def __init__(self, terms: Callable[[str], list[str]]) -> None:
        self._known = {stem: first for first, forms in _FORMS.items() for form in forms for stem in terms(form)}

    def of(self, stem: str) -> str:
        """Return what all words of a family have in common: that of irregular forms, or a stem without "-er".

        So have those that say of somebody what he is: chair, chairman and chairperson.
        """
        if stem in self._known:
            return self._known[stem]
        person = next((ending for ending in _PERSON if stem.endswith(ending)), "")
        if person and len(stem) - len(person) >= _PREFIX:
            return stem.removesuffix(person)
        return stem[:-2] if is_doer(stem) else stem

    def forms(self, stems: frozenset[str]) -> frozenset[str]:
        """Return the stems, and all forms of the irregular ones."""
        return stems.union(*(_FORMS.get(self._known.get(stem, ""), ()) for stem in stems))


class Parts:
    """The words of labels, found by the words of questions that they are part of, or that they hold."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=0)
        self._holding: dict[str, set[str]] = defaultdict(set)
        for word in self._words:
            for cut in _ends(word, _SUFFIX, _MORE) | _beginnings(word, _WHOLE, 0):
                self._holding[cut].add(word)

    def of(self, word: str) -> Set[str]:
        """Return the words of labels that are part of one of the question, or hold it: screenwriter, clublocation."""
        cuts = _ends(word, _SUFFIX, 0, self._longest) | _beginnings(word, _PREFIX, _MORE, self._longest)
        return (self._words & cuts) | self._holding.get(word, frozenset())


def _ends(word: str, least: int, left: int, most: int = LONGEST_WORD) -> set[str]:
    """Return the ends of a word that have from ``least`` to ``most`` letters, with ``left`` others before them."""
    return {word[start:] for start in range(max(left, len(word) - most), len(word) - least + 1)}


def _beginnings(word: str, least: int, left: int, most: int = LONGEST_WORD) -> set[str]:
    """Return the beginnings of a word that have from ``least`` to ``most`` letters, with ``left`` behind them."""
    return {word[:end] for end in range(least, min(most, len(word) - left) + 1)}


def abbreviated(part: str, word: str, *, is_word: bool) -> bool:
    """Tell whether a word of a label is a word of the question cut short: dept and department, lect and lecturer.

    It is shorter by three letters at least. Either it is the beginning of the word, and no word itself; or it begins
    and ends as the word does, with the letters between in their order and one vowel at most. Of one that is a word all
    but the last letter begin the other: "best" is no Belfast, nor "set" a street.

    ``is_word``: the part is a word itself.
    """
    if not _SHORTEST <= len(part) <= len(word) - _CUT or part[0] != word[0]:
        return False
    if word.startswith(part):
        return not is_word
    if is_word and (len(part) == _SHORTEST or not word.startswith(part[:-1])):
        return False
    letters = iter(word)
    short = part[-1] == word[-1] and sum(letter in _VOWELS for letter in part) <= 1
    return short and all(letter in letters for letter in part)


def misspelt(word: str, meant: str) -> bool:
    """Tell whether one letter too many, too few, another, or two that changed places make one word of the other."""
    if min(len(word), len(meant)) < _SPELT or abs(len(word) - len(meant)) > 1 or word[0] != meant[0] or word == meant:
        return False
    same = next((at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other), len(meant))
    if len(word) > len(meant):
        return word[same + 1 :] == meant[same:]
    if len(word) < len(meant):
        return word[same:] == meant[same + 1 :]
    swapped = word[same : same + 2] == meant[same : same + 2][::-1] and word[same + 2 :] == meant[same + 2 :]
    return swapped or word[same + 1 :] == meant[same + 1 :]
