"""What the name of an edge type says about the order of tools, by the one table of ``fourfold.edge_types``.

Tool collections name their dependencies differently (``depends_on``, ``uses``, ``prerequisite_of``,
``parameter_indirectly_depends_on``, ``followed_by``); the table and the words in the name are enough to read them.
"""

from __future__ import annotations

from fourfold.arguments import string
from fourfold.edge_types import ROLES, reading
from fourfold.tools.config import Meaning


def edge_meaning(edge_type: str) -> Meaning:
    """Return what an edge of this type says, by its name."""
    read = reading(string(edge_type, "edge_type"))
    if read is None:
        return "link"
    role = ROLES[read.role]
    if role.excludes:
        return "apart"
    if role.need or role.order:
        if read.denied:
            return "apart"
        if role.need:
            return "needed_by" if read.inverse else "may_need" if read.optional else "needs"
        return "before" if (role.order > 0) != read.inverse else "after"
    return "link"
