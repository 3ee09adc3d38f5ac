"""Names of the last version of the Retriever, which warn and lead to what they named."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

MOVED: Mapping[str, str] = MappingProxyType(
    {
        "feedback": "learning.feedback",
        "judgements": "learning.judgements",
        "apply_config": "learning.apply_config",
        "rollback_config": "learning.rollback_config",
        "config_versions": "learning.config_versions",
        "reembed": "maintenance.reembed",
        "forget_answers": "maintenance.forget_answers",
        "prepare": "analysis.prepare",
        "snapshot": "analysis.snapshot",
        "text_of": "analysis.text_of",
        "store": "backend",
    }
)
"""Names of the last version, and where what they named is now."""

GONE: Mapping[str, str] = MappingProxyType(
    {
        "index": "analysis.snapshot()",
        "scores": "analysis.scores(query, nodes)",
        "metadata_texts": "backend.wording.metadata()",
    }
)
"""Names of the last version that told of arrays over the whole graph, and what tells the same of a part."""


class DeprecatedNames:
    """What was a Retriever's own and is a part's now."""

    if not TYPE_CHECKING:  # to a type checker the old names are gone

        def __getattr__(self, name: str) -> Any:
            """Return what a name of the last version named, with a DeprecationWarning."""
            if (there := MOVED.get(name)) is None:
                there = f"; see Retriever.{GONE[name]}" if name in GONE else ""
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{there}")
            warnings.warn(
                f"Retriever.{name} is now Retriever.{there}; the old name goes with the next version.",
                DeprecationWarning,
                stacklevel=2,
            )
            return attrgetter(there)(self)
