"""Writers take turns: in this process by a lock, among processes by claims, rows that say who waits and who is at work.

Milvus has no transactions that could compare and write in one step. What it has, rows that each only one process writes
and that all can read, is enough for Lamport's bakery (A New Solution of Dijkstra's Concurrent Programming Problem,
1974): who comes says that it is choosing, takes a ticket above all that it sees, and waits until nobody is choosing and
nobody has a smaller one. So nobody is turned away because another came in the same moment.

The claim of a process is as good as its clock: who was not heard of for as long as the address says (``claim``, 30
seconds) is taken for dead. So is who says nothing new while another waits for so long, though its last word be of a
time to come: clocks are set back. A local file belongs to one process anyway, so whatever claim stands there is a dead
one's.
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

from fourfold.engines.milvus.cleanup import recovered, swept
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.schema import UNUSED
from fourfold.engines.milvus.state import State
from fourfold.errors import StoreError

logger = logging.getLogger(__name__)
_PROCESS = uuid.uuid4()
_ROW = -1 - (_PROCESS.int >> 66)
"""The claim of this process among the rows of ``commits``; those of commits have numbers from 0 on."""
_PAUSE = 0.05
"""Seconds between two looks at who is at work."""

_guard = threading.Lock()
_turns: dict[str, threading.Lock] = {}


@contextmanager
def claimed(link: Link) -> Iterator[Claim]:
    """Have the turn to write; StoreError where another process keeps it too long."""
    with _guard:
        turn = _turns.setdefault(f"{link.address.folder or link.address.uri} {link.path}", threading.Lock())
    with turn:
        claim = Claim(link)
        try:
            claim.take()
            yield claim
        finally:
            claim.release()


class Claim:
    """The turn to write."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._alone = link.address.folder is not None
        self._writing = self._lost = False
        self.state = State()
        """The newest commit, once the turn is had: none comes between."""
        self._heard: dict[int, tuple[object, float]] = {}
        """What was heard last of each other process, and when, by this one's monotonic clock."""

    def take(self) -> None:
        """Wait for the turn, and clean up behind writers that died."""
        self.state, claims = State.read(self._link)
        failed = _ROW in claims
        if self._alone:
            self._say(0)
        else:
            self._choose()
            self.state, claims = self._waited()
        dead = [row for row, claim in claims.items() if row != _ROW and not self._at_work(claim, row)]
        if failed or dead:
            recovered(self._link, self.state)
        if dead:
            self._link.delete("commits", f"row in {dead}")
        self.state = swept(self._link, self.state, self.state.unreadable())

    def _choose(self) -> None:
        """Take a ticket above all that are there."""
        self._say(None)
        others = State.read(self._link)[1].values()
        self._say(1 + max((claim["ticket"] or 0 for claim in others), default=0))

    def _waited(self) -> tuple[State, dict[int, dict[str, Any]]]:
        """Return the newest commit and all claims, once none comes before this process's."""
        given_up = time.monotonic() + self._link.address.timeout
        while True:
            state, claims = State.read(self._link)
            if _ROW not in claims:  # this process stood still for so long that it was taken for dead
                self._choose()
            elif not any(self._before(claim, row) for row, claim in claims.items()):
                return state, claims
            elif time.monotonic() > given_up:
                raise StoreError(
                    f"{self._link.path!r} is being written to by another process; try again when it is done."
                )
            else:
                if self._due:
                    self._say(self._ticket)
                time.sleep(_PAUSE)

    def _before(self, claim: dict[str, Any], row: int) -> bool:
        """Tell whether a claim comes before this process's, or may."""
        ticket = claim["ticket"]
        return row != _ROW and self._at_work(claim, row) and (ticket is None or (ticket, row) < (self._ticket, _ROW))

    def _at_work(self, claim: dict[str, Any], row: int) -> bool:
        now, patience = time.monotonic(), self._link.address.claim
        said, since = self._heard.get(row, (None, now))
        if said != claim["time"]:
            self._heard[row] = claim["time"], (since := now)
        return not self._alone and time.time() - claim["time"] < patience and now - since < patience

    def _say(self, ticket: int | None, *, at: float | None = None) -> None:
        """Write the claim: that this process is still at work, and its ticket."""
        self._ticket = ticket
        value = json.dumps({"ticket": ticket, "time": time.time() if at is None else at})
        self._renewed = time.monotonic()
        self._link.change("commits", [{"row": _ROW, "value": value, "unused": UNUSED}])

    @property
    def _due(self) -> bool:
        return time.monotonic() - self._renewed > self._link.address.claim / 3

    def begin(self) -> None:
        """Say that rows will be written from here on: if they do not become visible, the next writer cleans up."""
        self._require()
        self._writing = True
        self._say(self._ticket)

    def hold(self) -> None:
        """Keep the turn during a long write; asked before each of its calls."""
        if not self._alone and self._due:
            self._require()
            self._say(self._ticket)

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
        now, claims = State.read(self._link)
        if _ROW not in claims or now.commit != self.state.commit:
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
            self._say(self._ticket, at=0.0) if self._writing else self._link.delete("commits", f"row == {_ROW}")
        except StoreError as error:  # it runs out by itself
            logger.warning("%s", error)
