"""What the name of an edge type says about order: who needs whom, who comes first.

Tool collections name their dependencies differently (``depends_on``, ``requires``, ``prerequisite_of``,
``parameter_indirectly_depends_on``, ``followed_by``); the words in the name are enough to read them.
"""

from __future__ import annotations

from fourfold.edge_types import label
from fourfold.tools.config import Meaning

_NEED = ("depend", "requir", "need", "prerequisit", "relies", "rely")
_PASSIVE = frozenset({"by", "of", "for"})
_OPTIONAL = ("indirect", "optional", "soft", "weak", "recommend", "suggest", "may", "sometimes")
_VALUE = ("param", "input", "argument")
_BEFORE = frozenset({"before", "precedes", "followed", "feeds", "next", "then", "leads"})
_AFTER = frozenset({"after", "follows", "preceded", "previous"})


def edge_meaning(edge_type: str) -> Meaning:
    """Return what an edge of this type says, by the words of its name.

    An indirect or optional dependency is one a tool may need; but where a parameter's value comes from is needed in
    any case, however many steps away it is.
    """
    words = label(edge_type).split()
    if any(word.startswith(_NEED) for word in words):
        if words[-1] in _PASSIVE:
            return "needed_by"
        optional = any(word.startswith(_OPTIONAL) for word in words)
        return "may_need" if optional and not any(word.startswith(_VALUE) for word in words) else "needs"
    if _AFTER.intersection(words):
        return "after"
    return "before" if _BEFORE.intersection(words) else "link"
