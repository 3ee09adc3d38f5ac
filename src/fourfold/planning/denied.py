"""What a request says not to do, taken out before it is cut into parts: a search for it would find that very tool.

A denial goes from the words that deny ("do not", "no need to", "make sure not to") to the end of its clause. What only
says when something may be done ("do not deploy before the tests have run") denies nothing: it says what comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fourfold.planning.verbs import is_verb

LONGEST_READ = 4_000
"""Characters of a request that are read; the rest is left out."""


@dataclass(frozen=True, slots=True)
class Permitted:
    """What is left of a request without what it says not to do, and ``denied``: that, in the request's words."""

    text: str
    denied: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what was left out, in a sentence."""
        told = ", ".join(repr(denied) for denied in self.denied)
        return (f"Left out, for the request says not to do it: {told}.",) if told else ()


_UNIT = re.compile(r"[;\n()]+|(?<=[^\W_][^\W_])[.!?]+(?=\s|$)|->|=>|→|➜|\b(?:and )?then\b", re.I)
"""What ends a clause whatever it says; a full stop after one letter is an abbreviation's."""

_CLAUSE = re.compile(
    r", (?:but |and |or )?|[:] | [-–—] |—| (?=\d{1,2}[.)] )|\b(?:but|and|yet|though|although|however) |$", re.I
)
_MARK = re.compile(r"(?:[-*+•–]|(?:step )?\(?(?:\d{1,2}|[a-h])[.):-]) ?", re.I)
_POLITE = re.compile(
    r"(?:please|kindly|also|just|so|and|but|ok|okay|though|however|still|now|in any case|whatever you do"
    r"|(?:can|could|would|will) you(?: please)?),? ",
    re.I,
)
_NOT_DO = re.compile(
    r"(?:you (?:must|should|may|can|need|are|shall|will)(?: not|n't|not) (?:allowed to |permitted to |to )?"
    r"|you (?:do not|don'?t) (?:have|need) to |(?:do not|don'?t)(?: you)?(?: ever)?"
    r"(?:,? (?:under|in) any (?:circumstances?|case),?)? "
    r"|never(?: ever)? |(?:nobody|no one) (?:must|should|may|can|is to) "
    r"|(?:must|should|need)(?: not|n't) |(?:i|we) (?:do not|don'?t|would not|wouldn't|never) "
    r"(?:want|wish|need|like|intend|plan|mean)(?: (?:you|us|it|anyone|anybody))? (?:to )?"
    r"|(?:i|we)(?:'d| would) (?:rather|prefer)(?: you)? not (?:to )?"
    r"|(?:i|we)(?:'d| would) (?:rather|prefer)(?: you| we)? (?:didn't|did not) "
    r"|(?:there is |there's )?no need (?:to |for )"
    r"|(?:make sure|be sure|be careful|take care|ensure|remember|try|see to it|mind|i (?:want|need|told|asked|tell|ask)"
    r"(?: you)?|it(?:'s| is) (?:important|essential|vital|crucial|critical))(?: that)?"
    r"(?: you| we| it)? (?:(?:not|never) to |(?:do not|don'?t|never) |(?:do |does )?not )"
    r"|(?:i (?:want|need) (?:you )?to |try to )?(?:avoid|refrain from|keep from) (?=\w{2,20}ing\b)"
    r"|no (?=\w{2,20}ing\b)|(?:stay|keep)(?: your hands)? (?:away from|off|out of) |hands off )",
    re.I,
)
_NOT = re.compile(r"not (?:to )?(?=(\w+))", re.I)
_NO_CASE = re.compile(
    r"\b(?:under no circumstances?|on no account|in no (?:case|event)|by no means|at no time)\b", re.I
)
_PASSIVE = re.compile(
    r"\b(?:(?:must|should|shall|may|can|need)(?: not|n't|not|n't to| never) be|(?:is|are) not to be"
    r"|nothing (?:must|should|shall|may|is to) be) (?=(\w+))",
    re.I,
)
_SURE = re.compile(r"(?:make sure|ensure|see to it|take care|be careful)(?: that)? ", re.I)
_UNDONE = re.compile(r"\b(?:(?:not|never|nothing|nobody)|\w{2,6}n't) (?:to |be |is |are |get |gets )?(?=(\w+))", re.I)
_NOTHING = re.compile(r"(\w+) nothing$", re.I)
_LEAVE = ("leave ", "keep ", "let ")
_ALONE = re.compile(
    r" (?:alone|untouched|unchanged|intact|in peace|be|(?:just )?as (?:it is|they are|is|it was))$", re.I
)

_DO_IT = re.compile(
    r"(?:forget|fail|hesitate|neglect|omit|skip|miss|ignore|overlook|leave out|only|just|merely|simply|stop|have|know"
    r"|think|care|mind)\b(?: (?:to|about))? ?",
    re.I,
)
"""What turns a denial into its opposite, or makes it none: "don't forget to", "don't just", "I don't know"."""

_BY_HAND = re.compile(
    r"\b(?:by hand|manually|(?:my|our)sel(?:f|ves)|(?:every|each) (?:single )?time|one by one)\b", re.I
)
_WHEN = re.compile(r" (?:before|until|till|unless|without|prior to) ", re.I)
_LEAVE_OF = re.compile(
    r"(?:i|we|my|our|you|your|asking|being (?:asked|told)|telling|permission|approval|consent|confirm\w*"
    r"|\d|noon|midnight|to(?:day|night|morrow)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:the|this|next)"
    r" (?:end|week\w*|month|year|morning|evening|day))\b",
    re.I,
)
"""What no tool does first: a time, or leave that people give."""

