"""Words by which somebody who asks speaks of himself: "what am I allergic to", "my manager".

An assistant's memory has a node for its user; what is asked in the first person is asked of it.
"""

from __future__ import annotations

from collections.abc import Collection

from fourfold.language.name_matching import Named, Words, lowered

OWN = "my"
_FIRST_PERSON = frozenset({"i", OWN, "mine", "myself", "me"})
_USER = frozenset({"user", "user's"})
_BIDS = frozenset("show give tell find get let help remind send bring list name teach for".split())

USERS = ("user", "User", "USER")
"""Types of the node that stands for who asks, and its names …"""

CALLED = (*USERS, "the user", "The User", "me", "Me", "I", "myself")
PERSONS = tuple(
    form for kind in ("person", "human", "entity", "speaker") for form in (kind, kind.title(), kind.upper())
)
"""… where it is of one of these types."""


def first_person(words: Words, taken: Collection[int]) -> int:
    """Return where a question first speaks of who asks, outside the names at the places ``taken``; -1: nowhere.

    So it does by "the user", but not in "show me", nor by a numeral: "Elizabeth I"; and what is "my passport" is the
    passport, where that is named.
    """
    plain = lowered(words)
    for place, word in enumerate(plain):
        before = words[place - 1][0] if place else ""
        numeral = word == "i" and place > 0 and before[:1].isupper() and (place > 1 or place + 1 == len(plain))
        bids = word == "me" and plain[place - 1 : place] and plain[place - 1] in _BIDS
        said = word in _FIRST_PERSON or (word in _USER and before.lower() == "the")
        owned = word == OWN and place + 1 in taken
        if said and not owned and place not in taken and not numeral and not bids:
            return place
    return -1


def is_user(words: Words, one: Named) -> bool:
    """Tell whether a word of a question stands for the user of an assistant: "I", or the last of "the user"."""
    return one.end == one.start + 1 and words[one.start][0].lower() in _FIRST_PERSON | _USER


def is_who_asks(words: Words, one: Named) -> bool:
    """Tell whether a word of a question that names something is one by which who asks speaks of himself."""
    return one.end == one.start + 1 and words[one.start][0].lower() in _FIRST_PERSON
