"""Configs as JSON, and the history of those applied to a file.

Only what differs from ``RetrievalConfig()`` is written, so that a file keeps what was learnt for it and takes part in
what later versions of the defaults improve.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from types import MappingProxyType
from typing import Any

from fourfold.arguments import json_mapping, said, shown, string, whole_number
from fourfold.config import RetrievalConfig, TextField
from fourfold.errors import StoreError
from fourfold.intent import IntentSpec, of_file
from fourfold.types import Intent, Weights

Place = tuple[str, str]
"""Where a constant stands: (group, name); the group of ``limit`` is empty."""

FLAT_NAMES: Mapping[str, Place] = MappingProxyType(
    {
        "cache_seconds": ("index", "cache_seconds"),
        "cache_size": ("index", "cache_size"),
        "language": ("text", "language"),
        "tokenizer": ("text", "tokenizer"),
        "text_fields": ("text", "fields"),
        "k1": ("text", "k1"),
        "b": ("text", "b"),
        "keyword_boost": ("text", "keyword_boost"),
        "keyword_prefix": ("text", "keyword_prefix"),
        "scaling": ("fusion", "scaling"),
        "background": ("fusion", "background"),
        "candidate_multiplier": ("fusion", "candidate_multiplier"),
        "weights": ("fusion", "weights"),
        "partial_weights": ("fusion", "partial_weights"),
        "intent_tilt": ("fusion", "intent_tilt"),
        "normalize_weights": ("fusion", "normalize_weights"),
        "clip": ("fusion", "clip"),
        "fill": ("fusion", "fill"),
        "seeds_per_component": ("seeds", "per_component"),
        "seed_sharpness": ("seeds", "sharpness"),
        "edge_type_weights": ("graph", "type_weights"),
        "unknown_edge_weight": ("graph", "unknown_weight"),
        "related_types": ("graph", "related_types"),
        "forward": ("graph", "forward"),
        "backward": ("graph", "backward"),
        "untyped_edge_weight": ("graph", "untyped_weight"),
        "untyped_backward": ("graph", "untyped_backward"),
        "degree_exponent": ("graph", "degree_exponent"),
        "hub_cap": ("graph", "hub_cap"),
        "second_hop": ("graph", "second_hop"),
        "published_second_hop": ("graph", "published_second_hop"),
        "pagerank_share": ("graph", "pagerank_share"),
        "pagerank_min_edges": ("graph", "pagerank_min_edges"),
        "intents": ("intents", "specs"),
        "chosen_types": ("intents", "chosen_types"),
        "chosen_sharpness": ("intents", "chosen_sharpness"),
        "chosen_enough": ("intents", "chosen_enough"),
        "chosen_second_hop": ("intents", "chosen_second_hop"),
        "diversity_bonus": ("diversity", "bonus"),
        "diversity_min_edges": ("diversity", "min_edges"),
        "diversity_min_hits": ("diversity", "min_hits"),
        "exact_communities": ("diversity", "exact_communities"),
        "embed_name_times": ("embedding", "name_times"),
        "embed_type": ("embedding", "with_type"),
    }
)
"""What the constants were called in files written before there were groups."""

_PHRASE = ("phrase_search", "phrase_quoted_only")
"""Two flags before there were groups, now ``text.phrase``."""


@dataclass(frozen=True, slots=True)
class ConfigVersion:
    """One config applied to a file: its number from 1 on, when, what it changes, and what spoke for it."""

    number: int
    applied: str
    changes: Mapping[str, Any]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfigHistory:
    """All configs ever applied to a file; ``in_force`` is the number of one of them, or 0 for the defaults.

    ``over`` has, by the number of a version, which one was in force when it was applied, where that was not the version
    before it: one that had been taken back does not come again when the next is.
    """

    versions: tuple[ConfigVersion, ...] = ()
    in_force: int = 0
    over: Mapping[int, int] = field(default_factory=dict)

    def config(self) -> RetrievalConfig:
        """Return the config in force."""
        return self.version(self.in_force)

    def version(self, number: int) -> RetrievalConfig:
        """Return the config of that number; 0 is the defaults.

        Raises:
            StoreError: there is no such version.

        """
        if number == 0:
            return RetrievalConfig()
        for version in self.versions:
            if version.number == number:
                return with_changes(RetrievalConfig(), version.changes, from_file=True)
        known = ", ".join(str(version.number) for version in self.versions) or "none"
        raise StoreError(f"There is no config version {shown(number)}; applied were: {known} (0 is the defaults).")

    def applied(self, config: RetrievalConfig, when: str, evidence: Mapping[str, Any]) -> ConfigHistory:
        """Return the history with one more version, in force."""
        last = max((version.number for version in self.versions), default=0)
        latest = ConfigVersion(last + 1, when, changes_of(config), dict(evidence))
        over = {**self.over} if self.in_force == last else {**self.over, last + 1: self.in_force}
        return ConfigHistory((*self.versions, latest), last + 1, over)

    def before(self) -> int:
        """Return the number to go back to: what was in force when the version in force was applied, or 0."""
        below = max((version.number for version in self.versions if version.number < self.in_force), default=0)
        return self.over.get(self.in_force, below)

    def to_json(self) -> str:
        """Return the history as it is stored."""
        kept: dict[str, Any] = {"in_force": self.in_force, "versions": [asdict(version) for version in self.versions]}
        return json.dumps(kept | ({"over": dict(self.over)} if self.over else {}))

    @classmethod
    def from_json(cls, text: str | None) -> ConfigHistory:
        """Read a stored history; None is an empty one.

        Raises:
            StoreError: it cannot be read.

        """
        if text is None:
            return cls()
        with _reading("configs"):
            data = json.loads(text)
            return cls(
                tuple(_version(**version) for version in data["versions"]),
                whole_number(data["in_force"], "in_force", least=0),
                {int(number): whole_number(was, "over", least=0) for number, was in data.get("over", {}).items()},
            )


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turn what reading raises that no version of fourfold stores into a StoreError."""
    try:
        yield
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise StoreError(f"The stored {what} cannot be read ({said(error)}); give Retriever a config=.") from error


