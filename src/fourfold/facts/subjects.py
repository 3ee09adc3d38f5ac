"""What a question names: nodes by their names; for paths to begin there, else one by a part of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fourfold.facts import edge_only
from fourfold.facts.described import described
from fourfold.facts.in_part import named_in_part
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import NO_NODES
from fourfold.index.names import LONGEST
from fourfold.language import codes, name_matching, passing
from fourfold.language.first_person import OWN, is_who_asks
from fourfold.language.lexicon import DO, RELATIVE
from fourfold.language.name_matching import Named
from fourfold.language.placed import ARTICLES, PREPOSITIONS
from fourfold.language.syntax import Sentence
from fourfold.language.unspaced import begun

_MAY_BE_MEANT = 8
"""Of so many of the best by text a question may name one by a part of its name, …"""

_RARE = 3
"""… if hardly more nodes hold a word of it, or it has nothing to say but its edges."""

_PARTS = (["part", "of"], ["parts", "of"])
"""What stands before "the body" where that is not meant itself."""

_BETWEEN = PREPOSITIONS | ARTICLES | RELATIVE | DO
"""What may stand between a type and the name of what stands beside it: "the patient with pneumonia"."""

_MOST_BESIDE = 2_000
"""Beside what has more edges none of a type is looked for."""

_TOLD_BY = PREPOSITIONS | {"that", "which", "who", "whose", "where"}
"""What stands behind "the bridge" where others tell which it is."""


def ways(question: Question) -> Iterator[list[Named]]:
    """Give what a question may name, the likeliest first: nodes with edges, what it describes, a part of a name.

    The latter two only where it names nothing, or nothing but words that may ask for an edge: "what position does Messi
    play in" beside a node *Play*.
    """
    query, hold = question.query, question.relations.hold
    found = [one for one in question.all_named if _has_edges(question, one)]
    for read in (
        _owned,
        _with_long,
        _with_codes,
        _with_nearly,
        _without_asked_for,
        _with_told_beside,
        _with_definite,
        _with_longer,
        _without_who_asks,
        _without_passing,
    ):
        found = read(question, found)
    if found:
        yield found
    if passing.only_ask(found, query.words, hold) and question.settings.silent <= 1.0:
        yield from ([one] for one in described(question))
        one = _partly(question, hold)
        if one is not None:
            yield [one]
        elif not found and (parts := _in_part(question)):
            yield parts


def of_types_beside(question: Question) -> list[Named]:
    """Return what a question names, in its place what of a type stands beside it: "the patient with pneumonia".

    The type stands before a preposition, and another word asks for something of it, or calls the type of something
    beside it. Nothing where no name has such a type before it.
    """
    kinds, words, plain = Kinds.of(question), question.query.words, question.plain
    named = question.all_named
    taken, typed, some = name_matching.places_of(named), [], False
    for one in named:
        place = one.start - 1
        while place > 0 and plain[place] in _BETWEEN:
            place -= 1
        others = name_matching.content_beside(words, taken | set(range(place, len(words))))
        tells = 0 < place < one.start - 1 and words[place][1] and plain[place] not in PREPOSITIONS
        if tells and others and not question.has_very_many(one.nodes, _MOST_BESIDE):
            near = question.neighbours(one.nodes)
            near = near[kinds.typed([place], near, head=True)]
            if any(map(question.may_ask, others)) or kinds.typed(others, question.neighbours(near), head=True).any():
                some |= len(near) > 0
                one = Named(near, place, one.end) if len(near) else one
        typed.append(one)
    return typed if some else []


def _parts(question: Question, *, things: bool = True) -> list[Named]:
    """Return what a question names by parts of names that are no figures: these count, or tell a year."""
    return [one for one in named_in_part(question, things=things) if not question.plain[one.start][:1].isdigit()]


def _without_who_asks(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names without who asks it, where it names more, be it by a part of a name."""
    others = [one for one in found if not is_who_asks(question.query.words, one)]
    return others or (found and _in_part(question)) or found


