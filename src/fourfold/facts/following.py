"""Questions that name a node and ask for something else by the words of edge types: what they lead to is the answer.

``relations`` reads the words and ``signals.paths`` walks them; ``answers`` tells what of their ends is asked for. Here
is decided from which nodes they are followed, and how far the answer is trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, starmap

import numpy as np

from fourfold import refine
from fourfold.config import RetrievalConfig
from fourfold.facts import amounts, choices, excepted, subjects, unknown_names
from fourfold.facts.answers import EXPLAINED, QUESTION_MARKS, About
from fourfold.facts.anyhow import anyhow
from fourfold.facts.choices import Read
from fourfold.facts.doers import of_described, who_did
from fourfold.facts.in_part import named_in_part
from fourfold.facts.kinds import Kinds
from fourfold.facts.near_names import nearest
from fourfold.facts.of_a_type import of_a_type
from fourfold.facts.question import Question
from fourfold.facts.telling import asked_for_story, said_itself, telling, tells_itself
from fourfold.facts.topical import Topic
from fourfold.intent import NO_INTENT
from fourfold.language import kin, name_matching, peers
from fourfold.language.amounts import Measured, asked_for, compared
from fourfold.language.asked import SAME_FAMILY
from fourfold.language.meaning import Meaning
from fourfold.language.name_matching import Named, Words, is_owned, nodes_of
from fourfold.language.requests import as_question
from fourfold.language.spoken import read_aloud, without, without_co
from fourfold.language.syntax import Sentence, may_ask
from fourfold.language.tongues import in_another_tongue, in_english
from fourfold.language.unspaced import parted
from fourfold.query import MOST_WORDS, Query
from fourfold.scores import AskedPaths, Scores
from fourfold.signals.paths import Answer
from fourfold.types import Weights

_MOST_READINGS = 12
"""A question for those who share something is read in so many ways at most."""

_SURE_OF_NAMES, _SURE_OF_A_PART = 0.4, 0.75
"""Less sure answers come behind what is on the topic beside what is named, in full or by a part of its name."""

_COULD_MEAN = 0.5
"""A word that asks for a type so far could mean it."""

_BESIDE_A_NAME = 8
"""So many words at most are a name and the type of what is beside it: "France cities"."""

Found = tuple[Answer, bool]
"""What answers a question, and whether what it names steps back however unsure that is."""


def follow_paths(scores: Scores, query: Query, config: RetrievalConfig) -> None:
    """Where the question names a node and asks for something else by the words of edge types, follow these words.

    As far as they are sure, what stands at the end of the paths is the answer, and the named node steps back; a node
    that says nothing its edges do not steps back whatever the words are, and so does one beside which stands what is of
    the kind asked for.
    """
    settings = config.intents.paths
    named_by_caller = query.weights is not None and (isinstance(query.weights, Weights) or "intent" in query.weights)
    if not settings.weight or not scores.weights.intent or named_by_caller or scores.spec.name == NO_INTENT:
        return
    if len(query.words) > MOST_WORDS or (relations := query.relations()) is None:
        return
    if len(relations) == 1:
        settings = settings.with_near_words_only()  # there is no choice of what they may mean
    question = _in_english(Question(scores, query, relations, settings))
    if (found := _found(question, config)) is None:
        return
    answer, kept = found
    if answer is None:
        scores.weights = _without_edges(scores.weights) if query.weights is None else scores.weights
    else:
        _put(scores, answer.in_parts(question.edges, scores.snapshot.hidden, query.allowed), settings.weight, kept)


def _without_edges(weights: Weights) -> Weights:
    """Return the weights where what is named tells of itself: text and embedding have what edges had."""
    embedding, text, graph, intent = weights.as_tuple()
    share = (embedding + text + graph + intent) / (embedding + text or 1.0)
    return Weights(share * embedding, share * text, 0.0, 0.0) if embedding + text else weights


def _found(question: Question, config: RetrievalConfig) -> tuple[Answer | None, float] | None:
    """Return what answers a question, and what the nodes that it names keep of their other components; None: nothing.

    There is none but what is named itself, where its text tells. Where words do not lead away surely, what is on the
    topic beside what is named comes first.
    """
    if (one := _one_of_two(question) or _of_all(question)) is not None:
        return one, 1.0
    if refine.sides_of(question.scores, question.query, config):  # a comparison asks for both
        return None
    if (beside := anyhow(question)) is not None:
        return beside, 1.0 - question.settings.step_back * beside.sure
    found = _answered(question) if _may_ask(question) else None
    if said_itself(question, found and found[0]):
        return None, 1.0
    if story := asked_for_story(question, found and found[0]):
        if (told := telling(question, story)) is not None:
            return told, 1.0 - question.settings.step_back * told.sure
        if tells_itself(question, story):
            return None
    named, topic = question.all_named, Topic.of(question, config)
    unsure = found is None or found[0].sure < (_SURE_OF_NAMES if named else _SURE_OF_A_PART)
    if unsure and (beside := topic.beside(named)) is not None:
        return beside, 1.0
    if (found := _or_by_types_beside(question, found)) is not None:
        answer, silent = found
        kept = 1.0 - question.settings.step_back * (1.0 if silent else answer.sure)
        return who_did(question, topic.first(nearest(question, answer))), kept
    doers = of_described(question)
    return None if doers is None else (doers, 1.0 - question.settings.step_back)


def _or_by_types_beside(question: Question, found: Found | None) -> Found | None:
    """Return what was found, or surer what answers by what of a type is named: "who treats the patient with asthma"."""
    if found is not None and found[0].sure >= _SURE_OF_NAMES:
        return found
    named = subjects.of_types_beside(question)
    other = _answered(replace(question, scores=replace(question.scores, named=named))) if named else None
    return other if other is not None and other[0].sure >= _SURE_OF_NAMES else found


def _put(scores: Scores, answer: Answer, weight: float, kept: float) -> None:
    """Let an answer count by what a sure one weighs; what is named keeps ``kept`` of its other components."""
    share, before = weight * answer.sure, scores.weights
    embedding, text, graph, intent = ((1.0 - share) * weight for weight in before.as_tuple())
    scores.weights = Weights(embedding, text, graph, share + intent)
    scores.asked = AskedPaths(
        answer,
        share / scores.weights.intent,
        (1.0 - share) * before.intent * (1.0 - answer.sure) / scores.weights.intent,
        kept,
    )


def _in_english(question: Question) -> Question:
    """Return a question of another language with its words in English, as far as they are known and name nothing."""
    query = question.query
    if not in_another_tongue(query.words):
        return question
    names = name_matching.places_of(question.all_named)
    words = in_english(query.words, names, question.relations.labels.terms)
    return replace(question, query=replace(query, words=words))


def _one_of_two(question: Question) -> Answer | None:
    """Return which of two is bigger, older or the like, where the graph tells; None for another question."""
    if "or" not in question.plain:
        return None
    named = question.all_named
    if len(named) < 2:  # noqa: PLR2004
        named = name_matching.with_apart(named, named_in_part(question))
    sentence = Sentence(question.query.words, named)
    asked = compared(sentence.words, sentence.names)
    if asked is None or len(sentence.alternatives()) != len(named) or len(named) != 2:  # noqa: PLR2004
        return None
    return amounts.of_two(question, named, asked)


def _of_all(question: Question) -> Answer | None:
    """Return what is meant of all that there is of a kind, where nothing else is named: "the highest mountain"."""
    named, asked = [*_names(question)], asked_for(question.plain, (), question.relations.holds)
    if asked is not None and not named:
        found = amounts.of_all(Kinds.of(question), Sentence(question.query.words, ()), asked)
        if found is not None:
            return found
    return of_a_type(question, named)


def _names(question: Question) -> Iterator[Named]:
    """Give what a question names, but by a word that asks for an edge, or by a number: "above 7"."""
    for one in question.all_named:
        words = question.plain[one.start : one.end]
        if not all(word.isdecimal() for word in words) and (len(words) > 1 or not question.relations.holds(words[0])):
            yield one


def _may_ask(question: Question) -> bool:
    """Tell whether any word may ask for something beside what is named: told before names, which many may have."""
    words, typed, settings = question.query.words, question.query.typed, question.settings
    if question.relations.may_be_asked(words, settings) or kin.called(words) or peers.called(words):
        return True
    asks = may_ask(words) or typed.endswith(QUESTION_MARKS) or is_owned(typed)
    return settings.silent <= 1.0 and (asks or _is_a_name_and_a_type(question))


def _is_a_name_and_a_type(question: Question) -> bool:
    """Tell whether a question is a name and the type of something beside what it names: "France cities"."""
    words = question.query.words
    named = question.all_named or named_in_part(question) if len(words) <= _BESIDE_A_NAME else ()
    place = name_matching.word_beside(words, named)
    if place < 0 or question.has_very_many(named[0].nodes):
        return False
    return bool(Kinds.of(question).typed([place], question.neighbours(named[0].nodes), head=True).any())


def _answered(question: Question) -> Found | None:
    """Return what answers a question, what it excepts last."""
    exception = excepted.excepted(question)
    found = _measured(question, exception.places)
    return found and (excepted.put_last(question, found[0], exception), found[1])


def _measured(question: Question, left_out: frozenset[int]) -> Found | None:
    """Return the same without the words at some places, what has the amount asked for before others.

    What says how much of something there is ("with more than 20 million people") asks for no edge where the graph tells
    it of what the rest of the question leads to.
    """
    asked = asked_for(question.plain, name_matching.places_of(_names(question)), question.relations.holds)
    if asked is not None and asked.places and (found := _trusted(question, left_out | asked.places, asked)) is not None:
        picked = amounts.put_first(question, found[0], asked)
        if picked is not None:
            return picked, found[1]
    found = _trusted(question, left_out, asked)
    if found is None or asked is None or asked.places:
        return found
    return amounts.put_first(question, found[0], asked) or found[0], found[1]


def _trusted(question: Question, left_out: frozenset[int], measured: Measured | None) -> Found | None:
    """Return what a question leads to without the words at some places, where that is to be trusted.

    Of what it asks the greatest or the least of, what is of the type that it says comes first.
    """
    if (understood := _understood(question, left_out)) is None:
        return None
    about, answer, meaning = understood
    if measured is not None and measured.largest is not None:
        answer = amounts.of_type(about.kinds, about.sentence, answer)
    silent = False
    if about.may_be_silent(left_out):
        answer, silent = about.where_silent(meaning, answer)
    said = len(question.relations) > 1 or (meaning.trust >= SAME_FAMILY).any()  # else a text may say it
    return (answer, silent) if silent or (answer.sure and said) else None


def _understood(question: Question, left_out: Collection[int]) -> Read | None:
    """Return the question, its answer and what its words mean, by what it names first that has one; None: nothing.

    Words at the places ``left_out`` say nothing.
    """
    found, query, relations, terms = None, question.query, question.relations, question.relations.labels.terms
    for named in subjects.ways(question):
        words, named = without(query.words, named, left_out)
        words, named = as_question(*read_aloud(query.topic, words, named, terms, relations.labels.say))
        words, named = parted(words, named, query.names_of, relations.labels.words.within, terms)
        words, named = peers.with_co_apart(words, named, terms, relations.labels.say)
        words, named = kin.spelt_out(words, named, relations.holds, terms)
        if not named:
            continue  # all that is named stands within words of edge types
        asked, meaning = _about(question, words, named)
        if asked.sentence.compares():
            return None
        if (chosen := choices.called_so(asked)) is not None:
            return chosen
        if asked.sentence.verifies():
            return choices.verified(asked, meaning)
        if _about_itself(asked) or not (meaning.trust.any() or asked.may_be_silent(left_out)):
            continue  # before any name is read: most questions ask for no edge
        meaning = asked.without_apposed(meaning)
        found = *_read(asked, meaning), meaning
        if len(found[1].nodes):
            return _by_the_noun(*found)
        found = *found[:2], meaning.without(unknown_names.places(asked))
        loose = asked.reader.loosely(question.edges)
        if (loose.asked != meaning.asked).any() and len((other := _read(asked, loose))[1].nodes):
            return *other, loose
    return found


def _by_the_noun(asked: About, answer: Answer, meaning: Meaning) -> Read:
    """Return the same, or by one noun alone where what was made leads on and all words together do not.

    Of "who wrote the soundtrack for X" the soundtrack asks, of "who wrote the opinion of the court in X" the opinion.
    """
    noun = asked.sentence.thing_done() if answer.explained < EXPLAINED else []
    if not noun or meaning.trust[noun].max() < asked.settings.synonym:
        return asked, answer, meaning
    alone = meaning.without([place for place in range(len(meaning.trust)) if place not in noun])
    about, other = _read(asked, alone)
    return (about, other, alone) if len(other.nodes) and other.explained >= EXPLAINED else (asked, answer, meaning)


def _about_itself(asked: About) -> bool:
    """Tell whether a question asks for what it names, which it may say the type of: "what is the X service for"."""
    sorts, nodes = asked.sentence.sorts(), nodes_of(asked.named)
    if len(asked.named) == 1 and asked.named[0].whole and _says_more_of_name(asked, asked.named[0]):
        return True
    is_it = bool(sorts) and len(nodes) == 1 and bool(asked.kinds.typed(sorts, nodes).all())
    return asked.sentence.about_itself(sorts if is_it else ())


def _says_more_of_name(asked: About, one: Named) -> bool:
    """Tell whether a question says nothing but further words of a name: "who is Mayor Pike", Mayor Elaine Pike."""
    plain = asked.plain
    said = {plain[place] for place in name_matching.content_beside(asked.query.words, one.places)}
    return bool(said) and said.issubset(one.whole.split())


def _about(question: Question, words: Words, named: Sequence[Named]) -> tuple[About, Meaning]:
    """Return a question whose words are read so, and what they mean.

    Without a "co" that says nothing, and with what is shared for those who share it, where what is named has that.
    """

    def read_as(words: Words, named: Sequence[Named]) -> tuple[About, Meaning]:
        query, relations, settings = replace(question.query, words=words), question.relations, question.settings
        asked = About(question.scores, query, relations, settings, Sentence(words, named), named)
        return asked, asked.reader.meaning()

    labels, plain = question.relations.labels, without_co(words, named)
    shared = peers.Sharing(words, named, question.relations.holds, labels.say, labels.terms).readings()
    readings = starmap(read_as, [plain]) if plain else map(_away, starmap(read_as, islice(shared, _MOST_READINGS)))
    return next((one for one in readings if _has_what_is_asked(*one)), None) or read_as(words, named)


def _away(read: tuple[About, Meaning]) -> tuple[About, Meaning]:
    """Return a question and what it means, with what is shared asked of what is named: "member" of X is X's band."""
    about, meaning = read
    surest = _surest(about, meaning)
    back = (meaning.asked[surest] >= _COULD_MEAN) & meaning.turned[surest]
    if not about.count_having(nodes_of(about.named), back, forward=True):
        return about, meaning
    turned = meaning.turned.copy()
    turned[surest] &= ~back
    return about, replace(meaning, turned=turned)


