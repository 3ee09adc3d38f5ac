"""The engine of one SQLite file: the index that its rows are searched by."""

from fourfold.engines.sqlite.snapshots import Snapshots

__all__ = ["Snapshots"]
