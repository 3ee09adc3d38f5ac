"""Nodes as rows of the table ``nodes``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fourfold.engines.postgres.keepable import keepable
from fourfold.frozen import freeze
from fourfold.types import Node

NODE = "num, id, name, type, text, metadata::text"
"""The columns of a node, with its number."""


def node_of(row: Sequence[Any]) -> Node:
    """Return the node of a row of id, name, type, text and metadata."""
    identity, name, kind, text, metadata = row
    return Node(identity, name, kind, text, freeze(json.loads(metadata)))


def sendable(texts: Sequence[str]) -> list[str]:
    """Return those of these strings that any row can hold."""
    return [text for text in texts if keepable(text)]
