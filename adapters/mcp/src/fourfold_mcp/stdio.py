"""Standard input: an answer also to a line that the SDK cannot read, which it would drop while the client waits.

JavaScript writes what is left of an emoji that was cut as the escape of half a character, and the SDK refuses its line.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

_WHOLE = 2
"""How deep a field of the message itself stands in what pydantic tells: the kind of message, the field."""


@asynccontextmanager
async def readable(lines: Any, answers: Any) -> AsyncIterator[ObjectReceiveStream[SessionMessage | Exception]]:
    """Give the messages of the SDK's stream of lines; of those it cannot read, half characters become U+FFFD.

    Args:
        lines: what ``stdio_server`` reads.
        answers: where it writes; what cannot be read all the same is refused there.

    """
    passed, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def pass_on() -> None:
        async with passed:
            async for item in lines:
                message = _read(item) if isinstance(item, ValidationError) else item
                if isinstance(message, JSONRPCError):
                    await answers.send(SessionMessage(message))
                elif message is not None:
                    await passed.send(message)

    async with anyio.create_task_group() as group:
        group.start_soon(pass_on)
        yield messages
        group.cancel_scope.cancel()


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