def _version(
    number: object, applied: object, changes: object, evidence: Mapping[str, Any] | None = None
) -> ConfigVersion:
    """Return a stored version, or raise InvalidValueError."""
    return ConfigVersion(
        whole_number(number, "number"),
        string(applied, "applied"),
        json_mapping(changes, "changes"),
        json_mapping(evidence or {}, "evidence"),
    )


def changes_of(config: RetrievalConfig) -> dict[str, Any]:
    """Return in JSON types what differs from ``RetrievalConfig()``, group by group."""
    default = RetrievalConfig().as_dict()
    changes: dict[str, Any] = {}
    for name, value in config.as_dict().items():
        if isinstance(value, dict):
            value = {constant: each for constant, each in value.items() if each != default[name][constant]}
        if value not in (default[name], {}):
            changes[name] = value
    return changes


def with_changes(base: RetrievalConfig, changes: Mapping[str, Any], *, from_file: bool = False) -> RetrievalConfig:
    """Return the base with stored changes, by group or by the flat names of files written before there were groups.

    Args:
        base: what is changed.
        changes: as ``changes_of`` returns them.
        from_file: somebody else may have made them.

    Raises:
        StoreError: a change names no constant of this version, or has a value it cannot take.

    """
    with _reading("config"):
        found = dict(_constants(changes))
    known = _names(base)
    if unknown := sorted(".".join(filter(None, place)) for place in found if place not in known):
        raise StoreError(
            f"The stored config sets {', '.join(unknown)}, unknown to this version of fourfold; upgrade it, or give "
            "Retriever a config=."
        )
    grouped: dict[str, Any] = {}
    with _reading("config"):
        for (group, name), value in found.items():
            into = grouped.setdefault(group, {}) if group else grouped
            into[name] = _rich(group, name, value, from_file)
        return base.replace(**grouped)


def _constants(changes: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield where each stored constant stands now, and its value."""
    groups = {group for group, _ in _names(RetrievalConfig())}
    for name, value in changes.items():
        if name in groups and isinstance(value, Mapping):
            yield from (((name, constant), each) for constant, each in value.items())
        elif name == "use_edge_weights":  # a flag before there were groups
            yield ("graph", "edge_weights"), "log1p" if value else "none"
        elif name not in _PHRASE:
            yield FLAT_NAMES.get(name, ("", name)), value
    if any(name in changes for name in _PHRASE):
        search, quoted = (changes.get(name, True) for name in _PHRASE)
        yield ("text", "phrase"), "never" if not search else "quoted" if quoted else "always"


def _names(config: RetrievalConfig) -> set[Place]:
    """Return where every constant stands."""
    names: set[Place] = set()
    for name, value in ((f.name, getattr(config, f.name)) for f in fields(config)):
        names |= {(name, f.name) for f in fields(value)} if is_dataclass(value) else {("", name)}
    return names


def _rich(group: str, name: str, value: Any, from_file: bool) -> Any:
    match group, name:
        case "text", "fields":
            return tuple(TextField(tuple(each["columns"]), each["weight"]) for each in value)
        case "fusion", "weights" | "partial_weights":
            return None if value is None else Weights(**value)
        case "intents", "specs":
            specs = tuple(_intent(each, from_file) for each in value)
            return of_file(specs) if from_file else specs
    return tuple(value) if isinstance(value, list) else value


def _intent(value: Mapping[str, Any], from_file: bool) -> IntentSpec:
    rich: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in value.items()}
    if rich.get("profile") is not None:
        rich["profile"] = Weights(**rich["profile"])
    if rich["name"] in set(Intent):
        rich["name"] = Intent(rich["name"])
    return IntentSpec(**rich | {"from_file": from_file})
