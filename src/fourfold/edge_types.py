"""What edge types mean: their weights, their roles, and how their labels are read.

The weights are the method's. ``ROLES`` says what a type means beyond its weight (need, order, flow, exclusion), for
every room.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fourfold.frozen import FrozenDict
from fourfold.lazy import once
from fourfold.tokenizer import split_identifier
from fourfold.types import FloatArray
from fourfold.validation import LONGEST_TYPE

EDGE_TYPE_WEIGHTS: Mapping[str, float] = FrozenDict(
    {
        "implements": 1.0,
        "provides": 1.0,
        "enables": 0.9,
        "used_for": 0.9,
        "depends_on": 0.8,
        "requires": 0.8,
        "feeds_into": 0.8,
        "followed_by": 0.7,
        "part_of": 0.7,
        "similar_to": 0.6,
        "complements": 0.6,
        "relates_to": 0.5,
        "has_workaround": 0.4,
        "alternative_to": 0.4,
        "has_limitation": 0.3,
    }
)
"""Published weight of each edge type; ``GraphConfig.unknown_weight`` is for all others."""

UNTYPED = ""
"""The type of an edge that has none."""

MENTIONS = "mentions"
"""The edge type of one node's text that names another node's title."""

PART_OF = "part_of"
"""The edge type from a part to the whole: from a chunk to its document."""

RELATES_TO = "relates_to"
"""The edge type of what is related in no further way: of a link from one document to another."""

OF_DOCUMENTS = frozenset({MENTIONS, RELATES_TO, PART_OF, "followed_by"})
"""The edge types that documents are read into: what a text names and links to, and how its parts hang together."""

DEFAULT_TYPE_WEIGHTS: Mapping[str, float] = FrozenDict({**EDGE_TYPE_WEIGHTS, MENTIONS: 1.0})
"""The published weights, and that of mentions."""


@dataclass(frozen=True, slots=True)
class Role:
    """What an edge may mean: one row of the table that every room reads edge types by.

    Args:
        aliases: edge types that mean the same.
        inverse: edge types that mean the same with the ends swapped.
        words: what a label is compared with where nobody declared it.
        swapped: last words of a label that turn its meaning round, such as "by" in "required by".
        need: the source needs the target.
        order: 1 where the source comes before the target, −1 where it comes after it, 0 where neither.
        flow: 1 where an effect travels along the arrow, −1 where it travels against it, 0 where none is known to.
        excludes: the two do not go together.
        stems: words, or with a ``*`` their beginnings, by which a longer label says this (``tool_depends_on``); a
            word that alone may say anything stands with the next: who leads a team comes not before it.
        inverse_stems: the same with the ends swapped.

    """

    aliases: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ("by",)
    need: bool = False
    order: int = 0
    flow: int = 0
    excludes: bool = False
    stems: tuple[str, ...] = ()
    inverse_stems: tuple[str, ...] = ()


ROLES: Mapping[str, Role] = FrozenDict(
    {
        "enables": Role(
            (
                "enable",
                "allows",
                "supports",
                "provides",
                "makes_possible",
                "used_for",
                "serves",
                "implements",
                "solves",
            ),
            ("enabled_by", "supported_by", "provided_by", "uses_tool", "allowed_by", "served_by", "implemented_by"),
            ("enables", "allows"),
            flow=1,
        ),
        "requires": Role(
            (
                "require",
                "depends_on",
                "dependency",
                "needs",
                "relies_on",
                "has_prerequisite",
                "uses",
                "imports",
                "calls",
                "reads_from",
                "consumes_from",
                "subscribes_to",
            ),
            (
                "required_by",
                "prerequisite_of",
                "prerequisite_for",
                "needed_by",
                "dependency_of",
                "used_by",
                "imported_by",
                "called_by",
            ),
            ("requires", "depends", "prerequisite"),
            ("by", "of", "for"),
            need=True,
            order=-1,
            flow=-1,
            stems=("depend*", "requir*", "need*", "prerequisit*", "relies", "rely"),
        ),
        "optimizes": Role(
            ("optimises", "optimize", "improves", "speeds_up", "accelerates", "enhances", "boosts", "reduces_cost_of"),
            ("optimized_by", "improved_by", "accelerated_by", "enhanced_by"),
            ("optimizes", "improves"),
        ),
        "has_limitation": Role(
            (
                "limitation",
                "limited_by",
                "has_constraint",
                "constrained_by",
                "restricted_by",
                "has_restriction",
                "has_issue",
                "lacks",
                "cannot",
                "does_not_support",
            ),
            ("limits", "limitation_of", "constrains", "restricts", "constraint_on", "restriction_on"),
            ("limitation", "restriction", "constraint"),
            ("of", "on", "for"),
        ),
        "has_workaround": Role(
            (
                "workaround",
                "worked_around_by",
                "mitigated_by",
                "avoided_by",
                "circumvented_by",
                "solved_by",
                "fixed_by",
            ),
            ("workaround_for", "works_around", "mitigates", "circumvents", "workaround_of", "avoids"),
            ("workaround", "mitigation"),
            ("of", "for"),
        ),
        "feeds_into": Role(
            (
                "feeds",
                "feed_into",
                "followed_by",
                "precedes",
                "next",
                "output_to",
                "writes_to",
                "publishes_to",
                "passes_to",
                "flows_into",
                "flows_to",
                "leads_to",
                "before",
                "input_of",
                "input_for",
                "followed",
            ),
            (
                "fed_by",
                "follows",
                "preceded_by",
                "receives_from",
                "previous",
                "after",
                "input_from",
                "takes_input_from",
            ),
            ("feeds", "precedes"),
            order=1,
            flow=1,
            stems=("before", "precedes", "followed", "feeds", "next", "then", "leads to", "leads into"),
            inverse_stems=("after", "follows", "preceded", "previous"),
        ),
        "conflicts_with": Role(
            (
                "conflicts",
                "incompatible_with",
                "contradicts",
                "excludes",
                "mutually_exclusive_with",
                "clashes_with",
                "breaks",
                "conflict",
            ),
            (),
            ("conflicts", "incompatible"),
            (),
            excludes=True,
        ),
        "causes": Role(
            ("cause", "triggers", "results_in", "produces_error", "raises", "throws"),
            ("caused_by", "triggered_by", "results_from", "raised_by", "thrown_by"),
            ("causes", "triggers"),
            flow=1,
        ),
        "fixes": Role(
            ("fix", "resolves", "solves", "repairs", "remedies"),
            ("fixed_by", "resolved_by", "solved_by", "has_fix", "repaired_by"),
            ("fixes", "resolves"),
        ),
    }
)
"""What edge types mean, by role; the weight of each type is that of ``EDGE_TYPE_WEIGHTS``."""


def type_weight(edge_type: str, weights: Mapping[str, float], default: float, *, related: bool) -> float:
    """Return the weight of an edge type.

    Args:
        edge_type: the type as the graph has it.
        weights: the known types.
        default: for all others.
        related: a type whose label holds the words of a known type, such as ``tool_directly_depends_on``, weighs as
            much as that one, unless it denies it; the longest known type decides.

    """
    if edge_type in weights or not related or denies(edge_type):
        return weights.get(edge_type, default)
    words = words_of(edge_type)
    held = [known for known in weights if known and words_of(known) <= words]
    return weights[max(held, key=lambda known: (len(known), known))] if held else default


@lru_cache(maxsize=64)
def type_weights(
    edge_types: tuple[str, ...], weights: tuple[tuple[str, float], ...], default: float, *, related: bool
) -> FloatArray:
    """Return ``type_weight`` of each edge type, (n_types,) float64; remembered, so nobody may write to it."""
    known = dict(weights)
    found: FloatArray = np.array([type_weight(name, known, default, related=related) for name in edge_types])
    found.setflags(write=False)
    return found


@lru_cache(maxsize=4096)
def label(edge_type: str) -> str:
    """Return an edge type as words: ``has_limitation`` → ``has limitation``."""
    words = re.split(r"\W+", edge_type[:LONGEST_TYPE])  # tables that others made may hold longer ones
    return " ".join(part.lower() for word in words for part in split_identifier(word) if part)


@lru_cache(maxsize=4096)
def words_of(edge_type: str) -> frozenset[str]:
    """Return the distinct words of an edge type's label."""
    return frozenset(label(edge_type).split())


