"""Arguments as a careless or hostile caller gives them, by a seed: texts, numbers, ids, metadata, filters, nodes."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from fourfold import Edge, Intent, Node, Weights

HUGE = 10**5000
WORDS = (
    "deploy production rollback pipeline database backup restore read write file cache error fails fix how to compare "
    "postgres mysql what are the tools support can it list show me overview i want to improve speed step by step "
    "snake_case kebab-case camelCase HTTPServer file.py long_name() naïve Straße 東京 数据库 データ ภาษาไทย привет "
    "👩‍👩‍👧 then and after not who what where when which whose of in by the same most before both i'm "
    "looking for please grandmother uncle brothers parents born died works boss how many old qui "
    "est wer ist quién 谁 的 什么"
).split()
FRAGMENTS = (
    *("a_", "-", "_", ".", "a.", '"', '"a ', "(", ")", "*", "'s", " ", "\n", "\t", "\0", "中", "é", "e\u0301"),
    *("\ud800", "\udfff", "a", "aB", "1a", "AND ", "NEAR(", "name:", "then ", "and ", ", ", "from a to ", "how is "),
    *("\u202e", "\u200d", "😀", "</b>", "<b>", "&amp;", "[[", "`", "$", "{", "}", "%", "\\", "' OR 1=1 --"),
    *("does a b c ", "is a b ", "can  ", "::", "\ufeff"),
)
IDS = [f"n{number}" for number in range(40)] + ["", "a\0b", "\ud800", "n" * 5000, "n0 ", "N0", "nobody", "naïve", "a:b"]
KEYS = (
    "lang",
    "price",
    "tags",
    "deep",
    "deep.x",
    "deep.x.y",
    "n",
    "",
    "$id",
    "$type",
    "$name",
    "a\0b",
    "日本",
    "k" * 300,
)
TYPES = (
    "requires",
    "feeds_into",
    "part_of",
    "similar_to",
    "has_limitation",
    "mentions",
    "",
    "weird type!",
    "parent of",
    "born_in",
    "manager",
    "出生日期",
    "conflicts_with",
)
OPERATORS = (
    "$eq",
    "$ne",
    "$in",
    "$nin",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$contains",
    "$icontains",
    "$exists",
    "$empty",
    "$not",
)
NUMBERS = (
    *(0, 1, 2, 3, 10, 1000, -1, 0.5, 0.0, -0.0, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf, 2**31, 2**63, 2**64),
    *(10**400, HUGE, -HUGE, True, False, 1e15, 1e16, 1e30, 1e31, Fraction(1, 3), Decimal("0.1"), 1j),
    *(np.float32(0.5), np.int64(3), np.float64("nan"), np.bool_(True), np.uint8(7)),
)  # fmt: skip


class Unshowable:
    """Neither shows nor compares itself."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = object.__hash__


class Word(str):
    """A string of another class."""

    __slots__ = ()


