"""Which way a question about effects looks: what depends on a node, what the node depends on, or whether one does.

"What depends on A", "which parts of B break if A fails" and "does B depend on A" are about A; "what does B depend on"
is about B, and looks the other way, as "the dependencies of B" and "what does B need" do. What a question denies
("what does not depend on A") is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourfold.questions.intents import READ

_RELIES = re.compile(
    r"\b(?:depend(?:s|ed|ing|ent)?|rel(?:y|ies|ied|ying)|reliant|hing(?:e|es|ing)|builds?)(?: \w+)? (?:up)?on\b"
    r"(?P<by> by\b)?",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"(?P<reverse>\breverse )?\b(?:dependenc(?:y|ies)|prerequisites?)(?P<of> (?:of|for|does|do)\b)?", re.IGNORECASE
)
_NEEDS = re.compile(r"^what (?:does|do|did) ", re.IGNORECASE)
_MANNER = frozenset(("directly", "indirectly", "transitively", "exactly", "most", "mostly", "mainly"))
_ASKING = _MANNER.union(
    ("please", "tell", "me", "us", "list", "show", "find", "all", "and", "so", "what", "who", "whatever", "which"),
    ("anything", "everything", "something", "things", "nodes", "that", "else", "also"),
    ("would", "will", "could", "does", "do", "is", "are", "not", "don't", "doesn't", "isn't", "aren't"),
)
"""Words before the verb of "what depends on" that name nobody who depends."""

_IF = re.compile(r"\b(?:if|when|once)\b", re.IGNORECASE)
_THEN = re.compile(r",? (?:what|which|who|how|then|will|would|does|do|is|are|can|could) ", re.IGNORECASE)
_WHETHER = re.compile(
    r"^(?:then )?(?:do|does|did|is|are|was|will|would|wo|can|could|ca)(?:n't)?(?: not)? ", re.IGNORECASE
)
_BEFALLS = re.compile(
    r"\b(?:be |get )?(?:affected|impacted|disrupted|touched|broken|break|fail|suffer|stop|crash|go|work|run)\b.*$",
    re.IGNORECASE,
)
_HAPPENS_TO = re.compile(r"^what (?:will |would |could |might )?happens? (?:to|with) ", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:n't|\bnot|\bnever|\bno longer) (?:be |get |\w+ly )?"
    r"(?:depend|rel(?:y|ies|iant)|hinge|affected|impacted|disrupted|touched|break|fail|suffer|stop)"
    r"|\bun(?:affected|impacted|touched)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a question about effects asks.

    ``about`` are the words that name the node whose effects are asked for, None where that may be any; ``forwards`` if
    it asks what that node depends on; ``other`` are the words that name what may depend on it, in a question that yes
    or no answers; ``denied`` if it asks for what is not so.
    """

    about: str | None = None
    forwards: bool = False
    other: str | None = None
    denied: bool = False


def effect_of(question: str) -> Effect:
    """Return what a question about effects asks, by the words of its sentence."""
    text = " ".join(question[:READ].replace("’", "'").split()).rstrip("?.! ")
    if relies := _RELIES.search(text):
        before, after = text[: relies.start()], _without_manner(text[relies.end() :])
        denied = _DENIED.search(text[: relies.end()]) is not None
        if relies["by"]:
            return Effect(after or None, forwards=True, denied=denied)
        if after:
            return Effect(after, other=_doer(before), denied=denied)
        return Effect(forwards=_names_somebody(before), denied=denied)
    if (needed := _needed(text)) is not None:
        return needed
    condition = _IF.search(text)
    if condition is None or not text[condition.end() :].strip():
        return Effect(denied=_DENIED.search(text) is not None)
    before, about, rest = text[: condition.start()], text[condition.start() :], ""
    if parted := _THEN.search(about, len(condition[0]) + 1):
        about, rest = about[: parted.start()], about[parted.start() :].lstrip(", ")
    happens = _HAPPENS_TO.match(before)
    befallen = [part for part in (before, rest) if _BEFALLS.search(part)]
    other = before[happens.end() :].strip() if happens else next(filter(None, map(_doer, befallen)), None)
    return Effect(about, other=other, denied=any(_DENIED.search(part) for part in (before, rest)))


def _needed(text: str) -> Effect | None:
    """Return what a question after dependencies or needs asks: "the dependencies of B", "B's", "what does B need"."""
    if noun := _NEEDED.search(text):
        before, after = text[: noun.start()], text[noun.end() :].removesuffix(" have").strip()
        if noun["of"] and after:
            return Effect(after, forwards=not noun["reverse"])
        return None if after else Effect(before.strip().removesuffix("'s").removesuffix("'") or None, forwards=True)
    if (asks := _NEEDS.match(text)) and text.lower().endswith((" need", " require")):
        return Effect(text[asks.end() :].rpartition(" ")[0], forwards=True)
    return None


def _without_manner(words: str) -> str:
    """Return what follows "on" without how: "what does it depend on directly", "… on to work"."""
    kept = words.split()
    while kept and kept[-1].lower() in _MANNER:
        kept.pop()
    return "" if len(kept) == 2 and kept[0].lower() == "to" else " ".join(kept)


def _names_somebody(before: str) -> bool:
    """Whether the words before "depends on" hold more than the word that asks: "what does B depend on"."""
    words = before.lower().split()
    if words[:1] == ["which"]:
        words = words[2:]  # "which services depend on"
    return any(word not in _ASKING for word in words)


def _doer(words: str) -> str | None:
    """Return who does or suffers it in a question that yes or no answers: "will B be affected" → "B"."""
    asks = _WHETHER.match(words)
    return (_BEFALLS.sub("", words[asks.end() :]).strip() or None) if asks else None
