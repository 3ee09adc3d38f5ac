"""The SQLite file: the only room that speaks SQL."""

from fourfold.store.detect import ForeignSchema
from fourfold.store.foreign import ForeignFile
from fourfold.store.mirror import Follower, index_path
from fourfold.store.sqlite import FIELDS, OWN_SHARE, TOKEN, Changes, Row, Store, Writer

__all__ = [
    "FIELDS",
    "OWN_SHARE",
    "TOKEN",
    "Changes",
    "Follower",
    "ForeignFile",
    "ForeignSchema",
    "Row",
    "Store",
    "Writer",
    "index_path",
]
