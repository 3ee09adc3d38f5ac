"""The names of the tables in statements; under row-level security, only the rows of nodes that the role may read.

Policies are the owner's and stand on ``nodes``. Everything else belongs to a node, so it is read through it: no
posting, vector or edge counts whose node is hidden, whatever the other tables would show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_NAMES = ("vectors", "words", "postings", "attributes", "edges")


@dataclass(frozen=True)
class Tables:
    """What stands for ``{vectors}`` and the like; names of our own only, never anybody's text."""

    guarded: bool
    _names: Mapping[str, str]
    _known: dict[str, str] = field(default_factory=dict, compare=False)

    def sql(self, template: str) -> str:
        """Return a statement with its tables filled in."""
        found = self._known.get(template)
        if found is None:
            self._known[template] = found = template.format_map(self._names)
        return found


PLAIN = Tables(False, MappingProxyType({name: name for name in _NAMES}))
GUARDED = Tables(
    True,
    MappingProxyType(
        {
            **{name: f"(SELECT g.* FROM {name} g JOIN nodes h ON h.num = g.node)" for name in _NAMES},
            "edges": "(SELECT g.* FROM edges g JOIN nodes h ON h.num = g.source JOIN nodes i ON i.num = g.target)",
        }
    ),
)
