"""Everyday words for what tools call otherwise: "tell the team", to a tool that says "Send a message"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

_GROUPS = """
tell notify inform ping message | send message notify
announce broadcast | post send publish
mail | email
dial | call
undo revert | rollback revert restore
cancel remove erase scrap | delete cancel remove
ship | deploy release publish
bill | invoice charge
reimburse | refund
file raise declare | create open
arrange schedule | create schedule book
save store stash | upload save store write
grab obtain retrieve | get fetch download
modify edit amend alter | update edit modify
reboot | restart
terminate halt | stop
launch | start create launch
invite | add invite
answer respond | reply respond
bug defect | issue bug
pr | pull request
appointment meeting | event meeting appointment
client | customer client
photo picture | image photo
"""
"""Words that people say, a bar, and those by which tools say the same."""

_WORD = re.compile(r"[^\W\d_]+\b(?! (?:me|us)\b)", re.IGNORECASE)
"""What stands before "me" asks for an answer: "tell me the price"."""


def _table() -> dict[str, str]:
    groups = (line.partition(" | ") for line in _GROUPS.strip().splitlines())
    return {word: others for words, _, others in groups for word in words.split()}


EVERYDAY: Mapping[str, str] = MappingProxyType(_table())
"""Each such word, and what tools say for it."""

_MOST = 2
"""So many of the words that tools say stand for one."""


def as_tools_say(
    request: str,
    words: Mapping[str, str],
    terms: Callable[[str], list[str]],
    held: Callable[[Iterable[str]], Collection[str]],
) -> str:
    """Return a request in which a word that nothing in the graph holds stands as what tools say for it, if one does.

    Args:
        request: in plain words.
        words: each in lower case → the words for the same, parted by spaces.
        terms: a word → its terms.
        held: terms → those of them that occur in the graph.

    """

    def said(found: re.Match[str]) -> str:
        others = words.get(found[0].lower(), "").split()
        if not others or held(terms(found[0])):
            return found[0]
        return " ".join([other for other in others if held(terms(other))][:_MOST]) or found[0]

    return _WORD.sub(said, request)
