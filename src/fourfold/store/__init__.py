"""The SQLite file: the only room that speaks SQL."""

from fourfold.store.sqlite import FIELDS, TOKEN, Changes, Row, Store, Writer

__all__ = ["FIELDS", "TOKEN", "Changes", "Row", "Store", "Writer"]