class Chaos:
    """Makes arguments; ``wild`` is the share of those that cannot be meant."""

    def __init__(self, seed: int, wild: float = 0.15) -> None:
        self.random = random.Random(seed)
        self.wild = wild

    def rarely(self, share: float | None = None) -> bool:
        return self.random.random() < (self.wild if share is None else share)

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def count(self, most: int) -> int:
        """Return a number up to ``most``, small ones oftener."""
        return int(most ** self.random.random())

    # -- texts ----------------------------------------------------------------------------------------------------

    def text(self) -> Any:
        if self.rarely(self.wild / 5):
            return self.anything()
        kind = self.random.random()
        if kind < 0.55:
            return " ".join(self.random.choices(WORDS, k=self.count(12)))
        if kind < 0.75:
            return "".join(self.random.choices([*FRAGMENTS, *WORDS], k=self.count(30)))
        if kind < 0.9:
            begin, piece, end = self.random.choices(["", *FRAGMENTS, *WORDS], k=3)
            return begin + piece * self.count(self.one(50, 50, 50, 2_000, 20_000)) + end
        if kind < 0.97:
            return "".join(map(chr, self.random.choices(range(0x250), k=self.count(50))))
        return "".join(map(chr, self.random.choices(range(0x110000), k=self.count(50))))

    def identity(self) -> Any:
        return (
            self.anything()
            if self.rarely(self.wild / 3)
            else self.one(*IDS[:40])
            if self.rarely(0.8)
            else self.one(*IDS)
        )

    def ids(self) -> Any:
        kind = self.random.random()
        if kind < 0.1:
            return self.identity()
        found = [self.identity() for _ in range(self.count(8))]
        return found if kind < 0.8 else self.one(tuple, iter, lambda x: dict.fromkeys(map(str, range(3))))(found)

    # -- numbers --------------------------------------------------------------------------------------------------

    def number(self) -> Any:
        return self.one(*NUMBERS) if self.rarely(0.7) else self.anything()

    def whole(self, most: int = 50) -> Any:
        return self.number() if self.rarely() else self.random.randint(1, most)

    def vector(self, dimensions: int) -> Any:
        if self.rarely():
            wrong = (
                [self.number() for _ in range(self.count(5))],
                ["1", "2"],
                [],
                [[1.0]],
                "abc",
                np.ones((2, 2)),
                [1, "a"],
            )
            return self.one(*wrong, self.anything())
        made = [self.random.gauss(0, 1) for _ in range(dimensions)]
        return self.one(made, tuple(made), np.array(made), np.array(made, np.float16), np.zeros(dimensions))

    # -- metadata and filters -------------------------------------------------------------------------------------

    def scalar(self) -> Any:
        return self.one(
            "en", "de", "", "x", None, True, False, 1, 2, 3, -1, 0.5, 2.5, 10**400, 2**63, "日本", "e\0n", "%"
        )

    def value(self, depth: int = 0) -> Any:
        kind = self.random.random()
        if self.rarely(self.wild / 10):
            return self.anything()
        if kind < 0.7 or depth > 4:
            return self.scalar()
        if kind < 0.85:
            return [self.value(depth + 1) for _ in range(self.count(6))]
        return {self.one("x", "y", "x.y", "", "z"): self.value(depth + 1) for _ in range(self.count(3))}

    def metadata(self) -> Any:
        if self.rarely(self.wild / 3):
            return self.one(self.anything(), nested(self.one(50, 99, 101, 988, 3000)), {True: 1}, {"a": HUGE}, circle())
        made = {self.one(*KEYS): self.value() for _ in range(self.count(5))}
        return MappingProxyType(made) if self.rarely(0.05) else made

    def filter(self, depth: int = 0) -> Any:
        if self.rarely(self.wild / 3):
            return self.one(
                self.anything(), [["lang", "en"]], {1: 2}, circle(), nested(50), {"$or": []}, {"$nor": [{}]}
            )
        if depth < 4 and self.rarely(0.3):
            inner = [self.filter(depth + 1) for _ in range(self.count(4))]
            return self.one({"$and": inner}, {"$or": inner}, {"$not": inner[0]})
        if self.rarely(0.03):
            numbers = range(self.count(5_000))
            return self.one(
                {"n": {"$in": [n + 0.5 for n in numbers]}},
                {"$or": [{"n": n} for n in numbers]},
                {"$and": [{"n": {"$ne": n}} for n in numbers]},
                {"lang": {"$nin": [str(n) for n in numbers]}},
                {str(n): n for n in numbers},
            )
        return {self.one(*KEYS): self.condition() for _ in range(self.count(3))}

    def condition(self) -> Any:
        if self.rarely(0.3):
            return self.scalar()
        return {self.one(*OPERATORS): self.operand() for _ in range(self.count(2))}

    def operand(self) -> Any:
        if self.rarely(self.wild / 5):
            return self.anything()
        return self.one(self.scalar(), [self.scalar() for _ in range(self.count(9))], {"$eq": self.scalar()}, True)

    # -- the words of the project ---------------------------------------------------------------------------------

    def node(self, dimensions: int) -> Any:
        if self.rarely(self.wild / 5):
            return self.anything()
        given = self.vector(dimensions) if self.rarely(0.1) else None
        kind = self.text() if self.rarely(0.1) else self.one("tool", "person", "thing", "")
        return Node(self.identity(), self.text(), kind, self.text(), self.metadata(), given)

    def edge(self) -> Any:
        if self.rarely(self.wild / 5):
            return self.anything()
        kind = self.text() if self.rarely(0.1) else self.one(*TYPES)
        return Edge(self.identity(), self.identity(), kind, self.number() if self.rarely() else self.random.random())

    def weights(self) -> Any:
        if self.rarely():
            return self.one(
                {str(self.one(*WORDS)): 1}, {"text": self.number()}, self.anything(), {"text": 0}, [0.1] * 4
            )
        drawn = [self.one(0, 0.1, 1, 5e-324, 1e300, self.random.random()) for _ in range(4)]
        names = ("embedding", "text", "graph", "intent")
        if self.rarely(0.5):
            return dict(list(zip(names, drawn, strict=True))[: self.count(4)])
        return Weights(*drawn) if any(drawn) else None

    def options(self, dimensions: int) -> dict[str, Any]:
        """Return some options of ``search``."""
        make = {
            "k": self.whole,
            "filter": self.filter,
            "intent": lambda: self.text() if self.rarely() else self.one(*Intent, "default", "semantic"),
            "weights": self.weights,
            "query_vector": lambda: self.vector(dimensions),
            "mode": lambda: self.anything() if self.rarely() else self.one("hybrid", "text", "embedding"),
            "min_score": lambda: self.number() if self.rarely() else self.random.random(),
            "group_by": lambda: self.one(*KEYS) if self.rarely(0.9) else self.anything(),
            "max_per_source": self.whole,
            "no_such_option": self.number,
        }
        chosen = [name for name in make if self.rarely(0.02 if name == "no_such_option" else 0.25)]
        return {name: make[name]() for name in chosen}

    def anything(self) -> Any:
        """Return what nobody asked for."""
        makers = (
            lambda: None,
            lambda: self.one(*NUMBERS),
            lambda: b"bytes",
            lambda: Word("alpha"),
            lambda: [],
            lambda: [self.one(*NUMBERS)],
            lambda: {},
            lambda: {"a": self.one(*NUMBERS)},
            lambda: {1, 2},
            lambda: frozenset({"a"}),
            lambda: object(),
            lambda: Unshowable(),
            lambda: lambda: None,
            lambda: np.array([1.0, 2.0]),
            lambda: np.array("abc"),
            lambda: iter("abc"),
            lambda: range(10**12),
            lambda: datetime.now(UTC),
            lambda: Path("a"),
            lambda: Node("n0"),
            lambda: Edge("n0", "n1"),
            lambda: circle(),
            lambda: nested(2000),
            lambda: "x" * 1_000_001,
            lambda: type,
            lambda: Intent.DEBUGGING,
            lambda: memoryview(b"abc"),
            lambda: (1, "a"),
        )
        return self.one(*makers)()


def nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth):
        value = {"x": value}
    return {"x": value}


def circle() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["x"] = [value, value]
    return value
