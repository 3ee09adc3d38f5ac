"""What JSON schemas tell: parameters as words, and which tool's output fits which tool's input."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

from fourfold.tokenizer import split_identifier
from fourfold.types import Edge

_DEEPEST = 4
_MOST_FIELDS = 200
_MOST_PARTS = 10_000
_LONGEST_CHAIN = 100
_MOST_PROVIDERS = 5
_GENERIC = frozenset(
    "id ids name names text value values data result results content query type key url path message status code "
    "success error errors count total limit offset page title description items list body format options input output "
    "response ok".split()
)
"""Field names that say nothing of what the value is; sharing one links no tools."""

_SETTINGS = frozenset(
    "timezone time_zone tz language lang locale encoding currency country country_code region unit units date time "
    "datetime timestamp start end start_date end_date start_time end_time created_at updated_at year month day sort "
    "sort_by order order_by cursor page_size page_token next_page_token per_page version api_version".split()
)
"""Field names of what a caller chooses and an answer repeats; no tool is called to get one for another."""


@dataclass(frozen=True, slots=True)
class Field:
    """A property of a schema: dotted path, last name, JSON type (or ``"any"``), whether required, what it says."""

    path: str
    name: str
    type: str
    required: bool
    description: str


def fields(schema: Mapping[str, Any]) -> list[Field]:
    """Return the properties of a JSON schema, nested ones by dotted path.

    References inside the schema are followed, a loop of references once; arrays count as what they hold. At most 200
    properties, 4 levels deep, of the first 10,000 parts.
    """
    return list(islice(_SchemaReader(schema).below(schema), _MOST_FIELDS))


class _SchemaReader:
    """Reads one schema; few parts that refer to each other may be met any number of times."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST_PARTS

    def below(
        self,
        schema: object,
        prefix: str = "",
        required: bool = True,
        followed: frozenset[str] = frozenset(),
        depth: int = 0,
        needed: frozenset[str] = frozenset(),
    ) -> Iterator[Field]:
        """Yield the properties of an object; ``needed`` are those that the schemas it is a part of require."""
        node, followed = self._met(schema, followed)
        if node is None or depth > _DEEPEST:
            return
        if required:
            needed |= self._needed(node, followed, depth)
        for keyword in ("allOf", "anyOf", "oneOf"):
            for part in _listed(node.get(keyword)):
                yield from self.below(part, prefix, required and keyword == "allOf", followed, depth + 1, needed)
        if "items" in node:
            yield from self.below(node["items"], prefix, required, followed, depth + 1)
        properties = node.get("properties")
        if not isinstance(properties, Mapping):
            return
        for name, part in properties.items():
            inner, seen = self._met(part, followed)
            path = f"{prefix}{name}"
            must = name in needed
            description = str((inner or {}).get("description", ""))
            yield Field(path, str(name), _type_of(inner), must, description)
            if inner is not None:
                yield from self.below(inner, f"{path}.", required and must, seen, depth + 1)

    def _needed(self, node: Mapping[str, Any], followed: frozenset[str], depth: int) -> frozenset[str]:
        """Return the names that a schema requires, by itself or by all the parts it is made of."""
        names = frozenset(name for name in _listed(node.get("required")) if isinstance(name, str))
        for part in _listed(node.get("allOf")) if depth < _DEEPEST else ():
            inner, seen = self._met(part, followed)
            if inner is not None:
                names |= self._needed(inner, seen, depth + 1)
        return names

    def _met(self, schema: object, followed: frozenset[str]) -> tuple[Mapping[str, Any] | None, frozenset[str]]:
        """Return what a part refers to; None once so many were met."""
        self._left -= 1
        return _resolve(schema, self._root, followed) if self._left > 0 else (None, followed)


