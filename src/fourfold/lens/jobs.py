"""Work in the background, one piece at a time, with progress and a way to stop it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fourfold import FourfoldError, InvalidValueError

Progress = Callable[[int, int], None]
Work = Callable[[Progress], Any]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """One piece of work; ``result`` is there once ``state`` is "done", ``sentence`` once it is "failed"."""

    number: int
    kind: str
    state: Literal["running", "done", "failed", "stopped"] = "running"
    done: int = 0
    total: int = 0
    result: Any = None
    sentence: str = ""
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    stopping: bool = False

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.state == "running"


class Jobs:
    """The work of one Lens: at most one piece runs, and of each kind the latest result is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._latest: Job | None = None
        self.results: dict[str, Job] = {}

    @property
    def latest(self) -> Job | None:
        """The latest work as it is at this moment, so that a page tells one moment while the work goes on."""
        return None if self._latest is None else replace(self._latest)  # the state is read before what it promises

    def start(self, kind: str, work: Work) -> Job:
        """Begin a piece of work; InvalidValueError while another one still runs."""
        with self._lock:
            if self._latest is not None and self._latest.running:
                raise InvalidValueError("Something is already being measured; wait for it, or stop it.")
            job = Job(1 if self._latest is None else self._latest.number + 1, kind)
            thread = threading.Thread(target=self._run, args=(job, work), name=f"lens {kind}", daemon=True)
            thread.start()
            self._thread, self._latest = thread, job
        return job

    def stop(self) -> None:
        """Ask the running work to end at its next step."""
        job = self._latest
        if job is not None and job.running:
            job.stopping = True

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the running work has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, job: Job, work: Work) -> None:
        def progress(done: int, total: int) -> None:
            if job.stopping:
                raise _StoppedError
            job.done, job.total = done, total

        try:
            job.result = work(progress)
            self.results[job.kind] = job
            state: Literal["done", "failed", "stopped"] = "done"
        except _StoppedError:
            state = "stopped"
        except FourfoldError as error:
            job.sentence, state = str(error), "failed"
        except Exception as error:
            logger.exception("%s failed", job.kind)
            job.sentence, state = f"{type(error).__name__}: {error}", "failed"
        job.seconds = time.monotonic() - job.began
        job.state = state  # last: whoever sees it sees the rest


class _StoppedError(Exception):
    """The work was asked to end."""