@dataclass(frozen=True, slots=True)
class Reading:
    """What one edge type says.

    ``inverse``: with its ends swapped; ``denied``: that it is not so (``does_not_need``); ``optional``: that it may be
    so (``indirectly_depends_on``).
    """

    role: str
    inverse: bool = False
    denied: bool = False
    optional: bool = False


DENIALS = frozenset({"not", "no", "never", "without", "non"})
_OPTIONAL = ("indirect", "optional", "soft", "weak", "recommend", "suggest", "may", "sometimes")
_VALUE = ("param", "input", "argument")
_NO_ORDER = re.compile(r"\b(?:next (?:of kin|to|door)|(?:named|looks|takes) after)\b")
"""Where words of order say none."""
_NEIGHBOUR = re.compile(r"\b(?:next|previous)((?: (?!(?:of|in|on|for|to|from|with|by|than|after|before)\b)\w+)+)")
_OF_ANOTHER = re.compile(r"\b(?:(?:next|previous)\b.* of|previous to)$")
"""Whose ends are swapped: what is the next step of another comes after it, what has a next step comes before that."""
_OF_A_REFERENCE = frozenset({"id", "ids", "key", "ref", "reference"})
_PIECES = frozenset(
    (
        "action activity article block call cell chapter chunk clause command commit day document doc edition element "
        "entry episode event exercise film frame function generation hop instruction installment instalment issue item "
        "iteration layer leg lesson level line link message milestone module month move movie node operation page "
        "paragraph part passage period phase post procedure process question reply revision round run scene screen "
        "season section sentence sequel sibling slide song stage state station step stop task token tool track turn "
        "unit verse version volume waypoint week word work year"
    ).split()
)
"""What is one after the other: the next or previous of these is an order, that of anything else (owner, address, job)
is what somebody has, or had."""


