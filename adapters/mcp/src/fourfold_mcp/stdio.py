"""Standard input: an answer to every line that asks, also where the SDK would drop one while the client waits.

JavaScript writes what is left of an emoji that was cut as the escape of half a character, and the SDK refuses its line.
At the end of the input the SDK breaks off what it is still answering: ``printf … | fourfold-mcp`` would hear nothing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

_WHOLE = 2
"""How deep a field of the message itself stands in what pydantic tells: the kind of message, the field."""


_ENDLESS = "subscriptions/listen"
"""The request that is answered only when the client leaves."""


class _Unanswered:
    """The requests that were handed to the SDK and have no answer yet, by their ids: 1 is "1" for the SDK, too."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._fewer = anyio.Event()

    def asked(self, message: Any) -> None:
        """Take note of a message of the client's."""
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._ids.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))  # it never has an answer

    def answered(self, message: Any) -> None:
        """Take note of a message to the client."""
        if isinstance(message, (JSONRPCResponse, JSONRPCError)):
            self._settle(message.id)

    def forget(self) -> None:
        """Wait for none any more: nobody listens."""
        self._ids.clear()
        self._fewer.set()

    async def none(self) -> None:
        """Wait until there are none."""
        while self._ids:
            await self._fewer.wait()
            self._fewer = anyio.Event()

    def _settle(self, identity: object) -> None:
        self._ids.discard(str(identity))
        self._fewer.set()


@asynccontextmanager
async def readable(
    lines: Any, answers: Any
) -> AsyncIterator[tuple[ObjectReceiveStream[SessionMessage | Exception], ObjectSendStream[SessionMessage]]]:
    """Give the messages of the SDK's stream of lines, and where to answer; the messages end when all have an answer.

    Of lines that the SDK cannot read, half characters become U+FFFD.

    Args:
        lines: what ``stdio_server`` reads.
        answers: where it writes; what cannot be read all the same is refused there.

    """
    passed, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    told, heard = anyio.create_memory_object_stream[SessionMessage](0)
    unanswered = _Unanswered()
    reading = anyio.CancelScope()

    async def pass_on() -> None:
        with reading:
            async with passed:
                async for item in lines:
                    message = _read(item) if isinstance(item, ValidationError) else item
                    if isinstance(message, JSONRPCError):
                        await answers.send(SessionMessage(message))
                    elif message is not None:
                        unanswered.asked(getattr(message, "message", None))
                        await passed.send(message)
                await unanswered.none()

    async def pass_back() -> None:
        async with answers, heard:
            try:
                async for answer in heard:
                    await answers.send(answer)
                    unanswered.answered(answer.message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                unanswered.forget()

    async with anyio.create_task_group() as group:
        group.start_soon(pass_on)
        group.start_soon(pass_back)
        yield messages, told
        await told.aclose()
        reading.cancel()


def _read(error: ValidationError) -> SessionMessage | JSONRPCError | None:
    """Return the message of a line that the SDK could not read, or what to answer; None for an empty line."""
    identity = None
    try:
        given = _given(error)
        if given is None:
            return None
        whole = json.dumps(given, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(given, dict) and type(given.get("id")) in (int, str):
            identity = json.loads(whole)["id"]
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except ValidationError:
        said = "The line is JSON, but no message of JSON-RPC 2.0; a request has jsonrpc, id, method and params."
        return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=INVALID_REQUEST, message=said))
    except (ValueError, RecursionError):
        said = "The line is no JSON that can be read; send one message a line, as JSON."
        return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=PARSE_ERROR, message=said))


def _given(error: ValidationError) -> Any:
    """Return what a line says: the SDK keeps the line of what is no JSON, and all of a message that lacks something.

    Raises:
        ValueError: the line is no JSON, for Python either.

    """
    for one in error.errors(include_url=False, include_context=False):
        if one["type"] == "json_invalid" and not one["loc"]:
            return json.loads(one["input"]) if one["input"].strip() else None
        if one["type"] == "missing" and len(one["loc"]) == _WHOLE:
            return one["input"]
    return {}
