"""A question without what is said to whoever answers it: greetings, thanks, a prompt's instructions.

"Hi! Could you please tell me who directed Heat? Thanks in advance!" asks who directed Heat. No text of the graph is any
better for "please", yet few hold it, so it would count as a rare word; and "can you" would ask what something is able
to do. A chain that passes its whole prompt on, "Answer the following question. Question: … Answer:", asks what stands
behind the last label. What is written like a name ("Tell Me Why was written by whom?") is one, and is left as it is.
"""

from __future__ import annotations

import re

from fourfold.reading.frames import after, left_of, may_hold, past, says_something, words


def _said(pattern: str, *, before: str = r"(?![\w'’-])") -> re.Pattern[str]:
    return words(pattern.replace(" ", r"\s+").replace("'", "['’]"), before=before)


_ENDS = r"(?=\s*(?:[.:!,]|$))"
_WE = "(?:i|we)(?:'d|'m|'re|'ve| would| am| are| was| were| have)?"
_YOU = "(?:you|u|anyone|anybody|someone|somebody)"
_DOCUMENTS = "(?:knowledge (?:base|graph)|context|documents?|information|passages?|sources?|database)"
_THESE = "(?:(?:the|this|these|your|my|our|following|provided|given|above|retrieved|user's|next) ){1,6}"
_SHORT = "(?:a|an|one|two|three|few|plain|simple|short|full|complete|english|sentences?|words?)"

_GREETING = _said(
    "(?:hi|hello|hey|hiya|greetings|dear|excuse me|good (?:morning|afternoon|evening|day))"
    "(?: (?:there|all|everyone|everybody|folks|guys|team|assistant|again))?"
)
_FILLER = _said("please|pls|plz|kindly|maybe|perhaps|possibly|also|just|so|ok|okay|well", before=r"(?![\w'’-]),?")
_CAN_YOU = _said(f"(?:can|could|would|will) {_YOU}")
_PLEASE = _said("please|pls|plz|kindly")
_TELL = _said("(?:tell|inform) (?:me|us)|let (?:me|us) know|help (?:me|us)(?: to)? understand")
_ABOUT = _said(
    "the answer to|what you know about"
    "|(?:(?:all|more|something|everything|anything|a (?:bit|little)) )?(?:about|regarding)"
)
_WISH = _said(
    rf"{_WE}(?: (?:really|also|just))?(?: (?:like|love|want|wanted|need|wish|trying) to"
    " (?:know|ask(?! for)|find out|figure out|understand)| (?:wonder|wondering|wondered|curious))"
    f"(?: if {_YOU} (?:can|could) tell (?:me|us))?"
)
_DO_YOU_KNOW = _said(f"do(?:es)? {_YOU}(?: (?:happen to|also))? (?:know|remember)|any (?:idea|clue)")
_A_QUESTION = _said(
    f"(?:{_WE} )?(?:(?:got|a|an|one|another|just|my|the|here's|here is|quick|simple|short|small) ){{1,4}}question",
    before=r"(?=\s*[.:,!–—-])",
)
_INSTRUCTIONS = (
    _said(
        r"you are (?:a|an|the) (?:[\w-]+ ){0,5}(?:assistant|expert|ai|bot|chatbot|agent)\b[^.!?\n]{0,200}",
        before=r"(?=[.!\n])",
    ),
    _said(
        f"(?:only )?(?:use|using|based(?: only)? on|given) (?:only )?{_THESE}{_DOCUMENTS}"
        "(?: (?:above|below|provided|given))*",
        before=r"(?=\s*(?:[.:,]|(?:and|to)\s+(?:answer|respond|reply)\s))",
    ),
    _said(
        f"(?:(?:and|to) )?(?:answer|respond to|reply to) (?:me )?(?:a )?(?:{_THESE})?(?:question|query)s?"
        f"(?: (?:below|above|briefly|concisely|truthfully|(?:using|based(?: only)? on) {_THESE}{_DOCUMENTS}))*",
        before=_ENDS,
    ),
    _said(
        "(?:answer|reply|respond|be)(?: as)? (?:briefly|shortly|concisely|brief|concise|short"
        f"|in {_SHORT}(?: {_SHORT})*)(?: as possible)?|keep (?:it|the answer|your answer) (?:short|brief|concise)"
        r"|(?:let's )?think step[\s-]by[\s-]step",
        before=_ENDS,
    ),
)
_WHO = _said("(?:what|who|where|when|how)(?:'s)?|whom|whose|which|why|if|whether")
_IS = _said("is|are|was|were|do|does|did|has|have|had|i|i'm|i'd|my|we")
_ADDRESSED = (_CAN_YOU, _FILLER, _TELL, _WISH, _DO_YOU_KNOW, _A_QUESTION, _WHO)
_NAME = re.compile(r"(?<=[\w,]\s)[A-Z][a-z]")
"""Within what is said to somebody nothing is written like this, …"""
_NO_VERB = re.compile(r"[A-Z][a-z]|me\b")
"""… and what is asked for politely not like that: "Please Mr. Postman", "please me"."""
_PAUSE = re.compile(r"[\s,.!:;–—-]*")

