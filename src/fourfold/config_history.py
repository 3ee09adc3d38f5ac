"""Configs as JSON, and the history of those applied to a file.

Only what differs from ``RetrievalConfig()`` is written, so that a file keeps what was learnt for it and takes part in
what later versions of the defaults improve.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

from fourfold.config import RetrievalConfig, TextField
from fourfold.errors import StoreError
from fourfold.intent import IntentSpec
from fourfold.types import Intent, Weights


@dataclass(frozen=True, slots=True)
class ConfigVersion:
    """One config applied to a file: its number from 1 on, when, what it changes, and what spoke for it."""

    number: int
    applied: str
    changes: Mapping[str, Any]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfigHistory:
    """All configs ever applied to a file; ``in_force`` is the number of one of them, or 0 for the defaults."""

    versions: tuple[ConfigVersion, ...] = ()
    in_force: int = 0

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
                return with_changes(RetrievalConfig(), version.changes)
        known = ", ".join(str(version.number) for version in self.versions) or "none"
        raise StoreError(f"There is no config version {number}; applied were: {known} (0 is the defaults).")

    def applied(self, config: RetrievalConfig, when: str, evidence: Mapping[str, Any]) -> ConfigHistory:
        """Return the history with one more version, in force."""
        number = max((version.number for version in self.versions), default=0) + 1
        latest = ConfigVersion(number, when, changes_of(config), dict(evidence))
        return ConfigHistory((*self.versions, latest), number)

    def before(self) -> int:
        """Return the number to go back to: the version before the one in force, or 0."""
        return max((version.number for version in self.versions if version.number < self.in_force), default=0)

    def to_json(self) -> str:
        """Return the history as it is stored."""
        return json.dumps({"in_force": self.in_force, "versions": [asdict(version) for version in self.versions]})

    @classmethod
    def from_json(cls, text: str | None) -> ConfigHistory:
        """Read a stored history; None is an empty one.

        Raises:
            StoreError: it cannot be read.

        """
        if text is None:
            return cls()
        try:
            data = json.loads(text)
            return cls(tuple(ConfigVersion(**version) for version in data["versions"]), int(data["in_force"]))
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"The stored configs cannot be read ({error}); give Retriever a config=.") from error


def changes_of(config: RetrievalConfig) -> dict[str, Any]:
    """Return in JSON types what differs from ``RetrievalConfig()``."""
    default = RetrievalConfig()
    return {
        f.name: _plain(getattr(config, f.name))
        for f in fields(config)
        if _plain(getattr(config, f.name)) != _plain(getattr(default, f.name))
    }


def with_changes(base: RetrievalConfig, changes: Mapping[str, Any]) -> RetrievalConfig:
    """Return the base with stored changes.

    Raises:
        StoreError: a change names no constant of this version, or has a value it cannot take.

    """
    known = {f.name for f in fields(base)}
    if unknown := sorted(set(changes) - known):
        raise StoreError(
            f"The stored config sets {', '.join(unknown)}, unknown to this version of fourfold; upgrade it, or give "
            "Retriever a config=."
        )
    try:
        return replace(base, **{name: _rich(name, value) for name, value in changes.items()})
    except (TypeError, ValueError, KeyError) as error:
        raise StoreError(f"The stored config cannot be read ({error}); give Retriever a config=.") from error


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, str) else value


def _rich(name: str, value: Any) -> Any:
    if name == "text_fields":
        return tuple(TextField(tuple(each["columns"]), each["weight"]) for each in value)
    if name in ("weights", "partial_weights"):
        return Weights(**value)
    if name == "intents":
        return tuple(_intent(each) for each in value)
    return tuple(value) if isinstance(value, list) else value


def _intent(value: Mapping[str, Any]) -> IntentSpec:
    rich: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in value.items()}
    if rich.get("profile") is not None:
        rich["profile"] = Weights(**rich["profile"])
    if rich["name"] in set(Intent):
        rich["name"] = Intent(rich["name"])
    return IntentSpec(**rich)
