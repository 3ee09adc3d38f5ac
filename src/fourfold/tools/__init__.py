"""Tools are nodes too: search over descriptions and graph, workflows with their prerequisites, learning from use."""

from fourfold.tools.catalog import ToolCatalog
from fourfold.tools.config import ToolConfig
from fourfold.tools.meaning import edge_meaning
from fourfold.tools.sources import read_tools
from fourfold.tools.types import Step, Tool, ToolAnswer, ToolEntry, Workflow

__all__ = [
    "Step",
    "Tool",
    "ToolAnswer",
    "ToolCatalog",
    "ToolConfig",
    "ToolEntry",
    "Workflow",
    "edge_meaning",
    "read_tools",
]