_LABEL = re.compile(
    r"(?:^|[\n.!?:>\]])[ \t]{0,4}(?:(?:user(?:['’]s)?|my|the|new|next|follow[- ]?up|standalone) )?"
    r"(?:question|query) ?:",
    re.IGNORECASE,
)
_OTHER_LABEL = re.compile(
    r"(?:^|[\n.!?:;])[ \t]{0,4}(?:(?:helpful|final|your|short|the|best) )?"
    r"(?:answer|response|context|assistant|ai|thought|sources?|chat history) ?:"
    r"|\sanswer ?:\s*$",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"[.!?;,\n]|(?=\s(?:thanks|thank\s+you)\s+in\s+advance|\sthanks\s+a\s+lot)", re.IGNORECASE)
_CLOSING = _said(
    "(?:(?:and|so|many|lots of) ){0,3}(?:thanks|thank (?:you|u)|thx|cheers|please|pls|plz)(?: (?:so|very|much|a|lot"
    r"|bunch|million|in|advance|again|all|everyone|guys|for|your|the|any|help|time|answers?|support)\b){0,12}"
    "|(?:any|your) (?:help|advice|ideas?|input|thoughts|suggestions?)(?: (?:is|are|would|will|be|much|greatly|highly"
    "|really)){0,6} (?:appreciated|welcome)|(?:if|when) you (?:don'?t mind|know|can|could)",
    before=r"[\s.!?:)]*",
)
_TAIL = 120
"""Nobody gives thanks for longer than so many characters, …"""
_TIMES = 3
"""… or more often."""

_TELLING = frozenset(
    (
        "hi hello hey hiya greetings dear excuse morning afternoon evening day please pls plz kindly tell "
        "inform know understand ask out wonder wondering wondered curious remember idea clue question query "
        "assistant expert ai bot chatbot agent use using based given answer respond reply brief short concise think "
        "thanks thank thx cheers appreciated welcome mind can could"
    ).split()
)
"""Nothing is said to anyone without one of these words: questions that have none are not searched for it."""


def without_courtesy(question: str) -> str:
    """Return what is asked, without what is said to whoever answers; as it is where nothing else would be left."""
    if not may_hold(question, _TELLING):
        return question
    left = _before_closing(left_of(_behind_label(question), _end_of_courtesy))
    return left if says_something(left) else question


def _behind_label(text: str) -> str:
    """Return what stands behind the last "Question:" and before the next "Answer:", or another label of a prompt."""
    for label in reversed([*_LABEL.finditer(text)]):
        end = _OTHER_LABEL.search(text, label.end())
        asked = text[label.end() : None if end is None else end.start() + 1]
        if says_something(asked):
            return asked.strip()
    return text


def _before_closing(text: str) -> str:
    """Return a text without thanks at its end."""
    for _ in range(_TIMES):
        boundaries = _BOUNDARY.finditer(text, max(len(text) - _TAIL, 0))
        end = next((each.end() for each in boundaries if after(_CLOSING, text, each.end()) == len(text)), None)
        if end is None:
            break
        text = text[:end].rstrip(" ,;\n")
    return text


def _end_of_courtesy(text: str, begin: int) -> int | None:
    """Return where courtesy ends that begins at some place; None where none does."""
    done = None
    while (end := _end_of_piece(text, begin)) is not None:
        done = begin = _past_pause(text, end)
    return done


def _end_of_piece(text: str, begin: int) -> int | None:
    """Return where an instruction, a greeting or a request to be told ends; None where none begins."""
    for instruction in _INSTRUCTIONS:
        if (end := after(instruction, text, begin)) is not None:
            return end
    if (greeted := _said_at(_GREETING, text, begin)) is not None:
        return greeted if _is_greeting(text, greeted) else None
    start = past(_FILLER, text, begin)
    can_you = _said_at(_CAN_YOU, text, start)
    asked = start if can_you is None else past(_FILLER, text, can_you)
    if (told := _said_at(_TELL, text, asked)) is not None:
        return _told_of(text, told) or (asked if asked > begin else None)
    if (wished := _said_at(_WISH, text, start)) is not None:
        return _said_at(_ABOUT, text, wished) or wished
    if (question := _said_at(_A_QUESTION, text, start)) is not None:
        return question
    if (known := _said_at(_DO_YOU_KNOW, text, start)) is not None:
        return known if after(_WHO, text, known) is not None else None
    return asked if _PLEASE.search(text, begin, asked) and after(_NO_VERB, text, asked) is None else None


def _told_of(text: str, end: int) -> int | None:
    """Return where what is asked begins behind "tell me"; None where it is what "tell" bids to name: "… the director".

    A command asks for what it names, as a question does, and without it words may ask for nothing.
    """
    if (about := _said_at(_ABOUT, text, end)) is not None:
        return about
    asked = _past_pause(text, end)
    return end if ":" in text[end:asked] or after(_WHO, text, asked) is not None else None


def _is_greeting(text: str, end: int) -> bool:
    """Tell whether somebody was greeted: "Hi! …", "hello, is …", "hey who …"; "Hello, Dolly" greets nobody."""
    asked = _past_pause(text, end)
    if any(mark in text[end:asked] for mark in ".!"):
        return True
    pieces = _ADDRESSED if asked - end < 2 else (*_ADDRESSED, _IS)
    return any(after(piece, text, asked) is not None for piece in pieces)


def _past_pause(text: str, begin: int) -> int:
    pause = _PAUSE.match(text, begin)
    return begin if pause is None else pause.end()


def _said_at(piece: re.Pattern[str], text: str, begin: int) -> int | None:
    """Return where a piece ends that comes next; None where something else does, or what is written like a name."""
    end = after(piece, text, begin)
    return None if end is None or _NAME.search(text, begin, end) else end
