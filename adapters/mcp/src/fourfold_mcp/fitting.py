"""An answer as a whole is so long and no longer; where something had to be cut for that, it says so.

A model reads every character of an answer. A hundred hits may each hold what one may hold, and ids have any length.
"""

from __future__ import annotations

from typing import TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic_core import to_json

from fourfold.plain_text import plain_json
from fourfold_mcp.answers import MOST, Answer

A = TypeVar("A", bound=Answer)

LONGEST_ANSWER = 150_000
"""Characters of an answer as JSON, the way clients are sent it."""
_FOR_THE_REMARK = 500
_SHORTER = (50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 300, 200)


def fitted(answer: A) -> A:
    """Return an answer no longer than ``LONGEST_ANSWER``: long texts are cut first, then lists from their ends.

    All texts and all metadata are cut at the same length, so that those that are short stay whole.

    Raises:
        ToolError: it is longer all the same, by ids that cannot be cut: they are asked with.

    """
    if _length(answer) <= LONGEST_ANSWER:
        return answer
    done: list[str] = []
    given, most = answer.model_dump(), 0
    for most in _SHORTER:
        answer = type(answer).model_validate(given, context={MOST: most})
        if _fits(answer):
            break
    done.append(f"each text, and the metadata of each node, is cut at {most:,} characters")
    for name in answer.shortened:
        if _fits(answer):
            break
        whole = getattr(answer, name)
        answer = _with_fewer(answer, name)
        done.append(f"{len(whole) - len(getattr(answer, name))} of {len(whole)} {name} are left out")
    if not _fits(answer):
        raise ToolError(
            f"The answer has {_length(answer):,} characters however short its texts are cut, more than "
            f"{LONGEST_ANSWER:,}: there are too many nodes in it, or their ids are too long."
        )
    answer.cut = f"To keep the answer short {', and '.join(done)}{answer.for_more}."
    return answer


def _with_fewer(answer: A, name: str) -> A:
    """Return the answer with as much of the beginning of one of its lists as fits."""
    least, most = 0, len(getattr(answer, name))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if _fits(answer.with_first(middle, name)) else (least, middle - 1)
    return answer.with_first(least, name)


def _fits(answer: Answer) -> bool:
    return _length(answer) <= LONGEST_ANSWER - _FOR_THE_REMARK


def _length(answer: Answer) -> int:
    return len(plain_json(to_json(answer, fallback=str, indent=2).decode()))
