"""Questions for a story: why, how, or what happened, which a text tells and no name of anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fourfold.language.lexicon import DO
from fourfold.language.name_matching import Words, content_beside, lowered
from fourfold.language.syntax import FRAMES

_OF_REASONS = frozenset("why reason reasons cause causes because purpose motive".split())
_HAPPEN = frozenset("happen happens happened happening wrong".split())
_CAUSE = frozenset({"caused", "causes"})
_PAST = frozenset({"did", "was", "were"})
_FAR = 2
"""So far behind "what" stands "did" at most, one noun between them."""
_TELL = frozenset("tell me us explain describe know".split())


def may_ask_for_story(plain: Sequence[str]) -> bool:
    """Tell whether words, in lower case, may ask for a story, whatever they name: told before names are read."""
    happened = asks_what_happened(plain, ()) or asks_for_cause(plain)
    return _asks_what_did(plain) or happened or asks_why(plain) or plain[:1] == ["when"]


def asks_why(plain: Sequence[str]) -> bool:
    """Tell whether words, in lower case, ask for a reason: "why did X leave", "how come X left"."""
    first = _first(plain)
    return plain[first : first + 1] == ["why"] or plain[first : first + 2] == ["how", "come"]


def asks_what_happened(plain: Sequence[str], names: Collection[int]) -> bool:
    """Tell whether words ask what happened, or how: "what went wrong with X", "how was X found"."""
    first = _first(plain)
    word, verb = [*plain[first : first + 2], "", ""][:2]
    if word == "how":
        return verb in _PAST and first + 1 not in names
    return word == "what" and any(said in _HAPPEN for place, said in enumerate(plain) if place not in names)


def asks_for_cause(plain: Sequence[str]) -> bool:
    """Tell whether words ask what caused something, which an edge may tell, too: "what caused the fire"."""
    first = _first(plain)
    return plain[first : first + 1] == ["what"] and not _CAUSE.isdisjoint(plain[first + 1 : first + 2])


def asks_for_deed(words: Words, names: Collection[int]) -> bool:
    """Tell whether words ask what somebody did: "what did X decide", "what side did X take", not "what does X do"."""
    plain = lowered(words)
    return (
        bool(names)
        and _asks_what_did(plain)
        and any(plain[place] not in FRAMES for place in content_beside(words, names))
    )


def tells_reason(label: Sequence[str]) -> bool:
    """Tell whether an edge of this label leads to a reason: "caused by", "delay_reason"."""
    return any(word in _OF_REASONS or word.startswith("caus") for word in label)


def _asks_what_did(plain: Sequence[str]) -> bool:
    """Tell whether words begin with "what did" or "what side did"."""
    return plain[:1] == ["what"] and not DO.isdisjoint(plain[1 : _FAR + 1])


def _first(plain: Sequence[str]) -> int:
    """Return where a question begins behind "tell me"."""
    return next((place for place, word in enumerate(plain) if word not in _TELL), 0)