def _has_what_is_asked(about: About, meaning: Meaning) -> bool:
    """Tell whether what is named has an edge, in its direction, that the surest of the words asks for."""
    surest = _surest(about, meaning)
    asked, turned = meaning.asked[surest] >= _COULD_MEAN, meaning.turned[surest]
    nodes = nodes_of(about.named)
    along = about.count_having(nodes, asked & ~turned, forward=True)
    return along > 0 or about.count_having(nodes, asked & turned, forward=False) > 0


def _surest(about: About, meaning: Meaning) -> int:
    """Return the place of the surest of the words that ask for an edge."""
    return int(np.where(about.sentence.free() & ~meaning.mirrors, meaning.trust, 0.0).argmax())


def _read(alike: About, meaning: Meaning) -> tuple[About, Answer]:
    """Return the question about what it names as it is written, and its answer.

    Where that has nothing of what is asked for, what is called by the same words may be meant: Rat Race, for "who wrote
    the Rat Race film", not The Rat Race, of which nobody knows who wrote it.
    """
    words, names_of = alike.query.words, alike.query.names_of
    alike = replace(alike, named=[alike.of_kind_beside(one) for one in alike.named])
    asked = replace(alike, named=[name_matching.as_written(one, words, names_of) for one in alike.named])
    answer = asked.answer(meaning)
    same = all(len(one.nodes) == len(other.nodes) for one, other in zip(alike.named, asked.named, strict=True))
    if same or answer.explained >= EXPLAINED or (found := alike.answer(meaning)).explained < EXPLAINED:
        return asked, answer
    return alike, found
