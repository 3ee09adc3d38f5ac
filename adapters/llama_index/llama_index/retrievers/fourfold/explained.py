"""LlamaIndex nodes with a breakdown of their score, which are otherwise the nodes they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeGuard

from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    TextNode,
)

from fourfold import breakdown
from fourfold.breakdown import BREAKDOWN


class Explained:
    """A node that carries a breakdown, and is otherwise the node it was.

    The breakdown is in the metadata, where users look, but neither in ``hash``, by which fusion tells duplicates, nor
    in any text made of the metadata, nor in comparisons.
    """

    plain: ClassVar[type[BaseNode]]

    def without_breakdown(self) -> BaseNode:
        """Return a copy as one of LlamaIndex's own classes, without the breakdown."""
        values = dict(self.__dict__)
        values["metadata"] = without_breakdown(values["metadata"])
        for keys in ("excluded_llm_metadata_keys", "excluded_embed_metadata_keys"):
            values[keys] = [key for key in values[keys] if key != BREAKDOWN]
        return self.plain.model_construct(**values)

    @property
    def hash(self) -> str:
        """The hash of the node without its breakdown."""
        return self.without_breakdown().hash

    def get_metadata_str(self, mode: MetadataMode = MetadataMode.ALL) -> str:
        """Return the metadata as text, without the breakdown."""
        return self.without_breakdown().get_metadata_str(mode)

    def __eq__(self, other: object) -> bool:
        return self.without_breakdown() == (other.without_breakdown() if isinstance(other, Explained) else other)

    __hash__ = None  # type: ignore[assignment]  # nodes are mutable


class _TextNode(Explained, TextNode):
    plain: ClassVar[type[BaseNode]] = TextNode


class _ImageNode(Explained, ImageNode):
    plain: ClassVar[type[BaseNode]] = ImageNode


class _IndexNode(Explained, IndexNode):
    plain: ClassVar[type[BaseNode]] = IndexNode


class _Node(Explained, Node):
    plain: ClassVar[type[BaseNode]] = Node


class _Document(Explained, Document):
    plain: ClassVar[type[BaseNode]] = Document


class _ImageDocument(Explained, ImageDocument):
    plain: ClassVar[type[BaseNode]] = ImageDocument


EXPLAINED: Mapping[type[BaseNode], type[BaseNode]] = {
    TextNode: _TextNode,
    ImageNode: _ImageNode,
    IndexNode: _IndexNode,
    Node: _Node,
    Document: _Document,
    ImageDocument: _ImageDocument,
}
BY_NAME: Mapping[str, type[BaseNode]] = {cls.class_name(): cls for cls in EXPLAINED}


def is_breakdown(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Tell a breakdown from a user's own ``fourfold``, by its keys and by what is read back of it."""
    if not breakdown.is_breakdown(value, text=str, labels=list):
        return False
    return "labels" not in value or value.keys() >= {"name", "type", "text"}


def without_breakdown(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's metadata as they were before it was found."""
    told = metadata.get(BREAKDOWN)
    own = told["metadata"] if is_breakdown(told) and "metadata" in told else {}
    return {
        key: own.get(key, value) if key == BREAKDOWN else value
        for key, value in metadata.items()
        if key != BREAKDOWN or BREAKDOWN in own
    }
