"""Edge types by meaning: which of a graph's own edge types say "enables", "requires" or "has a limitation".

The methods think in roles. A role is found in a graph by its own name, by a declared alias (which may run against
the arrow: ``required_by`` is ``requires`` backwards), and where none is declared by the similarity of labels above
``SIMILAR``. What was taken for what is part of every result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import label
from fourfold.embed.static import bundled
from fourfold.errors import InvalidValueError
from fourfold.types import FloatArray

SIMILAR = 0.55
"""Least similarity at which a label stands for a role nobody declared it for: by the model in the package, *strictly
requires* is at .59 from *requires*, *uses* at .54 from *enables*."""


@dataclass(frozen=True, slots=True)
class Role:
    """What an edge may mean.

    Args:
        aliases: edge types that mean the same.
        inverse: edge types that mean the same with the ends swapped.
        words: what a label is compared with.
        swapped: last words of a label that turn its meaning round, such as "by" in "required by".

    """

    aliases: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ("by",)


ROLES: Mapping[str, Role] = MappingProxyType(
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
        ),
        "causes": Role(
            ("cause", "triggers", "results_in", "produces_error", "raises", "throws"),
            ("caused_by", "triggered_by", "results_from", "raised_by", "thrown_by"),
            ("causes", "triggers"),
        ),
        "fixes": Role(
            ("fix", "resolves", "solves", "repairs", "remedies"),
            ("fixed_by", "resolved_by", "solved_by", "has_fix", "repaired_by"),
            ("fixes", "resolves"),
        ),
    }
)
"""The roles the methods ask for, with the aliases declared for them."""


@dataclass(frozen=True, slots=True)
class TypeMatch:
    """An edge type taken for a role.

    ``how`` is "name" (its own), "alias" (declared) or "similar" (label similarity ``score``); ``inverse`` edges are
    read with their ends swapped.
    """

    type: str
    role: str
    how: Literal["name", "alias", "similar"]
    score: float = 1.0
    inverse: bool = False


class Vocabulary:
    """The edge types of one generation of a graph, by role.

    Args:
        names: edge types by number.
        in_use: the numbers of the types that have an edge.
        terms: text → terms, the tokenizer of the index.
        aliases: role → further edge types that mean it; a leading ``~`` swaps the ends.

    Raises:
        InvalidValueError: an alias for a role that does not exist.

    """

    def __init__(
        self,
        names: Sequence[str],
        in_use: frozenset[int],
        terms: Callable[[str], list[str]],
        aliases: Mapping[str, Sequence[str]],
    ) -> None:
        for role in aliases:
            if role not in ROLES:
                raise InvalidValueError(
                    f"Aliases are given for {role!r}, which is no role; roles are {', '.join(ROLES)}."
                )
        self.names = tuple(names)
        self.in_use = in_use
        self._terms = terms
        self._aliases = aliases
        self._known: dict[str, tuple[TypeMatch, ...]] = {}

    def role(self, name: str) -> tuple[TypeMatch, ...]:
        """Return the edge types in use that mean a role, by number of the type."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def chosen(self, wanted: str) -> tuple[TypeMatch, ...]:
        """Return the edge types a caller means: the one of that name, else of that role, else with a similar label."""
        if wanted in self.names:
            return (TypeMatch(wanted, wanted, "name"),)
        if wanted in ROLES:
            return self.role(wanted)
        role = next((r for r, spec in ROLES.items() if _plain(wanted) in map(_plain, spec.aliases)), None)
        if role is not None:
            return self.role(role)
        words = tuple(label(wanted).split())
        return tuple(self._similar(wanted, Role(words=words, swapped=()), frozenset()))

    def numbers(self, matches: Sequence[TypeMatch], *, inverse: bool) -> NDArray[np.int64]:
        """Return the numbers of the matched types that are, or are not, read backwards."""
        return np.array([self.names.index(m.type) for m in matches if m.inverse == inverse], np.int64)

    def _find(self, name: str) -> tuple[TypeMatch, ...]:
        spec = ROLES[name]
        declared: dict[str, TypeMatch] = {}
        given = self._aliases.get(name, ())
        table = [(alias, False) for alias in spec.aliases] + [(alias, True) for alias in spec.inverse]
        table += [(alias.removeprefix("~"), alias.startswith("~")) for alias in given]
        by_label = {_plain(alias): inverse for alias, inverse in table}
        for number in sorted(self.in_use):
            own = self.names[number]
            if _plain(own) == _plain(name):
                declared[own] = TypeMatch(own, name, "name")
            elif _plain(own) in by_label:
                declared[own] = TypeMatch(own, name, "alias", 1.0, by_label[_plain(own)])
        if declared:
            return tuple(declared.values())
        spoken_for = frozenset(
            _plain(alias)
            for role, other in ROLES.items()
            if role != name
            for alias in (role, *other.aliases, *other.inverse)
        )
        return tuple(self._similar(name, spec, spoken_for))

    def _similar(self, role: str, spec: Role, spoken_for: frozenset[str]) -> list[TypeMatch]:
        """Return the types whose label is close to the role's words and that mean no other role."""
        if not spec.words or not self.names:
            return []
        closeness = self._closeness(spec.words)
        found = []
        for number in sorted(self.in_use):
            words = label(self.names[number]).split()
            if closeness[number] < SIMILAR or not words or _plain(self.names[number]) in spoken_for or _denies(words):
                continue
            score = round(float(closeness[number]), 4)
            found.append(TypeMatch(self.names[number], role, "similar", score, words[-1] in spec.swapped))
        return found

    def _closeness(self, words: Sequence[str]) -> FloatArray:
        """Return how close each label is to any of the words, (n_types,) in [0, 1].

        The larger of the share of the label's terms that the words hold and the best cosine of a word with the label.
        """
        wanted = frozenset(self._terms(" ".join(words)))
        labels = [label(name) for name in self.names]
        shares = [len(wanted & own) / max(len(own), 1) for own in (frozenset(self._terms(text)) for text in labels)]
        model = bundled()
        vectors, targets = (_unit(model.embed_documents(texts)) for texts in (labels, list(words)))
        closeness: FloatArray = np.clip(np.maximum(shares, (vectors @ targets.T).max(axis=1)), 0.0, 1.0)
        return closeness


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit


def _plain(edge_type: str) -> str:
    """Return a type without its spelling: ``dependsOn``, ``DEPENDS_ON`` and ``depends-on`` are one."""
    return label(edge_type if not edge_type.isupper() else edge_type.lower())


def _denies(words: Sequence[str]) -> bool:
    """Whether a label says the contrary of what its other words say."""
    return any(word in ("not", "no", "never", "without", "non") or word.startswith("dis") for word in words)
