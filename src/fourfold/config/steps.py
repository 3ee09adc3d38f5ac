"""The constants of the steps that refine an answer; each belongs to a group of ``RetrievalConfig``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fourfold.arguments import constants, whole_number
from fourfold.errors import InvalidValueError


@dataclass(frozen=True, slots=True, kw_only=True)
class LateInteraction:
    """Late interaction: the question's wordpieces against each candidate's, see ``signals.late``.

    Args:
        depth: how many candidates, the best by text and embedding together, are looked at; 0 turns it off.
        among: so many of the best by text, and as many by embedding, the candidates are chosen from.
        threshold: cosine up to which two wordpieces have nothing in common, in [0, 1).
        floor: the factor of a candidate that covers nothing of the question.
        length: how much a candidate is held back for having many distinct wordpieces, by the natural logarithm.
        least_weight: wordpieces of the question with less than that share of the largest weight are dropped.
        longest: questions of more distinct wordpieces are told well enough by one vector; they have no factor.
        on_embedding: exponent of the factor on embedding, from 0 (text alone has it) to 1, in graphs without edges but
            those that documents are read into; in all others it is 1. Over an encoder's vectors it is .5 unless
            ``fusion.encoder_share`` is None: an encoder has read the words themselves, in their order.

    """

    depth: int = 30
    among: int = 128
    threshold: float = 0.2
    floor: float = 0.1
    length: float = 0.06
    least_weight: float = 0.1
    longest: int = 128
    on_embedding: float = 1.0

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "late.", on_embedding=1)
        if self.threshold >= 1:
            raise InvalidValueError(f"late.threshold is {self.threshold}; it must be at least 0 and below 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """The second hop that the question conditions, see ``signals.bridge``.

    Args:
        weight: what h counts, beside the weights of text and embedding together; 0 turns it off.
        passages: how many of the best nodes lead on, beside what the question calls by its name.
        pairs: how many links, of all ``passages`` together, are scored in the end.
        sharpness: how much less a passage leads on that scores less than the best.
        most_holders: a term is rare if at most that many nodes hold it; a term of names, if that many names do.
        most_share: a term is rare if at most that share of all nodes holds it, two at least; not asked of names.
        prior: links are chosen by ``s_p · link · (prior + score of the far end)``.
        named: the gain, as a share of the question, of a node whose whole name stands in a passage that no mention
            links, in graphs without other edges; 0 turns it off.

    """

    weight: float = 1.5
    passages: int = 2
    pairs: int = 20
    sharpness: float = 8.0
    most_holders: int = 20
    most_share: float = 0.01
    prior: float = 0.3
    named: float = 0.07

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "bridge.")

    def most(self, size: int) -> int:
        """Return in how many of the ``size`` nodes a term may occur that joins texts."""
        return min(self.most_holders, max(2, int(self.most_share * size)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """What counts beside the question, for the memory of an agent, see ``fourfold.priors``; off unless a key is named.

    Args:
        recency: the metadata key of a timestamp: seconds since 1970 (also milli-, micro- or nanoseconds), or a date by
            ISO 8601; "" turns it off. What has none does not fade.
        half_life: days after which a half of ``share`` is lost.
        share: the share of its score that a node can lose, in [0, 1].
        pinned: the metadata key that is true of nodes that never fade, and gain; "" turns it off.
        pinned_gain: the share of its score that a pinned node gains.

    """

    recency: str = ""
    half_life: float = 7.0
    share: float = 0.5
    pinned: str = ""
    pinned_gain: float = 0.25

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "priors.", share=1.0)
        if not self.half_life:
            raise InvalidValueError("priors.half_life is 0; it must be above 0.")

    @property
    def on(self) -> bool:
        """Whether there is any."""
        return bool(self.recency or self.pinned)

    @property
    def most(self) -> float:
        """The largest factor of a score."""
        return 1.0 + self.pinned_gain if self.pinned else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The best re-ordered so that what of the question is not yet covered comes next, see ``signals.coverage``.

    Args:
        weight: how much a node gains that covers the whole question while nothing is covered; 0 turns it off.
        depth: how many of the best are re-ordered.

    """

    weight: float = 5.0
    depth: int = 10

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "coverage.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """What a question asks for that names a node and the edges that lead away from it, see ``signals.paths``.

    Args:
        weight: the share of the score that the paths take where the words are sure, in [0, 1]; 0 turns them off.
        steps: the longest path.
        low: similarity up to which a word asks for no edge type.
        high: similarity from which a word is trusted fully.
        sharpness: how much less a word asks for the types that are farther from it than the nearest.
        asking: how far words such as "where" are trusted.
        synonym: how far a word is trusted that asks for the same as a label's by the thesaurus (``language.synonyms``).
        kind: how far a word behind "which" is trusted that no label holds: it may only name the kind of answer.
        price: what a step costs, as a share of the largest trust in a word.
        against: factor of a step against the arrow.
        itself: factor of the named node where the path leads back to it.
        clear: mean trust of the words beside the names from which on the answer counts as fully sure.
        sharp_ends: how much less the end of a path counts that explains less than the best.
        step_back: the share of its other score that the named node loses where the words are sure.
        silent: a named node steps back whatever the words of the question are, where its edges tell at least that share
            of its own words, too; above 1 never.
        silent_sure: how sure paths are at least that lead away from such a node.
        silent_any: how sure they are where what words ask for leads nowhere, and one may mean any edge.
        silent_edges: edges of each direction that are looked at for it.
        fan: a node leads on along at most that many edges of each direction.
        beam: at most that many ends are followed further.

    """

    weight: float = 0.9
    steps: int = 4
    low: float = 0.2
    high: float = 0.45
    sharpness: float = 4.0
    asking: float = 0.6
    synonym: float = 0.8
    kind: float = 0.29
    price: float = 0.3
    against: float = 0.9
    itself: float = 0.8
    clear: float = 0.3
    sharp_ends: float = 6.0
    step_back: float = 0.9
    silent: float = 0.8
    silent_sure: float = 0.5
    silent_any: float = 0.3
    silent_edges: int = 100
    fan: int = 1000
    beam: int = 2000

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        shares = ("weight", "low", "high", "asking", "synonym", "kind", "against", "itself", "clear", "step_back")
        constants(self, "paths.", **dict.fromkeys((*shares, "silent_sure", "silent_any"), 1.0))
        for name in ("steps", "silent_edges", "fan", "beam"):
            whole_number(getattr(self, name), f"paths.{name}")
        if not self.low < self.high:
            raise InvalidValueError(f"paths.low is {self.low}; it must be below paths.high, {self.high}.")

    def with_near_words_only(self) -> Paths:
        """Return the same where words must be rather near to a type, as where it is the only one there is."""
        return replace(self, low=0.4, high=0.6)
