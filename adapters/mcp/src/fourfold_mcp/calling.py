"""How a call is carried out: off the event loop, with errors as sentences and answers in plain text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, ParamSpec, TypeVar

import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field, StrictInt, ValidationError

from fourfold import FourfoldError
from fourfold.arguments import shown
from fourfold.errors import without_address
from fourfold.plain_text import plain_json, plain_text
from fourfold_mcp.stdio import readable

P = ParamSpec("P")
R = TypeVar("R")

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
LEARNS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Query = Annotated[str, Field(min_length=1, max_length=4_000, description="What is wanted, in plain words.")]
Limit = Annotated[StrictInt, Field(ge=1, le=100, description="How many to return at most.")]


class Server(MCPServer[Any]):
    """An MCPServer whose errors are sentences and whose texts are plain.

    Args:
        path: where the graph lies; no error tells it.
        options: as for ``MCPServer``.

    """

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(**options)
        self._path = path

    async def run_stdio_async(self) -> None:
        """Serve on standard input and output until the client leaves; what it asked before has an answer."""
        served = self._lowlevel_server
        async with stdio_server() as (lines, written), readable(lines, written) as (messages, answers):
            await served.run(messages, answers, served.create_initialization_options())

    async def apart(self, call: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """Run a call off the event loop; what it refuses is a sentence for the model to read."""
        waiting: Awaitable[R] = anyio.to_thread.run_sync(partial(call, *args, **options))
        try:
            return await waiting
        except FourfoldError as error:
            raise ToolError(without_address(error, self._path)) from error

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by name; what it says in words, or as JSON, shows all it holds, also where it refuses."""
        await self._require_known(name, arguments)
        try:
            result = await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            wrong = error.__cause__
            said = _sentence(name, wrong) if isinstance(wrong, ValidationError) else str(error)
            raise ToolError(plain_text(said)) from None
        for part in result.content if isinstance(result, CallToolResult) else ():
            if isinstance(part, TextContent):
                part.text = plain_json(part.text)  # escaped, not left out: an id in it is asked with again
        return result

    async def _require_known(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse arguments a tool does not have: a filter under another name would be left out unsaid."""
        takes = [list(tool.input_schema["properties"]) for tool in await self.list_tools() if tool.name == name]
        if takes and (strange := [given for given in arguments if given not in takes[0]]):
            said = f"{name} has no argument {shown(strange[0])}; it has {', '.join(takes[0])}."
            raise ToolError(plain_text(said))


def _sentence(tool: str, error: ValidationError) -> str:
    """Say in words what is wrong with the arguments."""
    parts = []
    for problem in error.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in problem["loc"]) or "the arguments"
        message = str(problem["msg"])
        given = "" if problem["type"] == "missing" else f" (it is {shown(problem['input'])})"
        parts.append(f"{where}: {message[:1].lower()}{message[1:]}{given}")
    return f"The arguments of {tool} do not fit: {'; '.join(parts)}."
