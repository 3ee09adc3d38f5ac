"""How others call the tables and columns of a graph: what says nodes, edges, ends, names, texts and vectors."""

from __future__ import annotations

import re
from functools import lru_cache

Words = tuple[str, ...]

OF_GRAPHS = frozenset(("node", "entity", "concept", "vertex"))
NODE_TABLES = OF_GRAPHS | frozenset("item thing document tool resource term topic page object record article".split())
"""… the others are tables of businesses, too."""
EDGE_TABLES = frozenset(
    (
        *("edge", "relation", "relationship", "link", "triple", "connection", "arc", "fact", "association", "rel"),
        "statement",
    )
)
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("src", "dest"),
    ("src", "tgt"),
    ("from", "to"),
    ("head", "tail"),
    ("subject", "object"),
    ("subj", "obj"),
    ("source", "destination"),
    ("origin", "destination"),
    ("start", "end"),
    ("parent", "child"),
    ("left", "right"),
    ("s", "o"),
    ("h", "t"),
    ("u", "v"),
    ("a", "b"),
    ("1", "2"),
)
PLAIN = 2 * ENDS.index(("source", "destination"))
"""Ends up to this rank are those of edges whatever the table is called; "a" and "b" may be anything."""
IDS = ("id", "uid", "uuid", "key", "identifier", "iri", "uri", "qid", "slug", "pk")
NAMES = ("name", "title", "label", "term", "headline", "heading", "caption")
TYPES = ("type", "kind", "category", "class", "label", "labels", "group")
PERSONAL = frozenset(
    (
        *(("first", "name"), ("middle", "name"), ("last", "name"), ("given", "name"), ("family", "name")),
        *(("firstname",), ("lastname",), ("forename",), ("surname",)),
    )
)
TEXTS = (
    *("description", "desc", "text", "summary", "content", "contents", "body", "definition", "abstract", "notes"),
    *("note", "details", "detail", "docstring", "documentation", "comment", "snippet", "explanation", "observation"),
    *("observations", "passage", "chunk", "gloss", "bio", "overview"),
)
VECTORS = ("embedding", "embeddings", "vector", "vectors", "vec", "emb")
VECTOR_VALUES = (*VECTORS, "data", "value", "values", "blob")
RELATIONS = (
    *("type", "relation", "relationship", "predicate", "kind", "rel", "label", "verb", "property", "role", "category"),
    *("name", "pred", "p"),
)
WEIGHTS = ("weight", "weights", "w", "strength", "score", "confidence", "similarity", "probability")
JSON = ("metadata", "cmetadata", "meta", "properties", "props", "attributes", "attrs", "payload", "extra", "json")


_PLURALS = (
    *(("vertices", "vertex"), ("ies", "y"), ("xes", "x"), ("sses", "ss"), ("shes", "sh"), ("tches", "tch")),
    *(("nches", "nch"), ("rches", "rch"), ("ss", "ss"), ("s", "")),
)


@lru_cache(10_000)
def words(name: str) -> Words:
    """Return an identifier as lower-cased words: ``sourceId``, ``source_id`` and ``Source ID`` are the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=\d)", " ", name)
    return tuple(word for word in re.split(r"[\W_]+", spaced.lower()) if word)


def singular(word: str) -> str:
    """Return a word of an English plural without the ending; any other as it is."""
    for plural, one in _PLURALS:
        if word.endswith(plural):
            return word[: -len(plural)] + one
    return word
