"""Edge types by meaning: which of a graph's own edge types say "enables", "requires" or "has a limitation".

The methods think in roles. A role is found in a graph by its own name, by a declared alias (which may run against
the arrow: ``required_by`` is ``requires`` backwards), and where none is declared by a word in a label that says it
(``tool_depends_on``) or by the similarity of labels above ``SIMILAR``. What was taken for what is part of every result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import ROLES, Role, denies, label, plain_label, reading
from fourfold.embed.base import unit
from fourfold.embed.static import bundled
from fourfold.types import FloatArray

SIMILAR = 0.55
"""Least similarity at which a label stands for a role nobody declared it for: by the model in the package, *strictly
requires* is at .59 from *requires*, *uses* at .54 from *enables*."""


@dataclass(frozen=True, slots=True)
class TypeMatch:
    """An edge type taken for a role.

    ``how`` is "name" (its own), "alias" (declared), "word" (one in its label says the role) or "similar" (label
    similarity ``score``); ``inverse`` edges are read with their ends swapped.
    """

    type: str
    role: str
    how: Literal["name", "alias", "word", "similar"]
    score: float = 1.0
    inverse: bool = False


class Vocabulary:
    """The edge types of one generation of a graph, by role.

    ``aliases``: role → further edge types that mean it; a leading ``~`` swaps the ends.
    """

    def __init__(
        self,
        names: Sequence[str],
        in_use: frozenset[int],
        terms: Callable[[str], list[str]],
        aliases: Mapping[str, Sequence[str]],
    ) -> None:
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

    def roles(self, names: Iterable[str]) -> tuple[TypeMatch, ...]:
        """Return the edge types in use that mean any of these roles, role by role."""
        return tuple(match for name in names for match in self.role(name))

    def chosen(self, wanted: str) -> tuple[TypeMatch, ...]:
        """Return the edge types a caller means: the one of that name, else of that role, else with a similar label."""
        if wanted in self.names:
            return (TypeMatch(wanted, wanted, "name"),)
        if wanted in ROLES:
            return self.role(wanted)
        role = next((r for r, spec in ROLES.items() if plain_label(wanted) in map(plain_label, spec.aliases)), None)
        if role is not None:
            return self.role(role)
        words = tuple(label(wanted).split())
        return tuple(self._similar(wanted, Role(words=words, swapped=()), frozenset()))

    def numbers(self, matches: Sequence[TypeMatch]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the matched types that are read along the arrow, and of those read backwards."""
        along, backwards = (
            np.array([self.names.index(m.type) for m in matches if m.inverse == inverse], np.int64)
            for inverse in (False, True)
        )
        return along, backwards

    def _find(self, name: str) -> tuple[TypeMatch, ...]:
        spec = ROLES[name]
        declared: dict[str, TypeMatch] = {}
        given = self._aliases.get(name, ())
        table = [(alias, False) for alias in spec.aliases] + [(alias, True) for alias in spec.inverse]
        table += [(alias.removeprefix("~"), alias.startswith("~")) for alias in given]
        by_label = {plain_label(alias): inverse for alias, inverse in table}
        for number in sorted(self.in_use):
            own = self.names[number]
            if plain_label(own) == plain_label(name):
                declared[own] = TypeMatch(own, name, "name")
            elif plain_label(own) in by_label:
                declared[own] = TypeMatch(own, name, "alias", 1.0, by_label[plain_label(own)])
        if declared:
            return tuple(declared.values())
        spoken_for = frozenset(
            plain_label(alias)
            for role, other in ROLES.items()
            if role != name
            for alias in (role, *other.aliases, *other.inverse)
        )
        return tuple(self._similar(name, spec, spoken_for))

    def _similar(self, role: str, spec: Role, spoken_for: frozenset[str]) -> list[TypeMatch]:
        """Return the types with a word that says the role, or a label close to its words, that mean no other role."""
        if not spec.words or not self.names:
            return []
        closeness = self._closeness(spec.words).tolist()
        free = [number for number in sorted(self.in_use) if plain_label(self.names[number]) not in spoken_for]
        found = (_match(self.names[number], role, spec, closeness[number]) for number in free)
        return [match for match in found if match is not None]

    def _closeness(self, words: Sequence[str]) -> FloatArray:
        """Return how close each label is to any of the words, (n_types,) in [0, 1].

        The larger of the share of the label's terms that the words hold and the best cosine of a word with the label.
        """
        wanted = frozenset(self._terms(" ".join(words)))
        labels = [label(name) for name in self.names]
        shares = [len(wanted & own) / max(len(own), 1) for own in (frozenset(self._terms(text)) for text in labels)]
        model = bundled()
        vectors, targets = (unit(model.embed_documents(texts)) for texts in (labels, list(words)))
        closeness: FloatArray = np.clip(np.maximum(shares, (vectors @ targets.T).max(axis=1)), 0.0, 1.0)
        return closeness


def _match(name: str, role: str, spec: Role, closeness: float) -> TypeMatch | None:
    """Return an edge type as one of a role, by a word of its label or how close that is; None where neither says so."""
    words, own = label(name).split(), reading(name)
    if not words or denies(name):
        return None
    if own is not None:  # its words say this role or another
        return TypeMatch(name, role, "word", 1.0, own.inverse) if own.role == role else None
    if closeness < SIMILAR or any(word.startswith("dis") for word in words):
        return None
    return TypeMatch(name, role, "similar", round(closeness, 4), words[-1] in spec.swapped)