def _without_asked_for(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names without what it only asks for by a name."""
    return [one for one in found if not _is_asked_for(question, one, found)]


def _without_passing(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names without what its words are called in passing, see ``passing``."""
    query = question.query
    if len(found) < 2:  # noqa: PLR2004
        return found
    return passing.left_out(found, query.words, question.edges, question.relations.hold, query.names_of)


def _owned(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, what is "my internship" by a part of its name, instead of whose it is."""
    mine = [one for one in found if question.plain[one.start : one.end] == [OWN]]
    if not mine or not (behind := [one for one in _parts(question) if one.start == mine[0].end]):
        return found
    return name_matching.by_place([*(one for one in found if one not in mine), *behind])


def _has_edges(question: Question, one: Named) -> bool:
    return bool(question.edges.degree(one.nodes).any())


def _with_long(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, with the name that it writes in full, but that the index of names does not know.

    Because it is too long, or since what is written is all but the code that it begins with: "Style Guide", of PEP 8 –
    Style Guide. Of the best by text; what stands within it is not meant.
    """
    query, terms = question.query, question.relations.labels.terms
    nodes = question.best_by("text", _MAY_BE_MEANT)
    may_be_long = sum(len(own) for _, own in query.words) > LONGEST

    def is_long(name: Sequence[str]) -> bool:
        return may_be_long and len(terms(" ".join(name))) > LONGEST

    rests = [name if is_long(name) else codes.behind(name) for name in query.names_of(nodes)]
    places = [place for place, name in enumerate(rests) if name]
    one = name_matching.in_full(query.words, nodes[places], [rests[place] for place in places])
    if one is None or not _has_edges(question, one):
        return found
    apart = [other for other in found if other.end <= one.start or one.end <= other.start]
    if any(other.end - other.start >= one.end - one.start for other in found if other not in apart):
        return found
    return name_matching.by_place([*apart, one])


def _with_codes(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, with what it calls by the code that a name begins with: of the best by text."""
    query, known = question.query, question.scores.term_numbers
    figures = [known[term] for word, own in query.words if codes.has_figures(word) for term in own if term in known]
    nodes = question.best_by("text") if figures else NO_NODES
    if not len(nodes):
        return found
    nodes = nodes[question.scores.snapshot.text.holds(figures, nodes).any(axis=1)][:_MAY_BE_MEANT]
    written, types = query.written_of(nodes), query.types_of(nodes)
    by_number = {one.start: one for one in codes.in_series(query.words, found, nodes, written)}
    found = [by_number.get(one.start, one) for one in found]
    called = codes.named(query.words, nodes, written, types, alone=not found)
    if "#" in query.typed:
        called += codes.numbered(query.typed, query.words, nodes, query.called_of(nodes))
    return name_matching.with_apart(found, [one for one in called if _has_edges(question, one)])


def _is_asked_for(question: Question, one: Named, found: Sequence[Named]) -> bool:
    """Tell whether a name stands where the question says what it asks for: "list the films that …", a table Film.

    Such a node is an answer itself, and no path begins there, unless it has nothing to say but its edges: then what it
    is the kind of may be meant. What the nodes beside it say, too, tables alike, its edges do not tell. A name before
    the noun says which of its kind: "what Nolan films"; so does one with a capital: "which Beatles album". From one in
    a mere phrase a path begins: "democrats from Kansas", beside a party Democrat.
    """
    words = question.query.words
    places = Sentence(words, [other for other in found if other is not one]).of_type()
    proper = any(words[place][0][:1].isupper() for place in one.places if place)  # the first word has one anyhow
    if proper or [one.end - 1] != places[-1:] or not set(one.places).issubset(places) or not places[0]:
        return False
    return not edge_only.is_silent(question, [one], one.nodes, by_names=True)


def _with_nearly(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, with what it names but for accents or a letter: of the best by any part."""
    query, numbers = question.query, question.scores.term_numbers
    taken = name_matching.places_of(found)
    left = name_matching.content_beside(query.words, taken)

    def known(place: int) -> bool:
        return all(term in numbers for term in query.words[place][1])

    if all((known(place) and found) or question.may_ask(place) for place in left):
        return found
    best = [question.best_by(part, _MAY_BE_MEANT) for part in question.scores.rankings]
    nodes = np.array(list(dict.fromkeys(np.concatenate([NO_NODES, *best]).tolist())), np.int64)
    one = name_matching.nearly(query.words, nodes, query.names_of(nodes), known)
    if one is None or not _has_edges(question, one):
        return found
    return found if all(map(question.may_ask, one.places)) else name_matching.with_apart(found, [one])


def _with_longer(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, of what stands within a longer part of another name that: "the Belmonte Congress".

    Belmonte is the town, the longer name that of the Belmonte Congress of 1921. Not where the words beside the name
    may ask for an edge, or say what it is: "the Belmonte town", "Titanic director".
    """
    if not found:
        return found
    words, kinds = question.query.words, Kinds.of(question)
    for one in _parts(question):
        within = [other for other in found if one.start <= other.start and other.end <= one.end]
        taken = name_matching.places_of(within)
        beside = [place for place in one.places if words[place][1] and place not in taken]
        if len(within) != 1 or not beside or any(map(question.may_ask, beside)):
            continue
        town = within[0].nodes
        if not np.isin(town, one.nodes).any() and not kinds.typed(beside, town).any():
            found = name_matching.by_place([*(other for other in found if other is not within[0]), one])
    return found


def _in_part(question: Question) -> list[Named]:
    """Return the things that a question names by parts of their names, no numbers, beside words that may ask."""
    parts = _parts(question, things=False)
    taken = name_matching.places_of(parts)
    others = (place for place in range(len(question.query.words)) if place not in taken)
    return parts if any(map(question.may_ask, others)) else []


def _with_told_beside(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, with what a word with a capital names by a part: "the prize of 1909 with Hahn".

    Such a word is none that may ask for an edge, nor the first of the question.
    """
    words = question.query.words
    beside = name_matching.content_beside(words, {0, *name_matching.places_of(found)})
    left = {words[place][0] for place in beside if words[place][0][:1].isupper() and not question.may_ask(place)}
    if not found or not left or not any(word[:1].islower() for word, _ in words):
        return found
    one = _partly(question, lambda word, _: word not in left)
    if one is None:
        parts = (one for one in _parts(question) if {word for word, _ in words[one.start : one.end]} <= left)
        letters = sum(len(word) for word in left)
        one = next((one for one in parts if len(one.nodes) == 1 and name_matching.tells(letters, one)), None)
    return found if one is None else name_matching.with_apart(found, [one])


def _with_definite(question: Question, found: list[Named]) -> list[Named]:
    """Return what a question names, with what it calls "the bridge" beside that, by a part of a name only one has.

    Not "the bridge of X" nor "the bridge that X built", which is told by X, nor what "which part of the body" asks for.
    """
    plain, definite = question.plain, []
    for one in _parts(question) if found and "the" in plain else ():
        alone = len(one.nodes) == 1 and plain[one.start - 1 : one.start] == ["the"]
        alone &= plain[max(one.start - 3, 0) : one.start - 1] not in _PARTS
        if alone and _TOLD_BY.isdisjoint(plain[one.end : one.end + 1]):
            definite.append(one)
    return name_matching.with_apart(found, definite)


def _partly(question: Question, asks: Callable[[str, Sequence[str]], bool]) -> Named | None:
    """Return the node that a question names by a part of its name, of words that do not ask.

    It must have nothing to say but its edges, or be told by a rare word: others stand in the names of many nodes with
    texts.
    """
    words, nodes = question.query.words, question.best_by("text", _MAY_BE_MEANT)
    names = question.query.names_of(nodes)
    one = name_matching.partly(words, nodes, names, asks) or begun(words, nodes, names)
    if one is None or not _has_edges(question, one):
        return None
    rare = _told_by_a_rare_word(question, one)
    kinds = Kinds.of(question)
    if one.start and kinds.typed([one.start - 1], one.nodes).all():
        one = replace(one, start=one.start - 1)  # "incident 42", of an incident INC-42
    silent = rare or edge_only.is_silent(question, [one], one.nodes)
    return one if silent else None


def _told_by_a_rare_word(question: Question, one: Named) -> bool:
    """Tell whether a word of a name that asks for no edge stands in hardly any node."""
    words, hold = question.query.words[one.start : one.end], question.relations.hold
    known = question.scores.term_numbers
    own = [known[term] for word, terms in words if not hold(word, terms) for term in terms if term in known]
    return bool(own) and int(question.scores.snapshot.text.df(np.array(own, np.int64)).min()) <= _RARE
