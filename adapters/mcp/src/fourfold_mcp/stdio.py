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
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError


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
                message = _read(item) if isinstance(item, ValidationError) and _line(item).strip() else item
                if isinstance(message, JSONRPCError):
                    await answers.send(SessionMessage(message))
                else:
                    await passed.send(message)

    async with anyio.create_task_group() as group:
        group.start_soon(pass_on)
        yield messages
        group.cancel_scope.cancel()


def _line(error: ValidationError) -> str:
    return str(error.errors(include_url=False, include_context=False)[0]["input"])


def _read(error: ValidationError) -> SessionMessage | JSONRPCError:
    """Return the message of a line that the SDK could not read, or what to answer."""
    identity = None
    try:
        given = json.loads(_line(error))
        if isinstance(given, dict) and isinstance(given.get("id"), int | str):
            identity = given["id"]
        whole = json.dumps(given, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except (ValueError, RecursionError):
        said = "The line is no message of JSON-RPC that can be read; send one message a line, as JSON."
        return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=PARSE_ERROR, message=said))