def referred(given: object, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return a mapping, or the one that its local reference leads to; None where that loops or leads nowhere."""
    return _resolve(given, root, frozenset())[0]


def _resolve(
    schema: object, root: Mapping[str, Any], followed: frozenset[str]
) -> tuple[Mapping[str, Any] | None, frozenset[str]]:
    """Follow local references; None where they loop or lead nowhere."""
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        reference: str = schema["$ref"]
        if reference in followed or len(followed) >= _LONGEST_CHAIN or not reference.startswith("#"):
            return None, followed
        followed |= {reference}
        schema = root
        for part in reference.lstrip("#").strip("/").split("/"):
            if part:
                part = unquote(part).replace("~1", "/").replace("~0", "~")
                schema = schema.get(part) if isinstance(schema, Mapping) else None
    return (schema if isinstance(schema, Mapping) else None), followed


def _type_of(schema: Mapping[str, Any] | None) -> str:
    given = (schema or {}).get("type")
    if isinstance(given, list):
        given = next((name for name in given if name != "null"), None)
    if given == "array" and schema is not None:
        inner = schema.get("items")
        given = inner.get("type") if isinstance(inner, Mapping) else None
    return given if isinstance(given, str) else "any"


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def parameter_text(schema: Mapping[str, Any]) -> str:
    """Return names and descriptions of the parameters as one searchable text."""
    parts = [f"{field.path}: {field.description}" if field.description else field.path for field in fields(schema)]
    return f"Parameters: {'; '.join(parts)}." if parts else ""


def schema_edges(schemas: Mapping[str, tuple[Sequence[Field], Sequence[Field]]]) -> list[Edge]:
    """Return ``provides`` and ``requires`` edges between tools whose output fits another's required input.

    A field fits by its name (as words, without regard to writing) and type. Names that say nothing (``id``, ``text``),
    settings (``timezone``), yes-or-no values and what a tool itself cannot do without fit nothing. Several tools
    can provide one input: each edge weighs ``1 / providers``, and beyond 5 providers a field says nothing either.

    ``schemas`` has the input and output fields of each tool, by id.
    """
    providers = _providers(schemas)
    best: dict[tuple[str, str], float] = {}
    for tool, (inputs, _) in schemas.items():
        for name, field in _meant(field for field in inputs if field.required):
            by_type = providers.get(name, {})
            fitting = {other for kind, tools in by_type.items() if _fits(kind, field.type) for other in tools} - {tool}
            for other in fitting if len(fitting) <= _MOST_PROVIDERS else ():
                best[other, tool] = max(best.get((other, tool), 0.0), 1.0 / len(fitting))
    return [
        edge
        for (provider, user), weight in sorted(best.items())
        for edge in (Edge(provider, user, "provides", weight), Edge(user, provider, "requires", weight))
    ]


def _providers(schemas: Mapping[str, tuple[Sequence[Field], Sequence[Field]]]) -> dict[str, dict[str, set[str]]]:
    """Return which tools put out each field, by its name and type; what a tool itself needs it does not provide."""
    providers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for tool, (inputs, outputs) in schemas.items():
        needed = {name for name, _ in _meant(field for field in inputs if field.required)}
        for name, field in _meant(outputs):
            if name not in needed and field.type != "boolean":
                providers[name][field.type].add(tool)
    return providers


def _meant(found: Iterable[Field]) -> Iterator[tuple[str, Field]]:
    """Yield the fields whose names say something, each with its name as words."""
    for field in found:
        if (name := _meaningful(field.name)) is not None:
            yield name, field


def _meaningful(name: str) -> str | None:
    words = [part.lower() for word in re.split(r"\W+", name) for part in split_identifier(word) if part]
    joined = "_".join(words)
    return None if not words or joined in _GENERIC or joined in _SETTINGS else joined


def _fits(given: str, wanted: str) -> bool:
    return given == wanted or "any" in (given, wanted) or {given, wanted} == {"integer", "number"}


def field_record(found: Iterable[Field]) -> list[list[Any]]:
    """Return fields as JSON values, to be stored with a tool; ``fields_of`` reads them back."""
    return [[field.path, field.type, field.required] for field in found]


def fields_of(record: object) -> list[Field]:
    """Return the fields a stored record tells of, without descriptions; what is no record has none."""
    return [
        Field(str(row[0]), str(row[0]).rpartition(".")[2], str(row[1]), bool(row[2]), "")
        for row in _listed(record)
        if isinstance(row, list) and len(row) == 3
    ]
