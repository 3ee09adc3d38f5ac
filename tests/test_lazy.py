"""What is made once is made once, whoever asks first."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fourfold.lazy import lazy, once

THREADS = 8


def test_many_who_ask_first_get_the_same_made_once() -> None:
    asking, made = threading.Barrier(THREADS), []
    released = threading.Event()

    @once
    def make() -> object:
        made.append(object())
        released.wait(0.1)  # never set: long enough for the others to come
        return made[-1]

    def ask(_: int) -> object:
        asking.wait()
        return make()

    with ThreadPoolExecutor(THREADS) as pool:
        given = set(pool.map(ask, range(THREADS)))
    assert given == set(made)
    assert len(made) == 1


def test_what_could_not_be_made_is_tried_again() -> None:
    answers = iter([ValueError("not yet"), 7])

    @once
    def make() -> int:
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    with pytest.raises(ValueError, match="not yet"):
        make()
    assert make() == make() == 7


def test_the_token_table_is_made_once_by_the_first_searches_of_many_threads() -> None:
    """A server's first thirty calls made thirty of them: twenty seconds, and the memory of thirty."""
    program = f"""
import threading
from concurrent.futures import ThreadPoolExecutor
from fourfold import Node, Retriever
from fourfold.signals import late

made, make = [], late.TokenTable.of
late.TokenTable.of = lambda model, **options: made.append(1) or make(model, **options)
retriever = Retriever()
retriever.add([Node(id="a", name="alpha beta"), Node(id="b", name="gamma")])
asking = threading.Barrier({THREADS})
def ask(number):
    asking.wait()
    return len(retriever.search(f"alpha {{number}}"))
with ThreadPoolExecutor({THREADS}) as pool:
    assert all(pool.map(ask, range({THREADS})))
print(len(made))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_fork_while_something_is_made_does_not_wait_for_ever() -> None:
    program = """
import os, threading
from fourfold.lazy import once

began = threading.Event()

@once
def make():
    began.set()
    threading.Event().wait(0.2)
    return 1

threading.Thread(target=make).start()
began.wait()
child = os.fork()
if not child:
    os._exit(make() - 1)
print(os.waitpid(child, 0)[1])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0"]


class Question:
    """What takes long until all others do it too."""

    together = threading.Barrier(THREADS)

    @lazy
    def answer(self) -> int:
        """The answer."""
        self.together.wait(30)
        return 7


def test_the_questions_of_many_threads_do_not_stand_in_line() -> None:
    """With ``functools.cached_property`` of Python 3.11 they do, whatever object they are of."""
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(lambda question: question.answer, [Question() for _ in range(THREADS)])) == [7] * THREADS


def test_what_is_lazy_is_made_once_and_kept() -> None:
    class Counted:
        made = 0

        @lazy
        def value(self) -> int:
            """A value."""
            self.made += 1
            return self.made

    counted = Counted()
    assert (counted.value, counted.value, counted.made) == (1, 1, 1)
    assert Counted.value.__doc__ == "A value."
