"""Graphs that have everything an engine can stumble over; the same in every process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from fourfold.types import Edge, Node

_WORDS = (
    "write read delete file folder network server client cache index vector graph node edge token secret release "
    "deploy rollback monitor alert queue worker schedule retry timeout latency error budget owner team invoice "
    "payment refund customer order stock ship parcel warehouse forecast model train evaluate metric dashboard"
).split()
_TYPES = ("depends_on", "mentions", "owned_by", "part_of", "requires", "")
_KINDS = ("tool", "service", "document", "person")
_UNUSUAL = (
    Node(id='quote " and \\ back', name="quotes", text='"; DROP TABLE nodes; --'),
    Node(id="zeilen\numbruch\ttab", name="Ünïcödé ÄÖÜ ß 検索", type="ЖЁ", text="naïve café – 東京タワー 🙂"),
    Node(id="%s {0} $1 :x ?", name="%(name)s", text="100 % {braces} $2 :named ?"),
    Node(id=" ", name="", type="", text=""),
    Node(id="𝔸", name="plain", text="plain text", metadata={"": {"": [[], {}, None]}, "a.b": 1}),
)
METADATA: Sequence[dict[str, Any]] = (
    {"lang": "en", "year": 2020, "tags": ["a", "b"], "nested": {"deep": {"x": 1}}},
    {"lang": "de", "year": 2021.5, "tags": [], "score": -0.25},
    {"lang": "EN", "year": "2020", "tags": ["B", 3], "flag": True},
    {"lang": None, "flag": False, "big": 2**63 - 1, "huge": 10**25},
    {"lang": "", "text": "Straße nach Überlingen", "tags": None, "nested": {"deep": None}},
    {"year": 2019, "long": "x" * 5000, "list": [1, 2.5, "2.5", True, None, {"in": 1}]},
    {},
)
FILTERS: Sequence[dict[str, Any]] = (
    {"lang": "en"},
    {"lang": {"$ne": "en"}},
    {"lang": {"$in": ["en", "de", None]}},
    {"lang": {"$nin": ["en", ""]}},
    {"lang": None},
    {"la\x00ng": "en"},
    {"lang": {"$ne": "e\x00n"}},
    {"year": {"$gt": 2019, "$lte": 2021}},
    {"year": {"$gte": "2020"}},
    {"year": {"$lt": 2021.5}},
    {"year": 2020},
    {"year": 2020.0},
    {"big": 2**63 - 1},
    {"big": {"$gt": 2**62}},
    {"huge": {"$gt": 1e20}},
    {"score": {"$lt": 0}},
    {"flag": True},
    {"flag": {"$ne": 1}},
    {"tags": "a"},
    {"tags": {"$contains": "B"}},
    {"tags": {"$icontains": "b"}},
    {"tags": 3},
    {"text": {"$contains": "nach"}},
    {"text": {"$icontains": "ÜBER"}},
    {"lang": {"$icontains": "E"}},
    {"lang": {"$empty": True}},
    {"tags": {"$empty": False}},
    {"nested.deep.x": 1},
    {"nested.deep": {"$exists": True}},
    {"nested": {"$exists": False}},
    {"long": "x" * 5000},
    {"long": {"$contains": "xxx"}},
    {"list": 2.5},
    {"list": "2.5"},
    {"list.in": {"$exists": True}},
    {"a.b": 1},
    {"$id": {"$in": ["n1", "n2", "missing"]}},
    {"$type": "tool"},
    {"$name": {"$icontains": "ÜN"}},
    {"$name": {"$gt": "m"}},
    {"$not": {"lang": "en"}},
    {"$or": [{"lang": "en"}, {"$and": [{"year": 2019}, {"long": {"$exists": True}}]}]},
    {"$and": [{"$not": {"lang": "en"}}, {"$not": {"year": {"$gt": 2020}}}, {"lang": {"$exists": True}}]},
    {"lang": {"$not": {"$in": ["en", "de"]}}},
    {"lang": "' OR '1'='1"},
    {"missing": {"$exists": True}},
)
QUESTIONS = (
    "deploy the release to the server",
    "what depends on the payment service",
    "write file",
    "who owns the invoice",
    "retry after timeout of the network client",
    "compare forecast and stock",
    "how to delete a secret token",
    "schedule",
    "nothing here is known zzz",
    "",
    "café 東京 quotes",
    "explain step by step how an order is shipped from the warehouse to the customer and refunded",
)


def sample(nodes: int = 150, seed: int = 0) -> tuple[list[Node], list[Edge]]:
    """Return a graph: texts of few words so that scores tie, all kinds of metadata, a hub, loops and parallel edges."""
    chance = random.Random(seed)
    found = list(_UNUSUAL)
    for number in range(nodes - len(_UNUSUAL)):
        words = chance.choices(_WORDS, k=chance.randint(3, 25))
        name = " ".join(chance.choices(_WORDS, k=chance.randint(1, 2)))
        metadata = METADATA[number % len(METADATA)]
        found.append(Node(f"n{number}", name, chance.choice(_KINDS), " ".join(words), metadata))
    ids = [node.id for node in found]
    edges = {}
    for _ in range(3 * nodes):
        edge = Edge(chance.choice(ids), chance.choice(ids), chance.choice(_TYPES), chance.choice((0.0, 0.5, 1.0, 3.0)))
        edges[edge.source, edge.target, edge.type] = edge
    for other in ids:
        edges[ids[-1], other, "part_of"] = Edge(ids[-1], other, "part_of", 1.0)
    return found, list(edges.values())
