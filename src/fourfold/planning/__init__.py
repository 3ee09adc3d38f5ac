"""Plans for requests of several parts: what the parts are, and in which order their steps stand."""

from fourfold.planning.denied import Permitted, permitted
from fourfold.planning.order import Ordered, in_order
from fourfold.planning.parts import MOST_PARTS, Part, Served, Settled, denies, parts_of, planned, settled

__all__ = [
    "MOST_PARTS",
    "Ordered",
    "Part",
    "Permitted",
    "Served",
    "Settled",
    "denies",
    "in_order",
    "parts_of",
    "permitted",
    "planned",
    "settled",
]
