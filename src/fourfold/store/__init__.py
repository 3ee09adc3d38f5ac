"""The SQLite file: the only room that speaks SQL."""

from fourfold.store.detect import ForeignSchema
from fourfold.store.foreign import ForeignFile, ForeignGraph
from fourfold.store.mirror import Mirror
from fourfold.store.sqlite import FIELDS, TOKEN, Changes, Row, Store, Writer

__all__ = [
    "FIELDS",
    "TOKEN",
    "Changes",
    "ForeignFile",
    "ForeignGraph",
    "ForeignSchema",
    "Mirror",
    "Row",
    "Store",
    "Writer",
]
