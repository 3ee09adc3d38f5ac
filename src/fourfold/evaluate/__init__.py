"""Measure a retriever on judged queries, see what each component is worth, and set its weights."""

from fourfold.evaluate.collection import Collection, JudgedQuery, Judgements, load_collection, load_judgements

__all__ = ["Collection", "JudgedQuery", "Judgements", "load_collection", "load_judgements"]
