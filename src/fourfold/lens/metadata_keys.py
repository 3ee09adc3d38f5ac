"""Which metadata keys a graph has, and which values: what the filter offers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fourfold import Node
from fourfold.markup import cut

_MOST_KEYS = 100
_MOST_VALUES = 50
_LONGEST_VALUE = 80


@dataclass(frozen=True, slots=True)
class Key:
    """A metadata key: what its values are ("number", "boolean", "text" or "mixed"), and the most frequent of them."""

    name: str
    kind: str
    values: tuple[str, ...]

    @property
    def label(self) -> str:
        """What it is called on a page."""
        return "type" if self.name == "$type" else cut(self.name, _LONGEST_VALUE)


def keys_of(nodes: Iterable[Node]) -> tuple[Key, ...]:
    """Return the metadata keys of some nodes, the most frequent first, with node type before them."""
    seen: dict[str, Counter[Any]] = {}
    for node in nodes:
        if node.type:
            seen.setdefault("$type", Counter())[node.type] += 1
        for key, value in _values(node.metadata):
            seen.setdefault(key, Counter())[value] += 1
    ordered = sorted(seen, key=lambda key: (key != "$type", -seen[key].total(), key))
    return tuple(_key(name, seen[name]) for name in ordered[:_MOST_KEYS])


def _values(metadata: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str | int | float]]:
    """Yield what a filter can ask for: (dotted key, value), an element of a list by itself."""
    for key, value in metadata.items():
        path = f"{prefix}{key}"
        if path.startswith("$"):  # is an operator to a filter
            continue
        if isinstance(value, Mapping):
            yield from _values(value, f"{path}.")
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, (str, int, float)):
                yield path, each


def _key(name: str, seen: Counter[Any]) -> Key:
    values = list(seen)
    if all(isinstance(value, bool) for value in values):
        kind = "boolean"
    elif all(isinstance(value, (int, float)) for value in values):
        kind = "number"
    else:
        kind = "text" if all(isinstance(value, str) for value in values) else "mixed"
    common = [value for value, _ in seen.most_common(_MOST_VALUES)]
    told = [str(value).lower() if kind == "boolean" else str(value) for value in common]
    return Key(name, kind, tuple(value for value in told if len(value) <= _LONGEST_VALUE))
