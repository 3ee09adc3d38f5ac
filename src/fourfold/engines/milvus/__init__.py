"""The engine of one graph in Milvus: in a cluster, or in a local file by Milvus Lite."""

from __future__ import annotations

from fourfold.engines.base import Backend
from fourfold.engines.milvus.address import Address
from fourfold.engines.milvus.backend import MilvusBackend

__all__ = ["MilvusBackend", "open_backend"]


def open_backend(url: str, *, read_only: bool, must_exist: bool) -> Backend:
    """Open a graph, ``milvus://host:19530/database`` or ``milvus:///folder/file.db``; see ``fourfold.engines``."""
    return MilvusBackend(Address.of(url), read_only=read_only, must_exist=must_exist)
