"""Regular expressions of whoever made a file, searched in time that grows with the text and nothing else.

``re`` tries one way to read a text after the other, and a pattern can make that take years. Here a pattern becomes
steps, each of which ``re`` can read in one way only, and a place of the text is looked at once for each step, whatever
led there (Thompson, 1968).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from fourfold.arguments import shown
from fourfold.errors import InvalidValueError

LONGEST_READ = 500
"""What is found lies in so many characters at the beginning of a text."""

LONGEST_PATTERNS = 20_000
"""Characters of all patterns that a file keeps, together."""

MOST_STEPS = 2_000
"""Of all patterns that a file keeps, together; ``\\b(invoice|billing)\\b`` has six, ``a{100}`` a hundred."""

_SPAN = 1_000
"""Ranges count a further step for each so many characters: ``re`` goes through all of them when it compiles a class."""

_SPANNED = 1 << 16
"""Beyond these characters it does not."""

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_OP: Any = importlib.import_module("re._constants")

_ONE_WAY = {_OP.LITERAL, _OP.NOT_LITERAL, _OP.ANY, _OP.IN, _OP.AT, _OP.FAILURE}
_LOOKS = {_OP.ASSERT, _OP.ASSERT_NOT}
_REPEATS = {_OP.MAX_REPEAT, _OP.MIN_REPEAT}

_Step = tuple[Callable[[str, int], "re.Match[str] | None"] | None, list[int]]
"""What has to be read, None for nothing, and the steps that may follow."""


class LinearPattern:
    """A pattern as steps; ``size`` is their number, ``search`` tells whether it is found in a text."""

    def __init__(self, pattern: str) -> None:
        self._steps: list[_Step] = [(None, [])]  # the end is step 0
        self._pattern = pattern
        self._spanned = 0
        try:
            tree = _parser.parse(pattern)
            self._first = self._sequence(tree, 0, tree.state.flags)
        except (re.error, OverflowError, RecursionError) as error:
            raise InvalidValueError(f"The pattern {shown(pattern)} is no regular expression: {error}.") from error
        self.size = self._taken

    def search(self, text: str) -> bool:
        """Return whether the pattern is found in the first ``LONGEST_READ`` characters."""
        waiting = [(self._first, place) for place in range(min(len(text), LONGEST_READ), -1, -1)]
        seen = set(waiting)
        while waiting:
            step, place = waiting.pop()
            if not step:
                return True
            read, following = self._steps[step]
            if read is not None:
                found = read(text, place)
                place = found.end() if found else LONGEST_READ + 1
            if place > LONGEST_READ:
                continue
            new = [(each, place) for each in following if (each, place) not in seen]
            seen.update(new)
            waiting += new
        return False

    @property
    def _taken(self) -> int:
        return len(self._steps) + self._spanned // _SPAN

    def _require_room(self) -> None:
        if self._taken >= MOST_STEPS:
            raise self._refused(f"takes more than {MOST_STEPS:,} steps")

    def _step(self, read: Callable[[str, int], re.Match[str] | None] | None, following: Iterable[int]) -> int:
        """Add a step; return its number."""
        self._require_room()
        self._steps.append((read, list(following)))
        return len(self._steps) - 1

    def _sequence(self, items: Iterable[Any], then: int, flags: int) -> int:
        """Return the first step of parsed items that are followed by a step."""
        run: list[Any] = []
        for item in reversed(list(items)):
            if item[0] in _ONE_WAY or (item[0] in _LOOKS and _in_one_way(item)):
                run.insert(0, item)
                continue
            then = self._item(item, self._run(run, then, flags), flags)
            run = []
        return self._run(run, then, flags)

    def _run(self, items: list[Any], then: int, flags: int) -> int:
        if not items:
            return then
        self._spanned += sum(map(_span, items))
        self._require_room()
        return self._step(_reader(items, flags), [then])

    def _item(self, item: Any, then: int, flags: int) -> int:
        """Return the first step of what can be read in several ways."""
        op, value = item
        if op is _OP.SUBPATTERN:
            _, added, removed, inner = value
            return self._sequence(inner, then, (flags | added) & ~removed)
        if op is _OP.BRANCH:
            return self._step(None, [self._sequence(branch, then, flags) for branch in value[1]])
        if op in _REPEATS:
            least, most, inner = value
            return self._repeat(least, most, inner, then, flags)
        raise self._refused("holds a back-reference, an atomic group or a look-around of several ways")

    def _repeat(self, least: int, most: int, inner: Any, then: int, flags: int) -> int:
        if most is _OP.MAXREPEAT:
            again = self._step(None, [then])
            self._steps[again][1].append(self._sequence(inner, again, flags))
            then = again
        else:
            after = then
            for _ in range(most - least):
                then = self._step(None, [after, self._sequence(inner, then, flags)])
        for _ in range(least):
            before = len(self._steps)
            then = self._sequence(inner, then, flags)
            if len(self._steps) == before:  # of nothing, as often as one likes
                break
        return then

    def _refused(self, why: str) -> InvalidValueError:
        return InvalidValueError(
            f"The pattern {shown(self._pattern)} {why}: of patterns that a file keeps, none may take more time than in "
            "proportion to the text. Give Retriever a config= that has it instead."
        )


@lru_cache(maxsize=1024)
def linear(pattern: str) -> LinearPattern:
    """Return a pattern as steps.

    Raises:
        InvalidValueError: it is no regular expression, or none that can be searched in linear time.

    """
    return LinearPattern(pattern)


def require_few(patterns: Sequence[str]) -> None:
    """Refuse more patterns than are searched in a moment.

    Raises:
        InvalidValueError: they are too many, or one of them cannot be searched in linear time.

    """
    if (length := sum(map(len, patterns))) > LONGEST_PATTERNS:
        raise InvalidValueError(
            f"The patterns have {length:,} characters; those that a file keeps can have {LONGEST_PATTERNS:,}."
        )
    size = 0
    for pattern in patterns:  # none is read beyond the bound
        if (size := size + linear(pattern).size) > MOST_STEPS:
            raise InvalidValueError(
                f"The patterns take {size:,} steps and more; those that a file keeps can take {MOST_STEPS:,}. Give "
                "Retriever a config= that has them instead."
            )


def _span(item: Any) -> int:
    """Return how many characters the ranges of an item that can be read in one way span, as far as that takes time."""
    op, value = item
    if op is _OP.IN:
        ranges = [span for kind, span in value if kind is _OP.RANGE]
        return sum(max(min(last, _SPANNED) - first + 1, 0) for first, last in ranges)
    return sum(map(_span, chain.from_iterable(_runs(item)))) if op in _LOOKS else 0


def _in_one_way(look: Any) -> bool:
    """Return whether a look-around is of a run of characters, or of a choice of them."""
    return all(item[0] in _ONE_WAY for run in _runs(look) for item in run)


def _runs(look: Any) -> Iterable[Any]:
    """Return the choices of a look-around, each a run of items."""
    items = list(look[1][1])
    return items[0][1][1] if len(items) == 1 and items[0][0] is _OP.BRANCH else [items]


def _reader(items: list[Any], flags: int) -> Callable[[str, int], re.Match[str] | None]:
    """Return what reads a run of parsed items at a place of a text, just as ``re`` does."""
    state = _parser.State()
    state.flags = flags
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, items))
    return compiled.match
