"""An MCP server over a Fourfold graph: tool search, workflow suggestion, knowledge search, explanations, learning."""

from fourfold_mcp.http import http_app
from fourfold_mcp.server import make_server

__version__ = "0.1.0"

__all__ = ["__version__", "http_app", "make_server"]
