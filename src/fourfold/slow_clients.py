"""Connections that nobody gets on with are closed: there are only so many, and others wait for one."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 30.0
"""In which the head of a request must come in, from the first byte on or from when the connection was made."""

READING_SECONDS = 60.0
"""In which a client that stopped reading must go on."""


class PromptProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, which by itself waits for heads and for readers as long as they like."""

    _head: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came in, and wait for the rest of a head."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """Wait for the client to go on reading."""
        super().pause_writing()
        self._reading = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        for timer in (self._head, self._reading):
            if timer is not None:
                timer.cancel()

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:  # the head is there
            if self._head is not None:
                self._head.cancel()
            self._head = None
        elif self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)