_RESUMES = re.compile(r",? (?:and |but )?(?:please|instead|rather|just|only|simply) | after (?=\w{2,20}ing\b)", re.I)
_LISTED = re.compile(r"[^,]{1,60}(?:, [^,]{1,60}){0,6},? (?:or|nor) ", re.I)
_EDGE = " \t,.:!?-–—\"'`"


_MESSAGE = re.compile(
    r"\b(?<!\bthe )(?<!\bevery )(?<!\beach )(?<!\bany )"
    r"((?:tell|inform|notify|warn|remind|alert|message) (?!me\b)[^.;,\n]{1,60}?) that "
    r"(?:(?! and | then | but )[^.;,\n])+",
    re.I,
)
"""Who is to be told something, and what: "tell the team that the deploy failed" asks for no deploy.

"The message from X that" is a message; of it, what follows says which.
"""


def permitted(request: str) -> Permitted:
    """Return a request without what it says not to do, or what to say; where it has nothing of that kind, as it is.

    The first 4,000 characters are read, and the rest is left out where something is denied.
    """
    text = request[:LONGEST_READ].replace("’", "'")
    denied: list[str] = []
    kept: list[str] = []
    at = 0
    for end in (*_UNIT.finditer(text), None):
        unit = text[at : end.start() if end else len(text)]
        left = _left_of(unit, denied)
        if left is unit or left.strip(_EDGE):
            kept += [left, end[0] if end else ""]
        elif end and "\n" in end[0]:
            kept.append("\n")
        elif kept[-1:] == ["("]:
            kept[-1] = " "
        elif end and end[0] not in ("(", ")"):
            kept.append(";" if any(map(str.strip, kept[:4])) else "")
        at = end.end() if end else at
    left = _MESSAGE.sub(r"\1", "".join(kept))
    return Permitted(left.strip(" ;\t\n"), tuple(denied)) if denied or left != text else Permitted(request)


def _left_of(unit: str, denied: list[str]) -> str:
    """Return a unit without its denials, and itself where it has none."""
    kept: list[str] = []
    done = 0
    for begin, first, end in _clauses(unit):
        if begin < done:
            continue
        said = _denial(unit, first, end)
        if said is None:
            continue
        words, instead = said
        stop = _end(unit, words, after_order=begin > 0)
        scope = unit[words:stop]
        if instead or _BY_HAND.search(scope):
            # "don't forget to run the tests" asks for them
            kept.append(unit[done:first] if instead else unit[done:words])
            done = words
            continue
        condition = _WHEN.search(scope)
        if condition and not _LEAVE_OF.match(scope, condition.end()) and first < words:
            kept += [unit[done:first], scope[: condition.start()], " after ", scope[condition.end() :]]
        else:
            mark = _MARK.match(unit, first)  # what a list counts by goes on counting
            kept.append(unit[done : mark.end() if mark and begin else begin])
            denied.append(scope.strip(_EDGE))
            if kept[-1].strip() and stop < len(unit):
                kept.append("," if not unit[stop:].startswith(",") else "")
        done = stop
    return "".join([*kept, unit[done:]]) if kept else unit


def _clauses(unit: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each clause begins, with what joins it to the one before; where its words do; and where it ends."""
    begin = first = 0
    for joint in _CLAUSE.finditer(unit):
        if joint.start() > first or not joint[0]:
            yield begin, first, joint.start()
        begin, first = joint.start(), joint.end()


def _denial(unit: str, first: int, end: int) -> tuple[int, bool] | None:
    """Return where what a clause denies begins, if it denies something; and whether it is to be done all the same."""
    while unit[first : first + 1] == " ":
        first += 1
    mark = _MARK.match(unit, first)
    at = mark.end() if mark else first
    for _ in range(4):
        polite = _POLITE.match(unit, at)
        at = polite.end() if polite else at
    if found := _NOT_DO.match(unit, at):
        instead = _DO_IT.match(unit, found.end())
        return (instead.end(), True) if instead else (found.end(), False)
    found = _NOT.match(unit, at)
    if found and is_verb(found[1]):
        return found.end(), False
    while end > at and unit[end - 1] in _EDGE:
        end -= 1
    if _NO_CASE.search(unit, at, end):
        return at, False
    sure = _SURE.match(unit, at, end)
    found = _PASSIVE.search(unit, at, end) or _NOTHING.match(unit, at, end)
    found = found or (_UNDONE.search(unit, sure.end(), end) if sure else None)
    if found and is_verb(found[1]):
        return sure.end() if sure else at, False
    if unit[at : at + 6].lower().startswith(_LEAVE) and _ALONE.search(unit, at, end):
        return at, False
    return None


def _end(unit: str, words: int, *, after_order: bool) -> int:
    """Return where a denial ends: at a comma that no "or" goes on from, at "but", and at "and" before another order."""
    last = len(unit)
    for joint in _CLAUSE.finditer(unit, words):
        word = joint[0].strip(" ,").lower()
        following = unit[joint.end() : joint.end() + 420]
        if word == "or" or (joint[0] == ", " and _LISTED.match(following)):
            continue
        if (
            word == "and"
            and not joint[0].startswith(",")
            and not (after_order and is_verb(following.partition(" ")[0]))
        ):
            continue
        last = joint.start()
        break
    resumes = _RESUMES.search(unit, words, last)
    return resumes.start() if resumes else last
