"""What is begun beside other work ends as it would in its place."""

from __future__ import annotations

import threading

import pytest

from fourfold.beside import started


def test_it_goes_on_meanwhile_and_gives_what_came_of_it() -> None:
    ours, theirs = threading.Event(), threading.Event()

    def work() -> int:
        theirs.set()
        assert ours.wait(30)
        return 7

    outcome = started(work)
    assert theirs.wait(30)
    ours.set()
    assert outcome() == outcome() == 7


def test_what_it_raises_is_raised_where_it_is_waited_for() -> None:
    def work() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        started(work)()
