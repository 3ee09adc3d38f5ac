"""A request → its parts, in the order in which they are to be done.

What the request itself sets apart (numbers, lines, "then", "after", "before") is a part of its own. Where it only says
"and", a comma or a full stop, that may join two things to do or two things to do it with: such parts are cut too, and
whoever knows what there is to do them with decides (see ``settled``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from fourfold.planning.denied import LONGEST_READ, permitted
from fourfold.planning.verbs import is_verb

MOST_PARTS = 12
"""Parts of a request that are planned; the rest is left out."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to do, in the request's words.

    ``own`` where the request itself sets it apart from the others, or it is one of several that can only be orders;
    ``doing`` where it begins with a verb, or with an identifier, which may be a tool's name.
    """

    text: str
    own: bool = True
    doing: bool = True


def denies(request: str) -> bool:
    """Whether a request also says what not to do: a search for the whole of it would find that, too."""
    return _NOT.search(request) is not None


@dataclass(frozen=True, slots=True)
class Served(Generic[T]):
    """What serves a part best, how well, in [0, 1], and whether the part says its name."""

    by: T
    worth: float
    named: bool = False


@dataclass(frozen=True)
class Settled(Generic[T]):
    """What a request comes to: its steps, each a part with what serves it, and the parts that nothing serves."""

    steps: tuple[tuple[str, T], ...]
    missing: tuple[str, ...]


# -- what belongs together: the words of a request, all spaces single -------------------------------------------------

_MARKER = re.compile(r"(?<!\S)(?:step )?\(?(\d{1,2}|[a-h]|[ivx]{1,4})[.):-](?= )", re.I)
_BULLET = re.compile(r"^(?:[-*+•–]|(?:step )?\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})[.):-]) ", re.I)
_COUNTS = (
    [str(number) for number in range(1, 100)],
    list("abcdefgh"),
    "i ii iii iv v vi vii viii ix x xi xii".split(),
)
_SEQUENCE = re.compile(
    r" ?(?:;|->|=>|→|➜|\b(?:and then|then|and afterwards|afterwards|after that|after which|subsequently|followed by"
    r"|and finally|finally|lastly)\b"
    r"|(?:(?<=[,.] )|(?<=\band )|^)(?:next|second|secondly|third|thirdly|fourth|fifth|last)\b(?=,| [a-z]+ ))",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[^\W_][^\W_])[.!?](?= |$)")
_BEFORE = ("before ", "prior to ")
_AFTER = ("after ", "once ", "when ", "as soon as ", "following ", "having ", "upon ")
_RELATIVE = re.compile(
    r",? (?:(?P<earlier>after|once|as soon as)|(?P<later>before|prior to|in order to)|(?P<first>but first)) ", re.I
)
_TIME = re.compile(
    r"^(?:\d|(?:an?|the|every|each|per|more|again|next|last|this|noon|midnight|dawn|lunch|dinner|breakfast|work|today"
    r"|tonight|tomorrow|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april"
    r"|may|june|july|august|september|october|november|december)"
    r"(?: (?:time|day|week|month|year|hour|minute|morning|evening|night|end|weekend)\b|$))",
    re.I,
)
_JOINT = re.compile(r", and |,(?!\d)| and | & | \+ | / | plus | as well as | but ", re.I)
_BOTH = re.compile(r"\b(?:both|either|between) ", re.I)
_LEFT_OUT = re.compile(r" (?:without \w+ing|instead of|rather than)\b", re.I)
_DENIED = re.compile(r"^(?:don'?t|do not|never|not|no need)\b", re.I)
_NOT = re.compile(
    r"\b(?:without \w+ing|instead of|rather than)\b"
    r"|(?:^|[,;.!?] |\bbut |\band )(?:please )?(?:don'?t|do not|never) (?!(?:want|need|have|know)\b)",
    re.I,
)
_TOLD = re.compile(
    r"^(?:i|i'm|i've|i'll|i'd|we|we're|we've|he|she|they|it|it's|its|there|there's|this|that|that's|these|my|our"
    r"|everything|anything|nothing|tell me|let me know|when|while|if)\b",
    re.I,
)
"""How a clause begins that tells something, or asks for words and not for deeds."""

_ASKING = re.compile(
    r"^(?:please|kindly|first|firstly|also|just|so|and|but|ok|okay|hi|hello|now|to|help me|let's|let us|go ahead and"
    r"|(?:can|could|would|will) (?:you|we|i)|(?:i|we) (?:want|need|have|would like|wish)(?: (?:you|us))? to"
    r"|(?:i|we) (?:want|need)(?= (?:the|an?|my|our|it|this) )"
    r"|(?:i|we)'d like(?: (?:you|us))? to|(?:i|we) (?:must|should)|how (?:do|can|should) (?:i|we)"
    r"|you (?:have|should|must|can|need to|have to)|you've|you|if (?:it|they|that|all|everything) \w+"
    r"|(?:create|build|make|compose|design|set up|plan|put together|suggest)(?: me)? (?:a |an |the )?(?:\w+ )?"
    r"(?:workflow|pipeline|plan|process|chain)(?: of tools)?(?: (?:to|that|for|which|from))?|chain|combine|automate)"
    r"(?::|,|(?= )|$) ?",
    re.I,
)
"""Words that ask for what follows and say nothing of it."""

_ORDER = re.compile(
    r"^(?P<verb>[a-z]+) (?:up |down |out |off |back )?(?:(?:the|an?|my|your|our|his|her|their|its|this|that|these|those"
    r"|all|every|each|it|them|him|me|us|every(?:one|body|thing)|some(?:one|body))(?= |$)|[\w-]+[./@][\w./@-]*\w)",
    re.I,
)
"""How a clause begins that can only be an order: a verb, and what it is done to ("tell the team", "delete a.log")."""

_EDGE = " \t,.;:!?-–—\"'`"


def parts_of(request: str) -> list[Part]:
    """Return the parts of a request in the order in which they are to be done; none only for an empty one.

    What the request says not to do is left out, and so is what it only tells, if it also asks for something. The first
    4,000 characters are read, and the first twelve parts returned; ``planned`` says where that leaves something out.
    """
    return planned(request)[0]


def planned(request: str, most: int = MOST_PARTS) -> tuple[list[Part], tuple[str, ...]]:
    """Return the first parts of a request, as ``parts_of`` does, and a sentence for each bound that left some out."""
    found = _every_part(permitted(request[:LONGEST_READ]).text)
    notes = []
    if len(request) > LONGEST_READ:
        notes.append(f"The request has {len(request):,} characters; the first {LONGEST_READ:,} are read.")
    if len(found) > (most := min(most, MOST_PARTS)):
        first = "the first is" if most == 1 else f"the first {most} are"
        notes.append(f"The request has {len(found)} parts; {first} planned.")
    return found[:most], tuple(notes)


def _every_part(request: str) -> list[Part]:
    stages = list(_stages(request))
    found = [
        Part(text, own, is_verb(text.partition(" ")[0]) or _is_done(text))
        for stage in stages
        for sentence in _sentences(stage)
        for told, own in _in_order(sentence, own=len(stages) > 1)
        if (text := _without_denial(told))
    ]
    doing = [part for part in found if not _TOLD.match(part.text)] or found
    return [replace(doing[0], own=True)] if len(doing) == 1 else doing


def settled(
    parts: Sequence[Part],
    serve: Callable[[str, Sequence[T]], Served[T] | None],
    *,
    least: float,
    joined: float,
) -> Settled[T]:
    """Find what serves each part, and join again what was cut in two.

    A part that was only cut at an "and" is one of its own if it begins with a verb and is served well enough, or says
    the name of what serves it; else it belongs to its neighbour.

    ``serve`` returns what serves a text best beside what serves the parts before it, or None. A part that the request
    itself sets apart must be served as well as ``least``, or is missing; one that was only cut at an "and" as well as
    ``joined``.
    """
    steps: list[tuple[str, T]] = []
    missing: list[str] = []
    before = ""
    for part in parts:
        text = f"{before} and {part.text}" if before else part.text
        before = ""
        found = serve(text, [by for _, by in steps])
        worth = found.worth if found is not None else -1.0
        good = worth >= (least if part.own else joined) and (part.own or part.doing)
        if found is not None and (good or (found.named and worth >= least)):
            steps.append((text, found.by))
        elif part.own or (part.doing and worth < least):
            missing.append(text)
        elif steps:
            joint = f"{steps[-1][0]} and {text}"
            again = serve(joint, [by for _, by in steps[:-1]])
            steps[-1] = (joint, steps[-1][1] if again is None else again.by)
        else:
            before = text
    return Settled(tuple(steps), tuple(missing) if steps else tuple(part.text for part in parts))


def _sentences(stage: str) -> list[str]:
    """Cut into sentences where each of them is an order; else they tell of one thing."""
    sentences = [sentence for sentence in map(str.strip, _SENTENCE.split(stage)) if sentence]
    orders = [is_verb(sentence.lower().removeprefix("please ").partition(" ")[0]) for sentence in sentences]
    return sentences if all(orders) else [stage]


def _stages(request: str) -> Iterator[str]:
    """Cut where a request says by lines, numbers or words that one thing follows another."""
    lines = [" ".join(line.split()) for line in request.splitlines()]
    lines = [line for line in lines if line]
    listed = [bool(_BULLET.match(line)) for line in lines]
    for line, bullet in zip(lines, listed, strict=True):
        if line.endswith(":") and not bullet and any(listed):  # what announces the list is none of it
            continue
        for item in _numbered(_BULLET.sub("", line) if sum(listed) > 1 else line):
            yield from _SEQUENCE.split(item)


def _numbered(line: str) -> list[str]:
    """Cut at numbers or letters that count from the first on; text before them announces them."""
    marks = list(_MARKER.finditer(line))
    labels = [mark[1].lower() for mark in marks]
    if len(marks) < 2 or labels not in [count[: len(labels)] for count in _COUNTS]:
        return [line]
    ends = [mark.start() for mark in marks[1:]] + [len(line)]
    return [line[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]


def _in_order(sentence: str, *, own: bool, cuts: int = MOST_PARTS) -> Iterator[tuple[str, bool]]:
    """Put what a sentence says by "after" and "before" into the order of doing, and cut the rest at "and"."""
    if cuts and (in_time := _in_time(sentence)):
        for text in in_time:
            yield from _in_order(text, own=True, cuts=cuts - 1)
        return
    sentence = _bare(sentence)
    kept = _LEFT_OUT.split(sentence, maxsplit=1)[0]
    pieces = [kept] if _BOTH.search(kept) else _JOINT.split(kept)
    texts = _with_objects([_bare(piece) for piece in pieces])
    orders = [_is_order(text) for text in texts]
    several = sum(orders) > 1
    for number, (text, order) in enumerate(zip(texts, orders, strict=True)):
        yield text, (own and number == 0) or (order and several)


def _in_time(sentence: str) -> tuple[str, str] | None:
    """Return what is to be done first and what then, if the sentence says so by one of its words."""
    whole = sentence.strip(_EDGE).lower()
    sentence = _bare(sentence)
    lowered = sentence.lower()
    opening = next((word for word in (*_AFTER, *_BEFORE) if lowered.startswith(word)), None)
    inner, comma, rest = sentence.partition(", ")
    if comma and opening is not None:
        inner = inner[len(opening) :]
        return (rest, inner) if opening in _BEFORE else (inner, rest)
    if whole.endswith(" first)") and sentence.count("(") == 1:
        second, _, first = sentence.rstrip(")").partition("(")
        return first, second
    if comma and whole.endswith(" first") and whole.startswith(("to ", "in order to ")):
        return rest, inner.removeprefix("in order ")
    found = _RELATIVE.search(sentence)
    if found is None or _TIME.match(sentence[found.end() :]) or _SENTENCE.search(sentence):
        return None
    first, second = sentence[: found.start()], sentence[found.end() :]
    return (first, second) if found["later"] else (second, first)


def _without_denial(text: str) -> str:
    """Return a part without a beginning that says what not to do."""
    return _bare("".join(_SENTENCE.split(text, maxsplit=1)[1:])) if _DENIED.match(text) else text


def _with_objects(pieces: list[str]) -> list[str]:
    """Give a verb alone what the next does something to: "read and edit the file" is "read the file"."""
    for number in range(len(pieces) - 2, -1, -1):
        _, _, rest = pieces[number + 1].partition(" ")
        if rest and pieces[number].isalpha() and is_verb(pieces[number]) and is_verb(pieces[number + 1].split()[0]):
            pieces[number] = f"{pieces[number]} {rest}"
    return pieces


def _bare(text: str) -> str:
    """Return a part without the words that ask for it and the signs around it."""
    text = text.strip(_EDGE)
    for _ in range(6):  # "could you please help me to …"
        found = _ASKING.match(text)
        if found is None or found.end() == len(text):
            break
        text = text[found.end() :].strip(_EDGE)
    for word in (" and", " but", " please", " first", ", then"):
        if text.lower().endswith(word):
            text = text[: -len(word)].strip(_EDGE)
    return text


def _is_order(text: str) -> bool:
    """Whether a part can only be an order, not a further thing that an order is about: "tell the team"."""
    found = _ORDER.match(text)
    return found is not None and is_verb(found["verb"])


def _is_done(text: str) -> bool:
    """Whether a part tells of something to be done: "the repository cloned"."""
    return any(word.endswith("ed") and is_verb(word) for word in text.split()[1:5])
