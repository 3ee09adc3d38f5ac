"""Words for kin that no edge says, as the steps that lead there: grandchildren of X are children of its children.

"Grandmother" is the mother of a parent, "great-" goes one generation on, "mother-in-law" is the mother of the spouse;
brothers and sisters are the other children of the parents, and uncles those of the grandparents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fourfold.language.name_matching import Named, Reading, Words, lowered, places_of, replaced

_PARENTS = frozenset("parent parents father fathers mother mothers".split())
_CHILDREN = frozenset("child children son sons daughter daughters".split())
_SIBLINGS = frozenset("sibling siblings brother brothers sister sisters".split())
_PARENT, _CHILD = ("parent", "father", "mother"), ("child", "son", "daughter")
_SPOUSE, _SIBLING = ("spouse", "husband", "wife", "partner", "married"), ("sibling", "brother", "sister")
_BY_SIBLINGS = {
    "uncle": ("parents", "brothers"),
    "aunt": ("parents", "sisters"),
    "cousin": ("parents", "siblings", "children"),
    "nephew": ("siblings", "sons"),
    "niece": ("siblings", "daughters"),
}
_SIDES = {"maternal": "mother", "paternal": "father"}
_OF_EITHER_SEX = {"brothers": "siblings", "sisters": "siblings", "sons": "children", "daughters": "children"}
_BORN = {
    **dict.fromkeys(("sibling", "siblings"), "children"),
    **dict.fromkeys(("brother", "brothers"), "sons"),
    **dict.fromkeys(("sister", "sisters"), "daughters"),
}
_GRAND, _GREAT, _AND = "grand", "great", "and"
_IN_LAW = ("in", "law")

Holds = Callable[[str], bool]
"""Whether an edge type may be meant by a word."""


def called(words: Words) -> bool:
    """Tell whether a question has a word for kin that hardly any edge type is near: aunts, grandchildren."""
    typed = lowered(words)
    return any(word.startswith(_GRAND) or word.removesuffix("s") in _BY_SIBLINGS for word in typed)


def spelt_out(words: Words, named: Sequence[Named], holds: Holds, terms: Callable[[str], Sequence[str]]) -> Reading:
    """Return the words of a question with a word for kin as its steps, and what it names by places among these.

    Only where edges say the steps and none says the whole; ``holds`` tells whether an edge type may be meant by a word.
    """
    typed, names = lowered(words), places_of(named)
    for place in range(len(typed) if named else 0):
        end, steps = _kin(typed, place, holds)
        if steps and typed[end : end + 1] == [_AND] and end + 1 < len(typed):
            end, steps = _of_both(end, steps, *_kin(typed, end + 1, holds))
        if not steps or not names.isdisjoint(range(place, end)):
            continue
        own = any(one.end == place for one in named)  # "X's grandchildren" are read away from X, as steps go
        if not own and not any(one.start >= end for one in named):
            return words, list(named)
        said = steps if own else " of the ".join(steps[::-1]).split()
        return replaced(words, named, place, end, [(part, tuple(terms(part))) for part in said])
    return words, list(named)


def _of_both(end: int, steps: list[str], other_end: int, others: list[str]) -> tuple[int, list[str]]:
    """Return where two words for kin end and the steps of both, if they differ by sex alone: "aunts and uncles"."""
    alike = [_OF_EITHER_SEX.get(step, step) for step in steps]
    if alike == [_OF_EITHER_SEX.get(step, step) for step in others]:
        return other_end, alike
    return end, steps


def _kin(typed: Sequence[str], place: int, holds: Holds) -> tuple[int, list[str]]:
    """Return where a word for kin ends that begins at a place, and its steps, the first first; none: no such word."""
    side = _SIDES.get(typed[place], "")
    end, above = place + bool(side), 0
    while typed[end : end + 1] == [_GREAT]:
        end, above = end + 1, above + 1
    word = "".join(typed[end : end + 1])
    if word == _GRAND:
        end, word = end + 1, _GRAND + "".join(typed[end + 1 : end + 2])
    end, last = end + 1, word.removeprefix(_GRAND)
    parent = last in _PARENTS
    if last == word and not above:
        in_law = tuple(typed[end : end + 2]) == _IN_LAW and (parent or last in _CHILDREN | _SIBLINGS)
        return (end + 2, _in_law(last, holds)) if in_law else (end, _aside(word, holds))
    if last == word or not (parent or last in _CHILDREN) or holds(word) or not _known(holds, _PARENT, _CHILD):
        return end, []
    step = "parents" if parent else "children"
    return end, [side or step, *[step] * above, last]


def _in_law(last: str, holds: Holds) -> list[str]:
    """Return the steps to a mother-in-law, a son-in-law or a sister-in-law."""
    spouse, siblings = _first(holds, _SPOUSE), (_SIBLING,) if last in _SIBLINGS else ()
    if not spouse or holds(_IN_LAW[-1]) or not _known(holds, _PARENT, _CHILD, *siblings):
        return []
    return [last, spouse] if last in _CHILDREN else [spouse, *_in_said_steps([last], holds)]


def _aside(word: str, holds: Holds) -> list[str]:
    """Return the steps to brothers and sisters where no edge says these, and to those who are kin by them."""
    steps = _BY_SIBLINGS.get(word.removesuffix("s"), (word,) if word in _SIBLINGS else ())
    if not steps or holds(word) or not _known(holds, _PARENT, _CHILD):
        return []
    return _in_said_steps(steps, holds)


def _in_said_steps(steps: Sequence[str], holds: Holds) -> list[str]:
    """Return steps with those to brothers and sisters by their parents, where no edge says these."""
    if _known(holds, _SIBLING):
        return list(steps)
    return [part for step in steps for part in (("parents", _BORN[step]) if step in _SIBLINGS else (step,))]


def _first(holds: Holds, words: Sequence[str]) -> str:
    return next(filter(holds, words), "")


def _known(holds: Holds, *words: Sequence[str]) -> bool:
    return any(_first(holds, each) for each in words)
