"""Work beside other work: numpy, faiss and SQLite let other threads run while they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


def started(work: Callable[[], Made]) -> Callable[[], Made]:
    """Begin some work in a thread of its own, and return what waits for its outcome, or raises what it raised."""
    from concurrent.futures import ThreadPoolExecutor  # most processes need it late, or never

    threads = ThreadPoolExecutor(1, thread_name_prefix="fourfold-beside")
    outcome = threads.submit(work)
    threads.shutdown(wait=False)
    return outcome.result
