"""What writes leave behind: rows of writers that died, rows that nobody reads any more, collections of old vectors."""

from __future__ import annotations

from dataclasses import replace

from fourfold.engines.milvus import schema
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.schema import OPEN, space
from fourfold.engines.milvus.state import State


def recovered(link: Link, state: State) -> None:
    """Take away what a writer has left that died before its commit."""
    for collection in _collections(state):
        link.delete(collection, f"since > {state.commit}")
        ended = link.rows(collection, f"until > {state.commit} and until < {OPEN}", ("row",))
        link.change(collection, [{"row": row["row"], "until": OPEN} for row in ended])


def swept(link: Link, state: State, before: int) -> State:
    """Delete the rows that nobody reads any more: those replaced until a commit."""
    if before < 0:
        return state
    for collection in _collections(state):
        link.delete(collection, f"until <= {before}")
    return replace(state, history=tuple(one for one in state.history if one[0] > before))


def dropped(link: Link, state: State) -> None:
    """Drop the collections of vectors that are not searched any more."""
    with link.trying("Writing"):
        for number in range(1, state.last_space + 1):
            if number not in (state.space, state.staged):
                schema.drop_space(link, number)


def _collections(state: State) -> list[str]:
    return ["nodes", "edges", "records", *(space(number) for number in (state.space, state.staged) if number)]
