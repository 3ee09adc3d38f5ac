"""Which way words of a question go along the edges of each type: to where these end, or back to where they begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.lexicon import AUXILIARIES
from fourfold.language.syntax import Sentence
from fourfold.relations.label_grammar import LabelGrammar, Types


def backwards(grammar: LabelGrammar, asked: Asked, sentence: Sentence, place: int) -> NDArray[np.bool_]:
    """Return of which types a word asks for where their edges begin, (n_types,).

    By the label of each: "who is X directed by" by directed_by, "who acquired X" by acquired, "children of X" by
    child_of. A word for the other end of these goes to where they end: "sons of X" by parent_of.
    """
    turned = grammar.begin(asked.slots, named_does=sentence.named_does(place))
    own: NDArray[np.bool_] = asked.turned & ~(grammar.child_of & asked.means)
    for preposition, verbs in grammar.verbs.items() if not asked.by_itself else ():
        active = asked.loose and not preposition and sentence.at(place - 1) not in AUXILIARIES
        said = sentence.at(place + 1) if active else ""  # "what preys on X", by eats
        done_to = sentence.named_is_done_to(place, preposition) or (said and sentence.named_is_done_to(place, said))
        if (verbs & (asked.similarity > 0)).any() and done_to:
            turned |= verbs & grammar.ends(asked.slots)
    if not asked.kind and not np.any(asked.turned):  # "what type of bridge is X" asks for no instance by instance_of
        turned |= grammar.child_of & (asked.similarity > SAME_FAMILY)
    turned |= grammar.calls(sentence.words[place])[1]
    if sentence.hangs(place) and not sentence.is_role(place):  # "what is X allergic to": no noun as in "child of"
        turned &= ~grammar.child_of
    return own | turned


def by_role(grammar: LabelGrammar, sentence: Sentence, place: int) -> Types | bool:
    """Return of which types a word goes the other way, (n_types,), as it says what the named node is to the answer.

    Not of those whose label begins with a verb, as far as its ending tells: "what is X jealous of" by jealous_of.
    """
    verbs = grammar.verbs.get("of", np.False_) & ~grammar.child_of
    return sentence.is_role(place) and ~verbs
