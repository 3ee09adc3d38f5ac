"""Labels that are paths, cut into what each part says: ``/film/actor/film./film/performance/film``.

A path leads from a kind of thing over its properties: the last part says where its edges end, the part before the first
property what stands where they begin (an actor), a property on the way (``awards_won`` in
``/award/award_winner/awards_won./award/award_honor/award``) what is between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMESPACE = re.compile(r"^(?:.*[#:](?=[^\W_])|\w+://.*[/#](?=[^\W_]))")
"""What stands before the name of a property, and says nothing of it: ``http://dbpedia.org/ontology/``, ``dbo:``."""

_CHAINED = re.compile(r"(?:\./|\.\.)(?=[^\W_])")
"""Between two paths, of which the second begins where the first ends."""

_WITHIN = re.compile(r"(?<![\s_])[/.](?=[^\W_])")
"""Between the parts of a path."""


@dataclass(frozen=True, slots=True)
class PathLabel:
    """The parts of a label, "" where there is none: what its edges end at, lead over, and begin at."""

    ends: str
    between: str = ""
    begins: str = ""


def parts_of(edge_type: str) -> PathLabel:
    """Return the parts of a label; one that is no path says only where its edges end.

    Words around a slash, "located in/on", make no path.
    """
    name = _NAMESPACE.sub("", edge_type)
    if " " in name and "/" in name:
        return PathLabel(name)
    hops = [[part for part in _WITHIN.split(hop) if part] or [hop] for hop in _CHAINED.split(name)]
    between = " ".join(hop[-1] for hop in hops[:-1])
    return PathLabel(hops[-1][-1], between, hops[0][-2] if len(hops[0]) > 1 else "")
