"""Writers take turns: in this process by a lock, among processes by a claim, a row that says who is at work.

Milvus has no transactions that could compare and write in one step, so the claim of a process is as good as its clock:
who was not heard of for as long as the address says (``claim``, 30 seconds) is taken for dead. A local file belongs to
one process anyway, so whatever claim stands there is a dead one's.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.remains import recovered, swept
from fourfold.engines.milvus.schema import UNUSED
from fourfold.engines.milvus.state import CLAIM, State
from fourfold.errors import StoreError

logger = logging.getLogger(__name__)
_PROCESS = uuid.uuid4().hex
_SETTLED = 0.05
"""Seconds after which another's claim of the same moment would be seen."""

_guard = threading.Lock()
_turns: dict[str, threading.Lock] = {}


@contextmanager
def claimed(link: Link) -> Iterator[Claim]:
    """Have the turn to write.

    Raises:
        StoreError: another process keeps it too long.

    """
    with _guard:
        turn = _turns.setdefault(f"{link.address.folder or link.address.uri} {link.path}", threading.Lock())
    with turn:
        claim = Claim(link)
        try:
            yield claim
        finally:
            claim.release()


class Claim:
    """The turn to write, taken when it is made.

    Args:
        link: the way to Milvus.

    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._alone = link.address.folder is not None
        self._writing = self._lost = False
        self.state, other = State.read(link)
        """The newest commit: none comes between."""
        given_up = time.monotonic() + link.address.timeout
        while other is not None and self._at_work(other):
            if time.monotonic() > given_up:
                raise StoreError(f"{link.path!r} is being written to by another process; try again when it is done.")
            time.sleep(_SETTLED)
            self.state, other = State.read(link)
        self.renew()
        if not self._alone:
            time.sleep(_SETTLED)
            self.state, now = State.read(link)
            if not self._own(now):
                raise StoreError(f"{link.path!r} is being written to by another process; try again when it is done.")
        if other is not None:
            recovered(link, self.state)
        self.state = swept(link, self.state, self.state.unreadable())

    def _own(self, claim: dict[str, Any] | None) -> bool:
        return claim is not None and claim["process"] == _PROCESS

    def _at_work(self, claim: dict[str, Any]) -> bool:
        age = time.time() - claim["time"]
        return not self._alone and not self._own(claim) and age < self._link.address.claim

    def renew(self, *, at: float | None = None) -> None:
        """Say that this process is still at work."""
        value = json.dumps({"process": _PROCESS, "time": time.time() if at is None else at})
        self._renewed = time.monotonic()
        self._link.change("commits", [{"row": CLAIM, "value": value, "unused": UNUSED}])

    def begin(self) -> None:
        """Say that rows will be written from here on: if they do not become visible, the next writer cleans up."""
        self._require()
        self._writing = True
        self.renew()

    def hold(self) -> None:
        """Keep the turn during a long write; asked before each of its calls."""
        if not self._alone and time.monotonic() - self._renewed > self._link.address.claim / 3:
            self._require()
            self.renew()

    def commit(self, state: State) -> None:
        """Make a commit visible: one row, written last."""
        self._require()
        self._link.insert("commits", [state.row()])
        self._writing = False
        self.state = state
        self._link.delete("commits", f"row >= 0 and row < {state.commit}")

    def _require(self) -> None:
        """Make sure that no other process has taken this one for dead."""
        if self._alone:
            return
        now, claim = State.read(self._link)
        if not self._own(claim) or now.commit != self.state.commit:
            self._lost = True
            raise StoreError(
                f"Writing {self._link.path!r} took so long that another process took this one for dead; nothing was "
                "changed. Write less at once, or give more time in the address: &claim=SECONDS."
            )

    def release(self) -> None:
        """Give the turn to others; after a write that failed on the way the claim stays, as one that has run out."""
        if self._lost:
            return
        try:
            self.renew(at=0.0) if self._writing else self._link.delete("commits", f"row == {CLAIM}")
        except StoreError as error:  # it runs out by itself
            logger.warning("%s", error)