def denies(edge_type: str) -> bool:
    """Whether a label says that something is not so: ``no_longer_requires``, ``not_required``."""
    return not DENIALS.isdisjoint(words_of(edge_type))


@lru_cache(maxsize=4096)
def reading(edge_type: str) -> Reading | None:
    """Return what an edge type says by the table: by its name or an alias, else by the words in it; None if nothing.

    An indirect or optional need is one that may be; but where the value of a parameter comes from is needed in any
    case, however many steps away it is.
    """
    plain = plain_label(edge_type)
    if (declared := _declared().get(plain)) is not None:
        return declared
    words = plain.split()
    first, beginnings = _beginnings()
    if first.isdisjoint(words) and not any(word.startswith(beginnings) for word in words):
        return None  # as most words of questions, which are read here, too
    denied = not DENIALS.isdisjoint(words)
    said = f" {_NEIGHBOUR.sub(_in_order, _NO_ORDER.sub('', plain))} "
    for name, role in ROLES.items():
        turned = _holds(said, role.inverse_stems)
        if turned or _holds(said, role.stems):
            may_be = any(w.startswith(_OPTIONAL) for w in words) and not any(w.startswith(_VALUE) for w in words)
            inverse = turned != bool(role.order > 0 and _OF_ANOTHER.search(plain))
            inverse = inverse or (role.need and words[-1] in role.swapped)
            return Reading(name, inverse, denied, role.need and may_be)
    return None


def _holds(said: str, stems: Sequence[str]) -> bool:
    return any(f" {stem[:-1]}" in said if stem.endswith("*") else f" {stem} " in said for stem in stems)


@once
def _beginnings() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the first words of the stems of all roles, and the beginnings of words that are such stems."""
    first = {stem.split(" ")[0] for role in ROLES.values() for stem in (*role.stems, *role.inverse_stems)}
    return frozenset(first), tuple(word[:-1] for word in first if word.endswith("*"))


def _in_order(neighbour: re.Match[str]) -> str:
    """Return next or previous with what it is said of where that is a piece of a sequence, without the word if not."""
    told = neighbour[1].split()
    while told and told[-1] in _OF_A_REFERENCE:
        told.pop()
    return neighbour[0] if not told or not _PIECES.isdisjoint((told[-1], told[-1].removesuffix("s"))) else neighbour[1]


@once
def _declared() -> Mapping[str, Reading]:
    """Return the readings of all names and aliases, by plain label."""
    found: dict[str, Reading] = {}
    for name, role in ROLES.items():
        for alias in (name, *role.aliases):
            found.setdefault(plain_label(alias), Reading(name))
        for alias in role.inverse:
            found.setdefault(plain_label(alias), Reading(name, inverse=True))
    return found


def plain_label(edge_type: str) -> str:
    """Return a type without its spelling: ``dependsOn``, ``DEPENDS_ON`` and ``depends-on`` are one."""
    return label(edge_type if not edge_type.isupper() else edge_type.lower())
